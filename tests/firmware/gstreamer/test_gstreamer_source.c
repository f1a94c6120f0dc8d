/* Films and pipelines that GStreamer itself makes. Oracle: each image spells its own number, in blocks that are 20 pixels wide, and its
 * time is the one that the film was given; what phones write into a film's header is written there byte by byte. */
#include "firmware/gstreamer/gstreamer_source.h"

#include <gst/app/gstappsrc.h>
#include <gst/gst.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/support/folder.h"

enum { WIDTH = 160, HEIGHT = 96, BLOCK = 20, BITS = 8, TIMEOUT_MS = 60000, IMAGE_MAX = 64 };
static const int64_t NS_PER_S = 1000000000;

/* As phones take them: now and then one is late or missing. */
static const int variable_ms[] = {0, 33, 67, 200, 233, 300, 1000, 1017, 1500, 2500};
enum { VARIABLE_LEN = sizeof variable_ms / sizeof *variable_ms };

static test_path folder;
static char film[TEST_PATH_CAPACITY];
static pov_image_source *source;

static int set_up(void **state)
{
    (void)state;
    folder = test_folder_new();
    snprintf(film, sizeof film, "%s", test_path_in(&folder, "film").path);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    pov_image_source_destroy(&source);
    unsetenv("POV_GSTREAMER_ALLOW");
    test_folder_remove(&folder);
    return 0;
}

static void need_element(const char *name)
{
    if (!pov_gstreamer_has(name)) {
        print_message("skipped: no element %s here: %s\n", name, pov_gstreamer_package(name));
        skip();
    }
}

/* ---- films ---- */

/* Above, the number's bits, white or black; below, red on the left and blue on the right. */
static void draw_number(uint8_t *rgb, unsigned number)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++, rgb += 3) {
            const bool bit = number >> (BITS - 1 - x / BLOCK) & 1, below = y >= HEIGHT / 2,
                       left = x < WIDTH / 2;
            rgb[0] = below ? 255 * left : 255 * bit;
            rgb[1] = below ? 0 : 255 * bit;
            rgb[2] = below ? 255 * !left : 255 * bit;
        }
}

static void push_images(GstAppSrc *in, const int *times_ms, int len)
{
    for (int i = 0; i < len; i++) {
        GstMapInfo map;
        GstBuffer *buffer = gst_buffer_new_allocate(NULL, 3 * WIDTH * HEIGHT, NULL);
        assert_true(gst_buffer_map(buffer, &map, GST_MAP_WRITE));
        draw_number(map.data, (unsigned)i);
        gst_buffer_unmap(buffer, &map);
        GST_BUFFER_PTS(buffer) = (GstClockTime)times_ms[i] * 1000000;
        const int until_ms = i + 1 < len ? times_ms[i + 1] : times_ms[i] + 33;
        GST_BUFFER_DURATION(buffer) = (GstClockTime)(until_ms - times_ms[i]) * 1000000;
        assert_int_equal(gst_app_src_push_buffer(in, buffer), GST_FLOW_OK);
    }
    gst_app_src_end_of_stream(in);
}

static void write_film(const char *coding, const int *times_ms, int len)
{
    char text[1024];
    snprintf(text, sizeof text,
             "appsrc name=in format=time caps=video/x-raw,format=RGB,width=%d,height=%d,framerate=0/1 ! "
             "videoconvert ! %s ! filesink location=%s",
             WIDTH, HEIGHT, coding, film);
    GstElement *pipeline = gst_parse_launch(text, NULL);
    assert_non_null(pipeline);
    GstElement *in = gst_bin_get_by_name(GST_BIN(pipeline), "in");
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    push_images(GST_APP_SRC(in), times_ms, len);
    GstBus *bus = gst_element_get_bus(pipeline);
    GstMessage *end =
        gst_bus_timed_pop_filtered(bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS | GST_MESSAGE_ERROR);
    assert_int_equal(GST_MESSAGE_TYPE(end), GST_MESSAGE_EOS);
    gst_message_unref(end);
    gst_element_set_state(pipeline, GST_STATE_NULL);
    gst_object_unref(bus);
    gst_object_unref(in);
    gst_object_unref(pipeline);
}

