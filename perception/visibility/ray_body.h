/** Intersections of rays with a box, a sphere or a capsule: several rays from one eye at a time, in single precision. Pure. */
#pragma once

#include "perception/scene/scene.h"

/** A body ready to be met. */
typedef struct {
    pov_shape shape; /* any but mesh */
    pov_vec3 centre_m;
    float R_body_table[3][3];
    float half_m[3];        /* box: half its size */
    float radius_m, tube_m; /* sphere, capsule; half the length of a capsule's tube */
} pov_ray_body;

/** The box along a mesh's own axes that holds it, and how far it reaches from its origin. */
typedef struct {
    double low_m[3], high_m[3], reach_m;
} pov_mesh_bounds;
pov_mesh_bounds pov_mesh_bounds_of(const pov_mesh *mesh);

/** The entity's body, about another centre. */
pov_ray_body pov_ray_body_of(const pov_entity *entity, pov_vec3 centre_m);

/** Half the size of the box along the table's axes about centre_m that holds the body. */
pov_vec3 pov_ray_body_reach(const pov_ray_body *body);

/** Distance along each of `len` rays to the body's surface, the first time beyond near_m; INFINITY where it misses.
 *  directions: unit vectors in the table frame: all x, then all y, then all z.
 *
 *  A box is met as if it were larger by a micrometre and a millionth of the eye's distance, more than the rounding:
 *  no ray slips between two boxes that touch. */
void pov_ray_body_meet(float *distances_m, const pov_ray_body *body, pov_vec3 eye_m, const float *directions,
                       int len, float near_m);
