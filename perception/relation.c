#include "perception/relation.h"

#include "perception/containment.h"
#include "perception/expectation.h"
#include "perception/linalg.h"

#include <math.h>
#include <string.h>

/* ---- axes ---- */

/* A relation's direction about its axis: the axis is where something with a front points (intrinsic), or north
 * (absolute). */
static pov_quarter own_quarter(pov_relation relation)
{
    static const pov_quarter quarter[POV_RELATION_COUNT] = {
        [POV_LEFT_OF] = POV_TO_LEFT, [POV_RIGHT_OF] = POV_TO_RIGHT, [POV_IN_FRONT_OF] = POV_AHEAD,
        [POV_BEHIND] = POV_BACK,     [POV_NORTH_OF] = POV_AHEAD,    [POV_EAST_OF] = POV_TO_RIGHT,
        [POV_SOUTH_OF] = POV_BACK,   [POV_WEST_OF] = POV_TO_LEFT,
    };
    return quarter[relation];
}

/* How a viewer's axes reach the relatum (Levinson 2003; COMFORT, section 2): moved there as they are; turned
 * to face the viewer; or mirrored, which turns front and back but leaves left and right. */
static pov_quarter quarter_of(pov_relation relation, pov_convention convention)
{
    int own = (int)own_quarter(relation);
    switch (convention) {
    case POV_ROTATED:
        return (pov_quarter)((own + 2) % POV_QUARTER_COUNT);
    case POV_REFLECTED:
        return (pov_quarter)((6 - own) % POV_QUARTER_COUNT);
    case POV_TRANSLATED:
    case POV_NO_CONVENTION:
        break;
    }
    return (pov_quarter)own;
}

static bool is_relative(pov_perspective perspective)
{
    return perspective == POV_EGOCENTRIC || perspective == POV_ADDRESSEE;
}

static bool is_cardinal(pov_relation relation)
{
    return relation >= POV_NORTH_OF && relation <= POV_WEST_OF;
}

static bool is_id(const pov_scene *scene, pov_id id)
{
    return id >= 0 && id < scene->len;
}

static bool is_well_formed(const pov_scene *scene, const pov_query *query)
{
    bool relative = is_relative(query->perspective);
    return is_id(scene, query->referent) && is_id(scene, query->relatum) &&
           query->referent != query->relatum && (!relative || is_id(scene, query->viewer)) &&
           (relative == (query->convention != POV_NO_CONVENTION)) &&
           ((query->perspective == POV_ABSOLUTE) == is_cardinal(query->relation));
}

/* ---- vectors between entities, with what their errors share ---- */

/* From one entity to another on the ground, how the camera pose's error moves it, and that times the error's
 * covariance. */
typedef struct {
    pov_vec2 mean_m;
    double J[2][6], JC[2][6];
} difference;

static difference subtract(const pov_scene *scene, pov_id to, pov_id from, bool camera_is_sure)
{
    const pov_position *a = &scene->entities[to].position, *b = &scene->entities[from].position;
    difference d;
    d.mean_m = (pov_vec2){a->mean_m.x - b->mean_m.x, a->mean_m.y - b->mean_m.y};
    for (int i = 0; i < 2 && !camera_is_sure; i++) {
        for (int k = 0; k < 6; k++)
            d.J[i][k] = a->per_camera_pose[i][k] - b->per_camera_pose[i][k];
        for (int k = 0; k < 6; k++) {
            d.JC[i][k] = 0;
            for (int l = 0; l < 6; l++)
                d.JC[i][k] += d.J[i][l] * scene->camera_pose_cov[l][k];
        }
    }
    return d;
}

static bool camera_is_sure(const pov_scene *scene)
{
    double variance = 0;
    for (int k = 0; k < 6; k++)
        variance += scene->camera_pose_cov[k][k];
    return variance == 0;
}

/* Adds `sign` times an entity's own covariance to a block of the joint one. */
static void add_own(double (*cov)[4], int row, int column, const pov_scene *scene, pov_id id, int sign)
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            cov[row + i][column + j] += sign * scene->entities[id].position.own_cov_m2[i][j];
}

static void add_shared(double (*cov)[4], int row, int column, const difference *a, const difference *b)
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            for (int k = 0; k < 6; k++)
                cov[row + i][column + j] += a->JC[i][k] * b->J[j][k];
}

static void copy_transposed(double (*cov)[4])
{
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            cov[2 + j][i] = cov[i][2 + j];
}

