#include "firmware/picture/image_thumbnail.h"

#include "firmware/picture/image_file.h"
#include "firmware/picture/picture_marks.h"

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
    assert_int_equal(pov_image_thumbnail_make(thumbnail, &uri, path, "").code, POV_OK);
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
    pov_status status = pov_image_thumbnail_make(thumbnail, &uri, path, "");
    assert_int_equal(status.code, POV_ERROR);
    assert_non_null(strstr(status.message, path));
    assert_null(uri);
    pov_image_thumbnail_destroy(&thumbnail);
    rmdir(folder);
}

/* The thing is black on grey: all that is neither is a frame or a label. */
static void marks_frame_things_and_labels_keep_off_them(void **state)
{
    (void)state;
    enum { SIDE_PX = 320 };
    static uint8_t pixels[3 * SIDE_PX * SIDE_PX];
    pov_canvas *canvas = calloc(1, sizeof *canvas);
    *canvas = (pov_canvas){.pixels = pixels,
                           .width_px = SIDE_PX,
                           .height_px = SIDE_PX,
                           .stride_bytes = 3 * SIDE_PX,
                           .unit_px = 1};
    memset(pixels, 128, sizeof pixels);
    pov_picture_mark marks[POV_PICTURE_MARK_MAX];
    const int len = pov_picture_marks_read(
        marks, "referent 0.5 0.5 0.6 0.6 my_ball; viewer 0 0.2 0.1 0.5 anna; thing 0.3 0.2 0.9 0.48 box");
    assert_int_equal(len, 3);
    assert_string_equal(marks[1].name, "anna");
    pov_picture_marks_draw(canvas, marks, len);
    int drawn = 0;
    for (int y = 0; y < SIDE_PX; y++)
        for (int x = 0; x < SIDE_PX; x++) {
            const uint8_t *p = pixels + 3 * (y * SIDE_PX + x);
            const bool is_plain = p[0] == 128 && p[1] == 128 && p[2] == 128;
            const bool on_thing = (x > 160 && x < 192 && y > 160 && y < 192) ||
                                  (x > 1 && x < 31 && y > 65 && y < 159) ||
                                  (x > 97 && x < 287 && y > 65 && y < 152);
            drawn += !is_plain;
            if (on_thing)
                assert_true(is_plain);
        }
    assert_true(drawn > 4 * 36 + 6 * 40); /* both frames and both names */
    free(canvas);
}

static void marks_of_another_form_are_none(void **state)
{
    (void)state;
    static const char *const wrong[] = {"",
                                        "ball",
                                        "referent 0.1 0.1 0.2",
                                        "referee 0.1 0.1 0.2 0.2 ball",
                                        "referent 0.1 0.1 0.2 1.2 ball",
                                        "referent 0.3 0.1 0.2 0.2 ball",
                                        "referent nan 0.1 0.2 0.2 ball",
                                        "referent 0.1 0.1 0.2 0.2 a_name_of_more_than_thirty_one_letters"};
    pov_picture_mark marks[POV_PICTURE_MARK_MAX];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(pov_picture_marks_read(marks, wrong[i]), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_thumbnail_shows_the_image_within_its_bounds),
                                       cmocka_unit_test(marks_frame_things_and_labels_keep_off_them),
                                       cmocka_unit_test(marks_of_another_form_are_none)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
