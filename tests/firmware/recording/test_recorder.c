#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "firmware/clock.h"
#include "firmware/picture/image_file.h"
#include "firmware/recording/recorder.h"
#include "firmware/sources/folder_source.h"
#include "tests/support/folder.h"
#include "tests/support/random.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WIDTH = 640, HEIGHT = 480 };

/* The system's clock as the recorder sees it. */
static atomic_int clock_step_s;

int clock_gettime(clockid_t clock, struct timespec *now)
{
    const int failed = (int)syscall(SYS_clock_gettime, clock, now);
    if (!failed && clock == CLOCK_REALTIME)
        now->tv_sec += clock_step_s;
    return failed;
}

static uint8_t pixels[3 * WIDTH * HEIGHT];
static test_path folder;

static int set_up(void **state)
{
    (void)state;
    test_random random = {7};
    for (size_t i = 0; i < sizeof pixels; i++)
        pixels[i] = (uint8_t)test_random_u64(&random);
    folder = test_folder_new();
    test_file_new(&folder, "camera.yaml", "x: 1\n", 5);
    test_file_new(&folder, "key", "secret", 6);
    static const char station[] =
        "camera: {calibration: camera.yaml}\nabout: other.yaml\nvlm: {key_file: key}\n";
    test_file_new(&folder, "station.yaml", station, sizeof station - 1);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    test_folder_remove(&folder);
    return 0;
}

static pov_image image_of(int i)
{
    pixels[0] = (uint8_t)i;
    pov_image image = {.pixels = pixels,
                       .width_px = WIDTH,
                       .height_px = HEIGHT,
                       .stride_bytes = 3 * WIDTH,
                       .sequence = (uint32_t)i,
                       .mid_exposure_ns = INT64_C(1700000000123456789) + i};
    snprintf(image.name, sizeof image.name, "camera %d", i);
    return image;
}

static pov_recorder *begin_session(const char *name, pov_record_config config, bool is_patient)
{
    pov_recorder *recorder;
    static test_path station; /* the recorder borrows it to its end */
    const test_path path = test_path_in(&folder, name);
    station = test_path_in(&folder, "station.yaml");
    const pov_record_session session = {
        .station = station.path, .source = "folder", .is_patient = is_patient};
    snprintf(config.path, sizeof config.path, "%s", path.path);
    const pov_status status = pov_recorder_new(&recorder, &config, &session);
    assert_string_equal(status.message, "");
    return recorder;
}

static pov_recorder *begin(const char *name, pov_record_config config)
{
    return begin_session(name, config, false);
}

static pov_recording *open_recording(const char *name)
{
    pov_recording *recording;
    const test_path path = test_path_in(&folder, name);
    assert_int_equal(pov_recording_open(&recording, path.path).code, POV_OK);
    return recording;
}

/* PNGs of noise take far longer than the copies: most images cannot be recorded, all messages are. */
static void what_the_thread_cannot_write_in_time_costs_images_only(void **state)
{
    (void)state;
    enum { IMAGES = 100 };
    pov_record_config config = POV_RECORD_DEFAULT;
    pov_record_statistics all;
    char news[POV_MESSAGE_CAPACITY];
    config.jpeg_quality = 0;
    pov_recorder *recorder = begin("slow.mcap", config);
    const int64_t start_ns = pov_clock_monotonic_ns();
    for (int i = 0; i < IMAGES; i++) {
        const pov_image image = image_of(i);
        pov_recorder_image(recorder, &image);
        pov_recorder_message(recorder, POV_RECORDED_OBSERVATION, (const uint8_t *)"abc", 3);
    }
    const double took_s = 1e-9 * (double)(pov_clock_monotonic_ns() - start_ns);
    assert_true(pov_recorder_news(recorder, news));
    assert_non_null(strstr(news, "too slow"));
    assert_false(pov_recorder_news(recorder, news));
    const pov_status status = pov_recorder_end(&recorder, &all);
    assert_int_equal(status.code, POV_ERROR);
    assert_non_null(strstr(status.message, "not in the recording"));
    assert_int_equal(all.images + all.images_lost, IMAGES);
    assert_true(all.images_lost > 20 && all.images >= 8);
    assert_int_equal(all.messages_lost, 0);
    assert_int_equal(all.messages, IMAGES + 2 * all.images);
    assert_true(took_s < 10); /* writing them all takes longer, also on a busy machine */
}

