/** Converts camera images to RGB: YCbCr 4:2:2 and 4:2:0, RGB in several orders, grey, and JPEG. */
#pragma once

#include "firmware/libcamera/libcamera_shim.h"

/** True if images in libcamera's pixel format of this name can be converted. */
bool pov_camera_pixels_knows(const char *pixel_format);

typedef struct pov_camera_pixels pov_camera_pixels;

/** A converter for one stream: its format must be known, its sides at most POV_IMAGE_SIDE_MAX_PX. */
POV_MUST_USE pov_status pov_camera_pixels_new(pov_camera_pixels **pixels, const pov_libcamera_stream *stream);
void pov_camera_pixels_destroy(pov_camera_pixels **pixels);

/** Converts one capture into `rgb`: height_px rows of width_px RGB without gaps, owned by `pixels`.
 *  Returns: POV_OK; POV_SKIPPED if the data is too short, or a JPEG is broken or of another size.
 *  Method:  YCbCr as in ITU-T H.273, by the stream's matrix and range; a chroma sample serves all pixels it
 * was taken from. JPEG by libjpeg-turbo. No allocation of ours. */
POV_MUST_USE pov_status pov_camera_pixels_convert(pov_camera_pixels *pixels, const uint8_t **rgb,
                                                  const pov_libcamera_capture *capture);
