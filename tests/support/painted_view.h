/** A painted box on its table, ready to be looked for by perception/objects. */
#pragma once

#include "perception/objects/object_scan.h"
#include "tests/support/painted_box.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

typedef struct {
    pov_portraits *portraits;
    object_model *model;
    pov_camera camera;
    uint8_t *pixels;
    pov_image_pyramid pyramid;
    object_tints tints;
    object_palette palette;
    object_claims claims;
    object_view view;
} painted_view;

static inline painted_view *painted_view_new(const object_place *truth, painted_scene scene)
{
    painted_view *v = calloc(1, sizeof *v);
    v->portraits = painted_portraits();
    v->camera = painted_camera();
    v->pixels = malloc(3 * (size_t)PAINTED_WIDTH_PX * PAINTED_HEIGHT_PX);
    const pov_image image = painted_image(v->pixels, truth->x_m, truth->y_m, truth->yaw_rad, scene);
    assert_int_equal(pov_object_model_new(&v->model, v->portraits).code, POV_OK);
    assert_int_equal(pov_image_pyramid_new(&v->pyramid, image.width_px, image.height_px).code, POV_OK);
    assert_int_equal(pov_object_tints_new(&v->tints, &v->pyramid).code, POV_OK);
    assert_int_equal(pov_object_claims_new(&v->claims, image.width_px, image.height_px).code, POV_OK);
    pov_image_pyramid_set(&v->pyramid, &image, NULL);
    for (int part = 0; part < 3; part++)
        pov_object_tints_set(&v->tints, &v->pyramid, part, 3);
    pov_object_palette_init(&v->palette);
    pov_object_palette_set(&v->palette, &v->pyramid);
    const pov_transform T = painted_T_table_camera();
    v->view = (object_view){&v->camera, T,   pov_transform_inverse(T), &v->pyramid, &v->tints, &v->palette,
                            &v->claims, NULL};
    return v;
}

static inline void painted_view_destroy(painted_view *v)
{
    pov_object_claims_free(&v->claims);
    pov_object_tints_free(&v->tints);
    pov_image_pyramid_free(&v->pyramid);
    pov_object_model_destroy(&v->model);
    free(v->pixels);
    free(v->portraits);
    free(v);
}
