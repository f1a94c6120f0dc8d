#include "perception/relation.h"

#include "perception/expectation.h"
#include "perception/linalg.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const relation_names[] = {"left_of",  "right_of", "in_front_of", "behind",
                                             "north_of", "east_of",  "south_of",    "west_of"};
static const char *const perspective_names[] = {"egocentric", "addressee", "intrinsic", "absolute"};
static const char *const convention_names[] = {"translated", "rotated", "reflected", NULL};
static const char *const axis_names[] = {"sight_line", "heading"};
static const char *const acceptance_names[] = {"hemisphere", "cosine"};
static const char *const verdict_names[] = {"false", "true", "abstain", "undefined"};
static_assert(COUNT(relation_names) == POV_RELATION_COUNT, "one name a relation");
static_assert(COUNT(perspective_names) == POV_PERSPECTIVE_COUNT, "one name a perspective");
static_assert(COUNT(convention_names) == POV_CONVENTION_COUNT + 1, "one name a convention, and none");
static_assert(COUNT(axis_names) == POV_AXIS_COUNT, "one name an axis");
static_assert(COUNT(acceptance_names) == POV_ACCEPTANCE_COUNT, "one name an acceptance");
static_assert(COUNT(verdict_names) == POV_VERDICT_COUNT, "one name a verdict");

const char *pov_relation_name(pov_relation relation)
{
    POV_REQUIRE(relation < POV_RELATION_COUNT);
    return relation_names[relation];
}

const char *pov_perspective_name(pov_perspective perspective)
{
    POV_REQUIRE(perspective < POV_PERSPECTIVE_COUNT);
    return perspective_names[perspective];
}

const char *pov_convention_name(pov_convention convention)
{
    POV_REQUIRE(convention <= POV_NO_CONVENTION);
    return convention_names[convention];
}

const char *pov_axis_name(pov_axis axis)
{
    POV_REQUIRE(axis < POV_AXIS_COUNT);
    return axis_names[axis];
}

const char *pov_acceptance_name(pov_acceptance acceptance)
{
    POV_REQUIRE(acceptance < POV_ACCEPTANCE_COUNT);
    return acceptance_names[acceptance];
}

const char *pov_verdict_name(pov_verdict verdict)
{
    POV_REQUIRE(verdict < POV_VERDICT_COUNT);
    return verdict_names[verdict];
}

/* A relation's direction about its axis, counter-clockwise from above: the axis is where something with a
 * front points (intrinsic), or north (absolute). */
static double own_direction(pov_relation relation)
{
    static const double direction[] = {
        [POV_LEFT_OF] = POV_PI / 2, [POV_RIGHT_OF] = -POV_PI / 2, [POV_IN_FRONT_OF] = 0,
        [POV_BEHIND] = POV_PI,      [POV_NORTH_OF] = 0,           [POV_EAST_OF] = -POV_PI / 2,
        [POV_SOUTH_OF] = POV_PI,    [POV_WEST_OF] = POV_PI / 2,
    };
    return direction[relation];
}

/* How a viewer's axes reach the relatum (Levinson 2003; COMFORT, section 2): moved there as they are; turned
 * to face the viewer; or mirrored, which turns front and back but leaves left and right. */
static double offset_from_axis(const pov_query *query)
{
    double own = own_direction(query->relation);
    switch (query->convention) {
    case POV_ROTATED:
        return own + POV_PI;
    case POV_REFLECTED:
        return POV_PI - own;
    case POV_TRANSLATED:
    case POV_NO_CONVENTION:
        break;
    }
    return own;
}

static bool is_relative(pov_perspective perspective)
{
    return perspective == POV_EGOCENTRIC || perspective == POV_ADDRESSEE;
}

static bool is_cardinal(pov_relation relation)
{
    return relation >= POV_NORTH_OF && relation <= POV_WEST_OF;
}

static bool is_well_formed(const pov_scene *scene, const pov_query *query)
{
    bool relative = is_relative(query->perspective);
    return query->referent >= 0 && query->referent < scene->len && query->relatum >= 0 &&
           query->relatum < scene->len && query->referent != query->relatum &&
           (!relative || (query->viewer >= 0 && query->viewer < scene->len)) &&
           (relative == (query->convention != POV_NO_CONVENTION)) &&
           ((query->perspective == POV_ABSOLUTE) == is_cardinal(query->relation));
}

/* Covariance on the ground of the differences (a - b) and (c - d) of entities' positions: own errors of
 * shared entities, and the camera pose's error that reaches all of them. */
