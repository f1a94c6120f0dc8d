/* In and on: location control (Coventry & Garrod 2004). A thing in another moves with it because that surrounds at least its
 * lower end; a thing on another rests on it or is fixed flat to its side. Boxes show hollows and seats only by things that reach
 * into them, classes by their use (affordance.h). */
#include "perception/relations/predicates/affordance.h"
#include "perception/relations/predicates/predicate_grade.h"
#include "perception/relations/predicates/predicate_list.h"

#include <math.h>

static pov_range share_above(pov_range value, const pov_predicate_params *params)
{
    return pov_grade_above(value, params->share, params->share_softness);
}

static bool affords(const pov_situation *situation, pov_member member, unsigned use)
{
    return (pov_body_of(situation, member)->affords & use) != 0;
}

static pov_range overlapping(const pov_situation *situation, const pov_predicate_params *params)
{
    return pov_grade_not(pov_grade_outlines_apart(situation, params));
}

/* Distance of the member's bottom below the other's top, and above its bottom. */
static pov_range sunk_m(const pov_situation *situation, pov_member member)
{
    return pov_height_m(situation, pov_top_m(pov_body_of(situation, pov_other(member))) -
                                       pov_bottom_m(pov_body_of(situation, member)));
}

static pov_range raised_m(const pov_situation *situation, pov_member member)
{
    return pov_height_m(situation, pov_bottom_m(pov_body_of(situation, member)) -
                                       pov_bottom_m(pov_body_of(situation, pov_other(member))));
}

static double height_m(const pov_situation *situation, pov_member member)
{
    return 2 * pov_half_height_m(pov_body_of(situation, member));
}

/* The member's outline lies in the other's rather than the other way round. */
static pov_range narrower(const pov_situation *situation, pov_member member,
                          const pov_predicate_params *params)
{
    pov_range own = pov_outline_share(situation, member),
              others = pov_outline_share(situation, pov_other(member));
    return pov_grade_and(share_above(own, params),
                         pov_grade_above(pov_range_difference(own, others), 0, params->size_softness));
}

/* -------- what the class leaves open -------- */

/* Holds if the thing is used in one of its ways, which boxes do not show: undefined where that would make it true. */
static pov_range if_so_used(pov_range truth)
{
    if (truth.high <= 0.5)
        return pov_range_exactly(0);
    return truth.low <= 0.5 ? (pov_range){0, 1} : pov_range_exactly(NAN);
}

pov_range pov_grade_by_use(const pov_situation *situation, pov_member member, unsigned use, pov_range truth)
{
    const unsigned uses = pov_body_of(situation, member)->affords;
    return uses & use ? truth : uses ? pov_range_exactly(0) : if_so_used(truth);
}

/* The other has a use, or may have it. */
static bool may_afford(const pov_situation *situation, pov_member member, unsigned use)
{
    return !pov_body_of(situation, member)->affords || affords(situation, member, use);
}

/* Off the floor that the other stands on. */
static pov_range raised(const pov_situation *situation, pov_member member, const pov_predicate_params *params)
{
    pov_range share = pov_range_divided(raised_m(situation, member), height_m(situation, pov_other(member)));
    return pov_grade_above(share, params->raised_share, params->raised_softness);
}

/* Where a drawer may be: wholly in the other's box, off its floor and under a board. */
static pov_range stowed(const pov_situation *situation, pov_member member, const pov_predicate_params *params)
{
    pov_range board_m = pov_height_m(situation, pov_top_m(pov_body_of(situation, pov_other(member))) -
                                                    pov_top_m(pov_body_of(situation, member)));
    pov_range under_board = pov_grade_above(board_m, params->board_m, params->touch_softness_m);
    if (under_board.high == 0 || !(height_m(situation, pov_other(member)) > 0))
        return pov_range_exactly(0);
    return pov_grade_and(pov_grade_and(under_board, raised(situation, member, params)),
                         pov_grade_above(pov_outline_share(situation, member), params->enclosed_share,
                                         params->enclosed_softness));
}

/* -------- under -------- */

