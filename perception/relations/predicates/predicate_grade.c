#include "perception/relations/predicates/predicate_grade.h"

#include "perception/status.h"

#include <math.h>
#include <stddef.h>

const pov_body *pov_body_of(const pov_situation *situation, pov_member member)
{
    return member == POV_REFERENT ? &situation->referent : &situation->relatum[0];
}

pov_member pov_other(pov_member member)
{
    return member == POV_REFERENT ? POV_RELATUM : POV_REFERENT;
}

bool pov_is_spread(const pov_spread *spread)
{
    return spread->offset_m > 0 || spread->relata_m > 0 || spread->viewer_m > 0 || spread->turn_rad[0] > 0 ||
           spread->turn_rad[1] > 0 || spread->turn_rad[2] > 0 || spread->axes_rad > 0;
}

double pov_body_size_m(const pov_body *body)
{
    return 2 * pov_vec3_norm(body->box.half_m);
}

double pov_pair_size_m(const pov_body *a, const pov_body *b)
{
    return (pov_body_size_m(a) + pov_body_size_m(b)) / 2;
}

double pov_situation_size_m(const pov_situation *situation)
{
    return pov_pair_size_m(&situation->referent, &situation->relatum[0]);
}

/* -------- measures -------- */

pov_rot pov_box_turned(pov_rot R_table_box, double by_rad)
{
    bool upright = hypot(R_table_box.m[0][0], R_table_box.m[1][0]) < 1e-3;
    return upright ? R_table_box : pov_rot_mul(pov_rot_yaw(by_rad), R_table_box);
}

double pov_turn_reach_m(const pov_body *body, double turn_rad)
{
    return 2 * pov_vec3_norm(body->box.half_m) * sin(fmin(turn_rad, POV_PI) / 2);
}

double pov_swing_m(const pov_situation *situation, pov_member member)
{
    double turn_rad = situation->spread.turn_rad[pov_other(member)];
    double radius_m = pov_vec3_norm(pov_situation_ground_offset(situation, member).v);
    return 2 * (radius_m + situation->spread.ground_m) * sin(fmin(turn_rad, POV_PI) / 2);
}

double pov_drift_m(const pov_situation *situation, pov_member member)
{
    const double *turn_rad = situation->spread.turn_rad;
    const pov_body *body = pov_body_of(situation, member);
    return situation->spread.offset_m + pov_swing_m(situation, member) +
           pov_turn_reach_m(body, turn_rad[member]) + pov_turn_reach_m(body, turn_rad[pov_other(member)]);
}

/* A gap changes by no more than the points of the two move. */
static double points_drift_m(const pov_situation *situation, double offset_m)
{
    const pov_spread *spread = &situation->spread;
    return offset_m + pov_turn_reach_m(&situation->referent, spread->turn_rad[POV_REFERENT]) +
           pov_turn_reach_m(&situation->relatum[0], spread->turn_rad[POV_RELATUM]);
}

static const pov_footprint *outlines(const pov_situation *situation, pov_footprint made[2])
{
    pov_measures *measures = situation->measures;
    pov_footprint *outline = measures ? measures->outline : made;
    if (measures && measures->has_outlines)
        return outline;
    for (pov_member member = POV_REFERENT; member <= POV_RELATUM; member++)
        outline[member] = pov_box_footprint(&pov_body_of(situation, member)->box);
    if (measures)
        measures->has_outlines = true;
    return outline;
}

/* A shift moves the vector by no more than itself. Turning a body about its middle moves the vector's end no faster than the
 * body's farthest point goes along it, nor across it than the angle times its length. */
static void measure_ground_gap(pov_measures *measures, const pov_situation *situation)
{
    pov_footprint made[2];
    const pov_footprint *outline = outlines(situation, made);
    const double *turn_rad = situation->spread.turn_rad;
    pov_vec2 gap_m = pov_footprint_gap_vector_m(&outline[POV_REFERENT], &outline[POV_RELATUM]);
    double length_m = hypot(gap_m.x, gap_m.y), shift_m = situation->spread.ground_m, along_m = shift_m;
    for (pov_member member = POV_REFERENT; member <= POV_RELATUM; member++)
        along_m += turn_rad[member] * pov_body_size_m(pov_body_of(situation, member)) / 2;
    measures->ground_gap_m =
        pov_range_clamped(pov_range_about(length_m, points_drift_m(situation, shift_m)), 0, INFINITY);
    measures->ground_gap = (pov_uncertain_vector){
        {gap_m.x, gap_m.y, 0},
        along_m + (length_m + along_m) * (turn_rad[POV_REFERENT] + turn_rad[POV_RELATUM])};
}

