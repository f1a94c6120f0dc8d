/** The truth of a folder of images that 'pov sim' has drawn: it lies beside them (docs/SIMULATOR.md). */
#pragma once

#include "perception/scene/scene.h"

/** The true scene of an image of it.
 *  Returns: POV_UNDEFINED: there is none. */
POV_MUST_USE pov_status pov_folder_truth_read(pov_scene *scene, const char *folder, const char *image);