static void a_patient_caller_loses_none(void **state)
{
    (void)state;
    enum { IMAGES = 20 };
    pov_record_config config = POV_RECORD_DEFAULT;
    pov_record_statistics all;
    config.jpeg_quality = 0;
    pov_recorder *recorder = begin_session("patient.mcap", config, true);
    for (int i = 0; i < IMAGES; i++) {
        const pov_image image = image_of(i);
        pov_recorder_image(recorder, &image);
    }
    assert_int_equal(pov_recorder_end(&recorder, &all).code, POV_OK);
    assert_int_equal(all.images, IMAGES);
}

static void pixels_come_back_as_they_were(void **state)
{
    (void)state;
    pov_record_config config = POV_RECORD_DEFAULT;
    config.jpeg_quality = 0;
    pov_recorder *recorder = begin("exact.mcap", config);
    for (int i = 0; i < 3; i++) {
        const pov_image image = image_of(i);
        pov_recorder_image(recorder, &image);
    }
    assert_int_equal(pov_recorder_end(&recorder, NULL).code, POV_OK);
    const test_path path = test_path_in(&folder, "exact.mcap");
    const pov_folder_source_config source_config = {.path = path.path};
    pov_image_source *source;
    assert_int_equal(pov_folder_source_new(&source, &source_config).code, POV_OK);
    assert_int_equal(pov_image_source_statistics_of(source).expected, 3);
    for (int i = 0; i < 3; i++) {
        pov_image got;
        const pov_image wanted = image_of(i);
        assert_int_equal(pov_image_source_next(source, &got, 0).code, POV_OK);
        assert_string_equal(got.name, wanted.name);
        assert_int_equal(got.sequence, wanted.sequence);
        assert_int_equal(got.mid_exposure_ns, wanted.mid_exposure_ns);
        assert_int_equal(got.width_px, WIDTH);
        for (int y = 0; y < HEIGHT; y++)
            assert_memory_equal(got.pixels + (ptrdiff_t)y * got.stride_bytes, pixels + 3 * WIDTH * y,
                                3 * WIDTH);
    }
    pov_image got;
    assert_int_equal(pov_image_source_next(source, &got, 0).code, POV_END);
    pov_image_source_destroy(&source);
}

static void the_file_of_an_image_is_kept_as_it_came(void **state)
{
    (void)state;
    static const uint8_t coded[] = "\xFF\xD8\xFF a JPEG that nobody opens";
    const pov_record_config config = POV_RECORD_DEFAULT;
    pov_recorder *recorder = begin("coded.mcap", config);
    pov_image image = image_of(5);
    image.coded = coded;
    image.coded_len = sizeof coded;
    pov_recorder_image(recorder, &image);
    assert_int_equal(pov_recorder_end(&recorder, NULL).code, POV_OK);
    pov_recording *recording = open_recording("coded.mcap");
    pov_recorded_event event;
    do
        assert_int_equal(pov_recording_next(recording, &event).code, POV_OK);
    while (event.topic != POV_RECORDED_IMAGE);
    assert_int_equal(event.image.len, sizeof coded);
    assert_memory_equal(event.image.bytes, coded, sizeof coded);
    pov_recording_close(&recording);
}

