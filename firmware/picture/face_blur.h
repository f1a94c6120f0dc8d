/** Makes faces in images that are kept unrecognisable. */
#pragma once

#include "perception/image/image.h"
#include "perception/status.h"

typedef struct pov_face_blur pov_face_blur;

/** POV_ERROR names OpenCV's cascades, if they are missing, and the package. */
POV_MUST_USE pov_status pov_face_blur_new(pov_face_blur **blur);
void pov_face_blur_destroy(pov_face_blur **blur);

/** Out: blurred: a copy, borrowed until the next call, in which each face that was found, with a margin, is 6 x 6 squares of its
 *      mean colours; faces: how many there are.
 *  Method: Viola & Jones 2001, frontal faces and both profiles, of a thirtieth of the image's height and 20 px up. */
POV_MUST_USE pov_status pov_face_blur_run(pov_face_blur *blur, pov_image *blurred, int *faces,
                                          const pov_image *image);
