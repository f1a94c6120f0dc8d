#include "calib/camera/camera_solver_internal.h"

#include "perception/geometry/least_squares.h"

#include <math.h>
#include <string.h>

double pov_camera_parameter(const pov_camera *camera, int i)
{
    const double first[] = {camera->fx_px, camera->fy_px, camera->cx_px, camera->cy_px};
    POV_REQUIRE(i >= 0 && i < POV_CAMERA_PARAMETER_MAX);
    return i < 4 ? first[i] : camera->distortion[i - 4];
}

const char *pov_camera_parameter_name(pov_lens lens, int i)
{
    static const char *const names[POV_LENS_COUNT][POV_CAMERA_PARAMETER_MAX] = {
        {"fx", "fy", "cx", "cy", "k1", "k2", "p1", "p2", "k3", "k4", "k5", "k6"},
        {"fx", "fy", "cx", "cy", "k1", "k2", "k3", "k4", "", "", "", ""},
    };
    POV_REQUIRE(i >= 0 && i < POV_CAMERA_PARAMETER_MAX);
    return names[lens][i];
}

/* OpenCV's rational model: derivatives of the distorted (x, y) by k1 k2 p1 p2 k3 k4 k5 k6. */
static void by_brown_conrady(double d[2][POV_DISTORTION_MAX], const double *k, double x, double y)
{
    double r2 = x * x + y * y, r4 = r2 * r2, r6 = r4 * r2;
    double top = 1 + k[0] * r2 + k[1] * r4 + k[4] * r6, bottom = 1 + k[5] * r2 + k[6] * r4 + k[7] * r6;
    double power[] = {r2, r4, r6};
    static const int numerator[] = {0, 1, 4};
    for (int i = 0; i < 3; i++) {
        double above = power[i] / bottom, below = -top / bottom * above;
        d[0][numerator[i]] = x * above;
        d[1][numerator[i]] = y * above;
        d[0][5 + i] = x * below;
        d[1][5 + i] = y * below;
    }
    d[0][2] = d[1][3] = 2 * x * y;
    d[1][2] = r2 + 2 * y * y;
    d[0][3] = r2 + 2 * x * x;
}

/* Kannala & Brandt: the distorted radius is theta (1 + k1 theta^2 + ...). */
static void by_equidistant(double d[2][POV_DISTORTION_MAX], pov_vec3 point)
{
    double r = hypot(point.x, point.y), theta = atan2(r, point.z), power = theta;
    for (int i = 0; i < 4; i++) {
        power *= theta * theta;
        d[0][i] = r > 0 ? point.x / r * power : 0;
        d[1][i] = r > 0 ? point.y / r * power : 0;
    }
}

static void by_intrinsics(pov_projection *q, const pov_camera *camera, int coefficient_len, pov_vec3 point)
{
    double d[2][POV_DISTORTION_MAX] = {{0}};
    if (camera->lens == POV_LENS_EQUIDISTANT)
        by_equidistant(d, point);
    else
        by_brown_conrady(d, camera->distortion, point.x / point.z, point.y / point.z);
    memset(q->by_intrinsics, 0, sizeof q->by_intrinsics);
    q->by_intrinsics[0][0] = (q->pixel.x - camera->cx_px) / camera->fx_px;
    q->by_intrinsics[1][1] = (q->pixel.y - camera->cy_px) / camera->fy_px;
    q->by_intrinsics[0][2] = q->by_intrinsics[1][3] = 1;
    for (int i = 0; i < coefficient_len; i++) {
        q->by_intrinsics[0][4 + i] = camera->fx_px * d[0][i];
        q->by_intrinsics[1][4 + i] = camera->fy_px * d[1][i];
    }
}

bool pov_projection_of(pov_projection *q, const pov_camera *camera, int coefficient_len,
                       const pov_transform *T, pov_vec3 board_m)
{
    pov_vec3 arm = pov_rot_apply(T->R, board_m), point = pov_vec3_add(arm, T->t_m);
    double by_point[2][3];
    if (pov_camera_project(camera, &q->pixel, by_point, point) != POV_OK)
        return false;
    by_intrinsics(q, camera, coefficient_len, point);
    for (int row = 0; row < 2; row++) {
        const double *g = by_point[row];
        /* d point / d rotation = -[arm]x, so the row is arm x g */
        pov_vec3 turn = pov_vec3_cross(arm, (pov_vec3){g[0], g[1], g[2]});
        const double by_pose[6] = {turn.x, turn.y, turn.z, g[0], g[1], g[2]};
        memcpy(q->by_pose[row], by_pose, sizeof by_pose);
    }
    return true;
}

/* ---- a board's pose by a known camera ------------------------------------------------------------------------------- */

static pov_code find_poses(pov_transform T[2], const pov_camera *camera, const pov_point_view *view)
{
    enum { START_MAX = 64 };
    pov_vec3 board_m[START_MAX];
    pov_vec2 direction[START_MAX];
    int len = 0, stride = (view->len + START_MAX - 1) / START_MAX;
    for (int i = 0; i < view->len; i += stride) {
        pov_vec3 ray;
        if (pov_camera_unproject(camera, &ray, NULL, view->pixel[i]) != POV_OK || ray.z < 0.05)
            continue;
        board_m[len] = view->board_m[i];
        direction[len++] = (pov_vec2){ray.x / ray.z, ray.y / ray.z};
    }
    pov_point_view start = {len, board_m, direction};
    return len >= 4 && pov_opencv_solve_pose(T, &start).code == POV_OK ? POV_OK : POV_UNDEFINED;
}

