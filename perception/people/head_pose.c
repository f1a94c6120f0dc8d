#include "perception/people/head_pose.h"

#include "perception/geometry/least_squares.h"
#include "perception/geometry/linalg.h"

#include <math.h>
#include <string.h>

/* In millimetres from the middle between the eyes: x to the image's right of a face that looks into the camera, y down, z out of the face.
 * Pupils 63 apart (Dodgson 2004: around 63 on average, the vast majority from 50 to 75). The rest is chosen: mouth 52 wide, from the eyes 72 down,
 * nose 30 before the pupils. Measured by tests/perception/people/test_head_pose.c and on four heads in photographs (docs/STATION.md). */
static const double face_mm[POV_FACE_POINTS][3] = {
    {-31.5, 0, 0}, {31.5, 0, 0}, {0, 42, 30}, {-26, 72, 4}, {26, 72, 4}};
/* How people differ; a mouth that opens moves its corners down. Between 3 and 8 mm: chosen, above the 2 to 4 by which measured widths of eyes
 * and mouths differ, for what a detector takes as the point. */
static const double people_std_mm[POV_FACE_POINTS][3] = {
    {3, 3, 4}, {3, 3, 4}, {4, 4, 5}, {4, 8, 5}, {4, 8, 5}};
static const double detector_std_mm =
    3; /* of points, at the head: chosen, a twentieth of the eyes' distance */

/* Heads that a camera sees turn and nod about so much: deviations, rad; chosen. They decide only where the points do not. */
static const double yaw_prior_rad = 1.2, pitch_prior_rad = 0.4, roll_prior_rad = 0.5;
/* No head: chi-square of the ten coordinates at 99.9 % with six unknowns and three priors, 24.3 of seven. */
static const double misfit_max = 24.3;

enum { SCALE, X, Y, YAW, PITCH, ROLL, STATE, COORDINATES = 2 * POV_FACE_POINTS };

/* Head to image: turned about the vertical, after nodding, before tilting. */
static pov_rot rotation_of(const double state[STATE])
{
    const double cy = cos(state[YAW]), sy = sin(state[YAW]), cp = cos(state[PITCH]), sp = sin(state[PITCH]);
    const double cr = cos(state[ROLL]), sr = sin(state[ROLL]);
    const pov_rot yaw = {{{cy, 0, sy}, {0, 1, 0}, {-sy, 0, cy}}},
                  pitch = {{{1, 0, 0}, {0, cp, sp}, {0, -sp, cp}}},
                  roll = {{{cr, -sr, 0}, {sr, cr, 0}, {0, 0, 1}}};
    return pov_rot_mul(roll, pov_rot_mul(yaw, pitch));
}

static void project(double predicted[COORDINATES], const double state[STATE])
{
    const pov_rot R = rotation_of(state);
    const double scale = exp(state[SCALE]);
    for (int i = 0; i < POV_FACE_POINTS; i++)
        for (int k = 0; k < 2; k++) {
            double at = 0;
            for (int c = 0; c < 3; c++)
                at += R.m[k][c] * face_mm[i][c];
            predicted[2 * i + k] = scale * at + state[X + k];
        }
}

/* Information of a point's two coordinates: how people differ, turned and scaled, and the detector. */
static void weight_of(double weight[2][2], const double state[STATE], int point)
{
    const pov_rot R = rotation_of(state);
    const double scale2 = exp(2 * state[SCALE]);
    double cov[2][2];
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            double sum = i == k ? detector_std_mm * detector_std_mm : 0;
            for (int c = 0; c < 3; c++)
                sum += R.m[i][c] * R.m[k][c] * people_std_mm[point][c] * people_std_mm[point][c];
            cov[i][k] = scale2 * sum;
        }
    const double determinant = cov[0][0] * cov[1][1] - cov[0][1] * cov[1][0];
    weight[0][0] = cov[1][1] / determinant;
    weight[1][1] = cov[0][0] / determinant;
    weight[0][1] = weight[1][0] = -cov[0][1] / determinant;
}

typedef struct {
    double information[STATE][STATE], gradient[STATE], misfit;
} equations;

static void add_priors(equations *e, const double state[STATE])
{
    const double std[STATE] = {[YAW] = yaw_prior_rad, [PITCH] = pitch_prior_rad, [ROLL] = roll_prior_rad};
    for (int k = YAW; k < STATE; k++) {
        const double weight = 1 / (std[k] * std[k]);
        e->information[k][k] += weight;
        e->gradient[k] -= weight * state[k];
        e->misfit += weight * state[k] * state[k];
    }
}

