#include "perception/lens/lens_spread.h"

#include "perception/balls/ball_size_map.h"
#include "perception/geometry/linalg.h"

#include <math.h>
#include <string.h>

enum { P = POV_LENS_PARAMETER_MAX, GRID = 5, RIM = 16 };

static const double SEEN_PX = 0.01; /* a shift that matters, a tenth of a corner's noise; chosen */

/* ---- cameras that may be the true one ---- */

static void move_camera(pov_camera *camera, const double step[P], int len)
{
    double *first[] = {&camera->fx_px, &camera->fy_px, &camera->cx_px, &camera->cy_px};
    for (int i = 0; i < len; i++)
        *(i < 4 ? first[i] : &camera->distortion[i - 4]) += step[i];
}

/* The most by which a place in the image moves from one camera to the other. */
static double farthest_px(const pov_camera *from, const pov_camera *to)
{
    double most = 0;
    for (int i = 0; i < GRID * GRID; i++) {
        const pov_vec2 at = {(from->width_px - 1) * (i % GRID) / (GRID - 1.0),
                             (from->height_px - 1) * (i / GRID) / (GRID - 1.0)};
        pov_vec3 direction;
        pov_vec2 moved;
        if (pov_camera_unproject(from, &direction, NULL, at) == POV_OK &&
            pov_camera_project(to, &moved, NULL, direction) == POV_OK)
            most = fmax(most, hypot(moved.x - at.x, moved.y - at.y));
    }
    return most;
}

void pov_lens_spread_make(pov_lens_spread *spread, const pov_camera *camera,
                          const pov_lens_covariance *covariance)
{
    const int n = covariance->len;
    double scaled[P * P], values[P], vectors[P * P], scale[P];
    spread->len = 0;
    for (int i = 0; i < n; i++)
        scale[i] = sqrt(covariance->cov[i][i]);
    for (int i = 0; i < n * n; i++) /* focal lengths and coefficients differ by orders */
        scaled[i] = scale[i / n] > 0 && scale[i % n] > 0
                        ? covariance->cov[i / n][i % n] / (scale[i / n] * scale[i % n])
                        : 0;
    if (n > 0)
        pov_symmetric_eigen(values, vectors, scaled, n);
    for (int k = 0; k < n; k++) {
        pov_camera *moved = &spread->cameras[spread->len];
        double step[P];
        for (int i = 0; i < n; i++)
            step[i] = scale[i] * vectors[i * n + k] * sqrt(fmax(values[k], 0));
        *moved = *camera;
        move_camera(moved, step, n);
        if (pov_camera_check(moved).code == POV_OK && farthest_px(camera, moved) > SEEN_PX)
            spread->len++;
    }
}

/* ---- a ball through another camera ---- */

/* Two directions across a third. */
static void find_across(pov_vec3 across[2], pov_vec3 axis)
{
    const pov_vec3 aside = fabs(axis.x) < 0.9 ? (pov_vec3){1, 0, 0} : (pov_vec3){0, 1, 0};
    across[0] = pov_vec3_unit(pov_vec3_cross(axis, aside));
    across[1] = pov_vec3_cross(axis, across[0]);
}

void pov_lens_reseat_ball(pov_ball *ball, const pov_camera *from, const pov_camera *to, double radius_m,
                          const pov_transform *T_table_camera, double height_m)
{
    const double distance_m = pov_vec3_norm(ball->pos_camera_m);
    const pov_vec3 axis = pov_vec3_unit(ball->pos_camera_m);
    const double half_rad = asin(fmin(radius_m / distance_m, 1));
    pov_vec3 across[2], rim[RIM], sum = {0, 0, 0};
    double angle_rad = 0;
    find_across(across, axis);
    for (int i = 0; i < RIM; i++) {
        const double turn = 2 * POV_PI * i / RIM;
        const pov_vec3 out =
            pov_vec3_add(pov_vec3_scale(across[0], cos(turn)), pov_vec3_scale(across[1], sin(turn)));
        const pov_vec3 edge =
            pov_vec3_add(pov_vec3_scale(axis, cos(half_rad)), pov_vec3_scale(out, sin(half_rad)));
        pov_vec2 pixel;
        if (pov_camera_project(from, &pixel, NULL, edge) != POV_OK ||
            pov_camera_unproject(to, &rim[i], NULL, pixel) != POV_OK)
            return;
        sum = pov_vec3_add(sum, rim[i]);
    }
    const pov_vec3 middle = pov_vec3_unit(sum);
    for (int i = 0; i < RIM; i++)
        angle_rad += atan2(pov_vec3_norm(pov_vec3_cross(middle, rim[i])), pov_vec3_dot(middle, rim[i])) / RIM;
    ball->pos_camera_m = pov_vec3_scale(middle, radius_m / sin(angle_rad));
    if (T_table_camera)
        (void)pov_ball_center_at_height(&ball->pos_camera_m, T_table_camera, middle, height_m);
}

/* ---- what follows for a scene ---- */

static double nearest_heading(const pov_heading *of, double yaw_rad)
{
    double nearest = POV_PI;
    for (int i = 0; i < of->len; i++) {
        const double off = pov_angle_wrap(of->mode[i].yaw_rad - yaw_rad);
        nearest = fabs(off) < fabs(nearest) ? off : nearest;
    }
    return nearest;
}

