/** An observation as Foxglove's messages: its 3D and image panels show them without any extension (docs/RECORDING.md). */
#pragma once

#include "perception/geometry/camera.h"
#include "perception/observation/observation.h"
#include "perception/status.h"
#include "protocol/recording/recording.h"

#include <stddef.h>

/** Room for one of them. */
typedef struct pov_foxglove pov_foxglove;
POV_MUST_USE pov_status pov_foxglove_new(pov_foxglove **foxglove);
void pov_foxglove_destroy(pov_foxglove **foxglove);

/** Bytes are borrowed until the next call, and NULL without memory for them. A message over a megabyte is left out. Frames: "table" (the
 *  root), "camera", or of one of several its id, and "entity/NAME". */

/** One of the three topics that show an observation (POV_RECORDED_TRANSFORMS to POV_RECORDED_ANNOTATIONS):
 *  foxglove.FrameTransforms: the camera and entities in the table frame;
 *  foxglove.SceneUpdate: entities as boxes and spheres, their fronts as arrows, their names; it replaces all that was there;
 *  foxglove.ImageAnnotations: tags; and, by this camera, the boxes, fronts and names of entities.
 *  camera: its lens; NULL: it is not known, and there are no annotations.
 *  Out:  message: channel and bytes; the rest is the caller's. */
void pov_foxglove_view(pov_foxglove *foxglove, pov_mcap_message *message, pov_recorded topic,
                       const pov_observation *observation, const pov_recorded_camera *of,
                       const pov_camera *camera);
