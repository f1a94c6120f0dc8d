#include "calib/camera/camera_solver.h"

#include "calib/tags/pose_block.h"
#include "perception/geometry/least_squares.h"
#include "perception/geometry/linalg.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* All views share the camera's parameters, then the board's bend. */
enum { N_MAX = POV_CAMERA_PARAMETER_MAX + POV_BOARD_BEND_TERMS };

typedef struct {
    pov_vec2 pixel;
    double by_shared[2][N_MAX];
    double by_pose[2][6]; /* error state of pov_pose: rotation, then position, both in the camera frame */
} pov_projection;

/* ---- the board's bend ---- */

static void find_bend_terms(double terms[POV_BOARD_BEND_TERMS], const pov_board_bend *bend, pov_vec3 board_m)
{
    const double scale = bend->half_m > 0 ? 1 / bend->half_m : 0, u = (board_m.x - bend->middle_m.x) * scale,
                 v = (board_m.y - bend->middle_m.y) * scale;
    terms[0] = u * u;
    terms[1] = v * v;
    terms[2] = u * v;
}

pov_vec3 pov_board_bent(const pov_board_bend *bend, pov_vec3 board_m)
{
    double terms[POV_BOARD_BEND_TERMS];
    find_bend_terms(terms, bend, board_m);
    for (int i = 0; i < POV_BOARD_BEND_TERMS; i++)
        board_m.z += bend->sag_m[i] * terms[i];
    return board_m;
}

/* The board's extent, by what was seen of it. */
static void measure_board(pov_board_bend *bend, const pov_point_view *views, int view_count)
{
    pov_vec2 low = {INFINITY, INFINITY}, high = {-INFINITY, -INFINITY};
    for (int v = 0; v < view_count; v++)
        for (int i = 0; i < views[v].len; i++) {
            const pov_vec3 p = views[v].board_m[i];
            low = (pov_vec2){fmin(low.x, p.x), fmin(low.y, p.y)};
            high = (pov_vec2){fmax(high.x, p.x), fmax(high.y, p.y)};
        }
    *bend = (pov_board_bend){.middle_m = {(low.x + high.x) / 2, (low.y + high.y) / 2},
                             .half_m = fmax(high.x - low.x, high.y - low.y) / 2};
}

/* ---- projection ---- */

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

static void by_intrinsics(pov_projection *q, const pov_camera_fit *fit, pov_vec3 point)
{
    const pov_camera *camera = &fit->camera;
    double d[2][POV_DISTORTION_MAX] = {{0}};
    if (camera->lens == POV_LENS_EQUIDISTANT)
        by_equidistant(d, point);
    else
        by_brown_conrady(d, camera->distortion, point.x / point.z, point.y / point.z);
    memset(q->by_shared, 0, sizeof q->by_shared);
    q->by_shared[0][0] = (q->pixel.x - camera->cx_px) / camera->fx_px;
    q->by_shared[1][1] = (q->pixel.y - camera->cy_px) / camera->fy_px;
    q->by_shared[0][2] = q->by_shared[1][3] = 1;
    for (int i = 0; i < fit->coefficient_len; i++) {
        q->by_shared[0][4 + i] = camera->fx_px * d[0][i];
        q->by_shared[1][4 + i] = camera->fy_px * d[1][i];
    }
}