static void difference_cov(double cov[2][2], const pov_scene *scene, pov_id a, pov_id b, pov_id c, pov_id d)
{
    const pov_entity *e = scene->entities;
    const pov_id left[2] = {a, b}, right[2] = {c, d};
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) {
            double sum = 0;
            for (int p = 0; p < 2; p++)
                for (int q = 0; q < 2; q++)
                    if (left[p] == right[q])
                        sum += (p == q ? 1 : -1) * e[left[p]].position.own_cov_m2[i][j];
            for (int k = 0; k < 6; k++)
                for (int l = 0; l < 6; l++)
                    sum += (e[a].position.per_camera_pose[i][k] - e[b].position.per_camera_pose[i][k]) *
                           scene->camera_pose_cov[k][l] *
                           (e[c].position.per_camera_pose[j][l] - e[d].position.per_camera_pose[j][l]);
            cov[i][j] = sum;
        }
}

static pov_vec2 ground_difference(const pov_scene *scene, pov_id a, pov_id b)
{
    pov_vec3 d = pov_vec3_sub(scene->entities[a].position.mean_m, scene->entities[b].position.mean_m);
    return (pov_vec2){d.x, d.y};
}

/* The relatum-to-referent vector, and the sight line viewer-to-relatum where there is a viewer. */
static void sight_of(pov_sight *sight, const pov_scene *scene, const pov_query *query)
{
    pov_id referent = query->referent, relatum = query->relatum, viewer = query->viewer;
    double block[2][2];
    memset(sight, 0, sizeof *sight);
    sight->v_m = ground_difference(scene, referent, relatum);
    difference_cov(block, scene, referent, relatum, referent, relatum);
    for (int i = 0; i < 2; i++)
        memcpy(&sight->cov_m2[2 + i][2], block[i], sizeof block[i]);
    if (!is_relative(query->perspective))
        return;
    sight->axis_m = ground_difference(scene, relatum, viewer);
    difference_cov(block, scene, relatum, viewer, relatum, viewer);
    for (int i = 0; i < 2; i++)
        memcpy(&sight->cov_m2[i][0], block[i], sizeof block[i]);
    difference_cov(block, scene, relatum, viewer, referent, relatum);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            sight->cov_m2[i][2 + j] = sight->cov_m2[2 + j][i] = block[i][j];
}

/* Closer than their noise: nothing can be said of the direction of this difference. */
static bool coincide(pov_vec2 difference_m, double xx, double xy, double yy)
{
    double values[2], first[2];
    pov_symmetric2_eigen(values, first, xx, xy, yy);
    return hypot(difference_m.x, difference_m.y) <= fmax(1e-9, sqrt(fmax(0, values[0])));
}

/* The heading a query's axis rests on, or NULL if it is the sight line. A heading with len 0: there is none.
 */
static const pov_heading *axis_heading(const pov_scene *scene, const pov_query *query, const pov_sight *sight,
                                       pov_heading *north)
{
    *north = pov_heading_single(scene->north_yaw_rad, INFINITY);
    north->len = scene->has_north;
    if (query->perspective == POV_ABSOLUTE)
        return north;
    if (query->perspective == POV_INTRINSIC)
        return &scene->entities[query->relatum].heading;
    bool above = coincide(sight->axis_m, sight->cov_m2[0][0], sight->cov_m2[0][1], sight->cov_m2[1][1]);
    return query->axis == POV_HEADING || above ? &scene->entities[query->viewer].heading : NULL;
}

static const pov_heading_mode *heaviest(const pov_heading *heading)
{
    const pov_heading_mode *best = &heading->mode[0];
    for (int i = 1; i < heading->len; i++)
        if (heading->mode[i].weight > best->weight)
            best = &heading->mode[i];
    return best;
}

