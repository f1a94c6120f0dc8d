#include "perception/relations/predicate_grade.h"
#include "perception/relations/predicate_list.h"

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

static pov_uncertain_direction frame_side_of(const pov_situation *situation, frame_side side)
{
    return (pov_uncertain_direction){frame_direction(situation, side), situation->spread.axes_rad};
}

static pov_range cosine(const pov_situation *situation, frame_side side)
{
    pov_vec3 offset_m = pov_situation_ground_offset(situation, POV_REFERENT).v;
    double distance_m = pov_vec3_norm(offset_m);
    if (pov_is_spread(&situation->spread))
        return (pov_range){0, 1};
    if (!(distance_m > 0))
        return pov_range_exactly(NAN);
    return pov_range_exactly((pov_vec3_dot(offset_m, frame_direction(situation, side)) / distance_m + 1) / 2);
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

/* What is measured last takes longest. */
static pov_range near_to_side(const pov_situation *situation, frame_side side,
                              const pov_predicate_params *params)
{
    pov_range to_side = pov_grade_in_cone(pov_situation_ground_offset(situation, POV_REFERENT),
                                          frame_side_of(situation, side), params);
    return to_side.high == 0 ? to_side : pov_grade_and(to_side, pov_predicate_near(situation, params));
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

pov_range pov_grade_facing(const pov_situation *situation, pov_member member,
                           const pov_predicate_params *params)
{
    if (!pov_body_of(situation, member)->has_front)
        return pov_range_exactly(NAN);
    return pov_grade_in_cone(pov_situation_ground_offset(situation, pov_other(member)),
                             pov_situation_front(situation, member), params);
}

POV_PREDICATE(facing)
{
    return pov_grade_facing(situation, POV_REFERENT, params);
}

POV_PREDICATE(facing_away)
{
    if (!situation->referent.has_front)
        return pov_range_exactly(NAN);
    return pov_grade_in_cone(pov_situation_ground_offset(situation, POV_REFERENT),
                             pov_situation_front(situation, POV_REFERENT), params);
}

/* The angle between two lines, in [0, pi/2]. */
static pov_range line_angle_rad(pov_vec3 a, pov_vec3 b, double spread_rad)
{
    double angle_rad = atan2(pov_vec3_norm(pov_vec3_cross(a, b)), fabs(pov_vec3_dot(a, b)));
    return pov_range_clamped(pov_range_about(angle_rad, spread_rad), 0, POV_PI / 2);
}

static bool main_axis(pov_vec3 *axis, const pov_body *body, const pov_predicate_params *params)
{
    if (!body->has_front)
        return pov_body_long_axis(axis, body, params);
    *axis = pov_body_front(body);
    return true;
}

static double turns_rad(const pov_situation *situation)
{
    return situation->spread.turn_rad[POV_REFERENT] + situation->spread.turn_rad[POV_RELATUM];
}

static pov_range main_axes_angle_rad(const pov_situation *situation, const pov_predicate_params *params)
{
    pov_vec3 a, b;
    if (!main_axis(&a, &situation->referent, params) || !main_axis(&b, &situation->relatum[0], params))
        return pov_range_exactly(NAN);
    return line_angle_rad(a, b, turns_rad(situation));
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
    pov_range beside = pov_predicate_beside(situation, params),
              parallel = pov_predicate_parallel(situation, params);
    return isnan(parallel.low) ? beside : pov_grade_and(beside, parallel);
}

/* Between A's course, or its long axis if it does not move, and B's long axis. */
static pov_range course_angle_rad(const pov_situation *situation, const pov_predicate_params *params)
{
    pov_vec3 course = situation->referent.velocity_m_s, axis;
    if (pov_motion_is_open(situation, params))
        return (pov_range){0, POV_PI / 2};
    if (!pov_body_moves(&situation->referent, params) &&
        !pov_body_long_axis(&course, &situation->referent, params))
        return pov_range_exactly(NAN);
    if (!pov_body_long_axis(&axis, &situation->relatum[0], params))
        return pov_range_exactly(NAN);
    return line_angle_rad(course, axis, turns_rad(situation));
}

POV_PREDICATE(along)
{
    pov_range parallel = pov_grade_below(course_angle_rad(situation, params), params->parallel_rad,
                                         params->parallel_softness_rad);
    return parallel.high == 0 ? parallel : pov_grade_and(parallel, pov_predicate_near(situation, params));
}

POV_PREDICATE(across)
{
    pov_range crossing = pov_grade_above(course_angle_rad(situation, params),
                                         POV_PI / 2 - params->parallel_rad, params->parallel_softness_rad);
    if (crossing.high == 0)
        return crossing;
    return pov_grade_and(crossing, pov_grade_below(pov_ground_gap_ratio(situation), params->adjacent_ratio,
                                                   params->adjacent_ratio * params->distance_softness));
}

POV_PREDICATE(across_from)
{
    const pov_body *a = &situation->referent, *b = &situation->relatum[0];
    if (!a->has_front && !b->has_front)
        return pov_range_exactly(NAN);
    const pov_range holds = {1, 1};
    pov_range faces = a->has_front ? pov_grade_facing(situation, POV_REFERENT, params) : holds;
    pov_range faced = b->has_front ? pov_grade_facing(situation, POV_RELATUM, params) : holds;
    pov_range both = pov_grade_and(faces, faced);
    return both.high == 0 ? both : pov_grade_and(both, pov_grade_outlines_apart(situation, params));
}

POV_PREDICATE(beyond)
{
    if (!situation->has_viewer)
        return pov_range_exactly(NAN);
    pov_uncertain_vector sight = {pov_vec3_sub(situation->relatum[0].box.centre_m, situation->viewer_m),
                                  situation->spread.viewer_m};
    sight.v.z = 0;
    if (!(pov_vec3_norm(sight.v) > 0))
        return pov_range_exactly(NAN);
    return pov_grade_in_cone(pov_situation_ground_offset(situation, POV_REFERENT),
                             (pov_uncertain_direction){sight.v, pov_direction_spread_rad(sight)}, params);
}

POV_PREDICATE(after)
{
    const pov_body *b = &situation->relatum[0];
    bool moves = pov_body_moves(b, params);
    if (pov_motion_is_open(situation, params))
        return (pov_range){0, 1};
    if (!moves && !b->has_front)
        return pov_range_exactly(NAN);
    pov_uncertain_direction course = {b->velocity_m_s, 0};
    return pov_grade_in_cone(pov_situation_offset(situation, POV_RELATUM),
                             moves ? course : pov_situation_front(situation, POV_RELATUM), params);
}
