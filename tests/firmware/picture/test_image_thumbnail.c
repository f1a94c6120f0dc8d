#include "firmware/picture/image_thumbnail.h"

#include "firmware/picture/image_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Written apart from what it tests: a digit is its place in the alphabet. */
static size_t decode_base64(unsigned char *bytes, const char *text)
{
    const char *digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t len = 0;
    unsigned word = 0;
    int bits = 0;
    for (; *text && *text != '='; text++) {
        const char *digit = strchr(digits, *text);
        assert_non_null(digit);
        word = word << 6 | (unsigned)(digit - digits);
        bits += 6;
        if (bits >= 8)
            bytes[len++] = (unsigned char)(word >> (bits -= 8));
    }
    return len;
}

/* Red on the left, blue on the right. */
static void write_picture(const char *path, int width_px, int height_px)
{
    uint8_t *pixels = calloc(3, (size_t)(width_px * height_px));
    for (int i = 0; i < width_px * height_px; i++)
        pixels[3 * i + (i % width_px < width_px / 2 ? 0 : 2)] = 200;
    const pov_image image = {
        .pixels = pixels, .width_px = width_px, .height_px = height_px, .stride_bytes = 3 * width_px};
    assert_int_equal(pov_image_file_write_png(path, &image).code, POV_OK);
    free(pixels);
}

static void check_thumbnail(pov_image_thumbnail *thumbnail, const char *path, int width_px, int height_px)
{
    static const char head[] = "data:image/jpeg;base64,";
    const char *uri;
    pov_image_file *file;
    pov_image image;
    assert_int_equal(pov_image_thumbnail_make(thumbnail, &uri, path).code, POV_OK);
    assert_memory_equal(uri, head, sizeof head - 1);
    unsigned char *jpeg = malloc(strlen(uri));
    size_t len = decode_base64(jpeg, uri + sizeof head - 1);
    assert_int_equal(pov_image_file_new(&file).code, POV_OK);
    assert_int_equal(pov_image_file_decode(file, &image, "thumbnail", jpeg, len).code, POV_OK);
    assert_int_equal(image.width_px, width_px);
    assert_int_equal(image.height_px, height_px);
    const uint8_t *row = image.pixels + (height_px / 2) * image.stride_bytes,
                  *left = row + 3 * (width_px / 4), *right = row + 3 * (width_px * 3 / 4);
    assert_true(abs(left[0] - 200) < 12 && left[2] < 12);
    assert_true(abs(right[2] - 200) < 12 && right[0] < 12);
    pov_image_file_destroy(&file);
    free(jpeg);
}

static void a_thumbnail_shows_the_image_within_its_bounds(void **state)
{
    (void)state;
    char folder[] = "/tmp/pov_thumbnail_XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.png", folder);
    pov_image_thumbnail *thumbnail;
    assert_int_equal(pov_image_thumbnail_new(&thumbnail, 64).code, POV_OK);
    write_picture(path, 640, 320);
    check_thumbnail(thumbnail, path, 64, 32);
    write_picture(path, 32, 48); /* small ones stay as they are */
    check_thumbnail(thumbnail, path, 32, 48);
    const char *uri;
    remove(path);
    pov_status status = pov_image_thumbnail_make(thumbnail, &uri, path);
    assert_int_equal(status.code, POV_ERROR);
    assert_non_null(strstr(status.message, path));
    assert_null(uri);
    pov_image_thumbnail_destroy(&thumbnail);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_thumbnail_shows_the_image_within_its_bounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