static const char *const mp4 = "x264enc tune=zerolatency key-int-max=4 ! mp4mux", *const webm =
                                                                                      "vp8enc ! webmmux";

static void write_mp4(void)
{
    need_element("x264enc");
    need_element("avdec_h264");
    write_film(mp4, variable_ms, VARIABLE_LEN);
}

static pov_status open_source(pov_gstreamer_kind kind, const char *text)
{
    pov_gstreamer_source_config config = {.kind = kind};
    snprintf(config.text, sizeof config.text, "%s", text);
    pov_image_source_destroy(&source);
    return pov_gstreamer_source_open(&source, &config);
}

static void open_or_fail(pov_gstreamer_kind kind, const char *text)
{
    const pov_status status = open_source(kind, text);
    if (status.code != POV_OK)
        fail_msg("%s", status.message);
}

static unsigned read_number(const pov_image *image)
{
    unsigned number = 0;
    for (int i = 0; i < BITS; i++)
        number = number << 1 |
                 (image->pixels[HEIGHT / 4 * image->stride_bytes + 3 * (i * BLOCK + BLOCK / 2)] > 127);
    return number;
}

/* Red and not blue there. */
static bool is_red(const pov_image *image, int x, int y)
{
    const uint8_t *rgb = image->pixels + y * image->stride_bytes + 3 * x;
    return rgb[0] > 150 && rgb[2] < 100;
}

static pov_image next_image(void)
{
    pov_image image;
    const pov_status status = pov_image_source_next(source, &image, TIMEOUT_MS);
    if (status.code != POV_OK)
        fail_msg("code %d %s", (int)status.code, status.message);
    return image;
}

/* Reads to the end: images [first, end) of the film's own. begun_ns -1: at any time. */
static void check_film(int first, int end, int64_t begun_ns)
{
    for (int i = first; i < end; i++) {
        const pov_image image = next_image();
        assert_int_equal(read_number(&image), i);
        assert_int_equal(image.sequence, i - first);
        if (begun_ns == -1)
            begun_ns = image.mid_exposure_ns - variable_ms[i] * INT64_C(1000000);
        assert_int_equal((image.mid_exposure_ns - begun_ns + 500000) / 1000000, variable_ms[i]);
        assert_string_equal(strncmp(image.name, "film ", 5) == 0 ? "film" : image.name, "film");
    }
    pov_image image;
    assert_int_equal(pov_image_source_next(source, &image, TIMEOUT_MS).code, POV_END);
    assert_int_equal(pov_image_source_next(source, &image, TIMEOUT_MS).code, POV_END);
    assert_int_equal(pov_image_source_statistics_of(source).delivered, end - first);
    assert_int_equal(pov_image_source_statistics_of(source).lost, 0);
}

static void a_films_images_all_come_at_their_own_variable_times(void **state)
{
    (void)state;
    need_element("vp8enc");
    write_film(webm, variable_ms, VARIABLE_LEN);
    open_or_fail(POV_GSTREAMER_FILM, film);
    check_film(0, VARIABLE_LEN, -1); /* it tells when it was made: now */
}

/* A box of the header: what follows its name. */
static uint8_t *find_box(uint8_t *bytes, size_t len, const char *name)
{
    for (size_t i = 0; i + 4 < len; i++)
        if (memcmp(bytes + i, name, 4) == 0)
            return bytes + i + 4;
    fail_msg("no box %s", name);
    return NULL;
}

static void put_32(uint8_t *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> (24 - 8 * i));
}

