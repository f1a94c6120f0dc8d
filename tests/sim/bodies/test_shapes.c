/* Parts of bodies: closed, wound outward, and of the volumes that geometry gives. */
#include "sim/bodies/shapes.h"
#include "tests/support/solid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/near.h"

typedef void draw_part(pov_brush brush);

static pov_model *drawn(draw_part *draw)
{
    pov_model *model;
    model = pov_model_new();
    pov_brush brush = pov_brush_new(model, 0x808080, 0.5);
    draw(pov_brush_turned(pov_brush_at(brush, (pov_vec3){0.1, -0.2, 0.3}), (pov_vec3){0.3, -0.2, 0.5}));
    return model;
}

/** Closed, outward, with normals to match, of this volume within a share. */
static void assert_solid(draw_part *draw, double volume_m3, double share)
{
    pov_model *model = drawn(draw);
    assert_true(pov_model_read(model).triangle_len > 0);
    assert_int_equal(solid_open_edges(model), 0);
    assert_int_equal(solid_wrong_normals(model), 0);
    assert_near(solid_volume_m3(model), volume_m3, share * volume_m3);
    pov_model_destroy(&model);
}

static void sharp_box(pov_brush brush)
{
    pov_shape_box(brush, (pov_vec3){0.2, 0.3, 0.5}, 0);
}

static void boxes_are_solid(void **state)
{
    (void)state;
    assert_solid(sharp_box, 0.2 * 0.3 * 0.5, 1e-5);
}

static void round_box(pov_brush brush)
{
    pov_shape_box(brush, (pov_vec3){0.4, 0.5, 0.6}, 0.15);
}

static void slightly_round_box(pov_brush brush)
{
    pov_shape_box(brush, (pov_vec3){0.4, 0.5, 0.6}, 0.01);
}

/** Steiner's formula: an inner box, grown by a ball. */
static double grown_box_m3(pov_vec3 size_m, double r)
{
    const double a = size_m.x - 2 * r, b = size_m.y - 2 * r, c = size_m.z - 2 * r;
    return a * b * c + 2 * r * (a * b + b * c + c * a) + POV_PI * r * r * (a + b + c) +
           4 * POV_PI / 3 * r * r * r;
}

static void rounded_boxes_are_solid(void **state)
{
    (void)state;
    assert_solid(round_box, grown_box_m3((pov_vec3){0.4, 0.5, 0.6}, 0.15), 0.04);
    assert_solid(slightly_round_box, grown_box_m3((pov_vec3){0.4, 0.5, 0.6}, 0.01), 0.002);
}

static void ellipsoid(pov_brush brush)
{
    brush.sides = 40;
    pov_shape_ellipsoid(brush, (pov_vec3){0.1, 0.2, 0.3});
}

static void ellipsoids_are_solid(void **state)
{
    (void)state;
    assert_solid(ellipsoid, 4 * POV_PI / 3 * 0.1 * 0.2 * 0.3, 0.02);
}

static void ring(pov_brush brush)
{
    enum { LEN = 41 };
    pov_vec2 circle[LEN];
    for (int i = 0; i < LEN; i++)
        circle[i] = (pov_vec2){0.3 + 0.1 * cos(2 * POV_PI * (i % (LEN - 1)) / (LEN - 1)),
                               0.1 * sin(2 * POV_PI * (i % (LEN - 1)) / (LEN - 1))};
    pov_shape_lathe(brush, circle, LEN, 60);
}

static void cup(pov_brush brush)
{
    const pov_vec2 profile[] = {{0, 0}, {0.2, 0}, {0.2, 0.4}, {0.18, 0.4}, {0.18, 0.02}, {0, 0.02}};
    pov_shape_lathe(brush, profile, 6, 200);
}

static void turned_parts_are_solid(void **state)
{
    (void)state;
    assert_solid(ring, 2 * POV_PI * POV_PI * 0.3 * 0.01, 0.01); /* Pappus */
    assert_solid(cup, POV_PI * (0.04 * 0.4 - 0.0324 * 0.38), 0.005);
}

static void bracket(pov_brush brush)
{
    const pov_vec2 outline[] = {{0, 0}, {0.4, 0}, {0.4, 0.1}, {0.1, 0.1}, {0.1, 0.3}, {0, 0.3}};
    pov_shape_plate(brush, outline, 6, 0.05);
}

static void backward_bracket(pov_brush brush)
{
    const pov_vec2 outline[] = {{0, 0.3}, {0.1, 0.3}, {0.1, 0.1}, {0.4, 0.1}, {0.4, 0}, {0, 0}};
    pov_shape_plate(brush, outline, 6, 0.05);
}

static void plates_are_solid_whichever_way_their_outline_runs(void **state)
{
    (void)state;
    assert_solid(bracket, 0.06 * 0.05, 1e-5);
    assert_solid(backward_bracket, 0.06 * 0.05, 1e-5);
}

static void cone(pov_brush brush)
{
    const pov_ring rings[] = {{{0, 0, 0}, {0.2, 0.2}}, {{0, 0, 0.6}, {0, 0}}};
    pov_shape_loft(brush, rings, 2, (pov_loft){.sides = 48, .steps = 1, .squareness = 2});
}

