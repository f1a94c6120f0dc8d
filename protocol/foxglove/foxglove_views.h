/** An observation as Foxglove's messages: its 3D and image panels show them without any extension (docs/RECORDING.md). */
#pragma once

#include "perception/geometry/camera.h"
#include "perception/observation/observation.h"
#include "perception/status.h"

#include <stddef.h>

/** Room for one of them. */
typedef struct pov_foxglove pov_foxglove;
POV_MUST_USE pov_status pov_foxglove_new(pov_foxglove **foxglove);
void pov_foxglove_destroy(pov_foxglove **foxglove);

/** Each packs one message; bytes are borrowed until the next call, and NULL without memory for them. A message over a megabyte is
 *  left out. Frames: "table" (the root), "camera", "entity/NAME". */

/** foxglove.FrameTransforms: camera and entities in the table frame. */
void pov_foxglove_transforms(pov_foxglove *foxglove, const uint8_t **bytes, size_t *len,
                             const pov_observation *observation, const char *camera);
/** foxglove.SceneUpdate: entities as boxes and spheres, their fronts as arrows, their names. It replaces all that was there. */
void pov_foxglove_scene(pov_foxglove *foxglove, const uint8_t **bytes, size_t *len,
                        const pov_observation *observation);
/** foxglove.ImageAnnotations: tags; and, by this camera, the boxes, fronts and names of entities. */
void pov_foxglove_annotations(pov_foxglove *foxglove, const uint8_t **bytes, size_t *len,
                              const pov_observation *observation, const pov_camera *camera);