/* Under a blanket: below its top, and level with its lower edge or lower. */
static pov_range covered(const pov_situation *situation, pov_member member,
                         const pov_predicate_params *params)
{
    const pov_member other = pov_other(member);
    pov_range deep_m = pov_height_m(situation, pov_top_m(pov_body_of(situation, other)) -
                                                   pov_body_of(situation, member)->box.centre_m.z);
    if (!(height_m(situation, member) > 0 && height_m(situation, other) > 0))
        return pov_range_exactly(0);
    pov_range deep =
        pov_grade_above(pov_range_divided(deep_m, height_m(situation, member)), 0, params->size_softness);
    if (deep.high == 0)
        return deep;
    deep = pov_grade_and(deep, overlapping(situation, params));
    pov_range in_a_fold = raised(situation, member, params);
    return pov_grade_and(deep, pov_grade_not(if_so_used(in_a_fold))); /* on it as well as under it */
}

pov_range pov_grade_sheltered(const pov_situation *situation, pov_member member,
                              const pov_predicate_params *params)
{
    const pov_member other = pov_other(member);
    const bool is_known = pov_body_of(situation, other)->affords != 0;
    if (affords(situation, other, POV_AFFORDS_COVERING))
        return covered(situation, member, params);
    if (!may_afford(situation, other, POV_AFFORDS_SHELTER))
        return pov_range_exactly(0);
    pov_range height_m = pov_height_m(situation, pov_body_of(situation, other)->box.centre_m.z -
                                                     pov_body_of(situation, member)->box.centre_m.z);
    pov_range low = pov_grade_above(pov_range_divided(height_m, pov_situation_size_m(situation)), 0,
                                    params->size_softness);
    if (!is_known) /* what stands deeper than the other is not a part of what may be under it */
        low = pov_grade_and(low, pov_grade_above(raised_m(situation, member), -params->touch_gap_m,
                                                 params->touch_softness_m));
    if (low.high == 0)
        return low;
    low = pov_grade_and(low, overlapping(situation, params));
    if (affords(situation, other, POV_AFFORDS_STOWING))
        return pov_grade_and(low, pov_grade_not(if_so_used(stowed(situation, member, params))));
    return pov_grade_by_use(situation, other, POV_AFFORDS_SHELTER, low);
}

/* -------- in -------- */

/* The member's lower end is in the other, through its top: it is narrower, or its bottom is well above the other's. */
static pov_range held(const pov_situation *situation, pov_member member, const pov_predicate_params *params)
{
    const pov_member other = pov_other(member);
    const double own_height_m = height_m(situation, member), others_height_m = height_m(situation, other);
    if (!(own_height_m > 0 && others_height_m > 0))
        return pov_range_exactly(0);
    /* A river's box may show its surface only. */
    const bool is_deep = affords(situation, other, POV_AFFORDS_FLOATING);
    const double of_m = is_deep ? own_height_m : fmin(own_height_m, others_height_m);
    pov_range reaches = pov_grade_above(pov_range_divided(sunk_m(situation, member), of_m),
                                        params->held_share, params->held_softness);
    if (!is_deep) {
        pov_range share = pov_range_divided(raised_m(situation, member), others_height_m);
        reaches =
            pov_grade_and(reaches, pov_grade_above(share, -params->raised_share, params->raised_softness));
    }
    if (reaches.high == 0)
        return reaches;
    pov_range fits =
        pov_grade_or(narrower(situation, member, params),
                     pov_grade_and(raised(situation, member, params), overlapping(situation, params)));
    return pov_grade_and(reaches, fits);
}

/* As if the other were a container. */
static pov_range in_hollow(const pov_situation *situation, pov_member member,
                           const pov_predicate_params *params)
{
    const pov_member other = pov_other(member);
    const pov_range gap_m = pov_situation_gap_m(situation);
    if (gap_m.low > 0)
        return pov_range_exactly(0);
    pov_range volume = pov_volume_share(situation, member);
    pov_range partly = pov_grade_or(share_above(volume, params), held(situation, member, params));
    if (partly.high == 0)
        return partly;
    if (affords(situation, member, POV_AFFORDS_HOLDING)) {
        /* A vase fills most of the box about the flowers in it. */
        pov_range holds =
            pov_grade_and(held(situation, other, params),
                          pov_grade_below(volume, params->enclosed_share, params->enclosed_softness));
        partly = pov_grade_and(partly, pov_grade_not(holds));
    }
    partly.low =
        gap_m.high > 0 ? 0 : partly.low; /* tilted boxes may be apart though outlines and heights are not */
    return partly;
}