/* Closer than their noise: nothing can be said of the direction of this difference. */
static bool coincide(pov_vec2 difference_m, double xx, double xy, double yy)
{
    double largest = 0.5 * (xx + yy + sqrt((xx - yy) * (xx - yy) + 4 * xy * xy));
    return difference_m.x * difference_m.x + difference_m.y * difference_m.y <= fmax(1e-18, largest);
}

/* ---- a pair: what all frames share ---- */

typedef struct {
    const pov_scene *scene;
    const pov_judging *judging;
    difference v;
    double v_rad;
    pov_sight sight;       /* v and its covariance; the axis's yet to come */
    pov_judgment judgment; /* undefined yet, but for what does not depend on the frame */
    bool has_direction, camera_is_sure;
} pair;

static void pair_of(pair *p, const pov_scene *scene, const pov_judging *judging, pov_id referent,
                    pov_id relatum)
{
    const pov_entity *e = scene->entities;
    p->scene = scene;
    p->judging = judging;
    p->judgment = (pov_judgment){.query = {.referent = referent, .relatum = relatum},
                                 .belief = {NAN, NAN, POV_VERDICT_UNDEFINED},
                                 .theta_rad = NAN,
                                 .theta_std_rad = NAN,
                                 .flip_distance_m = NAN,
                                 .p_internal = NAN};
    p->has_direction = e[referent].placed && e[relatum].placed && referent != relatum;
    if (!p->has_direction)
        return;
    p->judgment.p_internal = pov_containment_probability(scene, referent, relatum);
    p->judgment.containment = p->judgment.p_internal > 0.5 ? POV_INTERNAL : POV_EXTERNAL;
    p->camera_is_sure = camera_is_sure(scene);
    p->v = subtract(scene, referent, relatum, p->camera_is_sure);
    p->v_rad = atan2(p->v.mean_m.y, p->v.mean_m.x);
    p->sight = (pov_sight){.axis_m = {1, 0}, .v_m = p->v.mean_m};
    add_own(p->sight.cov_m2, 2, 2, scene, referent, 1);
    add_own(p->sight.cov_m2, 2, 2, scene, relatum, 1);
    if (!p->camera_is_sure)
        add_shared(p->sight.cov_m2, 2, 2, &p->v, &p->v);
    p->has_direction =
        !coincide(p->v.mean_m, p->sight.cov_m2[2][2], p->sight.cov_m2[2][3], p->sight.cov_m2[3][3]);
}

/* Fills in the sight line from a viewer to the relatum. */
static void look_from(pair *p, pov_id viewer)
{
    pov_id referent = p->judgment.query.referent, relatum = p->judgment.query.relatum;
    difference a = subtract(p->scene, relatum, viewer, p->camera_is_sure);
    double(*cov)[4] = p->sight.cov_m2;
    p->sight.axis_m = a.mean_m;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++)
            cov[i][j] = 0;
    if (viewer != relatum) {
        add_own(cov, 0, 0, p->scene, relatum, 1);
        add_own(cov, 0, 0, p->scene, viewer, 1);
        add_own(cov, 0, 2, p->scene, relatum, -1);
        if (viewer == referent)
            add_own(cov, 0, 2, p->scene, viewer, -1);
        if (!p->camera_is_sure) {
            add_shared(cov, 0, 0, &a, &a);
            add_shared(cov, 0, 2, &a, &p->v);
        }
    }
    copy_transposed(cov);
}

/* ---- an axis: what all relations and conventions about it share ---- */

/* Judgments about each quarter's direction, for each acceptance wanted. */
typedef pov_judgment quarter_judgments[POV_ACCEPTANCE_COUNT][POV_QUARTER_COUNT];

static const pov_heading_mode *heaviest(const pov_heading *heading)
{
    const pov_heading_mode *best = &heading->mode[0];
    for (int i = 1; i < heading->len; i++)
        if (heading->mode[i].weight > best->weight)
            best = &heading->mode[i];
    return best;
}

/* First-order variance of theta. */
static double theta_variance(const pov_sight *sight, const pov_heading *heading)
{
    pov_vec2 v = sight->v_m, a = sight->axis_m;
    double v2 = v.x * v.x + v.y * v.y, a2 = a.x * a.x + a.y * a.y, variance = 0;
    double gradient[4] = {a.y / a2, -a.x / a2, -v.y / v2, v.x / v2};
    for (int i = heading ? 2 : 0; i < 4; i++)
        for (int j = heading ? 2 : 0; j < 4; j++)
            variance += gradient[i] * sight->cov_m2[i][j] * gradient[j];
    return heading ? variance + 1 / heaviest(heading)->kappa : fmax(0, variance);
}

