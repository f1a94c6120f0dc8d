/** Axes with curves and bands in them, within an SVG drawing (draw/svg.h). Looks are CSS classes of the page (draw/page.h). */
#pragma once

#include <stdio.h>

/** A rectangle of the drawing and the values at its edges. */
typedef struct {
    FILE *stream;
    double left_px, top_px, width_px, height_px;
    double x_low, x_high, y_low, y_high;
} pov_axes;

double pov_axes_x_px(const pov_axes *axes, double x);
double pov_axes_y_px(const pov_axes *axes, double y);

/** Ticks at multiples of a step, their format ("%.1f"), and the axis' name with its unit; NULL: no name. */
typedef struct {
    double step;
    const char *format, *name;
} pov_ticks;
/** Draws frame, grid, ticks and names; NULL: no ticks. */
void pov_axes_draw(const pov_axes *axes, const pov_ticks *x, const pov_ticks *y);

enum { POV_PLOT_POINTS_MAX = 256 };
/** pov_svg_path through at most POV_PLOT_POINTS_MAX values. */
void pov_axes_line(const pov_axes *axes, const double *x, const double *y, int len, const char *look);
/** The area between two lines; a point where either is NaN leaves a gap. */
void pov_axes_band(const pov_axes *axes, const double *x, const double *low, const double *high, int len,
                   const char *look);
/** A vertical line from one value to another, such as an interval. */
void pov_axes_bar(const pov_axes *axes, double x, double low, double high, const char *look);
