#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "firmware/clock.h"
#include "firmware/recording/black_box.h"
#include "tests/support/folder.h"

#include <signal.h>
#include <stdlib.h>

enum { WIDTH = 64, HEIGHT = 48, STEP_MS = 10 };

static uint8_t pixels[3 * WIDTH * HEIGHT];
static test_path folder, station;

static int set_up(void **state)
{
    (void)state;
    folder = test_folder_new();
    station = test_file_new(&folder, "station.yaml", "about: x\n", 9);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    test_folder_remove(&folder);
    return 0;
}

static pov_recorder *begin(const char *name, const pov_record_config *config)
{
    pov_recorder *recorder;
    pov_record_config named = *config;
    const test_path path = test_path_in(&folder, name);
    const pov_record_session session = {.station = station.path, .source = "folder", .is_patient = true};
    snprintf(named.path, sizeof named.path, "%s", path.path);
    const pov_status status = pov_recorder_new(&recorder, &named, &session);
    assert_string_equal(status.message, "");
    return recorder;
}

/* A number for each, 100 a second. */
static void show_images(pov_recorder *recorder, uint32_t *sequence, int count)
{
    for (int i = 0; i < count; i++) {
        const pov_image image = {.pixels = pixels,
                                 .width_px = WIDTH,
                                 .height_px = HEIGHT,
                                 .stride_bytes = 3 * WIDTH,
                                 .sequence = (*sequence)++,
                                 .mid_exposure_ns = pov_clock_unix_ns(),
                                 .name = "x"};
        pov_recorder_image(recorder, &image);
        pov_recorder_message(recorder, POV_RECORDED_HEALTH, (const uint8_t *)"abc", 3);
        nanosleep(&(struct timespec){.tv_nsec = STEP_MS * 1000000}, NULL);
    }
}

typedef struct {
    uint32_t first, last, images;
    int64_t first_ns, last_ns, why_ns;
    int causes;
    char why[64];
} contents;

static contents read_all(const char *name)
{
    contents all = {.why = ""};
    pov_recording *recording;
    pov_recorded_event event;
    const char *because;
    const test_path path = test_path_in(&folder, name);
    const pov_status status = pov_recording_open(&recording, path.path);
    assert_string_equal(status.message, "");
    assert_true(pov_mcap_reader_contents(pov_recording_reader(recording))->is_indexed);
    assert_int_equal(pov_mcap_reader_contents(pov_recording_reader(recording))->attachment_len, 1);
    while (pov_recording_next(recording, &event).code == POV_OK) {
        if (event.topic == POV_RECORDED_IMAGE) {
            if (all.images++ == 0) {
                all.first = event.image.sequence;
                all.first_ns = event.message.log_ns;
            }
            assert_int_equal(event.image.sequence, all.first + all.images - 1);
            assert_in_range(event.message.log_ns - event.image.capture_ns, 0, 1000000000);
            all.last = event.image.sequence;
            all.last_ns = event.message.log_ns;
        }
        if (event.topic == POV_RECORDED_LOG && all.causes++ == 0) {
            all.why_ns = event.message.log_ns;
            snprintf(all.why, sizeof all.why, "%s", event.text);
        }
    }
    assert_int_equal(
        pov_mcap_reader_metadata(pov_recording_reader(recording), &because, POV_RECORDING_SESSION, "because")
            .code,
        POV_OK);
    assert_string_equal(because, all.why);
    pov_recording_close(&recording);
    return all;
}

static bool is_there(const char *name)
{
    const test_path path = test_path_in(&folder, name);
    return access(path.path, F_OK) == 0;
}

static void the_seconds_around_a_cause_are_written_and_no_others(void **state)
{
    (void)state;
    pov_record_config config = POV_RECORD_DEFAULT;
    pov_record_statistics all;
    uint32_t sequence = 0;
    config.when[POV_RECORD_KEY] = true;
    config.before_s = 0.3;
    config.after_s = 0.2;
    pov_recorder *recorder = begin("box.mcap", &config);
    show_images(recorder, &sequence, 80);
    assert_false(is_there("box.mcap"));
    pov_recorder_keep(recorder, "the first");
    show_images(recorder, &sequence, 120);
    pov_recorder_keep(recorder, "the second");
    pov_recorder_keep(recorder, "once more");
    show_images(recorder, &sequence, 1);
    assert_int_equal(pov_recorder_end(&recorder, &all).code, POV_OK);
    assert_int_equal(all.files, 2);
    const contents first = read_all("box.mcap"), second = read_all("box_001.mcap");
    assert_string_equal(first.why, "the first");
    assert_string_equal(second.why, "the second");
    assert_int_equal(first.causes, 1);
    assert_int_equal(second.causes, 2);
    /* images are 10 ms and a little apart */
    assert_in_range(first.why_ns - first.first_ns, 250000000, 300000000);
    assert_in_range(first.last_ns - first.why_ns, 150000000, 200000000);
    assert_in_range(second.why_ns - second.first_ns, 250000000, 300000000);
    assert_true(second.last == sequence - 1 && second.last_ns > second.why_ns);
    assert_int_equal(all.images, first.images + second.images);
    assert_int_equal(all.images_lost + all.messages_lost, 0);
}

