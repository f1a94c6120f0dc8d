/** Shared by the renderer's files: packets of 16 rays, in Embree's own layout, through scene and shading. */
#pragma once

#include "perception/visibility/embree_parts.h"
#include "sim/render/renderer.h"

enum { LANES = 16 };

/** A triangle as shading wants it: all of it in one cache line. */
typedef struct {
    float normals[3][3], uv[3][2];
    int material;
} shaded_triangle;

/** The parts of a model that shading needs. */
typedef struct {
    const pov_model *model;
    pov_model_parts parts;
    shaded_triangle *triangles;
} built_model;

typedef struct {
    const built_model *built;
    RTCGeometry geometry;
    const float (*placed)[3]; /* the vertices where they stand: Embree's */
    pov_transform T_table_model;
    float R[3][3]; /* table from model */
    int label;
} placed_instance;

typedef struct {
    RTCDevice device;
    RTCScene scene;
    int model_len, instance_len;
    built_model *models;
    placed_instance *instances;
    float linear[256]; /* light of an sRGB value */
} render_scene;

POV_MUST_USE pov_status render_scene_new(render_scene *scene);
void render_scene_destroy(render_scene *scene);
POV_MUST_USE pov_status render_scene_set(render_scene *scene, const pov_instance *instances, int len);
POV_MUST_USE pov_status render_scene_move(render_scene *scene, const pov_transform *T_table_model);

/** 16 rays and what they meet; a lane that is not wanted keeps what it has. */
typedef struct {
    int wanted[LANES] __attribute__((aligned(64))); /* -1 or 0, as Embree wants it */
    struct RTCRayHit16 embree;
} ray_packet;

void render_scene_meet(const render_scene *scene, ray_packet *packet);
/** A triangle of an instance, as Embree numbers them; RTC_INVALID_GEOMETRY_ID: none. */
typedef struct {
    uint32_t instance, triangle;
} triangle_name;
/** The same for rays that are known to meet this triangle first. */
void render_scene_meet_triangle(const render_scene *scene, ray_packet *packet, triangle_name name);
/** Sets occluded[i] where something lies on the way from from[.][i] to to[.][i]. */
void render_scene_block(const render_scene *scene, int occluded[LANES], const int wanted[LANES],
                        const float from[3][LANES], const float to[3][LANES]);

/** Directions of the rays through the pixels' centres in the camera frame, as three planes of `stride` columns, with a
 *  ring of one pixel around the image. NaN where the lens sees nothing, and beyond. */
typedef struct {
    pov_camera camera;
    int stride, rows;
    float *direction[3];
} ray_table;

/** Points that share the lamp's disc evenly, one a lane; each set of them alone, too. A turn is about the disc's centre. */
enum { LAMP_TURNS = 64, LAMP_SETS = 2 };
typedef struct {
    pov_lighting light;
    float points[LAMP_TURNS][LAMP_SETS][LANES][3];
} render_lamp;

void render_lamp_set(render_lamp *lamp, const pov_lighting *light);

struct pov_renderer {
    render_scene scene;
    render_lamp lamp;
    ray_table table;
    pov_transform T_table_camera;
};

/** Occluders between the lamp and the surfaces of a packet that face it. */
typedef enum { SHADOW_NONE, SHADOW_HALF, SHADOW_FULL } render_shadow;

/** Light that comes along each wanted ray from what it met. Other lanes: 0.
 *  Returns: the shadow on them; SHADOW_NONE if no lane faces the lamp.
 *  In: random: which turn of the lamp's points; lamp_sets: how many sets to look at where the first is seen in part;
 *      0: nothing is in the lamp's way. */
render_shadow render_shade(const pov_renderer *renderer, float light[3][LANES], const ray_packet *packet,
                           uint32_t random, int lamp_sets);
