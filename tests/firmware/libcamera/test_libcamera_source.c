/* Against the virtual webcam of tests/virtual_camera (run it there); skipped elsewhere. POV_VIRTUAL_CAMERA
 * names the fifo that the webcam takes commands from, POV_VIRTUAL_CAMERA_ANSWERS the file of its answers. Oracle: the
 * pattern that the webcam draws. The machine may be slow: what is waited for is a picture or an answer, not a time. */
#include "firmware/cli.h"
#include "firmware/commands.h"
#include "firmware/libcamera/libcamera_source.h"
#include "tests/virtual_camera/pattern.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { CAPTURED = 60, TIMEOUT_MS = 120000 };
static const double PERIOD_S = 1.0 / 30;

static pov_image_source *source; /* a failed test must let go of it, or libcamera aborts in the next */

/* What the webcam says when it has done as it was told. */
typedef struct {
    char command[16];
    long long at_ns;
    unsigned drawn; /* pictures so far */
} webcam_answer;

/* How many answers there are, to one command or (NULL) to any, and the last of them. */
static int read_answers(webcam_answer *last, const char *command)
{
    FILE *answers = fopen(getenv("POV_VIRTUAL_CAMERA_ANSWERS"), "r");
    webcam_answer answer = {0};
    int len = 0;
    assert_non_null(answers);
    while (fscanf(answers, "%15s %lld %u\n", answer.command, &answer.at_ns, &answer.drawn) == 3)
        if (!command || strcmp(answer.command, command) == 0) {
            *last = answer;
            len++;
        }
    fclose(answers);
    return len;
}

/* One command, which is done when this returns. */
static webcam_answer tell_webcam(const char *command)
{
    webcam_answer answer = {0};
    const int before = read_answers(&answer, NULL);
    FILE *fifo = fopen(getenv("POV_VIRTUAL_CAMERA"), "w");
    assert_non_null(fifo);
    fprintf(fifo, "%s\n", command);
    fclose(fifo);
    for (int i = 0; i < TIMEOUT_MS / 10 && read_answers(&answer, NULL) == before; i++)
        usleep(10000);
    assert_int_equal(read_answers(&answer, NULL), before + 1);
    return answer;
}

static int release_camera(void **state)
{
    (void)state;
    pov_image_source_destroy(&source);
    tell_webcam("show -1");
    return 0;
}

/* When it was plugged in, at the latest. */
static double plugged_s(void)
{
    webcam_answer answer = {0};
    assert_true(read_answers(&answer, "plug") > 0);
    return (double)answer.at_ns * 1e-9;
}

static double realtime_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static double seconds(int64_t from_ns, int64_t to_ns)
{
    return (double)(to_ns - from_ns) * 1e-9;
}

static pov_libcamera_source_config config_of(const char *format, int width_px, int height_px)
{
    pov_libcamera_source_config config = POV_LIBCAMERA_SOURCE_CONFIG_DEFAULT;
    snprintf(config.pixel_format, sizeof config.pixel_format, "%s", format);
    config.width_px = width_px;
    config.height_px = height_px;
    return config;
}

static void open_camera(const pov_libcamera_source_config *config)
{
    pov_image_source_destroy(&source);
    pov_status status = pov_libcamera_source_open(&source, config);
    if (status.code != POV_OK)
        fail_msg("%s", status.message);
}

static void assert_block(const pov_image *image, int column, int row, int color, int tolerance)
{
    int x = (2 * column + 1) * image->width_px / (2 * PATTERN_COLUMNS);
    int y = (2 * row + 1) * image->height_px / (2 * PATTERN_ROWS);
    const uint8_t *rgb = image->pixels + y * image->stride_bytes + 3 * x;
    for (int i = 0; i < 3; i++)
        if (abs(rgb[i] - pattern_rgb[color][i]) > tolerance)
            fail_msg("%s: block (%d, %d) is %d %d %d", image->name, column, row, rgb[0], rgb[1], rgb[2]);
}

static unsigned read_number(const pov_image *image, int row)
{
    unsigned number = 0;
    for (int column = 0; column < PATTERN_BITS; column++) {
        int x = (2 * column + 1) * image->width_px / (2 * PATTERN_COLUMNS);
        int y = (2 * row + 1) * image->height_px / (2 * PATTERN_ROWS);
        number = number << 1 | (image->pixels[y * image->stride_bytes + 3 * x] > 127);
    }
    return number;
}