static void set_up(equations *e, const double state[STATE], const double measured[COORDINATES])
{
    static const double step = 1e-6;
    double predicted[COORDINATES], moved[COORDINATES], J[COORDINATES][STATE];
    memset(e, 0, sizeof *e);
    project(predicted, state);
    for (int k = 0; k < STATE; k++) {
        double aside[STATE];
        memcpy(aside, state, sizeof aside);
        aside[k] += step;
        project(moved, aside);
        for (int i = 0; i < COORDINATES; i++)
            J[i][k] = (moved[i] - predicted[i]) / step;
    }
    for (int p = 0; p < POV_FACE_POINTS; p++) {
        double weight[2][2];
        weight_of(weight, state, p);
        for (int i = 0; i < 2; i++)
            for (int k = 0; k < 2; k++) {
                const double w = weight[i][k], off_i = measured[2 * p + i] - predicted[2 * p + i],
                             off_k = measured[2 * p + k] - predicted[2 * p + k];
                e->misfit += w * off_i * off_k;
                for (int a = 0; a < STATE; a++) {
                    e->gradient[a] += J[2 * p + i][a] * w * off_k;
                    for (int b = 0; b < STATE; b++)
                        e->information[a][b] += J[2 * p + i][a] * w * J[2 * p + k][b];
                }
            }
    }
    add_priors(e, state);
}

static double misfit_of(const double state[STATE], const double measured[COORDINATES])
{
    equations e;
    set_up(&e, state, measured);
    return isfinite(e.misfit) ? e.misfit : INFINITY;
}

static void descend(double state[STATE], equations *e, const double measured[COORDINATES])
{
    set_up(e, state, measured);
    for (pov_descent d = pov_descent_from(e->misfit, 1e-2, 60); pov_descent_continues(&d);) {
        double step[STATE], trial[STATE];
        bool moves = pov_normal_step(step, &e->information[0][0], e->gradient, STATE, d.damping);
        for (int k = 0; k < STATE; k++)
            trial[k] = state[k] + (moves ? step[k] : 0);
        if (pov_descent_accepts(&d, moves ? misfit_of(trial, measured) : INFINITY)) {
            memcpy(state, trial, sizeof trial);
            set_up(e, state, measured);
        }
    }
}

/* Sizes and place of the points, for a beginning. False: they are one point, or none. */
static bool begin_at(double state[STATE], const double measured[COORDINATES])
{
    static const double mean_distance_mm = 40; /* of the mean face's points from their middle */
    double distance = 0;
    memset(state, 0, STATE * sizeof *state);
    for (int i = 0; i < COORDINATES; i++)
        state[X + i % 2] += measured[i] / POV_FACE_POINTS;
    for (int i = 0; i < POV_FACE_POINTS; i++)
        distance += hypot(measured[2 * i] - state[X], measured[2 * i + 1] - state[Y]) / POV_FACE_POINTS;
    state[SCALE] = log(distance / mean_distance_mm);
    return isfinite(state[SCALE]);
}

pov_code pov_head_pose_estimate(pov_head_pose *pose, const pov_keypoint points[POV_FACE_POINTS])
{
    static const double beginnings_rad[] = {-1.1, 0, 1.1};
    double measured[COORDINATES], best[STATE], state[STATE], inverse[STATE][STATE];
    equations e, best_equations = {.misfit = INFINITY};
    memset(pose, 0, sizeof *pose);
    for (int i = 0; i < POV_FACE_POINTS; i++) {
        measured[2 * i] = (double)points[i].x_px;
        measured[2 * i + 1] = (double)points[i].y_px;
    }
    for (size_t i = 0; i < sizeof beginnings_rad / sizeof *beginnings_rad; i++) {
        if (!begin_at(state, measured))
            return POV_UNDEFINED;
        state[YAW] = beginnings_rad[i];
        descend(state, &e, measured);
        if (e.misfit < best_equations.misfit) {
            best_equations = e;
            memcpy(best, state, sizeof best);
        }
    }
    if (!(best_equations.misfit < misfit_max) || fabs(best[YAW]) > POV_PI / 2 ||
        !pov_symmetric_inverse(&inverse[0][0], &best_equations.information[0][0], STATE))
        return POV_UNDEFINED;
    const pov_rot R = rotation_of(best);
    pose->yaw_rad = best[YAW];
    pose->pitch_rad = best[PITCH];
    pose->roll_rad = best[ROLL];
    pose->yaw_std_rad = sqrt(inverse[YAW][YAW]);
    pose->mm_px = exp(-best[SCALE]);
    pose->front = (pov_vec3){R.m[0][2], R.m[1][2], -R.m[2][2]};
    return POV_OK;
}
