/** What the shapes share. */
#ifndef POV_SIM_BODIES_SHAPES_INTERNAL_H
#define POV_SIM_BODIES_SHAPES_INTERNAL_H

#include "sim/bodies/shapes.h"

/** Each in the part's frame. */
uint32_t pov_brush_vertex(pov_brush brush, pov_vec3 pos_m, pov_vec3 normal, pov_vec2 uv);
/** Drops triangles without area, which closed ends make. */
void pov_brush_triangle(pov_brush brush, uint32_t a, uint32_t b, uint32_t c);
/** A grid of vertices, row by row, `row_len` each: outside is where (next in row) x (next row) points. */
void pov_brush_grid(pov_brush brush, uint32_t first, int row_len, int rows);

/** The normal, on the right of the way, at an end (0 or 1) of segment `i` of a line: that of the segment, or where it
 *  bends little the mean with its neighbour's. A line whose end is its beginning has neighbours there. */
pov_vec2 pov_line_normal(const pov_vec2 line[], int line_len, int i, int end);

#endif
