/** The predicates themselves; see predicate.h for what they take and give. A is the referent, B the relatum (its
 *  centre, size and box). Ground: seen from above. "cone": within cone_rad of a direction. Metres, seconds, radians.
 *
 *  Definitions follow the reading of VSR (Liu, Emerson & Collier 2023, Table 1) where it is clear; whatever the paper leaves
 *  open is a parameter of predicate.h. */
#pragma once

#include "perception/relations/predicates/predicate.h"

#define POV_PREDICATE(name)                                                                                  \
    pov_range pov_predicate_##name(const pov_situation *situation, const pov_predicate_params *params)

/* ---- predicate_distance.c: gaps between surfaces, and comparisons ---- */
POV_PREDICATE(touching);            /* gap <= touch_gap_m */
POV_PREDICATE(detached);            /* not touching */
POV_PREDICATE(adjacent);            /* gap <= adjacent_ratio x size */
POV_PREDICATE(near);                /* gap <= near_ratio x size */
POV_PREDICATE(far);                 /* gap >= far_ratio x size */
POV_PREDICATE(far_away);            /* gap >= far_away_ratio x size */
POV_PREDICATE(nearer_to);           /* A's gap to B is smaller than the second relatum's gap to B */
POV_PREDICATE(farther_from);        /* A's gap to B is larger than the second relatum's */
POV_PREDICATE(nearer_to_viewer);    /* the viewer is nearer to A's surface than to B's */
POV_PREDICATE(farther_from_viewer); /* ... than to A's */
POV_PREDICATE(undecidable);         /* always undefined: parts and substance are no matter of geometry */

/* ---- predicate_distance.c: sizes ---- */
POV_PREDICATE(bigger); /* more volume; undefined if neither has any */
POV_PREDICATE(smaller);
POV_PREDICATE(taller); /* more height; undefined if neither has any */
POV_PREDICATE(shorter);
POV_PREDICATE(congruent); /* edges, sorted by length, each within POV_SIMILAR_LENGTH of the other's */

/* ---- predicate_hold.c: containment, support, contact ---- */
POV_PREDICATE(
    inside); /* `share` of A's volume is in B, or A reaches into it from above; a container needs less, a seat bears */
POV_PREDICATE(outside);  /* not inside */
POV_PREDICATE(contains); /* B is inside A */
POV_PREDICATE(on);       /* A rests on B's top or seat, or is fixed flat to its side */
POV_PREDICATE(off);      /* not on */
POV_PREDICATE(supports); /* B is on A */
POV_PREDICATE(on_top);   /* on, and not on its side nor lower than its top */
POV_PREDICATE(attached); /* touching, and neither rests on the other */

/* ---- predicate_place.c: enclosure, order in height, proximity on the ground ---- */
POV_PREDICATE(within); /* all of A is in B, but for fit_ratio of its size */
POV_PREDICATE(
    enclosed); /* on the ground enclosed_share of A is in B's outline, and half the lower height is beside the other's */
POV_PREDICATE(surrounding); /* B is enclosed by A */
POV_PREDICATE(
    above); /* A's centre is over B's top, in an upward cone about B's outline; or B is in A's shelter */
POV_PREDICATE(below); /* B is above A */
POV_PREDICATE(
    over); /* A's centre is over B's top, and their outlines overlap by `share` of the smaller; or B is in A's shelter */
POV_PREDICATE(under);  /* B is over A */
POV_PREDICATE(higher); /* A's centre is higher */
POV_PREDICATE(lower);  /* B's centre is higher */
POV_PREDICATE(
    next_to); /* beside_ratio near on the ground, half the lower height level with the other, outlines apart */
POV_PREDICATE(beside);  /* next to, and not right ahead of B's front or right behind it */
POV_PREDICATE(against); /* next to and touching */
POV_PREDICATE(
    middle); /* A's centre is in the inner middle_ratio of B's outline, A in or next above/below B */
POV_PREDICATE(
    edge); /* A's centre is beyond edge_ratio of B's outline, A adjacent, in or next above/below B */
POV_PREDICATE(deep_down); /* inside, the centre in B's lowest third */
POV_PREDICATE(
    between); /* level with the two, A's centre is in the hull of their outlines; or their middles lie in opposite
                             directions from it, give or take cone_rad */
POV_PREDICATE(among); /* seen from A, no two neighbouring relata are more than 180 degrees apart */

/* ---- predicate_axes.c: directions on the frame's axes, and the things' own ---- */
POV_PREDICATE(left); /* (cos theta + 1) / 2 about the frame's left at B; above 0.5 in the hemisphere */
POV_PREDICATE(right);
POV_PREDICATE(front); /* in the absolute perspective: north */
POV_PREDICATE(behind);
POV_PREDICATE(
    at_left); /* near, and in the cone to the left of the nearest point; of its centre where the outlines overlap */
POV_PREDICATE(at_right);
POV_PREDICATE(at_side);       /* near, and in the cone to the left or to the right */
POV_PREDICATE(at_back);       /* near, and in the cone behind */
POV_PREDICATE(facing);        /* A's front points at B: meets its outline, or has its middle in the cone */
POV_PREDICATE(pointing);      /* A's arm points at B: the same in a narrower cone */
POV_PREDICATE(facing_away);   /* A's back does */
POV_PREDICATE(parallel);      /* main axes (front, else long axis) within parallel_rad */
POV_PREDICATE(perpendicular); /* main axes within parallel_rad of a right angle */
POV_PREDICATE(
    alongside); /* next to and abreast of what is long; parallel where both are; else abreast of fronts */
POV_PREDICATE(along); /* near, abreast, and A's course (else long axis) is parallel to B's long axis */
POV_PREDICATE(
    across); /* adjacent on the ground, and A's course or long axis is perpendicular to B's long axis */
POV_PREDICATE(across_from); /* each that has a front faces the other; outlines apart */
POV_PREDICATE(
    beyond); /* A is in the cone behind B's nearest point along the viewer's line of sight, outlines apart */
POV_PREDICATE(after); /* A is in the cone behind B's course, else behind B's front */

/* ---- predicate_motion.c: A's velocity relative to B's (0 if unknown), continued for horizon_s ---- */
POV_PREDICATE(
    toward); /* B is in the cone of A's velocity, or on its course; what stands still or is not known: facing */
POV_PREDICATE(away_from); /* the same backward */
POV_PREDICATE(to);        /* toward, and adjacent before the horizon */
POV_PREDICATE(from);      /* away from, and was adjacent since the horizon */
POV_PREDICATE(into);      /* A's centre is outside B now and will be inside */
POV_PREDICATE(through);   /* A's centre was and will be outside B, and is inside at some time between */
POV_PREDICATE(past);      /* comes nearest, near but not in contact, between the horizons */
POV_PREDICATE(around);    /* near and moving across the line to B; not moving: surrounding */
POV_PREDICATE(up);        /* moving: in the upward cone; else higher than B */
POV_PREDICATE(down);      /* moving: in the downward cone; else lower than B */
POV_PREDICATE(down_from); /* lower than B, and if moving, downward */