/* The angles at the means, and how far they are from where the judgment flips. */
static void judge_angles(pov_judgment about[POV_QUARTER_COUNT], const pair *p, const pov_heading *heading)
{
    pov_vec2 v = p->sight.v_m, a = p->sight.axis_m;
    double theta = p->v_rad - (heading ? heaviest(heading)->yaw_rad : atan2(a.y, a.x));
    double std = sqrt(theta_variance(&p->sight, heading));
    double scale = heading ? 1 : 1 / sqrt(a.x * a.x + a.y * a.y);
    const double flip_m[2] = {fabs(a.x * v.x + a.y * v.y) * scale, fabs(a.x * v.y - a.y * v.x) * scale};
    theta -= 2 * POV_PI * floor(theta / (2 * POV_PI) + 0.5);
    for (int quarter = 0; quarter < POV_QUARTER_COUNT; quarter++) {
        theta += theta <= -POV_PI ? 2 * POV_PI : 0;
        about[quarter] = p->judgment;
        about[quarter].theta_rad = theta;
        about[quarter].theta_std_rad = std;
        about[quarter].flip_distance_m = flip_m[quarter % 2];
        theta -= POV_PI / 2;
    }
}

static pov_verdict verdict_of(double p_within_90, double abstain_margin)
{
    if (fabs(p_within_90 - 0.5) <= abstain_margin)
        return POV_ABSTAIN;
    return p_within_90 > 0.5 ? POV_TRUE : POV_FALSE;
}

static void expect_acceptance(pov_expected *expected, const pov_sight *sight, const pov_heading *heading,
                              pov_acceptance acceptance, const pov_template *regions)
{
    if (acceptance == POV_COSINE)
        pov_expect_cosine(expected, sight, heading);
    else
        pov_expect_template(expected, sight, heading, regions);
}

static void judge_axis(quarter_judgments about, pair *p, const pov_heading *heading,
                       const bool wanted[POV_ACCEPTANCE_COUNT])
{
    pov_expected hemisphere, other;
    if (heading) {
        const double yaw_rad = heaviest(heading)->yaw_rad;
        p->sight.axis_m = (pov_vec2){cos(yaw_rad), sin(yaw_rad)};
    }
    pov_expect_hemisphere(&hemisphere, &p->sight, heading);
    for (int acceptance = 0; acceptance < POV_ACCEPTANCE_COUNT; acceptance++) {
        if (!wanted[acceptance])
            continue;
        const pov_expected *expected = acceptance == POV_HEMISPHERE ? &hemisphere : &other;
        if (acceptance != POV_HEMISPHERE)
            expect_acceptance(&other, &p->sight, heading, (pov_acceptance)acceptance, &p->judging->regions);
        judge_angles(about[acceptance], p, heading);
        for (int quarter = 0; quarter < POV_QUARTER_COUNT; quarter++)
            about[acceptance][quarter].belief =
                (pov_belief){expected->mean[quarter], expected->std[quarter],
                             verdict_of(hemisphere.mean[quarter], p->judging->abstain_margin)};
    }
}

/* The heading that a query's axis rests on, or NULL if it is the sight line. A heading with len 0: there is none. */
static const pov_heading *axis_heading(pov_heading *north, const pov_scene *scene, const pov_query *query,
                                       const pov_sight *sight)
{
    if (query->perspective == POV_ABSOLUTE) {
        north->len = scene->has_north;
        north->mode[0] = (pov_heading_mode){1, scene->north_yaw_rad, INFINITY};
        return north;
    }
    if (query->perspective == POV_INTRINSIC)
        return &scene->entities[query->relatum].heading;
    bool above = coincide(sight->axis_m, sight->cov_m2[0][0], sight->cov_m2[0][1], sight->cov_m2[1][1]);
    return query->axis == POV_HEADING || above ? &scene->entities[query->viewer].heading : NULL;
}

/* Judges about the axis of a query's frame; of the query the judgments then lack only the relation, the convention and
 * the acceptance. */
static void judge_frame(quarter_judgments about, pair *p, const pov_query *query,
                        const bool wanted[POV_ACCEPTANCE_COUNT])
{
    pov_heading north;
    bool placed = p->has_direction;
    p->judgment.query.perspective = query->perspective;
    p->judgment.query.viewer = query->viewer;
    p->judgment.query.axis = query->axis;
    if (placed && is_relative(query->perspective)) {
        placed = p->scene->entities[query->viewer].placed;
        look_from(p, query->viewer);
    }
    const pov_heading *heading = placed ? axis_heading(&north, p->scene, query, &p->sight) : NULL;
    if (placed && (!heading || heading->len > 0)) {
        judge_axis(about, p, heading, wanted);
        return;
    }
    for (int acceptance = 0; acceptance < POV_ACCEPTANCE_COUNT; acceptance++)
        for (int quarter = 0; quarter < POV_QUARTER_COUNT; quarter++)
            about[acceptance][quarter] = p->judgment;
}

