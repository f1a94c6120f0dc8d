/* Messages of ROS 2 that come in: pixels against OpenCV's, numbers against bytes packed here by hand, and every cut. */
#include "perception/image/opencv_c.h"
#include "protocol/ros2/ros2_read.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { WIDTH = 34, HEIGHT = 22, GAP = 6, ROOM = 1 << 16 };

typedef struct {
    uint8_t bytes[ROOM];
    size_t len;
    bool is_big;
} packed;

static void put(packed *to, uint64_t value, size_t size)
{
    while ((to->len - 4) % size != 0)
        to->bytes[to->len++] = 0;
    for (size_t i = 0; i < size; i++)
        to->bytes[to->len++] = (uint8_t)(value >> 8 * (to->is_big ? size - 1 - i : i));
}

static void put_text(packed *to, const char *text)
{
    put(to, strlen(text) + 1, 4);
    memcpy(to->bytes + to->len, text, strlen(text) + 1);
    to->len += strlen(text) + 1;
}

static void begin(packed *to, bool is_big)
{
    *to = (packed){.bytes = {0, is_big ? 0 : 1}, .len = 4, .is_big = is_big};
    put(to, (uint32_t)-2, 4); /* two seconds before 1970, and five nanoseconds */
    put(to, 5, 4);
    put_text(to, "cam");
}

static void pack_image(packed *to, const char *encoding, const uint8_t *pixels, int bytes_per_px, bool is_big)
{
    const uint32_t row = (uint32_t)(WIDTH * bytes_per_px), step = row + GAP;
    begin(to, is_big);
    put(to, HEIGHT, 4);
    put(to, WIDTH, 4);
    put_text(to, encoding);
    put(to, 0, 1);
    put(to, step, 4);
    put(to, step * HEIGHT, 4);
    for (int y = 0; y < HEIGHT; y++, to->len += step)
        memcpy(to->bytes + to->len, pixels + (size_t)y * row, row);
}

static void fill(uint8_t *pixels, size_t len)
{
    for (size_t i = 0; i < len; i++)
        pixels[i] = (uint8_t)rand();
}

static void every_encoding_shows_what_opencv_shows(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int channels, code, margin, apart;
    } cases[] = {{"rgb8", 3, -1, 0, 0},
                 {"bgr8", 3, CV_BGR2RGB, 0, 0},
                 {"rgba8", 4, CV_RGBA2RGB, 0, 0},
                 {"bgra8", 4, CV_BGRA2RGB, 0, 0},
                 {"mono8", 1, CV_GRAY2RGB, 0, 0},
                 {"yuv422", 2, CV_YUV2RGB_UYVY, 0, 0},
                 {"yuv422_yuy2", 2, CV_YUV2RGB_YUY2, 0, 0},
                 {"bayer_rggb8", 1, CV_BayerBG2RGB, 1, 0}, /* OpenCV names the second row */
                 {"bayer_bggr8", 1, CV_BayerRG2RGB, 1, 0},
                 {"bayer_grbg8", 1, CV_BayerGB2RGB, 1, 0},
                 {"bayer_gbrg8", 1, CV_BayerGR2RGB, 1, 0}};
    for (size_t c = 0; c < 2 * sizeof cases / sizeof *cases; c++) {
        static uint8_t sent[4 * WIDTH * HEIGHT], wanted[3 * WIDTH * HEIGHT], got[3 * WIDTH * HEIGHT];
        static packed message;
        const size_t i = c / 2;
        pov_ros2_raw_image image;
        fill(sent, sizeof sent);
        memcpy(wanted, sent, sizeof wanted);
        CvMat from = cvMat(HEIGHT, WIDTH, CV_MAKETYPE(CV_8U, cases[i].channels), sent),
              to = cvMat(HEIGHT, WIDTH, CV_8UC3, wanted);
        if (cases[i].code >= 0)
            cvCvtColor(&from, &to, cases[i].code);
        pack_image(&message, cases[i].name, sent, cases[i].channels, c % 2);
        assert_int_equal(pov_ros2_read_image(&image, message.bytes, message.len).code, POV_OK);
        assert_true(image.header.stamp_ns == -2 * INT64_C(1000000000) + 5);
        assert_string_equal(image.header.frame, "cam");
        pov_ros2_image_to_rgb(got, &image);
        for (int y = cases[i].margin; y < HEIGHT - cases[i].margin; y++)
            for (int x = 3 * cases[i].margin; x < 3 * (WIDTH - cases[i].margin); x++)
                if (abs(got[y * 3 * WIDTH + x] - wanted[y * 3 * WIDTH + x]) > cases[i].apart)
                    fail_msg("%s: row %d, byte %d: %d, OpenCV has %d", cases[i].name, y, x,
                             got[y * 3 * WIDTH + x], wanted[y * 3 * WIDTH + x]);
    }
}

static void put_real(packed *to, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put(to, bits, 8);
}

static void pack_info(packed *to, uint32_t coefficients)
{
    begin(to, false);
    put(to, 480, 4);
    put(to, 640, 4);
    put_text(to, "rational_polynomial");
    put(to, coefficients, 4);
    for (uint32_t i = 0; i < coefficients; i++)
        put_real(to, 0.5 * i);
    for (int i = 0; i < 30; i++)
        put_real(to, 100 + i);
    for (uint32_t i = 0; i < 6; i++)
        put(to, i, 4);
    put(to, 1, 1);
}

static void a_camera_info_comes_out_as_it_was_packed(void **state)
{
    (void)state;
    static packed message;
    pov_ros2_camera_info info;
    pack_info(&message, 8);
    assert_int_equal(pov_ros2_read_camera_info(&info, message.bytes, message.len).code, POV_OK);
    assert_true(info.height_px == 480 && info.width_px == 640 && info.coefficient_len == 8);
    assert_string_equal(info.model, "rational_polynomial");
    assert_true(info.coefficients[7] == 3.5 && info.k[0] == 100 && info.k[8] == 108);
    assert_true(info.binning_x == 1 && info.binning_y == 1 && info.region_x_px == 2 && info.region_y_px == 3);
    assert_true(info.region_height_px == 4 && info.region_width_px == 5);
    pack_info(&message, 17);
    assert_int_equal(pov_ros2_read_camera_info(&info, message.bytes, message.len).code, POV_ERROR);
}

/* In a block of its own, so that a sanitizer sees each byte too many. */
static pov_code read_cut(const packed *message, size_t len, bool is_image)
{
    uint8_t *cut = malloc(len + 1);
    memcpy(cut, message->bytes, len);
    uint8_t *exact = realloc(cut, len ? len : 1);
    pov_ros2_raw_image image;
    pov_ros2_camera_info info;
    const pov_code code = is_image ? pov_ros2_read_image(&image, exact, len).code
                                   : pov_ros2_read_camera_info(&info, exact, len).code;
    free(exact);
    return code;
}

static void every_cut_is_an_error(void **state)
{
    (void)state;
    static uint8_t pixels[WIDTH * HEIGHT];
    static packed message;
    pack_image(&message, "mono8", pixels, 1, false);
    for (size_t len = 0; len < message.len; len++)
        assert_int_equal(read_cut(&message, len, true), POV_ERROR);
    assert_int_equal(read_cut(&message, message.len, true), POV_OK);
    pack_info(&message, 5);
    for (size_t len = 0; len < message.len; len++)
        assert_int_equal(read_cut(&message, len, false), POV_ERROR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_encoding_shows_what_opencv_shows),
                                       cmocka_unit_test(a_camera_info_comes_out_as_it_was_packed),
                                       cmocka_unit_test(every_cut_is_an_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
