/* Oracles: OpenCV for limited range, libjpeg-turbo for full range, the published codes of the colour bars. */
#include "firmware/libcamera/camera_pixels.h"

#include "perception/image/opencv_c.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <turbojpeg.h>

enum { WIDTH = 64, HEIGHT = 48 };

static pov_libcamera_stream stream_of(const char *format, int stride_bytes)
{
    pov_libcamera_stream stream = {.mode = {.width_px = WIDTH, .height_px = HEIGHT},
                                   .stride_bytes = stride_bytes};
    strcpy(stream.mode.pixel_format, format);
    return stream;
}

static pov_libcamera_capture capture_of(const uint8_t *data, size_t len)
{
    return (pov_libcamera_capture){.usable = true, .plane_len = 1, .planes = {{data, len}}};
}

/* Converts and copies, so that the result outlives the converter. */
static pov_code convert(uint8_t *rgb, const pov_libcamera_stream *stream,
                        const pov_libcamera_capture *capture)
{
    pov_camera_pixels *pixels = NULL;
    assert_int_equal(pov_camera_pixels_new(&pixels, stream).code, POV_OK);
    const uint8_t *converted = NULL;
    pov_status status = pov_camera_pixels_convert(pixels, &converted, capture);
    assert_true((status.code == POV_OK) == (converted != NULL));
    assert_true((status.code == POV_OK) == (status.message[0] == '\0'));
    if (converted)
        memcpy(rgb, converted, (size_t)stream->mode.width_px * (size_t)stream->mode.height_px * 3);
    pov_camera_pixels_destroy(&pixels);
    return status.code;
}

/* Every luma against varied chroma: a fixed pseudo-random image. */
static void fill(uint8_t *bytes, size_t len, uint32_t seed)
{
    for (size_t i = 0; i < len; i++) {
        seed = seed * 1664525u + 1013904223u;
        bytes[i] = (uint8_t)(seed >> 24);
    }
}

/* OpenCV cuts luma below black (16) off; ours lets it darken the channels. Both agree on legal luma. */
static void make_luma_legal(uint8_t *luma, size_t len, size_t step)
{
    for (size_t i = 0; i < len; i += step)
        if (luma[i] < 16)
            luma[i] = (uint8_t)(luma[i] + 16);
}

static void assert_close(const uint8_t *left, const uint8_t *right, size_t len, int tolerance)
{
    for (size_t i = 0; i < len; i++)
        assert_in_range(abs(left[i] - right[i]), 0, tolerance);
}

static void limited_range_yuyv_is_what_opencv_makes_of_it(void **state)
{
    (void)state;
    uint8_t yuyv[WIDTH * HEIGHT * 2], ours[WIDTH * HEIGHT * 3], theirs[WIDTH * HEIGHT * 3];
    fill(yuyv, sizeof yuyv, 1);
    make_luma_legal(yuyv, sizeof yuyv, 2);
    pov_libcamera_stream stream = stream_of("YUYV", WIDTH * 2);
    pov_libcamera_capture capture = capture_of(yuyv, sizeof yuyv);
    assert_int_equal(convert(ours, &stream, &capture), POV_OK);
    CvMat from = cvMat(HEIGHT, WIDTH, CV_8UC2, yuyv), to = cvMat(HEIGHT, WIDTH, CV_8UC3, theirs);
    cvCvtColor(&from, &to, CV_YUV2RGB_YUYV);
    assert_close(ours, theirs, sizeof ours, 1);
}

static void limited_range_nv12_is_what_opencv_makes_of_it(void **state)
{
    (void)state;
    uint8_t nv12[WIDTH * HEIGHT * 3 / 2], ours[WIDTH * HEIGHT * 3], theirs[WIDTH * HEIGHT * 3];
    fill(nv12, sizeof nv12, 2);
    make_luma_legal(nv12, WIDTH * HEIGHT, 1);
    pov_libcamera_stream stream = stream_of("NV12", WIDTH);
    pov_libcamera_capture one = capture_of(nv12, sizeof nv12);
    pov_libcamera_capture two = {
        .plane_len = 2, .planes = {{nv12, WIDTH * HEIGHT}, {nv12 + WIDTH * HEIGHT, WIDTH * HEIGHT / 2}}};
    CvMat from = cvMat(HEIGHT * 3 / 2, WIDTH, CV_8UC1, nv12), to = cvMat(HEIGHT, WIDTH, CV_8UC3, theirs);
    cvCvtColor(&from, &to, CV_YUV2RGB_NV12);
    assert_int_equal(convert(ours, &stream, &one), POV_OK);
    assert_close(ours, theirs, sizeof ours, 1);
    memset(ours, 0, sizeof ours);
    assert_int_equal(convert(ours, &stream, &two), POV_OK);
    assert_close(ours, theirs, sizeof ours, 1);
}

