#include "perception/predicate_grade.h"
#include "perception/predicate_list.h"

#include <math.h>
#include <stddef.h>

typedef enum { FRONT, BACK, LEFT, RIGHT } frame_side;

/* One of the frame's directions at the relatum; NaN without a frame. */
static pov_vec3 frame_direction(const pov_situation *situation, frame_side side)
{
    if (!situation->has_axes)
        return (pov_vec3){NAN, NAN, 0};
    pov_vec2 axis = side == FRONT || side == BACK ? situation->front : situation->left;
    double sign = side == FRONT || side == LEFT ? 1 : -1;
    return (pov_vec3){sign * axis.x, sign * axis.y, 0};
}

static double cosine(const pov_situation *situation, frame_side side)
{
    pov_vec3 offset_m = pov_situation_ground_offset_m(situation);
    double distance_m = pov_vec3_norm(offset_m);
    if (!(distance_m > 0))
        return NAN;
    return (pov_vec3_dot(offset_m, frame_direction(situation, side)) / distance_m + 1) / 2;
}

POV_PREDICATE(left)
{
    (void)params;
    return cosine(situation, LEFT);
}

POV_PREDICATE(right)
{
    (void)params;
    return cosine(situation, RIGHT);
}

POV_PREDICATE(front)
{
    (void)params;
    return cosine(situation, FRONT);
}

POV_PREDICATE(behind)
{
    (void)params;
    return cosine(situation, BACK);
}

static double to_side(const pov_situation *situation, frame_side side, const pov_predicate_params *params)
{
    return pov_grade_in_cone(pov_situation_ground_offset_m(situation), frame_direction(situation, side),
                             params);
}

static double near_to_side(const pov_situation *situation, frame_side side,
                           const pov_predicate_params *params)
{
    return pov_grade_and(pov_predicate_near(situation, params), to_side(situation, side, params));
}

POV_PREDICATE(at_left)
{
    return near_to_side(situation, LEFT, params);
}

POV_PREDICATE(at_right)
{
    return near_to_side(situation, RIGHT, params);
}

POV_PREDICATE(at_side)
{
    return pov_grade_or(near_to_side(situation, LEFT, params), near_to_side(situation, RIGHT, params));
}

POV_PREDICATE(at_back)
{
    return near_to_side(situation, BACK, params);
}

POV_PREDICATE(facing)
{
    if (!situation->referent.has_front)
        return NAN;
    pov_vec3 to_relatum = pov_vec3_scale(pov_situation_ground_offset_m(situation), -1);
    return pov_grade_in_cone(to_relatum, pov_body_front(&situation->referent), params);
}

POV_PREDICATE(facing_away)
{
    if (!situation->referent.has_front)
        return NAN;
    return pov_grade_in_cone(pov_situation_ground_offset_m(situation), pov_body_front(&situation->referent),
                             params);
}

/* The angle between two lines, in [0, pi/2]. */
static double line_angle_rad(pov_vec3 a, pov_vec3 b)
{
    return atan2(pov_vec3_norm(pov_vec3_cross(a, b)), fabs(pov_vec3_dot(a, b)));
}

static bool main_axis(pov_vec3 *axis, const pov_body *body, const pov_predicate_params *params)
{
    if (!body->has_front)
        return pov_body_long_axis(axis, body, params);
    *axis = pov_body_front(body);
    return true;
}

static double main_axes_angle_rad(const pov_situation *situation, const pov_predicate_params *params)
{
    pov_vec3 a, b;
    if (!main_axis(&a, &situation->referent, params) || !main_axis(&b, &situation->relatum[0], params))
        return NAN;
    return line_angle_rad(a, b);
}

POV_PREDICATE(parallel)
{
    return pov_grade_below(main_axes_angle_rad(situation, params), params->parallel_rad,
                           params->parallel_softness_rad);
}

POV_PREDICATE(perpendicular)
{
    return pov_grade_above(main_axes_angle_rad(situation, params), POV_PI / 2 - params->parallel_rad,
                           params->parallel_softness_rad);
}

POV_PREDICATE(alongside)
{
    double beside = pov_predicate_beside(situation, params),
           parallel = pov_predicate_parallel(situation, params);
    return isnan(parallel) ? beside : pov_grade_and(beside, parallel);
}

/* Between A's course, or its long axis if it does not move, and B's long axis. */
static double course_angle_rad(const pov_situation *situation, const pov_predicate_params *params)
{
    pov_vec3 course = situation->referent.velocity_m_s, axis;
    if (!pov_body_moves(&situation->referent, params) &&
        !pov_body_long_axis(&course, &situation->referent, params))
        return NAN;
    return pov_body_long_axis(&axis, &situation->relatum[0], params) ? line_angle_rad(course, axis) : NAN;
}

POV_PREDICATE(along)
{
    double parallel = pov_grade_below(course_angle_rad(situation, params), params->parallel_rad,
                                      params->parallel_softness_rad);
    return pov_grade_and(pov_predicate_near(situation, params), parallel);
}

POV_PREDICATE(across)
{
    double adjacent =
        pov_grade_below(pov_ground_gap_ratio(&situation->referent, &situation->relatum[0]),
                        params->adjacent_ratio, params->adjacent_ratio * params->distance_softness);
    double crossing = pov_grade_above(course_angle_rad(situation, params), POV_PI / 2 - params->parallel_rad,
                                      params->parallel_softness_rad);
    return pov_grade_and(adjacent, crossing);
}

POV_PREDICATE(across_from)
{
    pov_situation back = pov_situation_swapped(situation);
    const pov_body *a = &situation->referent, *b = &situation->relatum[0];
    if (!a->has_front && !b->has_front)
        return NAN;
    double faces = a->has_front ? pov_predicate_facing(situation, params) : 1;
    double faced = b->has_front ? pov_predicate_facing(&back, params) : 1;
    return pov_grade_and(pov_grade_and(faces, faced), pov_grade_outlines_apart(a, b, params));
}

POV_PREDICATE(beyond)
{
    if (!situation->has_viewer)
        return NAN;
    pov_vec3 sight = pov_vec3_sub(situation->relatum[0].box.centre_m, situation->viewer_m);
    sight.z = 0;
    if (!(pov_vec3_norm(sight) > 0))
        return NAN;
    return pov_grade_in_cone(pov_situation_ground_offset_m(situation), sight, params);
}

POV_PREDICATE(after)
{
    const pov_body *b = &situation->relatum[0];
    bool moves = pov_body_moves(b, params);
    if (!moves && !b->has_front)
        return NAN;
    pov_vec3 course = moves ? b->velocity_m_s : pov_body_front(b);
    return pov_grade_in_cone(pov_situation_offset_m(situation), pov_vec3_scale(course, -1), params);
}
