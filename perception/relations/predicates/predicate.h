/** Graded predicates: how far a spatial relation holds of boxes whose places are known exactly.
 *
 *  Each predicate gives a truth value in [0, 1], or NaN where geometry cannot decide. Above 0.5 it holds. Around its
 *  threshold the value rises smoothly over a stated width, so that expectations under noise are well behaved. "and" is
 *  the smaller, "or" the larger, "not" one minus (Zadeh 1965). Pure; table frame (z up), metres, seconds.
 *
 *  A situation may stand for all that lie about it within a spread. The truth is then a range that holds the truth of
 *  each: where its bounds are equal, one look decides for all of them. */
#pragma once

#include "perception/geometry/box.h"
#include "perception/relations/predicates/predicate_range.h"

#include <stdbool.h>

enum { POV_RELATA_MAX = 8 };

/** One thing of a situation. */
typedef struct {
    pov_box box;
    bool has_front, has_velocity;
    bool
        has_idle_hands; /* a person whose arms are seen, and do not point; then there is no front where a hand's is meant */
    double front_yaw_rad;  /* counter-clockwise from above, 0 along table +x */
    pov_vec3 velocity_m_s; /* in the table frame */
    unsigned
        affords; /* POV_AFFORDS_... bits (affordance.h); 0: nothing is known of its use, and it may have any */
} pov_body;

/** Errors of the things' places in a situation, seen from the first relatum. All zero: it is exact. */
typedef struct {
    double offset_m, ground_m, height_m; /* the referent: in space, on the ground, in height */
    double relata_m;                     /* the further relata */
    double viewer_m;
    double turn_rad
        [3]; /* the fronts, and the boxes with them, of the referent, the first relatum, the further ones */
    double axes_rad;     /* the frame's axes */
    double velocity_m_s; /* the referent's velocity against the first relatum's, and either's own */
} pov_spread;

/** A vector known to within a length. */
typedef struct {
    pov_vec3 v;
    double spread_m;
} pov_uncertain_vector;

/** The directions in which an outline lies from a point, each known to within off_rad; off_rad >= pi: nothing is known, as
 *  the point may be within the outline, where distance_m is 0. */
typedef struct {
    pov_range distance_m;
    double middle_rad, half_rad, off_rad;
} pov_uncertain_view;

/** Measures of one situation that several predicates share, filled in on demand. All zero: nothing is measured yet. */
typedef struct pov_measures {
    bool has_gap, has_ground_gap, has_outlines, has_outline_share[2], has_volume_share[2], has_view[2];
    pov_range gap_m, ground_gap_m;
    pov_uncertain_vector ground_gap;             /* from the relatum's nearest point to the referent's */
    pov_range outline_share[2], volume_share[2]; /* of the referent in the relatum, and the other way round */
    pov_uncertain_view view[2];                  /* of the relatum from the referent's centre, and back */
    pov_footprint outline[2];
} pov_measures;

/** A referent, what it is located by, and the axes and the viewer of the perspective chosen. The first relatum is
 *  "the" relatum; "between" needs two, "among" three, "nearer to" two (what it is nearer to, and what is farther). */
typedef struct {
    pov_body referent;
    int relatum_len;
    pov_body relatum[POV_RELATA_MAX];
    bool has_axes;        /* a frame is chosen, and has directions at the relatum */
    pov_vec2 front, left; /* unit vectors on the ground */
    bool has_viewer;
    pov_vec3 viewer_m;
    pov_spread spread;
    pov_measures *measures; /* of this very situation, or NULL: each predicate measures again */
} pov_situation;

/** Parameters that the papers leave open. A size is a body's diagonal; a pair's size is the mean of the two. Distances that a term
 *  spans grow with both things (Carlson & Covey 2005), so ratios are of the pair's size. They are Hall's zones (1966) for two
 *  people of 1.8 m: close personal to 0.76 m, close social to 2.1 m, social to 3.6 m, distant public from 7.6 m. Each
 *  softness is half the width over which truth rises from 0 to 1 about its threshold. */
typedef struct {
    double touch_gap_m, touch_softness_m; /* contact; metres: the resolution of a good pose */
    double adjacent_ratio, near_ratio;    /* gap up to which things adjoin; are near */
    double beside_ratio;                  /* gap up to which nothing else of their size fits between */
    double far_ratio, far_away_ratio;     /* gap from which they are far */
    double distance_softness;             /* as a share of each ratio */
    double cone_rad, cone_softness_rad;   /* half-angle about a direction: toward, facing, beyond, ... */
    double hit_softness_rad;              /* about the edges of what a front or a course meets */
    double hull_softness_rad;             /* about the straight angle of what is between */
    double parallel_rad, parallel_softness_rad; /* departure from parallel or perpendicular */
    double elongation;                /* longest by second edge from which a thing has a long axis */
    double share, share_softness;     /* of volume, outline or length, for inside, over, alongside, ... */
    double sunk_share, sunk_softness; /* of its height below the rim: a thing is in, not on */
    double held_share, held_softness; /* the same of the lower of the two, where the relatum is a container */
    double raised_share,
        raised_softness; /* of the other's height: off its floor; what is wider reaches in from above */
    double board_m;      /* above a drawer */
    double enclosed_share, enclosed_softness; /* of the footprint, for surrounding */
    double enclosed_height_share,
        enclosed_height_softness;                    /* of the enclosed one's height, beside the encloser */
    double middle_ratio, edge_ratio, place_softness; /* distance from the centre by that of the border */
    double fit_ratio, fit_softness; /* within: how far a corner may stand out, of the inner thing's size */
    double size_softness;           /* bigger, higher, nearer: difference as a share of the pair's mean */
    double still_speed_1_s;         /* in own sizes a second: slower stands still */
    double horizon_s;               /* how far motion is continued, ahead and back */
} pov_predicate_params;

#define POV_PREDICATE_PARAMS_DEFAULT                                                                         \
    {                                                                                                        \
        .touch_gap_m = 0.01, .touch_softness_m = 0.005, .adjacent_ratio = 0.42, .near_ratio = 1.17,          \
        .beside_ratio = 1, .far_ratio = 2, .far_away_ratio = 4.2, .distance_softness = 0.2,                  \
        .cone_rad = POV_PI / 4, .cone_softness_rad = POV_PI / 18, .hit_softness_rad = POV_PI / 36,           \
        .hull_softness_rad = POV_PI / 18, .parallel_rad = POV_PI / 8, .parallel_softness_rad = POV_PI / 36,  \
        .elongation = 1.2, .share = 0.5, .share_softness = 0.25, .sunk_share = 0.25, .sunk_softness = 0.1,   \
        .held_share = 0.1, .held_softness = 0.05, .raised_share = 0.05, .raised_softness = 0.03,             \
        .board_m = 0.02, .enclosed_share = 0.9, .enclosed_softness = 0.1, .enclosed_height_share = 0.1,      \
        .enclosed_height_softness = 0.05, .middle_ratio = 0.4, .edge_ratio = 0.7, .place_softness = 0.1,     \
        .fit_ratio = 0.05, .fit_softness = 0.03, .size_softness = 0.05, .still_speed_1_s = 0.05,             \
        .horizon_s = 3                                                                                       \
    }

typedef pov_range (*pov_predicate)(const pov_situation *situation, const pov_predicate_params *params);
