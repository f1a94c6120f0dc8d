#include "perception/tags/tag_fit.h"

#include "perception/geometry/least_squares.h"
#include "perception/geometry/linalg.h"

#include <math.h>
#include <string.h>

enum { ROW_COUNT = POV_TAG_ROWS, STATE_COUNT = 6, TRIAL_MAX = 50, ROUND_COUNT = 2 };

static const double STEP2_MIN = 1e-12; /* squared step in standard deviations at which to stop */

typedef struct {
    double information[STATE_COUNT * STATE_COUNT], gradient[STATE_COUNT], cost;
} normal_equations;

/** Cholesky factor of the covariance of a tag's corners. */
typedef struct {
    double factor[ROW_COUNT * ROW_COUNT];
} whitening;

/** The corner at p = R_tag c + t_tag is seen at R^T (p - t); both rotations are perturbed from the left. */
static bool predict_corner(pov_tag_prediction *out, int i, const pov_camera *camera,
                           pov_transform T_table_camera, const pov_tag_sighting *sighting)
{
    const pov_tag_map_entry *entry = sighting->entry;
    pov_rot R_camera_table = pov_rot_transpose(T_table_camera.R);
    pov_vec3 arm = pov_rot_apply(entry->T_table_tag.T.R, pov_tag_corner(entry->edge_m, i));
    pov_vec3 sight = pov_vec3_sub(pov_vec3_add(arm, entry->T_table_tag.T.t_m), T_table_camera.t_m);
    pov_vec2 pixel, seen = sighting->tag->corner_px[i];
    double J[2][3];

    if (pov_camera_project(camera, &pixel, J, pov_rot_apply(R_camera_table, sight)) != POV_OK)
        return false;
    out->residual_px[2 * i] = seen.x - pixel.x;
    out->residual_px[2 * i + 1] = seen.y - pixel.y;
    for (int k = 0; k < 2; k++) {
        pov_vec3 row = pov_rot_apply(T_table_camera.R, (pov_vec3){J[k][0], J[k][1], J[k][2]});
        pov_pose_row(out->per_camera[2 * i + k], pov_vec3_cross(row, sight), pov_vec3_scale(row, -1));
        pov_pose_row(out->per_tag[2 * i + k], pov_vec3_cross(arm, row), row);
    }
    return true;
}

bool pov_tag_predict(pov_tag_prediction *out, const pov_camera *camera, pov_transform T_table_camera,
                     const pov_tag_sighting *sighting)
{
    const pov_transform *T_table_tag = &sighting->entry->T_table_tag.T;
    pov_vec3 face = pov_rot_apply(T_table_tag->R, (pov_vec3){0, 0, 1});

    if (!(pov_vec3_dot(face, pov_vec3_sub(T_table_camera.t_m, T_table_tag->t_m)) > 0))
        return false;
    for (int i = 0; i < 4; i++) {
        if (!predict_corner(out, i, camera, T_table_camera, sighting))
            return false;
    }
    return true;
}

/** Factor of sigma^2 I + G M G^T: corner noise, and the map's covariance M of this tag. */
static bool find_whitening(whitening *w, const pov_tag_prediction *p, const pov_tag_sighting *sighting,
                           const double (*pose_cov)[6])
{
    double S[ROW_COUNT * ROW_COUNT], from_pose[ROW_COUNT * ROW_COUNT];
    double variance = sighting->tag->corner_std_px * sighting->tag->corner_std_px;

    pov_sandwich(S, &p->per_tag[0][0], &sighting->entry->T_table_tag.cov[0][0], ROW_COUNT, STATE_COUNT);
    if (pose_cov) {
        pov_sandwich(from_pose, &p->per_camera[0][0], &pose_cov[0][0], ROW_COUNT, STATE_COUNT);
        for (int i = 0; i < ROW_COUNT * ROW_COUNT; i++)
            S[i] += from_pose[i];
    }
    for (int i = 0; i < ROW_COUNT; i++)
        S[i * (ROW_COUNT + 1)] += variance;
    return pov_cholesky(w->factor, S, ROW_COUNT);
}

