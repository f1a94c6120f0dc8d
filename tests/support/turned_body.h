/** Pictures of a simulated body on a dark ground as it turns before a camera that stands still. Include after cmocka.h. */
#pragma once

#include "perception/image/image.h"
#include "sim/bodies/catalogue.h"
#include "sim/render/renderer.h"
#include "tests/support/random.h"

#include <stdlib.h>

enum { TEST_BODY_SIDE_PX = 96, TEST_BODY_AREA_PX = TEST_BODY_SIDE_PX * TEST_BODY_SIDE_PX };

typedef struct {
    pov_model *model;
    pov_renderer *renderer;
    pov_camera camera;
    double distance_m;
    float (*light)[3];
    uint8_t *pixels;
    test_random random;
} test_body;

/** How a picture differs from the plain one. */
typedef struct {
    double shift_px[2], scale, gain, noise; /* scale and gain 1: none; noise in levels */
} test_disturbance;

/** Takes over the model. */
static inline test_body test_body_new(pov_model *model)
{
    pov_vec3 centre, size;
    test_body body = {.model = model,
                      .light = calloc(TEST_BODY_AREA_PX, sizeof(float[3])),
                      .pixels = calloc(TEST_BODY_AREA_PX, 3)};
    assert_non_null(body.light);
    assert_non_null(body.pixels);
    pov_model_bounds(model, &centre, &size);
    body.distance_m = 5 * pov_vec3_norm(size);
    body.camera = (pov_camera){.width_px = TEST_BODY_SIDE_PX,
                               .height_px = TEST_BODY_SIDE_PX,
                               .fx_px = 4.4 * TEST_BODY_SIDE_PX,
                               .fy_px = 4.4 * TEST_BODY_SIDE_PX,
                               .cx_px = 0.5 * (TEST_BODY_SIDE_PX - 1),
                               .cy_px = 0.5 * (TEST_BODY_SIDE_PX - 1)};
    assert_int_equal(pov_renderer_new(&body.renderer).code, POV_OK);
    const pov_instance instance = {model, pov_transform_identity(), 0};
    pov_lighting lighting = POV_LIGHTING_DEFAULT;
    lighting.lamp_m = (pov_vec3){3, -2, 4};
    for (int i = 0; i < 3; i++)
        lighting.sky[i] = 0.01F;
    assert_int_equal(pov_renderer_set(body.renderer, &instance, 1, &lighting).code, POV_OK);
    return body;
}

static inline test_body test_body_named(const char *class_name)
{
    pov_model *model;
    assert_int_equal(pov_catalogue_build(&model, class_name, NULL).code, POV_OK);
    return test_body_new(model);
}

static inline void test_body_free(test_body *body)
{
    pov_renderer_destroy(&body->renderer);
    pov_model_destroy(&body->model);
    free(body->light);
    free(body->pixels);
}

static inline uint8_t test_body_level(test_body *body, double light, const test_disturbance *how)
{
    const double level =
        255 * pow(fmin(light, 1), 1 / 2.2) * how->gain + how->noise * test_random_normal(&body->random);
    return (uint8_t)lround(fmin(fmax(level, 0), 255));
}

/** The body turned counter-clockwise by an angle, seen from 20 degrees above; pixels are the body's. */
static inline pov_image test_body_image(test_body *body, double angle_rad, const test_disturbance *how)
{
    const test_disturbance none = {{0, 0}, 1, 1, 0};
    how = how ? how : &none;
    pov_camera camera = body->camera;
    camera.cx_px += how->shift_px[0];
    camera.cy_px += how->shift_px[1];
    camera.fx_px *= how->scale;
    camera.fy_px *= how->scale;
    const pov_vec3 eye = {0.94 * body->distance_m, 0, 0.342 * body->distance_m};
    const pov_transform T_table_model = {pov_rot_yaw(angle_rad), {0, 0, 0}};
    assert_int_equal(pov_renderer_move(body->renderer, &T_table_model, 1).code, POV_OK);
    assert_int_equal(pov_renderer_look(body->renderer, &camera,
                                       pov_transform_look_at(eye, (pov_vec3){0}, (pov_vec3){0, 0, 1}))
                         .code,
                     POV_OK);
    pov_rendering rendering = {.light = body->light};
    pov_renderer_draw(body->renderer, &rendering, 0, TEST_BODY_SIDE_PX);
    for (int i = 0; i < 3 * TEST_BODY_AREA_PX; i++)
        body->pixels[i] = test_body_level(body, (double)body->light[i / 3][i % 3], how);
    return (pov_image){.pixels = body->pixels,
                       .width_px = TEST_BODY_SIDE_PX,
                       .height_px = TEST_BODY_SIDE_PX,
                       .stride_bytes = 3 * TEST_BODY_SIDE_PX};
}
