/* A simulator draws a scene anew only where something has moved: its images are, byte for byte, those of simulators that have drawn none before. */
#include "firmware/simulate/simulator.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { WIDTH_PX = 96, HEIGHT_PX = 64, BYTES = 3 * WIDTH_PX * HEIGHT_PX };

static pov_simulator *open_simulator(const char *world)
{
    pov_simulator *simulator;
    const pov_simulator_config config = {
        .world = world, .width_px = WIDTH_PX, .height_px = HEIGHT_PX, .bodies = POV_SIMULATOR_OWN_BODIES};
    assert_int_equal(pov_simulator_new(&simulator, &config).code, POV_OK);
    return simulator;
}

static void take(uint8_t pixels[BYTES], pov_simulator *simulator, int index)
{
    pov_image image;
    assert_int_equal(pov_simulator_take(simulator, &image, index).code, POV_OK);
    memcpy(pixels, image.pixels, BYTES);
}

static void assert_as_fresh(pov_simulator *used, const char *world, int index)
{
    static uint8_t mine[BYTES], fresh[BYTES];
    pov_simulator *other = open_simulator(world);
    take(mine, used, index);
    take(fresh, other, index);
    assert_memory_equal(mine, fresh, BYTES);
    pov_simulator_destroy(&other);
}

/* comfort-car turns from image to image; image 0 again, and after a look through a person's eyes, which uses the same memory. */
static void images_are_those_of_a_fresh_simulator(void **state)
{
    (void)state;
    pov_simulator *simulator = open_simulator("comfort-car");
    pov_image seen;
    for (int i = 0; i < 3; i++)
        assert_as_fresh(simulator, "comfort-car", i / 2);
    assert_as_fresh(simulator, "comfort-car", 0);
    const pov_scene *scene = pov_simulator_truth_of(simulator).scene;
    pov_id viewer = 0;
    while (viewer < scene->len && (!scene->entities[viewer].can_see || viewer == scene->camera))
        viewer++;
    assert_true(viewer < scene->len);
    assert_int_equal(pov_simulator_view(simulator, &seen, viewer).code, POV_OK);
    assert_as_fresh(simulator, "comfort-car", 0);
    pov_simulator_destroy(&simulator);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(images_are_those_of_a_fresh_simulator)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