/* JPEG's YCbCr is BT.601 at full range. libjpeg-turbo's "fancy" chroma filter is off: samples are replicated.
 */
static void full_range_nv12_is_what_libjpeg_turbo_makes_of_it(void **state)
{
    (void)state;
    uint8_t luma[WIDTH * HEIGHT], cb[WIDTH * HEIGHT / 4], cr[WIDTH * HEIGHT / 4], chroma[WIDTH * HEIGHT / 2];
    uint8_t ours[WIDTH * HEIGHT * 3], theirs[WIDTH * HEIGHT * 3];
    fill(luma, sizeof luma, 3);
    fill(cb, sizeof cb, 4);
    fill(cr, sizeof cr, 5);
    for (size_t i = 0; i < sizeof cb; i++) {
        chroma[2 * i] = cb[i];
        chroma[2 * i + 1] = cr[i];
    }
    pov_libcamera_stream stream = stream_of("NV12", WIDTH);
    stream.full_range = true;
    pov_libcamera_capture capture = {.plane_len = 2,
                                     .planes = {{luma, sizeof luma}, {chroma, sizeof chroma}}};
    assert_int_equal(convert(ours, &stream, &capture), POV_OK);
    tjhandle jpeg = tjInitDecompress();
    const unsigned char *planes[] = {luma, cb, cr};
    assert_int_equal(tjDecodeYUVPlanes(jpeg, planes, NULL, TJSAMP_420, theirs, WIDTH, 0, HEIGHT, TJPF_RGB,
                                       TJFLAG_FASTUPSAMPLE),
                     0);
    tjDestroy(jpeg);
    assert_close(ours, theirs, sizeof ours, 1);
}

/* 100 % colour bars, limited range: ITU-R BT.601-7 and BT.709-6, as tabulated in SMPTE EG 1 and RP 177. */
static void published_bar_codes_give_pure_colours(void **state)
{
    (void)state;
    static const struct {
        pov_ycbcr_encoding encoding;
        uint8_t ycbcr[3], rgb[3];
    } bars[] = {
        {POV_YCBCR_BT601, {235, 128, 128}, {255, 255, 255}}, {POV_YCBCR_BT601, {16, 128, 128}, {0, 0, 0}},
        {POV_YCBCR_BT601, {81, 90, 240}, {255, 0, 0}},       {POV_YCBCR_BT601, {145, 54, 34}, {0, 255, 0}},
        {POV_YCBCR_BT601, {41, 240, 110}, {0, 0, 255}},      {POV_YCBCR_BT709, {63, 102, 240}, {255, 0, 0}},
        {POV_YCBCR_BT709, {173, 42, 26}, {0, 255, 0}},       {POV_YCBCR_BT709, {32, 240, 118}, {0, 0, 255}},
    };
    for (size_t i = 0; i < sizeof bars / sizeof *bars; i++) {
        uint8_t uyvy[WIDTH * HEIGHT * 2], rgb[WIDTH * HEIGHT * 3];
        for (size_t k = 0; k < sizeof uyvy; k += 4) {
            uyvy[k] = bars[i].ycbcr[1];
            uyvy[k + 1] = uyvy[k + 3] = bars[i].ycbcr[0];
            uyvy[k + 2] = bars[i].ycbcr[2];
        }
        pov_libcamera_stream stream = stream_of("UYVY", WIDTH * 2);
        stream.encoding = bars[i].encoding;
        pov_libcamera_capture capture = capture_of(uyvy, sizeof uyvy);
        assert_int_equal(convert(rgb, &stream, &capture), POV_OK);
        for (size_t k = 0; k < sizeof rgb; k += 3)
            assert_close(rgb + k, bars[i].rgb, 3, 2);
    }
}

