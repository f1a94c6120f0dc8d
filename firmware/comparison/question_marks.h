/** Where the things that a question is about are in its image, as its columns keep them (firmware/picture/picture_marks.h). */
#pragma once

#include "compare/questions/question.h"
#include "perception/geometry/camera.h"
#include "perception/image/image.h"
#include "perception/observation/observation.h"

/** Boxes in the image, by entity. */
typedef struct {
    int len, width_px, height_px;
    bool known[POV_ENTITY_MAX];
    pov_pixel_box box[POV_ENTITY_MAX];
} pov_seen_boxes;

/** None are known if the camera (which may be NULL) is not the one by which the image was judged. */
void pov_seen_boxes_find(pov_seen_boxes *boxes, const pov_observation *observation, const pov_camera *camera);
/** The caller's to free(). NULL: none of the question's things is known to be in the image. Those of a mirrored image are mirrored. */
char *pov_question_marks(const pov_seen_boxes *boxes, const pov_scene *scene, const pov_question *question);
