/** Text in SVG drawings: escaped, and put where it covers nothing. */
#ifndef POV_DRAW_SVG_LABEL_H
#define POV_DRAW_SVG_LABEL_H

#include "perception/geometry/geom.h"
#include "perception/scene/scene.h"

#include <stdio.h>

enum { POV_SVG_LABELS_MAX = 6 * POV_ENTITY_MAX };

/** What labels must not cover: rectangles on the page. Start from {0} with the page's size. */
typedef struct {
    double width_px, height_px;
    int len;
    struct {
        double x0, y0, x1, y1;
    } taken[POV_SVG_LABELS_MAX];
} pov_svg_labels;

/** Keeps labels off a rectangle about a point. */
void pov_svg_label_avoid(pov_svg_labels *labels, pov_vec2 centre_px, pov_vec2 half_px);
typedef struct {
    pov_vec2 centre_px;
    double size_px; /* of the font */
} pov_svg_label;

/** Finds a place for a name beside such a rectangle: below, above, right or left, or farther out, where it covers least;
 *  it is avoided from then on. */
pov_svg_label pov_svg_label_place(pov_svg_labels *labels, pov_vec2 centre_px, pov_vec2 half_px,
                                  const char *text, double size_px);
/** Writes the name there. */
void pov_svg_label_write(FILE *stream, const pov_svg_label *label, const char *text, const char *colour);

/** The largest of 1, 2, 5 times a power of ten up to `length`. */
double pov_svg_round_length(double length);

#endif
