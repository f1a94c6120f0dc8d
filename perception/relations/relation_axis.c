/* An axis, and what holds about the four directions a quarter-turn apart from it. */
#include "perception/relations/expectation/expectation_internal.h"
#include "perception/relations/relation_internal.h"

#include <math.h>
#include <stddef.h>

/* ---- where it points ---- */

static void find_heading(pov_relatum_axis *axis, const pov_heading *heading)
{
    axis->heading = heading;
    const pov_heading_mode *mode = pov_heading_heaviest(heading);
    axis->exists = mode != NULL;
    if (!axis->exists)
        return;
    axis->yaw_rad = pov_angle_wrap(mode->yaw_rad);
    axis->yaw_std_rad = sqrt(pov_heading_variance(heading));
    axis->dir = (pov_vec2){cos(mode->yaw_rad), sin(mode->yaw_rad)};
}

static void find_sight_line(pov_relatum_axis *axis, const pov_sight *sight)
{
    const pov_vec2 a = sight->axis_m;
    const double length_m = sqrt(a.x * a.x + a.y * a.y);
    axis->exists = true;
    axis->is_exact = sight->cov_m2[0][0] + sight->cov_m2[1][1] == 0;
    axis->dir = (pov_vec2){a.x / length_m, a.y / length_m};
    axis->yaw_rad = atan2(a.y, a.x);
}

/* For a viewer over the relatum the heading stands for the sight line. */
static void find_viewers(pov_relatum_axis *axis, const pov_scene *scene, pov_id relatum)
{
    const pov_entity *viewer = &scene->entities[axis->viewer];
    pov_sight sight = {.axis_m = {0, 0}};
    pov_difference line;
    if (!viewer->placed)
        return;
    if (axis->axis == POV_SIGHT_LINE && pov_sight_line(&sight, &line, scene, relatum, axis->viewer))
        find_sight_line(axis, &sight);
    else
        find_heading(axis, &viewer->heading);
}

void pov_axis_find(pov_relatum_axis *axis, pov_heading *north, const pov_scene *scene, pov_id relatum)
{
    *axis = (pov_relatum_axis){.perspective = axis->perspective, .viewer = axis->viewer, .axis = axis->axis};
    if (axis->perspective == POV_ABSOLUTE) {
        north->len = scene->has_north;
        north->mode[0] = (pov_heading_mode){1, scene->north_yaw_rad, INFINITY};
        find_heading(axis, north);
    } else if (axis->perspective == POV_INTRINSIC) {
        find_heading(axis, &scene->entities[relatum].heading);
    } else {
        find_viewers(axis, scene, relatum);
    }
}

/* ---- what holds about it ---- */

/* To first order, which knows no circle. A heading's own variance is not in the sight. */
static double theta_std(const pov_sight *sight, const pov_pair *pair, const pov_relatum_axis *axis)
{
    if (pair->is_exact && (axis->heading || axis->is_exact))
        return fmin(axis->yaw_std_rad, POV_EVEN_STD_RAD);
    pov_vec2 v = sight->v_m, a = sight->axis_m;
    double v2 = v.x * v.x + v.y * v.y, a2 = a.x * a.x + a.y * a.y;
    double variance = axis->yaw_std_rad * axis->yaw_std_rad;
    double gradient[4] = {a.y / a2, -a.x / a2, -v.y / v2, v.x / v2};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            variance += gradient[i] * sight->cov_m2[i][j] * gradient[j];
    return fmin(sqrt(fmax(0, variance)), POV_EVEN_STD_RAD);
}

/* The entity whose heading is the axis; POV_ID_NONE: nobody's. */
static pov_id owner_of(const pov_relatum_axis *axis, const pov_pair *pair)
{
    return axis->perspective == POV_INTRINSIC ? pair->relatum : axis->viewer;
}

/* The covariance of the heading's direction with the vector: by the camera pose, which may move both, and by the position of
 * who has the heading. */
static void tie_heading(pov_sight *sight, const pov_pair *pair, const pov_relatum_axis *axis)
{
    const pov_id owner = owner_of(axis, pair);
    const pov_heading_ties *ties = owner == POV_ID_NONE ? NULL : &pair->scene->entities[owner].heading_ties;
    const double across[2] = {-axis->dir.y, axis->dir.x};
    for (int j = 0; ties && j < 2; j++) {
        double with_v_m = ((owner == pair->referent) - (owner == pair->relatum)) * ties->with_position_m[j];
        for (int k = 0; k < 6 && !pair->v.camera_is_sure; k++)
            with_v_m += ties->per_camera_pose[k] * pair->v.JC[j][k];
        for (int i = 0; i < 2; i++)
            sight->cov_m2[i][2 + j] = sight->cov_m2[2 + j][i] = across[i] * with_v_m;
    }
}

