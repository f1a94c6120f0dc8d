#include "firmware/enrol/enrol_plot.h"

#include "config/files/markup.h"
#include "config/files/write_file.h"
#include "draw/svg_label.h"
#include "perception/geometry/geom.h"

#include <math.h>

#define WIDTH_PX  860.0
#define HEIGHT_PX 420.0
#define LEFT_PX   70.0
#define RIGHT_PX  830.0
#define TOP_PX    60.0
#define BOTTOM_PX 330.0

/* Okabe & Ito 2008 */
#define COLOUR_ERROR "#0072b2"
#define COLOUR_STD   "#9fc5dd"
#define COLOUR_ALIKE "#d55e00"

static const double deg = 180 / POV_PI;

typedef struct {
    FILE *stream;
    double top_deg; /* of the scale of errors */
} plot;

static double x_of(double angle_rad)
{
    double turned = fmod(angle_rad, 2 * POV_PI);
    turned += turned < 0 ? 2 * POV_PI : 0;
    return LEFT_PX + (RIGHT_PX - LEFT_PX) * turned / (2 * POV_PI);
}

static double y_of(const plot *p, double error_deg)
{
    return BOTTOM_PX - (BOTTOM_PX - TOP_PX) * fmin(error_deg, p->top_deg) / p->top_deg;
}

static void text(const plot *p, double x, double y, const char *style, const char *words)
{
    fprintf(p->stream, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, style);
    pov_markup_text(p->stream, words);
    fputs("</text>\n", p->stream);
}

static void draw_axes(const plot *p)
{
    char number[32];
    for (int angle = 0; angle <= 360; angle += 45) {
        const double x = LEFT_PX + (RIGHT_PX - LEFT_PX) * angle / 360;
        fprintf(p->stream, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"#dddddd\"/>\n", x, TOP_PX, BOTTOM_PX);
        snprintf(number, sizeof number, "%d\u00b0", angle);
        text(p, x, BOTTOM_PX + 22, "text-anchor=\"middle\"", number);
    }
    const double step = pov_svg_round_length(p->top_deg / 3);
    for (int i = 0; i * step <= p->top_deg * 1.001; i++) {
        const double error = i * step;
        fprintf(p->stream, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#dddddd\"/>\n", LEFT_PX, y_of(p, error),
                RIGHT_PX);
        snprintf(number, sizeof number, "%.4g\u00b0", error);
        text(p, LEFT_PX - 8, y_of(p, error) + 5, "text-anchor=\"end\"", number);
    }
}

static void draw_point(const plot *p, const pov_enrol_point *point)
{
    const double x = x_of(point->angle_rad), error_deg = fabs(point->error_rad) * deg;
    fprintf(p->stream,
            "<path d=\"M%.1f %.1fV%.1f\" stroke=\"" COLOUR_STD "\" stroke-width=\"5\"/>\n"
            "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" fill=\"" COLOUR_ERROR "\"/>\n",
            x, BOTTOM_PX, y_of(p, 2 * point->std_rad * deg), x, y_of(p, error_deg),
            error_deg > p->top_deg ? 6 : 4);
    if (isnan(point->alike_rad))
        return;
    const double other = x_of(point->alike_rad);
    fprintf(p->stream,
            "<path d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\" fill=\"none\" stroke=\"" COLOUR_ALIKE
            "\" stroke-opacity=\"0.6\"/>\n",
            x, BOTTOM_PX + 30, 0.5 * (x + other), BOTTOM_PX + 60, other, BOTTOM_PX + 30);
}

/* The scale holds all errors but those of views mixed up, which stand at its top. */
static double top_of(const pov_enrol_point *points, int len)
{
    double top = 0.5;
    for (int i = 0; i < len; i++) {
        const double error_deg = fabs(points[i].error_rad) * deg, said_deg = 2 * points[i].std_rad * deg;
        top = error_deg < 30 ? fmax(top, error_deg) : top;
        top = said_deg < 30 ? fmax(top, said_deg) : top;
    }
    return 1.1 * top;
}

pov_status pov_enrol_plot_write(const char *path, const pov_enrol_point *points, int len, const char *title,
                                const char *caption)
{
    pov_write_file file;
    POV_TRY(pov_write_file_begin(&file, path));
    const plot p = {file.stream, top_of(points, len)};
    fprintf(
        p.stream,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
        "font-family=\"sans-serif\" font-size=\"15\">\n<rect width=\"100%%\" height=\"100%%\" "
        "fill=\"white\"/>\n",
        WIDTH_PX, HEIGHT_PX, WIDTH_PX, HEIGHT_PX);
    draw_axes(&p);
    for (int i = 0; i < len; i++)
        draw_point(&p, &points[i]);
    text(&p, LEFT_PX, 36, "font-size=\"19\"", title);
    text(&p, LEFT_PX, HEIGHT_PX - 16, "fill=\"#444444\"", caption);
    fputs("</svg>\n", p.stream);
    return pov_write_file_end(&file, pov_ok());
}
