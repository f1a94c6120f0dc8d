#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/render/shutter.h"
#include "tests/support/near.h"
#include "tests/support/shapes.h"

#include <string.h>

enum { WIDTH_PX = 200, HEIGHT_PX = 100, PIXELS = WIDTH_PX * HEIGHT_PX };

static const pov_camera CAMERA = {POV_LENS_BROWN_CONRADY, WIDTH_PX, HEIGHT_PX, 200, 200, 99.5, 49.5, {0}};
static const double SPEED_M_S = 2; /* at a distance of 1 m: 400 px/s */
static const int64_t MID_NS = 50000000;

static pov_renderer *renderer;
static pov_model *sheet;
static float light[PIXELS][3];
static int16_t label[PIXELS];

/** A white sheet before the camera, its right edge at x = 0 at time MID_NS, moves to the right. */
static pov_status sheet_at(void *world, pov_renderer *drawn, int64_t time_ns)
{
    const double moved_m = SPEED_M_S * 1e-9 * (double)(time_ns - MID_NS);
    (void)world;
    return pov_renderer_move(drawn, &(pov_transform){pov_rot_identity(), {moved_m - 5, 0, 1}}, 1);
}

static int set_up(void **state)
{
    (void)state;
    pov_lighting lighting = POV_LIGHTING_DEFAULT;
    const pov_instance instance = {
        sheet = test_square_new(10, 0xffffff), {pov_rot_identity(), {-5, 0, 1}}, 3};
    lighting.lamp_strength = 0;
    lighting.ambient = 1;
    memset(lighting.sky, 0, sizeof lighting.sky);
    return pov_renderer_new(&renderer).code == POV_OK &&
                   pov_renderer_set(renderer, &instance, 1, &lighting).code == POV_OK &&
                   pov_renderer_look(renderer, &CAMERA, pov_transform_identity()).code == POV_OK
               ? 0
               : -1;
}

static int tear_down(void **state)
{
    (void)state;
    pov_renderer_destroy(&renderer);
    pov_model_destroy(&sheet);
    return 0;
}

static void draw(const pov_shutter_config *config)
{
    pov_shutter *shutter;
    const pov_moving_world world = {renderer, sheet_at, NULL};
    pov_rendering rendering = {light, label, NULL};
    assert_int_equal(pov_shutter_new(&shutter, config, WIDTH_PX, HEIGHT_PX).code, POV_OK);
    assert_int_equal(pov_shutter_draw(shutter, &rendering, &world, MID_NS).code, POV_OK);
    pov_shutter_destroy(&shutter);
}

/** Where the sheet ends in a row, by the light of the row. */
static double edge_px(int row)
{
    const double white = (double)light[row * WIDTH_PX][0];
    double sum = 0;
    for (int x = 0; x < WIDTH_PX; x++)
        sum += (double)light[row * WIDTH_PX + x][0] / white;
    return sum - 0.5;
}

static void a_rolling_shutter_leans_an_upright_edge_by_speed_times_time(void **state)
{
    (void)state;
    const pov_shutter_config config = {.readout_ns = 20000000, .rows_at_once = 1, .exposures = 1};
    draw(&config);
    double sum_px = 0;
    for (int row = 0; row < HEIGHT_PX; row++) {
        const double late_s = 0.020 * (row / (HEIGHT_PX - 1.0) - 0.5);
        const double expected_px = CAMERA.cx_px + CAMERA.fx_px * SPEED_M_S * late_s;
        assert_near(edge_px(row), expected_px, 1.0 / 16); /* of the sixteen rays' own step */
        sum_px += edge_px(row) - expected_px;
        assert_int_equal(label[row * WIDTH_PX + (int)floor(expected_px - 0.1)], 3);
        assert_int_equal(label[row * WIDTH_PX + (int)ceil(expected_px + 0.1)], POV_LABEL_NOTHING);
    }
    assert_near(sum_px / HEIGHT_PX, 0, 0.01);
}

static void an_exposure_spreads_an_edge_over_the_way_it_goes(void **state)
{
    (void)state;
    const pov_shutter_config config = {.exposure_ns = 50000000, .rows_at_once = 1, .exposures = 41};
    const double way_px = CAMERA.fx_px * SPEED_M_S * 0.050;
    draw(&config);
    const double white = (double)light[50 * WIDTH_PX][0];
    for (int x = 0; x < WIDTH_PX; x++) {
        const double lit = fmin(1, fmax(0, (CAMERA.cx_px + way_px / 2 - x) / way_px));
        assert_near((double)light[50 * WIDTH_PX + x][0] / white, lit, 0.04);
    }
    assert_near(edge_px(50), CAMERA.cx_px, 0.05);
}

static void without_motion_it_is_the_renderer_alone(void **state)
{
    (void)state;
    static float alone[PIXELS][3];
    pov_rendering rendering = {alone, NULL, NULL};
    pov_renderer_draw(renderer, &rendering, 0, HEIGHT_PX);
    const pov_shutter_config config = POV_SHUTTER_DEFAULT;
    draw(&config);
    assert_memory_equal(alone, light, sizeof light);
}

static void an_even_number_of_exposures_is_refused(void **state)
{
    (void)state;
    pov_shutter *shutter;
    pov_shutter_config config = POV_SHUTTER_DEFAULT;
    config.exposures = 4;
    const pov_status status = pov_shutter_new(&shutter, &config, WIDTH_PX, HEIGHT_PX);
    assert_int_equal(status.code, POV_ERROR);
    assert_non_null(strstr(status.message, "odd"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_rolling_shutter_leans_an_upright_edge_by_speed_times_time, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(an_exposure_spreads_an_edge_over_the_way_it_goes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_motion_it_is_the_renderer_alone, set_up, tear_down),
        cmocka_unit_test(an_even_number_of_exposures_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
