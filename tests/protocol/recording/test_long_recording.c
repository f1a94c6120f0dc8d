/* A recording of hours, as the recorder writes it: ten small images a second and what was judged of them, a flush each second. Time is simulated.
 * Environment: POV_LONG_RECORDING=HOURS:FILE writes so many hours there, and keeps the file; else 20 minutes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "firmware/clock.h"
#include "firmware/picture/jpeg_encoder.h"
#include "protocol/observation/message.h"
#include "protocol/recording/recording.h"
#include "tests/support/folder.h"

#include <stdlib.h>

enum { WIDTH = 64, HEIGHT = 48, IMAGES_HZ = 10 };
static const int64_t START_NS = INT64_C(1700000000000000000), STEP_NS = 1000000000 / IMAGES_HZ;
/* Opening reads the index alone, and seeking one chunk: neither grows with the images. Machines under load are slow. */
static const double AT_ONCE_S = 1.0;

static test_path folder;
static char path[TEST_PATH_CAPACITY];
static int image_len;

static pov_status append_file(void *context, const void *bytes, size_t len)
{
    return fwrite(bytes, 1, len, context) == len ? pov_ok() : pov_error("the disk is full");
}

typedef struct {
    pov_mcap_writer *writer;
    pov_recording_packer *packer;
    pov_codec *codec;
    pov_jpeg_encoder *jpeg;
    pov_observation *observation;
} writing;

static void write_message(const writing *w, pov_recorded topic, const uint8_t *bytes, size_t len,
                          int64_t at_ns)
{
    const pov_mcap_message message = {
        .channel = (uint16_t)(topic + 1), .log_ns = at_ns, .publish_ns = at_ns, .bytes = bytes, .len = len};
    assert_int_equal(pov_mcap_writer_message(w->writer, &message).code, POV_OK);
}

static void write_image(const writing *w, int i)
{
    static uint8_t pixels[3 * WIDTH * HEIGHT];
    for (size_t k = 0; k < sizeof pixels; k++)
        pixels[k] = (uint8_t)(k / 3 % WIDTH + (size_t)i);
    const int64_t at_ns = START_NS + i * STEP_NS;
    const pov_image image = {
        .pixels = pixels, .width_px = WIDTH, .height_px = HEIGHT, .stride_bytes = 3 * WIDTH};
    pov_recorded_image coded = {
        .sequence = (uint32_t)i, .capture_ns = at_ns, .width_px = WIDTH, .height_px = HEIGHT};
    pov_mcap_message message = {.log_ns = at_ns, .publish_ns = at_ns, .sequence = (uint32_t)i};
    const uint8_t *bytes;
    size_t len;
    snprintf(coded.name, sizeof coded.name, "camera/%d", i);
    assert_int_equal(pov_jpeg_encoder_run(w->jpeg, &coded.bytes, &coded.len, &image).code, POV_OK);
    w->observation->image.sequence = (uint32_t)i;
    w->observation->image.capture_ns = at_ns;
    snprintf(w->observation->image.name, sizeof w->observation->image.name, "camera/%d", i);
    const pov_status status = pov_codec_encode_observation(w->codec, &bytes, &len, w->observation);
    assert_string_equal(status.message, "");
    write_message(w, POV_RECORDED_OBSERVATION, bytes, len, at_ns);
    assert_int_equal(pov_recording_pack_header(w->packer, &message, &coded, &pov_recorded_only_camera).code,
                     POV_OK);
    assert_int_equal(pov_mcap_writer_message(w->writer, &message).code, POV_OK);
    assert_int_equal(pov_recording_pack_image(w->packer, &message, &coded, &pov_recorded_only_camera).code,
                     POV_OK);
    message.is_coded = true;
    assert_int_equal(pov_mcap_writer_message(w->writer, &message).code, POV_OK);
    if (i % IMAGES_HZ == IMAGES_HZ - 1)
        assert_int_equal(pov_mcap_writer_flush(w->writer).code, POV_OK);
}

