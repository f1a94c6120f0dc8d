/* Small pictures of shipped worlds against those that are kept in tests/sim/golden: other compilers and machines agree to
 * rounding. After a change that is meant to be seen: POV_GOLDEN_WRITE=1 test_sim_golden, and look at them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "firmware/picture/image_file.h"
#include "firmware/simulate/simulator.h"
#include "sim/worlds/world_generate.h"

enum { WIDTH_PX = 96, HEIGHT_PX = 72, PIXELS = WIDTH_PX * HEIGHT_PX };

/* A ray that grazes an edge, or a shadow's, may fall to either side. */
static const int GRAZING_MAX = PIXELS / 500;

typedef struct {
    uint8_t light[PIXELS][3], labels[PIXELS][3]; /* linear light; labels as colours */
} picture;

static void must(pov_status status)
{
    if (status.code != POV_OK)
        fail_msg("%s", status.message);
}

/* Things are green and yellow, what else there is blue. */
static void colour(uint8_t rgb[3], int label)
{
    const bool is_thing = label >= 0 && label < POV_LABEL_GROUND;
    rgb[0] = is_thing ? (uint8_t)label : 0;
    rgb[1] = is_thing ? (uint8_t)(label * 89) : 0;
    rgb[2] = label >= POV_LABEL_GROUND ? (uint8_t)(85 * (label - POV_LABEL_GROUND + 1)) : 0;
}

static void draw(picture *drawn, const char *world_name, int index)
{
    static pov_world world;
    static float light[PIXELS][3];
    static int16_t labels[PIXELS];
    pov_stage *stage;
    pov_rendering rendering = {.light = light, .label = labels};
    must(pov_simulator_read_world(&world, world_name, NULL));
    pov_world_resize(&world, WIDTH_PX, HEIGHT_PX);
    if (world.generator.kind != POV_GENERATOR_NONE)
        must(pov_world_generate(&world, index));
    must(pov_stage_new(&stage, NULL));
    must(pov_stage_set(stage, &world));
    must(pov_stage_turn(stage, pov_world_turn_rad(&world, index)));
    pov_stage_draw(stage, &rendering, 0, HEIGHT_PX);
    pov_stage_destroy(&stage);
    for (int i = 0; i < PIXELS; i++)
        colour(drawn->labels[i], labels[i]);
    for (int i = 0; i < 3 * PIXELS; i++) {
        const float value = light[i / 3][i % 3] * 255 + 0.5F;
        drawn->light[i / 3][i % 3] = value < 255 ? (uint8_t)value : 255;
    }
}

static void path_of(char path[1000], const char *world_name, const char *what)
{
    snprintf(path, 1000, "%s/tests/sim/golden/%s_%s.png", getenv("POV_SOURCE") ? getenv("POV_SOURCE") : ".",
             world_name, what);
}

static void keep(const uint8_t pixels[PIXELS][3], const char *path)
{
    const pov_image image = {
        .pixels = pixels[0], .width_px = WIDTH_PX, .height_px = HEIGHT_PX, .stride_bytes = 3 * WIDTH_PX};
    must(pov_image_file_write_png(path, &image));
}

/* Returns how many pixels differ by more than `tolerance`. */
static int count_others(const uint8_t pixels[PIXELS][3], const char *path, int tolerance)
{
    pov_image_file *file;
    pov_image kept;
    int others = 0;
    must(pov_image_file_new(&file));
    must(pov_image_file_read(file, &kept, path));
    assert_int_equal(kept.width_px, WIDTH_PX);
    assert_int_equal(kept.height_px, HEIGHT_PX);
    for (int i = 0; i < PIXELS; i++) {
        const uint8_t *at = kept.pixels + i / WIDTH_PX * kept.stride_bytes + i % WIDTH_PX * 3;
        int worst = 0;
        for (int k = 0; k < 3; k++)
            worst = abs(pixels[i][k] - at[k]) > worst ? abs(pixels[i][k] - at[k]) : worst;
        others += worst > tolerance;
    }
    pov_image_file_destroy(&file);
    return others;
}

static void compare(const char *world_name, int index)
{
    static picture drawn;
    char light_path[1000], label_path[1000];
    path_of(light_path, world_name, "light");
    path_of(label_path, world_name, "labels");
    draw(&drawn, world_name, index);
    if (getenv("POV_GOLDEN_WRITE")) {
        keep((const uint8_t(*)[3])drawn.light, light_path);
        keep((const uint8_t(*)[3])drawn.labels, label_path);
        return;
    }
    assert_in_range(count_others((const uint8_t(*)[3])drawn.light, light_path, 1), 0, GRAZING_MAX);
    assert_in_range(count_others((const uint8_t(*)[3])drawn.labels, label_path, 0), 0, GRAZING_MAX);
}

static void a_station_looks_as_it_did(void **state)
{
    (void)state;
    compare("station", 3);
}

static void a_room_by_chance_looks_as_it_did(void **state)
{
    (void)state;
    compare("tabletop", 5);
}

static void balls_of_comfort_look_as_they_did(void **state)
{
    (void)state;
    compare("comfort-ball", 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_station_looks_as_it_did),
        cmocka_unit_test(a_room_by_chance_looks_as_it_did),
        cmocka_unit_test(balls_of_comfort_look_as_they_did),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
