/* Paths after Jackendoff 1983, chapter 9, and Talmy 2000: to and from are bounded by the relatum, toward and away from
 * are directed by it, past, through and around pass it by. Courses are continued straight on. */
#include "perception/relations/predicates/predicate_grade.h"
#include "perception/relations/predicates/predicate_list.h"

#include <math.h>

/* Steps of a ternary search: the interval shrinks by (2/3)^40 = 1e-7. */
enum { SEARCH_STEPS = 40 };

/* A's velocity as B sees it; false if A's is not known or is too slow. */
static bool relative_velocity(pov_vec3 *velocity_m_s, const pov_situation *situation,
                              const pov_predicate_params *params)
{
    pov_body relative = situation->referent;
    if (relative.has_velocity && situation->relatum[0].has_velocity)
        relative.velocity_m_s = pov_vec3_sub(relative.velocity_m_s, situation->relatum[0].velocity_m_s);
    *velocity_m_s = relative.velocity_m_s;
    return pov_body_moves(&relative, params);
}

/* A course depends on the whole way: nothing is decided for a spread of situations. */
static const pov_range either = {0, 1};

/* Grade of A's motion relative to B. Without motion `without` is the grade: 0 if A is at rest, undefined if it is unobserved; either
 * if the motion is open. */
static bool has_course(pov_vec3 *velocity_m_s, pov_range *without, const pov_situation *situation,
                       const pov_predicate_params *params)
{
    *without = either;
    if (pov_motion_is_open(situation, params))
        return false;
    if (!relative_velocity(velocity_m_s, situation, params)) {
        *without = pov_range_exactly(situation->referent.has_velocity ? 0 : NAN);
        return false;
    }
    return !pov_is_spread(&situation->spread);
}

/* A level course, or the way it comes, meets the other's outline. */
static pov_range meets(const pov_situation *situation, pov_vec3 velocity_m_s, double sign,
                       const pov_predicate_params *params)
{
    const pov_uncertain_direction course = {{sign * velocity_m_s.x, sign * velocity_m_s.y, 0}, 0};
    pov_range level =
        pov_grade_below(pov_range_exactly(atan2(fabs(velocity_m_s.z), hypot(velocity_m_s.x, velocity_m_s.y))),
                        params->cone_rad, params->cone_softness_rad);
    return level.high == 0 ? level
                           : pov_grade_and(level, pov_grade_hit(situation, POV_REFERENT, course, params));
}

static pov_range directed(const pov_situation *situation, const pov_predicate_params *params, double sign)
{
    if (pov_motion_is_open(situation, params))
        return either;
    pov_vec3 velocity_m_s;
    pov_uncertain_vector offset = pov_situation_offset(situation, sign > 0 ? POV_RELATUM : POV_REFERENT);
    if (relative_velocity(&velocity_m_s, situation, params)) {
        pov_range to_middle = pov_grade_in_cone(offset, (pov_uncertain_direction){velocity_m_s, 0}, params);
        return to_middle.low == 1 ? to_middle
                                  : pov_grade_or(to_middle, meets(situation, velocity_m_s, sign, params));
    }
    return sign > 0 ? pov_predicate_facing(situation, params) : pov_predicate_facing_away(situation, params);
}

POV_PREDICATE(toward)
{
    return directed(situation, params, 1);
}

POV_PREDICATE(away_from)
{
    return directed(situation, params, -1);
}

typedef double (*distance_at)(const pov_body *a, const pov_body *b);

static double between_boxes_m(const pov_body *a, const pov_body *b)
{
    return pov_box_gap_m(&a->box, &b->box);
}

static double from_centre_m(const pov_body *a, const pov_body *b)
{
    return pov_box_point_signed_distance_m(&b->box, a->box.centre_m);
}

static double distance_after_m(const pov_situation *situation, distance_at distance, pov_vec3 velocity_m_s,
                               double time_s)
{
    pov_body moved = situation->referent;
    moved.box.centre_m = pov_vec3_add(moved.box.centre_m, pov_vec3_scale(velocity_m_s, time_s));
    return distance(&moved, &situation->relatum[0]);
}

/* When it is least. The distance to a convex body is convex along a line, so a ternary search finds it. */
static double nearest_time_s(const pov_situation *situation, distance_at distance, pov_vec3 velocity_m_s,
                             double from_s, double to_s)
{
    for (int step = 0; step < SEARCH_STEPS; step++) {
        double early_s = (2 * from_s + to_s) / 3, late_s = (from_s + 2 * to_s) / 3;
        if (distance_after_m(situation, distance, velocity_m_s, early_s) <
            distance_after_m(situation, distance, velocity_m_s, late_s))
            to_s = late_s;
        else
            from_s = early_s;
    }
    return (from_s + to_s) / 2;
}

static double least_distance_m(const pov_situation *situation, distance_at distance, pov_vec3 velocity_m_s,
                               double from_s, double to_s)
{
    double time_s = nearest_time_s(situation, distance, velocity_m_s, from_s, to_s);
    return distance_after_m(situation, distance, velocity_m_s, time_s);
}

