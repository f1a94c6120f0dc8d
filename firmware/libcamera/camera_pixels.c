#include "firmware/libcamera/camera_pixels.h"

#include "perception/image/clones.h"
#include "perception/image/image.h"

#include <turbojpeg.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIXED_POINT_BITS = 16, FIXED_POINT_HALF = 1 << (FIXED_POINT_BITS - 1) };

/* A YCbCr format. Packed: luma of a pixel and a chroma sample, Cb and Cr in turn, take turns in a row. Else luma has a plane
 * of its own, and in the chroma plane Cb and Cr take turns. Offsets in bytes, of the first luma and of Cb among chroma. */
typedef struct {
    const char *name;
    bool is_packed;
    int luma_offset, cb_offset;
    int chroma_rows_shared;
} ycbcr_layout;

static const ycbcr_layout ycbcr_layouts[] = {
    {"YUYV", true, 0, 0, 1}, {"YVYU", true, 0, 1, 1},  {"UYVY", true, 1, 0, 1},
    {"VYUY", true, 1, 1, 1}, {"NV12", false, 0, 0, 2}, {"NV21", false, 0, 1, 2},
};

/* libcamera names RGB formats as DRM does: from the highest bit of a little-endian word, so memory runs
 * backwards. */
typedef struct {
    const char *name;
    int step, red, green, blue;
} rgb_layout;

static const rgb_layout rgb_layouts[] = {
    {"BGR888", 3, 0, 1, 2},   {"RGB888", 3, 2, 1, 0},   {"XBGR8888", 4, 0, 1, 2}, {"ABGR8888", 4, 0, 1, 2},
    {"XRGB8888", 4, 2, 1, 0}, {"ARGB8888", 4, 2, 1, 0}, {"R8", 1, 0, 0, 0},
};

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* R = luma (Y - black) + cr_red (Cr - 128) and so on, in fixed point. */
typedef struct {
    int black, luma, cr_red, cb_green, cr_green, cb_blue;
} ycbcr_matrix;

struct pov_camera_pixels {
    pov_libcamera_stream stream;
    const ycbcr_layout *ycbcr;
    const rgb_layout *rgb;
    ycbcr_matrix matrix;
    tjhandle jpeg;
    uint8_t *pixels;
    uint8_t *luma, *chroma; /* of one row of a packed format */
    int *weighed;           /* likewise: chroma's shares of red, green and blue */
};

static const ycbcr_layout *find_ycbcr(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(ycbcr_layouts); i++)
        if (strcmp(ycbcr_layouts[i].name, name) == 0)
            return &ycbcr_layouts[i];
    return NULL;
}

static const rgb_layout *find_rgb(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(rgb_layouts); i++)
        if (strcmp(rgb_layouts[i].name, name) == 0)
            return &rgb_layouts[i];
    return NULL;
}

static bool is_jpeg(const char *name)
{
    return strcmp(name, "MJPEG") == 0;
}

bool pov_camera_pixels_knows(const char *pixel_format)
{
    return is_jpeg(pixel_format) || find_ycbcr(pixel_format) || find_rgb(pixel_format);
}

static int fixed_point(double value)
{
    return (int)lrint(value * (1 << FIXED_POINT_BITS));
}

/* ITU-T H.273 (07/2021), equations 23 to 40, solved for R, G and B. */
static ycbcr_matrix matrix_of(pov_ycbcr_encoding encoding, bool full_range)
{
    double k_red = encoding == POV_YCBCR_BT709 ? 0.2126 : 0.299;
    double k_blue = encoding == POV_YCBCR_BT709 ? 0.0722 : 0.114;
    double k_green = 1 - k_red - k_blue;
    double luma = full_range ? 1 : 255.0 / 219;
    double chroma = full_range ? 1 : 255.0 / 224;
    return (ycbcr_matrix){.black = full_range ? 0 : 16,
                          .luma = fixed_point(luma),
                          .cr_red = fixed_point(2 * (1 - k_red) * chroma),
                          .cb_green = -fixed_point(2 * (1 - k_blue) * k_blue / k_green * chroma),
                          .cr_green = -fixed_point(2 * (1 - k_red) * k_red / k_green * chroma),
                          .cb_blue = fixed_point(2 * (1 - k_blue) * chroma)};
}

