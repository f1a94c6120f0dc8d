/** Portraits made ready for finding: points with colours, and for a first look a few large patches. Private to object_*.c. */
#pragma once

#include "perception/appearance/portrait.h"
#include "perception/objects/object_palette.h"
#include "perception/status.h"

enum {
    OBJECT_CELL_PX = 4,
    OBJECT_CELL_SIDE = POV_PORTRAIT_SIDE / OBJECT_CELL_PX,
    OBJECT_CELLS = OBJECT_CELL_SIDE * OBJECT_CELL_SIDE,
    OBJECT_PATCH_MAX = OBJECT_CELLS,
    OBJECT_RIM_MAX = 160,
    OBJECT_EDGE_MAX = 320,
    OBJECT_POINT_MAX = POV_PORTRAIT_AREA
};

typedef struct {
    float place_m[3]; /* in the object's frame */
    uint8_t colour[3], cell;
} object_point;

/* The points of a portrait once more, row by row: the pixels of the rectangle that holds them all. */
typedef struct {
    int width, height, len;      /* len: width * height */
    float *place_m[3], *tone[3]; /* in the object's frame; 0 where there is no point */
    float *is_point;             /* 1 or 0 */
    uint8_t *cell;
    uint8_t count[OBJECT_CELLS]; /* points in each cell */
} object_raster;

/* The outline: places just outside it, and the raster's pixel inside. */
typedef struct {
    int len;
    float beside_m[3][OBJECT_EDGE_MAX];
    int16_t at[OBJECT_EDGE_MAX];
} object_outline;

/* Mean colours of patches, as direction and length, and what agreeing with each is worth: less than nothing outside the object. */
typedef struct {
    int len;
    float place_m[3][OBJECT_PATCH_MAX]; /* turned so that the eye is toward +x */
    float direction[3][OBJECT_PATCH_MAX], log_length[OBJECT_PATCH_MAX], worth[OBJECT_PATCH_MAX];
    float worth_before[OBJECT_PATCH_MAX + 1]; /* of all inside the object before this one */
} object_patches;

typedef struct {
    double azimuth_rad; /* of the eye, in the object's frame */
    pov_vec3 eye_m;
    int point_len, rim_len;
    object_point *points;             /* each part of the list is spread over all of the object */
    object_patches patches;           /* each part of the list is spread over all of the object */
    object_point rim[OBJECT_RIM_MAX]; /* just outside, with the colour just inside */
    object_raster raster;
    object_outline outline;
} object_portrait;

typedef struct {
    int len, left_out; /* left_out: a portrait not to be used, or -1 */
    double radius_m, height_m, scatter, widening_place, widening_yaw, elevation_rad;
    int symmetry;
    bool has_front;
    double front_rad;          /* in the object's frame */
    pov_vec3 size_m, middle_m; /* of its box along the front, and where that is in the object's frame */
    object_portrait portraits[POV_PORTRAIT_MAX]; /* in order of azimuth */
    object_point *points;
    float *numbers; /* of all rasters */
    uint8_t *cells;
} object_model;

/* Two portraits between which the eye is, and the share of the second. */
typedef struct {
    const object_portrait *portrait[2];
    double share[2];
} object_pair;

POV_MUST_USE pov_status pov_object_model_new(object_model **model, const pov_portraits *portraits);
void pov_object_model_destroy(object_model **model);

object_pair pov_object_model_between(const object_model *model, double azimuth_rad);
const object_portrait *pov_object_model_nearest(const object_model *model, double azimuth_rad);
