/** Opens networks from files that may be made to harm: OpenCV's importer is not hardened. */
#ifndef POV_FIRMWARE_MODEL_MODEL_TRIAL_H
#define POV_FIRMWARE_MODEL_MODEL_TRIAL_H

#include "perception/models/detector.h"

/** Has another process load and run the network first, with bounds of memory and time.
 *  Returns: POV_ERROR if that process crashed or exceeded its bounds; POV_OK otherwise, also if the network is refused: opening it
 *  here will say why. */
POV_MUST_USE pov_status pov_model_try(const char *path);
/** In that process: sets its bounds. */
void pov_model_trial_bound(void);

/** pov_model_open (config/models/model_file.h) after a trial. */
POV_MUST_USE pov_status pov_model_open_tried(pov_detector **detector, const char *contract_path);

#endif
