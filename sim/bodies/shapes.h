/** Parts that bodies are built from. Each is closed, winds counter-clockwise seen from outside, and is smooth where it
 *  is round; parts of one body may overlap. */
#pragma once

#include "sim/bodies/model.h"

/** The place and material of the next part. A plain value: moving a copy leaves the original. */
typedef struct {
    pov_model *model;
    pov_transform T_model_part;
    int material;
    int sides; /* of an ellipsoid's equator */
} pov_brush;

enum { POV_BRUSH_SIDES = 14 };

/** At the model's origin, with a new material, POV_BRUSH_SIDES sides. gloss 0..1. */
pov_brush pov_brush_new(pov_model *model, uint32_t rgb, double gloss);
/** With a new texture too: `rgb` multiplies it. */
pov_brush pov_brush_textured(pov_model *model, const pov_texture *texture, uint32_t rgb, double gloss);
/** Moved, then turned, in its own frame. */
pov_brush pov_brush_at(pov_brush brush, pov_vec3 pos_m);
pov_brush pov_brush_turned(pov_brush brush, pov_vec3 rotation_rad);

/** A box about the part's origin, its edges and corners rounded (0: sharp; u and v then span each side, seen upright). */
void pov_shape_box(pov_brush brush, pov_vec3 size_m, double round_m);

/** About the part's origin. u goes round from +x towards +y, v from the top down. */
void pov_shape_ellipsoid(pov_brush brush, pov_vec3 half_m);

enum { POV_PROFILE_LEN_MAX = 64 };

/** A surface of revolution about z. The profile, (radius, z), has the body on its left: up along the outside. It begins
 *  and ends on the axis, or where it began (a ring). Bends under 40 degrees are smooth. */
void pov_shape_lathe(pov_brush brush, const pov_vec2 profile_m[], int profile_len, int sides);

/** A plate along y: outline (x, z), either way round, not crossing itself. Bends under 40 degrees are smooth. */
void pov_shape_plate(pov_brush brush, const pov_vec2 outline_m[], int outline_len, double thickness_m);

/** A cross-section: half_m.x across (along y where the loft runs in the xz plane), half_m.y in the other direction. */
typedef struct {
    pov_vec3 centre_m;
    pov_vec2 half_m;
} pov_ring;

typedef struct {
    int sides, steps;  /* round the section; between two rings (1: straight, more: a smooth curve) */
    double squareness; /* 2 an ellipse, 4 and more a rounded rectangle (Lame 1818) */
    bool level;        /* rings lie flat (across: y, other: x), not square to the curve: for what stands */
} pov_loft;

enum { POV_RING_LEN_MAX = 24 };

/** A skin over rings along a curve. Ends are flat, or pointed where the last ring is of no size. */
void pov_shape_loft(pov_brush brush, const pov_ring rings[], int ring_len, pov_loft loft);

/** A straight wire with round ends. */
void pov_shape_rod(pov_brush brush, pov_vec3 from_m, pov_vec3 to_m, double radius_m);

/** A curved wire through the points, with round ends. */
void pov_shape_tube(pov_brush brush, const pov_vec3 path_m[], int path_len, double radius_m);

/** A cone with round ends; `paired`: and its mirror image in y. */
typedef struct {
    pov_vec3 from_m, to_m;
    double from_radius_m, to_radius_m;
    bool paired;
} pov_bone;

/** A smooth skin over bones that flow into one another where they meet: Muraki 1991, "blobby" surfaces, meshed by surface
 *  nets (Gibson 1998), textured from the side. blend_m: how far; cell_m: how fine. Bones thinner than a cell may be missed. */
void pov_shape_skin(pov_brush brush, const pov_bone bones[], int bone_len, double blend_m, double cell_m);
