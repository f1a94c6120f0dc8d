#include "perception/predicate_grade.h"
#include "perception/predicate_list.h"

#include <math.h>
#include <stdlib.h>

static double of_swapped(pov_predicate predicate, const pov_situation *situation,
                         const pov_predicate_params *params)
{
    pov_situation swapped = pov_situation_swapped(situation);
    return predicate(&swapped, params);
}

static double half_height_m(const pov_body *body)
{
    return pov_box_half_extent_m(&body->box, (pov_vec3){0, 0, 1});
}

static double top_m(const pov_body *body)
{
    return body->box.centre_m.z + half_height_m(body);
}

static double bottom_m(const pov_body *body)
{
    return body->box.centre_m.z - half_height_m(body);
}

/* Between the two's heights; negative where these overlap. */
static double height_gap_m(const pov_body *a, const pov_body *b)
{
    return fmax(bottom_m(a) - top_m(b), bottom_m(b) - top_m(a));
}

/* Share of a's height that is level with b. */
static double level_share(const pov_body *a, const pov_body *b)
{
    double common_m = fmin(top_m(a), top_m(b)) - fmax(bottom_m(a), bottom_m(b));
    double height_m = 2 * half_height_m(a);
    return height_m > 0 ? fmax(0, common_m) / height_m : common_m >= 0;
}

static double share_above(double value, const pov_predicate_params *params)
{
    return pov_grade_above(value, params->share, params->share_softness);
}

/* A's height over B's top, in sizes. */
static double rise(const pov_body *a, const pov_body *b)
{
    return (a->box.centre_m.z - top_m(b)) / pov_pair_size_m(a, b);
}

POV_PREDICATE(inside)
{
    return share_above(pov_box_share_inside(&situation->referent.box, &situation->relatum[0].box), params);
}

POV_PREDICATE(outside)
{
    return 1 - pov_predicate_inside(situation, params);
}

POV_PREDICATE(contains)
{
    return of_swapped(pov_predicate_inside, situation, params);
}

POV_PREDICATE(within)
{
    const pov_body *a = &situation->referent;
    double out_m = pov_box_standing_out_m(&a->box, &situation->relatum[0].box);
    return pov_grade_below(out_m / pov_body_size_m(a), 0, params->fit_softness);
}

POV_PREDICATE(enclosed)
{
    const pov_body *a = &situation->referent, *b = &situation->relatum[0];
    pov_footprint below_a = pov_box_footprint(&a->box), below_b = pov_box_footprint(&b->box);
    double inside = pov_grade_above(pov_footprint_share_inside(&below_a, &below_b), params->enclosed_share,
                                    params->enclosed_softness);
    return pov_grade_and(inside, share_above(level_share(a, b), params));
}

POV_PREDICATE(surrounding)
{
    return of_swapped(pov_predicate_enclosed, situation, params);
}

POV_PREDICATE(above)
{
    const pov_body *a = &situation->referent, *b = &situation->relatum[0];
    double in_cone = rise(a, b) * tan(params->cone_rad) - pov_ground_gap_ratio(a, b);
    return pov_grade_above(in_cone, 0, params->size_softness);
}

POV_PREDICATE(below)
{
    return of_swapped(pov_predicate_above, situation, params);
}

POV_PREDICATE(over)
{
    const pov_body *a = &situation->referent, *b = &situation->relatum[0];
    return pov_grade_and(pov_grade_above(rise(a, b), 0, params->size_softness),
                         1 - pov_grade_outlines_apart(a, b, params));
}

POV_PREDICATE(under)
{
    return of_swapped(pov_predicate_over, situation, params);
}

POV_PREDICATE(on)
{
    const pov_body *a = &situation->referent, *b = &situation->relatum[0];
    double level =
        pov_grade_below(fabs(bottom_m(a) - top_m(b)), params->touch_gap_m, params->touch_softness_m);
    double touching = pov_predicate_touching(situation, params);
    return pov_grade_and(pov_grade_and(level, touching), 1 - pov_grade_outlines_apart(a, b, params));
}

POV_PREDICATE(off)
{
    return 1 - pov_predicate_on(situation, params);
}