/* ISO 14496-12, 8.2.2 and 8.3.2: the date counts seconds since 1904; the matrix's first two rows, 16.16. */
static void change_header(bool turns, uint32_t since_1904_s)
{
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(film, "r+b");
    assert_non_null(file);
    const size_t len = fread(bytes, 1, sizeof bytes, file);
    uint8_t *matrix = find_box(bytes, len, "tkhd") + 40;
    if (turns) { /* a quarter clockwise, as a phone held upright says */
        memset(matrix, 0, 36);
        put_32(matrix + 4, 0x10000);
        put_32(matrix + 12, 0xffff0000);
        put_32(matrix + 24, HEIGHT << 16);
        put_32(matrix + 32, 0x40000000);
    }
    put_32(find_box(bytes, len, "mvhd") + 4, since_1904_s);
    rewind(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    fclose(file);
}

static void a_phones_film_begins_at_its_own_date(void **state)
{
    (void)state;
    write_mp4();
    change_header(false, 2082844800u + 1750000000u); /* the UNIX epoch is 66 years and 17 leap days later */
    open_or_fail(POV_GSTREAMER_FILM, film);
    check_film(0, VARIABLE_LEN, 1750000000 * NS_PER_S);
}

static void a_phones_film_is_turned_upright(void **state)
{
    (void)state;
    write_mp4();
    change_header(true, 0);
    open_or_fail(POV_GSTREAMER_FILM, film);
    const pov_image image = next_image();
    assert_int_equal(image.width_px, HEIGHT);
    assert_int_equal(image.height_px, WIDTH);
    assert_true(is_red(&image, HEIGHT / 4, BLOCK)); /* the lower left comes to the upper left */
    assert_false(is_red(&image, 3 * HEIGHT / 4, BLOCK));
    assert_false(is_red(&image, HEIGHT / 4, WIDTH - BLOCK));
}

static void a_part_of_a_film_begins_and_ends_where_it_is_told(void **state)
{
    (void)state;
    write_mp4();
    change_header(false, 2082844800u);
    pov_gstreamer_source_config config = {.kind = POV_GSTREAMER_FILM, .from_s = 0.22, .to_s = 1.01};
    snprintf(config.text, sizeof config.text, "%s", film);
    assert_int_equal(pov_gstreamer_source_open(&source, &config).code, POV_OK);
    pov_image image = next_image();
    if (read_number(&image) == 3) /* it is still seen at 0.22 s */
        image = next_image();
    for (int i = 4; i <= 6; i++) {
        assert_int_equal(read_number(&image), i);
        assert_int_equal((image.mid_exposure_ns + 500000) / 1000000, variable_ms[i]);
        if (i < 6)
            image = next_image();
    }
    assert_int_equal(pov_image_source_next(source, &image, TIMEOUT_MS).code, POV_END);
    pov_image_source_destroy(&source);
    config.from_s = 100;
    config.to_s = 0;
    const pov_status status = pov_gstreamer_source_open(&source, &config);
    assert_int_equal(status.code, POV_ERROR);
    assert_non_null(strstr(status.message, "nothing from 100.000 s on"));
}

static void cut_film(double share)
{
    FILE *file = fopen(film, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    const long len = ftell(file);
    fclose(file);
    assert_int_equal(truncate(film, (off_t)((double)len * share)), 0);
}

static void a_film_that_is_cut_short_gives_what_it_has_and_says_so(void **state)
{
    (void)state;
    int times_ms[IMAGE_MAX];
    for (int i = 0; i < IMAGE_MAX; i++)
        times_ms[i] = 100 * i;
    need_element("vp8enc");
    write_film("vp8enc keyframe-max-dist=4 ! matroskamux", times_ms, IMAGE_MAX);
    cut_film(0.5);
    open_or_fail(POV_GSTREAMER_FILM, film);
    pov_image image;
    pov_status status;
    unsigned len = 0;
    while ((status = pov_image_source_next(source, &image, TIMEOUT_MS)).code == POV_OK)
        assert_int_equal(read_number(&image), len++);
    assert_true(len > 5 && len < IMAGE_MAX - 5);
    assert_int_equal(status.code, POV_SKIPPED);
    assert_non_null(strstr(status.message, "cut short"));
    assert_int_equal(pov_image_source_next(source, &image, TIMEOUT_MS).code, POV_END);
}

static void a_file_that_is_no_film_or_lost_its_index_is_an_error_that_names_it(void **state)
{
    (void)state;
    const char *const wrong[] = {"/nowhere.mp4", "/etc/passwd", film};
    write_mp4();
    cut_film(0.6);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const pov_status status = open_source(POV_GSTREAMER_FILM, wrong[i]);
        assert_int_equal(status.code, POV_ERROR);
        assert_ptr_equal(strstr(status.message, wrong[i]), status.message);
    }
}

static void a_film_of_sound_alone_is_an_error(void **state)
{
    (void)state;
    char text[TEST_PATH_CAPACITY + 200];
    need_element("wavenc");
    snprintf(text, sizeof text, "audiotestsrc num-buffers=20 ! wavenc ! filesink location=%s", film);
    GstElement *pipeline = gst_parse_launch(text, NULL);
    gst_element_set_state(pipeline, GST_STATE_PLAYING);
    GstBus *bus = gst_element_get_bus(pipeline);
    gst_message_unref(gst_bus_timed_pop_filtered(bus, GST_CLOCK_TIME_NONE, GST_MESSAGE_EOS));
    gst_element_set_state(pipeline, GST_STATE_NULL);
    gst_object_unref(bus);
    gst_object_unref(pipeline);
    const pov_status status = open_source(POV_GSTREAMER_FILM, film);
    assert_int_equal(status.code, POV_ERROR);
    assert_ptr_equal(strstr(status.message, film), status.message);
}

/* ---- cameras ---- */

static int64_t unix_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static void a_live_pipelines_images_have_times_of_this_machines_clock(void **state)
{
    (void)state;
    const int64_t before_ns = unix_ns();
    open_or_fail(POV_GSTREAMER_PIPELINE,
                 "videotestsrc is-live=true ! video/x-raw,width=64,height=48,framerate=50/1");
    int64_t first_ns = 0;
    for (int i = 0; i < 10; i++) {
        const pov_image image = next_image();
        const pov_image_source_statistics statistics = pov_image_source_statistics_of(source);
        first_ns = i == 0 ? image.mid_exposure_ns : first_ns;
        assert_int_equal(statistics.delivered + statistics.lost, image.sequence + 1);
        assert_true(image.mid_exposure_ns >= before_ns && image.mid_exposure_ns <= unix_ns());
        /* periods of 20 ms, by number; two clocks are read one after the other */
        const int64_t off_ns = image.mid_exposure_ns - first_ns - (int64_t)image.sequence * 20000000;
        assert_true(llabs(off_ns) < 1000000 || statistics.lost > 0);
    }
}

static void images_that_nobody_takes_in_time_are_lost_and_counted(void **state)
{
    (void)state;
    open_or_fail(POV_GSTREAMER_PIPELINE, "videotestsrc is-live=true");
    pov_image_source_statistics statistics = {0};
    while (statistics.lost == 0) {
        usleep(100000);
        const pov_image image = next_image();
        statistics = pov_image_source_statistics_of(source);
        assert_int_equal(statistics.delivered + statistics.lost, image.sequence + 1);
    }
}

static void a_pipeline_that_ends_is_begun_again(void **state)
{
    (void)state;
    open_or_fail(POV_GSTREAMER_PIPELINE, "videotestsrc num-buffers=2");
    pov_image image;
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(next_image().sequence, i);
    pov_status status = pov_image_source_next(source, &image, TIMEOUT_MS);
    assert_int_equal(status.code, POV_SKIPPED);
    assert_non_null(strstr(status.message, "waiting for it to come back"));
    status = pov_image_source_next(source, &image, TIMEOUT_MS);
    assert_int_equal(status.code, POV_SKIPPED);
    assert_string_equal(status.message, "camera videotestsrc is back");
    assert_int_equal(next_image().sequence, 2);
    assert_int_equal(pov_image_source_statistics_of(source).reconnects, 1);
}

static void the_wanted_size_is_negotiated_where_there_is_a_choice(void **state)
{
    (void)state;
    const char *const texts[] = {"videotestsrc", "videotestsrc ! video/x-raw,width=64,height=48"};
    const int widths[] = {200, 64};
    for (int i = 0; i < 2; i++) {
        pov_gstreamer_source_config config = {.width_px = 200, .height_px = 100};
        snprintf(config.text, sizeof config.text, "%s", texts[i]);
        assert_int_equal(pov_gstreamer_source_open(&source, &config).code, POV_OK);
        assert_int_equal(next_image().width_px, widths[i]);
        pov_image_source_destroy(&source);
    }
}

static void colours_and_coded_images_come_as_rgb(void **state)
{
    (void)state;
    const char *const texts[] = {"video/x-raw,format=RGB",   "video/x-raw,format=BGRx",
                                 "video/x-raw,format=NV12",  "video/x-raw,format=YUY2",
                                 "video/x-raw,format=GRAY8", "jpegenc"};
    need_element("jpegenc");
    setenv("POV_GSTREAMER_ALLOW", "filesink, jpegenc", 1);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "videotestsrc pattern=red ! video/x-raw,width=90,height=50 ! videoconvert ! %s", texts[i]);
        open_or_fail(POV_GSTREAMER_PIPELINE, text);
        const pov_image image = next_image();
        assert_int_equal(image.width_px, 90);
        assert_true(strstr(texts[i], "GRAY8") || is_red(&image, 89, 49));
    }
}

