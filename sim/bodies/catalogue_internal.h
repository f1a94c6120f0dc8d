/** Shared by the catalogue's files: a body's parameters, and short names for the parts it is built from.
 *
 *  Bodies are written in metres about any origin, the front along +x and z up; the catalogue fits them to their size. */
#ifndef POV_SIM_BODIES_CATALOGUE_INTERNAL_H
#define POV_SIM_BODIES_CATALOGUE_INTERNAL_H

#include "sim/bodies/catalogue.h"
#include "sim/bodies/shapes.h"

/** A body being built. */
typedef struct {
    pov_model *model;
    uint32_t colour; /* of the main part */
    uint64_t variant;
    uint64_t random; /* state of the variant's dice */
} pov_body;

/** In [low, high], as the variant has it; the middle for the plain one. */
double pov_body_vary(pov_body *body, double low, double high);
/** One of the colours; the first for the plain one. */
uint32_t pov_body_pick(pov_body *body, const uint32_t colours[], int len);
/** Darker (factor < 1) or lighter. */
uint32_t pov_shade(uint32_t rgb, double factor);

/** A dark eye with a highlight at a place of a head. */
void pov_body_eye(pov_body *body, pov_vec3 pos_m, double radius_m);

enum { POV_BLACK = 0x141414, POV_WHITE = 0xF2F2F0, POV_CHROME = 0xB8BCC0, POV_WOOD = 0xA9743F };

typedef void pov_body_builder(pov_body *body);
pov_body_builder pov_body_ball, pov_body_basketball, pov_body_bat, pov_body_banana, pov_body_bed,
    pov_body_bench, pov_body_bicycle, pov_body_book, pov_body_bottle, pov_body_bowl, pov_body_box,
    pov_body_bus, pov_body_car, pov_body_cat, pov_body_chair, pov_body_child, pov_body_container,
    pov_body_cow, pov_body_cup, pov_body_desk, pov_body_dog, pov_body_apple, pov_body_goblet, pov_body_horse,
    pov_body_keyboard, pov_body_lamp, pov_body_laptop, pov_body_man, pov_body_minifigure, pov_body_monitor,
    pov_body_mug, pov_body_pen, pov_body_phone, pov_body_plant, pov_body_plate, pov_body_rubber_duck,
    pov_body_sofa, pov_body_table, pov_body_teddy_bear, pov_body_truck, pov_body_vase, pov_body_wardrobe,
    pov_body_woman;

#define V3(...) ((pov_vec3){__VA_ARGS__})

static inline pov_brush paint(pov_body *body, uint32_t rgb, double gloss)
{
    return pov_brush_new(body->model, rgb, gloss);
}

/** For details too small to see their corners. */
static inline pov_brush small(pov_brush brush)
{
    brush.sides = 8;
    return brush;
}

static inline pov_brush at(pov_brush brush, double x_m, double y_m, double z_m)
{
    return pov_brush_at(brush, V3(x_m, y_m, z_m));
}

/** By degrees about y: positive tips the front down. */
static inline pov_brush pitched(pov_brush brush, double degrees)
{
    return pov_brush_turned(brush, V3(0, degrees * POV_PI / 180, 0));
}

static inline pov_brush yawed(pov_brush brush, double degrees)
{
    return pov_brush_turned(brush, V3(0, 0, degrees * POV_PI / 180));
}

static inline pov_brush rolled(pov_brush brush, double degrees)
{
    return pov_brush_turned(brush, V3(degrees * POV_PI / 180, 0, 0));
}

static inline void box(pov_brush brush, double x_m, double y_m, double z_m, double round_m)
{
    pov_shape_box(brush, V3(x_m, y_m, z_m), round_m);
}

static inline void ellipsoid(pov_brush brush, double x_m, double y_m, double z_m)
{
    pov_shape_ellipsoid(brush, V3(x_m, y_m, z_m));
}

/* Parts from a list: LATHE(brush, sides, {radius, z}, ...), PLATE(brush, thickness, {x, z}, ...),
 * TUBE(brush, radius, {x, y, z}, ...), LOFT(brush, style, {{x, y, z}, {across, up}}, ...), SKIN(brush, blend, cell, bones). */
#define LEN(list) ((int)(sizeof(list) / sizeof *(list)))
#define LATHE(brush, sides, ...)                                                                             \
    pov_shape_lathe(brush, (const pov_vec2[]){__VA_ARGS__}, LEN(((pov_vec2[]){__VA_ARGS__})), sides)
#define PLATE(brush, thickness_m, ...)                                                                       \
    pov_shape_plate(brush, (const pov_vec2[]){__VA_ARGS__}, LEN(((pov_vec2[]){__VA_ARGS__})), thickness_m)
#define TUBE(brush, radius_m, ...)                                                                           \
    pov_shape_tube(brush, (const pov_vec3[]){__VA_ARGS__}, LEN(((pov_vec3[]){__VA_ARGS__})), radius_m)
#define LOFT(brush, style, ...)                                                                              \
    pov_shape_loft(brush, (const pov_ring[]){__VA_ARGS__}, LEN(((pov_ring[]){__VA_ARGS__})), style)
#define SKIN(brush, blend_m, cell_m, ...)                                                                    \
    pov_shape_skin(brush, (const pov_bone[]){__VA_ARGS__}, LEN(((pov_bone[]){__VA_ARGS__})), blend_m, cell_m)

#define ROUND  ((pov_loft){.sides = 12, .steps = 3, .squareness = 2})
#define SQUARE ((pov_loft){.sides = 20, .steps = 2, .squareness = 5})
#define LEVEL  ((pov_loft){.sides = 20, .steps = 2, .squareness = 5, .level = true})
#define PIPE   ((pov_loft){.sides = 10, .steps = 2, .squareness = 2})

#endif