/* The whole picture is the pattern; returns the numbers it spells. */
static pattern_numbers read_pattern(const pov_image *image, int tolerance)
{
    pattern_numbers numbers;
    for (int row = 0; row < PATTERN_FIRST_COLOR_ROW; row++)
        numbers.rows[row] = read_number(image, row);
    for (int row = 0; row < PATTERN_ROWS; row++)
        for (int column = 0; column < PATTERN_COLUMNS; column++)
            assert_block(image, column, row, pattern_color(&numbers, column, row), tolerance);
    return numbers;
}

static pov_image next_image(void)
{
    pov_image image;
    pov_status status = pov_image_source_next(source, &image, TIMEOUT_MS);
    if (status.code != POV_OK)
        fail_msg("no image: code %d %s", (int)status.code, status.message);
    pov_image_source_statistics statistics = pov_image_source_statistics_of(source);
    assert_int_equal(statistics.delivered + statistics.lost, image.sequence + 1);
    return image;
}

/* The camera shows nothing more, and what it has shown is read: up to one more picture, the last. */
static void silence_camera(void)
{
    const unsigned last = tell_webcam("show 0").drawn & 0xffff;
    tell_webcam("show 1");
    for (;;) {
        const pov_image image = next_image();
        if (read_number(&image, PATTERN_ROW_COUNT) == last)
            return;
    }
}

static void the_webcam_is_listed_with_all_it_offers(void **state)
{
    (void)state;
    static pov_libcamera_list list;
    assert_int_equal(pov_libcamera_source_list(&list).code, POV_OK);
    assert_int_equal(list.len, 1);
    const pov_libcamera_camera *camera = &list.cameras[0];
    assert_non_null(strstr(camera->id, "1d6b:0104"));
    assert_string_equal(camera->model, "Simulated webcam");
    assert_string_equal(camera->location, "external");
    assert_int_equal(camera->mode_len, 3);
    assert_in_range((int)(camera->exposure_s.min * 1e6 + 0.5), 100, 100);
    assert_in_range((int)(camera->exposure_s.max * 1e6 + 0.5), 100000, 100000);
    assert_true(camera->gain.max > camera->gain.min);
    char name[] = "cameras", json[] = "--json", *argv[] = {name, json, NULL};
    assert_int_equal(pov_command_cameras.run(2, argv), POV_EXIT_OK);
    argv[1] = NULL;
    assert_int_equal(pov_command_cameras.run(1, argv), POV_EXIT_OK);
}

/* When the picture that spells this number was drawn, at the earliest. */
static double drawn_s(unsigned number)
{
    const double since_s = realtime_s() - plugged_s(), wrap_s = 65536 * PERIOD_S;
    return plugged_s() + number * PERIOD_S + wrap_s * floor((since_s - number * PERIOD_S) / wrap_s);
}

static void check_capture(const pov_libcamera_source_config *config, int count, int tolerance)
{
    double opened_s = realtime_s();
    open_camera(config);
    pov_image first = {0}, image = {0};
    unsigned first_number = 0, number = 0;
    for (int i = 0; i < count; i++) {
        pov_image before = image;
        unsigned number_before = number;
        image = next_image();
        assert_int_equal(image.width_px, config->width_px);
        assert_int_equal(image.height_px, config->height_px);
        number = read_pattern(&image, tolerance).rows[PATTERN_ROW_NUMBER];
        const double captured_s = seconds(0, image.mid_exposure_ns);
        assert_true(captured_s > opened_s && captured_s < realtime_s());
        assert_true(captured_s >
                    drawn_s(number)); /* with the line above: within the time that a picture takes here */
        if (i == 0) {
            first = image;
            first_number = number;
            continue;
        }
        if (image.mid_exposure_ns <= before.mid_exposure_ns || image.sequence <= before.sequence)
            fail_msg("image %d, sequence %u, picture %u, is from %.6f s before sequence %u, picture %u", i,
                     (unsigned)image.sequence, number, seconds(image.mid_exposure_ns, before.mid_exposure_ns),
                     (unsigned)before.sequence, number_before);
        assert_true((uint16_t)(number - number_before) >= image.sequence - before.sequence);
    }
    double pictures = (double)(uint16_t)(number - first_number);
    double duration_s = seconds(first.mid_exposure_ns, image.mid_exposure_ns);
    pov_image_source_statistics statistics = pov_image_source_statistics_of(source);
    printf("%s %dx%d: %d images, %.2f/s; %.0f pictures shown, %.3f ms each; %llu lost\n",
           config->pixel_format, image.width_px, image.height_px, count, (count - 1) / duration_s, pictures,
           duration_s / pictures * 1e3, (unsigned long long)statistics.lost);
    assert_int_equal(statistics.delivered, count);
}

