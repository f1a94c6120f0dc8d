/** Measures of a situation, from which predicates are made: ranges over the situation's spread. */
#pragma once

#include "perception/relations/predicates/predicate.h"

/** A member of the pair of referent and first relatum. A measure of a member is relative to the other member. */
typedef enum { POV_REFERENT, POV_RELATUM } pov_member;

const pov_body *pov_body_of(const pov_situation *situation, pov_member member);
pov_member pov_other(pov_member member);
/** Is anything left open? */
bool pov_is_spread(const pov_spread *spread);

/** The diagonal of a box; the mean of two. */
double pov_body_size_m(const pov_body *body);
double pov_pair_size_m(const pov_body *a, const pov_body *b);
/** The same of the situation's pair. */
double pov_situation_size_m(const pov_situation *situation);

/** Between the surfaces; negative: how deep they overlap. */
pov_range pov_situation_gap_m(const pov_situation *situation);
/** Between the outlines on the ground; 0 where they overlap. As a share of the pair's size. From the relatum's nearest
 *  point to the referent's: of use where the gap is surely not 0. */
pov_range pov_ground_gap_m(const pov_situation *situation);
pov_range pov_ground_gap_ratio(const pov_situation *situation);
pov_uncertain_vector pov_ground_gap(const pov_situation *situation);
/** Share of a member's outline on the ground, of its volume, that is in the other's. */
pov_range pov_outline_share(const pov_situation *situation, pov_member member);
pov_range pov_volume_share(const pov_situation *situation, pov_member member);
/** The smaller of two outlines lies by less than `share` within the larger. */
pov_range pov_grade_outlines_apart(const pov_situation *situation, const pov_predicate_params *params);
/** Share of the shorter of the two extents, along a horizontal direction that turns with the member, that lies abreast
 *  of the other's. */
pov_range pov_abreast_share(const pov_situation *situation, pov_member member, pov_vec3 direction);
/** The directions in which the other's outline lies from the member's centre. */
pov_uncertain_view pov_situation_view(const pov_situation *situation, pov_member member);
/** The same of an outline that may move by `spread_m`, from a point. */
pov_uncertain_view pov_view_of(const pov_footprint *outline, pov_vec3 eye_m, double spread_m);
/** The grade of: a body's centre, which has this view of a thing, is outside that thing's outline. */
pov_range pov_grade_outside_outline(const pov_uncertain_view *view, const pov_body *body,
                                    const pov_predicate_params *params);
/** Fills in all of the situation's measures. */
void pov_situation_measure(const pov_situation *situation);
/** The error of the member's centre, seen from the other's box, as that turns. */
double pov_swing_m(const pov_situation *situation, pov_member member);
/** The largest error of any of the member's points, as all moves. */
double pov_drift_m(const pov_situation *situation, pov_member member);
/** A box turned by this much about the vertical, unless its x axis, which is its front's, stands upright. */
pov_rot pov_box_turned(pov_rot R_table_box, double by_rad);
/** The distance by which turning may move points of a body this large. */
double pov_turn_reach_m(const pov_body *body, double turn_rad);

/** A direction known to within an angle. */
typedef struct {
    pov_vec3 v;
    double spread_rad;
} pov_uncertain_direction;

/** The grade of: v is within params->cone_rad of a direction. */
pov_range pov_grade_in_cone(pov_uncertain_vector v, pov_uncertain_direction direction,
                            const pov_predicate_params *params);
/** The largest angular error of a vector. */
double pov_direction_spread_rad(pov_uncertain_vector v);

/** From the other's centre to the member's; and on the ground, as z = 0. */
pov_uncertain_vector pov_situation_offset(const pov_situation *situation, pov_member member);
pov_uncertain_vector pov_situation_ground_offset(const pov_situation *situation, pov_member member);
pov_uncertain_vector pov_opposite(pov_uncertain_vector v);

/** Unit vector of a front; only of a body that has one. */
pov_vec3 pov_body_front(const pov_body *body);
/** The same of a member of the pair, with how far it may be turned. */
pov_uncertain_direction pov_situation_front(const pov_situation *situation, pov_member member);
/** True if its speed, in own sizes a second, is above params->still_speed_1_s; false if unknown. */
bool pov_body_moves(const pov_body *body, const pov_predicate_params *params);
/** True if the pair's velocities are unknown and something may move: no relation of motion is then decided. */
bool pov_motion_is_open(const pov_situation *situation, const pov_predicate_params *params);
/** Direction of its longest edge; false unless that is params->elongation times the second. */
bool pov_body_long_axis(pov_vec3 *axis, const pov_body *body, const pov_predicate_params *params);

pov_range pov_grade_hit(const pov_situation *situation, pov_member member, pov_uncertain_direction direction,
                        const pov_predicate_params *params);
/** One stands on the other, its centre over the other's outline; in what affords holding or bearing it may have sunk. */
pov_range pov_grade_carried(const pov_situation *situation, const pov_predicate_params *params);
/** What is true of a member that has a use: false of one without it; undefined, where true, of one whose class is not known. */
pov_range pov_grade_by_use(const pov_situation *situation, pov_member member, unsigned use, pov_range truth);
/** In a container; undefined where the class leaves open whether the other is one. */
pov_range pov_grade_inside(const pov_situation *situation, pov_member member,
                           const pov_predicate_params *params);
/** In the lower half of what affords shelter, or under what covers. */
pov_range pov_grade_sheltered(const pov_situation *situation, pov_member member,
                              const pov_predicate_params *params);
/** Near on the ground, half the lower height level with the other, outlines apart. */
pov_range pov_grade_next_to(const pov_situation *situation, const pov_predicate_params *params);
/** Heights: half of the member's, its top, bottom; the share of the member's height that is level with the other. */
double pov_half_height_m(const pov_body *body);
double pov_top_m(const pov_body *body);
double pov_bottom_m(const pov_body *body);
/** A difference of the two's heights: turning about the vertical leaves it as it is. */
pov_range pov_height_m(const pov_situation *situation, double difference_m);
/** The member's centre from the other's, as a share of the way to its border: the larger of its two axes that lie flatter. */
pov_range pov_share_of_way_out(const pov_situation *situation, pov_member member);