pov_status pov_camera_pixels_new(pov_camera_pixels **pixels, const pov_libcamera_stream *stream)
{
    const pov_libcamera_mode *mode = &stream->mode;
    POV_REQUIRE(pov_camera_pixels_knows(mode->pixel_format));
    POV_REQUIRE(mode->width_px > 0 && mode->width_px <= POV_IMAGE_SIDE_MAX_PX);
    POV_REQUIRE(mode->height_px > 0 && mode->height_px <= POV_IMAGE_SIDE_MAX_PX);
    *pixels = calloc(1, sizeof **pixels);
    if (!*pixels)
        return pov_error("camera images: out of memory");
    (*pixels)->stream = *stream;
    (*pixels)->ycbcr = find_ycbcr(mode->pixel_format);
    (*pixels)->rgb = find_rgb(mode->pixel_format);
    (*pixels)->matrix = matrix_of(stream->encoding, stream->full_range);
    (*pixels)->pixels = malloc((size_t)mode->width_px * (size_t)mode->height_px * 3);
    (*pixels)->luma = malloc((size_t)mode->width_px + 1);
    (*pixels)->chroma = malloc((size_t)mode->width_px + 1);
    (*pixels)->weighed = malloc(3 * ((size_t)mode->width_px + 1) * sizeof *(*pixels)->weighed);
    if (is_jpeg(mode->pixel_format))
        (*pixels)->jpeg = tjInitDecompress();
    if ((*pixels)->pixels && (*pixels)->luma && (*pixels)->chroma && (*pixels)->weighed &&
        (!is_jpeg(mode->pixel_format) || (*pixels)->jpeg))
        return pov_ok();
    pov_camera_pixels_destroy(pixels);
    return pov_error("camera images of %dx%d: out of memory", mode->width_px, mode->height_px);
}

void pov_camera_pixels_destroy(pov_camera_pixels **pixels)
{
    if (!pixels || !*pixels)
        return;
    if ((*pixels)->jpeg)
        tjDestroy((*pixels)->jpeg);
    free((*pixels)->pixels);
    free((*pixels)->luma);
    free((*pixels)->chroma);
    free((*pixels)->weighed);
    free(*pixels);
    *pixels = NULL;
}

static uint8_t to_byte(int fixed)
{
    return (uint8_t)pov_clamp((fixed + FIXED_POINT_HALF) >> FIXED_POINT_BITS, 0, 255);
}

/* Every second byte. */
POV_CLONES static void take_halves(uint8_t *restrict taken, const uint8_t *restrict bytes, int len)
{
    for (int i = 0; i < len; i++)
        taken[i] = bytes[2 * i];
}

/* Chroma's share of each pixel's red, green and blue. cb, cr: a sample in every second byte. */
POV_CLONES static void weigh_chroma(int *restrict red, int *restrict green, int *restrict blue,
                                    const uint8_t *restrict cb, const uint8_t *restrict cr, int pairs,
                                    const ycbcr_matrix *matrix)
{
    const ycbcr_matrix m = *matrix;
    for (int i = 0; i < pairs; i++) {
        const int b = cb[2 * i] - 128, r = cr[2 * i] - 128;
        red[2 * i] = red[2 * i + 1] = r * m.cr_red;
        green[2 * i] = green[2 * i + 1] = b * m.cb_green + r * m.cr_green;
        blue[2 * i] = blue[2 * i + 1] = b * m.cb_blue;
    }
}

POV_CLONES static void colour_row(uint8_t *restrict rgb, const uint8_t *restrict luma,
                                  const int *restrict red, const int *restrict green,
                                  const int *restrict blue, int width_px, const ycbcr_matrix *matrix)
{
    const ycbcr_matrix m = *matrix;
    for (int x = 0; x < width_px; x++) {
        const int y = (luma[x] - m.black) * m.luma;
        rgb[3 * x] = to_byte(y + red[x]);
        rgb[3 * x + 1] = to_byte(y + green[x]);
        rgb[3 * x + 2] = to_byte(y + blue[x]);
    }
}

static pov_status too_short(size_t len, size_t needed)
{
    return pov_status_with(POV_SKIPPED, "image holds %zu bytes instead of %zu", len, needed);
}

