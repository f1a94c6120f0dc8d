/* The picture shows what the scene says. */
#include "sim/worlds/stage.h"

#include "sim/worlds/shipped_worlds.h"
#include "sim/worlds/world_file.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

enum { WIDTH_PX = 640, HEIGHT_PX = 480 };
static pov_world world;
static int16_t labels[WIDTH_PX * HEIGHT_PX];
static float depth_m[WIDTH_PX * HEIGHT_PX];

static pov_stage *stage_of(const char *name)
{
    pov_stage *stage;
    const pov_embedded_file *shipped = pov_embedded_find(POV_SHIPPED_WORLDS, name);
    assert_non_null(shipped);
    assert_int_equal(
        pov_world_file_parse(&world, name, (const char *)shipped->bytes, shipped->len, NULL).code, POV_OK);
    pov_world_resize(&world, WIDTH_PX, HEIGHT_PX);
    assert_int_equal(pov_stage_new(&stage, NULL).code, POV_OK);
    assert_int_equal(pov_stage_set(stage, &world).code, POV_OK);
    return stage;
}

static void draw(pov_stage *stage, double turn_rad)
{
    pov_rendering rendering = {.label = labels, .depth_m = depth_m};
    assert_int_equal(pov_stage_turn(stage, turn_rad).code, POV_OK);
    assert_int_equal(pov_stage_look_own(stage).code, POV_OK);
    pov_stage_draw(stage, &rendering, 0, HEIGHT_PX);
}

typedef struct {
    double low[3], high[3]; /* x, y in px, depth in m */
    pov_vec2 centroid_px;
    int pixels;
} extent;

static void widen(extent *e, double x, double y, double z)
{
    const double values[3] = {x, y, z};
    for (int k = 0; k < 3; k++) {
        e->low[k] = fmin(e->low[k], values[k]);
        e->high[k] = fmax(e->high[k], values[k]);
    }
}

static extent extent_of_label(int label)
{
    extent e = {.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < WIDTH_PX * HEIGHT_PX; i++)
        if (labels[i] == label) {
            widen(&e, i % WIDTH_PX, i / WIDTH_PX, (double)depth_m[i]);
            e.centroid_px.x += i % WIDTH_PX;
            e.centroid_px.y += i / WIDTH_PX;
            e.pixels++;
        }
    e.centroid_px.x /= e.pixels;
    e.centroid_px.y /= e.pixels;
    return e;
}

static pov_vec3 in_camera(pov_vec3 pos_m)
{
    return pov_transform_apply(pov_transform_inverse(pov_world_T_table_camera(&world)), pos_m);
}

/* The bounds of the box's corners, projected by the camera model. */
static extent extent_of_box(const pov_entity *entity)
{
    extent e = {.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < 8; i++) {
        const pov_vec3 half = pov_vec3_scale(entity->size_m, 0.5);
        const pov_vec3 corner = {i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y,
                                 i & 4 ? half.z : -half.z};
        const pov_vec3 pos =
            in_camera(pov_vec3_add(entity->position.mean_m, pov_rot_apply(entity->R_table_box, corner)));
        pov_vec2 pixel;
        assert_int_equal(pov_camera_project(&world.camera.lens, &pixel, NULL, pos), POV_OK);
        widen(&e, pixel.x, pixel.y, pos.z);
    }
    return e;
}

static void bodies_are_drawn_within_their_boxes_and_fill_them(void **state)
{
    (void)state;
    pov_stage *stage = stage_of("station");
    bool filled[16] = {false}; /* at one turn or another: at some, others hide it */
    for (int turn = 0; turn < 8; turn++) {
        draw(stage, turn * POV_PI / 4);
        const pov_scene *scene = pov_stage_scene(stage);
        for (pov_id id = 1; id < scene->len; id++) {
            const extent drawn = extent_of_label(id), box = extent_of_box(&scene->entities[id]);
            assert_true(drawn.pixels > 100);
            for (int k = 0; k < 3; k++) {
                const double slack = k < 2 ? 1.0 : 0.005;
                assert_true(drawn.low[k] > box.low[k] - slack && drawn.high[k] < box.high[k] + slack);
            }
            filled[id] = filled[id] || (drawn.high[0] - drawn.low[0] > 0.6 * (box.high[0] - box.low[0]) &&
                                        drawn.high[1] - drawn.low[1] > 0.6 * (box.high[1] - box.low[1]));
        }
    }
    for (pov_id id = 1; id < pov_stage_scene(stage)->len; id++)
        assert_true(filled[id]);
    pov_stage_destroy(&stage);
}

/* The middle of a ball's outline: the cone about it, of half-angle asin(r / d), meets the image in an ellipse whose ends
 * lie at the tangents of the axis' angle plus and minus that. */
static pov_vec2 outline_middle_px(pov_vec3 pos_m, double radius_m)
{
    const double off_rad = atan2(hypot(pos_m.x, pos_m.y), pos_m.z),
                 half_rad = asin(radius_m / pov_vec3_norm(pos_m));
    const double middle = (tan(off_rad + half_rad) + tan(off_rad - half_rad)) / 2,
                 level = hypot(pos_m.x, pos_m.y);
    const pov_camera *lens = &world.camera.lens;
    return (pov_vec2){lens->cx_px + lens->fx_px * middle * pos_m.x / level,
                      lens->cy_px + lens->fy_px * middle * pos_m.y / level};
}