pov_tag_misfit pov_tag_misfit_of(const pov_camera *camera, const pov_tag_sighting *sighting,
                                 const pov_pose *T_table_camera, bool with_pose)
{
    pov_tag_misfit misfit = {.distance2 = INFINITY, .log_determinant = 0, .squared_px2 = INFINITY};
    pov_tag_prediction p;
    whitening w;

    if (!pov_tag_predict(&p, camera, T_table_camera->T, sighting) ||
        !find_whitening(&w, &p, sighting, with_pose ? T_table_camera->cov : NULL))
        return misfit;
    misfit.squared_px2 = pov_squares(p.residual_px, ROW_COUNT);
    pov_whiten(p.residual_px, w.factor, ROW_COUNT, 1);
    misfit.distance2 = pov_squares(p.residual_px, ROW_COUNT);
    for (int i = 0; i < ROW_COUNT; i++)
        misfit.log_determinant += 2 * log(w.factor[i * (ROW_COUNT + 1)]);
    return misfit;
}

double pov_tag_residual_px(const pov_camera *camera, const pov_tag_sighting *sighting,
                           pov_transform T_table_camera)
{
    pov_tag_prediction p;
    return pov_tag_predict(&p, camera, T_table_camera, sighting)
               ? sqrt(pov_squares(p.residual_px, ROW_COUNT) / 4)
               : NAN;
}

/** Normal equations at a pose; cost infinite where a used tag cannot be seen from there. */
static void linearise_pose(normal_equations *sum, const pov_camera *camera, pov_transform T_table_camera,
                           const pov_tag_sighting *sightings, const whitening *whitenings, int len)
{
    const pov_normal normal = {sum->information, sum->gradient, STATE_COUNT};
    pov_tag_prediction p;
    double weight;

    memset(sum, 0, sizeof *sum);
    for (int k = 0; k < len; k++) {
        if (!sightings[k].used)
            continue;
        if (!pov_tag_predict(&p, camera, T_table_camera, &sightings[k])) {
            sum->cost = INFINITY;
            return;
        }
        pov_whiten(p.residual_px, whitenings[k].factor, ROW_COUNT, 1);
        pov_whiten(&p.per_camera[0][0], whitenings[k].factor, ROW_COUNT, STATE_COUNT);
        sum->cost += pov_huber(&weight, pov_squares(p.residual_px, ROW_COUNT), POV_TAG_HUBER_DISTANCE);
        pov_normal_add(&normal, &p.per_camera[0][0], p.residual_px, ROW_COUNT, weight);
    }
}

static bool find_whitenings(whitening *whitenings, const pov_camera *camera, pov_transform T_table_camera,
                            const pov_tag_sighting *sightings, int len)
{
    pov_tag_prediction p;

    for (int k = 0; k < len; k++) {
        if (sightings[k].used && (!pov_tag_predict(&p, camera, T_table_camera, &sightings[k]) ||
                                  !find_whitening(&whitenings[k], &p, &sightings[k], NULL)))
            return false;
    }
    return true;
}

double pov_pose_distance2(const pov_pose *a, const pov_pose *b)
{
    double difference[6], cov[36];

    pov_transform_minus(difference, a->T, b->T);
    for (int i = 0; i < 36; i++)
        cov[i] = a->cov[i / 6][i % 6] + b->cov[i / 6][i % 6];
    return pov_distance2(difference, cov, 6);
}

/** Squared length of a step in standard deviations. */
static double step_distance2(const double step[STATE_COUNT], const normal_equations *at)
{
    double sum = 0;

    for (int i = 0; i < STATE_COUNT; i++)
        for (int j = 0; j < STATE_COUNT; j++)
            sum += step[i] * at->information[i * STATE_COUNT + j] * step[j];
    return sum;
}

/** Marquardt 1963, the corners' covariances held. Out: the equations at the end. */
static bool descend_pose(pov_transform *T_table_camera, normal_equations *here, const pov_camera *camera,
                         const pov_tag_sighting *sightings, int len)
{
    whitening whitenings[POV_TAG_MAX];
    double step[STATE_COUNT];

    if (!find_whitenings(whitenings, camera, *T_table_camera, sightings, len))
        return false;
    linearise_pose(here, camera, *T_table_camera, sightings, whitenings, len);
    for (pov_descent d = pov_descent_from(here->cost, 1e-4, TRIAL_MAX); pov_descent_continues(&d);) {
        normal_equations there;

        if (!pov_normal_step(step, here->information, here->gradient, STATE_COUNT, d.damping))
            return false;
        const pov_transform trial = pov_transform_plus(*T_table_camera, step);
        if (step_distance2(step, here) < STEP2_MIN)
            pov_descent_end(&d);
        linearise_pose(&there, camera, trial, sightings, whitenings, len);
        if (pov_descent_accepts(&d, there.cost)) {
            *T_table_camera = trial;
            *here = there;
        }
    }
    return true;
}

