/** Images as files: PNG and JPEG to RGB and back.
 *
 *  The content decides what a file is, not its name. Grey and palette images become RGB; alpha is laid over
 * black, in linear light; a PNG with a gamma of its own becomes sRGB. EXIF orientation is not applied: a
 * calibration is of the sensor's raster. Any damage is an error, also where a decoder would only
 * warn and fill in. */
#pragma once

#include "config/files/read_file.h"
#include "perception/image/image.h"
#include "perception/status.h"

#include <stddef.h>

enum {
    POV_IMAGE_FILE_BYTES_MAX = 256 << 20,
    POV_IMAGE_FILE_SIDE_MIN_PX = 16,
    POV_IMAGE_FILE_AREA_MAX_PX = 1 << 26, /* 192 MiB of RGB; the longest side is POV_IMAGE_SIDE_MAX_PX */
    POV_IMAGE_FILE_SCANNED_MAX_PX =
        400000000 /* of a progressive JPEG: pixels times scans; chosen: 4 s of decoding, ten scans of 40 million */
};

/** A decoder and the buffers it decodes into, which grow when a larger image comes and are kept. */
typedef struct pov_image_file pov_image_file;

POV_MUST_USE pov_status pov_image_file_new(pov_image_file **file);
void pov_image_file_destroy(pov_image_file **file);

/** Reads and decodes. Out: image, pixels borrowed until the next call; name is the path's last part; capture
 * time and sequence are 0. Errors name the path and what is wrong: missing, not a regular file, empty,
 * neither PNG nor JPEG, truncated, damaged, too small, too large, too many scans, 16 bits a channel, CMYK. On error the image
 * is cleared. */
POV_MUST_USE pov_status pov_image_file_read(pov_image_file *file, pov_image *image, const char *path);
/** As pov_image_source_exchange. */
void pov_image_file_exchange(pov_image_file *file, uint8_t **pixels, size_t *capacity);
/** The same from memory; `name` stands for the path. */
POV_MUST_USE pov_status pov_image_file_decode(pov_image_file *file, pov_image *image, const char *name,
                                              const void *bytes, size_t length);

/** A PNG in memory. Out: bytes, which grow and are kept. */
POV_MUST_USE pov_status pov_image_file_encode_png(pov_bytes *bytes, const pov_image *image);
/** Writes a PNG whole or not at all: beside `path` under another name, to the disk, then renamed over it. */
POV_MUST_USE pov_status pov_image_file_write_png(const char *path, const pov_image *image);
/** The same of grey values of 16 bits, row by row without gaps. */
POV_MUST_USE pov_status pov_image_file_write_png16(const char *path, const uint16_t *values, int width_px,
                                                   int height_px);
