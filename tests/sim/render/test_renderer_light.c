#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/render/renderer.h"
#include "tests/support/near.h"
#include "tests/support/shapes.h"

#include <string.h>

enum { WIDTH_PX = 200, HEIGHT_PX = 150, PIXELS = WIDTH_PX * HEIGHT_PX };

static const pov_camera CAMERA = {POV_LENS_BROWN_CONRADY, WIDTH_PX, HEIGHT_PX, 180, 180, 99.5, 74.5, {0}};
static const pov_vec3 EYE_M = {1.2, 0.1, 0.7};

static float light[PIXELS][3];

static pov_transform look(void)
{
    return pov_transform_look_at(EYE_M, (pov_vec3){0, 0, 0}, (pov_vec3){0, 0, 1});
}

static void draw(const pov_instance *instances, int len, const pov_lighting *lighting)
{
    pov_renderer *renderer;
    pov_rendering rendering = {light, NULL, NULL};
    assert_int_equal(pov_renderer_new(&renderer).code, POV_OK);
    assert_int_equal(pov_renderer_set(renderer, instances, len, lighting).code, POV_OK);
    assert_int_equal(pov_renderer_look(renderer, &CAMERA, look()).code, POV_OK);
    pov_renderer_draw(renderer, &rendering, 0, HEIGHT_PX);
    pov_renderer_destroy(&renderer);
}

/** Where the ray through a pixel's centre meets the floor. */
static pov_vec3 on_floor(int pixel)
{
    pov_vec3 camera_dir;
    assert_int_equal(
        pov_camera_unproject(&CAMERA, &camera_dir, NULL, (pov_vec2){pixel % WIDTH_PX, pixel / WIDTH_PX}),
        POV_OK);
    const pov_vec3 dir = pov_rot_apply(look().R, camera_dir);
    return pov_vec3_add(EYE_M, pov_vec3_scale(dir, -EYE_M.z / dir.z));
}

/** Share of a unit disc where x > cut. */
static double disc_beyond(double cut)
{
    const double c = fmin(1, fmax(-1, cut));
    return (acos(c) - c * sqrt(1 - c * c)) / POV_PI;
}

/** A sheet that ends at x = 0, 1 m over the floor, under a lamp 4 m over it: a point at x sees what of the lamp is beyond
 *  -3 x. */
static void under_the_edge_of_a_sheet_the_floor_sees_the_part_of_the_lamp_that_geometry_says(void **state)
{
    (void)state;
    pov_lighting lighting = POV_LIGHTING_DEFAULT;
    lighting.lamp_m = (pov_vec3){0, 0, 4};
    lighting.ambient = 0;
    lighting.lamp_strength = 1;
    pov_model *ground = test_square_new(8, 0xffffff), *sheet = test_square_new(4, 0x000000);
    const pov_instance instances[] = {{ground, pov_transform_identity(), 0},
                                      {sheet, {pov_rot_identity(), {-2, 0, 1}}, 1}};
    draw(instances, 2, &lighting);
    double squares = 0, sum = 0;
    int half_lit = 0;
    for (int i = PIXELS / 3; i < PIXELS; i++) {
        const pov_vec3 at_m = on_floor(i);
        if (fabs(at_m.y) > 0.5 || fabs(at_m.x) > 0.5)
            continue;
        const double cosine = 4 / sqrt(16 + at_m.x * at_m.x + at_m.y * at_m.y);
        const double seen = disc_beyond(-3 * at_m.x / lighting.lamp_radius_m);
        const double error = (double)light[i][0] / cosine - seen;
        assert_near(error, 0, 0.2); /* a block's sixteen looks may all be into the light, or none */
        if (seen > 0 && seen < 1) {
            squares += error * error;
            sum += error;
            half_lit++;
        }
    }
    assert_true(half_lit > 1000);
    assert_near(sum / half_lit, 0, 0.005);
    assert_true(sqrt(squares / half_lit) < 0.04);
    pov_model_destroy(&ground);
    pov_model_destroy(&sheet);
}