/* The angle at the means and its first-order standard deviation. */
static void angle_at_means(pov_judgment *judgment, const pov_sight *sight, const pov_heading *heading,
                           double offset)
{
    pov_vec2 v = sight->v_m, s = sight->axis_m;
    double v2 = v.x * v.x + v.y * v.y, s2 = s.x * s.x + s.y * s.y;
    double gradient[4] = {0, 0, -v.y / v2, v.x / v2}, axis_rad, variance = 0;
    if (heading) {
        axis_rad = heaviest(heading)->yaw_rad;
        variance = 1 / heaviest(heading)->kappa;
    } else {
        axis_rad = atan2(s.y, s.x);
        gradient[0] = s.y / s2;
        gradient[1] = -s.x / s2;
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            variance += gradient[i] * sight->cov_m2[i][j] * gradient[j];
    judgment->theta_rad = pov_angle_wrap(atan2(v.y, v.x) - axis_rad - offset);
    judgment->theta_std_rad = sqrt(fmax(0, variance));
}

static pov_verdict verdict_of(double p_within_90, double abstain_margin)
{
    if (fabs(p_within_90 - 0.5) <= abstain_margin)
        return POV_ABSTAIN;
    return p_within_90 > 0.5 ? POV_TRUE : POV_FALSE;
}

static pov_belief believe(const pov_sight *sight, const pov_heading *heading, double offset,
                          pov_acceptance acceptance, double abstain_margin)
{
    double p = heading ? pov_expect_hemisphere_heading(heading, sight, offset)
                       : pov_expect_hemisphere_sight(sight, offset);
    pov_belief belief = {.p = p, .p_std = sqrt(p * (1 - p)), .verdict = verdict_of(p, abstain_margin)};
    if (acceptance == POV_COSINE) {
        pov_cosine_moments m = heading ? pov_expect_cosine_heading(heading, sight, offset)
                                       : pov_expect_cosine_sight(sight, offset);
        belief.p = fmin(1, fmax(0, (m.cosine + 1) / 2));
        belief.p_std = sqrt(fmax(0, m.cosine_squared - m.cosine * m.cosine)) / 2;
    }
    return belief;
}

pov_code pov_relation_evaluate(pov_judgment *judgment, const pov_scene *scene, const pov_query *query,
                               double abstain_margin)
{
    *judgment = (pov_judgment){
        .query = *query, .belief = {NAN, NAN, POV_VERDICT_UNDEFINED}, .theta_rad = NAN, .theta_std_rad = NAN};
    if (!is_well_formed(scene, query))
        return POV_UNDEFINED;
    const pov_entity *e = scene->entities;
    if (!e[query->referent].placed || !e[query->relatum].placed ||
        (is_relative(query->perspective) && !e[query->viewer].placed))
        return POV_UNDEFINED;

    pov_sight sight;
    pov_heading north;
    sight_of(&sight, scene, query);
    if (coincide(sight.v_m, sight.cov_m2[2][2], sight.cov_m2[2][3], sight.cov_m2[3][3]))
        return POV_UNDEFINED;
    const pov_heading *heading = axis_heading(scene, query, &sight, &north);
    if (heading && heading->len == 0)
        return POV_UNDEFINED;

    double offset = offset_from_axis(query);
    angle_at_means(judgment, &sight, heading, offset);
    judgment->belief = believe(&sight, heading, offset, query->acceptance, abstain_margin);
    return POV_OK;
}

/* Writes judgments while there is room, counts them all. */
typedef struct {
    pov_judgment *judgments;
    int capacity, len;
    const pov_scene *scene;
    const pov_judging *judging;
} pair_judge;

static void judge_relations(pair_judge *judge, pov_query query)
{
    for (int relation = 0; relation < POV_RELATION_COUNT; relation++) {
        if (!judge->judging->relation[relation] ||
            is_cardinal(relation) != (query.perspective == POV_ABSOLUTE))
            continue;
        query.relation = relation;
        for (int acceptance = 0; acceptance < POV_ACCEPTANCE_COUNT; acceptance++) {
            if (!judge->judging->acceptance[acceptance])
                continue;
            query.acceptance = acceptance;
            if (judge->len < judge->capacity)
                (void)pov_relation_evaluate(&judge->judgments[judge->len], judge->scene, &query,
                                            judge->judging->abstain_margin);
            judge->len++;
        }
    }
}

static void judge_viewer(pair_judge *judge, pov_query query)
{
    for (int convention = 0; convention < POV_CONVENTION_COUNT; convention++)
        for (int axis = 0; axis < POV_AXIS_COUNT; axis++) {
            if (!judge->judging->axis[axis])
                continue;
            query.convention = convention;
            query.axis = axis;
            judge_relations(judge, query);
        }
}

int pov_relation_evaluate_pair(pov_judgment *judgments, int capacity, const pov_scene *scene, pov_id referent,
                               pov_id relatum, const pov_judging *judging)
{
    POV_REQUIRE(referent >= 0 && referent < scene->len && relatum >= 0 && relatum < scene->len);
    pair_judge judge = {.judgments = judgments, .capacity = capacity, .scene = scene, .judging = judging};
    pov_query query = {.referent = referent, .relatum = relatum};
    for (pov_id viewer = 0; viewer < scene->len; viewer++) {
        bool camera = viewer == scene->camera;
        if (viewer == referent || viewer == relatum || !(camera || scene->entities[viewer].addressee))
            continue;
        query.perspective = camera ? POV_EGOCENTRIC : POV_ADDRESSEE;
        query.viewer = viewer;
        judge_viewer(&judge, query);
    }
    query.viewer = POV_ID_NONE;
    query.convention = POV_NO_CONVENTION;
    query.axis = POV_HEADING;
    query.perspective = POV_INTRINSIC;
    judge_relations(&judge, query);
    if (scene->has_north) {
        query.perspective = POV_ABSOLUTE;
        judge_relations(&judge, query);
    }
    return judge.len;
}
