#include "firmware/picture/image_file.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>

#include "tests/support/folder.h"
#include "tests/support/image_maker.h"

static pov_image_file *decoder;

static int make_decoder(void **state)
{
    (void)state;
    return pov_image_file_new(&decoder).code != POV_OK;
}

static int remove_decoder(void **state)
{
    (void)state;
    pov_image_file_destroy(&decoder);
    return decoder != NULL;
}

static pov_image decode_well(const test_encoded *encoded)
{
    pov_image image;
    pov_status status =
        pov_image_file_decode(decoder, &image, "images/a.img", encoded->bytes, encoded->length);
    assert_string_equal(status.message, "");
    assert_int_equal(status.code, POV_OK);
    assert_string_equal(image.name, "a.img");
    return image;
}

static pov_status decode_badly(const void *bytes, size_t length)
{
    pov_image image = {.width_px = 5};
    pov_status status = pov_image_file_decode(decoder, &image, "images/a.img", bytes, length);
    assert_int_equal(status.code, POV_ERROR);
    assert_null(image.pixels);
    assert_int_equal(image.width_px, 0);
    assert_memory_equal(status.message, "images/a.img: ", 14);
    return status;
}

static void assert_refused(const void *bytes, size_t length, const char *message)
{
    assert_string_equal(decode_badly(bytes, length).message, message);
}

static void assert_refused_with(const void *bytes, size_t length, const char *part)
{
    pov_status status = decode_badly(bytes, length);
    if (!strstr(status.message, part))
        assert_string_equal(status.message, part);
}

static const uint8_t *pixel_at(const pov_image *image, int x, int y)
{
    return image->pixels + y * image->stride_bytes + 3 * x;
}

static void assert_pixel(const pov_image *image, int x, int y, int red, int green, int blue, int tolerance)
{
    const uint8_t *pixel = pixel_at(image, x, y);
    const int expected[3] = {red, green, blue};
    for (int i = 0; i < 3; i++)
        if (abs(pixel[i] - expected[i]) > tolerance)
            fail_msg("pixel %d,%d channel %d is %d, not %d", x, y, i, pixel[i], expected[i]);
}

static void assert_shows(const pov_image *image, const test_picture *picture, int tolerance)
{
    assert_int_equal(image->width_px, picture->width_px);
    assert_int_equal(image->height_px, picture->height_px);
    for (int y = 0; y < image->height_px; y++)
        for (int x = 0; x < image->width_px; x++) {
            const uint8_t *expected = picture->pixels + 3 * (y * picture->width_px + x);
            assert_pixel(image, x, y, expected[0], expected[1], expected[2], tolerance);
        }
}

/* ---- good images ---- */

static void a_png_is_decoded_exactly(void **state)
{
    (void)state;
    const test_picture picture = test_picture_ramp(37, 23);
    const test_encoded encoded = test_picture_png(&picture);
    const pov_image image = decode_well(&encoded);
    assert_shows(&image, &picture, 0);
    assert_true(image.mid_exposure_ns == 0 && image.sequence == 0);
}

static void a_jpeg_is_decoded_to_within_its_loss(void **state)
{
    (void)state;
    const test_picture picture = test_picture_ramp(64, 48);
    const test_encoded encoded = test_picture_jpeg(&picture);
    const pov_image image = decode_well(&encoded);
    assert_shows(&image, &picture, 8);
    const test_encoded progressive = test_jpeg(picture.pixels, 64, 48, TJPF_RGB, TJFLAG_PROGRESSIVE);
    const pov_image second = decode_well(&progressive);
    assert_shows(&second, &picture, 8);
}

static void grey_images_become_rgb(void **state)
{
    (void)state;
    uint8_t grey[16 * 16];
    for (int i = 0; i < 256; i++)
        grey[i] = (uint8_t)i;
    const test_encoded png = test_png(grey, 16, 16, PNG_FORMAT_GRAY, NULL, 0);
    const pov_image exact = decode_well(&png);
    for (int i = 0; i < 256; i++)
        assert_pixel(&exact, i % 16, i / 16, i, i, i, 0);
    const test_encoded jpeg = test_jpeg(grey, 16, 16, TJPF_GRAY, 0);
    const pov_image near = decode_well(&jpeg);
    for (int i = 0; i < 256; i++)
        assert_pixel(&near, i % 16, i / 16, i, i, i, 8);
}

