#include "sim/bodies/model.h"

#include "config/files/grow.h"
#include "perception/image/colour.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pov_model {
    int vertex_len, triangle_len, material_len, texture_len;
    int vertex_capacity, triangle_capacity, material_capacity, texture_capacity;
    float (*positions_m)[3];
    float (*normals)[3];
    float (*texture_uv)[2];
    uint32_t (*triangles)[3];
    uint16_t *triangle_material;
    pov_material *materials;
    pov_texture *textures; /* their pixels are this model's */
};

pov_model *pov_model_new(void)
{
    return pov_allocate(1, sizeof(pov_model));
}

void pov_model_destroy(pov_model **model)
{
    pov_model *m = *model;
    if (!m)
        return;
    for (int i = 0; i < m->texture_len; i++)
        free((void *)m->textures[i].pixels);
    free(m->textures);
    free(m->materials);
    free(m->triangle_material);
    free(m->triangles);
    free(m->texture_uv);
    free(m->normals);
    free(m->positions_m);
    free(m);
    *model = NULL;
}

pov_model_parts pov_model_read(const pov_model *model)
{
    return (pov_model_parts){
        .vertex_len = model->vertex_len,
        .triangle_len = model->triangle_len,
        .material_len = model->material_len,
        .texture_len = model->texture_len,
        .positions_m = (const float(*)[3])model->positions_m,
        .normals = (const float(*)[3])model->normals,
        .texture_uv = (const float(*)[2])model->texture_uv,
        .triangles = (const uint32_t(*)[3])model->triangles,
        .triangle_material = model->triangle_material,
        .materials = model->materials,
        .textures = model->textures,
    };
}

int pov_model_add_vertex(pov_model *model, const float position_m[3], const float normal[3],
                         const float uv[2])
{
    int normals = model->vertex_capacity, uvs = model->vertex_capacity, i = model->vertex_len++;
    POV_REQUIRE_MEMORY(pov_grow(&model->normals, &normals, i, sizeof *model->normals) &&
                       pov_grow(&model->texture_uv, &uvs, i, sizeof *model->texture_uv) &&
                       pov_grow(&model->positions_m, &model->vertex_capacity, i, sizeof *model->positions_m));
    memcpy(model->positions_m[i], position_m, sizeof model->positions_m[i]);
    memcpy(model->normals[i], normal, sizeof model->normals[i]);
    memcpy(model->texture_uv[i], uv, sizeof model->texture_uv[i]);
    return i;
}

int pov_model_add_triangle(pov_model *model, const uint32_t vertices[3], int material)
{
    POV_REQUIRE(material >= 0 && material < model->material_len);
    for (int k = 0; k < 3; k++)
        POV_REQUIRE(vertices[k] < (uint32_t)model->vertex_len);
    int materials = model->triangle_capacity, i = model->triangle_len++;
    POV_REQUIRE_MEMORY(pov_grow(&model->triangle_material, &materials, i, sizeof *model->triangle_material) &&
                       pov_grow(&model->triangles, &model->triangle_capacity, i, sizeof *model->triangles));
    memcpy(model->triangles[i], vertices, sizeof model->triangles[i]);
    model->triangle_material[i] = (uint16_t)material;
    return i;
}

int pov_model_add_material(pov_model *model, const pov_material *material)
{
    POV_REQUIRE(model->material_len < UINT16_MAX);
    POV_REQUIRE(material->texture < model->texture_len);
    POV_REQUIRE_MEMORY(pov_grow(&model->materials, &model->material_capacity, model->material_len,
                                sizeof *model->materials));
    model->materials[model->material_len] = *material;
    return model->material_len++;
}

int pov_model_add_texture(pov_model *model, const pov_texture *texture)
{
    POV_REQUIRE(texture->width_px > 0 && texture->height_px > 0);
    POV_REQUIRE(
        pov_grow(&model->textures, &model->texture_capacity, model->texture_len, sizeof *model->textures));
    size_t size = 3 * (size_t)texture->width_px * (size_t)texture->height_px;
    uint8_t *pixels = malloc(size);
    POV_REQUIRE_MEMORY(pixels);
    memcpy(pixels, texture->pixels, size);
    model->textures[model->texture_len] = *texture;
    model->textures[model->texture_len].pixels = pixels;
    return model->texture_len++;
}

