#include "draw/plot.h"

#include "config/files/markup.h"
#include "perception/status.h"

#include <math.h>
#include <stdbool.h>

void pov_plot_begin(FILE *stream, double width_px, double height_px, const char *title)
{
    fprintf(stream,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" role=\"img\" width=\"%.0f\" "
            "height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\">\n<title>",
            width_px, height_px, width_px, height_px);
    pov_markup_text(stream, title);
    fputs("</title>\n", stream);
}

void pov_plot_end(FILE *stream)
{
    fputs("</svg>\n", stream);
}

double pov_axes_x_px(const pov_axes *axes, double x)
{
    return axes->left_px + (x - axes->x_low) / (axes->x_high - axes->x_low) * axes->width_px;
}

double pov_axes_y_px(const pov_axes *axes, double y)
{
    return axes->top_px + (axes->y_high - y) / (axes->y_high - axes->y_low) * axes->height_px;
}

/* ---- parts ---- */

void pov_plot_line(FILE *stream, double x0_px, double y0_px, double x1_px, double y1_px, const char *style)
{
    fprintf(stream, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"%s\"/>\n", x0_px, y0_px,
            x1_px, y1_px, style);
}

void pov_plot_rectangle(FILE *stream, double x_px, double y_px, double width_px, double height_px,
                        const char *style)
{
    fprintf(stream, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=\"%s\"/>\n", x_px, y_px,
            width_px, height_px, style);
}

void pov_plot_words(FILE *stream, double x_px, double y_px, const char *style, const char *text)
{
    fprintf(stream, "<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">", x_px, y_px, style);
    pov_markup_text(stream, text);
    fputs("</text>\n", stream);
}

void pov_plot_sign(FILE *stream, int series, double x, double y, double r)
{
    fprintf(stream, "<path class=\"sign s%d\" d=\"M", series % 7);
    switch (series % 4) {
    case 0:
        fprintf(stream, "%.1f %.1fa%.1f %.1f 0 1 0 %.1f 0a%.1f %.1f 0 1 0 %.1f 0", x - r, y, r, r, 2 * r, r,
                r, -2 * r);
        break;
    case 1:
        fprintf(stream, "%.1f %.1fh%.1fv%.1fh%.1f", x - 0.9 * r, y - 0.9 * r, 1.8 * r, 1.8 * r, -1.8 * r);
        break;
    case 2:
        fprintf(stream, "%.1f %.1fl%.1f %.1fh%.1f", x, y - 1.2 * r, 1.15 * r, 2 * r, -2.3 * r);
        break;
    default:
        fprintf(stream, "%.1f %.1fl%.1f %.1fl%.1f %.1fl%.1f %.1f", x, y - 1.3 * r, 1.3 * r, 1.3 * r, -1.3 * r,
                1.3 * r, -1.3 * r, -1.3 * r);
    }
    fputs("z\"/>\n", stream);
}

/* ---- axes ---- */

static int ticks_of(double low, double high, double step)
{
    return (int)floor((high - low) / step + 1e-9) + 1;
}

static void draw_x(const pov_axes *a, const pov_ticks *ticks)
{
    char text[32];
    double bottom = a->top_px + a->height_px;
    for (int i = 0; i < ticks_of(a->x_low, a->x_high, ticks->step); i++) {
        double x = a->x_low + i * ticks->step, x_px = pov_axes_x_px(a, x);
        snprintf(text, sizeof text, ticks->format, x);
        pov_plot_line(a->stream, x_px, a->top_px, x_px, bottom, "grid");
        pov_plot_words(a->stream, x_px, bottom + 16, "tick middle", text);
    }
    if (ticks->name)
        pov_plot_words(a->stream, a->left_px + a->width_px / 2, bottom + 34, "name middle", ticks->name);
}

static void draw_y(const pov_axes *a, const pov_ticks *ticks)
{
    char text[32];
    double middle = a->top_px + a->height_px / 2;
    for (int i = 0; i < ticks_of(a->y_low, a->y_high, ticks->step); i++) {
        double y = a->y_low + i * ticks->step, y_px = pov_axes_y_px(a, y);
        snprintf(text, sizeof text, ticks->format, y);
        pov_plot_line(a->stream, a->left_px, y_px, a->left_px + a->width_px, y_px, "grid");
        pov_plot_words(a->stream, a->left_px - 6, y_px + 4, "tick end", text);
    }
    if (!ticks->name)
        return;
    fprintf(a->stream, "<text transform=\"translate(%.1f %.1f) rotate(-90)\" class=\"name middle\">",
            a->left_px - 34, middle);
    pov_markup_text(a->stream, ticks->name);
    fputs("</text>\n", a->stream);
}

void pov_axes_draw(const pov_axes *axes, const pov_ticks *x, const pov_ticks *y)
{
    if (x)
        draw_x(axes, x);
    if (y)
        draw_y(axes, y);
    pov_plot_rectangle(axes->stream, axes->left_px, axes->top_px, axes->width_px, axes->height_px, "frame");
}

void pov_plot_path(FILE *stream, const double *x_px, const double *y_px, int len, const char *style)
{
    fprintf(stream, "<path class=\"%s\" d=\"", style);
    for (int i = 0; i < len; i++) {
        const bool begins = i == 0 || isnan(y_px[i - 1]), ends = i == len - 1 || isnan(y_px[i + 1]);
        if (isnan(y_px[i]))
            continue;
        fprintf(stream, "%c%.1f %.1f", begins ? 'M' : 'L', x_px[i], y_px[i]);
        if (begins && ends)
            fputs("m-1.2 0a1.2 1.2 0 1 0 2.4 0a1.2 1.2 0 1 0 -2.4 0", stream);
    }
    fputs("\"/>\n", stream);
}

void pov_axes_line(const pov_axes *axes, const double *x, const double *y, int len, const char *style)
{
    double x_px[POV_PLOT_POINTS_MAX], y_px[POV_PLOT_POINTS_MAX];
    POV_REQUIRE(len <= POV_PLOT_POINTS_MAX);
    for (int i = 0; i < len; i++) {
        x_px[i] = pov_axes_x_px(axes, x[i]);
        y_px[i] = pov_axes_y_px(axes, y[i]);
    }
    pov_plot_path(axes->stream, x_px, y_px, len, style);
}

void pov_axes_band(const pov_axes *axes, const double *x, const double *low, const double *high, int len,
                   const char *style)
{
    char verb = 'M';
    fprintf(axes->stream, "<path class=\"%s\" d=\"", style);
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < len; k++) {
            int i = side == 0 ? k : len - 1 - k;
            if (isnan(low[i]) || isnan(high[i]))
                continue;
            fprintf(axes->stream, "%c%.1f %.1f", verb, pov_axes_x_px(axes, x[i]),
                    pov_axes_y_px(axes, side == 0 ? low[i] : high[i]));
            verb = 'L';
        }
    fputs("\"/>\n", axes->stream);
}