/** The eye's mirror image under a glossy floor, the lamp and the gleam are on one line. */
static void a_gleam_is_where_a_mirror_would_show_the_lamp(void **state)
{
    (void)state;
    pov_lighting lighting = POV_LIGHTING_DEFAULT;
    lighting.lamp_m = (pov_vec3){-1.5, -0.3, 1.2};
    pov_model *floor_model;
    floor_model = pov_model_new();
    pov_model_add_material(floor_model, &(pov_material){{0.1F, 0.1F, 0.1F}, 0.5F, 2000, POV_TEXTURE_NONE});
    const float corners[4][2] = {{-4, -4}, {4, -4}, {4, 4}, {-4, 4}};
    for (int i = 0; i < 4; i++)
        pov_model_add_vertex(floor_model, (float[3]){corners[i][0], corners[i][1], 0}, (float[3]){0, 0, 1},
                             (float[2]){0, 0});
    pov_model_add_triangle(floor_model, (uint32_t[3]){0, 1, 2}, 0);
    pov_model_add_triangle(floor_model, (uint32_t[3]){0, 2, 3}, 0);
    draw(&(pov_instance){floor_model, pov_transform_identity(), 0}, 1, &lighting);
    pov_model_destroy(&floor_model);
    double x_px = 0, y_px = 0, weights = 0;
    for (int i = PIXELS / 3; i < PIXELS; i++) {
        const double gleam = fmax(0, (double)light[i][1] - 0.3);
        x_px += gleam * (i % WIDTH_PX);
        y_px += gleam * (i / WIDTH_PX);
        weights += gleam;
    }
    const double share = EYE_M.z / (EYE_M.z + lighting.lamp_m.z);
    const pov_vec3 mirrored_m = {EYE_M.x, EYE_M.y, -EYE_M.z};
    const pov_vec3 at_m =
        pov_vec3_add(mirrored_m, pov_vec3_scale(pov_vec3_sub(lighting.lamp_m, mirrored_m), share));
    pov_vec2 expected = {0, 0};
    assert_int_equal(pov_camera_project(&CAMERA, &expected, NULL,
                                        pov_transform_apply(pov_transform_inverse(look()), at_m)),
                     POV_OK);
    assert_true(weights > 0);
    assert_near(x_px / weights, expected.x, 1);
    assert_near(y_px / weights, expected.y, 1);
}

/** One black and one white texel over a floor of 2 m. */
static void a_texture_is_sharp_or_a_ramp_between_texels(void **state)
{
    (void)state;
    static const uint8_t TEXELS[6] = {0, 0, 0, 255, 255, 255};
    pov_lighting lighting = POV_LIGHTING_DEFAULT;
    lighting.lamp_strength = 0;
    lighting.ambient = 1;
    for (int sharp = 0; sharp < 2; sharp++) {
        pov_model *mat;
        mat = pov_model_new();
        pov_model_add_texture(mat, &(pov_texture){2, 1, TEXELS, sharp});
        pov_model_add_material(mat, &(pov_material){.albedo = {1, 1, 1}, .gloss_exponent = 1, .texture = 0});
        const float corners[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
        for (int i = 0; i < 4; i++)
            pov_model_add_vertex(mat, (float[3]){corners[i][0], corners[i][1], 0}, (float[3]){0, 0, 1},
                                 (float[2]){(corners[i][0] + 1) / 2, (1 - corners[i][1]) / 2});
        pov_model_add_triangle(mat, (uint32_t[3]){0, 1, 2}, 0);
        pov_model_add_triangle(mat, (uint32_t[3]){0, 2, 3}, 0);
        draw(&(pov_instance){mat, pov_transform_identity(), 0}, 1, &lighting);
        pov_model_destroy(&mat);
        for (int i = PIXELS / 3; i < PIXELS; i++) {
            const double x_m = on_floor(i).x;
            if (fabs(on_floor(i).y) > 0.9 || fabs(x_m) > 0.45)
                continue;
            if (!sharp)
                assert_near(light[i][2], x_m + 0.5, 0.02);
            else if (fabs(x_m) > 0.02)
                assert_near(light[i][2], x_m > 0, 1e-6);
        }
    }
}

static void a_ray_that_meets_nothing_brings_the_skys_light(void **state)
{
    (void)state;
    const pov_lighting lighting = POV_LIGHTING_DEFAULT;
    draw(NULL, 0, &lighting);
    for (int i = 0; i < PIXELS; i++)
        assert_memory_equal(light[i], lighting.sky, sizeof lighting.sky);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(under_the_edge_of_a_sheet_the_floor_sees_the_part_of_the_lamp_that_geometry_says),
        cmocka_unit_test(a_gleam_is_where_a_mirror_would_show_the_lamp),
        cmocka_unit_test(a_texture_is_sharp_or_a_ramp_between_texels),
        cmocka_unit_test(a_ray_that_meets_nothing_brings_the_skys_light),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
