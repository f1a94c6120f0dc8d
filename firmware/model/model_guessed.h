/** A contract for an ONNX file whose network has run once, in another process first. */
#pragma once

#include "config/models/model_file.h"
#include "config/models/model_guess.h"

/** Out: the contract, with its model's digest, but without its path; the library is the one asked for, or ONNX Runtime if OpenCV cannot run
 *  it. POV_ERROR: no library runs it, or it has no known layout, and why. */
POV_MUST_USE pov_status pov_model_command_guess(pov_model_file *file, char remarks[POV_REMARKS_CAPACITY],
                                                const char *path, pov_engine engine);
