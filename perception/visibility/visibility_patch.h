/** The directions toward a body: its silhouette on the sphere of directions about an eye, cut into patches,
 * each covered with rays by an equal-area map, so that sums over rays are solid angles. Pure.
 *
 *  Box: the faces toward the eye, which do not overlap; every ray meets the box. Sphere: its cap; every ray
 * meets it. Capsule, mesh: the faces of the bounding box; the rays that miss weigh nothing. An eye inside
 * looks all around. Rays form a Hammersley net (Hammersley 1960) of 2^k points, listed in tiles of 16
 * neighbours. */
#pragma once

#include "perception/visibility/occlusion.h"
#include "perception/visibility/ray_body.h"

enum { POV_PATCHES_MAX = 6, POV_NET_BITS_MIN = 4, POV_NET_BITS_MAX = 16 };

/** A rectangle seen from an eye at the origin: at z = depth, x in [x0, x1], y in [y0, y1], axes the columns
 * of R_table_patch; or a cap of half-angle about the z axis. */
typedef struct {
    bool is_cap;
    double R_table_patch[3][3]; /* may be left-handed */
    double depth_m, x_m[2], y_m[2];
    double azimuth_rad[2]; /* of x_m about y */
    bool is_far;           /* for its size */
    double cosine_min;     /* of the azimuths between, which are about the z axis's */
    double cap_height;     /* 1 - cos(half-angle) of the cap, in (0, 2] */
    double solid_angle_sr;
} pov_patch;

/** The patches of one body and the body as the eye sees it. */
typedef struct {
    int len;
    pov_patch patches[POV_PATCHES_MAX];
    pov_shape shape;
    bool has_eye;      /* the eye is inside the body (mesh: inside its bounding box) */
    pov_vec3 centre_m; /* from the eye, in table axes */
    pov_rot R_table_body;
    bool is_tight;         /* the patches are the silhouette: no ray misses */
    double bound_m;        /* all of it is within this distance of its centre */
    double bound_rad;      /* all of it is within this angle of its centre; pi if the eye is near or inside */
    double radius_m;       /* sphere, capsule */
    pov_ray_body body;     /* capsule: from the eye */
    double solid_angle_sr; /* of all patches */
} pov_silhouette;

/** A bundle of neighbouring rays, their weights in steradians, and where each meets the body. */
typedef struct {
    float direction[3][POV_RAY_LANES];
    float distance_m[POV_RAY_LANES]; /* INFINITY: misses; NaN for a mesh: ask pov_occlusion_mesh_distance */
    float weight_sr[POV_RAY_LANES];
} pov_patch_rays;

/** The silhouette of an entity with a body (pov_entity_has_body) moved by `shift_m`, seen from an eye. mesh: the bounds
 *  of a body of shape mesh; else NULL. */
pov_silhouette pov_silhouette_of(const pov_entity *entity, const pov_mesh_bounds *mesh, pov_vec3 shift_m,
                                 pov_vec3 eye_m);

/** Covers a patch with 2^bits rays, 16 at a time: tile in [0, 2^(bits - 4)). The net is moved by `shift` in
 * [0, 1)^2, cyclically (Cranley & Patterson 1976). */
void pov_silhouette_rays(pov_patch_rays *rays, const pov_silhouette *silhouette, int patch, int bits,
                         int tile, pov_vec2 shift);

/** bits for a patch that should get its share by solid angle of `rays`. */
int pov_silhouette_bits(const pov_silhouette *silhouette, int patch, int rays);
