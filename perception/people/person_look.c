#include "perception/people/person_look.h"

#include <math.h>

/* Speed at which a person may have walked since an older image; chosen: half of a stroll. */
static const double walk_std_m_s = 0.5;

static bool make_entity(pov_entity *entity, const pov_person *person, const pov_person_look *look,
                        const pov_person_build *build, const pov_camera *camera,
                        const pov_pose *T_table_camera)
{
    entity->seen = true;
    entity->look_age_s = look->age_s;
    entity->has_image_box = true;
    entity->image_box = person->has_body ? person->body : person->face;
    if (!T_table_camera)
        return true;
    if (pov_person_place(entity, person, build, camera, T_table_camera) != POV_OK)
        return false;
    for (int i = 0; i < 2; i++)
        entity->position.own_cov_m2[i][i] += pow(walk_std_m_s * look->age_s, 2);
    return true;
}

static double middle_px(const pov_entity *entity)
{
    return entity->image_box.left_px + entity->image_box.right_px;
}

int pov_person_look_entities(pov_entity *entities, const pov_person_look *look,
                             const pov_people_expected *expected, const pov_camera *camera,
                             const pov_pose *T_table_camera)
{
    const pov_pose *pose = look->age_s == 0 ? T_table_camera : look->has_pose ? &look->T_table_camera : NULL;
    int len = 0;
    POV_REQUIRE(expected->max <= POV_PERSON_MAX);
    for (int i = 0; i < look->people.len && len < expected->max; i++) {
        pov_entity entity = *expected->like;
        if (!make_entity(&entity, &look->people.persons[i], look, expected->build, camera, pose))
            continue;
        int at = len++;
        for (; at > 0 && middle_px(&entities[at - 1]) > middle_px(&entity); at--)
            entities[at] = entities[at - 1];
        entities[at] = entity;
    }
    return len;
}
