/** Ray casting: the bodies of a scene in Embree's acceleration structure. Embree intersects
 * meshes; ray_body.h intersects boxes, spheres and capsules. Bodies are surfaces: a room's box does not hide things that
 * share the room. Distances are along unit rays, in metres; directions in the table frame. */
#pragma once

#include "perception/visibility/visibility_noise.h"

enum { POV_RAY_LANES = 16 };     /* rays go in bundles, which Embree follows together */
enum { POV_IGNORED_BODIES = 3 }; /* the viewer's own, the target's, and of where the viewer is imagined */
enum { POV_NEAR_MAX = 8 };       /* up to so many bodies are intersected faster one by one */

typedef struct pov_occlusion pov_occlusion;

/** The bodies that rays could meet. */
typedef struct {
    int len; /* above POV_NEAR_MAX: too many, or a mesh; then Embree finds the bodies, unless they are shifted */
    pov_id ids[POV_ENTITY_MAX];
} pov_near_bodies;

/** Rays from one eye. */
typedef struct {
    const pov_near_bodies *near; /* without the ignored */
    const pov_vec3 *shifts_m;    /* of the bodies, by id; NULL: they are where the scene has them */
    const pov_inset *insets;     /* the bodies' shapes, by id; NULL: as the scene has them */
    pov_vec3 eye_m;
    pov_id ignored[POV_IGNORED_BODIES]; /* bodies that hide nothing here */
    bool wanted[POV_RAY_LANES];         /* the others, and those with NaN, are not followed */
    float direction[3][POV_RAY_LANES];  /* unit vectors */
    float reach_m[POV_RAY_LANES];       /* how far to follow */
} pov_ray_bundle;

/** A body can hide and be seen: placed, finite, of positive size along all its axes (a mesh: with triangles).
 */
bool pov_entity_has_body(const pov_entity *entity);

POV_MUST_USE pov_status pov_occlusion_new(pov_occlusion **occlusion);
void pov_occlusion_destroy(pov_occlusion **occlusion);

/** Takes over a scene: copies it and builds the structure, once per image. Embree allocates as it sees fit;
 * this code does not. Meshes are borrowed as in the scene. Returns: POV_ERROR if Embree fails (message says
 * how). Cost: about 30 us for 20 bodies. */
POV_MUST_USE pov_status pov_occlusion_update(pov_occlusion *occlusion, const pov_scene *scene);

/** The points of the noise's nodes, made by _new. */
const pov_noise_points *pov_occlusion_noise_points(const pov_occlusion *occlusion);

/** The copy of the scene given last; empty before. */
const pov_scene *pov_occlusion_scene(const pov_occlusion *occlusion);

/** The body that each wanted ray meets first within its reach, or POV_ID_NONE. */
void pov_occlusion_first(const pov_occlusion *occlusion, pov_id first[POV_RAY_LANES],
                         const pov_ray_bundle *rays);

/** Tests whether each wanted ray meets any body within its reach; faster than asking which. */
void pov_occlusion_any(const pov_occlusion *occlusion, bool hidden[POV_RAY_LANES],
                       const pov_ray_bundle *rays);

/** Distance at which each wanted ray meets one body of shape mesh; INFINITY where it misses. Nothing is
 * ignored. */
void pov_occlusion_mesh_distance(const pov_occlusion *occlusion, float distance_m[POV_RAY_LANES],
                                 const pov_ray_bundle *rays, pov_id mesh);

/** The bounds of a body of shape mesh. */
const pov_mesh_bounds *pov_occlusion_mesh_bounds(const pov_occlusion *occlusion, pov_id mesh);
