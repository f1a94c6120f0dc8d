#include "firmware/study/study_marks.h"

#include <cJSON.h>
#include <math.h>
#include <string.h>

/* False: the camera does not see it, or nobody knows where the camera is. */
static bool project(double px[2], const pov_observation *o, const pov_camera *camera, pov_vec3 pos_table)
{
    pov_vec2 pixel;
    const pov_transform *T = &o->image.T_table_camera.T;
    if (!isfinite(T->t_m.x))
        return false;
    const pov_vec3 pos_camera = pov_rot_apply(pov_rot_transpose(T->R), pov_vec3_sub(pos_table, T->t_m));
    if (pov_camera_project(camera, &pixel, NULL, pos_camera) != POV_OK)
        return false;
    px[0] = pixel.x + 0.5; /* a pixel's centre is (0, 0), a page's first pixel begins there */
    px[1] = pixel.y + 0.5;
    return true;
}

static cJSON *outline_json(const pov_observation *o, const pov_camera *camera, const pov_entity *entity)
{
    double box[4] = {INFINITY, INFINITY, -INFINITY, -INFINITY};
    const pov_box body = pov_entity_box(entity);
    for (int i = 0; i < 8; i++) {
        double px[2];
        if (!project(px, o, camera, pov_box_corner(&body, i)))
            return cJSON_CreateNull();
        for (int k = 0; k < 2; k++) {
            box[k] = fmin(box[k], round(px[k]));
            box[2 + k] = fmax(box[2 + k], round(px[k]));
        }
    }
    return cJSON_CreateDoubleArray(box, 4);
}

/* A place on the table is that of the thing's middle, as high as it is now. */
static cJSON *goal_json(const pov_observation *o, const pov_camera *camera, const pov_wanted_thing *thing,
                        const pov_entity *entity)
{
    double px[2];
    if (!thing->has_place)
        return cJSON_CreateNull();
    pov_vec3 at_m = thing->at_m;
    if (!thing->has_height)
        at_m.z = entity && entity->placed ? entity->position.mean_m.z : 0;
    if (!project(px, o, camera, at_m) || px[0] < 0 || px[1] < 0 || px[0] > o->image.width_px ||
        px[1] > o->image.height_px)
        return cJSON_CreateNull();
    px[0] = round(px[0]);
    px[1] = round(px[1]);
    return cJSON_CreateDoubleArray(px, 2);
}

static const pov_wanted_thing *wanted_thing(const pov_wanted_scene *wanted, const char *id)
{
    for (int i = 0; wanted && i < wanted->len; i++)
        if (strcmp(wanted->things[i].id, id) == 0)
            return &wanted->things[i];
    return NULL;
}

static void add_mark(cJSON *list, const char *id, cJSON *box, cJSON *goal)
{
    cJSON *mark = cJSON_CreateObject();
    cJSON_AddStringToObject(mark, "id", id);
    cJSON_AddItemToObject(mark, "box_px", box);
    cJSON_AddItemToObject(mark, "to_px", goal);
    cJSON_AddItemToArray(list, mark);
}

cJSON *pov_study_marks_json(const pov_observation *o, const pov_camera *camera,
                            const pov_wanted_scene *wanted)
{
    cJSON *list = cJSON_CreateArray();
    for (pov_id id = 0; id < o->scene.len; id++) {
        const pov_entity *entity = &o->scene.entities[id];
        const pov_wanted_thing *thing = wanted_thing(wanted, entity->name);
        if (id == o->scene.camera || !entity->placed || (entity->addressee && !thing))
            continue;
        add_mark(list, entity->name, outline_json(o, camera, entity),
                 thing ? goal_json(o, camera, thing, entity) : cJSON_CreateNull());
    }
    for (int i = 0; wanted && i < wanted->len; i++) { /* a thing that is missing has a place all the same */
        const pov_id id = pov_scene_find(&o->scene, wanted->things[i].id);
        if (id == POV_ID_NONE || !o->scene.entities[id].placed)
            add_mark(list, wanted->things[i].id, cJSON_CreateNull(),
                     goal_json(o, camera, &wanted->things[i], NULL));
    }
    return list;
}
