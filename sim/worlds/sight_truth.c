#include "sim/worlds/sight_truth.h"

#include <math.h>
#include <stddef.h>

enum {
    SIDE_PX = 128, /* about 0.002 off (sight_truth.h) */
    PIXELS = SIDE_PX * SIDE_PX
};

typedef struct {
    int16_t label[PIXELS];
    float depth_m[PIXELS];
} eye_picture;

/** A camera at the eye that just holds the target, its lens good for any angle. */
static pov_camera camera_about(const pov_instance *target, pov_vec3 eye_m, pov_transform *T_table_camera)
{
    pov_vec3 centre_m, size_m;
    pov_model_bounds(target->model, &centre_m, &size_m);
    const pov_vec3 middle_m = pov_transform_apply(target->T_table_model, centre_m);
    const pov_vec3 ahead = pov_vec3_sub(middle_m, eye_m);
    const double radius_m = pov_vec3_norm(size_m) / 2, distance_m = pov_vec3_norm(ahead);
    const double half_rad = distance_m > radius_m ? asin(radius_m / distance_m) : POV_PI;
    const bool is_steep = hypot(ahead.x, ahead.y) < 1e-3 * distance_m;
    const pov_vec3 up = is_steep ? (pov_vec3){1, 0, 0} : (pov_vec3){0, 0, 1};
    const pov_vec3 aim = distance_m > 0 ? middle_m : pov_vec3_add(eye_m, (pov_vec3){0, 0, 1});
    *T_table_camera = pov_transform_look_at(eye_m, aim, up);
    const double f_px = (SIDE_PX / 2.0 - 1) / half_rad, c_px = (SIDE_PX - 1) / 2.0;
    return (pov_camera){POV_LENS_EQUIDISTANT, SIDE_PX, SIDE_PX, f_px, f_px, c_px, c_px, {0}};
}

static bool is_in_field(const pov_sight_question *q, pov_vec3 dir_table, double distance_m)
{
    if (!q->field)
        return true;
    const pov_vec3 dir_gaze = pov_rot_apply(pov_rot_transpose(q->gaze.R_table_gaze), dir_table);
    return pov_field_contains(q->field, dir_gaze) && distance_m >= q->field->near_m &&
           distance_m <= q->field->far_m;
}

static double share_seen(const pov_sight_question *q, const pov_camera *camera, pov_rot R_table_camera,
                         const eye_picture pictures[2])
{
    const int label = q->instances[q->target].label;
    double seen = 0, whole = 0;
    for (int i = 0; i < PIXELS; i++) {
        pov_vec3 direction;
        const int row = i / SIDE_PX;
        const pov_vec2 pixel = {i % SIDE_PX, row};
        if (pictures[0].label[i] != label || pov_camera_unproject(camera, &direction, NULL, pixel) != POV_OK)
            continue;
        const double off_rad = acos(fmin(1, fmax(-1, direction.z)));
        const double weight = off_rad > 1e-6 ? sin(off_rad) / off_rad : 1; /* of an equidistant lens */
        const double distance_m = (double)pictures[0].depth_m[i] / direction.z;
        whole += weight;
        if (pictures[1].label[i] == label &&
            is_in_field(q, pov_rot_apply(R_table_camera, direction), distance_m))
            seen += weight;
    }
    return whole > 0 ? seen / whole : NAN;
}

/** Moves the bodies to where they stand, and those not wanted out of sight. */
static pov_status show_instances(pov_renderer *renderer, const pov_sight_question *q, bool only_target)
{
    pov_transform places[POV_SIGHT_INSTANCE_MAX];
    for (int i = 0; i < q->instance_len; i++) {
        places[i] = q->instances[i].T_table_model;
        if (i == q->viewer || (only_target && i != q->target))
            places[i].t_m = (pov_vec3){0, 0, -1e6};
    }
    return pov_renderer_move(renderer, places, q->instance_len);
}

pov_status pov_sight_truth(pov_renderer *renderer, double *fraction, const pov_sight_question *q)
{
    POV_REQUIRE(q->target >= 0 && q->target < q->instance_len && q->instance_len <= POV_SIGHT_INSTANCE_MAX);
    pov_transform T_table_camera;
    const pov_camera camera = camera_about(&q->instances[q->target], q->gaze.eye_m, &T_table_camera);
    eye_picture pictures[2]; /* alone, with all */
    *fraction = NAN;
    POV_TRY(pov_renderer_look(renderer, &camera, T_table_camera));
    for (int all = 0; all < 2; all++) {
        pov_rendering rendering = {NULL, pictures[all].label, pictures[all].depth_m};
        POV_TRY(show_instances(renderer, q, !all));
        pov_renderer_draw(renderer, &rendering, 0, SIDE_PX);
    }
    *fraction = share_seen(q, &camera, T_table_camera.R, pictures);
    return pov_ok();
}
