/* What of an image is known to be a tag, from corners worked out by hand: a tag 0.1 m wide, 2 m ahead of a pinhole camera. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "firmware/finders/finders.h"
#include "tests/support/near.h"

#include <stdlib.h>

static const pov_camera camera = {.lens = POV_LENS_BROWN_CONRADY,
                                  .width_px = 800,
                                  .height_px = 600,
                                  .fx_px = 1000,
                                  .fy_px = 1000,
                                  .cx_px = 400,
                                  .cy_px = 300};

static pov_finder_settings *settings_with_a_tag(void)
{
    pov_finder_settings *settings = calloc(1, sizeof *settings);
    assert_non_null(settings);
    settings->tags.map.len = 1;
    settings->tags.map.tags[0] = (pov_tag_map_entry){.family = POV_TAG36H11, .id = 7, .edge_m = 0.1};
    settings->tags.map.tags[0].T_table_tag.T = (pov_transform){pov_rot_yaw(0), {0.2, -0.1, 2}};
    return settings;
}

/* 0.2 m right and 0.1 m up are 100 and 50 pixels; half of the edge is 25. */
static pov_tag tag_at(double x_px, double y_px, int id)
{
    return (pov_tag){
        .family = POV_TAG36H11,
        .id = id,
        .corner_px = {
            {x_px - 25, y_px + 25}, {x_px + 25, y_px + 25}, {x_px + 25, y_px - 25}, {x_px - 25, y_px - 25}}};
}

static void a_tag_where_the_map_has_it_is_known_with_its_margin(void **state)
{
    (void)state;
    pov_object_others others;
    pov_finder_settings *settings = settings_with_a_tag();
    const pov_finder_place place = {.settings = settings, .camera = &camera};
    const pov_pose pose = pov_pose_exact((pov_transform){pov_rot_yaw(0), {0, 0, 0}});
    const pov_tags tags = {.len = 1, .tags = {tag_at(502, 249, 7)}};
    pov_finder_others(&others, &tags, &place, &pose);
    assert_int_equal(others.len, 1);
    assert_near(others.others[0].depth_m, 2, 1e-9);
    assert_near(others.others[0].corner_px[0].x, 502 - 32.5, 1e-9);
    assert_near(others.others[0].corner_px[2].y, 249 - 32.5, 1e-9);
    free(settings);
}

static void a_tag_elsewhere_or_unknown_or_without_a_pose_tells_nothing(void **state)
{
    (void)state;
    pov_object_others others;
    pov_finder_settings *settings = settings_with_a_tag();
    const pov_finder_place place = {.settings = settings, .camera = &camera};
    const pov_pose pose = pov_pose_exact((pov_transform){pov_rot_yaw(0), {0, 0, 0}});
    const pov_tags tags = {.len = 2, .tags = {tag_at(530, 249, 7), tag_at(500, 250, 8)}};
    pov_finder_others(&others, &tags, &place, &pose);
    assert_int_equal(others.len, 0);
    const pov_tags right = {.len = 1, .tags = {tag_at(500, 250, 7)}};
    pov_finder_others(&others, &right, &place, NULL);
    assert_int_equal(others.len, 0);
    free(settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tag_where_the_map_has_it_is_known_with_its_margin),
        cmocka_unit_test(a_tag_elsewhere_or_unknown_or_without_a_pose_tells_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
