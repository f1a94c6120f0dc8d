/** Draws models as a camera sees them, by Embree rays: light reaching each pixel, and the exact truth of what it is.
 *  Deterministic: the same pixels whichever thread draws which rows. */
#pragma once

#include "perception/geometry/camera.h"
#include "sim/bodies/model.h"

/** A model standing somewhere. */
typedef struct {
    const pov_model *model;
    pov_transform T_table_model;
    int label; /* written into the truth where this is seen; >= 0 */
} pov_instance;

/** A lamp (a disc aimed at the table's origin: soft shadows) under a sky. */
typedef struct {
    pov_vec3 lamp_m; /* centre, table frame */
    double lamp_radius_m;
    double lamp_strength; /* light on a surface that faces the lamp, unshadowed, however far */
    float lamp_colour[3]; /* linear; white is 1, 1, 1 */
    double ambient;       /* light from the sky, which reaches shadows too; less from below */
    float sky[3];         /* where a ray meets nothing; linear */
    bool shadows;
} pov_lighting;
#define POV_LIGHTING_DEFAULT                                                                                 \
    ((pov_lighting){.lamp_m = {1.5, -1.0, 4},                                                                \
                    .lamp_radius_m = 0.4,                                                                    \
                    .lamp_strength = 0.85,                                                                   \
                    .lamp_colour = {1, 1, 1},                                                                \
                    .ambient = 0.35,                                                                         \
                    .sky = {0.62F, 0.66F, 0.70F},                                                            \
                    .shadows = true})

enum { POV_LABEL_NOTHING = -1 };

/** Results, camera->width_px x height_px each, rows top to bottom. Any may be NULL. */
typedef struct {
    float (*light)[3]; /* linear RGB, mean over the pixel's area; 1 is a white surface fully lit */
    int16_t *label;    /* of what the ray through the pixel's centre meets, or POV_LABEL_NOTHING */
    float *depth_m;    /* distance along the camera's z axis of that meeting; INFINITY where nothing */
} pov_rendering;

typedef struct pov_renderer pov_renderer;

POV_MUST_USE pov_status pov_renderer_new(pov_renderer **renderer);
void pov_renderer_destroy(pov_renderer **renderer);

/** Takes over what there is: builds every model (milliseconds per 10,000 triangles). Instances may share a model.
 *  Models are read until the next pov_renderer_set or the end.
 *  Returns: POV_ERROR if Embree fails or memory runs out; then there is nothing to see. */
POV_MUST_USE pov_status pov_renderer_set(pov_renderer *renderer, const pov_instance *instances,
                                         int instance_len, const pov_lighting *lighting);

/** Moves each instance of the last pov_renderer_set; 0.3 ms per 10,000 triangles that move. */
POV_MUST_USE pov_status pov_renderer_move(pov_renderer *renderer, const pov_transform *T_table_model,
                                          int len);

/** Changes the light. */
void pov_renderer_light(pov_renderer *renderer, const pov_lighting *lighting);

/** Chooses the camera: any lens of perception/geometry/camera.h, its rays computed once per camera. A new pose costs nothing.
 *  Returns: POV_ERROR naming the field for a bad camera. */
POV_MUST_USE pov_status pov_renderer_look(pov_renderer *renderer, const pov_camera *camera,
                                          pov_transform T_table_camera);

enum { POV_RENDERER_BAND_PX = 30 };

/** Draws rows [first_row, end_row): several threads may draw disjoint rows of one rendering at the same time. Bands of
 *  POV_RENDERER_BAND_PX rows, counted from the top, need the fewest rays.
 *  A pixel that differs from one of its neighbours in light, or is half in shadow, gets 16 rays, and up to 32 points of the
 *  lamp: edges of bodies, textures and shadows are the mean over the pixel's area. Others get one ray and one point; what
 *  is thinner than a pixel may slip between. */
void pov_renderer_draw(const pov_renderer *renderer, pov_rendering *rendering, int first_row, int end_row);