static void palette_images_become_rgb(void **state)
{
    (void)state;
    static const uint8_t colors[3][3] = {{255, 0, 0}, {10, 200, 30}, {1, 2, 3}};
    uint8_t indices[20 * 20];
    for (int i = 0; i < 400; i++)
        indices[i] = (uint8_t)(i % 3);
    const test_encoded png = test_png(indices, 20, 20, PNG_FORMAT_RGB_COLORMAP, colors, 3);
    assert_int_equal(png.bytes[25], 3); /* colour type: palette */
    const pov_image image = decode_well(&png);
    for (int i = 0; i < 400; i++)
        assert_pixel(&image, i % 20, i / 20, colors[i % 3][0], colors[i % 3][1], colors[i % 3][2], 0);
}

/* Half of the light of white is 188 in sRGB (IEC 61966-2-1: 1.055 * 0.5^(1/2.4) - 0.055 = 0.735); libpng
 * takes sRGB for a power of 2.2, which gives 186. Half of the code would be 128. */
static void alpha_is_laid_over_black(void **state)
{
    (void)state;
    uint8_t rgba[16 * 16][4];
    for (int i = 0; i < 256; i++)
        memcpy(rgba[i], (uint8_t[4]){255, 255, 255, (uint8_t)(i == 0 ? 255 : i == 1 ? 128 : 0)}, 4);
    const test_encoded png = test_png(rgba, 16, 16, PNG_FORMAT_RGBA, NULL, 0);
    const pov_image image = decode_well(&png);
    assert_pixel(&image, 0, 0, 255, 255, 255, 0);
    assert_pixel(&image, 1, 0, 188, 188, 188, 2);
    assert_pixel(&image, 2, 0, 0, 0, 0, 0);
}

static void one_decoder_takes_images_of_any_size_in_any_order(void **state)
{
    (void)state;
    static const int sides[][2] = {{40, 30}, {16, 16}, {100, 80}, {17, 120}};
    for (int i = 0; i < 4; i++) {
        const test_picture picture = test_picture_ramp(sides[i][0], sides[i][1]);
        const test_encoded encoded = test_picture_png(&picture);
        const pov_image image = decode_well(&encoded);
        assert_shows(&image, &picture, 0);
        (void)decode_badly("junk", 4);
    }
}

static void a_long_name_is_cut(void **state)
{
    (void)state;
    const test_picture picture = test_picture_ramp(16, 16);
    const test_encoded encoded = test_picture_png(&picture);
    char name[POV_IMAGE_NAME_CAPACITY + 50] = "folder/";
    memset(name + 7, 'n', sizeof name - 8);
    pov_image image;
    assert_int_equal(pov_image_file_decode(decoder, &image, name, encoded.bytes, encoded.length).code,
                     POV_OK);
    assert_int_equal(strlen(image.name), POV_IMAGE_NAME_CAPACITY - 1);
    assert_int_equal(strspn(image.name, "n"), POV_IMAGE_NAME_CAPACITY - 1);
}

/* ---- bad images ---- */

static void what_is_no_image_is_shown(void **state)
{
    (void)state;
    assert_refused("", 0, "images/a.img: is empty; expected a PNG or JPEG image");
    assert_refused(
        "Hello,\nWorld, this is text", 26,
        "images/a.img: is neither PNG nor JPEG but text: \"Hello, World...\"; remove or convert it");
    assert_refused(
        "GIF89a\x01\x00", 8,
        "images/a.img: is neither PNG nor JPEG, as it begins with the bytes 47 49 46 38 39 61 01 00; convert "
        "it");
}

static void every_truncation_of_a_png_is_an_error(void **state)
{
    (void)state;
    const test_picture picture = test_picture_ramp(20, 17);
    const test_encoded encoded = test_picture_png(&picture);
    (void)decode_well(&encoded);
    for (size_t length = 0; length < encoded.length; length++)
        (void)decode_badly(encoded.bytes, length);
    assert_refused(encoded.bytes, encoded.length - 1,
                   "images/a.img: is a truncated PNG (its end is missing); copy or take it again");
}

