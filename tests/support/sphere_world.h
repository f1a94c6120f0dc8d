/** Balls on a floor, ray-cast analytically: images whose truth is exact. A simulated thing; it says so in its
 *  images' names. Deterministic. */
#pragma once

#include "perception/geometry/camera.h"
#include "perception/image/image.h"

#include <stdint.h>

enum { POV_SPHERE_WORLD_MAX = 16 };

typedef struct {
    pov_vec3 center_m; /* table frame */
    double radius_m;
    uint8_t red, green, blue; /* sRGB of the surface where it is fully lit */
} pov_sphere;

typedef struct {
    int sphere_len;
    pov_sphere spheres[POV_SPHERE_WORLD_MAX];
    uint8_t floor_red, floor_green, floor_blue;
    double floor_reflection; /* share of the mirror image where a ball touches the floor; fades away */
    pov_vec3 light_m;        /* centre of a spherical lamp */
    double light_radius_m;   /* soft shadows */
    double ambient;          /* share of light that reaches shadows, 0..1 */
    double noise_std;        /* of each channel, in 8-bit steps; by `seed` */
    uint64_t seed;
    int samples_per_side; /* anti-aliasing: n x n rays a pixel where it is not smooth */
} pov_sphere_world;
/** Grey floor, a lamp 6 m above it, slight reflection and noise, 4 x 4 rays a pixel; no spheres yet. */
pov_sphere_world pov_sphere_world_default(void);

/** Draws into `pixels` (camera->height_px rows of width_px RGB, stride 3 * width_px). The floor is z = 0. */
void pov_sphere_world_draw(uint8_t *pixels, const pov_sphere_world *world, const pov_camera *camera,
                           pov_transform T_table_camera);

/** COMFORT's rotation: a copy of `world` whose sphere `moving` circles sphere `centre` at azimuth phi
 *  (counter-clockwise from above, 0 toward the table's +x) and the distance they have in `world`. */
pov_sphere_world pov_sphere_world_turned(const pov_sphere_world *world, int moving, int centre,
                                         double phi_rad);
