/* A followed object that looks nearly the same from behind, followed by the wrong turn: how soon is the right one tried? */
#include "tests/support/painted_view.h"

#include "perception/objects/object_finder.h"
#include "perception/objects/object_memory.h"

#include <math.h>

static const double deg = POV_PI / 180;
static const object_place truth = {.x_m = 0.03, .y_m = -0.05, .yaw_rad = 0.7};
enum { SETTLED_IMAGES = 60, TURN_IMAGES = 4 /* as object_finder.c has it */ };

typedef struct {
    pov_object_finder *finder;
    pov_memory *memory;
    pov_pose T_table_camera;
    pov_image image;
    uint32_t images;
} video;

/* NAN: not found. */
static double next_heading(video *v)
{
    pov_object_findings findings;
    v->image.sequence = v->images++;
    v->image.mid_exposure_ns = 1000000000 + 33333333 * (int64_t)v->image.sequence;
    assert_int_equal(
        pov_object_finder_run(v->finder, &findings, &v->image, &v->T_table_camera, NULL, v->memory).code,
        POV_OK);
    pov_object_finder_remember(v->finder, &v->image, v->memory);
    const pov_heading *heading = &findings.findings[0].heading;
    if (heading->len == 0)
        return NAN;
    int best = 0;
    for (int i = 1; i < heading->len; i++)
        best = heading->mode[i].weight > heading->mode[best].weight ? i : best;
    return heading->mode[best].yaw_rad;
}

static bool is_right(double yaw_rad)
{
    return fabs(remainder(yaw_rad - truth.yaw_rad, 2 * POV_PI)) < 5 * deg;
}

static void turn_round(object_place *place)
{
    place->yaw_rad += POV_PI;
}

/* As if it had been followed by the wrong turn all the time. */
static void mislead(pov_memory *memory)
{
    pov_expected *expected = &memory->expected[0];
    object_memory *note = expected->note;
    expected->at[2] += POV_PI;
    turn_round(&note->last.place);
    turn_round(&note->checked.place);
    turn_round(&note->home);
    note->rival_len = 0;
    note->last.evidence *= 0.9;
    note->checked_ns = memory->now_ns;
}

/* Returns whether the first image after `images` others shows the right turn. */
static bool is_found_after(int images)
{
    painted_likeness = 0.97;
    painted_view *view = painted_view_new(&truth, (painted_scene){.gain = 1});
    video v = {.T_table_camera = {.T = painted_T_table_camera()},
               .image = {.pixels = view->pixels,
                         .width_px = PAINTED_WIDTH_PX,
                         .height_px = PAINTED_HEIGHT_PX,
                         .stride_bytes = 3 * PAINTED_WIDTH_PX}};
    const pov_object_finder_config config = {.kind_len = 1, .kinds = {{.portraits = view->portraits}}};
    assert_int_equal(pov_object_finder_new(&v.finder, &config, &view->camera).code, POV_OK);
    assert_int_equal(pov_memory_new(&v.memory, &pov_object_memory).code, POV_OK);
    for (int i = 0; i < images; i++)
        (void)next_heading(&v);
    assert_true(is_right(next_heading(&v)));
    mislead(v.memory);
    const bool is_found = is_right(next_heading(&v));
    if (is_found)
        assert_true(is_right(next_heading(&v)));
    pov_memory_destroy(&v.memory);
    pov_object_finder_destroy(&v.finder);
    painted_view_destroy(view);
    return is_found;
}

static void each_turn_is_tried_by_one_image_in_four(void **state)
{
    (void)state;
    int found = 0;
    for (int i = 0; i < 2 * TURN_IMAGES; i++)
        found += is_found_after(SETTLED_IMAGES + i);
    assert_int_equal(found, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_turn_is_tried_by_one_image_in_four)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