static bool pose_step(double step[6], const pov_camera *camera, const pov_transform *T,
                      const pov_point_view *view, double damping)
{
    double information[36] = {0}, gradient[6] = {0};
    for (int i = 0; i < view->len; i++) {
        pov_projection q;
        if (!pov_projection_of(&q, camera, 0, T, view->board_m[i]))
            return false;
        const double residual[2] = {view->pixel[i].x - q.pixel.x, view->pixel[i].y - q.pixel.y};
        pov_normal_add(&(pov_normal){information, gradient, 6}, &q.by_pose[0][0], residual, 2, 1);
    }
    return pov_normal_step(step, information, gradient, 6, damping);
}

/* Descends from a start; false if it cannot see the points. */
static bool refine_pose(pov_transform *T, double *rms_px, const pov_camera *camera,
                        const pov_point_view *view)
{
    double step[6];
    pov_descent d = pov_descent_from(pov_reprojection_cost(camera, T, view), 1e-6, 60);
    for (d.gain_min = 1e-12; pov_descent_continues(&d);) {
        if (!pose_step(step, camera, T, view, d.damping))
            return false;
        const pov_transform moved = pov_transform_plus(*T, step);
        if (pov_descent_accepts(&d, pov_reprojection_cost(camera, &moved, view)))
            *T = moved;
    }
    *rms_px = sqrt(d.cost / view->len);
    return isfinite(d.cost);
}

pov_code pov_camera_resect(pov_transform *T_camera_board, double *rms_px, const pov_camera *camera,
                           const pov_point_view *view)
{
    pov_transform T[2];
    *rms_px = NAN;
    if (find_poses(T, camera, view) != POV_OK)
        return POV_UNDEFINED;
    for (int i = 0; i < 2; i++) {
        double tried_px;
        if (!refine_pose(&T[i], &tried_px, camera, view) || tried_px >= *rms_px)
            continue;
        *rms_px = tried_px;
        *T_camera_board = T[i];
    }
    return isnan(*rms_px) ? POV_UNDEFINED : POV_OK;
}

/* ---- from scratch --------------------------------------------------------------------------------------------------- */

/* RMS over all views with boards placed anew; infinite if one cannot be. */
static double place_boards(pov_transform *T_camera_board, const pov_camera *camera,
                           const pov_point_view *views, int view_count)
{
    double sum = 0;
    int points = 0;
    for (int v = 0; v < view_count; v++) {
        double rms_px;
        if (pov_camera_resect(&T_camera_board[v], &rms_px, camera, &views[v]) != POV_OK)
            return INFINITY;
        sum += rms_px * rms_px * views[v].len;
        points += views[v].len;
    }
    return sqrt(sum / points);
}

static pov_status start_equidistant(pov_camera *camera, pov_transform *T_camera_board,
                                    const pov_point_view *views, int view_count)
{
    const double low_rad = 40 * POV_PI / 180, high_rad = 240 * POV_PI / 180;
    enum { GUESSES = 13 };
    double best_px = INFINITY;
    pov_camera best = *camera;
    camera->cx_px = (camera->width_px - 1) / 2.0;
    camera->cy_px = (camera->height_px - 1) / 2.0;
    for (int i = 0; i < GUESSES; i++) {
        double across_rad = low_rad * pow(high_rad / low_rad, (double)i / (GUESSES - 1));
        camera->fx_px = camera->fy_px = camera->width_px / across_rad;
        double rms_px = place_boards(T_camera_board, camera, views, view_count);
        if (rms_px < best_px) {
            best_px = rms_px;
            best = *camera;
        }
    }
    *camera = best;
    return isfinite(best_px) && isfinite(place_boards(T_camera_board, camera, views, view_count))
               ? pov_ok()
               : pov_status_with(POV_UNDEFINED, "no fisheye lens sees the board so");
}

/* Polynomials fitted to a lens that they do not suit may fold back within the image. */
static pov_status start_brown_conrady(pov_camera *camera, pov_transform *T_camera_board,
                                      const pov_point_view *views, int view_count)
{
    enum { HALVINGS_MAX = 6, STEPS = 8 }; /* our own descent is faster: it eliminates the poses */
    POV_TRY(pov_opencv_calibrate(camera, T_camera_board, views, view_count, STEPS));
    for (int i = 0; i < HALVINGS_MAX && !isfinite(place_boards(T_camera_board, camera, views, view_count));
         i++)
        for (int k = 0; k < POV_DISTORTION_MAX; k++)
            camera->distortion[k] /= 2;
    return pov_ok();
}

pov_status pov_camera_start(pov_camera_fit *fit, pov_transform *T_camera_board, const pov_point_view *views,
                            int view_count)
{
    memset(fit->camera.distortion, 0, sizeof fit->camera.distortion);
    return fit->camera.lens == POV_LENS_EQUIDISTANT
               ? start_equidistant(&fit->camera, T_camera_board, views, view_count)
               : start_brown_conrady(&fit->camera, T_camera_board, views, view_count);
}
