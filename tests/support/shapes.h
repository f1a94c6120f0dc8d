/** Simple bodies to draw: what is asked of them is known exactly. Include after what declares POV_REQUIRE. */
#pragma once

#include "sim/bodies/model.h"

#include <math.h>

static inline pov_model *test_shape_new(uint32_t rgb, float gloss)
{
    pov_model *model = pov_model_new();
    pov_material material = {.gloss = gloss, .gloss_exponent = 40, .texture = POV_TEXTURE_NONE};
    pov_albedo_from_srgb(material.albedo, rgb);
    pov_model_add_material(model, &material);
    return model;
}

/** Four corners, counter-clockwise seen from where it faces. */
static inline void test_shape_add_quad(pov_model *model, const float corners[4][3])
{
    static const float uv[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    float a[3], b[3];
    for (int k = 0; k < 3; k++) {
        a[k] = corners[1][k] - corners[0][k];
        b[k] = corners[3][k] - corners[0][k];
    }
    const pov_vec3 n =
        pov_vec3_unit(pov_vec3_cross((pov_vec3){a[0], a[1], a[2]}, (pov_vec3){b[0], b[1], b[2]}));
    const float normal[3] = {(float)n.x, (float)n.y, (float)n.z};
    uint32_t at[4];
    for (int i = 0; i < 4; i++)
        at[i] = (uint32_t)pov_model_add_vertex(model, corners[i], normal, uv[i]);
    pov_model_add_triangle(model, (uint32_t[]){at[0], at[1], at[2]}, 0);
    pov_model_add_triangle(model, (uint32_t[]){at[0], at[2], at[3]}, 0);
}

/** A square in the plane z = 0, facing up. */
static inline pov_model *test_square_new(double edge_m, uint32_t rgb)
{
    pov_model *model = test_shape_new(rgb, 0);
    const float h = (float)(edge_m / 2);
    test_shape_add_quad(model, (const float[4][3]){{-h, -h, 0}, {h, -h, 0}, {h, h, 0}, {-h, h, 0}});
    return model;
}

static inline pov_model *test_box_new(pov_vec3 size_m, uint32_t rgb)
{
    pov_model *model = test_shape_new(rgb, 0.2F);
    const float x = (float)(size_m.x / 2), y = (float)(size_m.y / 2), z = (float)(size_m.z / 2);
    const float sides[6][4][3] = {
        {{x, -y, -z}, {x, y, -z}, {x, y, z}, {x, -y, z}},
        {{-x, y, -z}, {-x, -y, -z}, {-x, -y, z}, {-x, y, z}},
        {{x, y, -z}, {-x, y, -z}, {-x, y, z}, {x, y, z}},
        {{-x, -y, -z}, {x, -y, -z}, {x, -y, z}, {-x, -y, z}},
        {{-x, -y, z}, {x, -y, z}, {x, y, z}, {-x, y, z}},
        {{-x, y, -z}, {x, y, -z}, {x, -y, -z}, {-x, -y, -z}},
    };
    for (int i = 0; i < 6; i++)
        test_shape_add_quad(model, sides[i]);
    return model;
}

/** Rings of quads; the vertices lie on the sphere. 2 * meridians * (parallels - 1) triangles. */
static inline pov_model *test_sphere_new(double radius_m, int meridians, int parallels, uint32_t rgb)
{
    pov_model *model = test_shape_new(rgb, 0.3F);
    for (int j = 0; j <= parallels; j++)
        for (int i = 0; i <= meridians; i++) {
            const double turn = 2 * POV_PI * i / meridians, rise = POV_PI * (j / (double)parallels - 0.5);
            const float n[3] = {(float)(cos(turn) * cos(rise)), (float)(sin(turn) * cos(rise)),
                                (float)sin(rise)};
            const float p[3] = {(float)radius_m * n[0], (float)radius_m * n[1], (float)radius_m * n[2]};
            const float uv[2] = {(float)i / (float)meridians, 1 - (float)j / (float)parallels};
            pov_model_add_vertex(model, p, n, uv);
        }
    for (int j = 0; j < parallels; j++)
        for (int i = 0; i < meridians; i++) {
            const uint32_t a = (uint32_t)(j * (meridians + 1) + i), b = a + (uint32_t)meridians + 1;
            if (j > 0)
                pov_model_add_triangle(model, (uint32_t[]){a, a + 1, b + 1}, 0);
            if (j < parallels - 1)
                pov_model_add_triangle(model, (uint32_t[]){a, b + 1, b}, 0);
        }
    return model;
}
