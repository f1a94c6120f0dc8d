#include "draw/plot.h"

#include "config/files/markup.h"
#include "draw/svg.h"

#include <math.h>

double pov_axes_x_px(const pov_axes *axes, double x)
{
    return axes->left_px + (x - axes->x_low) / (axes->x_high - axes->x_low) * axes->width_px;
}

double pov_axes_y_px(const pov_axes *axes, double y)
{
    return axes->top_px + (axes->y_high - y) / (axes->y_high - axes->y_low) * axes->height_px;
}

/* The first multiple of the step that is on an axis. */
static double first_tick(double low, double step)
{
    return step * ceil(low / step - 1e-9);
}

static void draw_x_ticks(const pov_axes *a, const pov_ticks *ticks)
{
    const double bottom = a->top_px + a->height_px, first = first_tick(a->x_low, ticks->step);
    char text[32];
    for (int i = 0; first + i * ticks->step <= a->x_high + 1e-9 * ticks->step; i++) {
        const double x = first + i * ticks->step, x_px = pov_axes_x_px(a, x);
        snprintf(text, sizeof text, ticks->format, fabs(x) < ticks->step / 2 ? 0 : x);
        pov_svg_line(a->stream, x_px, a->top_px, x_px, bottom, "grid");
        pov_svg_text(a->stream, x_px, bottom + 16, "tick middle", "%s", text);
    }
    if (ticks->name)
        pov_svg_text(a->stream, a->left_px + a->width_px / 2, bottom + 34, "name middle", "%s", ticks->name);
}

static void draw_y_ticks(const pov_axes *a, const pov_ticks *ticks)
{
    const double first = first_tick(a->y_low, ticks->step);
    char text[32];
    for (int i = 0; first + i * ticks->step <= a->y_high + 1e-9 * ticks->step; i++) {
        const double y = first + i * ticks->step, y_px = pov_axes_y_px(a, y);
        snprintf(text, sizeof text, ticks->format, fabs(y) < ticks->step / 2 ? 0 : y);
        pov_svg_line(a->stream, a->left_px, y_px, a->left_px + a->width_px, y_px, "grid");
        pov_svg_text(a->stream, a->left_px - 6, y_px + 4, "tick end", "%s", text);
    }
    if (!ticks->name)
        return;
    fprintf(a->stream, "<text transform=\"translate(%.1f %.1f) rotate(-90)\" class=\"name middle\">",
            a->left_px - 34, a->top_px + a->height_px / 2);
    pov_markup_text(a->stream, ticks->name);
    fputs("</text>\n", a->stream);
}

void pov_axes_draw(const pov_axes *axes, const pov_ticks *x, const pov_ticks *y)
{
    if (x)
        draw_x_ticks(axes, x);
    if (y)
        draw_y_ticks(axes, y);
    pov_svg_rectangle(axes->stream, axes->left_px, axes->top_px, axes->width_px, axes->height_px, "frame",
                      NULL);
}

void pov_axes_line(const pov_axes *axes, const double *x, const double *y, int len, const char *look)
{
    double x_px[POV_PLOT_POINTS_MAX], y_px[POV_PLOT_POINTS_MAX];
    POV_REQUIRE(len <= POV_PLOT_POINTS_MAX);
    for (int i = 0; i < len; i++) {
        x_px[i] = pov_axes_x_px(axes, x[i]);
        y_px[i] = pov_axes_y_px(axes, y[i]);
    }
    pov_svg_path(axes->stream, x_px, y_px, len, look);
}

void pov_axes_band(const pov_axes *axes, const double *x, const double *low, const double *high, int len,
                   const char *look)
{
    fprintf(axes->stream, "<path class=\"%s\" d=\"", look);
    for (int first = 0, end; first < len; first = end) {
        for (end = first; end < len && !isnan(low[end]) && !isnan(high[end]); end++)
            ;
        for (int k = first; k < 2 * end - first; k++) {
            const int i =
                k < end ? k : 2 * end - 1 - k; /* there along the lower line, back along the upper */
            fprintf(axes->stream, "%c%.1f %.1f", k == first ? 'M' : 'L', pov_axes_x_px(axes, x[i]),
                    pov_axes_y_px(axes, k < end ? low[i] : high[i]));
        }
        end += end == first;
    }
    fputs("\"/>\n", axes->stream);
}

void pov_axes_bar(const pov_axes *axes, double x, double low, double high, const char *look)
{
    const double x_px = pov_axes_x_px(axes, x);
    pov_svg_line(axes->stream, x_px, pov_axes_y_px(axes, low), x_px, pov_axes_y_px(axes, high), look);
}
