#include "perception/relations/predicates/predicate_grade.h"
#include "perception/relations/predicates/predicate_list.h"

#include <math.h>
#include <stddef.h>

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
