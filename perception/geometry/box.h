/** Oriented boxes in space: exact distances, overlaps and containment. Pure; a common frame, z up, metres. */
#pragma once

#include "perception/geometry/geom.h"

/** centre_m +- half_m.x along the first column of R, and so on. Halves are >= 0: flat boxes are fine. */
typedef struct {
    pov_vec3 centre_m, half_m;
    pov_rot R_table_box;
} pov_box;

/** The point in the box's own axes, from its centre. */
pov_vec3 pov_box_local(const pov_box *box, pov_vec3 point_m);
/** Corner 0..7: bits 0, 1, 2 of `index` choose the sign along x, y, z. */
pov_vec3 pov_box_corner(const pov_box *box, int index);
/** Half the box's extent along a unit direction: its support function about its centre. */
double pov_box_half_extent_m(const pov_box *box, pov_vec3 direction);
double pov_box_volume_m3(const pov_box *box);
/** Lengths that differ by less than this share of their mean look alike. Chosen: about three times the difference that
 *  people notice in lengths side by side (2 to 3 %; Teghtsoonian 1971). */
#define POV_SIMILAR_LENGTH 0.1

/** From a point to the box's surface: positive outside, negative inside (then to the nearest face). */
double pov_box_point_signed_distance_m(const pov_box *box, pov_vec3 point_m);

/** Apart: the distance between the nearest points. Overlapping: minus the shortest move that parts them.
 *  Symmetric. Method: separating axes (Gottschalk, Lin & Manocha 1996); apart, the least over corners against boxes
 *  and over the nine pairs of edges that face each other. Exact. */
double pov_box_gap_m(const pov_box *a, const pov_box *b);

/** Share of a's volume that lies inside b, in [0, 1]; of its centre if a has no volume. Exact: a is cut into
 *  tetrahedra, and these by b's faces. */
double pov_box_share_inside(const pov_box *a, const pov_box *b);

/** Distance by which a's farthest corner stands out of b: negative if a is inside b with room to spare. Exact. */
double pov_box_standing_out_m(const pov_box *a, const pov_box *b);

/** A box seen from above: a convex polygon, counter-clockwise. */
typedef struct {
    int len;
    pov_vec2 corner_m[16];
} pov_footprint;

pov_footprint pov_box_footprint(const pov_box *box);
double pov_footprint_area_m2(const pov_footprint *footprint);
/** Share of a's area that lies on b's, in [0, 1]; 0 if a has no area. Exact (Sutherland & Hodgman 1974). */
double pov_footprint_share_inside(const pov_footprint *a, const pov_footprint *b);
/** Distance between the two on the ground; 0 where they overlap. */
double pov_footprint_gap_m(const pov_footprint *a, const pov_footprint *b);
/** From the point of b that is nearest to a, to the point of a that is nearest to b; zero where they overlap. */
pov_vec2 pov_footprint_gap_vector_m(const pov_footprint *a, const pov_footprint *b);

/** The directions in which a footprint lies from a point: middle_rad +- half_rad, counter-clockwise from +x. */
typedef struct {
    double distance_m; /* to the nearest of it; 0 from within: the angles then mean nothing */
    double middle_rad, half_rad;
} pov_subtended;
pov_subtended pov_footprint_subtended(const pov_footprint *footprint, pov_vec2 eye_m);
