/** One picture and when it was taken. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { POV_IMAGE_NAME_CAPACITY = 128, POV_IMAGE_SIDE_MAX_PX = 16384 };
enum { POV_CAMERA_MAX = 32 }; /* of a station, those in other processes included; chosen */
enum {
    POV_OWN_CAMERA_MAX = 8
}; /* of them, whose images this process reads; chosen: more need more than one machine */

/** RGB, 8 bits a channel, sRGB-encoded, rows top to bottom. Pixels are borrowed from whoever delivered the image and
 *  stay valid until that source's next call. */
typedef struct {
    const uint8_t *pixels;
    const uint8_t
        *grey; /* pov_grey_from_rgb of all its pixels; NULL: not made yet, whoever needs it makes it */
    const void *prepared; /* what was found in it while it waited (pov_pipeline_prepare); NULL: nothing */
    const void *
        view; /* what another station knows by it (pov_remote_view), in place of pixels, which are NULL; NULL: it is an image */
    const uint8_t *coded; /* the JPEG or PNG that it was decoded from, all of it; NULL: it came as pixels */
    size_t coded_len;
    int width_px, height_px, stride_bytes;
    int64_t mid_exposure_ns;            /* CLOCK_REALTIME (UNIX epoch) at the middle of the exposure */
    int camera;                         /* which of a station's cameras took it, from 0 */
    uint32_t sequence;                  /* counts from 0; a gap is a lost image */
    char name[POV_IMAGE_NAME_CAPACITY]; /* file name, or camera id and sequence */
} pov_image;

/** Edges in the image, (0, 0) the centre of its top-left pixel: a box around one pixel is half a pixel wide each way. */
typedef struct {
    double left_px, top_px, right_px, bottom_px;
} pov_pixel_box;

/** Whole pixels of an image. */
typedef struct {
    int x_px, y_px, width_px, height_px;
} pov_rectangle;

/** The whole pixels of an image that a box touches; of no width or height if there are none. */
static inline pov_rectangle pov_box_pixels(pov_pixel_box box, int width_px, int height_px)
{
    const int left = (int)fmax(0, floor(box.left_px)), top = (int)fmax(0, floor(box.top_px)),
              right = (int)fmin(width_px, ceil(box.right_px)),
              bottom = (int)fmin(height_px, ceil(box.bottom_px));
    const pov_rectangle pixels = {left, top, right > left ? right - left : 0,
                                  bottom > top ? bottom - top : 0};
    return pixels;
}

static inline int pov_clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

/** Names of simulated images begin so. A viewer can then say that the image is simulated. */
#define POV_IMAGE_SIMULATED "simulated"

static inline bool pov_image_is_simulated(const char *name)
{
    return strncmp(name, POV_IMAGE_SIMULATED, sizeof POV_IMAGE_SIMULATED - 1) == 0;
}
