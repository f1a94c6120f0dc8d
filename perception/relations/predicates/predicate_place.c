#include "perception/relations/predicates/affordance.h"
#include "perception/relations/predicates/predicate_grade.h"
#include "perception/relations/predicates/predicate_list.h"

#include <math.h>
#include <stdlib.h>

static pov_range height_ratio(const pov_situation *situation, double difference_m)
{
    return pov_range_divided(pov_height_m(situation, difference_m), pov_situation_size_m(situation));
}

/* Between the two's heights; negative where these overlap. */
static double height_gap_m(const pov_body *a, const pov_body *b)
{
    return fmax(pov_bottom_m(a) - pov_top_m(b), pov_bottom_m(b) - pov_top_m(a));
}

/* Share of the member's height that is level with the other. */
static pov_range level_share(const pov_situation *situation, pov_member member)
{
    const pov_body *a = pov_body_of(situation, member), *b = pov_body_of(situation, pov_other(member));
    pov_range common_m =
        pov_height_m(situation, fmin(pov_top_m(a), pov_top_m(b)) - fmax(pov_bottom_m(a), pov_bottom_m(b)));
    double whole_m = 2 * pov_half_height_m(a);
    if (!(whole_m > 0))
        return (pov_range){common_m.low >= 0, common_m.high >= 0};
    return pov_range_divided(pov_range_clamped(common_m, 0, whole_m), whole_m);
}

static pov_range share_above(pov_range value, const pov_predicate_params *params)
{
    return pov_grade_above(value, params->share, params->share_softness);
}

/* The member's height over the other's top, in sizes. */
static pov_range rise(const pov_situation *situation, pov_member member)
{
    const pov_body *a = pov_body_of(situation, member), *b = pov_body_of(situation, pov_other(member));
    return height_ratio(situation, a->box.centre_m.z - pov_top_m(b));
}

POV_PREDICATE(within)
{
    const pov_body *a = &situation->referent;
    pov_range out_m = pov_range_about(pov_box_standing_out_m(&a->box, &situation->relatum[0].box),
                                      pov_drift_m(situation, POV_REFERENT));
    pov_range fits = pov_grade_below(pov_range_divided(out_m, pov_body_size_m(a)), params->fit_ratio,
                                     params->fit_softness);
    if (fits.high == 0)
        return fits;
    return pov_grade_by_use(
        situation, POV_RELATUM, POV_AFFORDS_HOLDING,
        pov_grade_and(fits, pov_grade_not(pov_grade_sheltered(situation, POV_REFERENT, params))));
}

/* A wall or fence encloses what it is much lower than. */
static pov_range grade_enclosed(const pov_situation *situation, pov_member member,
                                const pov_predicate_params *params)
{
    pov_range own_level = level_share(situation, member);
    pov_range level = pov_grade_and(
        share_above(pov_range_larger(own_level, level_share(situation, pov_other(member))), params),
        pov_grade_above(own_level, params->enclosed_height_share, params->enclosed_height_softness));
    if (level.high == 0)
        return level;
    pov_range inside = pov_grade_above(pov_outline_share(situation, member), params->enclosed_share,
                                       params->enclosed_softness);
    pov_range both = pov_grade_and(inside, level);
    return both.high == 0 || !pov_body_of(situation, pov_other(member))->affords
               ? both
               : pov_grade_and(both, pov_grade_not(pov_grade_sheltered(situation, member, params)));
}

POV_PREDICATE(enclosed)
{
    return grade_enclosed(situation, POV_REFERENT, params);
}

POV_PREDICATE(surrounding)
{
    return grade_enclosed(situation, POV_RELATUM, params);
}

/* What is in a thing is not under it. */
static pov_range unless_inside(pov_range over, const pov_situation *situation, pov_member member,
                               const pov_predicate_params *params)
{
    if (over.high == 0)
        return over;
    return pov_grade_and(over, pov_grade_not(pov_grade_inside(situation, pov_other(member), params)));
}

static pov_range above(const pov_situation *situation, pov_member member, const pov_predicate_params *params)
{
    pov_range height = rise(situation, member);
    pov_range sheltering = pov_grade_sheltered(situation, pov_other(member), params);
    if (height.high < -params->size_softness) /* no gap is less than 0 */
        return sheltering;
    height = pov_range_divided(height, 1 / tan(params->cone_rad));
    pov_range high = pov_grade_above(pov_range_difference(height, pov_ground_gap_ratio(situation)), 0,
                                     params->size_softness);
    return pov_grade_or(unless_inside(high, situation, member, params), sheltering);
}

POV_PREDICATE(above)
{
    return above(situation, POV_REFERENT, params);
}

POV_PREDICATE(below)
{
    return above(situation, POV_RELATUM, params);
}

/* The outlines are the last to be asked for: they take longest. */
static pov_range overlapping_if(pov_range otherwise, const pov_situation *situation,
                                const pov_predicate_params *params)
{
    if (otherwise.high == 0)
        return otherwise;
    return pov_grade_and(otherwise, pov_grade_not(pov_grade_outlines_apart(situation, params)));
}