static void every_truncation_of_a_jpeg_is_an_error(void **state)
{
    (void)state;
    const test_picture picture = test_picture_ramp(20, 17);
    for (int progressive = 0; progressive < 2; progressive++) {
        const test_encoded encoded =
            test_jpeg(picture.pixels, 20, 17, TJPF_RGB, progressive ? TJFLAG_PROGRESSIVE : 0);
        (void)decode_well(&encoded);
        for (size_t length = 0; length < encoded.length; length++)
            (void)decode_badly(encoded.bytes, length);
        assert_refused(
            encoded.bytes, encoded.length - 10,
            "images/a.img: is a truncated JPEG (Premature end of JPEG file); copy or take it again");
    }
}

/* Every bit of a PNG is guarded by a checksum. */
static void every_flipped_bit_of_a_png_is_an_error(void **state)
{
    (void)state;
    const test_picture picture = test_picture_ramp(18, 16);
    test_encoded encoded = test_picture_png(&picture);
    for (size_t i = 0; i < 8 * encoded.length; i++) {
        encoded.bytes[i / 8] ^= (uint8_t)(1 << i % 8);
        (void)decode_badly(encoded.bytes, encoded.length);
        encoded.bytes[i / 8] ^= (uint8_t)(1 << i % 8);
    }
    (void)decode_well(&encoded);
}

static void images_too_small_or_too_large_are_refused(void **state)
{
    (void)state;
    static const uint8_t pixels[3 * 16 * 16] = {0};
    const test_encoded png = test_png(pixels, 1, 1, PNG_FORMAT_RGB, NULL, 0);
    assert_refused(png.bytes, png.length, "images/a.img: is 1x1 px; an image needs at least 16 px a side");
    const test_encoded flat = test_jpeg(pixels, 16, 15, TJPF_RGB, 0);
    assert_refused(flat.bytes, flat.length,
                   "images/a.img: is 16x15 px; an image needs at least 16 px a side");
    const test_encoded least = test_jpeg(pixels, 16, 16, TJPF_RGB, 0);
    (void)decode_well(&least);
    static uint8_t line[(POV_IMAGE_SIDE_MAX_PX + 1) * 16];
    const test_encoded wide = test_png(line, POV_IMAGE_SIDE_MAX_PX + 1, 16, PNG_FORMAT_GRAY, NULL, 0);
    assert_refused(
        wide.bytes, wide.length,
        "images/a.img: is 16385x16 px; at most 16384 px a side and 67 million in all are taken, scale it "
        "down");
    const test_encoded widest = test_png(line, POV_IMAGE_SIDE_MAX_PX, 16, PNG_FORMAT_GRAY, NULL, 0);
    assert_int_equal(decode_well(&widest).width_px, POV_IMAGE_SIDE_MAX_PX);
}

/* A JPEG whose header is changed to promise 8000 x 8000 px. */
static void a_header_that_promises_more_than_there_is_is_refused(void **state)
{
    (void)state;
    const test_picture picture = test_picture_ramp(20, 17);
    test_encoded encoded = test_picture_jpeg(&picture);
    uint8_t *header = memmem(encoded.bytes, encoded.length, "\xFF\xC0", 2);
    assert_non_null(header);
    memcpy(header + 5, (uint8_t[4]){8000 >> 8, 8000 & 255, 8000 >> 8, 8000 & 255}, 4);
    assert_refused_with(encoded.bytes, encoded.length,
                        "bytes cannot hold that many pixels; copy or take it again");
}

