/* Messages of ROS 2 that come in: pixels against OpenCV's, numbers against bytes packed here by hand, and every cut. */
#include "perception/image/opencv_c.h"
#include "protocol/ros2/ros2_read.h"

#include <math.h>
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

static void put_pose(packed *to, const double at[7])
{
    for (int i = 0; i < 7; i++)
        put_real(to, at[i]);
}

static const double quarter[7] = {1, 2, 3, 0, 0, M_SQRT1_2, M_SQRT1_2}; /* by 90 degrees about z */

static void assert_quarter(const pov_transform *T)
{
    const double wanted[3][3] = {{0, -1, 0}, {1, 0, 0}, {0, 0, 1}};
    for (int i = 0; i < 9; i++)
        assert_true(fabs(T->R.m[i / 3][i % 3] - wanted[i / 3][i % 3]) < 1e-12);
    assert_true(T->t_m.x == 1 && T->t_m.y == 2 && T->t_m.z == 3);
}

static void count_transform(void *context, const pov_ros2_transform *told)
{
    int *count = context;
    const char *children[] = {"hand", "finger"};
    assert_string_equal(told->header.frame, "cam");
    assert_string_equal(told->child, children[*count]);
    assert_true(told->header.stamp_ns == -1999999995);
    assert_true(told->is_valid == (*count == 0));
    if (told->is_valid)
        assert_quarter(&told->T_parent_child);
    ++*count;
}

static void pack_transforms(packed *to, bool is_big)
{
    const double no_quaternion[7] = {1, 2, 3, 0, 0, 0, 0.5};
    *to = (packed){.bytes = {0, is_big ? 0 : 1}, .len = 4, .is_big = is_big};
    put(to, 2, 4);
    for (int i = 0; i < 2; i++) {
        put(to, (uint32_t)-2, 4);
        put(to, 5, 4);
        put_text(to, "cam");
        put_text(to, i ? "finger" : "hand");
        put_pose(to, i ? no_quaternion : quarter);
    }
}

static void transforms_come_out_as_they_were_packed_and_others_are_marked(void **state)
{
    (void)state;
    static packed message;
    for (int is_big = 0; is_big < 2; is_big++) {
        int count = 0;
        pack_transforms(&message, is_big);
        assert_int_equal(pov_ros2_read_transforms(count_transform, &count, message.bytes, message.len).code,
                         POV_OK);
        assert_int_equal(count, 2);
        for (size_t len = 0; len < message.len; len++) {
            count = 0; /* a damaged message tells of nothing, not even of its beginning */
            assert_int_equal(pov_ros2_read_transforms(count_transform, &count, message.bytes, len).code,
                             POV_ERROR);
            assert_int_equal(count, 0);
        }
    }
}

static void a_pose_comes_out_as_it_was_packed(void **state)
{
    (void)state;
    static packed message;
    pov_ros2_pose pose;
    begin(&message, true);
    put_pose(&message, quarter);
    assert_int_equal(pov_ros2_read_pose(&pose, message.bytes, message.len).code, POV_OK);
    assert_quarter(&pose.T_frame_pose);
    assert_int_equal(pov_ros2_read_pose(&pose, message.bytes, message.len - 1).code, POV_ERROR);
    begin(&message, false);
    put_pose(&message, (const double[7]){NAN, 0, 0, 0, 0, 0, 1});
    assert_int_equal(pov_ros2_read_pose(&pose, message.bytes, message.len).code, POV_ERROR);
}

static void check_detection(void *context, const pov_ros2_detection *found)
{
    ++*(int *)context;
    assert_string_equal(found->header.frame, "cam"); /* the array's */
    assert_string_equal(found->class_id, "cup");     /* the likeliest */
    assert_string_equal(found->id, "7");
    assert_true(found->score == 0.75 && found->has_cov && found->is_valid && found->size_m.z == 0.3);
    /* ROS has the position first, we the rotation: 1 to 6 are variances of x, y, z and about x, y, z */
    for (int i = 0; i < 6; i++)
        assert_true(found->cov[i][i] == (i + 3) % 6 + 1);
    assert_quarter(&found->T_frame_box);
}

static void a_detection_is_its_likeliest_hypothesis_with_its_covariance(void **state)
{
    (void)state;
    static packed message;
    int count = 0;
    begin(&message, false);
    put(&message, 1, 4);
    put(&message, 0, 4);
    put(&message, 0, 4);
    put_text(&message, "");
    put(&message, 2, 4);
    for (int k = 0; k < 2; k++) {
        put_text(&message, k ? "cup" : "plate");
        put_real(&message, k ? 0.75 : 0.25);
        put_pose(&message, quarter);
        for (int i = 0; i < 36; i++)
            put_real(&message, k && i % 7 == 0 ? i / 7 + 1 : 0);
    }
    put_pose(&message, quarter);
    for (int i = 1; i < 4; i++)
        put_real(&message, i / 10.0);
    put_text(&message, "7");
    assert_int_equal(pov_ros2_read_detections(check_detection, &count, message.bytes, message.len).code,
                     POV_OK);
    assert_int_equal(count, 1);
    for (size_t len = 0; len < message.len; len++)
        assert_int_equal(pov_ros2_read_detections(check_detection, &count, message.bytes, len).code,
                         POV_ERROR);
}

static void a_typed_request_becomes_one_in_json(void **state)
{
    (void)state;
    static packed message;
    message = (packed){.bytes = {0, 1}, .len = 4};
    put_text(&message, "say \"cup\"");
    put_text(&message, "anna");
    put_text(&message, "");
    put(&message, 1, 1);
    char *text = pov_ros2_read_ask(message.bytes, message.len);
    assert_string_equal(text, "{\"utterance\":\"say \\\"cup\\\"\",\"speaker\":\"anna\",\"forget\":true}");
    free(text);
    for (size_t len = 0; len < message.len; len++)
        assert_null(pov_ros2_read_ask(message.bytes, len));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_encoding_shows_what_opencv_shows),
        cmocka_unit_test(a_camera_info_comes_out_as_it_was_packed),
        cmocka_unit_test(every_cut_is_an_error),
        cmocka_unit_test(transforms_come_out_as_they_were_packed_and_others_are_marked),
        cmocka_unit_test(a_pose_comes_out_as_it_was_packed),
        cmocka_unit_test(a_detection_is_its_likeliest_hypothesis_with_its_covariance),
        cmocka_unit_test(a_typed_request_becomes_one_in_json)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