static void what_is_wrong_with_a_pipeline_is_named(void **state)
{
    static const struct {
        const char *text, *told[3];
    } wrong[] = {{"videotestsrc ! nosuchthing", {"'nosuchthing'", "apt-get install", ""}},
                 {"nvarguscamerasrc_x ! identity", {"nvidia-l4t-gstreamer", "", ""}},
                 {"videotestsrc colour=red", {"colour", "videotestsrc", ""}},
                 {"videotestsrc ! (", {"pipeline", "", ""}},
                 {"", {"pipeline", "", ""}},
                 {"v4l2src device=/dev/nowhere", {"v4l2src", "/dev/nowhere", "No such file"}},
                 {"audiotestsrc", {"audiotestsrc", "", ""}},
                 {"videotestsrc ! filesink location=/tmp/nothing", {"'filesink'", "POV_GSTREAMER_ALLOW", ""}},
                 {"videotestsrc ! tee name=t t. ! queue ! tcpserversink t. ! queue",
                  {"'tcpserversink'", "docs/SECURITY.md", ""}},
                 {"tcpserversrc port=7 ! jpegdec", {"'tcpserversrc'", "listen", ""}},
                 {"uridecodebin uri=udp://0.0.0.0:5000", {"'uridecodebin'", "uri", ""}},
                 {"videotestsrc ! gdkpixbufoverlay location=/etc/hostname ! identity",
                  {"'gdkpixbufoverlay'", "location", ""}},
                 {"rtspsrc location=rtsp://anna:s3cret@127.0.0.1:1/x ! decodebin", {"rtspsrc", "", ""}}};
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const pov_status status = open_source(POV_GSTREAMER_PIPELINE, wrong[i].text);
        assert_int_equal(status.code, POV_ERROR);
        for (int k = 0; k < 3; k++)
            if (!strstr(status.message, wrong[i].told[k]))
                fail_msg("%s: %s", wrong[i].text, status.message);
        assert_null(strstr(status.message, "s3cret"));
    }
    assert_int_not_equal(access("/tmp/nothing", F_OK), 0);
}

