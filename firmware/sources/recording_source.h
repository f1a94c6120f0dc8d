/** The images of a recording as an image source: with the names, numbers and capture times that they had. */
#pragma once

#include "perception/image/image_source.h"

#include "protocol/recording/recording.h"

/** True if `path` is a recording of images that came at a rate. */
bool pov_recording_is_video(const char *path);

/** Delivers each image as soon as it is asked for. A damaged one is POV_SKIPPED. Recordings of other programs: foxglove.CompressedImage
 *  of any topic; an image's name is then its number.
 *  camera: the id of one of several cameras, whose images are wanted; "": all images.
 *  Errors: no recording, no images in it. */
POV_MUST_USE pov_status pov_recording_source_new(pov_image_source **source, const char *path,
                                                 const char *camera);