static pov_range reaches(const pov_situation *situation, const pov_predicate_params *params, double sign)
{
    pov_vec3 velocity_m_s;
    pov_range without;
    if (!has_course(&velocity_m_s, &without, situation, params))
        return without;
    double least_m = least_distance_m(situation, between_boxes_m, pov_vec3_scale(velocity_m_s, sign), 0,
                                      params->horizon_s);
    pov_range reached =
        pov_grade_below(pov_range_exactly(least_m / pov_situation_size_m(situation)), params->adjacent_ratio,
                        params->adjacent_ratio * params->distance_softness);
    return pov_grade_and(directed(situation, params, sign), reached);
}

POV_PREDICATE(to)
{
    return reaches(situation, params, 1);
}

POV_PREDICATE(from)
{
    return reaches(situation, params, -1);
}

/* The grade of: a distance from B's surface means outside. */
static pov_range is_out(const pov_situation *situation, double distance_m, const pov_predicate_params *params)
{
    double ratio = distance_m / pov_body_size_m(&situation->relatum[0]);
    return pov_grade_above(pov_range_exactly(ratio), 0, params->size_softness);
}

POV_PREDICATE(into)
{
    pov_vec3 velocity_m_s;
    pov_range without;
    if (!has_course(&velocity_m_s, &without, situation, params))
        return without;
    double now_m = from_centre_m(&situation->referent, &situation->relatum[0]);
    double least_m = least_distance_m(situation, from_centre_m, velocity_m_s, 0, params->horizon_s);
    return pov_grade_and(is_out(situation, now_m, params), pov_grade_not(is_out(situation, least_m, params)));
}

POV_PREDICATE(through)
{
    pov_vec3 velocity_m_s;
    pov_range without;
    if (!has_course(&velocity_m_s, &without, situation, params))
        return without;
    double before_m = distance_after_m(situation, from_centre_m, velocity_m_s, -params->horizon_s);
    double after_m = distance_after_m(situation, from_centre_m, velocity_m_s, params->horizon_s);
    double least_m =
        least_distance_m(situation, from_centre_m, velocity_m_s, -params->horizon_s, params->horizon_s);
    pov_range comes_and_leaves =
        pov_grade_and(is_out(situation, before_m, params), is_out(situation, after_m, params));
    return pov_grade_and(comes_and_leaves, pov_grade_not(is_out(situation, least_m, params)));
}

POV_PREDICATE(past)
{
    pov_vec3 velocity_m_s, offset_m = pov_situation_offset(situation, POV_REFERENT).v;
    pov_range without;
    if (!has_course(&velocity_m_s, &without, situation, params))
        return without;
    double nearest_s = -pov_vec3_dot(offset_m, velocity_m_s) / pov_vec3_dot(velocity_m_s, velocity_m_s);
    double least_m = distance_after_m(situation, between_boxes_m, velocity_m_s, nearest_s);
    pov_range ratio = pov_range_exactly(least_m / pov_situation_size_m(situation));
    pov_range in_time =
        pov_grade_below(pov_range_exactly(fabs(nearest_s) / params->horizon_s), 1, params->size_softness);
    pov_range clear = pov_grade_above(ratio, 0, params->size_softness);
    pov_range near =
        pov_grade_below(ratio, params->near_ratio, params->near_ratio * params->distance_softness);
    return pov_grade_and(in_time, pov_grade_and(clear, near));
}

POV_PREDICATE(around)
{
    pov_vec3 velocity_m_s, offset_m = pov_situation_ground_offset(situation, POV_REFERENT).v;
    if (pov_motion_is_open(situation, params))
        return either;
    if (!relative_velocity(&velocity_m_s, situation, params))
        return pov_predicate_surrounding(situation, params);
    if (pov_is_spread(&situation->spread))
        return either;
    double along = fabs(pov_vec3_dot(offset_m, velocity_m_s)),
           aside = pov_vec3_norm(pov_vec3_cross(offset_m, velocity_m_s));
    pov_range circling = pov_grade_below(pov_range_exactly(atan2(along, aside)), params->parallel_rad,
                                         params->parallel_softness_rad);
    return pov_grade_and(pov_predicate_near(situation, params), circling);
}

static pov_range vertical(const pov_situation *situation, const pov_predicate_params *params, double sign)
{
    const pov_uncertain_vector velocity = {situation->referent.velocity_m_s, 0};
    return pov_grade_in_cone(velocity, (pov_uncertain_direction){{0, 0, sign}, 0}, params);
}

POV_PREDICATE(up)
{
    if (pov_motion_is_open(situation, params))
        return either;
    return pov_body_moves(&situation->referent, params) ? vertical(situation, params, 1)
                                                        : pov_predicate_higher(situation, params);
}

POV_PREDICATE(down)
{
    if (pov_motion_is_open(situation, params))
        return either;
    return pov_body_moves(&situation->referent, params) ? vertical(situation, params, -1)
                                                        : pov_predicate_lower(situation, params);
}

POV_PREDICATE(down_from)
{
    return pov_grade_and(pov_predicate_lower(situation, params), pov_predicate_down(situation, params));
}