pov_code pov_relation_evaluate(pov_judgment *judgment, const pov_scene *scene, const pov_query *query,
                               const pov_judging *judging)
{
    pair p;
    quarter_judgments about;
    bool wanted[POV_ACCEPTANCE_COUNT] = {false};
    wanted[query->acceptance] = true;
    if (is_well_formed(scene, query)) {
        pair_of(&p, scene, judging, query->referent, query->relatum);
        judge_frame(about, &p, query, wanted);
        *judgment = about[query->acceptance][quarter_of(query->relation, query->convention)];
    } else {
        *judgment = (pov_judgment){.belief = {NAN, NAN, POV_VERDICT_UNDEFINED},
                                   .theta_rad = NAN,
                                   .theta_std_rad = NAN,
                                   .flip_distance_m = NAN,
                                   .p_internal = NAN};
    }
    judgment->query = *query;
    return judgment->belief.verdict == POV_VERDICT_UNDEFINED ? POV_UNDEFINED : POV_OK;
}

/* ---- all frames ---- */

/* Writes judgments while there is room, counts them all. */
typedef struct {
    pair p;
    pov_judgment *judgments;
    int capacity, len;
} pair_judge;

static void give(pair_judge *judge, const pov_judgment *about, pov_relation relation,
                 pov_convention convention, pov_acceptance acceptance)
{
    if (judge->len < judge->capacity) {
        pov_judgment *judgment = &judge->judgments[judge->len];
        *judgment = *about;
        judgment->query.relation = relation;
        judgment->query.convention = convention;
        judgment->query.acceptance = acceptance;
    }
    judge->len++;
}

/* Every relation in a frame, from the judgments about its axis. */
static void give_relations(pair_judge *judge, quarter_judgments about, pov_convention convention,
                           bool cardinal)
{
    const pov_judging *judging = judge->p.judging;
    for (int relation = cardinal ? POV_NORTH_OF : 0;
         relation < (cardinal ? POV_RELATION_COUNT : POV_NORTH_OF); relation++) {
        if (!judging->relation[relation])
            continue;
        pov_quarter quarter = quarter_of((pov_relation)relation, convention);
        for (int acceptance = 0; acceptance < POV_ACCEPTANCE_COUNT; acceptance++)
            if (judging->acceptance[acceptance])
                give(judge, &about[acceptance][quarter], (pov_relation)relation, convention,
                     (pov_acceptance)acceptance);
    }
}

static void judge_without_viewer(pair_judge *judge, pov_query query, pov_perspective perspective)
{
    quarter_judgments about;
    query.perspective = perspective;
    query.viewer = POV_ID_NONE;
    query.convention = POV_NO_CONVENTION;
    query.axis = POV_HEADING;
    judge_frame(about, &judge->p, &query, judge->p.judging->acceptance);
    give_relations(judge, about, POV_NO_CONVENTION, perspective == POV_ABSOLUTE);
}

static void judge_viewer(pair_judge *judge, pov_query query)
{
    quarter_judgments about;
    for (int axis = 0; axis < POV_AXIS_COUNT; axis++) {
        if (!judge->p.judging->axis[axis])
            continue;
        query.axis = axis;
        judge_frame(about, &judge->p, &query, judge->p.judging->acceptance);
        for (int convention = 0; convention < POV_CONVENTION_COUNT; convention++)
            give_relations(judge, about, (pov_convention)convention, false);
    }
}

int pov_relation_evaluate_pair(pov_judgment *judgments, int capacity, const pov_scene *scene, pov_id referent,
                               pov_id relatum, const pov_judging *judging)
{
    POV_REQUIRE(is_id(scene, referent) && is_id(scene, relatum));
    pair_judge judge = {.judgments = judgments, .capacity = capacity};
    pair_of(&judge.p, scene, judging, referent, relatum);
    pov_query query = judge.p.judgment.query;
    for (pov_id viewer = 0; viewer < scene->len; viewer++) {
        bool camera = viewer == scene->camera;
        if (viewer == referent || viewer == relatum || !(camera || scene->entities[viewer].addressee))
            continue;
        query.perspective = camera ? POV_EGOCENTRIC : POV_ADDRESSEE;
        query.viewer = viewer;
        judge_viewer(&judge, query);
    }
    judge_without_viewer(&judge, query, POV_INTRINSIC);
    if (scene->has_north)
        judge_without_viewer(&judge, query, POV_ABSOLUTE);
    return judge.len;
}