pov_range pov_grade_inside(const pov_situation *situation, pov_member member,
                           const pov_predicate_params *params)
{
    const pov_member other = pov_other(member);
    if (affords(situation, other, POV_AFFORDS_STOWING))
        return if_so_used(stowed(situation, member, params));
    if (affords(situation, other, POV_AFFORDS_COVERING)) /* wrapped up, or under it */
        return if_so_used(in_hollow(situation, member, params));
    if (!may_afford(situation, other, POV_AFFORDS_HOLDING))
        return pov_range_exactly(0);
    pov_range partly = in_hollow(situation, member, params);
    if (partly.high > 0 && affords(situation, other, POV_AFFORDS_HOLDING))
        partly = pov_grade_and(partly, pov_grade_not(pov_grade_sheltered(situation, member, params)));
    return pov_grade_by_use(situation, other, POV_AFFORDS_HOLDING, partly);
}

POV_PREDICATE(inside)
{
    return pov_grade_inside(situation, POV_REFERENT, params);
}

POV_PREDICATE(outside)
{
    return pov_grade_not(pov_grade_inside(situation, POV_REFERENT, params));
}

POV_PREDICATE(contains)
{
    return pov_grade_inside(situation, POV_RELATUM, params);
}

/* -------- on -------- */

static pov_range grade_on_top(const pov_situation *situation, pov_member member,
                              const pov_predicate_params *params)
{
    pov_range depth_m = sunk_m(situation, member);
    pov_range contact = pov_grade_above(depth_m, -params->touch_gap_m, params->touch_softness_m);
    if (contact.high == 0)
        return contact;
    /* Boxes are larger than what they hold, and feet stand on the ground that a road lies on. */
    pov_range level = pov_grade_below(depth_m, params->touch_gap_m, params->touch_softness_m);
    pov_range sunk = height_m(situation, member) > 0
                         ? pov_grade_below(pov_range_divided(depth_m, height_m(situation, member)),
                                           params->sunk_share, params->sunk_softness)
                         : pov_range_exactly(0);
    if (level.high == 0 && sunk.high == 0)
        return level;
    pov_range rests = pov_grade_and(contact, pov_predicate_touching(situation, params));
    if (rests.high == 0)
        return rests;
    if (sunk.high > 0 && level.low < 1)
        level = pov_grade_or(level, pov_grade_and(sunk, narrower(situation, member, params)));
    rests = pov_grade_and(rests, level);
    return rests.high == 0 ? rests : pov_grade_and(rests, overlapping(situation, params));
}

/* Floats: rises from a liquid and reaches into it. */
static pov_range afloat(const pov_situation *situation, pov_member member, const pov_predicate_params *params)
{
    const pov_body *a = pov_body_of(situation, member), *b = pov_body_of(situation, pov_other(member));
    if (!(height_m(situation, member) > 0) || !may_afford(situation, member, POV_FLOATS))
        return pov_range_exactly(0);
    pov_range out_m = pov_height_m(situation, a->box.centre_m.z - pov_top_m(b));
    pov_range out =
        pov_grade_above(pov_range_divided(out_m, height_m(situation, member)), 0, params->size_softness);
    pov_range deep =
        pov_grade_above(sunk_m(situation, member), -params->touch_gap_m, params->touch_softness_m);
    out = pov_grade_and(out, deep);
    if (out.high == 0)
        return out;
    return pov_grade_by_use(situation, member, POV_FLOATS,
                            pov_grade_and(out, overlapping(situation, params)));
}