static void listing_cameras_does_no_harm(void **state)
{
    (void)state;
    static pov_libcamera_list list;
    assert_int_equal(pov_gstreamer_list_cameras(&list).code, POV_OK);
}

int main(void)
{
    gst_init(NULL, NULL);
#define A_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        A_TEST(a_films_images_all_come_at_their_own_variable_times),
        A_TEST(a_phones_film_begins_at_its_own_date),
        A_TEST(a_phones_film_is_turned_upright),
        A_TEST(a_part_of_a_film_begins_and_ends_where_it_is_told),
        A_TEST(a_film_that_is_cut_short_gives_what_it_has_and_says_so),
        A_TEST(a_file_that_is_no_film_or_lost_its_index_is_an_error_that_names_it),
        A_TEST(a_film_of_sound_alone_is_an_error),
        A_TEST(a_live_pipelines_images_have_times_of_this_machines_clock),
        A_TEST(images_that_nobody_takes_in_time_are_lost_and_counted),
        A_TEST(a_pipeline_that_ends_is_begun_again),
        A_TEST(the_wanted_size_is_negotiated_where_there_is_a_choice),
        A_TEST(colours_and_coded_images_come_as_rgb),
        A_TEST(what_is_wrong_with_a_pipeline_is_named),
        A_TEST(listing_cameras_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