void pov_lens_effect_add(pov_lens_effect *effect, const pov_scene *scene, pov_transform T_table_camera,
                         const pov_scene *other_scene, pov_transform other_T_table_camera)
{
    const int d = effect->len++;
    double moved[6];
    pov_transform_minus(moved, other_T_table_camera, T_table_camera);
    for (int i = 0; i < 6; i++)
        effect->camera[i][d] = moved[i];
    for (int e = 0; e < scene->len; e++) {
        const pov_entity *here = &scene->entities[e], *there = &other_scene->entities[e];
        const bool both = here->placed && there->placed;
        const pov_vec3 off = pov_vec3_sub(there->position.mean_m, here->position.mean_m);
        effect->position_m[e][0][d] = both ? off.x : 0;
        effect->position_m[e][1][d] = both ? off.y : 0;
        effect->position_m[e][2][d] = both ? off.z : 0;
        effect->heading_rad[e][d] = both && here->heading.len > 0 && there->heading.len > 0
                                        ? nearest_heading(&there->heading, here->heading.mode[0].yaw_rad)
                                        : 0;
    }
}

/* C = A B^T over the directions. */
static double product(const pov_lens_effect *effect, const double *a, const double *b)
{
    double sum = 0;
    for (int d = 0; d < effect->len; d++)
        sum += a[d] * b[d];
    return sum;
}

typedef struct {
    double before[6][6], after[6][6], inverse[36];
    bool regular; /* the camera's pose is uncertain in all directions */
} camera_error;

enum { YAW = 3, ERRORS = 4 }; /* an entity's position and front */

/* Regression of the entity's errors on the camera's error: the part that follows it moves into per_camera_pose. */
static void widen_errors(const pov_lens_effect *effect, int e, pov_entity *entity, const camera_error *camera)
{
    const double *moved[ERRORS] = {effect->position_m[e][0], effect->position_m[e][1],
                                   effect->position_m[e][2], effect->heading_rad[e]};
    double per_pose[ERRORS][6], to_camera[ERRORS][6], J[ERRORS][6], was[ERRORS][ERRORS],
        explained[ERRORS][ERRORS];
    memcpy(per_pose, entity->position.per_camera_pose, sizeof entity->position.per_camera_pose);
    memcpy(per_pose[YAW], entity->heading_ties.per_camera_pose, sizeof per_pose[YAW]);
    pov_sandwich(was[0], per_pose[0], &camera->before[0][0], ERRORS, 6);
    for (int i = 0; i < ERRORS; i++)
        for (int k = 0; k < 6; k++) {
            to_camera[i][k] = product(effect, moved[i], effect->camera[k]);
            for (int l = 0; l < 6; l++)
                to_camera[i][k] += per_pose[i][l] * camera->before[l][k];
        }
    for (int i = 0; i < ERRORS; i++)
        for (int k = 0; k < 6; k++) {
            J[i][k] = camera->regular ? 0 : per_pose[i][k];
            for (int l = 0; camera->regular && l < 6; l++)
                J[i][k] += to_camera[i][l] * camera->inverse[l * 6 + k];
        }
    pov_sandwich(explained[0], J[0], &camera->after[0][0], ERRORS, 6);
    for (int i = 0; i < ERRORS; i++)
        for (int j = 0; j < 3; j++) {
            double *own =
                i == YAW ? &entity->heading_ties.with_position_m[j] : &entity->position.own_cov_m2[i][j];
            *own += was[i][j] + product(effect, moved[i], moved[j]) - explained[i][j];
        }
    memcpy(entity->position.per_camera_pose, J, sizeof entity->position.per_camera_pose);
    memcpy(entity->heading_ties.per_camera_pose, J[YAW], sizeof J[YAW]);
}

static void widen_heading(const pov_lens_effect *effect, int e, pov_heading *heading)
{
    const double variance = product(effect, effect->heading_rad[e], effect->heading_rad[e]);
    for (int i = 0; i < heading->len && variance > 0; i++)
        if (heading->mode[i].kappa > 0)
            heading->mode[i].kappa = pov_kappa_from_std(sqrt(1 / heading->mode[i].kappa + variance));
}

static void widen_camera(camera_error *camera, const pov_lens_effect *effect, const pov_pose *T_table_camera)
{
    memcpy(camera->before, T_table_camera->cov, sizeof camera->before);
    for (int i = 0; i < 36; i++)
        camera->after[i / 6][i % 6] =
            camera->before[i / 6][i % 6] + product(effect, effect->camera[i / 6], effect->camera[i % 6]);
    camera->regular = pov_symmetric_inverse(camera->inverse, &camera->after[0][0], 6);
}

/* It moves with the intrinsics, or with the camera's pose, which does. */
static bool is_touched(const pov_lens_effect *effect, int e, const pov_position *position)
{
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        sum += product(effect, effect->position_m[e][i], effect->position_m[e][i]);
        for (int k = 0; k < 6; k++)
            sum += fabs(position->per_camera_pose[i][k]);
    }
    return sum > 0;
}

void pov_lens_effect_apply(const pov_lens_effect *effect, pov_scene *scene, pov_pose *T_table_camera)
{
    camera_error camera;
    if (effect->len == 0)
        return;
    widen_camera(&camera, effect, T_table_camera);
    for (int e = 0; e < scene->len; e++) {
        pov_entity *entity = &scene->entities[e];
        if (!entity->placed)
            continue;
        if (is_touched(effect, e, &entity->position) && e != scene->camera)
            widen_errors(effect, e, entity, &camera);
        widen_heading(effect, e, &entity->heading);
    }
    memcpy(T_table_camera->cov, camera.after, sizeof camera.after);
    memcpy(scene->camera_pose_cov, camera.after, sizeof camera.after);
}
