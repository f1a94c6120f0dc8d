/** A body that can be drawn: triangles with normals, texture coordinates and materials.
 *
 *  Its frame is that of an entity's box: x the front, y the left, z up, origin at the box's centre, metres. Triangles are
 *  counter-clockwise seen from outside. A model grows while it is built and is then only read. */
#pragma once

#include "perception/scene/scene.h"

#include <stdint.h>

enum { POV_TEXTURE_NONE = -1 };

/** Reflection of light by a surface. Colours are linear RGB, 0..1. */
typedef struct {
    float albedo[3];      /* multiplies the texture, if there is one */
    float gloss;          /* strength of the highlight, 0..1 */
    float gloss_exponent; /* Blinn 1977: 10 dull .. 500 polished */
    int texture;          /* index of a texture of this model, or POV_TEXTURE_NONE */
} pov_material;

/** Pixels that a material spreads over (u, v) in [0, 1]^2; (0, 0) is the outer corner of the top-left pixel, v grows
 *  downward. Repeats outside. */
typedef struct {
    int width_px, height_px;
    const uint8_t *pixels; /* sRGB, rows top to bottom, stride 3 * width_px */
    bool sharp;            /* a pixel is a square of one colour (printed tags); else bilinear */
} pov_texture;

/** The contents of a model: vertex_len positions, normals (unit; where smooth shading bends them) and (u, v); triangle_len
 *  triangles, each with its material. Valid until the model grows or is destroyed. */
typedef struct {
    int vertex_len, triangle_len, material_len, texture_len;
    const float (*positions_m)[3];
    const float (*normals)[3];
    const float (*texture_uv)[2];
    const uint32_t (*triangles)[3];
    const uint16_t *triangle_material;
    const pov_material *materials;
    const pov_texture *textures;
} pov_model_parts;

typedef struct pov_model pov_model;

pov_model *pov_model_new(void);
void pov_model_destroy(pov_model **model);

pov_model_parts pov_model_read(const pov_model *model);

/** Each appends and returns the new index; memory running out aborts. */
int pov_model_add_vertex(pov_model *model, const float position_m[3], const float normal[3],
                         const float uv[2]);
int pov_model_add_triangle(pov_model *model, const uint32_t vertices[3], int material);
int pov_model_add_material(pov_model *model, const pov_material *material);
/** Copies the pixels. */
int pov_model_add_texture(pov_model *model, const pov_texture *texture);
/** Appends a copy of another model moved by T (rigid), with its materials and textures. */
void pov_model_append(pov_model *model, const pov_model *part, pov_transform T_model_part);

/** The smallest box along the model's axes that holds its vertices: centre and size. Zeros without vertices. */
void pov_model_bounds(const pov_model *model, pov_vec3 *centre_m, pov_vec3 *size_m);
/** A move and a stretch along the axes: (position - centre) * factor. */
typedef struct {
    pov_vec3 centre_m, factor;
} pov_stretch;

/** The one that gives the bounds this size about the origin. */
pov_stretch pov_model_stretch_to(const pov_model *model, pov_vec3 size_m);
/** Normals follow. */
void pov_model_stretch(pov_model *model, const pov_stretch *stretch);
/** Moves and stretches along the axes so that the bounds are centred on the origin with this size; normals follow. */
void pov_model_fit(pov_model *model, pov_vec3 size_m);

/** An albedo from an sRGB colour, 0xRRGGBB. */
void pov_albedo_from_srgb(float albedo[3], uint32_t rgb);