static int set_up(void **state)
{
    (void)state;
    const char *wanted = getenv("POV_LONG_RECORDING"), *colon = wanted ? strchr(wanted, ':') : NULL;
    image_len = (int)(3600 * IMAGES_HZ * (colon ? atof(wanted) : 1.0 / 3));
    folder = test_folder_new();
    snprintf(path, sizeof path, "%s", colon ? colon + 1 : test_path_in(&folder, "long.mcap").path);
    writing w = {.observation = calloc(1, sizeof *w.observation)};
    FILE *file = fopen(path, "wb");
    assert_non_null(w.observation);
    assert_non_null(file);
    const pov_mcap_sink sink = {file, append_file};
    const pov_mcap_writer_config config = POV_MCAP_WRITER_DEFAULT;
    static const pov_mcap_pair pairs[] = {{"video", "true"}};
    w.observation->image.width_px = WIDTH;
    w.observation->image.height_px = HEIGHT;
    w.observation->image.pose_source = POV_POSE_GIVEN;
    w.observation->image.T_table_camera.T = pov_transform_identity();
    pov_scene_clear(&w.observation->scene);
    assert_int_equal(pov_mcap_writer_new(&w.writer, &sink, &config).code, POV_OK);
    assert_int_equal(pov_mcap_writer_metadata(w.writer, POV_RECORDING_SESSION, pairs, 1).code, POV_OK);
    assert_int_equal(pov_recording_begin(w.writer, NULL, 0).code, POV_OK);
    assert_int_equal(pov_recording_packer_new(&w.packer).code, POV_OK);
    assert_int_equal(pov_codec_new(&w.codec).code, POV_OK);
    assert_int_equal(pov_jpeg_encoder_new(&w.jpeg, 80).code, POV_OK);
    for (int i = 0; i < image_len; i++)
        write_image(&w, i);
    assert_int_equal(pov_mcap_writer_end(w.writer).code, POV_OK);
    assert_int_equal(fclose(file), 0);
    pov_mcap_writer_destroy(&w.writer);
    pov_recording_packer_destroy(&w.packer);
    pov_codec_destroy(&w.codec);
    pov_jpeg_encoder_destroy(&w.jpeg);
    free(w.observation);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    test_folder_remove(&folder);
    return 0;
}

static double seconds_since(int64_t start_ns)
{
    return 1e-9 * (double)(pov_clock_monotonic_ns() - start_ns);
}

static void it_opens_and_seeks_at_once(void **state)
{
    (void)state;
    pov_recording *recording;
    pov_recorded_event event;
    const int64_t start_ns = pov_clock_monotonic_ns();
    assert_int_equal(pov_recording_open(&recording, path).code, POV_OK);
    const double opened_s = seconds_since(start_ns);
    const pov_mcap_contents *contents = pov_mcap_reader_contents(pov_recording_reader(recording));
    assert_true(contents->is_indexed);
    assert_int_equal(contents->messages, 3 * image_len);
    assert_true(contents->last_ns - contents->first_ns == (image_len - 1) * STEP_NS);
    double sought_s = 0;
    for (int tenth = 9; tenth >= 0; tenth--) {
        const int i = image_len / 10 * tenth + 3;
        const int64_t sought_ns = pov_clock_monotonic_ns();
        pov_mcap_reader_seek(pov_recording_reader(recording), START_NS + i * STEP_NS);
        do
            assert_int_equal(pov_recording_next(recording, &event).code, POV_OK);
        while (event.topic != POV_RECORDED_IMAGE);
        assert_int_equal(event.image.sequence, i);
        const double took_s = seconds_since(sought_ns);
        sought_s = took_s > sought_s ? took_s : sought_s;
    }
    pov_recording_close(&recording);
    printf("%.2f hours: opened in %.1f ms, sought in %.1f ms at most\n", image_len / 3600.0 / IMAGES_HZ,
           1e3 * opened_s, 1e3 * sought_s);
    assert_true(opened_s < AT_ONCE_S && sought_s < AT_ONCE_S);
}

static void all_of_it_is_read(void **state)
{
    (void)state;
    pov_recording *recording;
    pov_recorded_event event;
    int images = 0;
    assert_int_equal(pov_recording_open(&recording, path).code, POV_OK);
    while (pov_recording_next(recording, &event).code == POV_OK)
        if (event.topic == POV_RECORDED_IMAGE)
            assert_int_equal(event.image.sequence, images++);
    assert_int_equal(images, image_len);
    pov_recording_close(&recording);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_opens_and_seeks_at_once),
                                       cmocka_unit_test(all_of_it_is_read)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