static void raw_images_show_the_pattern_at_the_cameras_rate(void **state)
{
    (void)state;
    pov_libcamera_source_config large = config_of("YUYV", 640, 480), small = config_of("YUYV", 320, 240);
    check_capture(&large, CAPTURED, 3);
    check_capture(&small, CAPTURED / 4, 3);
}

static void jpeg_images_show_the_pattern_at_the_cameras_rate(void **state)
{
    (void)state;
    pov_libcamera_source_config config = config_of("MJPEG", 640, 480);
    check_capture(&config, CAPTURED / 3, 12);
}

static void what_the_camera_lacks_is_refused(void **state)
{
    (void)state;
    pov_libcamera_source_config wrong[4];
    for (int i = 0; i < 4; i++)
        wrong[i] = config_of("YUYV", 640, 480);
    wrong[0].width_px = 800;
    strcpy(wrong[1].pixel_format, "NV12");
    wrong[2].exposure_s = 1;
    strcpy(wrong[3].camera, "Kinect");
    for (int i = 0; i < 4; i++) {
        pov_status status = pov_libcamera_source_open(&source, &wrong[i]);
        assert_int_equal(status.code, POV_ERROR);
        assert_null(source);
        printf("refused: %s\n", status.message);
    }
}

/* A control reaches the camera some images after the start. */
static pattern_numbers settled_numbers(const pov_libcamera_source_config *config)
{
    open_camera(config);
    pattern_numbers numbers = {{0}};
    for (int i = 0; i < 15; i++) {
        pov_image image = next_image();
        numbers = read_pattern(&image, 3);
    }
    return numbers;
}

static void exposure_and_gain_reach_the_camera(void **state)
{
    (void)state;
    pov_libcamera_source_config config = config_of("YUYV", 640, 480);
    assert_int_equal(settled_numbers(&config).rows[PATTERN_ROW_EXPOSURE], 0);
    config.exposure_s = 0.005;
    config.gain = 2;
    pattern_numbers numbers = settled_numbers(&config);
    assert_int_equal(numbers.rows[PATTERN_ROW_EXPOSURE], 50);
    assert_in_range(numbers.rows[PATTERN_ROW_GAIN], 65, 254); /* libcamera's gain 1 is 64, the default */
    config.exposure_s = config.gain = 0;
    assert_int_equal(settled_numbers(&config).rows[PATTERN_ROW_EXPOSURE], 0);
}

static uint64_t lost_so_far(void)
{
    return pov_image_source_statistics_of(source).lost;
}

static void a_silent_camera_is_waited_for(void **state)
{
    (void)state;
    pov_libcamera_source_config config = config_of("YUYV", 320, 240);
    tell_webcam("show 0");
    open_camera(&config);
    pov_image image;
    assert_int_equal(pov_image_source_next(source, &image, 1000).code, POV_TIMEOUT);
    assert_null(image.pixels);
    tell_webcam("show 1");
    assert_int_equal(next_image().sequence, 0);
    assert_int_equal(pov_image_source_statistics_of(source).lost, 0);
}

static void damaged_images_count_as_lost(void **state)
{
    (void)state;
    pov_libcamera_source_config config = config_of("YUYV", 320, 240);
    open_camera(&config);
    next_image();
    silence_camera();
    uint64_t lost = lost_so_far();
    tell_webcam("spoil 5");
    tell_webcam("show 6");
    next_image();
    assert_int_equal(lost_so_far() - lost, 5);
}

