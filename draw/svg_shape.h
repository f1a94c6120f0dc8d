/** Lines and arrows of SVG drawings; places in pixels of the page, y down. */
#ifndef POV_DRAW_SVG_SHAPE_H
#define POV_DRAW_SVG_SHAPE_H

#include "perception/geometry/geom.h"

#include <stdio.h>

/** The point so far from another in a direction, counted from x to y; in any unit. */
pov_vec2 pov_svg_beside(pov_vec2 p, double yaw_rad, double distance);

/** style: the line's attributes. */
void pov_svg_line(FILE *stream, pov_vec2 a_px, pov_vec2 b_px, const char *style);
void pov_svg_arrow(FILE *stream, pov_vec2 from_px, pov_vec2 to_px, const char *colour, double opacity);

#endif
