#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/count_allocations.h"
#include "tests/support/pipeline_work.h"

#include <string.h>

/* Pictures that keep each stage busy in its own way: as it is, darker, without the upper half, and nothing. */
enum { PICTURES = 4 };

static void change_picture(pipeline_work *work, const uint8_t *original, int picture)
{
    const size_t size = (size_t)work->image.stride_bytes * (size_t)work->image.height_px;
    memcpy(work->rgb, original, size);
    if (picture == 1)
        for (size_t i = 0; i < size; i++)
            work->rgb[i] = (uint8_t)(work->rgb[i] * 3 / 4);
    if (picture == 2)
        memset(work->rgb, 120, size / 2);
    if (picture == 3)
        memset(work->rgb, 120, size);
}

static void publish(pipeline_work *work, pov_publisher *publisher)
{
    const uint8_t *bytes;
    size_t length;
    assert_int_equal(pov_pipeline_run(work->pipeline, &work->observation, &work->image).code, POV_OK);
    assert_int_equal(pov_codec_encode_observation(work->codec, &bytes, &length, &work->observation).code,
                     POV_OK);
    pov_publisher_publish(publisher, POV_TOPIC_OBSERVATION, bytes, length);
    assert_int_equal(pov_pipeline_remember(work->pipeline, &work->image).code, POV_OK);
}

static void after_the_first_image_our_code_allocates_nothing(void **state)
{
    (void)state;
    pipeline_work *work = pipeline_work_new();
    const size_t size = (size_t)work->image.stride_bytes * (size_t)work->image.height_px;
    uint8_t *original = malloc(size);
    pov_publisher_config config = POV_PUBLISHER_DEFAULT;
    pov_publisher *publisher;
    config.endpoint = "tcp://127.0.0.1:*";
    assert_non_null(original);
    memcpy(original, work->rgb, size);
    assert_int_equal(pov_publisher_new(&publisher, &config).code, POV_OK);
    assert_true(allocations > 0); /* they are counted */

    publish(work, publisher);
    /* every stage has had its part */
    assert_int_equal(work->observation.image.pose_source, POV_POSE_FROM_TAGS);
    assert_true(work->observation.judgment_len > 0 && work->observation.sight_len >= 4);
    for (int i = 0; i < work->observation.scene.len; i++)
        assert_true(work->observation.scene.entities[i].placed);

    allocations = 0;
    for (int i = 1; i <= 2 * PICTURES; i++) {
        change_picture(work, original, i % PICTURES);
        publish(work, publisher);
    }
    assert_int_equal(allocations, 0);
    pov_publisher_destroy(&publisher);
    free(original);
    pipeline_work_destroy(&work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_the_first_image_our_code_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
