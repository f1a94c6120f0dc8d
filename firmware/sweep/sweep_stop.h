/** The stops of a sweep: whether an image stands still, whether the table slipped. */
#pragma once

#include "perception/geometry/camera.h"
#include "perception/observation/observation.h"

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
    int still_len;   /* images in a row that showed no motion */
    double moved_px; /* the longest way of anything in view since the image before; NaN: this is the first */
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
 *  In:     commanded_rad, counter-clockwise; NAN: nothing turned it.
 *  Method: a slip is a change of (measured - told) of half a degree and four deviations; the difference of the two zeros
 *          is taken from the first stop. */
double pov_sweep_slip_of(pov_sweep_slip *slip, double commanded_rad, const pov_observed_turntable *measured);
/** Warns of a slip on stderr. */
void pov_sweep_slip_warn(pov_sweep_slip *slip, double commanded_rad, const pov_observed_turntable *measured);
