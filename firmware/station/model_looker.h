/** A station's detectors at work: on each image as it comes, or in a thread of their own on the newest one. */
#ifndef POV_FIRMWARE_STATION_MODEL_LOOKER_H
#define POV_FIRMWARE_STATION_MODEL_LOOKER_H

#include "firmware/station/station_models.h"
#include "perception/image.h"
#include "perception/models/model_look.h"

typedef struct pov_model_looker pov_model_looker;

/** Opens the contracts and proves their models. Errors name the contract. */
POV_MUST_USE pov_status pov_model_looker_new(pov_model_looker **looker, const pov_station_models *models);
void pov_model_looker_destroy(pov_model_looker **looker);

/** What the detectors find in the image; in the background, what they found last, with its age (len 0 until they found
 *  something), while the image becomes the next that they look at if they wait for one. */
POV_MUST_USE pov_status pov_model_looker_run(pov_model_looker *looker, pov_model_looks *looks,
                                             const pov_image *image, const pov_pose *T_table_camera);

#endif
