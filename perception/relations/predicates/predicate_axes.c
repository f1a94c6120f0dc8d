#include "perception/relations/predicates/predicate_grade.h"
#include "perception/relations/predicates/predicate_list.h"

#include <math.h>

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

/* In the cone about a direction: by the nearest points of the two outlines (proximal orientation: Regier & Carlson 2001), which a long
 * side has at its whole length; where the outlines overlap, by the centres. */
static pov_range in_region(const pov_situation *situation, pov_uncertain_direction direction,
                           const pov_predicate_params *params)
{
    pov_range gap_m = pov_ground_gap_m(situation);
    if (gap_m.low > 0)
        return pov_grade_in_cone(pov_ground_gap(situation), direction, params);
    if (gap_m.high > 0)
        return (pov_range){0, 1};
    return pov_grade_in_cone(pov_situation_ground_offset(situation, POV_REFERENT), direction, params);
}

/* Undefined without a frame. The costliest measure comes last. */
static pov_range near_to_side(const pov_situation *situation, frame_side side,
                              const pov_predicate_params *params)
{
    if (!situation->has_axes)
        return pov_range_exactly(NAN);
    pov_range to_side = in_region(situation, frame_side_of(situation, side), params);
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

/* -------- the aim of a front or a course -------- */

/* Angle of a direction off the middle of the outline's share of the horizon. */
static double aim_rad(pov_uncertain_direction direction, double middle_rad)
{
    return fabs(pov_angle_wrap(atan2(direction.v.y, direction.v.x) - middle_rad));
}

pov_range pov_grade_hit(const pov_situation *situation, pov_member member, pov_uncertain_direction direction,
                        const pov_predicate_params *params)
{
    const pov_uncertain_view view = pov_situation_view(situation, member);
    const double off_rad = view.off_rad + direction.spread_rad;
    pov_range outside = pov_grade_outside_outline(&view, pov_body_of(situation, member), params);
    if (outside.high == 0 || off_rad >= POV_PI)
        return (pov_range){0, outside.high};
    pov_range past_edge_rad = pov_range_about(aim_rad(direction, view.middle_rad) - view.half_rad, off_rad);
    return pov_grade_and(outside, pov_grade_below(past_edge_rad, 0, params->hit_softness_rad));
}

/** A horizontal direction at the member's centre points at the other: it meets its outline, or is within cone_rad of the
 *  middle of what the outline takes up. The hit alone. Neither where the centre is within the outline. */
static pov_range grade_pointing(const pov_situation *situation, pov_member member,
                                pov_uncertain_direction direction, const pov_predicate_params *params)
{
    const pov_uncertain_view view = pov_situation_view(situation, member);
    const double off_rad = view.off_rad + direction.spread_rad;
    pov_range outside = pov_grade_outside_outline(&view, pov_body_of(situation, member), params);
    if (outside.high == 0)
        return outside;
    pov_range ahead =
        pov_grade_in_cone(pov_situation_ground_offset(situation, pov_other(member)), direction, params);
    if (ahead.high > 0) {
        double angle_rad = aim_rad(direction, view.middle_rad);
        pov_range range_rad = pov_range_clamped(pov_range_about(angle_rad, off_rad), 0, POV_PI);
        ahead = pov_grade_and(ahead, pov_grade_below(range_rad, params->cone_rad, params->cone_softness_rad));
    }
    if (ahead.low < 1)
        ahead = pov_grade_or(ahead, pov_grade_hit(situation, member, direction, params));
    return pov_grade_and(outside, ahead);
}

/** Predicates of either member against the other. */
static pov_range grade_facing(const pov_situation *situation, pov_member member,
                              const pov_predicate_params *params)
{
    if (!pov_body_of(situation, member)->has_front)
        return pov_range_exactly(NAN);
    return grade_pointing(situation, member, pov_situation_front(situation, member), params);
}

POV_PREDICATE(facing)
{
    return grade_facing(situation, POV_REFERENT, params);
}

/* Twice the mean error of 7.3 degrees of a ray from the head through the fingertip (Breuer, Ploeger & Kraetzschmar 2010), as a pointing
 * cone (Kranstedt et al. 2006) has its rim: chosen. */
static const double hand_cone_rad = 15 * POV_PI / 180, hand_softness_rad = 3 * POV_PI / 180;

POV_PREDICATE(pointing)
{
    pov_predicate_params narrow = *params;
    narrow.cone_rad = hand_cone_rad;
    narrow.cone_softness_rad = hand_softness_rad;
    if (!situation->referent.has_front && situation->referent.has_idle_hands)
        return pov_range_exactly(0);
    return grade_facing(situation, POV_REFERENT, &narrow);
}

POV_PREDICATE(facing_away)
{
    if (!situation->referent.has_front)
        return pov_range_exactly(NAN);
    pov_uncertain_direction back = pov_situation_front(situation, POV_REFERENT);
    back.v = pov_vec3_scale(back.v, -1);
    return grade_pointing(situation, POV_REFERENT, back, params);
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

/* The direction of a lying thing's length; false if it stands upright or is about as wide as long. */
static bool lengthwise(pov_vec3 *axis, const pov_body *body, const pov_predicate_params *params)
{
    static const double lying = 0.7; /* of its axis: nearer to level than to upright */
    return pov_body_long_axis(axis, body, params) && hypot(axis->x, axis->y) > lying;
}

static pov_range abreast(const pov_situation *situation, pov_member member, pov_vec3 axis,
                         const pov_predicate_params *params)
{
    axis.z = 0;
    return pov_grade_above(pov_abreast_share(situation, member, pov_vec3_unit(axis)), params->share,
                           params->share_softness);
}

/* Next to the flank of what is long, and along it if long itself; of two that are not long, abreast of both fronts. */
POV_PREDICATE(alongside)
{
    pov_range holds = pov_grade_next_to(situation, params);
    pov_vec3 axis[2];
    bool is_long[2], has_axis[2];
    if (holds.high == 0)
        return holds;
    for (pov_member member = POV_REFERENT; member <= POV_RELATUM; member++)
        is_long[member] = lengthwise(&axis[member], pov_body_of(situation, member), params);
    for (pov_member member = POV_REFERENT; member <= POV_RELATUM; member++) {
        const pov_body *body = pov_body_of(situation, member);
        bool by_front = !is_long[POV_REFERENT] && !is_long[POV_RELATUM] && body->has_front;
        if (by_front)
            axis[member] = pov_body_front(body);
        has_axis[member] = is_long[member] || by_front;
        if (has_axis[member] && holds.high > 0)
            holds = pov_grade_and(holds, abreast(situation, member, axis[member], params));
    }
    if (!has_axis[POV_REFERENT] || !has_axis[POV_RELATUM])
        return holds;
    pov_range angle_rad = line_angle_rad(axis[POV_REFERENT], axis[POV_RELATUM], turns_rad(situation));
    return pov_grade_and(holds,
                         pov_grade_below(angle_rad, params->parallel_rad, params->parallel_softness_rad));
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
    pov_vec3 axis;
    if (parallel.high == 0)
        return parallel;
    pov_range there = pov_grade_and(parallel, pov_predicate_near(situation, params));
    if (there.high == 0 || !lengthwise(&axis, &situation->relatum[0], params))
        return there;
    return pov_grade_and(there, abreast(situation, POV_RELATUM, axis, params));
}

POV_PREDICATE(across)
{
    pov_range crossing = pov_grade_above(course_angle_rad(situation, params),
                                         POV_PI / 2 - params->parallel_rad, params->parallel_softness_rad);
    if (crossing.high == 0)
        return crossing;
    /* A road's own length says nothing of how near to it a walker must be. */
    pov_range gap = pov_range_divided(pov_ground_gap_m(situation), pov_body_size_m(&situation->referent));
    return pov_grade_and(crossing, pov_grade_below(gap, params->adjacent_ratio,
                                                   params->adjacent_ratio * params->distance_softness));
}

POV_PREDICATE(across_from)
{
    const pov_body *a = &situation->referent, *b = &situation->relatum[0];
    if (!a->has_front && !b->has_front)
        return pov_range_exactly(NAN);
    const pov_range holds = {1, 1};
    pov_range faces = a->has_front ? grade_facing(situation, POV_REFERENT, params) : holds;
    pov_range faced = b->has_front ? grade_facing(situation, POV_RELATUM, params) : holds;
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
    pov_range far =
        in_region(situation, (pov_uncertain_direction){sight.v, pov_direction_spread_rad(sight)}, params);
    return far.high == 0 ? far : pov_grade_and(far, pov_grade_outlines_apart(situation, params));
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