static void an_image_like_the_last_is_left_out_if_asked(void **state)
{
    (void)state;
    pov_record_config config = POV_RECORD_DEFAULT;
    pov_record_statistics all;
    config.images = POV_RECORD_CHANGED;
    pov_recorder *recorder = begin("changed.mcap", config);
    memset(pixels, 100, sizeof pixels);
    for (int i = 0; i < 6; i++) {
        if (i == 3)
            for (int y = 100; y < 140; y++)
                memset(pixels + 3 * (WIDTH * y + 200), 160, 3 * 40);
        const pov_image image = image_of(i);
        pov_recorder_image(recorder, &image);
    }
    assert_int_equal(pov_recorder_end(&recorder, &all).code, POV_OK);
    assert_int_equal(all.images, 2);
}

static void the_stations_files_are_attached_but_no_keys(void **state)
{
    (void)state;
    const pov_record_config config = POV_RECORD_DEFAULT;
    pov_recorder *recorder = begin("files.mcap", config);
    pov_recorder_log(recorder, "warning", "the lamp is out");
    assert_int_equal(pov_recorder_end(&recorder, NULL).code, POV_OK);
    pov_recording *recording = open_recording("files.mcap");
    const pov_mcap_contents *contents = pov_mcap_reader_contents(pov_recording_reader(recording));
    assert_int_equal(contents->attachment_len, 2);
    assert_string_equal(contents->attachments[0].name, "station.yaml");
    assert_string_equal(contents->attachments[1].name, "camera.yaml");
    pov_mcap_attachment attachment;
    assert_int_equal(pov_mcap_reader_attachment(pov_recording_reader(recording), &attachment, 1).code,
                     POV_OK);
    assert_memory_equal(attachment.bytes, "x: 1\n", 5);
    pov_recorded_event event;
    do
        assert_int_equal(pov_recording_next(recording, &event).code, POV_OK);
    while (event.topic != POV_RECORDED_LOG);
    assert_string_equal(event.text, "the lamp is out");
    assert_string_equal(event.severity, "warning");
    pov_recording_close(&recording);
}

/* ---- times, and what belongs together ---- */

static void record_observation(pov_recorder *recorder)
{
    pov_recorder_message(recorder, POV_RECORDED_OBSERVATION, (const uint8_t *)"abc", 3);
}

/* Images and observations of a file; each observation must follow its image. Out: the log time of the last message. */
static int count_pairs(int64_t *last_ns, const char *name)
{
    pov_recording *recording = open_recording(name);
    pov_recorded_event event;
    int images = 0, observations = 0;
    while (pov_recording_next(recording, &event).code == POV_OK) {
        assert_true(event.message.log_ns >= *last_ns);
        *last_ns = event.message.log_ns;
        images += event.topic == POV_RECORDED_IMAGE;
        observations += event.topic == POV_RECORDED_OBSERVATION;
        assert_true(observations <= images);
    }
    assert_int_equal(images, observations);
    pov_recording_close(&recording);
    return images;
}

static bool is_there(const char *name)
{
    const test_path path = test_path_in(&folder, name);
    return access(path.path, F_OK) == 0;
}

/* Each image is judged a second late, so that the file is brought to the disk, and found large, in between. */
static void a_split_parts_no_image_from_its_observation(void **state)
{
    (void)state;
    enum { IMAGES = 4 };
    static uint8_t coded[700000]; /* two of them are more than a file may have */
    pov_record_config config = POV_RECORD_DEFAULT;
    config.split_mb = 1;
    pov_recorder *recorder = begin("split.mcap", config);
    for (int i = 0; i < IMAGES; i++) {
        pov_image image = image_of(i);
        image.coded = coded;
        image.coded_len = sizeof coded;
        pov_recorder_image(recorder, &image);
        usleep(1200000);
        record_observation(recorder);
    }
    assert_int_equal(pov_recorder_end(&recorder, NULL).code, POV_OK);
    int64_t last_ns = 0;
    int pairs = count_pairs(&last_ns, "split.mcap"), files = 1;
    assert_true(is_there("split_001.mcap"));
    for (; files < IMAGES; files++) {
        char name[32];
        snprintf(name, sizeof name, "split_%03d.mcap", files);
        if (!is_there(name))
            break;
        pairs += count_pairs(&last_ns, name);
    }
    assert_int_equal(pairs, IMAGES);
}

