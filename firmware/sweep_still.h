/** Whether what a camera sees stands still: tags and placed things are where they were an image before. */
#ifndef POV_FIRMWARE_SWEEP_STILL_H
#define POV_FIRMWARE_SWEEP_STILL_H

#include "perception/observation.h"

/** What was where in the last image. Start from {0}. */
typedef struct {
    int image_len; /* in a row that showed no motion */
    int tag_len;
    pov_tag tags[POV_TAG_MAX];
    pov_scene scene;
    bool has_scene;
} pov_still;

typedef struct {
    double corner_px;  /* a tag's corner may have moved by so much */
    double position_m; /* likewise a thing seen, beyond three standard deviations */
    int images;        /* so many in a row must show no motion against the one before */
} pov_still_rule;
#define POV_STILL_RULE_DEFAULT ((pov_still_rule){.corner_px = 1, .position_m = 0.001, .images = 2})

/** Takes in the next image. Returns whether all stands still. */
bool pov_still_update(pov_still *still, const pov_observation *observation, const pov_still_rule *rule);

#endif