/* In the folds of a blanket, or sunk into a thick one. */
static pov_range on_cover(const pov_situation *situation, pov_member member,
                          const pov_predicate_params *params)
{
    if (!(height_m(situation, pov_other(member)) > 0))
        return pov_range_exactly(0);
    pov_range off_floor = raised(situation, member, params);
    if (off_floor.high == 0)
        return off_floor;
    pov_range lies = pov_grade_and(pov_predicate_touching(situation, params), overlapping(situation, params));
    return if_so_used(pov_grade_and(off_floor, lies));
}

/* The member's centre is over the other's outline and above its middle, and its bottom not above its top. */
static pov_range seated(const pov_situation *situation, pov_member member, const pov_predicate_params *params)
{
    const pov_member other = pov_other(member);
    const pov_body *a = pov_body_of(situation, member), *b = pov_body_of(situation, other);
    pov_range high =
        pov_grade_above(pov_range_divided(pov_height_m(situation, a->box.centre_m.z - b->box.centre_m.z),
                                          pov_situation_size_m(situation)),
                        0, params->size_softness);
    if (affords(situation, other, POV_AFFORDS_HOLDING)) /* a shelf bears at any height */
        high = pov_grade_or(high, pov_grade_inside(situation, member, params));
    pov_range low =
        pov_grade_above(sunk_m(situation, member), -params->touch_gap_m, params->touch_softness_m);
    pov_range at = pov_grade_and(high, low);
    if (at.high == 0)
        return at;
    at = pov_grade_and(at, pov_predicate_touching(situation, params));
    if (at.high == 0)
        return at;
    return pov_grade_and(at,
                         pov_grade_below(pov_share_of_way_out(situation, member), 1, params->place_softness));
}

/* Lower than the other's top, by the other's use. */
static pov_range borne(const pov_situation *situation, pov_member member, const pov_predicate_params *params)
{
    const pov_member other = pov_other(member);
    if (affords(situation, other, POV_AFFORDS_RIDING))
        return pov_grade_inside(situation, member, params);
    if (affords(situation, other, POV_AFFORDS_FLOATING))
        return afloat(situation, member, params);
    if (affords(situation, other, POV_AFFORDS_COVERING))
        return on_cover(situation, member, params);
    if (!may_afford(situation, other, POV_AFFORDS_BEARING))
        return pov_range_exactly(0);
    return pov_grade_by_use(situation, other, POV_AFFORDS_BEARING, seated(situation, member, params));
}

/* The face that a box on a wall touches: the horizontal axis of the other box along which it sticks out. */
typedef struct {
    double out_m, thickness_m, width_m,
        common_m; /* of it: across the face, along it, along it in front of the face */
} wall_contact;

static wall_contact contact_of(const pov_box *a, const pov_box *b, int axis, int along)
{
    const pov_rot R = pov_rot_transpose(b->R_table_box);
    const pov_vec3 at = pov_box_local(b, a->centre_m);
    const double position[3] = {at.x, at.y, at.z}, half[3] = {b->half_m.x, b->half_m.y, b->half_m.z};
    const pov_vec3 normal = {R.m[axis][0], R.m[axis][1], R.m[axis][2]},
                   aside = {R.m[along][0], R.m[along][1], R.m[along][2]};
    double thick_m = pov_box_half_extent_m(a, normal), wide_m = pov_box_half_extent_m(a, aside);
    return (wall_contact){
        .out_m = fabs(position[axis]) - half[axis] - thick_m,
        .thickness_m = 2 * thick_m,
        .width_m = 2 * wide_m,
        .common_m = fmin(2 * wide_m, half[along] + wide_m - fabs(position[along])),
    };
}

