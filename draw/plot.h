/** Plots as inline SVG: a frame with axes, and what is drawn in it. Colours, fonts and dashes are CSS classes of the page
 *  (compare/report/report_style.c), so that they follow it in light, dark and print. Pixels from the top left, y down. */
#ifndef POV_DRAW_PLOT_H
#define POV_DRAW_PLOT_H

#include <stdio.h>

/** `title` is what a reader who cannot see it is told. */
void pov_plot_begin(FILE *stream, double width_px, double height_px, const char *title);
void pov_plot_end(FILE *stream);

/** A rectangle of the page and the values at its edges. */
typedef struct {
    FILE *stream;
    double left_px, top_px, width_px, height_px;
    double x_low, x_high, y_low, y_high;
} pov_axes;

double pov_axes_x_px(const pov_axes *axes, double x);
double pov_axes_y_px(const pov_axes *axes, double y);

/** A step between ticks, how they are printed ("%.1f"), and what the axis is called, with its unit; NULL: no name. */
typedef struct {
    double step;
    const char *format, *name;
} pov_ticks;
/** Grid, ticks and names. */
void pov_axes_draw(const pov_axes *axes, const pov_ticks *x, const pov_ticks *y);

enum { POV_PLOT_POINTS_MAX = 256 };
/** A line through at most so many points; one that is NaN leaves a gap, one between two gaps is a dot. `style`: CSS
 *  classes, "line s1 dashed". */
void pov_axes_line(const pov_axes *axes, const double *x, const double *y, int len, const char *style);
/** The area between two lines; points where either is NaN are left out. */
void pov_axes_band(const pov_axes *axes, const double *x, const double *low, const double *high, int len,
                   const char *style);

/** As pov_axes_line, of any number of points in pixels. */
void pov_plot_path(FILE *stream, const double *x_px, const double *y_px, int len, const char *style);
void pov_plot_line(FILE *stream, double x0_px, double y0_px, double x1_px, double y1_px, const char *style);
void pov_plot_rectangle(FILE *stream, double x_px, double y_px, double width_px, double height_px,
                        const char *style);
/** A sign of a series, told apart by its form, too: circle, square, triangle, diamond, cross ... */
void pov_plot_sign(FILE *stream, int series, double x_px, double y_px, double radius_px);
/** Text; `style` has "start", "middle" or "end". */
void pov_plot_words(FILE *stream, double x_px, double y_px, const char *style, const char *text);

#endif
