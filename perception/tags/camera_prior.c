#include "perception/tags/camera_prior.h"

#include "perception/geometry/linalg.h"

#include <math.h>
#include <string.h>

enum { STEP_MAX = 12, MEASUREMENT_MAX = 3 };

/* Seven standard deviations: the tilt of far tags has outliers. */
static const double REACH2 = 49;
static const double ALTERNATIVE_PROBABILITY_MIN = 1e-3;
static const double LEVEL_MIN =
    1e-3; /* cosine of the pitch: straight up or down, its derivative has no end */

typedef struct {
    double off, std; /* prior less pose */
    double H[6];     /* derivative of the pose's number */
} measurement;

double pov_camera_pitch_rad(const pov_transform *T_table_camera)
{
    return asin(fmax(-1, fmin(1, T_table_camera->R.m[2][2])));
}

double pov_camera_roll_rad(const pov_transform *T_table_camera)
{
    return atan2(T_table_camera->R.m[2][0], -T_table_camera->R.m[2][1]);
}

static measurement measure_pitch(const pov_transform *T, const pov_camera_prior *prior)
{
    const double level = fmax(LEVEL_MIN, hypot(T->R.m[0][2], T->R.m[1][2]));
    return (measurement){prior->pitch_rad - pov_camera_pitch_rad(T),
                         prior->pitch_std_rad,
                         {T->R.m[1][2] / level, -T->R.m[0][2] / level}};
}

/* A turn w of the camera in the table frame changes R[2][j] by w.x R[1][j] - w.y R[0][j]. */
static measurement measure_roll(const pov_transform *T, const pov_camera_prior *prior)
{
    const double right = T->R.m[2][0], up = -T->R.m[2][1];
    const double level2 = fmax(LEVEL_MIN * LEVEL_MIN, right * right + up * up);
    return (measurement){pov_angle_wrap(prior->roll_rad - pov_camera_roll_rad(T)),
                         prior->roll_std_rad,
                         {(up * T->R.m[1][0] + right * T->R.m[1][1]) / level2,
                          -(up * T->R.m[0][0] + right * T->R.m[0][1]) / level2}};
}

static int measure_prior(measurement list[MEASUREMENT_MAX], const pov_camera_prior *prior,
                         const pov_transform *T)
{
    int len = 0;
    if (prior->has_height)
        list[len++] = (measurement){prior->height_m - T->t_m.z, prior->height_std_m, {0, 0, 0, 0, 0, 1}};
    if (prior->has_pitch)
        list[len++] = measure_pitch(T, prior);
    if (prior->has_roll)
        list[len++] = measure_roll(T, prior);
    return len;
}

static double log_determinant(const double *L)
{
    double sum = 0;
    for (int i = 0; i < 6; i++)
        sum += 2 * log(L[i * 7]);
    return sum;
}

/* Adds a Gaussian about `mean` to the equations of T. Returns its cost there. */
static double add_gaussian(double information[36], double gradient[6], const double own[36],
                           const pov_transform *mean, const pov_transform *T)
{
    double difference[6], cost = 0;
    pov_transform_minus(difference, *mean, *T);
    for (int i = 0; i < 6; i++) {
        double pull = 0;
        for (int j = 0; j < 6; j++) {
            pull += own[i * 6 + j] * difference[j];
            information[i * 6 + j] += own[i * 6 + j];
        }
        gradient[i] += pull;
        cost += pull * difference[i];
    }
    return cost;
}

/* What stays the same at each T: the information of the pose as estimated, and of the prior's, if it has one. */
typedef struct {
    pov_transform estimated;
    double own[36], prior[36];
} known;

/* Normal equations of the pose as estimated and the prior, at T. Returns the cost there. */
static double build_equations(double information[36], double gradient[6], const pov_camera_prior *prior,
                              const pov_transform *T, const known *of)
{
    measurement list[MEASUREMENT_MAX];
    int len = measure_prior(list, prior, T);
    memset(information, 0, 36 * sizeof *information);
    memset(gradient, 0, 6 * sizeof *gradient);
    double cost = add_gaussian(information, gradient, of->own, &of->estimated, T);
    if (prior->has_pose)
        cost += add_gaussian(information, gradient, of->prior, &prior->T_table_camera.T, T);
    for (int k = 0; k < len; k++) {
        const double weight = 1 / (list[k].std * list[k].std);
        cost += weight * list[k].off * list[k].off;
        for (int i = 0; i < 36; i++)
            information[i] += weight * list[k].H[i / 6] * list[k].H[i % 6];
        for (int i = 0; i < 6; i++)
            gradient[i] += weight * list[k].H[i] * list[k].off;
    }
    return cost;
}

/* The pose drawn to the prior. Out: what it costs at best, and -2 log of its evidence. False if the pose has no covariance. */
static bool apply_prior(pov_pose *pose, double *cost, double *evidence, const pov_camera_prior *prior)
{
    double information[36], gradient[6], L[36];
    known of = {.estimated = pose->T};
    if (!pov_symmetric_inverse(of.own, &pose->cov[0][0], 6) || !pov_cholesky(L, of.own, 6) ||
        (prior->has_pose && !pov_symmetric_inverse(of.prior, &prior->T_table_camera.cov[0][0], 6)))
        return false;
    const double before = log_determinant(L);
    for (int i = 0; i <= STEP_MAX; i++) {
        *cost = build_equations(information, gradient, prior, &pose->T, &of);
        if (!pov_cholesky(L, information, 6))
            return false;
        pov_cholesky_solve(gradient, L, gradient, 6);
        if (i < STEP_MAX)
            pose->T = pov_transform_plus(pose->T, gradient);
    }
    *evidence = *cost + log_determinant(L) - before;
    return pov_symmetric_inverse(&pose->cov[0][0], information, 6);
}

static void swap_poses(pov_camera_pose *pose)
{
    const pov_camera_pose old = *pose;
    pose->T_table_camera = old.alternative_T_table_camera;
    pose->used_len = old.alternative_used_len;
    pose->rms_px = old.alternative_rms_px;
    memcpy(pose->outcome, old.alternative_outcome, sizeof pose->outcome);
    pose->alternative_T_table_camera = old.T_table_camera;
    pose->alternative_used_len = old.used_len;
    pose->alternative_rms_px = old.rms_px;
    memcpy(pose->alternative_outcome, old.outcome, sizeof pose->outcome);
    pose->probability = 1 - old.probability;
}

bool pov_camera_prior_apply(pov_camera_pose *pose, const pov_camera_prior *prior)
{
    pov_pose first = pose->T_table_camera, second = pose->alternative_T_table_camera;
    double cost[2] = {INFINITY, INFINITY}, evidence[2];
    if (!(prior->has_height || prior->has_pitch || prior->has_roll || prior->has_pose) ||
        !apply_prior(&first, &cost[0], &evidence[0], prior))
        return true;
    const bool two = pose->has_alternative && apply_prior(&second, &cost[1], &evidence[1], prior);
    if (fmin(cost[0], cost[1]) > REACH2)
        return false;
    pose->T_table_camera = first;
    if (!two)
        return true;
    pose->alternative_T_table_camera = second;
    const double odds =
        exp(fmin(700, 0.5 * (evidence[1] - evidence[0]))) * pose->probability / (1 - pose->probability);
    pose->probability = odds / (1 + odds);
    if (pose->probability < 0.5)
        swap_poses(pose);
    pose->has_alternative = 1 - pose->probability >= ALTERNATIVE_PROBABILITY_MIN;
    return true;
}