/* Each format's name is the order of its bytes: the same samples in another order are the same image. */
static void orders_of_luma_and_chroma_are_as_their_names_tell(void **state)
{
    (void)state;
    static const char *const packed[] = {"YVYU", "UYVY", "VYUY"};
    uint8_t yuyv[WIDTH * HEIGHT * 2], other[sizeof yuyv], expected[WIDTH * HEIGHT * 3], rgb[sizeof expected];
    fill(yuyv, sizeof yuyv, 6);
    pov_libcamera_stream stream = stream_of("YUYV", WIDTH * 2);
    pov_libcamera_capture capture = capture_of(yuyv, sizeof yuyv);
    assert_int_equal(convert(expected, &stream, &capture), POV_OK);
    for (size_t i = 0; i < sizeof packed / sizeof *packed; i++) {
        for (size_t k = 0; k < sizeof yuyv; k += 4) {
            int luma = 0;
            for (size_t byte = 0; byte < 4; byte++) {
                const char sample = packed[i][byte];
                other[k + byte] = yuyv[k + (sample == 'U' ? 1 : sample == 'V' ? 3 : 2 * (size_t)luma++)];
            }
        }
        stream = stream_of(packed[i], WIDTH * 2);
        capture = capture_of(other, sizeof other);
        assert_int_equal(convert(rgb, &stream, &capture), POV_OK);
        assert_memory_equal(rgb, expected, sizeof rgb);
    }
    stream = stream_of("NV12", WIDTH);
    capture = capture_of(yuyv, WIDTH * HEIGHT * 3 / 2);
    assert_int_equal(convert(expected, &stream, &capture), POV_OK);
    memcpy(other, yuyv, WIDTH * HEIGHT);
    for (size_t k = WIDTH * HEIGHT; k < WIDTH * HEIGHT * 3 / 2; k++)
        other[k] = yuyv[k ^ 1];
    stream = stream_of("NV21", WIDTH);
    capture = capture_of(other, WIDTH * HEIGHT * 3 / 2);
    assert_int_equal(convert(rgb, &stream, &capture), POV_OK);
    assert_memory_equal(rgb, expected, sizeof rgb);
}

/* A row of odd width is the beginning of the next wider one: its last chroma samples serve one pixel. */
static void odd_widths_end_within_a_pair(void **state)
{
    (void)state;
    static const char *const formats[] = {"YUYV", "NV12"};
    enum { LEN = WIDTH * HEIGHT * 2 };
    uint8_t whole[WIDTH * HEIGHT * 3], odd[sizeof whole], *data = malloc(LEN);
    fill(data, LEN, 7);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        pov_libcamera_stream stream = stream_of(formats[i], 0);
        pov_libcamera_capture capture = capture_of(data, LEN);
        assert_int_equal(convert(whole, &stream, &capture), POV_OK);
        stream.mode.width_px = WIDTH - 1;
        assert_int_equal(convert(odd, &stream, &capture), POV_OK);
        for (size_t y = 0; y < HEIGHT; y++)
            assert_memory_equal(odd + y * (WIDTH - 1) * 3, whole + y * WIDTH * 3, (WIDTH - 1) * 3);
    }
    free(data);
}

/* drm_fourcc.h: RGB888 is [23:0] R:G:B little endian, so blue comes first in memory; and so on. */
static void rgb_orders_are_as_drm_defines_them(void **state)
{
    (void)state;
    static const struct {
        const char *format;
        int step;
        uint8_t memory[4];
    } orders[] = {{"RGB888", 3, {3, 2, 1, 0}},
                  {"BGR888", 3, {1, 2, 3, 0}},
                  {"XRGB8888", 4, {3, 2, 1, 99}},
                  {"XBGR8888", 4, {1, 2, 3, 99}}};
    static const uint8_t expected[3] = {1, 2, 3};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        uint8_t data[WIDTH * HEIGHT * 4], rgb[WIDTH * HEIGHT * 3];
        for (int k = 0; k < WIDTH * HEIGHT; k++)
            memcpy(data + k * orders[i].step, orders[i].memory, (size_t)orders[i].step);
        pov_libcamera_stream stream = stream_of(orders[i].format, WIDTH * orders[i].step);
        pov_libcamera_capture capture = capture_of(data, (size_t)(WIDTH * HEIGHT * orders[i].step));
        assert_int_equal(convert(rgb, &stream, &capture), POV_OK);
        for (size_t k = 0; k < sizeof rgb; k += 3)
            assert_memory_equal(rgb + k, expected, 3);
    }
}