POV_PREDICATE(supports)
{
    return of_swapped(pov_predicate_on, situation, params);
}

POV_PREDICATE(higher)
{
    const pov_body *a = &situation->referent, *b = &situation->relatum[0];
    double rise_m = a->box.centre_m.z - b->box.centre_m.z;
    return pov_grade_above(rise_m / pov_pair_size_m(a, b), 0, params->size_softness);
}

POV_PREDICATE(lower)
{
    return 1 - pov_predicate_higher(situation, params);
}

POV_PREDICATE(beside)
{
    const pov_body *a = &situation->referent, *b = &situation->relatum[0];
    double near = pov_grade_below(pov_ground_gap_ratio(a, b), params->near_ratio,
                                  params->near_ratio * params->distance_softness);
    double level = share_above(fmax(level_share(a, b), level_share(b, a)), params);
    return pov_grade_and(pov_grade_and(near, level), pov_grade_outlines_apart(a, b, params));
}

POV_PREDICATE(against)
{
    return pov_grade_and(pov_predicate_beside(situation, params), pov_predicate_touching(situation, params));
}

/* A's centre from B's, as a share of the way to B's border: the larger of B's two axes that lie flatter. */
static double share_of_way_out(const pov_body *a, const pov_body *b)
{
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
        return NAN;
    return fmax(fabs(at[i]) / half[i], fabs(at[j]) / half[j]);
}

/* In B, or next above or below it. */
static double at_height_of(const pov_body *a, const pov_body *b, const pov_predicate_params *params)
{
    return pov_grade_below(height_gap_m(a, b) / pov_pair_size_m(a, b), params->adjacent_ratio,
                           params->adjacent_ratio * params->distance_softness);
}

POV_PREDICATE(middle)
{
    const pov_body *a = &situation->referent, *b = &situation->relatum[0];
    double inner = pov_grade_below(share_of_way_out(a, b), params->middle_ratio, params->place_softness);
    return pov_grade_and(inner, at_height_of(a, b, params));
}

POV_PREDICATE(edge)
{
    const pov_body *a = &situation->referent, *b = &situation->relatum[0];
    double outer = pov_grade_above(share_of_way_out(a, b), params->edge_ratio, params->place_softness);
    double adjacent = pov_grade_below(pov_ground_gap_ratio(a, b), params->adjacent_ratio,
                                      params->adjacent_ratio * params->distance_softness);
    return pov_grade_and(pov_grade_and(outer, adjacent), at_height_of(a, b, params));
}

POV_PREDICATE(deep_down)
{
    const pov_body *a = &situation->referent, *b = &situation->relatum[0];
    double height = (a->box.centre_m.z - bottom_m(b)) / (2 * half_height_m(b));
    return pov_grade_and(pov_predicate_inside(situation, params),
                         pov_grade_below(height, 1.0 / 3, params->place_softness));
}

POV_PREDICATE(between)
{
    if (situation->relatum_len < 2)
        return NAN;
    pov_vec3 a = situation->referent.box.centre_m;
    pov_vec3 to_one = pov_vec3_sub(situation->relatum[0].box.centre_m, a);
    pov_vec3 from_other = pov_vec3_sub(a, situation->relatum[1].box.centre_m);
    return pov_grade_in_cone(to_one, from_other, params);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A point is inside the hull of others on the ground iff no gap between their directions exceeds 180 degrees. */
POV_PREDICATE(among)
{
    int len = situation->relatum_len;
    if (len < 3)
        return NAN;
    double direction_rad[POV_RELATA_MAX];
    for (int i = 0; i < len; i++) {
        pov_vec3 d = pov_vec3_sub(situation->relatum[i].box.centre_m, situation->referent.box.centre_m);
        direction_rad[i] = atan2(d.y, d.x);
    }
    qsort(direction_rad, (size_t)len, sizeof *direction_rad, ascending);
    double widest_rad = direction_rad[0] + 2 * POV_PI - direction_rad[len - 1];
    for (int i = 1; i < len; i++)
        widest_rad = fmax(widest_rad, direction_rad[i] - direction_rad[i - 1]);
    return pov_grade_below(widest_rad, POV_PI, params->cone_softness_rad);
}