/* The first of a PNG's two headers says 8192 x 8193 px, the second 20 x 17. */
static void a_second_header_does_not_hide_the_first(void **state)
{
    (void)state;
    enum { SIGNATURE = 8, HEADER = 25, END = 12 };
    const test_picture picture = test_picture_ramp(20, 17);
    const test_encoded encoded = test_picture_png(&picture);
    uint8_t *bytes = malloc(encoded.length + HEADER), *header = bytes + SIGNATURE;
    assert_non_null(bytes);
    memcpy(bytes, encoded.bytes, encoded.length - END);
    memcpy(bytes + encoded.length - END, header, HEADER);
    memcpy(bytes + encoded.length - END + HEADER, encoded.bytes + encoded.length - END, END);
    memcpy(header + 8, (uint8_t[8]){0, 0, 8192 >> 8, 0, 0, 0, 8193 >> 8, 1}, 8);
    const uint32_t checksum = (uint32_t)crc32(0, header + 4, 17);
    for (int i = 0; i < 4; i++)
        header[21 + i] = (uint8_t)(checksum >> (24 - 8 * i));
    char message[200];
    snprintf(message, sizeof message,
             "images/a.img: is a damaged PNG (another header at byte %zu); copy or take it again",
             encoded.length - END);
    assert_refused(bytes, encoded.length + HEADER, message);
    memmove(header, header + HEADER, encoded.length - SIGNATURE);
    assert_refused(bytes, encoded.length,
                   "images/a.img: is a damaged PNG (no header at byte 8); copy or take it again");
    free(bytes);
}

/* Its header says 5000 x 5000 px, and forty headers of scans follow its end: a decoder would go over all of it forty times. */
static void a_jpeg_of_many_scans_is_refused_before_it_is_decoded(void **state)
{
    (void)state;
    enum { SCANS = 40 };
    const test_picture picture = test_picture_ramp(20, 17);
    const test_encoded encoded = test_picture_jpeg(&picture);
    uint8_t *bytes = malloc(encoded.length + 2 * SCANS);
    assert_non_null(bytes);
    memcpy(bytes, encoded.bytes, encoded.length);
    for (size_t i = 0; i < SCANS; i++)
        memcpy(bytes + encoded.length + 2 * i, "\xFF\xDA", 2);
    uint8_t *header = memmem(bytes, encoded.length, "\xFF\xC0", 2);
    assert_non_null(header);
    memcpy(header + 5, (uint8_t[4]){5000 >> 8, 5000 & 255, 5000 >> 8, 5000 & 255}, 4);
    assert_refused_with(bytes, encoded.length + 2 * SCANS, "is a progressive JPEG of 41 scans");
    free(bytes);
}

static void sixteen_bits_a_channel_are_refused(void **state)
{
    (void)state;
    static const uint16_t pixels[16 * 16 * 3] = {0};
    const test_encoded png = test_png(pixels, 16, 16, PNG_FORMAT_LINEAR_RGB, NULL, 0);
    assert_refused(png.bytes, png.length, "images/a.img: is a 16-bit PNG; convert it to 8 bits a channel");
}

static void cmyk_is_refused(void **state)
{
    (void)state;
    static const uint8_t pixels[16 * 16 * 4] = {0};
    const test_encoded jpeg = test_jpeg(pixels, 16, 16, TJPF_CMYK, 0);
    assert_refused(jpeg.bytes, jpeg.length, "images/a.img: is a CMYK JPEG; convert it to RGB");
}

/* ---- files ---- */

static void content_decides_not_the_extension(void **state)
{
    (void)state;
    const test_path folder = test_folder_new();
    const test_picture picture = test_picture_ramp(30, 20);
    const test_encoded encoded = test_picture_png(&picture);
    const test_path path = test_file_new(&folder, "png.jpg", encoded.bytes, encoded.length);
    pov_image image;
    assert_int_equal(pov_image_file_read(decoder, &image, path.path).code, POV_OK);
    assert_string_equal(image.name, "png.jpg");
    assert_shows(&image, &picture, 0);
    test_folder_remove(&folder);
}

static void a_missing_file_is_named(void **state)
{
    (void)state;
    pov_image image = {.width_px = 5};
    pov_status status = pov_image_file_read(decoder, &image, "/nowhere/a.png");
    assert_int_equal(status.code, POV_ERROR);
    assert_string_equal(status.message, "/nowhere/a.png: no such file; expected a PNG or JPEG image");
    assert_int_equal(image.width_px, 0);
    status = pov_image_file_read(decoder, &image, "/dev/zero");
    assert_string_equal(status.message, "/dev/zero: is a device; name a PNG or JPEG image on the disk");
}

static pov_image borrow(const test_picture *picture)
{
    return (pov_image){.pixels = picture->pixels,
                       .width_px = picture->width_px,
                       .height_px = picture->height_px,
                       .stride_bytes = 3 * picture->width_px};
}