static void padding_after_rows_is_left_out(void **state)
{
    (void)state;
    enum { STRIDE = WIDTH + 13 };
    uint8_t grey[STRIDE * HEIGHT], rgb[WIDTH * HEIGHT * 3];
    memset(grey, 255, sizeof grey);
    for (int y = 0; y < HEIGHT; y++)
        memset(grey + y * STRIDE, y, WIDTH);
    pov_libcamera_stream stream = stream_of("R8", STRIDE);
    pov_libcamera_capture capture = capture_of(grey, sizeof grey);
    assert_int_equal(convert(rgb, &stream, &capture), POV_OK);
    for (int i = 0; i < WIDTH * HEIGHT * 3; i++)
        assert_int_equal(rgb[i], i / (WIDTH * 3));
}

static void data_too_short_is_skipped(void **state)
{
    (void)state;
    static const char *const formats[] = {"YUYV", "NV12", "BGR888", "R8"};
    static const int bits[] = {16, 12, 24, 8}, steps[] = {2, 1, 3, 1};
    uint8_t rgb[WIDTH * HEIGHT * 3];
    for (size_t i = 0; i < 4; i++) {
        size_t len = (size_t)(WIDTH * HEIGHT * bits[i] / 8);
        uint8_t *data = calloc(1, len);
        pov_libcamera_stream stream = stream_of(formats[i], WIDTH * steps[i]);
        pov_libcamera_capture whole = capture_of(data, len), cut = capture_of(data, len - 1),
                              empty = capture_of(data, 0);
        assert_int_equal(convert(rgb, &stream, &whole), POV_OK);
        assert_int_equal(convert(rgb, &stream, &cut), POV_SKIPPED);
        assert_int_equal(convert(rgb, &stream, &empty), POV_SKIPPED);
        free(data);
    }
}

typedef struct {
    uint8_t rgb[WIDTH * HEIGHT * 3];
    unsigned char *data;
    unsigned long len;
} jpeg_image;

static jpeg_image make_jpeg(int width_px, int height_px)
{
    jpeg_image image = {0};
    for (int i = 0; i < width_px * height_px; i++) {
        image.rgb[3 * i] = (uint8_t)(i % width_px * 4);
        image.rgb[3 * i + 1] = (uint8_t)(i / width_px * 5);
        image.rgb[3 * i + 2] = 100;
    }
    tjhandle jpeg = tjInitCompress();
    assert_int_equal(tjCompress2(jpeg, image.rgb, width_px, 0, height_px, TJPF_RGB, &image.data, &image.len,
                                 TJSAMP_422, 98, TJFLAG_ACCURATEDCT),
                     0);
    tjDestroy(jpeg);
    return image;
}

static void jpeg_comes_back_as_it_was_drawn(void **state)
{
    (void)state;
    jpeg_image image = make_jpeg(WIDTH, HEIGHT);
    uint8_t rgb[WIDTH * HEIGHT * 3];
    pov_libcamera_stream stream = stream_of("MJPEG", 0);
    pov_libcamera_capture capture = capture_of(image.data, image.len);
    assert_int_equal(convert(rgb, &stream, &capture), POV_OK);
    assert_close(rgb, image.rgb, sizeof rgb, 6);
    tjFree(image.data);
}

static void jpeg_cut_anywhere_is_skipped(void **state)
{
    (void)state;
    jpeg_image image = make_jpeg(WIDTH, HEIGHT);
    uint8_t rgb[WIDTH * HEIGHT * 3];
    pov_libcamera_stream stream = stream_of("MJPEG", 0);
    for (unsigned long len = 0; len < image.len - 2; len += 7) {
        uint8_t *exact = malloc(len + 1); /* the sanitizer sees a read past the end */
        memcpy(exact, image.data, len);
        pov_libcamera_capture capture = capture_of(exact, len);
        assert_int_equal(convert(rgb, &stream, &capture), POV_SKIPPED);
        free(exact);
    }
    tjFree(image.data);
}

