#include "perception/models/model_look.h"

#include <math.h>
#include <string.h>

/* Speed at which a thing may have moved since an older image: by hand, or with a turning table. */
static const double speed_std_m_s = 0.1;

static bool make_entity(pov_entity *entity, const pov_model_look *look, const pov_detection *detection,
                        const pov_model_build *build, const pov_camera *camera)
{
    entity->seen = true;
    entity->look_age_s = look->age_s;
    entity->has_image_box = true;
    entity->image_box = detection->box;
    if (!look->has_pose)
        return true;
    if (pov_model_place(entity, detection, build, camera, &look->T_table_camera) != POV_OK)
        return false;
    for (int i = 0; i < 2; i++)
        entity->position.own_cov_m2[i][i] += pow(speed_std_m_s * look->age_s, 2);
    return true;
}

typedef struct {
    const pov_model_look *look;
    const pov_detection *detection;
} choice;

typedef struct {
    int len;
    choice list[POV_MODEL_MAX * POV_DETECTION_MAX];
} choices;

/* Best first, whichever detector found it. */
static void add_choice(choices *all, const pov_model_look *look, const pov_detection *detection)
{
    int at = all->len++;
    for (; at > 0 && all->list[at - 1].detection->score < detection->score; at--)
        all->list[at] = all->list[at - 1];
    all->list[at] = (choice){look, detection};
}

static void choose_detections(choices *all, const pov_model_looks *looks, const char *class_name)
{
    all->len = 0;
    for (int i = 0; i < looks->len; i++) {
        const pov_model_look *look = &looks->looks[i];
        for (int k = 0; k < look->found.len; k++) {
            const pov_detection *detection = &look->found.detections[k];
            if (strcmp(look->contract->classes[detection->class_index], class_name) == 0)
                add_choice(all, look, detection);
        }
    }
}

static double middle_px(const pov_entity *entity)
{
    return entity->image_box.left_px + entity->image_box.right_px;
}

int pov_model_look_entities(pov_entity *entities, const pov_model_looks *looks, const pov_entity *like,
                            const pov_model_build *build, const pov_camera *camera, int max)
{
    choices all;
    int len = 0;
    POV_REQUIRE(max <= POV_MODEL_COUNT_MAX);
    choose_detections(&all, looks, build->class_name);
    for (int i = 0; i < all.len && len < max; i++) {
        pov_entity entity = *like;
        if (!make_entity(&entity, all.list[i].look, all.list[i].detection, build, camera))
            continue;
        int at = len++;
        for (; at > 0 && middle_px(&entities[at - 1]) > middle_px(&entity); at--)
            entities[at] = entities[at - 1];
        entities[at] = entity;
    }
    return len;
}