static const pov_measures *with_ground_gap(const pov_situation *situation, pov_measures *made)
{
    pov_measures *measures = situation->measures ? situation->measures : made;
    if (!situation->measures || !measures->has_ground_gap)
        measure_ground_gap(measures, situation);
    measures->has_ground_gap = true;
    return measures;
}

pov_range pov_ground_gap_m(const pov_situation *situation)
{
    pov_measures made;
    return with_ground_gap(situation, &made)->ground_gap_m;
}

pov_uncertain_vector pov_ground_gap(const pov_situation *situation)
{
    pov_measures made;
    return with_ground_gap(situation, &made)->ground_gap;
}

pov_range pov_ground_gap_ratio(const pov_situation *situation)
{
    return pov_range_divided(pov_ground_gap_m(situation), pov_situation_size_m(situation));
}

static bool is_upright(const pov_box *box)
{
    return fabs(box->R_table_box.m[2][2]) > 1 - 1e-12;
}

/* For upright boxes outlines and heights suffice. */
static double between_m(const pov_situation *situation)
{
    const pov_body *a = &situation->referent, *b = &situation->relatum[0];
    if (is_upright(&a->box) && is_upright(&b->box)) {
        pov_vec3 aside = pov_ground_gap(situation).v;
        double over_m = fmax(pov_bottom_m(a) - pov_top_m(b), pov_bottom_m(b) - pov_top_m(a));
        double aside_m = hypot(aside.x, aside.y);
        if (aside_m > 0 || over_m > 0)
            return over_m > 0 ? hypot(aside_m, over_m) : aside_m;
    }
    return pov_box_gap_m(&a->box, &b->box);
}

static pov_range gap_m(const pov_situation *situation)
{
    return pov_range_about(between_m(situation), points_drift_m(situation, situation->spread.offset_m));
}

pov_range pov_situation_gap_m(const pov_situation *situation)
{
    pov_measures *measures = situation->measures;
    if (measures == NULL)
        return gap_m(situation);
    if (!measures->has_gap)
        measures->gap_m = gap_m(situation);
    measures->has_gap = true;
    return measures->gap_m;
}

static double perimeter_m(const pov_footprint *outline)
{
    double sum_m = 0;
    for (int i = 0; i < outline->len; i++) {
        pov_vec2 p = outline->corner_m[i], q = outline->corner_m[(i + 1) % outline->len];
        sum_m += hypot(q.x - p.x, q.y - p.y);
    }
    return sum_m;
}

/* Steiner's formula: the most by which the area of a convex outline changes if no point moves farther. */
static double swept_m2(const pov_footprint *outline, double moved_m)
{
    return moved_m * (perimeter_m(outline) + POV_PI * moved_m);
}

static pov_range outline_share(const pov_situation *situation, pov_member member)
{
    pov_footprint made[2];
    const pov_footprint *outline = outlines(situation, made), *own = &outline[member],
                        *others = &outline[pov_other(member)];
    if (pov_ground_gap_m(situation).low > 0)
        return pov_range_exactly(0);
    double share = pov_footprint_share_inside(own, others), area_m2 = pov_footprint_area_m2(own);
    if (!pov_is_spread(&situation->spread) || !(area_m2 > 0))
        return pov_range_exactly(share);
    const double *turn_rad = situation->spread.turn_rad;
    double own_m =
        situation->spread.ground_m + pov_turn_reach_m(pov_body_of(situation, member), turn_rad[member]);
    double others_m =
        pov_turn_reach_m(pov_body_of(situation, pov_other(member)), turn_rad[pov_other(member)]);
    double swept = (swept_m2(own, own_m) + swept_m2(others, others_m)) / area_m2;
    return pov_range_clamped(pov_range_about(share, swept), 0, 1);
}

pov_range pov_outline_share(const pov_situation *situation, pov_member member)
{
    pov_measures *measures = situation->measures;
    if (measures == NULL)
        return outline_share(situation, member);
    if (!measures->has_outline_share[member])
        measures->outline_share[member] = outline_share(situation, member);
    measures->has_outline_share[member] = true;
    return measures->outline_share[member];
}

/* Seen along a normal of the other's faces, a box thins out from its middle: beyond a face that its middle lies behind
 * there is at most what there would be of one of even thickness. */
