/** Finds tags in an image: libapriltag behind an adapter. */
#pragma once

#include "perception/geometry/tag.h"
#include "perception/image/image.h"
#include "perception/status.h"
#include "perception/tasks.h"

typedef struct {
    bool family[POV_TAG_FAMILY_COUNT];
    double decimate;        /* search on an image this many times smaller; corners are refined at full size */
    int max_bits_corrected; /* 0 to 2; fewer where a family's few bits make chance readings likely (16h5: 0)
                               or its many codes would need over 256 MB */
    /* weaker detections are dropped as false; half of it will do where no bit was mended, of families with many bits */
    double min_decision_margin;
    double
        corner_std_px; /* what no edge shows of a corner's error (print, lens): added to what its edges show */
    const pov_workers *workers; /* follow tags side by side; NULL: one after another */
} pov_tag_detector_config;
#define POV_TAG_DETECTOR_DEFAULT                                                                             \
    {                                                                                                        \
        .family = {[POV_TAG36H11] = true}, .decimate = 1, .max_bits_corrected = 2,                           \
        .min_decision_margin = 20, .corner_std_px = 0.1                                                      \
    }

typedef struct pov_tag_detector pov_tag_detector;

POV_MUST_USE pov_status pov_tag_detector_new(pov_tag_detector **detector,
                                             const pov_tag_detector_config *config);
void pov_tag_detector_destroy(pov_tag_detector **detector);

/** Finds all tags of the configured families. Several detections of the same family and id are all kept (the
 * same printed tag may be in view twice); sorted by family, id, then position. */
POV_MUST_USE pov_status pov_tag_detector_run(pov_tag_detector *detector, pov_tags *tags,
                                             const pov_image *image);

/** Finds the tags that lie wholly in a window, on an image `decimate` times smaller, and adds those that are not in the
 *  list yet. The window is cut to the image. */
POV_MUST_USE pov_status pov_tag_detector_scan(pov_tag_detector *detector, pov_tags *tags,
                                              const pov_image *image, pov_rectangle window, double decimate);
/** Whether each corner of `a` has one of `b` beside it: two readings of one square in the image. */
bool pov_tag_is_same_square(const pov_tag *a, const pov_tag *b);
/** Puts a list into the order that pov_tag_detector_run gives it. */
void pov_tags_sort(pov_tags *tags);
