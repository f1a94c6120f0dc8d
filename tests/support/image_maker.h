/** Small encoded images with known content, made by libpng and libjpeg-turbo. Include after cmocka.h. */
#pragma once

#include <png.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <turbojpeg.h>

enum { TEST_ENCODED_CAPACITY = 1 << 16, TEST_PIXELS_CAPACITY = 1 << 16 };

typedef struct {
    uint8_t bytes[TEST_ENCODED_CAPACITY];
    size_t length;
} test_encoded;

typedef struct {
    int width_px, height_px;
    uint8_t pixels[TEST_PIXELS_CAPACITY];
} test_picture;

/** RGB: red rises to the right, green downward, blue with both. */
static inline test_picture test_picture_ramp(int width_px, int height_px)
{
    test_picture picture = {.width_px = width_px, .height_px = height_px};
    assert_true(width_px * height_px * 3 <= TEST_PIXELS_CAPACITY);
    for (int y = 0; y < height_px; y++)
        for (int x = 0; x < width_px; x++) {
            uint8_t *pixel = picture.pixels + 3 * (y * width_px + x);
            pixel[0] = (uint8_t)(255 * x / width_px);
            pixel[1] = (uint8_t)(255 * y / height_px);
            pixel[2] = (uint8_t)(255 * (x + y) / (width_px + height_px));
        }
    return picture;
}

/** Encodes pixels of one of libpng's formats (PNG_FORMAT_RGB, _GRAY, _RGBA, _LINEAR_RGB, _RGB_COLORMAP...).
 */
static inline test_encoded test_png(const void *pixels, int width_px, int height_px, png_uint_32 format,
                                    const void *colormap, int colors)
{
    test_encoded encoded = {.length = TEST_ENCODED_CAPACITY};
    png_image png = {.version = PNG_IMAGE_VERSION,
                     .width = (png_uint_32)width_px,
                     .height = (png_uint_32)height_px,
                     .format = format,
                     .colormap_entries = (png_uint_32)colors};
    assert_true(png_image_write_to_memory(&png, encoded.bytes, &encoded.length, 0, pixels, 0, colormap));
    return encoded;
}

static inline test_encoded test_picture_png(const test_picture *picture)
{
    return test_png(picture->pixels, picture->width_px, picture->height_px, PNG_FORMAT_RGB, NULL, 0);
}

/** pixel_format: TJPF_RGB, TJPF_GRAY, TJPF_CMYK; flags: 0 or TJFLAG_PROGRESSIVE. */
static inline test_encoded test_jpeg(const uint8_t *pixels, int width_px, int height_px, int pixel_format,
                                     int flags)
{
    test_encoded encoded = {.length = 0};
    unsigned char *bytes = NULL;
    unsigned long length = 0;
    tjhandle jpeg = tjInitCompress();
    int subsampling = pixel_format == TJPF_GRAY ? TJSAMP_GRAY : TJSAMP_444;
    assert_int_equal(tjCompress2(jpeg, pixels, width_px, 0, height_px, pixel_format, &bytes, &length,
                                 subsampling, 95, flags),
                     0);
    assert_true(length <= TEST_ENCODED_CAPACITY);
    memcpy(encoded.bytes, bytes, length);
    encoded.length = length;
    tjFree(bytes);
    tjDestroy(jpeg);
    return encoded;
}

static inline test_encoded test_picture_jpeg(const test_picture *picture)
{
    return test_jpeg(picture->pixels, picture->width_px, picture->height_px, TJPF_RGB, 0);
}
