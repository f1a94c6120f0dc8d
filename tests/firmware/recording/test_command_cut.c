/* `pov cut` of a recording whose observations came late: an image and what was judged of it are on one side of each cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "config/files/write_file.h"
#include "firmware/commands.h"
#include "protocol/observation/message.h"
#include "protocol/recording/recording.h"
#include "tests/support/folder.h"

#include <stdlib.h>
#include <string.h>

enum { IMAGES = 6, LATE = 2 };
static const int64_t begin_ns = INT64_C(1700000000000000000), second_ns = 1000000000;

static test_path folder;

static int set_up(void **state)
{
    (void)state;
    folder = test_folder_new();
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    test_folder_remove(&folder);
    return 0;
}

/* Images are captured each second. Image LATE is judged 0.9 s after it was recorded. */
static void write_recording(const char *path)
{
    pov_mcap_writer *writer;
    pov_recording_packer *packer;
    pov_codec *codec;
    const pov_mcap_writer_config config = POV_MCAP_WRITER_DEFAULT;
    pov_write_file file;
    pov_observation *observation = calloc(1, sizeof *observation);
    const pov_mcap_sink sink = {&file, pov_write_file_bytes};
    observation->scene.camera = POV_ID_NONE;
    assert_int_equal(pov_write_file_begin(&file, path).code, POV_OK);
    assert_int_equal(pov_mcap_writer_new(&writer, &sink, &config).code, POV_OK);
    assert_int_equal(pov_recording_packer_new(&packer).code, POV_OK);
    assert_int_equal(pov_codec_new(&codec).code, POV_OK);
    assert_int_equal(pov_recording_begin(writer, NULL, 0).code, POV_OK);
    for (int i = 0; i < IMAGES; i++) {
        const int64_t capture_ns = begin_ns + i * second_ns;
        const pov_recorded_image image = {
            .sequence = (uint32_t)i, .capture_ns = capture_ns, .bytes = (const uint8_t *)"x", .len = 1};
        pov_mcap_message message = {
            .sequence = (uint32_t)i, .log_ns = capture_ns + second_ns / 20, .publish_ns = capture_ns};
        assert_int_equal(pov_recording_pack_header(packer, &message, &image, &pov_recorded_only_camera).code,
                         POV_OK);
        assert_int_equal(pov_mcap_writer_message(writer, &message).code, POV_OK);
        assert_int_equal(pov_recording_pack_image(packer, &message, &image, &pov_recorded_only_camera).code,
                         POV_OK);
        assert_int_equal(pov_mcap_writer_message(writer, &message).code, POV_OK);
        observation->image = (pov_image_header){.sequence = (uint32_t)i,
                                                .capture_ns = capture_ns,
                                                .width_px = 4,
                                                .height_px = 4,
                                                .T_table_camera.T = pov_transform_identity()};
        strcpy(observation->image.name, "x.png");
        message.channel = POV_RECORDED_OBSERVATION + 1;
        message.log_ns += i == LATE ? 9 * second_ns / 10 : second_ns / 100;
        message.publish_ns = message.log_ns;
        assert_int_equal(pov_codec_encode_observation(codec, &message.bytes, &message.len, observation).code,
                         POV_OK);
        assert_int_equal(pov_mcap_writer_message(writer, &message).code, POV_OK);
    }
    assert_int_equal(pov_mcap_writer_end(writer).code, POV_OK);
    assert_int_equal(pov_write_file_end(&file, pov_ok()).code, POV_OK);
    pov_mcap_writer_destroy(&writer);
    pov_recording_packer_destroy(&packer);
    pov_codec_destroy(&codec);
    free(observation);
}

/* Both bits of an image's number: its image, its observation. */
static void read_recording(int held[IMAGES], const char *path)
{
    pov_recording *recording;
    pov_codec *codec;
    pov_message message = {.observation = calloc(1, sizeof *message.observation)};
    pov_recorded_event event;
    memset(held, 0, IMAGES * sizeof *held);
    assert_int_equal(pov_recording_open(&recording, path).code, POV_OK);
    assert_int_equal(pov_codec_new(&codec).code, POV_OK);
    while (pov_recording_next(recording, &event).code == POV_OK) {
        if (event.topic == POV_RECORDED_IMAGE)
            held[event.image.sequence] |= 1;
        if (event.topic != POV_RECORDED_OBSERVATION)
            continue;
        assert_int_equal(pov_codec_decode(codec, &message, event.message.bytes, event.message.len).code,
                         POV_OK);
        held[message.observation->image.sequence] |= 2;
    }
    free(message.observation);
    pov_codec_destroy(&codec);
    pov_recording_close(&recording);
}

static void check_cut(const char *option, const char *seconds, int first, int end)
{
    const test_path whole = test_path_in(&folder, "whole.mcap"), part = test_path_in(&folder, "part.mcap");
    int held[IMAGES];
    char *words[] = {(char *)"cut",  (char *)whole.path, (char *)part.path,
                     (char *)option, (char *)seconds,    NULL};
    assert_int_equal(pov_command_cut.run(5, words), 0);
    read_recording(held, part.path);
    for (int i = 0; i < IMAGES; i++)
        assert_int_equal(held[i], i >= first && i < end ? 3 : 0);
}

static void an_image_and_its_late_observation_stay_together(void **state)
{
    (void)state;
    const test_path whole = test_path_in(&folder, "whole.mcap");
    write_recording(whole.path);
    check_cut("--from", "2.5", LATE + 1, IMAGES); /* recorded at 2.0 s, judged at 2.9 s */
    check_cut("--to", "2.5", 0, LATE + 1);
    check_cut("--from", "2", LATE, IMAGES);
    check_cut("--to", "0", 0, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_image_and_its_late_observation_stay_together, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
