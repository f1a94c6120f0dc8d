/** Sub-pixel corners of a square whose print cannot be fitted (tag_print_fit.h), such as one half hidden: an edge of known
 *  shape fitted to the light on both sides of it. */
#pragma once

#include "perception/geometry/geom.h"
#include "perception/image/grey.h"

/** Moves the corners of a square found to within 2 px onto its edges.
 *  In and out: corner_px, in order around the square. In: cells, how many bit cells wide the square is.
 *  Out:        std_px: standard deviation of a corner's coordinate, of all four, as the fits' residuals have it: noise, contrast,
 *              blur and length of the edges are in it, a bent print or lens is not.
 *  Returns:    how many of the eight edge ends were fitted; corners between two unfitted ones stay.
 *  Method:     each corner is the meeting point of two lines, each the least-squares fit of a blurred step
 *              lo + (hi - lo) Phi(distance / blur), in light, to the pixels beside the part of the edge that is near
 *              that corner (an edge that the lens bends is straight there), within a bit cell's width of it;
 *              again from there, if that was far from where it began. */
int pov_tag_corners_refine(pov_vec2 corner_px[4], double *std_px, const pov_grey *grey, int cells);
