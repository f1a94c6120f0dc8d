/** A station's slow finders, networks and the person detector, at work: on each image as it comes, or in a thread of their
 *  own on the newest one. */
#ifndef POV_FIRMWARE_RUN_MODEL_LOOKER_H
#define POV_FIRMWARE_RUN_MODEL_LOOKER_H

#include "firmware/station/station.h"
#include "perception/image/image.h"

typedef struct pov_model_looker pov_model_looker;

/** Opens the contracts and proves their models. Errors name the contract, or what finding faces needs. */
POV_MUST_USE pov_status pov_model_looker_new(pov_model_looker **looker, const pov_station *station);
void pov_model_looker_destroy(pov_model_looker **looker);

/** What is found in the image; in the background, what was found last, with its age (nothing until something was found),
 *  while the image becomes the next that is looked at if they wait for one. */
POV_MUST_USE pov_status pov_model_looker_run(pov_model_looker *looker, pov_model_looks *things,
                                             pov_person_look *people, const pov_image *image,
                                             const pov_pose *T_table_camera);

/** How long looking for people took in the last image that they were looked for in, networks aside; 0: none yet. */
double pov_model_looker_people_s(pov_model_looker *looker);

#endif