static void a_black_box_keeps_no_observation_whose_image_is_too_old(void **state)
{
    (void)state;
    pov_record_config config = POV_RECORD_DEFAULT;
    config.when[POV_RECORD_KEY] = true;
    config.before_s = 1;
    config.after_s = 0.1;
    pov_recorder *recorder = begin("box.mcap", config);
    for (int i = 0; i < 2; i++) {
        const pov_image image = image_of(i);
        pov_recorder_image(recorder, &image);
        usleep(700000);
        record_observation(recorder);
    }
    pov_recorder_keep(recorder, "a test"); /* 1.4 s after the first image, 0.7 s after its observation */
    usleep(300000);
    assert_int_equal(pov_recorder_end(&recorder, NULL).code, POV_OK);
    int64_t last_ns = 0;
    assert_int_equal(count_pairs(&last_ns, "box.mcap"), 1);
}

static void times_go_on_when_the_clock_is_set_back(void **state)
{
    (void)state;
    enum { STEPS = 10, STEP_US = 50000 };
    const int64_t begin_ns = pov_clock_unix_ns();
    pov_recorder *recorder = begin("set_back.mcap", (pov_record_config)POV_RECORD_DEFAULT);
    for (int i = 0; i < STEPS; i++) {
        clock_step_s = i < STEPS / 2 ? 0 : -3600;
        pov_recorder_mark(recorder, "%d", i);
        usleep(STEP_US);
    }
    assert_int_equal(pov_recorder_end(&recorder, NULL).code, POV_OK);
    clock_step_s = 0;
    const int64_t end_ns = pov_clock_unix_ns();
    pov_recording *recording = open_recording("set_back.mcap");
    pov_recorded_event event;
    int64_t last_ns = begin_ns;
    while (pov_recording_next(recording, &event).code == POV_OK) {
        assert_true(event.message.log_ns >= last_ns && event.message.log_ns <= end_ns);
        if (event.topic == POV_RECORDED_MARKER && strcmp(event.text, "0") != 0)
            assert_true(event.message.log_ns >= last_ns + 900 * STEP_US); /* each later than the one before */
        last_ns = event.message.log_ns;
    }
    pov_recording_close(&recording);
}

static void a_recording_is_never_overwritten(void **state)
{
    (void)state;
    const test_path station = test_path_in(&folder, "station.yaml"),
                    path = test_path_in(&folder, "coded.mcap");
    const pov_record_session session = {.station = station.path, .source = "folder"};
    pov_record_config config = POV_RECORD_DEFAULT;
    pov_recorder *recorder;
    snprintf(config.path, sizeof config.path, "%s", path.path);
    const pov_status status = pov_recorder_new(&recorder, &config, &session);
    assert_int_equal(status.code, POV_ERROR);
    assert_non_null(strstr(status.message, "there is such a file"));
    assert_null(recorder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_thread_cannot_write_in_time_costs_images_only),
        cmocka_unit_test(a_patient_caller_loses_none),
        cmocka_unit_test(pixels_come_back_as_they_were),
        cmocka_unit_test(the_file_of_an_image_is_kept_as_it_came),
        cmocka_unit_test(an_image_like_the_last_is_left_out_if_asked),
        cmocka_unit_test(the_stations_files_are_attached_but_no_keys),
        cmocka_unit_test(a_split_parts_no_image_from_its_observation),
        cmocka_unit_test(a_black_box_keeps_no_observation_whose_image_is_too_old),
        cmocka_unit_test(times_go_on_when_the_clock_is_set_back),
        cmocka_unit_test(a_recording_is_never_overwritten),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
