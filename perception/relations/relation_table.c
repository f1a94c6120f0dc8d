#include "perception/relations/predicates/predicate_list.h"
#include "perception/relations/relation_registry.h"

#define VSR    "VSR, Table 1"
#define FRAMES "Levinson 2003; COMFORT, section 2"
#define PATH   "VSR, Table 1; Jackendoff 1983; Talmy 2000"
#define RCC    "VSR, Table 1; Randell, Cui & Cohn 1992"
#define AVS    "VSR, Table 1; Regier & Carlson 2001"
#define DATA   "VSR's captions; Marchi Fagundes et al. 2021"
#define SPHERE "SPHERE, distance and size tasks"
#define OURS   "completes its inverse"
#define SIZES  "VSR, Table 1; Carlson & Covey 2005; Hall 1966"
#define USE    "VSR, Table 1; Herskovits 1986; Coventry & Garrod 2004"
#define SIDE   "VSR, Table 1; Herskovits 1986; Regier & Carlson 2001"
#define LINEAR "VSR, Table 1; Talmy 2000"
#define AIMED  "VSR, Table 1; Talmy 2000 (prospect paths)"
#define HANDS  "Kranstedt et al. 2006 (pointing cone); Breuer et al. 2010"

#define RELATION(name_, category_, relata, number, predicate, source_, definition_, ...)                     \
    {                                                                                                        \
        .name = name_, .definition = definition_, .source = source_, .category = POV_##category_,            \
        .relata_min = relata, .projective = POV_##number, .evaluate = pov_predicate_##predicate, __VA_ARGS__ \
    }
#define POV_NO_OTHER    POV_RELATION_COUNT
#define PHRASES(...)    .phrases = {__VA_ARGS__}
#define IN_TABLE_1      .vsr = POV_VSR_USED
#define UNUSED          .vsr = POV_VSR_UNUSED
#define TWICE           .vsr_unallocated_too = true
#define FRAME(need)     .frame = POV_FRAME_##need
#define INVERSE(other)  .inverse = other
#define NEGATION(other) .negation = other
#define SYMMETRIC       .symmetric = true
#define TRANSITIVE      .transitive = true
#define METRIC          .metric = true
#define MOVING          .moving = true
#define AIM(what)       .aim = POV_AIM_##what

