#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT_ALLOCATIONS_OF _Thread_local
#include "firmware/recording/recorder.h"
#include "tests/support/count_allocations.h"
#include "tests/support/folder.h"

#include <time.h>

enum { WIDTH = 320, HEIGHT = 240, WARM_UP = 600, COUNTED = 100 };

/* On the thread that judges; the recording's own may. The first images come in a burst, which fills the queue: after that a machine that
 * is busy with something else needs no more room. */
static void an_image_and_its_messages_allocate_nothing(void **state)
{
    (void)state;
    static uint8_t pixels[3 * WIDTH * HEIGHT], message[20000];
    test_path folder = test_folder_new(), file = test_path_in(&folder, "a.mcap");
    test_path station = test_file_new(&folder, "station.yaml", "about: x\n", 9);
    pov_record_config config = POV_RECORD_DEFAULT;
    const pov_record_session session = {.station = station.path, .source = "folder"};
    pov_recorder *recorder;
    pov_record_statistics all;
    int before = 0;
    snprintf(config.path, sizeof config.path, "%s", file.path);
    assert_int_equal(pov_recorder_new(&recorder, &config, &session).code, POV_OK);
    for (int i = 0; i < WARM_UP + COUNTED; i++) {
        if (i == WARM_UP)
            before = allocations;
        pixels[i % 100] = (uint8_t)i;
        const pov_image image = {.pixels = pixels,
                                 .width_px = WIDTH,
                                 .height_px = HEIGHT,
                                 .stride_bytes = 3 * WIDTH,
                                 .sequence = (uint32_t)i,
                                 .name = "x"};
        pov_recorder_image(recorder, &image);
        pov_recorder_message(recorder, POV_RECORDED_OBSERVATION, message,
                             sizeof message - (size_t)(i >= WARM_UP ? i : 0));
        if (i >= WARM_UP - 1)
            nanosleep(&(struct timespec){.tv_nsec = i == WARM_UP - 1 ? 900000000 : 3000000}, NULL);
    }
    const int counted = allocations - before;
    (void)pov_recorder_end(&recorder, &all).code; /* the burst cost images */
    assert_int_equal(counted, 0);
    assert_in_range(all.images, COUNTED, WARM_UP + COUNTED);
    test_folder_remove(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(an_image_and_its_messages_allocate_nothing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
