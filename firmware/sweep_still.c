#include "firmware/sweep_still.h"

#include <math.h>
#include <string.h>

static bool tag_moved(const pov_tag *now, const pov_tag *before, double most_px)
{
    for (int i = 0; i < 4; i++)
        if (hypot(now->corner_px[i].x - before->corner_px[i].x,
                  now->corner_px[i].y - before->corner_px[i].y) > most_px)
            return true;
    return false;
}

static const pov_tag *find_tag(const pov_still *still, const pov_tag *tag)
{
    for (int i = 0; i < still->tag_len; i++)
        if (still->tags[i].family == tag->family && still->tags[i].id == tag->id)
            return &still->tags[i];
    return NULL;
}

static bool any_tag_moved(const pov_still *still, const pov_observation *o, double most_px)
{
    for (int i = 0; i < o->tag_len; i++) {
        const pov_tag *before = find_tag(still, &o->tags[i].tag);
        if (before && tag_moved(&o->tags[i].tag, before, most_px))
            return true;
    }
    return false;
}

static double std_m(const pov_scene *scene, const pov_position *position)
{
    double cov_m2[3][3];
    pov_scene_position_cov(scene, cov_m2, position);
    return sqrt(fmax(0, cov_m2[0][0] + cov_m2[1][1] + cov_m2[2][2]));
}

static bool any_thing_moved(const pov_still *still, const pov_scene *scene, double most_m)
{
    for (int i = 0; i < scene->len; i++) {
        const pov_entity *now = &scene->entities[i];
        const pov_id id = pov_scene_find(&still->scene, now->name);
        if (i == scene->camera || !now->seen || !now->placed || id == POV_ID_NONE)
            continue;
        const pov_entity *before = &still->scene.entities[id];
        if (!before->placed)
            continue;
        const double moved_m = pov_vec3_norm(pov_vec3_sub(now->position.mean_m, before->position.mean_m));
        if (moved_m > most_m + 3 * std_m(scene, &now->position))
            return true;
    }
    return false;
}

bool pov_still_update(pov_still *still, const pov_observation *observation, const pov_still_rule *rule)
{
    const bool moved = !still->has_scene || any_tag_moved(still, observation, rule->corner_px) ||
                       any_thing_moved(still, &observation->scene, rule->position_m);
    still->image_len = moved ? 0 : still->image_len + 1;
    still->tag_len = observation->tag_len;
    for (int i = 0; i < observation->tag_len; i++)
        still->tags[i] = observation->tags[i].tag;
    still->scene = observation->scene;
    still->has_scene = true;
    return still->image_len >= rule->images;
}
