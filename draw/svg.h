/** SVG drawings: shapes, text, and labels that cover nothing. Places are pixels from the top left, y down.
 *
 *  `look` of a shape is a list of CSS classes ("line s1 dashed", draw/page.h) or attributes ("fill=\"#fff\""). `hint` is
 *  shown when the pointer rests on the shape; NULL: none. */
#pragma once

#include "perception/geometry/geom.h"
#include "perception/scene/scene.h"

#include <stdio.h>

/** A drawing within a page (draw/page.h), whose style it follows in light, dark and print. `title`: for readers who cannot
 *  see the drawing. */
void pov_svg_begin(FILE *stream, double width_px, double height_px, const char *title);
/** A drawing that is a file of its own, on white. `styled`: looks are classes; else all looks must be attributes. */
void pov_svg_begin_file(FILE *stream, double width_px, double height_px, bool styled);
void pov_svg_end(FILE *stream);

void pov_svg_line(FILE *stream, double x0_px, double y0_px, double x1_px, double y1_px, const char *look);
void pov_svg_rectangle(FILE *stream, double x_px, double y_px, double width_px, double height_px,
                       const char *look, const char *hint);
void pov_svg_circle(FILE *stream, double x_px, double y_px, double radius_px, const char *look,
                    const char *hint);
void pov_svg_polygon(FILE *stream, const pov_vec2 *corners_px, int len, const char *look, const char *hint);
/** A line through points. A point whose y is NaN leaves a gap; a point between two gaps becomes a dot. */
void pov_svg_path(FILE *stream, const double *x_px, const double *y_px, int len, const char *look);
void pov_svg_arrow(FILE *stream, pov_vec2 from_px, pov_vec2 to_px, const char *colour, double opacity);
/** The marker of a series: each series has its own shape and colour. */
void pov_svg_marker(FILE *stream, int series, double x_px, double y_px, double radius_px);
/** Text of at most 400 bytes with its baseline at y; classes "start", "middle" and "end" say where x is. */
void pov_svg_text(FILE *stream, double x_px, double y_px, const char *look, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/** The point at a distance from another in a direction, counted from x to y; in any unit. */
pov_vec2 pov_svg_beside(pov_vec2 p, double yaw_rad, double distance);
/** The largest of 1, 2, 5 times a power of ten up to `length`: for rulers and grids. */
double pov_svg_round_length(double length);

/* ---- labels ---- */

enum { POV_SVG_LABELS_MAX = 6 * POV_ENTITY_MAX };

/** Rectangles that labels must not cover. Start from {0} with the drawing's size. */
typedef struct {
    double width_px, height_px;
    int len;
    struct {
        double x0, y0, x1, y1;
    } taken[POV_SVG_LABELS_MAX];
} pov_svg_labels;

typedef struct {
    pov_vec2 centre_px;
    double size_px; /* of the font */
} pov_svg_label;

/** Keeps labels off a rectangle about a point. */
void pov_svg_label_avoid(pov_svg_labels *labels, pov_vec2 centre_px, pov_vec2 half_px);
/** Finds a place for a name beside a rectangle about a point: below, above, right, left, or farther out, where it covers
 *  least. Later labels avoid it. */
pov_svg_label pov_svg_label_place(pov_svg_labels *labels, pov_vec2 centre_px, pov_vec2 half_px,
                                  const char *text, double size_px);
void pov_svg_label_write(FILE *stream, const pov_svg_label *label, const char *text, const char *colour);