static pov_status convert_ycbcr(pov_camera_pixels *pixels, const pov_libcamera_capture *capture)
{
    const ycbcr_layout *layout = pixels->ycbcr;
    size_t width = (size_t)pixels->stream.mode.width_px, height = (size_t)pixels->stream.mode.height_px;
    const int pairs = ((int)width + 1) / 2;
    size_t row = (size_t)pairs * (layout->is_packed ? 4 : 2); /* samples come in pairs */
    size_t stride = pixels->stream.stride_bytes ? (size_t)pixels->stream.stride_bytes : row;
    pov_libcamera_plane luma = capture->planes[0], chroma = luma;
    if (!layout->is_packed && capture->plane_len > 1)
        chroma = capture->planes[1];
    else if (!layout->is_packed) { /* both in one plane, one after the other */
        size_t offset = luma.len < stride * height ? luma.len : stride * height;
        chroma = (pov_libcamera_plane){luma.data + offset, luma.len - offset};
    }
    size_t rows_shared = (size_t)layout->chroma_rows_shared;
    size_t chroma_rows = (height + rows_shared - 1) / rows_shared;
    if (luma.len < stride * (height - 1) + row)
        return too_short(luma.len, stride * height);
    if (chroma.len < stride * (chroma_rows - 1) + row)
        return too_short(chroma.len, stride * chroma_rows);
    int *red = pixels->weighed, *green = red + 2 * pairs, *blue = green + 2 * pairs;
    for (size_t y = 0; y < height; y++) {
        const uint8_t *luma_row = luma.data + y * stride;
        const uint8_t *chroma_row = chroma.data + y / rows_shared * stride;
        if (layout->is_packed) {
            take_halves(pixels->luma, luma_row + layout->luma_offset, 2 * pairs);
            take_halves(pixels->chroma, luma_row + 1 - layout->luma_offset, 2 * pairs);
            luma_row = pixels->luma;
            chroma_row = pixels->chroma;
        }
        if (y % rows_shared == 0)
            weigh_chroma(red, green, blue, chroma_row + layout->cb_offset, chroma_row + 1 - layout->cb_offset,
                         pairs, &pixels->matrix);
        colour_row(pixels->pixels + y * width * 3, luma_row, red, green, blue, (int)width, &pixels->matrix);
    }
    return pov_ok();
}

static pov_status convert_rgb(pov_camera_pixels *pixels, const pov_libcamera_capture *capture)
{
    const rgb_layout *layout = pixels->rgb;
    size_t width = (size_t)pixels->stream.mode.width_px, height = (size_t)pixels->stream.mode.height_px;
    size_t row = width * (size_t)layout->step;
    size_t stride = pixels->stream.stride_bytes ? (size_t)pixels->stream.stride_bytes : row;
    if (capture->planes[0].len < stride * (height - 1) + row)
        return too_short(capture->planes[0].len, stride * height);
    uint8_t *rgb = pixels->pixels;
    for (size_t y = 0; y < height; y++) {
        const uint8_t *from = capture->planes[0].data + y * stride;
        for (size_t x = 0; x < width; x++, from += layout->step, rgb += 3) {
            rgb[0] = from[layout->red];
            rgb[1] = from[layout->green];
            rgb[2] = from[layout->blue];
        }
    }
    return pov_ok();
}

/* Many webcams pad between their JPEG's segments; libjpeg warns of it and loses nothing. */
static bool is_harmless(tjhandle jpeg)
{
    return tjGetErrorCode(jpeg) == TJERR_WARNING && strstr(tjGetErrorStr2(jpeg), "extraneous bytes");
}

/* The decoder is replaced, as tjDecompressHeader3 of libjpeg-turbo 2.1 leaves it within the header that it could
 * not read: the next image would be read as the rest of this one. */
static pov_status broken_jpeg(pov_camera_pixels *pixels)
{
    pov_status status = pov_status_with(POV_SKIPPED, "broken JPEG: %s", tjGetErrorStr2(pixels->jpeg));
    tjDestroy(pixels->jpeg);
    pixels->jpeg = tjInitDecompress(); /* without memory for it, the next image is skipped too */
    return status;
}

static pov_status convert_jpeg(pov_camera_pixels *pixels, const pov_libcamera_capture *capture)
{
    const pov_libcamera_plane *plane = &capture->planes[0];
    const pov_libcamera_mode *mode = &pixels->stream.mode;
    int width = 0, height = 0, subsampling = 0, colorspace = 0;
    if (tjDecompressHeader3(pixels->jpeg, plane->data, plane->len, &width, &height, &subsampling,
                            &colorspace) &&
        !is_harmless(pixels->jpeg))
        return broken_jpeg(pixels);
    if (width != mode->width_px || height != mode->height_px)
        return pov_status_with(POV_SKIPPED, "JPEG of %dx%d instead of %dx%d", width, height, mode->width_px,
                               mode->height_px);
    if (tjDecompress2(pixels->jpeg, plane->data, plane->len, pixels->pixels, width, 0, height, TJPF_RGB,
                      TJFLAG_ACCURATEDCT) &&
        !is_harmless(pixels->jpeg))
        return broken_jpeg(pixels);
    return pov_ok();
}

pov_status pov_camera_pixels_convert(pov_camera_pixels *pixels, const uint8_t **rgb,
                                     const pov_libcamera_capture *capture)
{
    *rgb = NULL;
    POV_REQUIRE(capture->plane_len > 0);
    pov_status status = pixels->ycbcr ? convert_ycbcr(pixels, capture)
                        : pixels->rgb ? convert_rgb(pixels, capture)
                                      : convert_jpeg(pixels, capture);
    if (status.code == POV_OK)
        *rgb = pixels->pixels;
    return status;
}
