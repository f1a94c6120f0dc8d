#include "perception/tracking/pose_hold.h"

#include <string.h>

static const int images_min = 5; /* at rest, before poses are averaged; chosen */
/* Somebody bumps into the camera once in ten minutes. Radians and metres; chosen. */
static const pov_motion_params params = {
    .rest_s = 600, .free_s = 2, .speed_std = {0.04, 0.3}, .speed_s = 0.5, .slow_share = 0};

static void begin_hold(pov_pose_hold *hold, const pov_pose *pose)
{
    static const double nowhere[6] = {0};
    hold->images = 1;
    hold->reference = pose->T;
    pov_motion_start(&hold->motion, &params, 6, nowhere, &pose->cov[0][0]);
}

/* Out: the filtered pose. Returns false, pose unchanged, if the camera does not stand still. */
static bool find_held_pose(const pov_pose_hold *hold, pov_pose *T_table_camera)
{
    pov_motion_estimate estimate;
    if (hold->images < images_min)
        return false;
    pov_motion_estimate_of(&estimate, &hold->motion);
    T_table_camera->T = pov_transform_plus(hold->reference, estimate.mean);
    memcpy(T_table_camera->cov, estimate.cov, sizeof T_table_camera->cov);
    return true;
}

bool pov_pose_hold_update(pov_pose_hold *hold, pov_pose *T_table_camera, int64_t now_ns)
{
    double elapsed_s = (double)(now_ns - hold->now_ns) * 1e-9, found[6];
    if (hold->images > 0 && pov_motion_is_late(now_ns, hold->now_ns))
        return find_held_pose(hold, T_table_camera);
    hold->now_ns = now_ns;
    if (hold->images == 0 || elapsed_s <= 0) {
        begin_hold(hold, T_table_camera);
        return false;
    }
    pov_transform_minus(found, T_table_camera->T, hold->reference);
    pov_motion_predict(&hold->motion, elapsed_s, NULL);
    pov_motion_update(&hold->motion, found, &T_table_camera->cov[0][0]);
    hold->images = pov_motion_likeliest(&hold->motion) == POV_AT_REST ? hold->images + 1 : 1;
    return find_held_pose(hold, T_table_camera);
}
