/* One query: the exact expectation of a direction, or the mean truth of situations drawn from the posterior. */
#include "perception/relations/relation.h"

#include "perception/geometry/lattice.h"
#include "perception/relations/predicates/containment.h"
#include "perception/relations/relation_internal.h"
#include "perception/relations/situation_posterior.h"

#include <math.h>

/* All entities are of the scene, and different. */
static bool has_entities(const pov_scene *scene, const pov_query *query)
{
    if (query->relatum_len < 1 || query->relatum_len > POV_RELATA_MAX || !pov_is_id(scene, query->referent) ||
        (query->viewer != POV_ID_NONE && !pov_is_id(scene, query->viewer)))
        return false;
    for (int i = 0; i < query->relatum_len; i++) {
        if (!pov_is_id(scene, query->relatum[i]) || query->relatum[i] == query->referent)
            return false;
        for (int j = 0; j < i; j++)
            if (query->relatum[i] == query->relatum[j])
                return false;
    }
    return true;
}

/* -------- directions -------- */

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

/* A viewer's axes on the relatum (Levinson 2003; COMFORT, section 2): moved there as they are; turned
 * to face the viewer; or mirrored, which turns front and back but leaves left and right. */
pov_quarter pov_relation_quarter(pov_relation relation, pov_convention convention)
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

static bool is_cardinal(pov_relation relation)
{
    return relation >= POV_NORTH_OF && relation <= POV_WEST_OF;
}

static bool has_frame(const pov_query *query)
{
    bool relative = pov_is_relative(query->perspective);
    return (!relative || query->viewer != POV_ID_NONE) &&
           relative == (query->convention != POV_NO_CONVENTION) &&
           (query->perspective == POV_ABSOLUTE) == is_cardinal(query->relation->projective);
}

static void judge_direction(pov_judgment *judgment, const pov_scene *scene, const pov_judging *judging)
{
    const pov_query *query = &judgment->query;
    pov_relatum_axis axis = {.perspective = query->perspective, .viewer = query->viewer, .axis = query->axis};
    pov_pair pair;
    pov_heading north;
    pov_axis_beliefs beliefs;
    bool wanted[POV_ACCEPTANCE_COUNT] = {false};
    wanted[query->acceptance] = true;
    pov_pair_find(&pair, scene, query->referent, query->relatum[0]);
    pov_axis_find(&axis, &north, scene, query->relatum[0]);
    pov_axis_judge(&beliefs, &pair, &axis, judging, wanted);
    pov_judgment_fill(judgment, &beliefs, &pair, query->acceptance,
                      pov_relation_quarter(query->relation->projective, query->convention));
}

/* -------- other relations: the mean truth of situations drawn from the posterior -------- */

/* Points of the lattice. A margin of 3 sigma asks about tails that hold one point of the first level. */
enum { POINTS_TO_TELL_UNDEFINED = 32, POINTS_FIRST = 1024, POINTS_LAST = 8192 };
/* Change of p, from one level to the next, below which it has settled; chosen for an error below 0.005. */
static const double settled_p = 0.001;

void pov_truth_tally_count(pov_truth_tally *tally, double truth)
{
    tally->points++;
    if (isnan(truth))
        return;
    tally->defined++;
    tally->holding += pov_share_holding(truth);
    tally->truth += truth;
    tally->truth_squared += truth * truth;
}

pov_belief pov_truth_tally_belief(const pov_truth_tally *tally, double abstain_margin)
{
    if (2 * tally->defined <= tally->points)
        return (pov_belief){NAN, NAN, POV_VERDICT_UNDEFINED};
    const double mean = tally->truth / tally->defined, undefined = tally->points - tally->defined;
    const pov_verdict least = pov_verdict_of_share(tally->holding / tally->points, abstain_margin),
                      most =
                          pov_verdict_of_share((tally->holding + undefined) / tally->points, abstain_margin);
    return (pov_belief){mean, sqrt(fmax(0, tally->truth_squared / tally->defined - mean * mean)),
                        least == most ? least : POV_ABSTAIN};
}

bool pov_truth_tally_is_unanimous(const pov_truth_tally *tally)
{
    return tally->defined == 0 ||
           (tally->defined == tally->points && (tally->truth == 0 || tally->truth == (double)tally->points));
}

static void count_points(pov_truth_tally *tally, const pov_situation_posterior *posterior,
                         const pov_predicate_params *params, int until)
{
    pov_predicate evaluate = posterior->query->relation->evaluate;
    double point[POV_SITUATION_DIMENSIONS_MAX];
    pov_situation situation;
    while (tally->points < until) {
        pov_lattice_point(point, posterior->dimensions, tally->points);
        pov_situation_posterior_draw(posterior, &situation, point);
        pov_truth_tally_count(tally, evaluate(&situation, params).low);
    }
}

static pov_belief expect_truth(const pov_situation_posterior *posterior, const pov_judging *judging)
{
    pov_truth_tally tally = {0};
    int until = posterior->dimensions == 0 ? 1 : POINTS_FIRST;
    if (until > 1)
        count_points(&tally, posterior, &judging->params, POINTS_TO_TELL_UNDEFINED);
    if (until == 1 || tally.defined > 0)
        count_points(&tally, posterior, &judging->params, until);
    pov_belief belief = pov_truth_tally_belief(&tally, judging->abstain_margin);
    while (until > 1 && until < POINTS_LAST && !pov_truth_tally_is_unanimous(&tally)) {
        double before = belief.p;
        until *= 2;
        count_points(&tally, posterior, &judging->params, until);
        belief = pov_truth_tally_belief(&tally, judging->abstain_margin);
        if (fabs(belief.p - before) < settled_p)
            break;
    }
    return belief;
}

static void judge_graded(pov_judgment *judgment, const pov_scene *scene, const pov_judging *judging)
{
    const pov_query *query = &judgment->query;
    const pov_entity *e = scene->entities;
    pov_situation_posterior posterior;
    if (pov_situation_posterior_of(&posterior, scene, query))
        judgment->belief = expect_truth(&posterior, judging);
    if (query->relation->frame == POV_FRAME_NONE || query->perspective == POV_ABSOLUTE ||
        !e[query->referent].placed || !e[query->relatum[0]].placed)
        return;
    judgment->p_internal = pov_containment_probability(scene, query->referent, query->relatum[0]);
    judgment->containment = judgment->p_internal > 0.5 ? POV_INTERNAL : POV_EXTERNAL;
}

/* -------- any -------- */

/* A hypothetical viewer has no body that could be anywhere; only its front is given. */
static bool is_located_in_vain(const pov_scene *scene, const pov_query *query)
{
    return scene->entities[query->referent].is_hypothetical && query->relation->category != POV_ORIENTATION;
}

pov_code pov_relation_evaluate(pov_judgment *judgment, const pov_scene *scene, const pov_query *query,
                               const pov_judging *judging)
{
    POV_REQUIRE(query->relation);
    *judgment = (pov_judgment){.query = *query,
                               .belief = {NAN, NAN, POV_VERDICT_UNDEFINED},
                               .theta_rad = NAN,
                               .theta_std_rad = NAN,
                               .flip_distance_m = NAN,
                               .p_internal = NAN};
    if (!has_entities(scene, query) || is_located_in_vain(scene, query))
        return POV_UNDEFINED;
    if (query->relation->projective == POV_RELATION_COUNT)
        judge_graded(judgment, scene, judging);
    else if (has_frame(query))
        judge_direction(judgment, scene, judging);
    return judgment->belief.verdict == POV_VERDICT_UNDEFINED ? POV_UNDEFINED : POV_OK;
}