static void a_slow_reader_gets_the_newest_images_and_a_count_of_the_lost(void **state)
{
    (void)state;
    pov_libcamera_source_config config = config_of("YUYV", 320, 240);
    open_camera(&config);
    next_image();
    silence_camera();
    uint64_t lost = lost_so_far();
    const webcam_answer told = tell_webcam("show 12");
    webcam_answer shown;
    do
        shown = tell_webcam("report");
    while (shown.drawn < told.drawn + 12);
    usleep((useconds_t)(10 * seconds(told.at_ns, shown.at_ns) *
                        1e6)); /* the last is on its way as long as others */
    next_image();
    next_image();
    pov_image image;
    assert_int_equal(pov_image_source_next(source, &image, 500).code, POV_TIMEOUT);
    assert_int_equal(lost_so_far() - lost, 10);
}

static pov_status next_news(void)
{
    pov_image image;
    pov_status status;
    do
        status = pov_image_source_next(source, &image, TIMEOUT_MS);
    while (status.code == POV_OK);
    return status;
}

static void expect_news(const char *words)
{
    pov_status news = next_news();
    printf("%s\n", news.message);
    assert_int_equal(news.code, POV_SKIPPED);
    assert_non_null(strstr(news.message, words));
}

static void an_unplugged_camera_comes_back(void **state)
{
    (void)state;
    pov_libcamera_source_config config = config_of("YUYV", 640, 480);
    open_camera(&config);
    for (uint64_t round = 1; round <= 3; round++) {
        for (int i = 0; i < 10; i++)
            next_image();
        tell_webcam("unplug");
        expect_news("unplugged");
        pov_image image;
        assert_int_equal(pov_image_source_next(source, &image, 700).code, POV_TIMEOUT);
        assert_int_equal(pov_image_source_next(source, &image, 0).code, POV_TIMEOUT);
        tell_webcam("plug");
        expect_news("is back");
        assert_int_equal(pov_image_source_statistics_of(source).reconnects, round);
    }
    pov_image image = next_image();
    read_pattern(&image, 3);
}

static void wait_for_camera(void)
{
    static pov_libcamera_list list;
    list.len = 0;
    for (int i = 0; i < TIMEOUT_MS / 100 && list.len == 0; i++) {
        usleep(100000);
        assert_int_equal(pov_libcamera_source_list(&list).code, POV_OK);
    }
    assert_int_equal(list.len, 1);
}

static void a_source_ends_cleanly_while_its_camera_is_away(void **state)
{
    (void)state;
    pov_libcamera_source_config config = config_of("YUYV", 640, 480);
    open_camera(&config);
    next_image();
    tell_webcam("unplug");
    expect_news("unplugged");
    pov_image_source_destroy(&source);
    assert_int_equal(pov_libcamera_source_open(&source, &config).code, POV_ERROR);
    tell_webcam("plug");
    wait_for_camera();
}

static void unplugging_that_nobody_reads_of_does_no_harm(void **state)
{
    (void)state;
    pov_libcamera_source_config config = config_of("YUYV", 640, 480);
    open_camera(&config);
    next_image();
    tell_webcam("unplug");
    sleep(1);
    pov_image_source_destroy(&source);
    tell_webcam("plug");
    wait_for_camera();
    open_camera(&config);
    next_image();
}

int main(void)
{
    const char *fifo = getenv("POV_VIRTUAL_CAMERA");
    if (!fifo) {
        puts("skipped: needs the virtual machine of tests/virtual_camera/run");
        return 77;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_webcam_is_listed_with_all_it_offers, release_camera),
        cmocka_unit_test_teardown(raw_images_show_the_pattern_at_the_cameras_rate, release_camera),
        cmocka_unit_test_teardown(jpeg_images_show_the_pattern_at_the_cameras_rate, release_camera),
        cmocka_unit_test_teardown(what_the_camera_lacks_is_refused, release_camera),
        cmocka_unit_test_teardown(exposure_and_gain_reach_the_camera, release_camera),
        cmocka_unit_test_teardown(a_silent_camera_is_waited_for, release_camera),
        cmocka_unit_test_teardown(damaged_images_count_as_lost, release_camera),
        cmocka_unit_test_teardown(a_slow_reader_gets_the_newest_images_and_a_count_of_the_lost,
                                  release_camera),
        cmocka_unit_test_teardown(an_unplugged_camera_comes_back, release_camera),
        cmocka_unit_test_teardown(a_source_ends_cleanly_while_its_camera_is_away, release_camera),
        cmocka_unit_test_teardown(unplugging_that_nobody_reads_of_does_no_harm, release_camera),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