static double most_inside(const pov_situation *situation, pov_member member)
{
    const pov_body *own = pov_body_of(situation, member), *others = pov_body_of(situation, pov_other(member));
    pov_vec3 at = pov_box_local(&others->box, own->box.centre_m), half_m = others->box.half_m;
    double out_m = fmax(fabs(at.x) - half_m.x, fmax(fabs(at.y) - half_m.y, fabs(at.z) - half_m.z));
    out_m -= situation->spread.offset_m + pov_swing_m(situation, member);
    double reach = pov_vec3_norm(own->box.half_m);
    return out_m > 0 ? fmax(0, (1 - out_m / reach) / 2) : 1;
}

static pov_range volume_share(const pov_situation *situation, pov_member member)
{
    const pov_box *own = &pov_body_of(situation, member)->box,
                  *others = &pov_body_of(situation, pov_other(member))->box;
    if (pov_situation_gap_m(situation).low > 0)
        return pov_range_exactly(0);
    if (!pov_is_spread(&situation->spread))
        return pov_range_exactly(pov_box_share_inside(own, others));
    if (pov_box_standing_out_m(own, others) + pov_drift_m(situation, member) <= 0)
        return pov_range_exactly(1);
    return (pov_range){0, most_inside(situation, member)};
}

pov_range pov_volume_share(const pov_situation *situation, pov_member member)
{
    pov_measures *measures = situation->measures;
    if (measures == NULL)
        return volume_share(situation, member);
    if (!measures->has_volume_share[member])
        measures->volume_share[member] = volume_share(situation, member);
    measures->has_volume_share[member] = true;
    return measures->volume_share[member];
}

void pov_situation_measure(const pov_situation *situation)
{
    POV_REQUIRE(situation->measures);
    (void)pov_situation_gap_m(situation);
    (void)pov_ground_gap_m(situation);
    for (pov_member member = POV_REFERENT; member <= POV_RELATUM; member++) {
        (void)pov_outline_share(situation, member);
        (void)pov_volume_share(situation, member);
        (void)pov_situation_view(situation, member);
    }
}

pov_range pov_grade_outlines_apart(const pov_situation *situation, const pov_predicate_params *params)
{
    pov_range common = pov_range_larger(pov_outline_share(situation, POV_REFERENT),
                                        pov_outline_share(situation, POV_RELATUM));
    return pov_grade_below(common, params->share, params->share_softness);
}

pov_range pov_abreast_share(const pov_situation *situation, pov_member member, pov_vec3 direction)
{
    const pov_box *own = &pov_body_of(situation, member)->box,
                  *others = &pov_body_of(situation, pov_other(member))->box;
    double at_m = pov_vec3_dot(pov_vec3_sub(others->centre_m, own->centre_m), direction);
    double own_m = pov_box_half_extent_m(own, direction), others_m = pov_box_half_extent_m(others, direction);
    double drift_m = 2 * pov_drift_m(situation, pov_other(member)); /* of both ends */
    double shorter_m = 2 * fmin(own_m, others_m);
    pov_range common_m =
        pov_range_about(fmin(own_m, at_m + others_m) - fmax(-own_m, at_m - others_m), drift_m);
    if (!(shorter_m > drift_m))
        return (pov_range){common_m.low >= 0 && drift_m == 0, common_m.high >= 0};
    return pov_range_clamped(
        (pov_range){common_m.low / (shorter_m + drift_m), common_m.high / (shorter_m - drift_m)}, 0, 1);
}

/* -------- heights -------- */

double pov_half_height_m(const pov_body *body)
{
    return pov_box_half_extent_m(&body->box, (pov_vec3){0, 0, 1});
}

double pov_top_m(const pov_body *body)
{
    return body->box.centre_m.z + pov_half_height_m(body);
}

double pov_bottom_m(const pov_body *body)
{
    return body->box.centre_m.z - pov_half_height_m(body);
}

pov_range pov_height_m(const pov_situation *situation, double difference_m)
{
    return pov_range_about(difference_m, situation->spread.height_m);
}

/* -------- directions -------- */

double pov_direction_spread_rad(pov_uncertain_vector v)
{
    if (v.spread_m == 0)
        return 0;
    double length_m = pov_vec3_norm(v.v);
    return v.spread_m < length_m ? asin(v.spread_m / length_m) : POV_PI;
}

/** The angle between them, in [0, pi]; NaN if the vector is zero. */
static pov_range angle_between_rad(pov_uncertain_vector v, pov_uncertain_direction direction)
{
    double along = pov_vec3_dot(v.v, direction.v), aside = pov_vec3_norm(pov_vec3_cross(v.v, direction.v));
    double spread_rad = pov_direction_spread_rad(v) + direction.spread_rad;
    if (!(along != 0 || aside > 0) && spread_rad == 0)
        return pov_range_exactly(NAN);
    return pov_range_clamped(pov_range_about(atan2(aside, along), spread_rad), 0, POV_PI);
}