static void what_is_written_is_read_back(void **state)
{
    (void)state;
    const test_path folder = test_folder_new(), path = test_path_in(&folder, "out.png");
    const test_picture picture = test_picture_ramp(50, 40);
    pov_image image = borrow(&picture), back;
    for (int i = 0; i < 2; i++) /* the second time over the first */
        assert_string_equal(pov_image_file_write_png(path.path, &image).message, "");
    assert_int_equal(pov_image_file_read(decoder, &back, path.path).code, POV_OK);
    assert_shows(&back, &picture, 0);
    /* a window into a wider image */
    image.pixels += 3 * 10;
    image.width_px = 20;
    assert_string_equal(pov_image_file_write_png(path.path, &image).message, "");
    assert_int_equal(pov_image_file_read(decoder, &back, path.path).code, POV_OK);
    assert_int_equal(back.width_px, 20);
    assert_memory_equal(pixel_at(&back, 0, 39), picture.pixels + 3 * (39 * 50 + 10), 3 * 20);
    struct stat stat_buffer;
    assert_int_equal(stat(path.path, &stat_buffer), 0);
    assert_int_equal(stat_buffer.st_mode & 0777, 0644);
    test_folder_remove(&folder);
}

static void a_file_that_cannot_be_written_leaves_the_old_one(void **state)
{
    (void)state;
    const test_path folder = test_folder_new();
    const test_path path = test_file_new(&folder, "out.png", "old", 3);
    static uint8_t noise[3 * 100 * 100];
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (uint8_t)(i * i * 2654435761u >> 13);
    const pov_image image = {.pixels = noise, .width_px = 100, .height_px = 100, .stride_bytes = 300};
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = 1000; /* as if the disk were full */
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const pov_status status = pov_image_file_write_png(path.path, &image);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status.code, POV_ERROR);
    assert_non_null(strstr(status.message, "/out.png: cannot be written: File too large"));
    char old[4] = "";
    FILE *file = fopen(path.path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(old, 1, sizeof old, file), 3);
    fclose(file);
    assert_string_equal(old, "old");
    remove(path.path);
    assert_int_equal(rmdir(folder.path), 0); /* nothing else was left behind */
}

static void a_folder_that_is_not_there_is_named_on_writing(void **state)
{
    (void)state;
    const test_picture picture = test_picture_ramp(16, 16);
    const pov_image image = borrow(&picture);
    assert_string_equal(pov_image_file_write_png("/nowhere/out.png", &image).message,
                        "/nowhere/out.png: cannot be written: No such file or directory; make its folder "
                        "first: mkdir -p /nowhere");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_png_is_decoded_exactly),
        cmocka_unit_test(a_jpeg_is_decoded_to_within_its_loss),
        cmocka_unit_test(grey_images_become_rgb),
        cmocka_unit_test(palette_images_become_rgb),
        cmocka_unit_test(alpha_is_laid_over_black),
        cmocka_unit_test(one_decoder_takes_images_of_any_size_in_any_order),
        cmocka_unit_test(a_long_name_is_cut),
        cmocka_unit_test(what_is_no_image_is_shown),
        cmocka_unit_test(every_truncation_of_a_png_is_an_error),
        cmocka_unit_test(every_truncation_of_a_jpeg_is_an_error),
        cmocka_unit_test(every_flipped_bit_of_a_png_is_an_error),
        cmocka_unit_test(images_too_small_or_too_large_are_refused),
        cmocka_unit_test(a_header_that_promises_more_than_there_is_is_refused),
        cmocka_unit_test(a_second_header_does_not_hide_the_first),
        cmocka_unit_test(a_jpeg_of_many_scans_is_refused_before_it_is_decoded),
        cmocka_unit_test(sixteen_bits_a_channel_are_refused),
        cmocka_unit_test(cmyk_is_refused),
        cmocka_unit_test(content_decides_not_the_extension),
        cmocka_unit_test(a_missing_file_is_named),
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(a_file_that_cannot_be_written_leaves_the_old_one),
        cmocka_unit_test(a_folder_that_is_not_there_is_named_on_writing),
    };
    return cmocka_run_group_tests(tests, make_decoder, remove_decoder);
}
