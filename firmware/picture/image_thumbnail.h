/** Small pictures of images, to be put into a page: JPEG as data URIs. */
#pragma once

#include "perception/image/image.h"
#include "perception/status.h"

typedef struct pov_image_thumbnail pov_image_thumbnail;

/** Pictures of at most side_px in width and height. */
POV_MUST_USE pov_status pov_image_thumbnail_new(pov_image_thumbnail **thumbnail, int side_px);
void pov_image_thumbnail_destroy(pov_image_thumbnail **thumbnail);

/** "data:image/jpeg;base64,...", valid until the next call. marks: as picture_marks.h has them; "": none.
 *  Errors name the path and what is wrong. */
POV_MUST_USE pov_status pov_image_thumbnail_make(pov_image_thumbnail *thumbnail, const char **uri,
                                                 const char *path, const char *marks);
/** Of an image that is at hand; name: for errors. */
POV_MUST_USE pov_status pov_image_thumbnail_of(pov_image_thumbnail *thumbnail, const char **uri,
                                               const pov_image *image, const char *name);
