/** The views of one object from a folder of images whose names tell the angle. */
#pragma once

#include "perception/appearance/appearance.h"

typedef struct {
    pov_view view;
    char name[POV_IMAGE_NAME_CAPACITY];
} pov_enrol_image;

typedef struct {
    int len;
    pov_enrol_image *images; /* in order of angle */
    pov_patch_square square;
    int width_px, height_px;
} pov_enrol_images;

/** Reads a folder's images, with a progress bar on a terminal. The patches show the square `known` of an image of
 *  `known_width_px` (the views an object was enrolled from), or, known being NULL, what changes while the object turns: the
 *  background does not.
 *  Returns: POV_ERROR naming the folder or the image: none, damaged, no angle in the name, two of one angle, more than
 *  POV_VIEW_MAX, of different sizes. Free in any case. */
POV_MUST_USE pov_status pov_enrol_images_read(pov_enrol_images *images, const char *folder,
                                              const pov_appearance_data *known);
void pov_enrol_images_free(pov_enrol_images *images);

/** The views alone, for learning; *views is the caller's to free. */
POV_MUST_USE pov_status pov_enrol_images_views(const pov_enrol_images *images, pov_view **views);
