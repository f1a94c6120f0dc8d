#include "perception/predicate_grade.h"

#include <math.h>
#include <stddef.h>

double pov_grade_above(double value, double threshold, double softness)
{
    if (isnan(value))
        return NAN;
    if (!(softness > 0))
        return value > threshold ? 1 : value < threshold ? 0 : 0.5;
    double u = fmax(0, fmin(1, (value - threshold) / (2 * softness) + 0.5));
    return u * u * (3 - 2 * u);
}

double pov_grade_below(double value, double threshold, double softness)
{
    return pov_grade_above(-value, -threshold, softness);
}

double pov_grade_and(double a, double b)
{
    if (isnan(a))
        return b == 0 ? 0 : NAN;
    if (isnan(b))
        return a == 0 ? 0 : NAN;
    return fmin(a, b);
}

double pov_grade_or(double a, double b)
{
    return 1 - pov_grade_and(1 - a, 1 - b);
}

double pov_body_size_m(const pov_body *body)
{
    return 2 * pov_vec3_norm(body->box.half_m);
}

double pov_pair_size_m(const pov_body *a, const pov_body *b)
{
    return (pov_body_size_m(a) + pov_body_size_m(b)) / 2;
}

double pov_grade_in_cone(pov_vec3 v, pov_vec3 direction, const pov_predicate_params *params)
{
    double along = pov_vec3_dot(v, direction), aside = pov_vec3_norm(pov_vec3_cross(v, direction));
    if (!(hypot(along, aside) > 0))
        return NAN;
    return pov_grade_below(atan2(aside, along), params->cone_rad, params->cone_softness_rad);
}

pov_vec3 pov_situation_offset_m(const pov_situation *situation)
{
    return pov_vec3_sub(situation->referent.box.centre_m, situation->relatum[0].box.centre_m);
}

pov_vec3 pov_situation_ground_offset_m(const pov_situation *situation)
{
    pov_vec3 offset_m = pov_situation_offset_m(situation);
    return (pov_vec3){offset_m.x, offset_m.y, 0};
}

pov_situation pov_situation_swapped(const pov_situation *situation)
{
    pov_situation swapped = {.referent = situation->relatum[0],
                             .relatum_len = 1,
                             .relatum = {situation->referent},
                             .has_axes = situation->has_axes,
                             .front = situation->front,
                             .left = situation->left,
                             .has_viewer = situation->has_viewer,
                             .viewer_m = situation->viewer_m};
    return swapped;
}

pov_vec3 pov_body_front(const pov_body *body)
{
    return (pov_vec3){cos(body->front_yaw_rad), sin(body->front_yaw_rad), 0};
}

bool pov_body_moves(const pov_body *body, const pov_predicate_params *params)
{
    return body->has_velocity &&
           pov_vec3_norm(body->velocity_m_s) > params->still_speed_1_s * pov_body_size_m(body);
}

bool pov_body_long_axis(pov_vec3 *axis, const pov_body *body, const pov_predicate_params *params)
{
    const double half[3] = {body->box.half_m.x, body->box.half_m.y, body->box.half_m.z};
    int longest = 0;
    for (int k = 1; k < 3; k++)
        if (half[k] > half[longest])
            longest = k;
    const double(*R)[3] = body->box.R_table_box.m;
    *axis = (pov_vec3){R[0][longest], R[1][longest], R[2][longest]};
    double second = fmax(half[(longest + 1) % 3], half[(longest + 2) % 3]);
    return half[longest] > 0 && half[longest] >= params->elongation * second;
}

/* The smaller of two outlines lies by less than `share` within the larger. */
double pov_grade_outlines_apart(const pov_body *a, const pov_body *b, const pov_predicate_params *params)
{
    pov_footprint below_a = pov_box_footprint(&a->box), below_b = pov_box_footprint(&b->box);
    double common =
        fmax(pov_footprint_share_inside(&below_a, &below_b), pov_footprint_share_inside(&below_b, &below_a));
    return pov_grade_below(common, params->share, params->share_softness);
}

double pov_ground_gap_ratio(const pov_body *a, const pov_body *b)
{
    pov_footprint below_a = pov_box_footprint(&a->box), below_b = pov_box_footprint(&b->box);
    return pov_footprint_gap_m(&below_a, &below_b) / pov_pair_size_m(a, b);
}