static void leaning(pov_brush brush, double from_m, double to_m)
{
    const pov_ring rings[] = {{{0.1, 0, from_m}, {0.2, 0.1}}, {{0.3, 0.1, to_m}, {0.2, 0.1}}};
    pov_shape_loft(brush, rings, 2, (pov_loft){.sides = 48, .steps = 3, .squareness = 2, .level = true});
}

static void leaning_up(pov_brush brush)
{
    leaning(brush, 0, 0.5);
}

static void leaning_down(pov_brush brush)
{
    leaning(brush, 0.5, 0);
}

static void lofts_are_solid(void **state)
{
    (void)state;
    assert_solid(cone, POV_PI * 0.04 * 0.6 / 3, 0.01);
    assert_solid(leaning_up, POV_PI * 0.2 * 0.1 * 0.5, 0.01); /* Cavalieri */
    assert_solid(leaning_down, POV_PI * 0.2 * 0.1 * 0.5, 0.01);
}

static void rod(pov_brush brush)
{
    pov_shape_rod(brush, (pov_vec3){0, 0, 0}, (pov_vec3){0.3, 0.4, 1.2}, 0.05);
}

static void hook(pov_brush brush)
{
    const pov_vec3 path[] = {{0, 0, 0}, {0.2, 0, 0.1}, {0.3, 0, 0.3}, {0.1, 0, 0.4}};
    pov_shape_tube(brush, path, 4, 0.03);
}

static void rods_and_tubes_are_solid(void **state)
{
    (void)state;
    assert_solid(rod, POV_PI * 0.0025 * (1.3 + 4.0 / 3 * 0.05), 0.12); /* of 8 sides */
    pov_model *model = drawn(hook);
    assert_int_equal(solid_open_edges(model), 0);
    assert_true(solid_volume_m3(model) > 0);
    pov_model_destroy(&model);
}

static void ball(pov_brush brush)
{
    const pov_bone bone = {{0.1, 0, 0}, {0.1, 0, 0}, 0.2, 0.2, false};
    pov_shape_skin(brush, &bone, 1, 0.02, 0.02);
}

static void two_balls(pov_brush brush)
{
    const pov_bone bone = {{0, 0.3, 0}, {0, 0.3, 0}, 0.2, 0.2, true};
    pov_shape_skin(brush, &bone, 1, 0.01, 0.03);
}

static void capsule(pov_brush brush)
{
    const pov_bone bone = {{-0.2, 0, 0.1}, {0.2, 0.1, 0.2}, 0.1, 0.1, false};
    pov_shape_skin(brush, &bone, 1, 0.02, 0.02);
}

static void skins_are_solid(void **state)
{
    (void)state;
    assert_solid(ball, 4 * POV_PI / 3 * 0.008, 0.01);
    assert_solid(two_balls, 8 * POV_PI / 3 * 0.008, 0.02);
    assert_solid(capsule, POV_PI * 0.01 * (sqrt(0.18) + 4.0 / 30), 0.01);
}

static void a_ball_of_revolution_is_as_far_from_its_middle_everywhere(void **state)
{
    (void)state;
    pov_model *model;
    model = pov_model_new();
    pov_shape_ellipsoid(pov_brush_new(model, 0, 0), (pov_vec3){0.2, 0.2, 0.2});
    const pov_model_parts parts = pov_model_read(model);
    for (int i = 0; i < parts.vertex_len; i++) {
        const float *p = parts.positions_m[i], *n = parts.normals[i];
        assert_near(sqrt((double)p[0] * p[0] + (double)p[1] * p[1] + (double)p[2] * p[2]), 0.2, 1e-7);
        for (int k = 0; k < 3; k++)
            assert_near(n[k], p[k] / 0.2F, 1e-6);
    }
    pov_model_destroy(&model);
}

static void a_sharp_boxs_sides_each_show_the_whole_texture_upright(void **state)
{
    (void)state;
    pov_model *model;
    model = pov_model_new();
    pov_shape_box(pov_brush_new(model, 0, 0), (pov_vec3){2, 2, 2}, 0);
    const pov_model_parts parts = pov_model_read(model);
    assert_int_equal(parts.vertex_len, 24);
    for (int i = 0; i < parts.vertex_len; i++) {
        const float *p = parts.positions_m[i], *n = parts.normals[i], *uv = parts.texture_uv[i];
        if (n[2] == 0)
            assert_near(uv[1], p[2] > 0 ? 0 : 1, 0);
        if (n[0] == 1) /* seen from the front, +y is on the right */
            assert_near(uv[0], p[1] > 0 ? 1 : 0, 0);
        if (n[1] == -1)
            assert_near(uv[0], p[0] > 0 ? 1 : 0, 0);
    }
    pov_model_destroy(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_are_solid),
        cmocka_unit_test(rounded_boxes_are_solid),
        cmocka_unit_test(ellipsoids_are_solid),
        cmocka_unit_test(turned_parts_are_solid),
        cmocka_unit_test(plates_are_solid_whichever_way_their_outline_runs),
        cmocka_unit_test(lofts_are_solid),
        cmocka_unit_test(rods_and_tubes_are_solid),
        cmocka_unit_test(skins_are_solid),
        cmocka_unit_test(a_ball_of_revolution_is_as_far_from_its_middle_everywhere),
        cmocka_unit_test(a_sharp_boxs_sides_each_show_the_whole_texture_upright),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
