#include "firmware/sweep/sweep_still.h"

#include <math.h>
#include <string.h>

/* What is in the image, as the next one is compared with it. */
static void note(pov_still *still, const pov_observation *observation, const pov_camera *camera)
{
    const pov_transform T_camera_table = pov_transform_inverse(observation->image.T_table_camera.T);
    still->has_image = true;
    still->tag_len = observation->tag_len;
    for (int i = 0; i < observation->tag_len; i++)
        still->tags[i] = observation->tags[i].tag;
    still->thing_len = 0;
    for (int i = 0; i < observation->scene.len; i++) {
        const pov_entity *entity = &observation->scene.entities[i];
        pov_still_thing *thing = &still->things[still->thing_len];
        if (i == observation->scene.camera || !entity->seen || !entity->placed)
            continue;
        const pov_vec3 pos_camera_m = pov_transform_apply(T_camera_table, entity->position.mean_m);
        if (pov_camera_project(camera, &thing->place_px, NULL, pos_camera_m) != POV_OK)
            continue;
        memcpy(thing->name, entity->name, sizeof thing->name);
        still->thing_len++;
    }
}

static double distance_px(pov_vec2 a, pov_vec2 b)
{
    return hypot(a.x - b.x, a.y - b.y);
}

/* Of tags that are there several times, the nearest is the same. */
static double tag_motion_px(const pov_still *before, const pov_tag *tag)
{
    double nearest_px = INFINITY;
    for (int i = 0; i < before->tag_len; i++) {
        const pov_tag *was = &before->tags[i];
        double motion_px = 0;
        if (was->family != tag->family || was->id != tag->id)
            continue;
        for (int k = 0; k < 4; k++)
            motion_px = fmax(motion_px, distance_px(tag->corner_px[k], was->corner_px[k]));
        nearest_px = fmin(nearest_px, motion_px);
    }
    return isinf(nearest_px) ? 0 : nearest_px;
}

static double thing_motion_px(const pov_still *before, const pov_still_thing *thing)
{
    for (int i = 0; i < before->thing_len; i++)
        if (strcmp(before->things[i].name, thing->name) == 0)
            return distance_px(thing->place_px, before->things[i].place_px);
    return 0;
}

static double motion_px(const pov_still *before, const pov_still *now)
{
    double most_px = 0;
    for (int i = 0; i < now->tag_len; i++)
        most_px = fmax(most_px, tag_motion_px(before, &now->tags[i]));
    for (int i = 0; i < now->thing_len; i++)
        most_px = fmax(most_px, thing_motion_px(before, &now->things[i]));
    return most_px;
}

bool pov_still_update(pov_still *still, const pov_observation *observation, const pov_camera *camera,
                      const pov_still_rule *rule)
{
    pov_still now = {0};
    note(&now, observation, camera);
    if (still->has_image && motion_px(still, &now) < rule->moved_px)
        now.still_len = still->still_len + 1;
    *still = now;
    return now.still_len >= rule->images;
}
