#include "calib/turntable/ring_view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/near.h"

enum { TAGS = 5 };

static const double EDGE_M = 0.04, HEIGHT_M = 0.03;

static const pov_camera camera = {.lens = POV_LENS_BROWN_CONRADY,
                                  .width_px = 1280,
                                  .height_px = 720,
                                  .fx_px = 1100,
                                  .fy_px = 1102,
                                  .cx_px = 641,
                                  .cy_px = 357,
                                  .distortion = {-0.1, 0.05, 0.0004, -0.0003}};

/* Level tags at that height, turned this way and that; tag 0 is of a map. */
static void see(pov_tags *tags, const pov_transform *T_table_camera)
{
    const pov_transform T_camera_table = pov_transform_inverse(*T_table_camera);
    tags->len = TAGS;
    for (int i = 0; i < TAGS; i++) {
        tags->tags[i] = (pov_tag){.family = POV_TAG36H11, .id = i};
        for (int k = 0; k < 4; k++) {
            const double turn = 0.7 * i + POV_PI / 2 * k, half_diagonal_m = EDGE_M / sqrt(2);
            const pov_vec3 corner_m = {0.1 * (i - 2) + half_diagonal_m * cos(turn),
                                       0.05 * i + half_diagonal_m * sin(turn), HEIGHT_M};
            assert_int_equal(pov_camera_project(&camera, &tags->tags[i].corner_px[k], NULL,
                                                pov_transform_apply(T_camera_table, corner_m)),
                             POV_OK);
        }
    }
}

static void an_edge_is_measured_on_a_plane_of_known_height(void **state)
{
    static pov_tags tags;
    pov_ring_view view;
    const pov_tag_map map = {.len = 1, .tags = {{.family = POV_TAG36H11, .id = 0, .edge_m = 0.08}}};
    const pov_transform T_table_camera =
        pov_transform_look_at((pov_vec3){1, -0.2, 0.9}, (pov_vec3){0, 0, 0}, (pov_vec3){0, 0, 1});
    (void)state;
    see(&tags, &T_table_camera);
    pov_ring_view_set(&view, &tags, &map, &T_table_camera);
    assert_int_equal(view.len, TAGS - 1);
    assert_near(pov_ring_edge(&camera, &view, 1, HEIGHT_M), EDGE_M, 1e-7);
    /* nearer the eye by a tenth of the way, smaller by a tenth */
    assert_near(pov_ring_edge(&camera, &view, 1, HEIGHT_M + 0.087), 0.9 * EDGE_M, 1e-7);
}

static void without_tags_there_is_no_edge(void **state)
{
    (void)state;
    assert_true(isnan(pov_ring_edge(&camera, NULL, 0, HEIGHT_M)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_edge_is_measured_on_a_plane_of_known_height),
        cmocka_unit_test(without_tags_there_is_no_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
