/** A filter for a point of up to six coordinates, from its findings in image after image.
 *
 *  Interacting multiple models (Blom & Bar-Shalom 1988) of four ways to move: at rest; carried by a table that turns by a
 *  measured angle; and free, with a velocity that wanders about zero (Ornstein & Uhlenbeck): slowly, when pushed or just
 *  beginning to move, or fast, in a hand. Errors have a fluctuating and a lasting part (perception/tracking/error_split.h): at
 *  rest only the first is averaged out. Pure; no allocation. */
#pragma once

#include "perception/scene/scene.h"
#include "perception/tracking/error_split.h"

#include <stdbool.h>
#include <stdint.h>

enum { POV_MOTION_DIMENSIONS_MAX = POV_ERROR_SPLIT_MAX, POV_CARRIED_DIMENSIONS_MAX = 3 };

/** Ways to move; reported as a pov_motion_model. */
typedef enum {
    POV_WAY_AT_REST = POV_AT_REST,
    POV_WAY_CARRIED = POV_CARRIED,
    POV_WAY_SLOW, /* these two: POV_MOVING_FREELY */
    POV_WAY_FAST,
    POV_WAYS
} pov_motion_way;
enum { POV_WAYS_STILL = POV_WAY_SLOW, POV_WAYS_FREE = POV_WAYS - POV_WAYS_STILL };

/** Mean times between changes, and how things are moved freely. Units of the coordinates and seconds. */
typedef struct {
    double rest_s, free_s;
    double speed_std[POV_WAYS_FREE], speed_s; /* of each coordinate: standard deviations, correlation time */
    double slow_share;                        /* of moves that begin slowly */
} pov_motion_params;
/** Things moved by hand: each about twice a minute, for a second, and mostly from slow to fast. Metres; radians. */
#define POV_MOTION_OF_THINGS                                                                                 \
    {                                                                                                        \
        .rest_s = 30, .free_s = 1, .speed_std = {0.05, 0.4}, .speed_s = 0.5, .slow_share = 0.9               \
    }
#define POV_MOTION_OF_HEADINGS                                                                               \
    {                                                                                                        \
        .rest_s = 30, .free_s = 1, .speed_std = {0.25, 2}, .speed_s = 0.5, .slow_share = 0.9                 \
    }

/** A turning table's motion since the image before: a point p at rest on it becomes map p + shift. n x n, row-major. */
typedef struct {
    double map[POV_CARRIED_DIMENSIONS_MAX * POV_CARRIED_DIMENSIONS_MAX], shift[POV_CARRIED_DIMENSIONS_MAX];
    double cov[POV_CARRIED_DIMENSIONS_MAX *
               POV_CARRIED_DIMENSIONS_MAX]; /* of the place, by the angle's error in one image */
    double rate[POV_CARRIED_DIMENSIONS_MAX * POV_CARRIED_DIMENSIONS_MAX],
        rate_shift[POV_CARRIED_DIMENSIONS_MAX]; /* velocity: rate p + rate_shift */
    double velocity_cov[POV_CARRIED_DIMENSIONS_MAX * POV_CARRIED_DIMENSIONS_MAX];
    double turn_rad; /* since the image before */
    double off_var;  /* variance of each coordinate about the axis: by the axis's error, or the camera's */
} pov_carrier;

enum {
    POV_MOTION_N = POV_MOTION_DIMENSIONS_MAX,
    POV_MOTION_NN = POV_MOTION_N * POV_MOTION_N,
    POV_MOTION_STATE = 2 * POV_MOTION_N
};

/** At rest: the mean of all findings, and of the last few. */
typedef struct {
    double at[POV_MOTION_N], recent[POV_MOTION_N];
    double crept[POV_MOTION_N];     /* drift of the mean within the last few images */
    double scatter, recent_scatter; /* variances of both, in units of one image's fluctuating covariance */
    double moved_p;                 /* that it was moved to another place since it was last found */
    double moved[POV_MOTION_NN];    /* second moment of that move, times moved_p */
} pov_still_state;

/** Place and velocity. */
typedef struct {
    double mean[POV_MOTION_STATE], cov[POV_MOTION_STATE * POV_MOTION_STATE];
} pov_free_state;

typedef struct {
    int n;
    pov_motion_params params;
    double p[POV_WAYS];
    pov_still_state still[POV_WAYS_STILL];
    pov_free_state free[POV_WAYS_FREE];
    pov_error_split split;
    double claimed[POV_MOTION_NN]; /* covariance of one finding; the mean of several at rest */
    bool has_carrier;
    pov_carrier carrier; /* of the last prediction */
    double elapsed_s;    /* likewise */
    double turned_rad;   /* by the carrier, since it was found last */
    double gain;         /* of the last update: 1 takes the finding, 0 keeps the mean */
} pov_motion;

/** True for an image up to a second older than the last: it adds nothing. If older, tracking restarts. */
bool pov_motion_is_late(int64_t now_ns, int64_t last_ns);

/** Begins with one finding and its claimed covariance (n x n). */
void pov_motion_start(pov_motion *motion, const pov_motion_params *params, int n, const double *found,
                      const double *claimed);
/** elapsed_s > 0 later. carrier: NULL if nothing carries it. */
void pov_motion_predict(pov_motion *motion, double elapsed_s, const pov_carrier *carrier);
/** Log-density of a finding, of its first `dimensions` coordinates. */
double pov_motion_log_likelihood(const pov_motion *motion, const double *found, const double *claimed,
                                 int dimensions);
void pov_motion_update(pov_motion *motion, const double *found, const double *claimed);

typedef struct {
    double mean[POV_MOTION_N], cov[POV_MOTION_NN]; /* n; n x n */
    double velocity[POV_MOTION_N], velocity_cov[POV_MOTION_NN];
} pov_motion_estimate;
/** Mean and covariance of the mixture of all ways. */
void pov_motion_estimate_of(pov_motion_estimate *estimate, const pov_motion *motion);
pov_motion_model pov_motion_likeliest(const pov_motion *motion);
double pov_motion_probability(const pov_motion *motion, pov_motion_model model);
/** The place by the likeliest way: n coordinates. */
const double *pov_motion_place(const pov_motion *motion);
