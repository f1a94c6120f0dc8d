#include "perception/people/arm_pointing.h"

#include <math.h>

/* Shares of a person's height. Eyes: 0.935 in Huston 2009, adults of the middle percentile. Between joints, upper arm 0.186, forearm 0.146, hand
 * 0.108: chosen; along the skin, which is longer, Huston has 0.205, and 0.275 for forearm and hand. A pointing arm is not quite straight:
 * 0.96 of it, chosen. */
static const double arm_share = 0.96 * (0.186 + 0.146), hand_share = 0.108, eyes_share = 0.936;
static const double arm_std_share = 0.06; /* of the arm's length: people differ by 0.04; the elbow; chosen */

/* How far off annotators put joints in COCO: 0.062 (wrist) and 0.079 (shoulder) of the root of the person's area
 * (pycocotools' cocoeval.py), half a height: as shares of the height in the image. */
static const double wrist_std_share = 0.031, shoulder_std_share = 0.04;
/* A shoulder is before or behind the body's middle by half the shoulders' width at most; as a share of the height; chosen. */
static const double depth_std_share = 0.06;

/* How far people's rays from the head through the fingertip miss what they point at: 7.3 degrees on average (Breuer, Ploeger & Kraetzschmar
 * 2010, eight people), of an error in two dimensions, so 5.8 in each. */
static const double aim_std_rad = 5.8 * POV_DEG;
/* Arms point forward more than backward: deviation of an arm's direction from the body's front; chosen. */
static const double reach_std_rad = 50 * POV_DEG;
static const double sure_of_arm = 0.95; /* the rest is kept for an arm that does not point; chosen */

static const double joint_score_min = 0.3;       /* as MMPose draws them */
static const double straight_min = 0.9;          /* of upper arm and forearm, shoulder to wrist: chosen */
static const double shown_share_min = 0.3;       /* of the arm's length, in the image: chosen */
static const double lowered_rad = -55 * POV_DEG; /* a hanging arm is at -90; chosen */

typedef struct {
    const pov_camera *camera;
    const pov_pose *T_table_camera;
    pov_vec3 middle_m; /* of the person */
    double height_m, crown_z_m, px_m;
} body;

typedef struct {
    bool seen, points;
    pov_heading heading;
} arm;

static pov_vec2 at_joint(const pov_keypoint *joint)
{
    return (pov_vec2){(double)joint->x_px, (double)joint->y_px};
}

static double apart_px(const pov_keypoint *a, const pov_keypoint *b)
{
    return hypot((double)(a->x_px - b->x_px), (double)(a->y_px - b->y_px));
}

/* Of a line of sight, in the table frame. */
static bool look_along(pov_vec3 *direction, const body *b, pov_vec2 pixel)
{
    if (pov_camera_unproject(b->camera, direction, NULL, pixel) != POV_OK)
        return false;
    *direction = pov_vec3_unit(pov_rot_apply(b->T_table_camera->T.R, *direction));
    return true;
}

/* The point of a line of sight as far away as the person's vertical, `nearer_m` before it. */
static bool find_on_body(pov_vec3 *at_m, const body *b, pov_vec2 pixel, double nearer_m)
{
    const pov_vec3 eye_m = b->T_table_camera->T.t_m, away_m = pov_vec3_sub(b->middle_m, eye_m);
    pov_vec3 direction;
    if (!look_along(&direction, b, pixel))
        return false;
    const double across = hypot(away_m.x, away_m.y),
                 along = (direction.x * away_m.x + direction.y * away_m.y) / fmax(1e-9, across);
    if (!(along > 1e-3))
        return false;
    *at_m = pov_vec3_add(eye_m, pov_vec3_scale(direction, (across - nearer_m) / along));
    return true;
}

/* Errors of one arm, each in deviations. */
typedef struct {
    double shoulder[2], depth, wrist[2], length;
} arm_errors;

enum { ERROR_COUNT = sizeof(arm_errors) / sizeof(double) };

/* Azimuth and elevation of the arm, on the nearer (side -1) or farther crossing of the sphere. */
typedef struct {
    double azimuth_rad, elevation_rad;
} aim;

static bool find_aim(aim *found, const body *b, const pov_keypoint joints[POV_JOINTS], int left,
                     const arm_errors *e, int side)
{
    const double shoulder_px = shoulder_std_share * b->height_m * b->px_m,
                 wrist_px = wrist_std_share * b->height_m * b->px_m;
    pov_vec2 shoulder = at_joint(&joints[POV_JOINT_LEFT_SHOULDER + !left]),
             wrist = at_joint(&joints[POV_JOINT_LEFT_WRIST + !left]);
    pov_vec3 shoulder_m, sight;
    shoulder.x += e->shoulder[0] * shoulder_px, shoulder.y += e->shoulder[1] * shoulder_px;
    wrist.x += e->wrist[0] * wrist_px, wrist.y += e->wrist[1] * wrist_px;
    if (!find_on_body(&shoulder_m, b, shoulder, e->depth * depth_std_share * b->height_m) ||
        !look_along(&sight, b, wrist))
        return false;
    const double reach_m = arm_share * b->height_m * (1 + e->length * arm_std_share);
    const pov_vec3 to_m = pov_vec3_sub(shoulder_m, b->T_table_camera->T.t_m);
    const double nearest_m = pov_vec3_dot(to_m, sight),
                 off_m2 = pov_vec3_dot(to_m, to_m) - nearest_m * nearest_m;
    const double half_m = sqrt(fmax(0, reach_m * reach_m - off_m2));
    const pov_vec3 wrist_m =
        pov_vec3_add(b->T_table_camera->T.t_m, pov_vec3_scale(sight, nearest_m + side * half_m));
    const pov_vec3 along = pov_vec3_unit(pov_vec3_sub(wrist_m, shoulder_m));
    const pov_vec3 tip_m = pov_vec3_add(wrist_m, pov_vec3_scale(along, hand_share * b->height_m));
    const pov_vec3 eyes_m = {b->middle_m.x, b->middle_m.y, b->crown_z_m - (1 - eyes_share) * b->height_m};
    const pov_vec3 ray = pov_vec3_sub(tip_m, eyes_m);
    *found = (aim){atan2(ray.y, ray.x), atan2(along.z, hypot(along.x, along.y))};
    return true;
}