const pov_relation_info pov_relation_table[] = {
    /* ---- Adjacency ---- */
    RELATION("adjacent_to", ADJACENCY, 1, NO_OTHER, adjacent, SIZES,
             "the gap is at most adjacent_ratio of the pair's size",
             PHRASES("adjacent to", "adjoining", "immediately by"), IN_TABLE_1, SYMMETRIC),
    RELATION("alongside", ADJACENCY, 1, NO_OTHER, alongside, LINEAR,
             "next to; abreast (by share of the shorter length) and, if long itself, parallel to the length "
             "of what is long; of two that are not long, abreast of each front",
             PHRASES("alongside", "alongside of", "side by side with"), IN_TABLE_1, SYMMETRIC),
    RELATION("at_the_side_of", ADJACENCY, 1, NO_OTHER, at_side, SIDE,
             "near, and from the relatum's nearest point within cone_rad of the frame's left or right; from "
             "its centre where outlines overlap",
             PHRASES("at the side of", "at one side of", "on the side of"), IN_TABLE_1, FRAME(AXES),
             SYMMETRIC),
    RELATION("at_the_right_side_of", ADJACENCY, 1, NO_OTHER, at_right, SIDE,
             "near, and from the relatum's nearest point within cone_rad of the frame's right; from its "
             "centre where outlines overlap",
             PHRASES("at the right side of", "on the right side of", "at the right of"), IN_TABLE_1,
             FRAME(AXES), INVERSE("at_the_left_side_of")),
    RELATION("at_the_left_side_of", ADJACENCY, 1, NO_OTHER, at_left, SIDE,
             "near, and from the relatum's nearest point within cone_rad of the frame's left; from its "
             "centre where outlines overlap",
             PHRASES("at the left side of", "on the left side of", "at the left of"), IN_TABLE_1, FRAME(AXES),
             INVERSE("at_the_right_side_of")),
    RELATION("attached_to", ADJACENCY, 1, NO_OTHER, attached, USE,
             "in contact (touch_gap_m), and neither rests on the other (what geometry can tell of it)",
             PHRASES("attached to", "fixed to", "fastened to"), IN_TABLE_1, SYMMETRIC, METRIC),
    RELATION("at_the_back_of", ADJACENCY, 1, NO_OTHER, at_back, SIDE,
             "near, and from the relatum's nearest point within cone_rad of the frame's back; from its "
             "centre where outlines overlap",
             PHRASES("at the back of", "at the rear of", "on the back of"), IN_TABLE_1, FRAME(AXES)),
    RELATION("ahead_of", ADJACENCY, 1, IN_FRONT_OF, front, FRAMES,
             "in the half-plane of the frame's front, neither standing on the other",
             PHRASES("ahead of", "before"), IN_TABLE_1, FRAME(AXES), INVERSE("behind"), TRANSITIVE, METRIC),
    RELATION("against", ADJACENCY, 1, NO_OTHER, against, USE, "next to and in contact (touch_gap_m)",
             PHRASES("against", "up against", "leaning against"), IN_TABLE_1, SYMMETRIC, METRIC),
    RELATION("at_the_edge_of", ADJACENCY, 1, NO_OTHER, edge, VSR,
             "centre beyond edge_ratio of the way to the border of the relatum's outline, adjacent, in it or "
             "next above or below",
             PHRASES("at the edge of", "on the edge of", "at the border of", "at the rim of"), IN_TABLE_1),
    /* ---- Directional ---- */
    RELATION("off", DIRECTIONAL, 1, NO_OTHER, off, VSR, "not on", PHRASES("off", "off of", "not on"),
             IN_TABLE_1, NEGATION("on"), METRIC),
    RELATION(
        "past", DIRECTIONAL, 1, NO_OTHER, past, PATH,
        "passes nearest within near_ratio of the size, not in contact, within horizon_s before or after now",
        PHRASES("past", "going past", "passing", "passing by"), IN_TABLE_1, MOVING),
    RELATION(
        "toward", DIRECTIONAL, 1, NO_OTHER, toward, PATH,
        "the relatum is within cone_rad of the velocity, or on the course; if it does not move: faces it",
        PHRASES("toward", "towards", "moving toward", "heading for", "approaching"), IN_TABLE_1, MOVING),
    RELATION("down", DIRECTIONAL, 1, NO_OTHER, down, PATH,
             "moves within cone_rad of straight down; not moving: lower",
             PHRASES("down", "going down", "moving down"), IN_TABLE_1, MOVING),
    RELATION("deep_down", DIRECTIONAL, 1, NO_OTHER, deep_down, VSR, "inside, the centre in the lowest third",
             PHRASES("deep down", "deep down in", "at the bottom of"), UNUSED),
    RELATION("up", DIRECTIONAL, 1, NO_OTHER, up, PATH,
             "moves within cone_rad of straight up; not moving: higher",
             PHRASES("up", "going up", "moving up"), UNUSED, MOVING),
    RELATION("away_from", DIRECTIONAL, 1, NO_OTHER, away_from, PATH,
             "the relatum is within cone_rad opposite to the velocity, or on the course backward; if it does "
             "not move: faces away from it",
             PHRASES("away from", "moving away from", "leaving", "receding from"), IN_TABLE_1, MOVING),
    RELATION(
        "along", DIRECTIONAL, 1, NO_OTHER, along, PATH,
        "near, abreast of the relatum's length, course (else long axis) within parallel_rad of its long axis",
        PHRASES("along", "going along", "running along"), IN_TABLE_1, MOVING),
    RELATION("around", DIRECTIONAL, 1, NO_OTHER, around, PATH,
             "near and moving within parallel_rad across the line to the relatum; not moving: surrounding",
             PHRASES("around", "going around", "round", "circling"), IN_TABLE_1, MOVING),
    RELATION("from", DIRECTIONAL, 1, NO_OTHER, from, PATH,
             "moves away from it and was adjacent since horizon_s ago", PHRASES("from", "coming from"),
             UNUSED, MOVING),
    RELATION("into", DIRECTIONAL, 1, NO_OTHER, into, PATH,
             "the centre is outside and will be inside within horizon_s",
             PHRASES("into", "going into", "entering"), IN_TABLE_1, MOVING),
    RELATION("to", DIRECTIONAL, 1, NO_OTHER, to, PATH,
             "moves toward it and will be adjacent within horizon_s", PHRASES("to", "going to"), UNUSED,
             MOVING),
    RELATION("across", DIRECTIONAL, 1, NO_OTHER, across, PATH,
             "ground gap at most adjacent_ratio of its own size, course (else long axis) within parallel_rad "
             "of a right angle to the relatum's long axis",
             PHRASES("across", "going across", "crossing", "lying across"), IN_TABLE_1, MOVING),
    RELATION("across_from", DIRECTIONAL, 1, NO_OTHER, across_from, VSR,
             "each that has a front faces the other; outlines apart",
             PHRASES("across from", "face to face with"), IN_TABLE_1, SYMMETRIC),
    RELATION("through", DIRECTIONAL, 1, NO_OTHER, through, PATH,
             "the centre was and will be outside within horizon_s, and is inside between",
             PHRASES("through", "going through", "passing through"), IN_TABLE_1, MOVING),
    RELATION("down_from", DIRECTIONAL, 1, NO_OTHER, down_from, PATH, "lower, and if moving, downward",
             PHRASES("down from", "coming down from"), IN_TABLE_1, MOVING),
    /* ---- Orientation ---- */
    RELATION("facing", ORIENTATION, 1, NO_OTHER, facing, AIMED,
             "the front points at the relatum's outline; or its centre and the middle of its outline, as "
             "seen, are within cone_rad",
             PHRASES("facing", "facing toward", "turned to"), IN_TABLE_1),
    RELATION("facing_away_from", ORIENTATION, 1, NO_OTHER, facing_away, AIMED,
             "the back points at the relatum's outline; or its centre and the middle of its outline, as "
             "seen, are within cone_rad of the back",
             PHRASES("facing away from", "turned away from", "with its back to"), IN_TABLE_1),
    RELATION("parallel_to", ORIENTATION, 1, NO_OTHER, parallel, VSR,
             "main axes (front, else longest edge) within parallel_rad",
             PHRASES("parallel to", "parallel with"), IN_TABLE_1, SYMMETRIC),
    RELATION("perpendicular_to", ORIENTATION, 1, NO_OTHER, perpendicular, VSR,
             "main axes within parallel_rad of a right angle",
             PHRASES("perpendicular to", "at right angles to", "at a right angle to"), IN_TABLE_1, SYMMETRIC),
    /* ---- Projective ---- */
    RELATION(
        "on_top_of", PROJECTIVE, 1, NO_OTHER, on_top, USE,
        "lowest point at the relatum's top within touch_gap_m (or lower by less than sunk_share of its "
        "height), outlines overlapping by share of the smaller; or on its seat with the centre above its top",
        PHRASES("on top of", "atop", "resting on"), IN_TABLE_1, METRIC),
    RELATION("beneath", PROJECTIVE, 1, NO_OTHER, under, VSR, "the relatum is over it",
             PHRASES("beneath", "directly below"), IN_TABLE_1, INVERSE("over")),
    RELATION("beside", PROJECTIVE, 1, NO_OTHER, beside, SIDE,
             "next to, but not straight ahead of the relatum's front nor straight behind it",
             PHRASES("beside", "to the side of", "by the side of"), IN_TABLE_1),
    RELATION("behind", PROJECTIVE, 1, BEHIND, behind, FRAMES,
             "in the half-plane of the frame's back, neither standing on the other",
             PHRASES("behind", "in back of", "to the back of"), IN_TABLE_1, FRAME(AXES),
             INVERSE("in_front_of"), TRANSITIVE, METRIC),
    RELATION("left_of", PROJECTIVE, 1, LEFT_OF, left, FRAMES,
             "in the half-plane of the frame's left, neither standing on the other",
             PHRASES("left of", "to the left of", "on the left of"), IN_TABLE_1, FRAME(AXES),
             INVERSE("right_of"), TRANSITIVE, METRIC),
    RELATION("right_of", PROJECTIVE, 1, RIGHT_OF, right, FRAMES,
             "in the half-plane of the frame's right, neither standing on the other",
             PHRASES("right of", "to the right of", "on the right of"), IN_TABLE_1, FRAME(AXES),
             INVERSE("left_of"), TRANSITIVE, METRIC),
    RELATION("under", PROJECTIVE, 1, NO_OTHER, under, VSR, "the relatum is over it",
             PHRASES("under", "underneath"), IN_TABLE_1, INVERSE("over")),
    RELATION("in_front_of", PROJECTIVE, 1, IN_FRONT_OF, front, FRAMES,
             "in the half-plane of the frame's front, neither standing on the other",
             PHRASES("in front of", "to the front of"), IN_TABLE_1, FRAME(AXES), INVERSE("behind"),
             TRANSITIVE, METRIC),
    RELATION("below", PROJECTIVE, 1, NO_OTHER, below, AVS, "the relatum is above it",
             PHRASES("below", "lower down than"), IN_TABLE_1, INVERSE("above")),
    RELATION("above", PROJECTIVE, 1, NO_OTHER, above, AVS,
             "centre over the relatum's top, within cone_rad upward from its outline; or it shelters the "
             "relatum, as a table does what is below",
             PHRASES("above", "up above"), IN_TABLE_1, INVERSE("below")),
    RELATION("over", PROJECTIVE, 1, NO_OTHER, over, VSR,
             "centre over the relatum's top, outlines overlapping by share of the smaller; or it shelters "
             "the relatum, as a table does what is below",
             PHRASES("over", "directly above", "right over"), IN_TABLE_1, INVERSE("under")),
    RELATION("in_the_middle_of", PROJECTIVE, 1, NO_OTHER, middle, VSR,
             "centre within middle_ratio of the way to the border of the relatum's outline, in it or next "
             "above or below",
             PHRASES("in the middle of", "in the middle", "at the centre of", "in the center of"),
             IN_TABLE_1),
    /* ---- Proximity ---- */
    RELATION("by", PROXIMITY, 1, NO_OTHER, near, SIZES, "the gap is at most near_ratio of the pair's size",
             PHRASES("by", "close by"), IN_TABLE_1, SYMMETRIC),
    RELATION("close_to", PROXIMITY, 1, NO_OTHER, near, SIZES,
             "the gap is at most near_ratio of the pair's size", PHRASES("close to", "not far from"),
             IN_TABLE_1, SYMMETRIC),
    RELATION("near", PROXIMITY, 1, NO_OTHER, near, SIZES, "the gap is at most near_ratio of the pair's size",
             PHRASES("near", "near to", "nearby"), IN_TABLE_1, SYMMETRIC),
    RELATION("far_from", PROXIMITY, 1, NO_OTHER, far, SIZES,
             "the gap is at least far_ratio of the pair's size", PHRASES("far from", "distant from"),
             IN_TABLE_1, SYMMETRIC),
    RELATION("far_away_from", PROXIMITY, 1, NO_OTHER, far_away, SIZES,
             "the gap is at least far_away_ratio of the pair's size",
             PHRASES("far away from", "very far from", "a long way from"), IN_TABLE_1, SYMMETRIC),
    /* ---- Topological ---- */
    RELATION("connected_to", TOPOLOGICAL, 1, NO_OTHER, attached, USE,
             "in contact (touch_gap_m), and neither rests on the other (what geometry can tell of it)",
             PHRASES("connected to", "connected with", "joined to"), IN_TABLE_1, SYMMETRIC, METRIC),
    RELATION("detached_from", TOPOLOGICAL, 1, NO_OTHER, detached, RCC, "not in contact",
             PHRASES("detached from", "separate from", "not touching"), IN_TABLE_1, NEGATION("touching"),
             SYMMETRIC, METRIC),
    RELATION("has_as_a_part", TOPOLOGICAL, 1, NO_OTHER, undecidable, VSR,
             "not a matter of geometry: always undefined", PHRASES("has as a part", "have as a part"),
             IN_TABLE_1, INVERSE("part_of")),
    RELATION("part_of", TOPOLOGICAL, 1, NO_OTHER, undecidable, VSR,
             "not a matter of geometry: always undefined", PHRASES("part of", "a part of"), IN_TABLE_1,
             INVERSE("has_as_a_part")),
    RELATION("contains", TOPOLOGICAL, 1, NO_OTHER, contains, USE, "the relatum is inside it",
             PHRASES("contains", "contain", "containing", "holds"), IN_TABLE_1, INVERSE("inside")),
    RELATION(
        "within", TOPOLOGICAL, 1, NO_OTHER, within, RCC,
        "no corner stands out of the relatum by more than fit_ratio of its size; the relatum is a container; "
        "undefined as in",
        PHRASES("within", "wholly inside", "entirely inside"), IN_TABLE_1),
    RELATION("at", TOPOLOGICAL, 1, NO_OTHER, adjacent, SIZES,
             "the gap is at most adjacent_ratio of the pair's size", PHRASES("at", "right at"), IN_TABLE_1,
             SYMMETRIC),
    RELATION("on", TOPOLOGICAL, 1, NO_OTHER, on, USE,
             "lowest point at the relatum's top within touch_gap_m (or lower by less than sunk_share of its "
             "height), outlines overlapping by share of the smaller; or on its seat, afloat, aboard; or flat "
             "against "
             "its side, off the ground",
             PHRASES("on", "upon", "standing on"), IN_TABLE_1, INVERSE("supports"), NEGATION("off"), METRIC),
    RELATION("in", TOPOLOGICAL, 1, NO_OTHER, inside, USE,
             "at least share of its volume is in the relatum, a container, or its lower end reaches "
             "held_share of the "
             "lower height into it; undefined if the relatum's class is not known or may have drawers",
             PHRASES("in", "in the inside of"), IN_TABLE_1, INVERSE("contains"), NEGATION("outside")),
    RELATION("with", TOPOLOGICAL, 1, NO_OTHER, near, SIZES,
             "the gap is at most near_ratio of the pair's size (in company)",
             PHRASES("with", "together with", "accompanying"), IN_TABLE_1, SYMMETRIC),
    RELATION("surrounding", TOPOLOGICAL, 1, NO_OTHER, surrounding, VSR, "the relatum is enclosed by it",
             PHRASES("surrounding", "surround", "encircling", "enclosing"), IN_TABLE_1,
             INVERSE("enclosed_by")),
    RELATION("among", TOPOLOGICAL, 3, NO_OTHER, among, VSR,
             "inside the ring of three or more relata on the ground",
             PHRASES("among", "amongst", "amid", "in the midst of"), IN_TABLE_1, TWICE),
    RELATION("consists_of", TOPOLOGICAL, 1, NO_OTHER, undecidable, VSR,
             "not a matter of geometry: always undefined", PHRASES("consists of", "consist of", "is made of"),
             IN_TABLE_1),
    RELATION("out_of", TOPOLOGICAL, 1, NO_OTHER, outside, USE, "not inside", PHRASES("out of"), IN_TABLE_1,
             NEGATION("inside")),
    RELATION("between", TOPOLOGICAL, 2, NO_OTHER, between, SIDE,
             "level with the two relata and within the hull of their outlines; or they lie in opposite "
             "directions, give or take cone_rad",
             PHRASES("between", "in between"), IN_TABLE_1),
    RELATION("inside", TOPOLOGICAL, 1, NO_OTHER, inside, USE,
             "at least share of its volume is in the relatum, a container, or its lower end reaches "
             "held_share of the "
             "lower height into it; undefined if the relatum's class is not known or may have drawers",
             PHRASES("inside", "inside of"), IN_TABLE_1, INVERSE("contains"), NEGATION("outside")),
    RELATION("outside", TOPOLOGICAL, 1, NO_OTHER, outside, USE, "not inside",
             PHRASES("outside", "outside of", "not in"), IN_TABLE_1, NEGATION("inside")),
    RELATION("touching", TOPOLOGICAL, 1, NO_OTHER, touching, RCC, "the gap is at most touch_gap_m",
             PHRASES("touching", "in contact with", "touches"), IN_TABLE_1, NEGATION("detached_from"),
             SYMMETRIC, METRIC),
    RELATION("congruent", TOPOLOGICAL, 1, NO_OTHER, congruent, DATA,
             "edges, sorted by length, differ by less than a tenth",
             PHRASES("congruent to", "congruent with", "the same size and shape as"), .vsr = POV_VSR_USED,
             SYMMETRIC),
    /* ---- Unallocated ---- */
    RELATION("beyond", UNALLOCATED, 1, NO_OTHER, beyond, SIDE,
             "from the relatum's nearest point within cone_rad of the line of sight, outlines apart",
             PHRASES("beyond", "on the far side of"), IN_TABLE_1, FRAME(VIEWER)),
    RELATION("next_to", UNALLOCATED, 1, NO_OTHER, next_to, SIDE,
             "ground gap at most beside_ratio of the size, level by half the lower height, outlines apart",
             PHRASES("next to"), IN_TABLE_1, SYMMETRIC),
    RELATION("opposite_to", UNALLOCATED, 1, NO_OTHER, across_from, VSR,
             "each that has a front faces the other; outlines apart",
             PHRASES("opposite to", "opposite", "opposite from"), IN_TABLE_1, SYMMETRIC),
    RELATION("after", UNALLOCATED, 1, NO_OTHER, after, VSR,
             "within cone_rad behind the relatum's course, else behind its front",
             PHRASES("after", "following"), UNUSED, MOVING),
    RELATION("enclosed_by", UNALLOCATED, 1, NO_OTHER, enclosed, SIDE,
             "enclosed_share of its outline is in the relatum's, level by half the lower height and by "
             "enclosed_height_share of its own",
             PHRASES("enclosed by", "surrounded by", "encircled by"), IN_TABLE_1, INVERSE("surrounding")),
    /* ---- Cardinal ---- */
    RELATION("north_of", CARDINAL, 1, NORTH_OF, front, FRAMES,
             "in the half-plane of north, neither standing on the other",
             PHRASES("north of", "to the north of", "north from"), FRAME(NORTH), INVERSE("south_of"),
             TRANSITIVE, METRIC),
    RELATION("east_of", CARDINAL, 1, EAST_OF, right, FRAMES,
             "in the half-plane of east, neither standing on the other",
             PHRASES("east of", "to the east of", "east from"), FRAME(NORTH), INVERSE("west_of"), TRANSITIVE,
             METRIC),
    RELATION("south_of", CARDINAL, 1, SOUTH_OF, behind, FRAMES,
             "in the half-plane of south, neither standing on the other",
             PHRASES("south of", "to the south of", "south from"), FRAME(NORTH), INVERSE("north_of"),
             TRANSITIVE, METRIC),
    RELATION("west_of", CARDINAL, 1, WEST_OF, left, FRAMES,
             "in the half-plane of west, neither standing on the other",
             PHRASES("west of", "to the west of", "west from"), FRAME(NORTH), INVERSE("east_of"), TRANSITIVE,
             METRIC),
    /* ---- Comparative ---- */
    RELATION("nearer_to_viewer", COMPARATIVE, 1, NO_OTHER, nearer_to_viewer, SPHERE,
             "its surface is nearer to the viewer than the relatum's",
             PHRASES("nearer to the viewer than", "nearer than", "closer than", "closer to the viewer than",
                     "nearer to the camera than", "closer to the camera than"),
             FRAME(VIEWER), INVERSE("farther_from_viewer"), NEGATION("farther_from_viewer"), TRANSITIVE),
    RELATION("farther_from_viewer", COMPARATIVE, 1, NO_OTHER, farther_from_viewer, SPHERE,
             "its surface is farther from the viewer than the relatum's",
             PHRASES("farther from the viewer than", "farther than", "further than",
                     "farther from the camera than", "further from the viewer than",
                     "further from the camera than"),
             FRAME(VIEWER), INVERSE("nearer_to_viewer"), NEGATION("nearer_to_viewer"), TRANSITIVE),
    RELATION("nearer_to", COMPARATIVE, 2, NO_OTHER, nearer_to, SPHERE,
             "its gap to the first relatum is smaller than the second relatum's gap to the first",
             PHRASES("nearer to", "closer to", "nearer", "closer"), NEGATION("farther_from")),
    RELATION("farther_from", COMPARATIVE, 2, NO_OTHER, farther_from, SPHERE,
             "its gap to the first relatum is larger than the second relatum's gap to the first",
             PHRASES("farther from", "further from"), NEGATION("nearer_to")),
    RELATION("bigger_than", COMPARATIVE, 1, NO_OTHER, bigger, SPHERE, "more volume",
             PHRASES("bigger than", "larger than", "greater than"), INVERSE("smaller_than"),
             NEGATION("smaller_than"), TRANSITIVE),
    RELATION("smaller_than", COMPARATIVE, 1, NO_OTHER, smaller, SPHERE, "less volume",
             PHRASES("smaller than", "littler than"), INVERSE("bigger_than"), NEGATION("bigger_than"),
             TRANSITIVE),
    RELATION("taller_than", COMPARATIVE, 1, NO_OTHER, taller, SPHERE, "more height", PHRASES("taller than"),
             INVERSE("shorter_than"), NEGATION("shorter_than"), TRANSITIVE),
    RELATION("shorter_than", COMPARATIVE, 1, NO_OTHER, shorter, SPHERE, "less height",
             PHRASES("shorter than"), INVERSE("taller_than"), NEGATION("taller_than"), TRANSITIVE),
    RELATION("higher_than", COMPARATIVE, 1, NO_OTHER, higher, OURS, "its centre is higher",
             PHRASES("higher than"), INVERSE("lower_than"), NEGATION("lower_than"), TRANSITIVE),
    RELATION("lower_than", COMPARATIVE, 1, NO_OTHER, lower, OURS, "its centre is lower",
             PHRASES("lower than"), INVERSE("higher_than"), NEGATION("higher_than"), TRANSITIVE),
    RELATION("supports", TOPOLOGICAL, 1, NO_OTHER, supports, OURS, "the relatum is on it",
             PHRASES("supports", "supporting", "carrying"), INVERSE("on"), METRIC),
    /* ---- Orientation, of other parts than the body ---- */
    RELATION("looking_at", ORIENTATION, 1, NO_OTHER, facing, AIMED,
             "as facing, by the head's front where that is seen apart from the body's",
             PHRASES("looking at", "looking toward"), AIM(GAZE)),
    RELATION("pointing_at", ORIENTATION, 1, NO_OTHER, pointing, HANDS,
             "the ray from the eye through the fingertip, seen from above, meets the relatum's outline, or "
             "passes within 15 degrees of "
             "its centre; undefined where no arms were seen",
             PHRASES("pointing at", "pointing to", "pointing toward"), AIM(HAND)),
};
const int pov_relation_table_len = sizeof pov_relation_table / sizeof *pov_relation_table;
