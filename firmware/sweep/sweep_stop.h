/** The stops of a sweep: where an image belongs on COMFORT's curves, whether it stands still, whether the table slipped. */
#pragma once

#include "compare/statistics/curve.h"
#include "perception/geometry/camera.h"
#include "perception/observation/observation.h"

/* ---- its place on the curve ---- */

/** Start from {0}. */
typedef struct {
    bool taken[POV_CURVE_SAMPLES];
    bool has_base;
    double base_deg; /* the referent's azimuth when the table is at 0, a multiple of 10 */
} pov_sweep_places;

/** The place that the turn gives an image, or else the nearest to the referent's azimuth phi, if it is free; NaN: none.
 *  turn_deg, phi_deg: NaN if not known. */
double pov_sweep_places_take(pov_sweep_places *places, double turn_deg, double phi_deg);

/** An image that was taken before, at curve_deg; NaN: at no place. */
void pov_sweep_places_remember(pov_sweep_places *places, double turn_deg, double curve_deg);

/** a - b, in (-180, 180]. */
double pov_sweep_difference_deg(double a_deg, double b_deg);

/* ---- does the image stand still? ---- */

typedef struct {
    double
        moved_px; /* a tag's corner or a thing's centre that moves less stands still: detectors have noise */
    int images;   /* this many in a row must show no motion against the one before */
} pov_still_rule;
#define POV_STILL_RULE_DEFAULT ((pov_still_rule){.moved_px = 1, .images = 2})

typedef struct {
    char name[POV_NAME_CAPACITY];
    pov_vec2 place_px;
} pov_still_thing;

/** The positions in the last image. Start from {0}. */
typedef struct {
    bool has_image;
    int still_len; /* images in a row that showed no motion */
    int tag_len, thing_len;
    pov_tag tags[POV_TAG_MAX];
    pov_still_thing things[POV_ENTITY_MAX];
} pov_still;

/** Takes in the next image. Returns whether all that is in view in both stands still. */
bool pov_still_update(pov_still *still, const pov_observation *observation, const pov_camera *camera,
                      const pov_still_rule *rule);

/* ---- did the turntable slip? ---- */

/** Start from {0}. */
typedef struct {
    bool begun;
    double zero_rad, zero_variance; /* measured less told, at the first stop and after each slip */
} pov_sweep_slip;

/** The slip of the table since the stop before, in radians; 0: none, or unknown.
 *  In:     told_rad, counter-clockwise; NAN: nothing turned it.
 *  Method: a slip is a change of (measured - told) of half a degree and four deviations; the difference of the two zeros
 *          is taken from the first stop. */
double pov_sweep_slip_of(pov_sweep_slip *slip, double told_rad, const pov_observed_turntable *measured);
/** Warns of a slip on stderr. */
void pov_sweep_slip_warn(pov_sweep_slip *slip, double told_rad, const pov_observed_turntable *measured);
