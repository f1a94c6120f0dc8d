/** Runs a network by its contract: detects things, or estimates the heading or the points of one detected thing, or the nearness of
 *  the image's parts. */
#pragma once

#include "perception/image/image.h"
#include "perception/models/detection.h"
#include "perception/models/model_contract.h"

#include <stddef.h>

typedef struct pov_detector pov_detector;

/** Reads the network (ONNX, copied) and allocates what images of any size need. Keeps a copy of the contract.
 *  POV_ERROR names the part of the contract that does not fit the network, and what the network has. */
POV_MUST_USE pov_status pov_detector_new(pov_detector **detector, const pov_model_contract *contract,
                                         const void *onnx, size_t length);
void pov_detector_destroy(pov_detector **detector);

const pov_model_contract *pov_detector_contract(const pov_detector *detector);
const pov_engine_report *pov_detector_engine(const pov_detector *detector);

/** Finds what the network knows, best first. Needs: a layout that finds (pov_model_finds). */
POV_MUST_USE pov_status pov_detector_run(pov_detector *detector, pov_detections *detections,
                                         const pov_image *image);

/** The heading, or the points, of what is in a detection's box: written into it. Needs: pov_model_sees_crops. */
POV_MUST_USE pov_status pov_detector_run_crop(pov_detector *detector, pov_detection *detection,
                                              const pov_image *image);

/** Nearness of the image's parts, for pov_detector_nearness(). Needs: POV_LAYOUT_DEPTH. */
POV_MUST_USE pov_status pov_detector_run_depth(pov_detector *detector, const pov_image *image);
/** Nearness of a box in the last image: the median over its middle half (of each side), larger for nearer things, in the
 *  network's own unit. The rim of a box shows the background. NaN: the box is beside the image, or its numbers are not
 *  finite. */
double pov_detector_nearness(pov_detector *detector, const pov_pixel_box *box);

/** Runs the network on the golden image of `golden->seed`. POV_ERROR names the first number that is not as it was. */
POV_MUST_USE pov_status pov_detector_check_golden(pov_detector *detector, const pov_golden *golden);
/** Some of the numbers of each output for the golden image, spread evenly: those that change most with the seed. */
POV_MUST_USE pov_status pov_detector_record_golden(pov_detector *detector, pov_golden *golden, int seed);

/** The golden image of a seed: squares of 8 x 8 pixels of random colours; docs/MODELS.md makes it in Python. Out: pixels, RGB
 *  without gaps. */
void pov_golden_image_fill(unsigned char *pixels, int width_px, int height_px, int seed);
