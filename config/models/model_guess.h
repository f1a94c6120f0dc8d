/** A contract to begin with, guessed from what an ONNX model says of itself. */
#pragma once

#include "config/files/embedded.h"
#include "perception/models/model_contract.h"
#include "perception/models/onnx_summary.h"

enum { POV_REMARKS_CAPACITY = 2000 };

/** Out: a contract that fits the model, and remarks on what had to be assumed, a line each that begins with "# ".
 *  In: a summary whose sizes are all known; seen: what its outputs were for some image, which tells scores from logits and corners from
 *  offsets; NULL: not known. POV_ERROR if no layout has such inputs and outputs, and why. */
POV_MUST_USE pov_status pov_model_guess(pov_model_contract *contract, char remarks[POV_REMARKS_CAPACITY],
                                        const pov_onnx_summary *summary, const pov_tensor *seen);

/** Gives sizes that the model leaves open a value: one image, of the size that its metadata name, else of 640 x 640. */
void pov_model_close_sizes(pov_onnx_summary *summary);

/** share/models/coco.txt: one file. */
extern const pov_embedded_file POV_COCO_FILES[];