static void a_balls_pixels_lie_about_the_middle_of_its_outline(void **state)
{
    (void)state;
    pov_stage *stage = stage_of("comfort-ball");
    int checked = 0;
    for (int turn = 0; turn < 36; turn += 3) {
        draw(stage, turn * POV_PI / 18);
        const pov_scene *scene = pov_stage_scene(stage);
        const pov_id red = pov_scene_find(scene, "red_ball");
        const pov_vec3 pos_m = in_camera(scene->entities[red].position.mean_m);
        const extent drawn = extent_of_label(red);
        const pov_vec2 middle_px = outline_middle_px(pos_m, 0.6);
        if (drawn.pixels < 0.98 * POV_PI * pow(world.camera.lens.fx_px * 0.6 / pos_m.z, 2))
            continue; /* partly hidden, or beyond the image's edge */
        assert_near(drawn.centroid_px.x, middle_px.x, 0.2);
        assert_near(drawn.centroid_px.y, middle_px.y, 0.2);
        checked++;
    }
    assert_true(checked >= 6);
    pov_stage_destroy(&stage);
}

static const char wall[] =
    "camera: {position_m: [0, 0, 3], look_at_m: [0, 0.01, 0]}\n"
    "things:\n"
    "  - {id: anna, class: woman, position_m: [0, 0], front_deg: 0, sees: {horizontal_deg: 90}}\n"
    "  - {id: ball, position_m: [4, 0, 1.55], class: red ball, size_m: 0.4}\n"
    "  - {id: book, position_m: [2, HERE, 1.55], size_m: [0.01, 2, 2]}\n"
    "  - {id: aside, position_m: [1, 3, 1.55], class: red ball, size_m: 0.4}\n";

static double seen(const char *place, const char *target)
{
    char text[1024];
    double fraction;
    pov_stage *stage;
    const char *here = strstr(wall, "HERE");
    snprintf(text, sizeof text, "%.*s%s%s", (int)(here - wall), wall, place, here + 4);
    const pov_status status = pov_world_file_parse(&world, "wall", text, strlen(text), NULL);
    if (status.code != POV_OK)
        fail_msg("%s", status.message);
    assert_int_equal(pov_stage_new(&stage, NULL).code, POV_OK);
    assert_int_equal(pov_stage_set(stage, &world).code, POV_OK);
    const pov_scene *scene = pov_stage_scene(stage);
    assert_int_equal(pov_stage_fraction_visible(stage, &fraction, pov_scene_find(scene, "anna"),
                                                pov_scene_find(scene, target))
                         .code,
                     POV_OK);
    pov_stage_destroy(&stage);
    return fraction;
}

static void a_wall_hides_what_is_behind_it_and_no_more(void **state)
{
    (void)state;
    assert_near(seen("1.2", "ball"), 1, 0.01);
    assert_near(seen("1.0", "ball"), 0.5, 0.03); /* the wall's edge is on the line of sight */
    assert_near(seen("0", "ball"), 0, 0);
    assert_near(seen("0", "aside"), 0, 0); /* 70 degrees off her front; she sees 45 */
}

/* ---- as time passes ---- */

static float light[2][WIDTH_PX * HEIGHT_PX][3];

static void expose(pov_stage *stage, int into, const pov_shutter_config *config, int64_t mid_ns)
{
    pov_shutter *shutter;
    pov_rendering rendering = {.light = light[into], .label = labels};
    assert_int_equal(pov_shutter_new(&shutter, config, WIDTH_PX, HEIGHT_PX).code, POV_OK);
    assert_int_equal(pov_stage_expose(stage, &rendering, shutter, mid_ns).code, POV_OK);
    pov_shutter_destroy(&shutter);
}

static bool same_light(int pixel)
{
    return memcmp(light[0][pixel], light[1][pixel], sizeof light[0][pixel]) == 0;
}

static void an_instant_shows_the_world_as_it_stands(void **state)
{
    (void)state;
    const pov_shutter_config instant = POV_SHUTTER_DEFAULT;
    pov_stage *stage = stage_of("comfort-ball");
    pov_rendering rendering = {.light = light[0]};
    assert_int_equal(pov_stage_turn(stage, POV_PI / 2).code, POV_OK);
    pov_stage_draw(stage, &rendering, 0, HEIGHT_PX);
    expose(stage, 1, &instant, 3000000000); /* a quarter of the 12 s of a turn */
    assert_memory_equal(light[0], light[1], sizeof light[0]);
    pov_stage_destroy(&stage);
}

static void a_long_exposure_blurs_what_moves_and_nothing_else(void **state)
{
    (void)state;
    const pov_shutter_config instant = POV_SHUTTER_DEFAULT,
                             slow = {.exposure_ns = 300000000, .exposures = 5, .rows_at_once = 4};
    pov_stage *stage = stage_of("comfort-ball");
    expose(stage, 0, &instant, 3000000000);
    const pov_id red = pov_scene_find(pov_stage_scene(stage), "red_ball");
    expose(stage, 1, &slow, 3000000000);
    int changed = 0;
    for (int i = 0; i < WIDTH_PX * HEIGHT_PX; i++)
        changed += labels[i] == red && !same_light(i);
    assert_true(changed > 100);
    for (int i = 0; i < WIDTH_PX * HEIGHT_PX / 8; i++) /* far behind the balls and their shadows */
        assert_near(light[1][i][0], light[0][i][0], 1e-5);
    pov_stage_destroy(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_are_drawn_within_their_boxes_and_fill_them),
        cmocka_unit_test(a_balls_pixels_lie_about_the_middle_of_its_outline),
        cmocka_unit_test(a_wall_hides_what_is_behind_it_and_no_more),
        cmocka_unit_test(an_instant_shows_the_world_as_it_stands),
        cmocka_unit_test(a_long_exposure_blurs_what_moves_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