/* Longer than before_s is not needed: the ring is full first. */
static void memory_bounds_what_is_kept(void **state)
{
    (void)state;
    pov_record_config config = POV_RECORD_DEFAULT;
    static uint8_t coded[10000];
    config.when[POV_RECORD_KEY] = true;
    config.memory_mb = 1;
    pov_recorder *recorder = begin("small.mcap", &config);
    for (uint32_t i = 0; i < 300; i++) {
        const pov_image image = {.coded = coded,
                                 .coded_len = sizeof coded,
                                 .width_px = WIDTH,
                                 .height_px = HEIGHT,
                                 .sequence = i,
                                 .mid_exposure_ns = pov_clock_unix_ns(),
                                 .name = "x"};
        pov_recorder_image(recorder, &image);
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
    pov_recorder_keep(recorder, "now");
    assert_int_equal(pov_recorder_end(&recorder, NULL).code, POV_OK);
    const contents all = read_all("small.mcap");
    assert_int_equal(all.last, 299);
    assert_in_range(all.images, 95, 104); /* of 10 kB and a head in 1 MiB */
}

static void without_a_cause_there_is_no_file(void **state)
{
    (void)state;
    pov_record_config config = POV_RECORD_DEFAULT;
    uint32_t sequence = 0;
    config.when[POV_RECORD_LOST] = true;
    pov_recorder *recorder = begin("none.mcap", &config);
    show_images(recorder, &sequence, 5);
    assert_int_equal(pov_recorder_end(&recorder, NULL).code, POV_OK);
    assert_false(is_there("none.mcap"));
}

/* ---- causes ---- */

static void what_is_lost_is_a_cause_once(void **state)
{
    (void)state;
    pov_record_config config = POV_RECORD_DEFAULT;
    pov_black_box *box;
    pov_observation *seen = calloc(1, sizeof *seen);
    assert_non_null(seen);
    config.when[POV_RECORD_LOST] = true;
    pov_recorder *recorder = begin("lost.mcap", &config);
    assert_int_equal(pov_black_box_new(&box, recorder).code, POV_OK);
    assert_non_null(box);
    seen->image.pose_source = POV_POSE_UNKNOWN;
    assert_null(pov_black_box_look(box, seen, 0)); /* it never was known */
    seen->image.pose_source = POV_POSE_FROM_TAGS;
    seen->scene.len = 2;
    seen->scene.entities[0] = pov_entity_named("mug", "mug");
    seen->scene.entities[1] = pov_entity_named("cup", "cup");
    seen->scene.entities[0].track.tracked = seen->scene.entities[1].track.tracked = true;
    assert_null(pov_black_box_look(box, seen, 0));
    seen->image.pose_source = POV_POSE_UNKNOWN;
    assert_null(pov_black_box_look(box, seen, 1)); /* another camera, whose pose never was known */
    seen->image.pose_source = POV_POSE_FROM_TAGS;
    seen->scene.entities[1].track.lost = true;
    assert_string_equal(pov_black_box_look(box, seen, 0), "lost: cup");
    assert_null(pov_black_box_look(box, seen, 0));
    seen->scene.entities[0].track.lost = true;
    assert_string_equal(pov_black_box_look(box, seen, 0), "lost: mug");
    seen->scene.entities[1].track.lost = false;
    assert_null(pov_black_box_look(box, seen, 0));
    seen->scene.entities[1].track.lost = true;
    seen->image.pose_source = POV_POSE_UNKNOWN;
    assert_string_equal(pov_black_box_look(box, seen, 0), "lost: the camera's pose, cup");
    assert_null(pov_black_box_note(box, POV_RECORD_MOVED_TAG, "not asked for"));
    assert_null(pov_black_box_hear(box));
    pov_black_box_destroy(&box);
    assert_int_equal(pov_recorder_end(&recorder, NULL).code, POV_OK);
    assert_int_equal(read_all("lost.mcap").causes, 3);
    free(seen);
}

static void a_signal_is_a_key(void **state)
{
    (void)state;
    pov_record_config config = POV_RECORD_DEFAULT;
    pov_black_box *box;
    config.when[POV_RECORD_KEY] = true;
    pov_recorder *recorder = begin("signal.mcap", &config);
    assert_int_equal(pov_black_box_new(&box, recorder).code, POV_OK);
    assert_null(pov_black_box_hear(box));
    raise(SIGUSR1);
    assert_non_null(pov_black_box_hear(box));
    assert_null(pov_black_box_hear(box));
    pov_black_box_destroy(&box);
    assert_int_equal(pov_recorder_end(&recorder, NULL).code, POV_OK);
}

static void a_plain_recording_has_no_black_box(void **state)
{
    (void)state;
    const pov_record_config config = POV_RECORD_DEFAULT;
    pov_black_box *box;
    pov_recorder *recorder = begin("plain.mcap", &config);
    assert_int_equal(pov_black_box_new(&box, recorder).code, POV_OK);
    assert_null(box);
    pov_recorder_keep(recorder, "nothing");
    assert_int_equal(pov_recorder_end(&recorder, NULL).code, POV_OK);
    assert_int_equal(pov_black_box_new(&box, NULL).code, POV_OK);
    assert_null(box);
    assert_null(pov_black_box_note(box, POV_RECORD_KEY, "x"));
    assert_null(pov_black_box_hear(box));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_seconds_around_a_cause_are_written_and_no_others),
        cmocka_unit_test(memory_bounds_what_is_kept),
        cmocka_unit_test(without_a_cause_there_is_no_file),
        cmocka_unit_test(what_is_lost_is_a_cause_once),
        cmocka_unit_test(a_signal_is_a_key),
        cmocka_unit_test(a_plain_recording_has_no_black_box),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
