/** The words beside an annotated image. */
#ifndef POV_FIRMWARE_PICTURE_ANNOTATION_MARGIN_H
#define POV_FIRMWARE_PICTURE_ANNOTATION_MARGIN_H

#include "draw/canvas.h"
#include "firmware/picture/annotate.h"

/** Colours that tell entities apart, on light and dark: the same in the picture and the margin. */
pov_colour pov_entity_colour(pov_id id);
pov_colour pov_tag_fate_colour(const pov_camera_pose *camera_pose, int i);

/** Fills `area` of the canvas: image, pose, tags, entities, then as many pairs' relations as have room. */
void pov_annotation_margin_draw(pov_canvas *canvas, pov_rectangle area, const pov_annotation *annotation);

#endif
