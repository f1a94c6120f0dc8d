/** Whether what a camera sees stands still: tags and placed things are where they were an image before, in pixels. */
#ifndef POV_FIRMWARE_SWEEP_SWEEP_STILL_H
#define POV_FIRMWARE_SWEEP_SWEEP_STILL_H

#include "perception/geometry/camera.h"
#include "perception/observation/observation.h"

typedef struct {
    double
        moved_px; /* a tag's corner or a thing's centre that moves less stands still: detectors have noise */
    int images;   /* so many in a row must show no motion against the one before */
} pov_still_rule;
#define POV_STILL_RULE_DEFAULT ((pov_still_rule){.moved_px = 1, .images = 2})

typedef struct {
    char name[POV_NAME_CAPACITY];
    pov_vec2 place_px;
} pov_still_thing;

/** What was where in the last image. Start from {0}. */
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

#endif