static pov_range over(const pov_situation *situation, pov_member member, const pov_predicate_params *params)
{
    pov_range over =
        overlapping_if(pov_grade_above(rise(situation, member), 0, params->size_softness), situation, params);
    return pov_grade_or(unless_inside(over, situation, member, params),
                        pov_grade_sheltered(situation, pov_other(member), params));
}

POV_PREDICATE(over)
{
    return over(situation, POV_REFERENT, params);
}

POV_PREDICATE(under)
{
    return over(situation, POV_RELATUM, params);
}

POV_PREDICATE(higher)
{
    double rise_m = situation->referent.box.centre_m.z - situation->relatum[0].box.centre_m.z;
    return pov_grade_above(height_ratio(situation, rise_m), 0, params->size_softness);
}

POV_PREDICATE(lower)
{
    return pov_grade_not(pov_predicate_higher(situation, params));
}

pov_range pov_grade_next_to(const pov_situation *situation, const pov_predicate_params *params)
{
    pov_range level = share_above(
        pov_range_larger(level_share(situation, POV_REFERENT), level_share(situation, POV_RELATUM)), params);
    if (level.high == 0)
        return level;
    pov_range near = pov_grade_below(pov_ground_gap_ratio(situation), params->beside_ratio,
                                     params->beside_ratio * params->distance_softness);
    pov_range both = pov_grade_and(level, near);
    return both.high == 0 ? both : pov_grade_and(both, pov_grade_outlines_apart(situation, params));
}

POV_PREDICATE(next_to)
{
    return pov_grade_next_to(situation, params);
}

/* Right ahead of B's front, or behind it: abreast of it across the front, and not along it. */
static pov_range in_line(const pov_situation *situation, const pov_predicate_params *params)
{
    pov_vec3 front = pov_body_front(&situation->relatum[0]), left = {-front.y, front.x, 0};
    pov_range across = share_above(pov_abreast_share(situation, POV_RELATUM, left), params);
    if (across.high == 0)
        return across;
    return pov_grade_and(
        across, pov_grade_not(share_above(pov_abreast_share(situation, POV_RELATUM, front), params)));
}

POV_PREDICATE(beside)
{
    pov_range next_to = pov_grade_next_to(situation, params);
    if (next_to.high == 0 || !situation->relatum[0].has_front)
        return next_to;
    return pov_grade_and(next_to, pov_grade_not(in_line(situation, params)));
}

POV_PREDICATE(against)
{
    pov_range next_to = pov_grade_next_to(situation, params);
    return next_to.high == 0 ? next_to : pov_grade_and(next_to, pov_predicate_touching(situation, params));
}

pov_range pov_share_of_way_out(const pov_situation *situation, pov_member member)
{
    const pov_body *a = pov_body_of(situation, member), *b = pov_body_of(situation, pov_other(member));
    pov_vec3 local = pov_box_local(&b->box, a->box.centre_m);
    const double at[3] = {local.x, local.y, local.z};
    const double half[3] = {b->box.half_m.x, b->box.half_m.y, b->box.half_m.z};
    const double *up = b->box.R_table_box.m[2];
    int steepest = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(up[k]) > fabs(up[steepest]))
            steepest = k;
    int i = (steepest + 1) % 3, j = (steepest + 2) % 3;
    if (!(half[i] > 0 && half[j] > 0))
        return pov_range_exactly(NAN);
    double drift_m = situation->spread.offset_m + pov_swing_m(situation, member);
    return pov_range_about(fmax(fabs(at[i]) / half[i], fabs(at[j]) / half[j]),
                           drift_m / fmin(half[i], half[j]));
}

/* In B, or next above or below it. */
static pov_range at_height(const pov_situation *situation, const pov_predicate_params *params)
{
    double gap_m = height_gap_m(&situation->referent, &situation->relatum[0]);
    return pov_grade_below(height_ratio(situation, gap_m), params->adjacent_ratio,
                           params->adjacent_ratio * params->distance_softness);
}

POV_PREDICATE(middle)
{
    pov_range inner = pov_grade_below(pov_share_of_way_out(situation, POV_REFERENT), params->middle_ratio,
                                      params->place_softness);
    return pov_grade_and(inner, at_height(situation, params));
}

POV_PREDICATE(edge)
{
    pov_range outer = pov_grade_above(pov_share_of_way_out(situation, POV_REFERENT), params->edge_ratio,
                                      params->place_softness);
    pov_range there = pov_grade_and(outer, at_height(situation, params));
    if (there.high == 0)
        return there;
    return pov_grade_and(there, pov_grade_below(pov_ground_gap_ratio(situation), params->adjacent_ratio,
                                                params->adjacent_ratio * params->distance_softness));
}

