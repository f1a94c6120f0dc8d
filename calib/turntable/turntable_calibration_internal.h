/** What the parts of a turntable's calibration share. */
#ifndef POV_CALIB_TURNTABLE_TURNTABLE_CALIBRATION_INTERNAL_H
#define POV_CALIB_TURNTABLE_TURNTABLE_CALIBRATION_INTERNAL_H

#include "calib/turntable/turntable_calibration.h"
#include "calib/turntable/turntable_start.h"

enum { POV_TURN_IMAGE_MIN = 3 };

struct pov_turntable_calibration {
    pov_turntable_setup setup;
    pov_turntable_solver *solver;
    pov_turn_start *start;
    int tag_len; /* all that were seen so far */
    pov_turn_tag tags[POV_TURN_TAG_MAX];
    pov_turn_image images[POV_TURN_IMAGE_MAX];
    pov_turn_view *seen;    /* of each image */
    pov_turn_view *working; /* of those that are used */
    int image_of[POV_TURN_VIEW_MAX];
    pov_turn_problem problem;
    pov_turntable_report report;
};

/** Turns the solved problem so that angles count from the zero: where it was told 0, or as its ring was printed, or its first
 *  image. Compares with what was told.
 *  Returns: POV_UNDEFINED, with what is wrong, if that does not agree. */
POV_MUST_USE pov_status pov_turntable_find_zero(pov_turntable_calibration *calibration);

/** POV_UNDEFINED, with why no axis can be told from the images that there are, and what to do. */
POV_MUST_USE pov_status pov_turntable_explain_too_few(const pov_turntable_calibration *calibration);

#endif
