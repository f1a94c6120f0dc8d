/** Draws into a copy of an image what was found in it, and beside it, in words, what follows.
 *
 *  In the picture: tags (outline, id, coloured by what became of them), balls' exact outlines, table axes,
 * other entities as boxes or spheres, headings as arrows on the ground; without a camera pose, the boxes in which
 * detectors found things and people. In a margin at its right: the image, its pose, entities, and the relations that
 * hold. Small images are enlarged so that labels are legible. */
#ifndef POV_FIRMWARE_PICTURE_ANNOTATE_H
#define POV_FIRMWARE_PICTURE_ANNOTATE_H

#include "firmware/picture/overlay.h"

typedef struct pov_annotator pov_annotator;

/** Allocates all it needs for images of this size. */
POV_MUST_USE pov_status pov_annotator_new(pov_annotator **annotator, int width_px, int height_px);
/** For thumbnails: no margin, and lines and labels so large that they are legible where the picture is shrunk to
 *  `shown_width_px`. */
POV_MUST_USE pov_status pov_annotator_new_for_thumbnails(pov_annotator **annotator, int width_px,
                                                         int height_px, int shown_width_px);
void pov_annotator_destroy(pov_annotator **annotator);

/** Out: picture with margin, its pixels borrowed until the next call; name, sequence and time as the image's.
 *  Returns POV_SKIPPED if the image is not of the annotator's size. */
POV_MUST_USE pov_status pov_annotator_draw(pov_annotator *annotator, pov_image *picture,
                                           const pov_annotation *annotation);

#endif