static void moved_point(float moved[3], const float point[3], pov_transform T)
{
    pov_vec3 p = pov_transform_apply(T, (pov_vec3){point[0], point[1], point[2]});
    moved[0] = (float)p.x;
    moved[1] = (float)p.y;
    moved[2] = (float)p.z;
}

void pov_model_append(pov_model *model, const pov_model *part, pov_transform T_model_part)
{
    const int vertex_first = model->vertex_len, material_first = model->material_len;
    const int texture_first = model->texture_len;
    const pov_transform turn = {T_model_part.R, {0, 0, 0}};
    for (int i = 0; i < part->texture_len; i++)
        pov_model_add_texture(model, &part->textures[i]);
    for (int i = 0; i < part->material_len; i++) {
        pov_material material = part->materials[i];
        if (material.texture != POV_TEXTURE_NONE)
            material.texture += texture_first;
        pov_model_add_material(model, &material);
    }
    for (int i = 0; i < part->vertex_len; i++) {
        float position_m[3], normal[3];
        moved_point(position_m, part->positions_m[i], T_model_part);
        moved_point(normal, part->normals[i], turn);
        pov_model_add_vertex(model, position_m, normal, part->texture_uv[i]);
    }
    for (int i = 0; i < part->triangle_len; i++) {
        uint32_t vertices[3];
        for (int k = 0; k < 3; k++)
            vertices[k] = part->triangles[i][k] + (uint32_t)vertex_first;
        pov_model_add_triangle(model, vertices, part->triangle_material[i] + material_first);
    }
}

static void bounds_along(const pov_model *model, int axis, double *centre_m, double *size_m)
{
    float low = INFINITY, high = -INFINITY;
    for (int i = 0; i < model->vertex_len; i++) {
        low = fminf(low, model->positions_m[i][axis]);
        high = fmaxf(high, model->positions_m[i][axis]);
    }
    *centre_m = model->vertex_len ? ((double)low + (double)high) / 2 : 0;
    *size_m = model->vertex_len ? (double)high - (double)low : 0;
}

void pov_model_bounds(const pov_model *model, pov_vec3 *centre_m, pov_vec3 *size_m)
{
    bounds_along(model, 0, &centre_m->x, &size_m->x);
    bounds_along(model, 1, &centre_m->y, &size_m->y);
    bounds_along(model, 2, &centre_m->z, &size_m->z);
}

/** A normal of a stretched surface: it stretches by the inverse. */
static void stretch_normal(float normal[3], const double factor[3])
{
    double n[3], norm = 0;
    for (int k = 0; k < 3; k++) {
        n[k] = (double)normal[k] / factor[k];
        norm += n[k] * n[k];
    }
    for (int k = 0; k < 3 && norm > 0; k++)
        normal[k] = (float)(n[k] / sqrt(norm));
}

pov_stretch pov_model_stretch_to(const pov_model *model, pov_vec3 size_m)
{
    pov_vec3 centre_m, bounds_m;
    pov_model_bounds(model, &centre_m, &bounds_m);
    return (pov_stretch){centre_m,
                         {bounds_m.x > 0 ? size_m.x / bounds_m.x : 1,
                          bounds_m.y > 0 ? size_m.y / bounds_m.y : 1,
                          bounds_m.z > 0 ? size_m.z / bounds_m.z : 1}};
}

void pov_model_stretch(pov_model *model, const pov_stretch *stretch)
{
    const double centre[3] = {stretch->centre_m.x, stretch->centre_m.y, stretch->centre_m.z};
    const double factor[3] = {stretch->factor.x, stretch->factor.y, stretch->factor.z};
    for (int i = 0; i < model->vertex_len; i++) {
        for (int k = 0; k < 3; k++)
            model->positions_m[i][k] = (float)(((double)model->positions_m[i][k] - centre[k]) * factor[k]);
        stretch_normal(model->normals[i], factor);
    }
}

void pov_model_fit(pov_model *model, pov_vec3 size_m)
{
    const pov_stretch stretch = pov_model_stretch_to(model, size_m);
    pov_model_stretch(model, &stretch);
}

static float decode_channel(uint32_t channel)
{
    return (float)pov_linear_of_srgb((channel & 0xFF) / 255.0);
}

void pov_albedo_from_srgb(float albedo[3], uint32_t rgb)
{
    albedo[0] = decode_channel(rgb >> 16);
    albedo[1] = decode_channel(rgb >> 8);
    albedo[2] = decode_channel(rgb);
}