/* How a panel's error moves the equations' right-hand side by way of one tag: J^T W G P. */
static bool weigh_panel(double moved[36], const pov_camera *camera, pov_transform T_table_camera,
                        const pov_tag_sighting *sighting)
{
    pov_tag_prediction p;
    whitening w;
    double by_panel[6][6], weight;
    if (!pov_tag_predict(&p, camera, T_table_camera, sighting) || !find_whitening(&w, &p, sighting, NULL))
        return false;
    pov_tag_by_panel(by_panel, sighting->entry);
    pov_whiten(p.residual_px, w.factor, ROW_COUNT, 1);
    pov_whiten(&p.per_camera[0][0], w.factor, ROW_COUNT, STATE_COUNT);
    pov_whiten(&p.per_tag[0][0], w.factor, ROW_COUNT, STATE_COUNT);
    (void)pov_huber(&weight, pov_squares(p.residual_px, ROW_COUNT), POV_TAG_HUBER_DISTANCE);
    for (int i = 0; i < STATE_COUNT; i++)
        for (int j = 0; j < STATE_COUNT; j++) {
            moved[i * STATE_COUNT + j] = 0;
            for (int row = 0; row < ROW_COUNT; row++)
                for (int k = 0; k < STATE_COUNT; k++)
                    moved[i * STATE_COUNT + j] +=
                        weight * p.per_camera[row][i] * p.per_tag[row][k] * by_panel[k][j];
        }
    return true;
}

static void add_moved(double sum[36], const double moved[36], const pov_tag_panel *panel, double sign)
{
    for (int i = 0; i < 36; i++)
        for (int k = 0; k < STATE_COUNT; k++)
            sum[i] += sign * moved[i / 6 * 6 + k] * moved[i % 6 * 6 + k] *
                      pow(k < 3 ? panel->rotation_std_rad : panel->position_std_m, 2);
}

/* The information takes tags' errors for independent. Those of tags on one panel are the same: what they add together, less what
 * each adds alone, widens the pose's covariance C by C M C. */
static bool widen_by_panels(double covariance[36], const pov_camera *camera, pov_transform T_table_camera,
                            const pov_tag_sighting *sightings, int len)
{
    double M[36] = {0}, added[36];
    bool done[POV_TAG_MAX] = {false}, any = false;
    for (int k = 0; k < len; k++) {
        const pov_tag_panel *panel = &sightings[k].entry->panel;
        double together[36] = {0}, moved[36];
        if (!sightings[k].used || !panel->name[0] || done[k])
            continue;
        for (int i = k; i < len; i++) {
            if (!sightings[i].used || strcmp(sightings[i].entry->panel.name, panel->name) != 0)
                continue;
            done[i] = any = true;
            if (!weigh_panel(moved, camera, T_table_camera, &sightings[i]))
                return false;
            add_moved(M, moved, panel, -1);
            for (int j = 0; j < 36; j++)
                together[j] += moved[j];
        }
        add_moved(M, together, panel, 1);
    }
    if (any)
        pov_sandwich(added, covariance, M, STATE_COUNT, STATE_COUNT);
    for (int i = 0; i < 36 && any; i++)
        covariance[i] += added[i];
    return true;
}

bool pov_tag_fit(pov_pose *T_table_camera, const pov_camera *camera, const pov_tag_sighting *sightings,
                 int len)
{
    pov_transform T = T_table_camera->T;
    normal_equations end;
    double covariance[STATE_COUNT * STATE_COUNT];

    POV_REQUIRE(len <= POV_TAG_MAX);
    for (int round = 0; round < ROUND_COUNT; round++) {
        if (!descend_pose(&T, &end, camera, sightings, len))
            return false;
    }
    if (!pov_symmetric_inverse(covariance, end.information, STATE_COUNT) ||
        !widen_by_panels(covariance, camera, T, sightings, len))
        return false;
    T_table_camera->T = T;
    memcpy(T_table_camera->cov, covariance, sizeof covariance);
    return true;
}