/* Of the azimuth: errors one after another, each to both sides. */
static double deviation_of(const aim *mean, const body *b, const pov_keypoint joints[POV_JOINTS], int left,
                           int side)
{
    double variance = aim_std_rad * aim_std_rad;
    for (int k = 0; k < ERROR_COUNT; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double errors[ERROR_COUNT] = {0};
            aim moved;
            errors[k] = sign;
            const arm_errors e = {{errors[0], errors[1]}, errors[2], {errors[3], errors[4]}, errors[5]};
            if (find_aim(&moved, b, joints, left, &e, side))
                variance += pow(pov_angle_wrap(moved.azimuth_rad - mean->azimuth_rad), 2) / 2;
        }
    return sqrt(variance);
}

/* Density of an arm's direction, by what is known of the body's front. */
static double likelihood_of(double azimuth_rad, const pov_heading *front)
{
    double sum = 0;
    for (int i = 0; i < front->len; i++) {
        const pov_heading_mode *mode = &front->mode[i];
        const double std_rad = hypot(reach_std_rad, mode->kappa > 0 ? 1 / sqrt(mode->kappa) : POV_PI);
        sum +=
            mode->weight * exp(-pow(pov_angle_wrap(azimuth_rad - mode->yaw_rad) / std_rad, 2) / 2) / std_rad;
    }
    return front->len > 0 ? sum : 1;
}

static bool is_seen(const pov_keypoint joints[POV_JOINTS], int left)
{
    for (int k = POV_JOINT_LEFT_SHOULDER; k <= POV_JOINT_LEFT_WRIST; k += 2)
        if (!((double)joints[k + !left].score >= joint_score_min))
            return false;
    return true;
}

static arm look_at_arm(const body *b, const pov_keypoint joints[POV_JOINTS], int left,
                       const pov_heading *front)
{
    const pov_keypoint *shoulder = &joints[POV_JOINT_LEFT_SHOULDER + !left],
                       *elbow = &joints[POV_JOINT_LEFT_ELBOW + !left],
                       *wrist = &joints[POV_JOINT_LEFT_WRIST + !left];
    const arm_errors none = {0};
    arm found = {.seen = is_seen(joints, left)};
    const double bones_px = apart_px(shoulder, elbow) + apart_px(elbow, wrist);
    if (!found.seen)
        return found;
    found.seen = bones_px >= shown_share_min * arm_share * b->height_m * b->px_m;
    if (!found.seen || apart_px(shoulder, wrist) < straight_min * bones_px)
        return found;
    for (int side = -1; side <= 1; side += 2) {
        aim at;
        if (!find_aim(&at, b, joints, left, &none, side) || at.elevation_rad < lowered_rad)
            continue;
        found.heading.mode[found.heading.len++] =
            (pov_heading_mode){likelihood_of(at.azimuth_rad, front), at.azimuth_rad,
                               pov_kappa_from_std(deviation_of(&at, b, joints, left, side))};
    }
    found.points = found.heading.len > 0;
    return found;
}

/* Of both arms; weights sum to 1. One mode is kept for a ray anywhere. */
static void join_arms(pov_heading *pointing, const arm arms[2])
{
    double sum = 0;
    *pointing = (pov_heading){.len = 0};
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < arms[i].heading.len && pointing->len < POV_HEADING_MODES_MAX - 1; k++) {
            pointing->mode[pointing->len++] = arms[i].heading.mode[k];
            sum += arms[i].heading.mode[k].weight;
        }
    for (int k = 0; k < pointing->len; k++)
        pointing->mode[k].weight *= sum > 0 ? sure_of_arm / sum : 0;
    if (pointing->len > 0)
        pointing->mode[pointing->len++] = (pov_heading_mode){1 - sure_of_arm, 0, 0};
}

void pov_arm_pointing(pov_entity *entity, const pov_keypoint joints[POV_JOINTS], const pov_stature *stature,
                      const pov_camera *camera, const pov_pose *T_table_camera)
{
    const pov_vec3 middle_m = entity->position.mean_m;
    const double far_m = pov_vec3_norm(pov_vec3_sub(middle_m, T_table_camera->T.t_m));
    const body b = {camera,
                    T_table_camera,
                    middle_m,
                    stature->height_m,
                    stature->crown_z_m,
                    camera->fx_px / fmax(1e-6, far_m)};
    const arm arms[2] = {look_at_arm(&b, joints, 0, &entity->heading),
                         look_at_arm(&b, joints, 1, &entity->heading)};
    entity->arms_seen = (arms[0].seen && arms[1].seen) || arms[0].points || arms[1].points;
    join_arms(&entity->pointing, arms);
}
