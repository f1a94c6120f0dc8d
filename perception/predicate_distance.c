#include "perception/predicate_grade.h"
#include "perception/predicate_list.h"

#include <math.h>
#include <stddef.h>

static double gap_m(const pov_body *a, const pov_body *b)
{
    return pov_box_gap_m(&a->box, &b->box);
}

static double gap_ratio(const pov_situation *situation)
{
    const pov_body *a = &situation->referent, *b = &situation->relatum[0];
    return gap_m(a, b) / pov_pair_size_m(a, b);
}

POV_PREDICATE(touching)
{
    return pov_grade_below(gap_m(&situation->referent, &situation->relatum[0]), params->touch_gap_m,
                           params->touch_softness_m);
}

POV_PREDICATE(detached)
{
    return 1 - pov_predicate_touching(situation, params);
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

POV_PREDICATE(nearer_to)
{
    if (situation->relatum_len < 2)
        return NAN;
    const pov_body *a = &situation->referent, *to = &situation->relatum[0], *than = &situation->relatum[1];
    double lead = (gap_m(than, to) - gap_m(a, to)) / pov_pair_size_m(a, than);
    return pov_grade_above(lead, 0, params->size_softness);
}

POV_PREDICATE(farther_from)
{
    return 1 - pov_predicate_nearer_to(situation, params);
}

POV_PREDICATE(nearer_to_viewer)
{
    if (!situation->has_viewer)
        return NAN;
    const pov_body *a = &situation->referent, *b = &situation->relatum[0];
    double lead_m = pov_box_point_signed_distance_m(&b->box, situation->viewer_m) -
                    pov_box_point_signed_distance_m(&a->box, situation->viewer_m);
    return pov_grade_above(lead_m / pov_pair_size_m(a, b), 0, params->size_softness);
}

POV_PREDICATE(farther_from_viewer)
{
    return 1 - pov_predicate_nearer_to_viewer(situation, params);
}

POV_PREDICATE(bigger)
{
    double a = pov_box_volume_m3(&situation->referent.box), b = pov_box_volume_m3(&situation->relatum[0].box);
    return pov_grade_above(2 * (a - b) / (a + b), 0, params->size_softness);
}

POV_PREDICATE(smaller)
{
    return 1 - pov_predicate_bigger(situation, params);
}

POV_PREDICATE(undecidable)
{
    (void)situation;
    (void)params;
    return NAN;
}
