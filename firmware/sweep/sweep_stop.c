#include "firmware/sweep/sweep_stop.h"

#include "firmware/cli.h"

#include <math.h>
#include <string.h>

/* ---- does the image stand still? ---- */

/* Notes the positions in this image, to compare with the next. */
static void note_image(pov_still *still, const pov_observation *observation, const pov_camera *camera)
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

/* If a tag appears several times, the nearest one is taken as the same. */
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
    note_image(&now, observation, camera);
    now.moved_px = still->has_image ? motion_px(still, &now) : NAN;
    if (now.moved_px < rule->moved_px)
        now.still_len = still->still_len + 1;
    *still = now;
    return now.still_len >= rule->images;
}

/* ---- did the turntable slip? ---- */

static const double slip_min_rad = 0.5 * POV_PI / 180; /* a smaller slip moves no judgment; chosen */
static const double deviations_min = 4; /* standard deviations; one false alarm in 16,000 stops; derived */

double pov_sweep_slip_of(pov_sweep_slip *slip, double commanded_rad, const pov_observed_turntable *measured)
{
    if (!measured->known || isnan(measured->angle_rad) || isnan(commanded_rad))
        return 0;
    const double zero_rad = measured->angle_rad - commanded_rad,
                 variance = measured->std_rad * measured->std_rad;
    const double change_rad = remainder(zero_rad - slip->zero_rad, 2 * POV_PI);
    const bool same =
        slip->begun && (fabs(change_rad) < slip_min_rad ||
                        fabs(change_rad) < deviations_min * sqrt(variance + slip->zero_variance));
    const double slipped_rad = slip->begun && !same ? change_rad : 0;
    if (!same)
        *slip = (pov_sweep_slip){.begun = true, .zero_rad = zero_rad, .zero_variance = variance};
    return slipped_rad;
}

void pov_sweep_slip_warn(pov_sweep_slip *slip, double commanded_rad, const pov_observed_turntable *measured)
{
    const double slipped_rad = pov_sweep_slip_of(slip, commanded_rad, measured);
    if (slipped_rad != 0)
        pov_cli_warn("the turntable slipped by %.1f +- %.1f deg on its way to %.1f deg, by the tags on it; "
                     "the judgments rest on the images and hold, the commanded angles do not: "
                     "turn more gently ($120)",
                     slipped_rad / POV_DEG, measured->std_rad / POV_DEG, commanded_rad / POV_DEG);
}
