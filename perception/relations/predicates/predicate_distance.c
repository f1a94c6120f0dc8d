/* Gaps and distances, and sizes. */
#include "perception/relations/predicates/predicate_grade.h"
#include "perception/relations/predicates/predicate_list.h"

#include <math.h>

static pov_range gap_ratio(const pov_situation *situation)
{
    return pov_range_divided(pov_situation_gap_m(situation), pov_situation_size_m(situation));
}

POV_PREDICATE(touching)
{
    return pov_grade_below(pov_situation_gap_m(situation), params->touch_gap_m, params->touch_softness_m);
}

POV_PREDICATE(detached)
{
    return pov_grade_not(pov_predicate_touching(situation, params));
}

POV_PREDICATE(adjacent)
{
    return pov_grade_below(gap_ratio(situation), params->adjacent_ratio,
                           params->adjacent_ratio * params->distance_softness);
}

POV_PREDICATE(near)
{
    return pov_grade_below(gap_ratio(situation), params->near_ratio,
                           params->near_ratio * params->distance_softness);
}

POV_PREDICATE(far)
{
    return pov_grade_above(gap_ratio(situation), params->far_ratio,
                           params->far_ratio * params->distance_softness);
}

POV_PREDICATE(far_away)
{
    return pov_grade_above(gap_ratio(situation), params->far_away_ratio,
                           params->far_away_ratio * params->distance_softness);
}

/* Between the second relatum and the first. */
static pov_range gap_of_second_m(const pov_situation *situation)
{
    const pov_body *to = &situation->relatum[0], *than = &situation->relatum[1];
    const pov_spread *spread = &situation->spread;
    double drift_m = spread->relata_m + pov_turn_reach_m(to, spread->turn_rad[POV_RELATUM]) +
                     pov_turn_reach_m(than, spread->turn_rad[POV_RELATUM + 1]);
    return pov_range_about(pov_box_gap_m(&than->box, &to->box), drift_m);
}

POV_PREDICATE(nearer_to)
{
    if (situation->relatum_len < 2)
        return pov_range_exactly(NAN);
    pov_range lead_m = pov_range_difference(gap_of_second_m(situation), pov_situation_gap_m(situation));
    double size_m = pov_pair_size_m(&situation->referent, &situation->relatum[1]);
    return pov_grade_above(pov_range_divided(lead_m, size_m), 0, params->size_softness);
}

POV_PREDICATE(farther_from)
{
    return pov_grade_not(pov_predicate_nearer_to(situation, params));
}

static pov_range distance_of_viewer_m(const pov_situation *situation, pov_member to, double spread_m)
{
    const pov_body *body = pov_body_of(situation, to);
    double drift_m = spread_m + pov_turn_reach_m(body, situation->spread.turn_rad[to]);
    return pov_range_about(pov_box_point_signed_distance_m(&body->box, situation->viewer_m), drift_m);
}

POV_PREDICATE(nearer_to_viewer)
{
    const pov_spread *spread = &situation->spread;
    if (!situation->has_viewer)
        return pov_range_exactly(NAN);
    pov_range lead_m = pov_range_difference(
        distance_of_viewer_m(situation, POV_RELATUM, spread->viewer_m),
        distance_of_viewer_m(situation, POV_REFERENT, spread->viewer_m + spread->offset_m));
    return pov_grade_above(pov_range_divided(lead_m, pov_situation_size_m(situation)), 0,
                           params->size_softness);
}

POV_PREDICATE(farther_from_viewer)
{
    return pov_grade_not(pov_predicate_nearer_to_viewer(situation, params));
}

POV_PREDICATE(undecidable)
{
    (void)situation;
    (void)params;
    return pov_range_exactly(NAN);
}

/* ---- how big and how tall ---- */

/* NaN where neither has any. */
static pov_range grade_more(double a, double b, const pov_predicate_params *params)
{
    return pov_grade_above(pov_range_exactly(2 * (a - b) / (a + b)), 0, params->size_softness);
}

POV_PREDICATE(bigger)
{
    return grade_more(pov_box_volume_m3(&situation->referent.box),
                      pov_box_volume_m3(&situation->relatum[0].box), params);
}

POV_PREDICATE(smaller)
{
    return pov_grade_not(pov_predicate_bigger(situation, params));
}

static double height_m(const pov_body *body)
{
    return 2 * pov_box_half_extent_m(&body->box, (pov_vec3){0, 0, 1});
}

POV_PREDICATE(taller)
{
    return grade_more(height_m(&situation->referent), height_m(&situation->relatum[0]), params);
}

POV_PREDICATE(shorter)
{
    return pov_grade_not(pov_predicate_taller(situation, params));
}

/* Its edges, the longest first. */
static void sort_edges(double edge_m[3], const pov_body *body)
{
    pov_vec3 h = body->box.half_m;
    double least = fmin(h.x, fmin(h.y, h.z)), most = fmax(h.x, fmax(h.y, h.z));
    edge_m[0] = 2 * most;
    edge_m[1] = 2 * (h.x + h.y + h.z - least - most);
    edge_m[2] = 2 * least;
}

/* The edges that differ most decide. */
POV_PREDICATE(congruent)
{
    double a[3], b[3], difference = 0;
    sort_edges(a, &situation->referent);
    sort_edges(b, &situation->relatum[0]);
    if (!(a[2] > 0 && b[2] > 0))
        return pov_range_exactly(NAN);
    for (int i = 0; i < 3; i++)
        difference = fmax(difference, 2 * fabs(a[i] - b[i]) / (a[i] + b[i]));
    return pov_grade_below(pov_range_exactly(difference), POV_SIMILAR_LENGTH, params->size_softness);
}
