/** How well a scene tracker follows a simulated world: swaps of ids, errors against their covariances. */
#pragma once

#include "tests/support/tracked_world.h"

/** Sums over images. Errors of one ball between two moves have much in common: `errors` counts them once. */
typedef struct {
    int images, errors;
    double nees, velocity_nees; /* per coordinate */
    double error_m2;
} tracking_tally;

/** A seen thing that has moved the same way for half a second is counted by that way, else by the time since the change. */
enum {
    TRACKING_CHANGED_NOW = POV_MOTION_COUNT, /* within 0.1 s */
    TRACKING_CHANGED,                        /* within 0.2 s */
    TRACKING_CHANGED_BEFORE,                 /* within 0.5 s */
    TRACKING_HIDDEN,
    TRACKING_TALLIES
};

typedef struct {
    int images, moves, hidings;
    int swaps, mended; /* ids that went over to another ball; those that came back */
    int balls, others; /* in all images: balls; those with the name of what was another ball first */
    double doubted;    /* of the same, expected: the sum of other_p */
    tracking_tally tally[TRACKING_TALLIES];
    int wrong_motion; /* images of balls with no change in sight, told to move otherwise */
} tracking_score;

/** Follows a world for so long. Errors are the entities' own: what all share with the camera is taken off. */
void tracking_score_run(tracking_score *score, const tracked_world_config *config, double seconds);
/** Adds a run's sums to others. */
void tracking_score_add(tracking_score *sum, const tracking_score *score);
/** All that is seen, together. */
tracking_tally tracking_score_seen(const tracking_score *score);
/** Half the interval about 1 that holds 99 % of means of so many chi-squares of three degrees of freedom, each by three. */
double tracking_score_half_interval(const tracking_tally *tally);