/* In (-pi, pi]. An angle of half a turn may come out a rounding error past it, as a viewer's to itself. */
static double wrapped(double angle_rad)
{
    const double rounding_rad = 1e-12;
    angle_rad += angle_rad <= -POV_PI + rounding_rad ? 2 * POV_PI : 0;
    angle_rad -= angle_rad > POV_PI + rounding_rad ? 2 * POV_PI : 0;
    return fmin(angle_rad, POV_PI);
}

/* The angles at the means, and how far the referent is from where the judgments flip. */
static void find_angles(pov_axis_beliefs *beliefs, const pov_pair *pair, const pov_relatum_axis *axis)
{
    const pov_vec2 v = pair->sight.v_m, a = axis->dir;
    const double ahead_m = fabs(a.x * v.x + a.y * v.y), left_m = fabs(a.x * v.y - a.y * v.x);
    const double theta = wrapped(pair->v_rad - axis->yaw_rad);
    for (int quarter = 0; quarter < POV_QUARTER_COUNT; quarter++) {
        beliefs->theta_rad[quarter] = wrapped(theta - quarter * (POV_PI / 2));
        beliefs->flip_distance_m[quarter] = quarter % 2 ? left_m : ahead_m;
    }
}

/* No direction holds while it stands on the other. */
static void take_off(pov_expected *expected, double p_carried)
{
    for (int quarter = 0; quarter < POV_QUARTER_COUNT; quarter++) {
        double *mean = &expected->mean[quarter], *std = &expected->std[quarter];
        const double square = (1 - p_carried) * (*std * *std + *mean * *mean);
        *mean *= 1 - p_carried;
        *std = sqrt(fmax(0, square - *mean * *mean));
    }
}

static void find_expectations(pov_axis_beliefs *beliefs, const pov_sight *sight, const pov_heading *heading,
                              double p_carried, const pov_judging *judging,
                              const bool wanted[POV_ACCEPTANCE_COUNT])
{
    pov_expected *expected = beliefs->expected;
    pov_expect_hemisphere(&expected[POV_HEMISPHERE], sight, heading); /* the verdicts' */
    if (wanted[POV_COSINE])
        pov_expect_cosine(&expected[POV_COSINE], sight, heading);
    if (wanted[POV_TEMPLATE])
        pov_expect_template(&expected[POV_TEMPLATE], sight, heading, &judging->regions);
    for (int acceptance = 0; acceptance < POV_ACCEPTANCE_COUNT && p_carried > 0; acceptance++)
        if (acceptance == POV_HEMISPHERE || wanted[acceptance])
            take_off(&expected[acceptance], p_carried);
    for (int quarter = 0; quarter < POV_QUARTER_COUNT; quarter++)
        beliefs->verdict[quarter] =
            pov_verdict_of_share(expected[POV_HEMISPHERE].mean[quarter], judging->abstain_margin);
}

static void judge_nothing(pov_axis_beliefs *beliefs)
{
    beliefs->theta_std_rad = NAN;
    for (int quarter = 0; quarter < POV_QUARTER_COUNT; quarter++) {
        beliefs->theta_rad[quarter] = beliefs->flip_distance_m[quarter] = NAN;
        beliefs->verdict[quarter] = POV_VERDICT_UNDEFINED;
        for (int acceptance = 0; acceptance < POV_ACCEPTANCE_COUNT; acceptance++)
            beliefs->expected[acceptance].mean[quarter] = beliefs->expected[acceptance].std[quarter] = NAN;
    }
}

void pov_axis_judge(pov_axis_beliefs *beliefs, const pov_pair *pair, const pov_relatum_axis *axis,
                    const pov_judging *judging, const bool wanted[POV_ACCEPTANCE_COUNT])
{
    if (!pair->has_direction || !axis->exists) {
        judge_nothing(beliefs);
        return;
    }
    pov_sight sight = pair->sight;
    sight.axis_m = axis->dir;
    if (axis->heading)
        tie_heading(&sight, pair, axis);
    else if (!axis->is_exact)
        pov_pair_look_from(&sight, pair, axis->viewer);
    find_angles(beliefs, pair, axis);
    beliefs->theta_std_rad = theta_std(&sight, pair, axis);
    find_expectations(beliefs, &sight, axis->heading, pair->p_carried, judging, wanted);
}