/* Flat on the side of an upright box, off the ground that this stands on: a picture on a wall, a clock on a tower. */
static pov_range hangs(const pov_situation *situation, pov_member member, const pov_predicate_params *params)
{
    const pov_body *a = pov_body_of(situation, member), *b = pov_body_of(situation, pov_other(member));
    pov_range touching = pov_predicate_touching(situation, params);
    if (touching.high == 0 || !(fabs(b->box.R_table_box.m[2][2]) > 0.99))
        return pov_range_exactly(0);
    if (pov_is_spread(&situation->spread))
        return (pov_range){0, touching.high};
    wall_contact x = contact_of(&a->box, &b->box, 0, 1), y = contact_of(&a->box, &b->box, 1, 0);
    const wall_contact *face = x.out_m > y.out_m ? &x : &y;
    const double tall_m = height_m(situation, member);
    if (!(face->width_m > 0 && tall_m > 0) || !(2 * face->thickness_m <= fmin(face->width_m, tall_m)) ||
        face->out_m < -params->touch_gap_m - params->touch_softness_m)
        return pov_range_exactly(0);
    pov_range common_m =
        pov_range_exactly(fmin(pov_top_m(a), pov_top_m(b)) - fmax(pov_bottom_m(a), pov_bottom_m(b)));
    pov_range before = pov_grade_and(share_above(pov_range_exactly(face->common_m / face->width_m), params),
                                     share_above(pov_range_divided(common_m, tall_m), params));
    pov_range raised =
        pov_grade_above(raised_m(situation, member), params->touch_gap_m, params->touch_softness_m);
    return pov_grade_and(touching, pov_grade_and(before, raised));
}

static pov_range on(const pov_situation *situation, pov_member member, const pov_predicate_params *params)
{
    if (pov_situation_gap_m(situation).low > params->touch_gap_m + params->touch_softness_m)
        return pov_range_exactly(0);
    pov_range rests = pov_grade_or(grade_on_top(situation, member, params), borne(situation, member, params));
    return rests.low == 1 ? rests : pov_grade_or(rests, hangs(situation, member, params));
}

POV_PREDICATE(on)
{
    return on(situation, POV_REFERENT, params);
}

POV_PREDICATE(off)
{
    return pov_grade_not(on(situation, POV_REFERENT, params));
}

POV_PREDICATE(supports)
{
    return on(situation, POV_RELATUM, params);
}

POV_PREDICATE(on_top)
{
    const pov_body *a = &situation->referent, *b = &situation->relatum[0];
    pov_range above_m = pov_height_m(situation, a->box.centre_m.z - pov_top_m(b));
    pov_range above = pov_grade_above(pov_range_divided(above_m, pov_situation_size_m(situation)), 0,
                                      params->size_softness);
    pov_range seated = above.high == 0 ? above : pov_grade_and(above, borne(situation, POV_REFERENT, params));
    return pov_grade_or(grade_on_top(situation, POV_REFERENT, params), seated);
}

/* -------- contact -------- */

POV_PREDICATE(attached)
{
    pov_range touching = pov_predicate_touching(situation, params);
    if (touching.high == 0)
        return touching;
    pov_range rests = pov_grade_or(grade_on_top(situation, POV_REFERENT, params),
                                   grade_on_top(situation, POV_RELATUM, params));
    return pov_grade_and(touching, pov_grade_not(rests));
}

static pov_range carried(const pov_situation *situation, pov_member member,
                         const pov_predicate_params *params)
{
    const pov_member other = pov_other(member);
    const pov_body *a = pov_body_of(situation, member), *b = pov_body_of(situation, other);
    const bool bears = affords(situation, other, POV_AFFORDS_BEARING);
    pov_range depth_m = sunk_m(situation, member);
    pov_range there = pov_grade_above(depth_m, -params->touch_gap_m, params->touch_softness_m);
    if (!bears && !affords(situation, other, POV_AFFORDS_HOLDING))
        there = pov_grade_and(there, pov_grade_below(depth_m, params->touch_gap_m, params->touch_softness_m));
    double above_m = a->box.centre_m.z - (bears ? b->box.centre_m.z : pov_top_m(b));
    there =
        pov_grade_and(there, pov_grade_above(pov_height_m(situation, above_m), 0, params->touch_softness_m));
    if (there.high == 0)
        return there;
    return pov_grade_and(there,
                         pov_grade_below(pov_share_of_way_out(situation, member), 1, params->place_softness));
}

pov_range pov_grade_carried(const pov_situation *situation, const pov_predicate_params *params)
{
    return pov_grade_or(carried(situation, POV_REFERENT, params), carried(situation, POV_RELATUM, params));
}