/* False for a point the lens cannot see. */
static bool projection_of(pov_projection *q, const pov_camera_fit *fit, const pov_transform *T,
                          pov_vec3 board_m)
{
    pov_vec3 arm = pov_rot_apply(T->R, pov_board_bent(&fit->bend, board_m)),
             point = pov_vec3_add(arm, T->t_m);
    double by_point[2][3], terms[POV_BOARD_BEND_TERMS];
    if (pov_camera_project(&fit->camera, &q->pixel, by_point, point) != POV_OK)
        return false;
    by_intrinsics(q, fit, point);
    find_bend_terms(terms, &fit->bend, board_m);
    for (int row = 0; row < 2; row++) {
        const double *g = by_point[row];
        /* d point / d rotation = -[arm]x, so the row is arm x g */
        pov_vec3 turn = pov_vec3_cross(arm, (pov_vec3){g[0], g[1], g[2]});
        const double by_pose[6] = {turn.x, turn.y, turn.z, g[0], g[1], g[2]};
        memcpy(q->by_pose[row], by_pose, sizeof by_pose);
        const double by_z = pov_vec3_dot(pov_rot_column(&T->R, 2), (pov_vec3){g[0], g[1], g[2]});
        for (int k = 0; k < POV_BOARD_BEND_TERMS; k++)
            q->by_shared[row][4 + fit->coefficient_len + k] = by_z * terms[k];
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

static bool pose_step(double step[6], const pov_camera_fit *fit, const pov_transform *T,
                      const pov_point_view *view, double damping)
{
    double information[36] = {0}, gradient[6] = {0};
    for (int i = 0; i < view->len; i++) {
        pov_projection q;
        if (!projection_of(&q, fit, T, view->board_m[i]))
            return false;
        const double residual[2] = {view->pixel[i].x - q.pixel.x, view->pixel[i].y - q.pixel.y};
        pov_normal_add(&(pov_normal){information, gradient, 6}, &q.by_pose[0][0], residual, 2, 1);
    }
    return pov_normal_step(step, information, gradient, 6, damping);
}

/* Sum of squared distances; infinite if a point cannot be seen. */
static double reprojection_cost(const pov_camera_fit *fit, const pov_transform *T, const pov_point_view *view)
{
    double cost = 0;
    for (int i = 0; i < view->len; i++) {
        pov_vec2 pixel;
        const pov_vec3 bent_m = pov_board_bent(&fit->bend, view->board_m[i]);
        if (pov_camera_project(&fit->camera, &pixel, NULL, pov_transform_apply(*T, bent_m)) != POV_OK)
            return INFINITY;
        double dx = view->pixel[i].x - pixel.x, dy = view->pixel[i].y - pixel.y;
        cost += dx * dx + dy * dy;
    }
    return cost;
}

/* Descends from a start; false if it cannot see the points. */
static bool refine_pose(pov_transform *T, double *rms_px, const pov_camera_fit *fit,
                        const pov_point_view *view)
{
    double step[6];
    pov_descent d = pov_descent_from(reprojection_cost(fit, T, view), 1e-6, 60);
    for (d.gain_min = 1e-12; pov_descent_continues(&d);) {
        if (!pose_step(step, fit, T, view, d.damping))
            return false;
        const pov_transform moved = pov_transform_plus(*T, step);
        if (pov_descent_accepts(&d, reprojection_cost(fit, &moved, view)))
            *T = moved;
    }
    *rms_px = sqrt(d.cost / view->len);
    return isfinite(d.cost);
}

pov_code pov_camera_resect(pov_transform *T_camera_board, double *rms_px, const pov_camera_fit *fit,
                           const pov_point_view *view)
{
    pov_transform T[2];
    *rms_px = NAN;
    if (find_poses(T, &fit->camera, view) != POV_OK)
        return POV_UNDEFINED;
    for (int i = 0; i < 2; i++) {
        double tried_px;
        if (!refine_pose(&T[i], &tried_px, fit, view) || tried_px >= *rms_px)
            continue;
        *rms_px = tried_px;
        *T_camera_board = T[i];
    }
    return isnan(*rms_px) ? POV_UNDEFINED : POV_OK;
}

/* ---- from scratch --------------------------------------------------------------------------------------------------- */

/* RMS over all views with boards placed again; infinite if one cannot be. */
static double place_boards(pov_transform *T_camera_board, const pov_camera_fit *fit,
                           const pov_point_view *views, int view_count)
{
    double sum = 0;
    int points = 0;
    for (int v = 0; v < view_count; v++) {
        double rms_px;
        if (pov_camera_resect(&T_camera_board[v], &rms_px, fit, &views[v]) != POV_OK)
            return INFINITY;
        sum += rms_px * rms_px * views[v].len;
        points += views[v].len;
    }
    return sqrt(sum / points);
}

static pov_status start_equidistant(pov_camera_fit *fit, pov_transform *T_camera_board,
                                    const pov_point_view *views, int view_count)
{
    pov_camera *camera = &fit->camera;
    const double low_rad = 40 * POV_PI / 180, high_rad = 240 * POV_PI / 180;
    enum { GUESSES = 13 };
    double best_px = INFINITY;
    pov_camera best = *camera;
    camera->cx_px = (camera->width_px - 1) / 2.0;
    camera->cy_px = (camera->height_px - 1) / 2.0;
    for (int i = 0; i < GUESSES; i++) {
        double across_rad = low_rad * pow(high_rad / low_rad, (double)i / (GUESSES - 1));
        camera->fx_px = camera->fy_px = camera->width_px / across_rad;
        double rms_px = place_boards(T_camera_board, fit, views, view_count);
        if (rms_px < best_px) {
            best_px = rms_px;
            best = *camera;
        }
    }
    *camera = best;
    return isfinite(best_px) && isfinite(place_boards(T_camera_board, fit, views, view_count))
               ? pov_ok()
               : pov_status_with(POV_UNDEFINED, "no fisheye lens sees the board so");
}

/* Polynomials fitted to a lens that they do not suit may fold back within the image. */
static pov_status start_brown_conrady(pov_camera_fit *fit, pov_transform *T_camera_board,
                                      const pov_point_view *views, int view_count)
{
    enum { HALVINGS_MAX = 6, STEPS = 8 }; /* our own descent is faster: it eliminates the poses */
    POV_TRY(pov_opencv_calibrate(&fit->camera, T_camera_board, views, view_count, STEPS));
    for (int i = 0; i < HALVINGS_MAX && !isfinite(place_boards(T_camera_board, fit, views, view_count)); i++)
        for (int k = 0; k < POV_DISTORTION_MAX; k++)
            fit->camera.distortion[k] /= 2;
    return pov_ok();
}

/* A start from scratch. In: fit's lens, size, coefficient_len. Out: the rest of fit->camera, T_camera_board.
 *  Method:  Brown-Conrady: cv::calibrateCamera. Equidistant: of focal lengths that see the image's width under 40 to 240
 *           degrees, that which fits best, since cv::fisheye::calibrate's own start fails on many wide lenses. */
static pov_status camera_start(pov_camera_fit *fit, pov_transform *T_camera_board,
                               const pov_point_view *views, int view_count)
{
    memset(fit->camera.distortion, 0, sizeof fit->camera.distortion);
    measure_board(&fit->bend, views, view_count);
    return fit->camera.lens == POV_LENS_EQUIDISTANT
               ? start_equidistant(fit, T_camera_board, views, view_count)
               : start_brown_conrady(fit, T_camera_board, views, view_count);
}

enum { P = POV_CAMERA_PARAMETER_MAX, TRIAL_MAX = 400, RATIONAL_FIRST = 9 };

/* Noise of a corner; prior deviation of a high distortion term, which few views determine; and of the board's sag, as a share of
 * half its side: paper on cardboard. Chosen. */
static const double TYPICAL_NOISE_PX = 0.3, PRIOR_STD = 0.3, SAG_STD = 0.02;

static const double DAMPING_START = 1e-4,
                    GAIN_MIN = 1e-9; /* shares of the diagonal and of the cost: chosen */

static const int every_parameter[N_MAX] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
static_assert(N_MAX == 15, "every parameter is listed");

/* One view's share of the normal equations. */
typedef struct {
    pov_pose_block equations;
    double A[N_MAX * N_MAX], gradient[N_MAX]; /* of what is shared */
    double cross[N_MAX * 6], cross_solved[N_MAX * 6];
} view_block;

struct pov_camera_solver {
    int view_max, view_count;
    int parameter_len; /* of what is shared: the camera's, then the board's bend */
    double A[N_MAX * N_MAX], gradient[N_MAX];
    double S[N_MAX * N_MAX], inverse[N_MAX * N_MAX]; /* the Schur complement */
    double covariance[N_MAX * N_MAX];                /* at the end */
    double pose_variance_px2; /* at the end: of a corner's error as far as it moves poses */
    view_block *blocks;
    pov_transform *trial;
    double prior_weight[N_MAX]; /* the noise's variance over the prior's */
};

pov_camera_solver *pov_camera_solver_new(int view_max)
{
    pov_camera_solver *made = pov_allocate(1, sizeof *made);
    made->view_max = view_max;
    made->blocks = pov_allocate((size_t)view_max, sizeof *made->blocks);
    made->trial = pov_allocate((size_t)view_max, sizeof *made->trial);
    return made;
}

void pov_camera_solver_destroy(pov_camera_solver **solver)
{
    if (!*solver)
        return;
    free((*solver)->blocks);
    free((*solver)->trial);
    free(*solver);
    *solver = NULL;
}

/* Upper triangles only; mirror() completes them. */
static void add_point(view_block *view, const pov_projection *q, const double residual[2], int n)
{
    pov_pose_block *block = &view->equations;
    for (int row = 0; row < 2; row++) {
        const double *a = q->by_shared[row], *b = q->by_pose[row];
        for (int i = 0; i < n; i++) {
            if (a[i] == 0)
                continue;
            view->gradient[i] += a[i] * residual[row];
            for (int j = i; j < n; j++)
                view->A[i * n + j] += a[i] * a[j];
            for (int j = 0; j < 6; j++)
                block->cross[i * 6 + j] += a[i] * b[j];
        }
        for (int i = 0; i < 6; i++) {
            block->gradient[i] += b[i] * residual[row];
            for (int j = i; j < 6; j++)
                block->own[i * 6 + j] += b[i] * b[j];
        }
    }
}

static void mirror(double *A, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            A[i * n + j] = A[j * n + i];
}

/* Parameter i of what is shared. */
static double shared_parameter(const pov_camera_fit *fit, int i)
{
    const int bend = i - 4 - fit->coefficient_len;
    return bend < 0 ? pov_camera_parameter(&fit->camera, i) : fit->bend.sag_m[bend];
}

/* False if a point cannot be seen. */
static bool build_view(view_block *view, const pov_camera_fit *fit, const pov_transform *T,
                       const pov_point_view *points)
{
    const int n = 4 + fit->coefficient_len + POV_BOARD_BEND_TERMS;
    memset(view, 0, sizeof *view);
    view->equations = (pov_pose_block){.size = 6,
                                       .len = n,
                                       .unknown = every_parameter,
                                       .cross = view->cross,
                                       .cross_solved = view->cross_solved};
    for (int i = 0; i < points->len; i++) {
        pov_projection q;
        if (!projection_of(&q, fit, T, points->board_m[i]))
            return false;
        const double residual[2] = {points->pixel[i].x - q.pixel.x, points->pixel[i].y - q.pixel.y};
        add_point(view, &q, residual, n);
    }
    mirror(view->equations.own, 6);
    mirror(view->A, n);
    return true;
}

/* Normal equations of all views; false if a point cannot be seen. */
static bool build(pov_camera_solver *s, const pov_camera_fit *fit, const pov_transform *T,
                  const pov_point_view *views)
{
    const int n = s->parameter_len;
    memset(s->A, 0, sizeof s->A);
    memset(s->gradient, 0, sizeof s->gradient);
    for (int v = 0; v < s->view_count; v++) {
        if (!build_view(&s->blocks[v], fit, &T[v], &views[v]))
            return false;
        for (int i = 0; i < n * n; i++)
            s->A[i] += s->blocks[v].A[i];
        for (int i = 0; i < n; i++)
            s->gradient[i] += s->blocks[v].gradient[i];
    }
    for (int i = 0; i < n; i++) {
        s->A[i * n + i] += s->prior_weight[i];
        s->gradient[i] -= s->prior_weight[i] * shared_parameter(fit, i);
    }
    return true;
}

static double cost_of(const pov_camera_solver *s, const pov_camera_fit *fit, const pov_transform *T,
                      const pov_point_view *views)
{
    double cost = 0;
    for (int v = 0; v < s->view_count; v++)
        cost += reprojection_cost(fit, &T[v], &views[v]);
    for (int i = 0; i < s->parameter_len; i++)
        cost += s->prior_weight[i] * pow(shared_parameter(fit, i), 2);
    return cost;
}

/* Inverse of S, parameters scaled to unit diagonal first: focal lengths and coefficients differ by orders. */
static bool invert_scaled(double *inverse, const double *S, int n)
{
    double scale[N_MAX], scaled[N_MAX * N_MAX] = {0};
    for (int i = 0; i < n; i++) {
        if (!(S[i * n + i] > 0))
            return false;
        scale[i] = 1 / sqrt(S[i * n + i]);
    }
    for (int i = 0; i < n * n; i++)
        scaled[i] = 0.5 * (S[i] + S[i % n * n + i / n]) * scale[i / n] * scale[i % n];
    if (!pov_cholesky(scaled, scaled, n))
        return false;
    for (int row = 0; row < n; row++) {
        double unit[N_MAX] = {0};
        unit[row] = scale[row];
        pov_cholesky_solve(unit, scaled, unit, n);
        for (int i = 0; i < n; i++)
            inverse[row * n + i] = unit[i] * scale[i];
    }
    return true;
}

/* Step of what is shared; leaves the Schur complement, its inverse and each view's factor behind. */
static bool solve_step(pov_camera_solver *s, double step[N_MAX], double damping)
{
    int n = s->parameter_len;
    double right[N_MAX];
    memcpy(s->S, s->A, sizeof s->S);
    memcpy(right, s->gradient, sizeof right);
    for (int i = 0; i < n; i++)
        s->S[i * n + i] *= 1 + damping;
    for (int v = 0; v < s->view_count; v++)
        if (!pov_pose_block_eliminate(&s->blocks[v].equations, s->S, right, n, damping))
            return false;
    if (!invert_scaled(s->inverse, s->S, n))
        return false;
    for (int i = 0; i < n; i++) {
        step[i] = 0;
        for (int j = 0; j < n; j++)
            step[i] += s->inverse[i * n + j] * right[j];
    }
    return true;
}

static void take_step(pov_camera_fit *fit, const double *step)
{
    pov_camera *camera = &fit->camera;
    double *first[] = {&camera->fx_px, &camera->fy_px, &camera->cx_px, &camera->cy_px};
    for (int i = 0; i < 4 + fit->coefficient_len; i++)
        *(i < 4 ? first[i] : &camera->distortion[i - 4]) += step[i];
    for (int i = 0; i < POV_BOARD_BEND_TERMS; i++)
        fit->bend.sag_m[i] += step[4 + fit->coefficient_len + i];
}

/* The cost after a damped step, which s->trial and `moved` then hold; infinite if there is no such step. */
static double try_step(pov_camera_solver *s, pov_camera_fit *moved, const pov_transform *T,
                       const pov_point_view *views, double damping)
{
    double step[N_MAX];
    if (!solve_step(s, step, damping))
        return INFINITY;
    take_step(moved, step);
    for (int v = 0; v < s->view_count; v++) {
        double pose_step[6];
        pov_pose_block_step(pose_step, &s->blocks[v].equations, step);
        s->trial[v] = pov_transform_plus(T[v], pose_step);
    }
    return moved->camera.fx_px > 0 && moved->camera.fy_px > 0 ? cost_of(s, moved, s->trial, views) : INFINITY;
}

static pov_status cannot_tell(void)
{
    return pov_status_with(POV_UNDEFINED,
                           "the views do not determine the camera's parameters: show the board larger, "
                           "tilted, and in every part of the image");
}

/* ---- what the scatter of images says ---- */

/* A view's information on what is shared, its pose eliminated. */
static void reduce_view(double information[N_MAX * N_MAX], const view_block *view, int n)
{
    memcpy(information, view->A, sizeof view->A);
    for (int i = 0; i < n * n; i++)
        for (int k = 0; k < 6; k++)
            information[i] -= view->cross_solved[i / n * 6 + k] * view->cross[i % n * 6 + k];
}

/* Solves L^T x = b. */
static void solve_upper(double *x, const double *L, const double *b, int n)
{
    for (int i = n - 1; i >= 0; i--) {
        double sum = b[i];
        for (int k = i + 1; k < n; k++)
            sum -= L[k * n + i] * x[k];
        x[i] = sum / L[i * n + i];
    }
}

static void solve_lower(double *x, const double *L, const double *b, int n)
{
    for (int i = 0; i < n; i++) {
        double sum = b[i];
        for (int k = 0; k < i; k++)
            sum -= L[i * n + k] * x[k];
        x[i] = sum / L[i * n + i];
    }
}

/* L^-1 A L^-T */
static void whiten(double *white, const double *L, const double *A, int n)
{
    double half[N_MAX * N_MAX];
    for (int i = 0; i < n; i++)
        solve_lower(&half[i * n], L, &A[i * n], n); /* rows of A are its columns */
    for (int i = 0; i < n; i++) {
        double column[N_MAX];
        for (int k = 0; k < n; k++)
            column[k] = half[k * n + i];
        solve_lower(&white[i * n], L, column, n);
    }
}

/* How far a view moves the fit, whitened by S = L L^T. The fit follows each view, which lessens its residuals; by 1 - w
 * where the view has a share of w in all that is known. */
static void find_pull(double pull[N_MAX], const double *L, const view_block *view, int n)
{
    const double left_min = 0.01; /* beyond, a view alone determines something, and nothing contradicts it */
    double information[N_MAX * N_MAX], white[N_MAX * N_MAX], share[N_MAX], axes[N_MAX * N_MAX], z[N_MAX];
    reduce_view(information, view, n);
    whiten(white, L, information, n);
    pov_symmetric_eigen(share, axes, white, n);
    solve_lower(z, L, view->gradient, n);
    memset(pull, 0, N_MAX * sizeof *pull);
    for (int k = 0; k < n; k++) {
        double along = 0;
        for (int i = 0; i < n; i++)
            along += axes[i * n + k] * z[i];
        along /= sqrt(fmax(1 - share[k], left_min));
        for (int i = 0; i < n; i++)
            pull[i] += axes[i * n + k] * along;
    }
}

/* Corners of one image err together: a board bends as it is held, squares are printed unevenly, and edges run. So the covariance
 * is what the images' scatter says: the sandwich of Liang & Zeger 1986, with the correction for few images of
 * Bell & McCaffrey 2002. That of a few images is not a covariance yet. It is averaged with the residuals' own, widened as a
 * whole as far as images scatter, in the manner of Ledoit & Wolf 2004: `parameter_len` images weigh as much. Chosen; coverage:
 * tests/calib/camera/test_camera_solver.c. */
static bool find_covariance(pov_camera_solver *s, double noise_px)
{
    const int n = s->parameter_len, views = s->view_count;
    double L[N_MAX * N_MAX], pull[N_MAX], moved[N_MAX], scatter[N_MAX * N_MAX] = {0}, widening = 0;
    if (!pov_cholesky(L, s->S, n))
        return false;
    for (int v = 0; v < views; v++) {
        find_pull(pull, L, &s->blocks[v], n);
        solve_upper(moved, L, pull, n);
        for (int i = 0; i < n * n; i++)
            scatter[i] += moved[i / n] * moved[i % n];
        for (int i = 0; i < n; i++)
            widening += pull[i] * pull[i] / (n * noise_px * noise_px);
    }
    const double student =
        pow(1 + 1.28 / (views - 1), 2); /* so that two deviations hold 95 %, as of a normal error */
    s->pose_variance_px2 = student * noise_px * noise_px * fmax(1, widening);
    for (int i = 0; i < n * n; i++)
        s->covariance[i] =
            (n * s->pose_variance_px2 * s->inverse[i] + views * student * scatter[i]) / (n + views);
    return true;
}

static pov_status finish(pov_camera_solver *s, pov_camera_fit *fit, const pov_transform *T,
                         const pov_point_view *views)
{
    double step[N_MAX], cost = 0;
    int n = s->parameter_len, freedom = 2 * fit->point_len - n - 6 * s->view_count;
    if (freedom <= 0 || !solve_step(s, step, 0))
        return cannot_tell();
    for (int v = 0; v < s->view_count; v++)
        cost += reprojection_cost(fit, &T[v], &views[v]);
    fit->rms_px = sqrt(cost / fit->point_len);
    fit->noise_px = sqrt(cost / freedom);
    if (!find_covariance(s, fit->noise_px))
        return cannot_tell();
    memset(fit->covariance, 0, sizeof fit->covariance);
    for (int i = 0; i < 4 + fit->coefficient_len; i++)
        for (int j = 0; j < 4 + fit->coefficient_len; j++)
            fit->covariance[i][j] = s->covariance[i * n + j];
    return pov_ok();
}

static void set_priors(pov_camera_solver *s, const pov_camera_fit *fit)
{
    const double sag_std_m = SAG_STD * fit->bend.half_m;
    const int camera = 4 + fit->coefficient_len;
    for (int i = 0; i < s->parameter_len; i++)
        s->prior_weight[i] = i >= camera           ? pow(TYPICAL_NOISE_PX / sag_std_m, 2)
                             : i >= RATIONAL_FIRST ? pow(TYPICAL_NOISE_PX / PRIOR_STD, 2)
                                                   : 0;
}

pov_status pov_camera_solver_refine(pov_camera_solver *solver, pov_camera_fit *fit,
                                    pov_transform *T_camera_board, const pov_point_view *views,
                                    int view_count)
{
    POV_REQUIRE(view_count >= 0 && view_count <= solver->view_max);
    solver->view_count = view_count;
    solver->parameter_len = 4 + fit->coefficient_len + POV_BOARD_BEND_TERMS;
    if (!(fit->bend.half_m > 0))
        measure_board(&fit->bend, views, view_count);
    set_priors(solver, fit);
    fit->point_len = 0;
    for (int v = 0; v < view_count; v++)
        fit->point_len += views[v].len;
    const double cost = cost_of(solver, fit, T_camera_board, views);
    if (!isfinite(cost) || !build(solver, fit, T_camera_board, views))
        return cannot_tell();
    pov_descent d = pov_descent_from(cost, DAMPING_START, TRIAL_MAX);
    for (d.gain_min = GAIN_MIN; pov_descent_continues(&d);) {
        pov_camera_fit moved = *fit;
        if (!pov_descent_accepts(&d, try_step(solver, &moved, T_camera_board, views, d.damping)))
            continue;
        *fit = moved;
        memcpy(T_camera_board, solver->trial, (size_t)view_count * sizeof *T_camera_board);
        if (!build(solver, fit, T_camera_board, views))
            return cannot_tell();
    }
    return finish(solver, fit, T_camera_board, views);
}

/* A flat board has two poses that fit nearly alike: by a crude camera the wrong one may have fitted better. */
static bool turn_boards(pov_transform *T_camera_board, const pov_camera_fit *fit, const pov_point_view *views,
                        int view_count)
{
    bool turned = false;
    for (int v = 0; v < view_count; v++) {
        pov_transform T;
        double rms_px, now_px = sqrt(reprojection_cost(fit, &T_camera_board[v], &views[v]) / views[v].len);
        if (pov_camera_resect(&T, &rms_px, fit, &views[v]) != POV_OK || !(rms_px < 0.9 * now_px))
            continue;
        T_camera_board[v] = T;
        turned = true;
    }
    return turned;
}

pov_status pov_camera_solver_run(pov_camera_solver *solver, pov_camera_fit *fit,
                                 pov_transform *T_camera_board, const pov_point_view *views, int view_count)
{
    enum { ROUND_MAX = 8 };
    POV_TRY(camera_start(fit, T_camera_board, views, view_count));
    for (int i = 0; i < ROUND_MAX; i++) {
        POV_TRY(pov_camera_solver_refine(solver, fit, T_camera_board, views, view_count));
        if (!turn_boards(T_camera_board, fit, views, view_count))
            break;
    }
    return pov_ok();
}

/* ---- how far off a projected point may be --------------------------------------------------------------------------- */

/* d(pixel) by what is shared, less what the poses make up for; adds what each pose's own error does. */
static void spread_of_view(const pov_camera_solver *s, double covariance[2][2], double by_shared[2][N_MAX],
                           int v, double by_pose[2][6])
{
    const view_block *block = &s->blocks[v];
    double solved[2][6];
    for (int row = 0; row < 2; row++) {
        pov_cholesky_solve(solved[row], block->equations.factor, by_pose[row], 6);
        for (int i = 0; i < s->parameter_len; i++)
            for (int k = 0; k < 6; k++)
                by_shared[row][i] -= block->cross[i * 6 + k] * solved[row][k];
    }
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++)
            for (int k = 0; k < 6; k++)
                covariance[a][b] += s->pose_variance_px2 * by_pose[a][k] * solved[b][k];
}

pov_code pov_camera_solver_spread(const pov_camera_solver *solver, double covariance_px2[2][2],
                                  const pov_camera_fit *fit, const pov_transform *T_camera_board,
                                  pov_vec2 pixel, double distance_m)
{
    pov_vec3 direction;
    double by_shared[2][N_MAX] = {{0}};
    for (int i = 0; i < 4; i++)
        covariance_px2[i / 2][i % 2] = NAN;
    if (pov_camera_unproject(&fit->camera, &direction, NULL, pixel) != POV_OK)
        return POV_UNDEFINED;
    double covariance[2][2] = {{0}};
    pov_vec3 point = pov_vec3_scale(direction, distance_m);
    pov_camera_fit flat = *fit; /* the point is in no board that bends */
    flat.bend = (pov_board_bend){0};
    for (int v = 0; v < solver->view_count; v++) {
        pov_projection q;
        pov_vec3 on_board = pov_transform_apply(pov_transform_inverse(T_camera_board[v]), point);
        if (!projection_of(&q, &flat, &T_camera_board[v], on_board))
            return POV_UNDEFINED;
        for (int k = 0; k < 12; k++) /* the mean over views */
            q.by_pose[k / 6][k % 6] /= solver->view_count;
        if (v == 0)
            memcpy(by_shared, q.by_shared, sizeof by_shared);
        spread_of_view(solver, covariance, by_shared, v, q.by_pose);
    }
    int n = solver->parameter_len;
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) {
            for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++)
                    covariance[a][b] += by_shared[a][i] * solver->covariance[i * n + j] * by_shared[b][j];
            covariance_px2[a][b] = covariance[a][b];
        }
    return POV_OK;
}