static void a_good_jpeg_after_any_broken_one_is_read(void **state)
{
    (void)state;
    jpeg_image image = make_jpeg(WIDTH, HEIGHT);
    pov_libcamera_stream stream = stream_of("MJPEG", 0);
    pov_camera_pixels *pixels;
    assert_int_equal(pov_camera_pixels_new(&pixels, &stream).code, POV_OK);
    for (unsigned long len = 0; len < image.len - 2; len += 7) {
        const uint8_t *rgb;
        pov_libcamera_capture cut = capture_of(image.data, len), whole = capture_of(image.data, image.len);
        assert_int_equal(pov_camera_pixels_convert(pixels, &rgb, &cut).code, POV_SKIPPED);
        pov_status status = pov_camera_pixels_convert(pixels, &rgb, &whole);
        assert_string_equal(status.message, "");
        assert_close(rgb, image.rgb, sizeof image.rgb, 6);
    }
    pov_camera_pixels_destroy(&pixels);
    tjFree(image.data);
}

static void jpeg_with_padding_is_read(void **state)
{
    (void)state;
    jpeg_image image = make_jpeg(WIDTH, HEIGHT);
    uint8_t rgb[WIDTH * HEIGHT * 3];
    uint8_t *padded = calloc(1, image.len + 32);
    /* 16 zeros between the start of image and the next marker, and 16 after the end of image */
    memcpy(padded, image.data, 2);
    memcpy(padded + 18, image.data + 2, image.len - 2);
    pov_libcamera_stream stream = stream_of("MJPEG", 0);
    pov_libcamera_capture capture = capture_of(padded, image.len + 32);
    assert_int_equal(convert(rgb, &stream, &capture), POV_OK);
    assert_close(rgb, image.rgb, sizeof rgb, 6);
    free(padded);
    tjFree(image.data);
}

static void jpeg_of_another_size_is_skipped(void **state)
{
    (void)state;
    jpeg_image image = make_jpeg(WIDTH / 2, HEIGHT);
    uint8_t rgb[WIDTH * HEIGHT * 3];
    pov_libcamera_stream stream = stream_of("MJPEG", 0);
    pov_libcamera_capture capture = capture_of(image.data, image.len);
    assert_int_equal(convert(rgb, &stream, &capture), POV_SKIPPED);
    tjFree(image.data);
}

static void formats_that_cannot_be_read_are_not_known(void **state)
{
    (void)state;
    assert_true(pov_camera_pixels_knows("MJPEG"));
    assert_true(pov_camera_pixels_knows("R8"));
    assert_false(pov_camera_pixels_knows("SRGGB10_CSI2P"));
    assert_false(pov_camera_pixels_knows(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limited_range_yuyv_is_what_opencv_makes_of_it),
        cmocka_unit_test(limited_range_nv12_is_what_opencv_makes_of_it),
        cmocka_unit_test(orders_of_luma_and_chroma_are_as_their_names_tell),
        cmocka_unit_test(odd_widths_end_within_a_pair),
        cmocka_unit_test(full_range_nv12_is_what_libjpeg_turbo_makes_of_it),
        cmocka_unit_test(published_bar_codes_give_pure_colours),
        cmocka_unit_test(rgb_orders_are_as_drm_defines_them),
        cmocka_unit_test(padding_after_rows_is_left_out),
        cmocka_unit_test(data_too_short_is_skipped),
        cmocka_unit_test(jpeg_comes_back_as_it_was_drawn),
        cmocka_unit_test(jpeg_cut_anywhere_is_skipped),
        cmocka_unit_test(a_good_jpeg_after_any_broken_one_is_read),
        cmocka_unit_test(jpeg_with_padding_is_read),
        cmocka_unit_test(jpeg_of_another_size_is_skipped),
        cmocka_unit_test(formats_that_cannot_be_read_are_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