pov_range pov_grade_in_cone(pov_uncertain_vector v, pov_uncertain_direction direction,
                            const pov_predicate_params *params)
{
    bool narrow = params->cone_rad + params->cone_softness_rad <= POV_PI / 2;
    if (narrow && v.spread_m == 0 && direction.spread_rad == 0 && pov_vec3_dot(v.v, direction.v) < 0)
        return pov_range_exactly(0);
    return pov_grade_below(angle_between_rad(v, direction), params->cone_rad, params->cone_softness_rad);
}

pov_uncertain_view pov_view_of(const pov_footprint *outline, pov_vec3 eye_m, double spread_m)
{
    pov_subtended seen = pov_footprint_subtended(outline, (pov_vec2){eye_m.x, eye_m.y});
    bool is_outside = seen.distance_m > spread_m;
    return (pov_uncertain_view){pov_range_clamped(pov_range_about(seen.distance_m, spread_m), 0, INFINITY),
                                seen.middle_rad, seen.half_rad,
                                is_outside ? asin(spread_m / seen.distance_m) : POV_PI};
}

/* Smooth, so that expectations are: a thing is not at once outside. */
pov_range pov_grade_outside_outline(const pov_uncertain_view *view, const pov_body *body,
                                    const pov_predicate_params *params)
{
    return pov_grade_above(pov_range_divided(view->distance_m, pov_body_size_m(body)), params->size_softness,
                           params->size_softness);
}

static pov_uncertain_view view(const pov_situation *situation, pov_member member)
{
    pov_footprint made[2];
    const pov_member other = pov_other(member);
    double turned_m = pov_turn_reach_m(pov_body_of(situation, other), situation->spread.turn_rad[other]);
    return pov_view_of(&outlines(situation, made)[other], pov_body_of(situation, member)->box.centre_m,
                       situation->spread.ground_m + turned_m);
}

pov_uncertain_view pov_situation_view(const pov_situation *situation, pov_member member)
{
    pov_measures *measures = situation->measures;
    if (measures == NULL)
        return view(situation, member);
    if (!measures->has_view[member])
        measures->view[member] = view(situation, member);
    measures->has_view[member] = true;
    return measures->view[member];
}

pov_uncertain_vector pov_opposite(pov_uncertain_vector v)
{
    return (pov_uncertain_vector){pov_vec3_scale(v.v, -1), v.spread_m};
}

pov_uncertain_vector pov_situation_offset(const pov_situation *situation, pov_member member)
{
    pov_vec3 from_m = pov_body_of(situation, pov_other(member))->box.centre_m;
    return (pov_uncertain_vector){pov_vec3_sub(pov_body_of(situation, member)->box.centre_m, from_m),
                                  situation->spread.offset_m};
}

pov_uncertain_vector pov_situation_ground_offset(const pov_situation *situation, pov_member member)
{
    pov_uncertain_vector offset = pov_situation_offset(situation, member);
    offset.v.z = 0;
    offset.spread_m = situation->spread.ground_m;
    return offset;
}

pov_vec3 pov_body_front(const pov_body *body)
{
    return (pov_vec3){cos(body->front_yaw_rad), sin(body->front_yaw_rad), 0};
}

pov_uncertain_direction pov_situation_front(const pov_situation *situation, pov_member member)
{
    return (pov_uncertain_direction){pov_body_front(pov_body_of(situation, member)),
                                     situation->spread.turn_rad[member]};
}

bool pov_body_moves(const pov_body *body, const pov_predicate_params *params)
{
    return body->has_velocity &&
           pov_vec3_norm(body->velocity_m_s) > params->still_speed_1_s * pov_body_size_m(body);
}

static bool may_move(const pov_body *body, pov_vec3 velocity_m_s, double spread_m_s,
                     const pov_predicate_params *params)
{
    return pov_vec3_norm(velocity_m_s) + spread_m_s > params->still_speed_1_s * pov_body_size_m(body);
}

bool pov_motion_is_open(const pov_situation *situation, const pov_predicate_params *params)
{
    const pov_body *a = &situation->referent, *b = &situation->relatum[0];
    const double spread_m_s = situation->spread.velocity_m_s;
    const pov_vec3 still = {0, 0, 0}, a_m_s = a->has_velocity ? a->velocity_m_s : still,
                   b_m_s = b->has_velocity ? b->velocity_m_s : still;
    return spread_m_s > 0 &&
           (may_move(a, a_m_s, spread_m_s, params) || may_move(b, b_m_s, spread_m_s, params) ||
            may_move(a, pov_vec3_sub(a_m_s, b_m_s), spread_m_s, params));
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
