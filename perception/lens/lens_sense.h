/** Whether a camera's parameters can be those of a camera. Pure. */
#pragma once

#include "perception/geometry/camera.h"

enum { POV_LENS_ODDITY_MAX = 4, POV_LENS_ODDITY_CAPACITY = 256 };

/** What is unusual about a lens, each in a sentence without a stop. */
typedef struct {
    int len;
    char text[POV_LENS_ODDITY_MAX][POV_LENS_ODDITY_CAPACITY];
} pov_lens_oddities;

/** POV_ERROR if the distortion folds back inside the image: pixels beyond that have no direction. A lens whose centre lies outside
 *  the image, or whose focal lengths are unusual, has another error, and is not refused for its distortion; nor is a fisheye for
 *  what is more than 90 degrees off its axis, where its images mostly are black. */
POV_MUST_USE pov_status pov_lens_check(const pov_camera *camera);

/** Lists a centre outside the image (unless is_cropped: it is a part of a larger one), focal lengths over 5 or under 0.3 times the
 *  image's width, and a fold that pov_lens_check lets pass. */
void pov_lens_find_oddities(pov_lens_oddities *oddities, const pov_camera *camera, bool is_cropped);
