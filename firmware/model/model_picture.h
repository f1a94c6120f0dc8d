/** An image with a network's detections drawn in. */
#pragma once

#include "perception/image/image.h"
#include "perception/models/model_contract.h"

/** Boxes, names and scores, points, and headings: an arrow as seen from above, up being away from the camera. A PNG. */
POV_MUST_USE pov_status pov_model_picture_write(const char *path, const pov_model_contract *contract,
                                                const pov_detections *found, const pov_image *image);