POV_PREDICATE(deep_down)
{
    const pov_body *a = &situation->referent, *b = &situation->relatum[0];
    pov_range height = pov_range_divided(pov_height_m(situation, a->box.centre_m.z - pov_bottom_m(b)),
                                         2 * pov_half_height_m(b));
    pov_range deep = pov_grade_below(height, 1.0 / 3, params->place_softness);
    return deep.high == 0 ? deep : pov_grade_and(deep, pov_predicate_inside(situation, params));
}

/* Seen from above, A lies in the hull of both: from A's centre, the angle between their outer edges is half a turn or more. Or the
 * directions to their middles are opposite within cone_rad. */
static pov_range amid_outlines(const pov_situation *situation, const pov_predicate_params *params)
{
    const pov_body *a = &situation->referent, *second = &situation->relatum[1];
    const pov_spread *spread = &situation->spread;
    pov_footprint outline = pov_box_footprint(&second->box);
    pov_uncertain_view one = pov_situation_view(situation, POV_REFERENT);
    pov_uncertain_view other = pov_view_of(&outline, a->box.centre_m,
                                           spread->ground_m + spread->relata_m +
                                               pov_turn_reach_m(second, spread->turn_rad[POV_RELATUM + 1]));
    pov_range outside = pov_grade_and(pov_grade_outside_outline(&one, a, params),
                                      pov_grade_outside_outline(&other, a, params));
    double off_rad = one.off_rad + other.off_rad;
    if (outside.high == 0 || off_rad >= POV_PI)
        return (pov_range){0, outside.high};
    double apart_rad = fabs(pov_angle_wrap(other.middle_rad - one.middle_rad));
    pov_range middles = pov_range_about(apart_rad, off_rad);
    pov_range edges = pov_range_about(apart_rad + one.half_rad + other.half_rad, off_rad);
    pov_range amid =
        pov_grade_or(pov_grade_above(middles, POV_PI - params->cone_rad, params->cone_softness_rad),
                     pov_grade_above(edges, POV_PI, params->hull_softness_rad));
    return pov_grade_and(outside, amid);
}

/* A reaches into the heights that the two take up together. */
static pov_range amid_heights(const pov_situation *situation, const pov_predicate_params *params)
{
    const pov_body *a = &situation->referent, *b = &situation->relatum[0], *c = &situation->relatum[1];
    double over_m = pov_bottom_m(a) - fmax(pov_top_m(b), pov_top_m(c)),
           under_m = fmin(pov_bottom_m(b), pov_bottom_m(c)) - pov_top_m(a);
    pov_range out_m =
        pov_range_about(fmax(over_m, under_m), situation->spread.height_m + situation->spread.relata_m);
    return pov_grade_below(pov_range_divided(out_m, pov_body_size_m(a)), 0, params->size_softness);
}

POV_PREDICATE(between)
{
    const pov_spread *spread = &situation->spread;
    if (situation->relatum_len < 2)
        return pov_range_exactly(NAN);
    pov_uncertain_vector to_one = pov_opposite(pov_situation_offset(situation, POV_REFERENT));
    pov_uncertain_vector from_other = {
        pov_vec3_sub(situation->referent.box.centre_m, situation->relatum[1].box.centre_m),
        spread->offset_m + spread->relata_m};
    pov_range centres = pov_grade_in_cone(
        to_one, (pov_uncertain_direction){from_other.v, pov_direction_spread_rad(from_other)}, params);
    if (centres.low == 1)
        return centres;
    pov_range amid = amid_heights(situation, params);
    if (amid.high > 0)
        amid = pov_grade_and(amid, amid_outlines(situation, params));
    return pov_grade_or(centres, amid);
}

/* A point is inside the hull of others on the ground iff no gap between their directions exceeds 180 degrees. One right above or
 * below it has no direction. */
POV_PREDICATE(among)
{
    static const double same_place_m = 1e-9;
    double direction_rad[POV_RELATA_MAX], off_rad = 0;
    int len = 0;
    for (int i = 0; i < situation->relatum_len; i++) {
        pov_vec3 d = pov_vec3_sub(situation->relatum[i].box.centre_m, situation->referent.box.centre_m);
        if (hypot(d.x, d.y) <= same_place_m)
            continue;
        direction_rad[len++] = atan2(d.y, d.x);
        pov_uncertain_vector ground = {{d.x, d.y, 0}, situation->spread.offset_m};
        ground.spread_m += i > 0 ? situation->spread.relata_m : 0;
        off_rad = fmax(off_rad, pov_direction_spread_rad(ground));
    }
    if (len < 3)
        return pov_range_exactly(NAN);
    qsort(direction_rad, (size_t)len, sizeof *direction_rad, pov_compare_doubles);
    double widest_rad = direction_rad[0] + 2 * POV_PI - direction_rad[len - 1];
    for (int i = 1; i < len; i++)
        widest_rad = fmax(widest_rad, direction_rad[i] - direction_rad[i - 1]);
    return pov_grade_below(pov_range_about(widest_rad, 2 * off_rad), POV_PI, params->cone_softness_rad);
}
