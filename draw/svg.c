#include "draw/svg.h"

#include "config/files/markup.h"
#include "draw/page.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

void pov_svg_begin(FILE *stream, double width_px, double height_px, const char *title)
{
    fprintf(stream,
            "<svg class=\"plot\" role=\"img\" width=\"%.0f\" "
            "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n<title>",
            width_px, height_px, width_px, height_px);
    pov_markup_text(stream, title);
    fputs("</title>\n", stream);
}

void pov_svg_begin_file(FILE *stream, double width_px, double height_px, bool styled)
{
    fprintf(stream,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
            "class=\"plot\" "
            "width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
            "font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\">\n",
            width_px, height_px, width_px, height_px);
    if (styled)
        pov_page_write_plot_style(stream);
    fputs("<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n", stream);
}

void pov_svg_end(FILE *stream)
{
    fputs("</svg>\n", stream);
}

/* ---- shapes ---- */

static void write_look(FILE *stream, const char *look)
{
    fprintf(stream, strchr(look, '=') ? " %s" : " class=\"%s\"", look);
}

/* Ends an element, with its hint. */
static void end_element(FILE *stream, const char *name, const char *look, const char *hint)
{
    write_look(stream, look);
    if (hint) {
        fputs("><title>", stream);
        pov_markup_text(stream, hint);
        fprintf(stream, "</title></%s>\n", name);
    } else {
        fputs("/>\n", stream);
    }
}

void pov_svg_line(FILE *stream, double x0_px, double y0_px, double x1_px, double y1_px, const char *look)
{
    fprintf(stream, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"", x0_px, y0_px, x1_px, y1_px);
    end_element(stream, "line", look, NULL);
}

void pov_svg_rectangle(FILE *stream, double x_px, double y_px, double width_px, double height_px,
                       const char *look, const char *hint)
{
    fprintf(stream, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"", x_px, y_px, width_px,
            height_px);
    end_element(stream, "rect", look, hint);
}

void pov_svg_circle(FILE *stream, double x_px, double y_px, double radius_px, const char *look,
                    const char *hint)
{
    fprintf(stream, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"", x_px, y_px, radius_px);
    end_element(stream, "circle", look, hint);
}

void pov_svg_polygon(FILE *stream, const pov_vec2 *corners_px, int len, const char *look, const char *hint)
{
    fputs("<polygon points=\"", stream);
    for (int i = 0; i < len; i++)
        fprintf(stream, "%s%.1f,%.1f", i ? " " : "", corners_px[i].x, corners_px[i].y);
    fputs("\"", stream);
    end_element(stream, "polygon", look, hint);
}

void pov_svg_path(FILE *stream, const double *x_px, const double *y_px, int len, const char *look)
{
    fputs("<path", stream);
    write_look(stream, look);
    fputs(" d=\"", stream);
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

void pov_svg_marker(FILE *stream, int series, double x, double y, double r)
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

void pov_svg_arrow(FILE *stream, pov_vec2 from_px, pov_vec2 to_px, const char *colour, double opacity)
{
    double yaw = atan2(to_px.y - from_px.y, to_px.x - from_px.x), head_px = 10;
    pov_vec2 neck = pov_svg_beside(to_px, yaw + POV_PI, head_px * 0.8);
    pov_vec2 left = pov_svg_beside(to_px, yaw + POV_PI - 0.45, head_px),
             right = pov_svg_beside(to_px, yaw + POV_PI + 0.45, head_px);
    fprintf(stream,
            "<g opacity=\"%.2f\"><line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
            "stroke-width=\"2.5\"/><path d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fZ\" fill=\"%s\"/></g>\n",
            opacity, from_px.x, from_px.y, neck.x, neck.y, colour, to_px.x, to_px.y, left.x, left.y, right.x,
            right.y, colour);
}

void pov_svg_text(FILE *stream, double x_px, double y_px, const char *look, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stream, "<text x=\"%.1f\" y=\"%.1f\"", x_px, y_px);
    write_look(stream, look);
    fputs(">", stream);
    pov_markup_text(stream, text);
    fputs("</text>\n", stream);
}

pov_vec2 pov_svg_beside(pov_vec2 p, double yaw_rad, double distance)
{
    return (pov_vec2){p.x + distance * cos(yaw_rad), p.y + distance * sin(yaw_rad)};
}

double pov_svg_round_length(double length)
{
    double power = pow(10, floor(log10(length) + 1e-9)), ratio = length / power;
    return power * (ratio >= 5 ? 5 : ratio >= 2 ? 2 : 1);
}

/* ---- labels ---- */

/* DejaVu Sans is about this wide for its height; wider is safe. */
static const double width_by_height = 0.62;

static double shared_length(double a0, double a1, double b0, double b1)
{
    return fmax(0, fmin(a1, b1) - fmax(a0, b0));
}

/* The area that a label of this size at a centre would cover, px^2; area outside the page counts most. */
static double covered_area(const pov_svg_labels *labels, pov_vec2 centre, double width, double height)
{
    double x0 = centre.x - width / 2, x1 = centre.x + width / 2, y0 = centre.y - height / 2,
           y1 = centre.y + height / 2;
    double inside = shared_length(x0, x1, 0, labels->width_px) * shared_length(y0, y1, 0, labels->height_px);
    double sum = 10 * (width * height - inside);
    for (int i = 0; i < labels->len; i++)
        sum += shared_length(x0, x1, labels->taken[i].x0, labels->taken[i].x1) *
               shared_length(y0, y1, labels->taken[i].y0, labels->taken[i].y1);
    return sum;
}

void pov_svg_label_avoid(pov_svg_labels *labels, pov_vec2 centre_px, pov_vec2 half_px)
{
    if (labels->len == POV_SVG_LABELS_MAX)
        return;
    labels->taken[labels->len].x0 = centre_px.x - half_px.x;
    labels->taken[labels->len].y0 = centre_px.y - half_px.y;
    labels->taken[labels->len].x1 = centre_px.x + half_px.x;
    labels->taken[labels->len++].y1 = centre_px.y + half_px.y;
}

/* Letters, not bytes: UTF-8's continuation bytes are none. */
static int count_letters(const char *text)
{
    int letters = 0;
    for (; *text != '\0'; text++)
        letters += ((unsigned char)*text & 0xc0) != 0x80;
    return letters;
}

enum { DIRECTIONS = 12, RINGS = 5 };

/* Beside a rectangle, near corners last; farther rings leave room for what is already there. */
static pov_vec2 offset_label(int direction, int ring, pov_vec2 half_px, pov_vec2 size_px)
{
    double away = half_px.y + size_px.y * (0.5 + ring) + 3;
    double aside = half_px.x + size_px.x / 2 + 5 + ring * size_px.y;
    double slant = size_px.x / 2 + 16 + ring * size_px.y;
    const pov_vec2 offsets[DIRECTIONS] = {{0, away},     {0, -away},     {aside, 0},     {-aside, 0},
                                          {slant, away}, {-slant, away}, {slant, -away}, {-slant, -away},
                                          {aside, away}, {-aside, away}, {aside, -away}, {-aside, -away}};
    return offsets[direction];
}

pov_svg_label pov_svg_label_place(pov_svg_labels *labels, pov_vec2 centre_px, pov_vec2 half_px,
                                  const char *text, double size_px)
{
    pov_vec2 size = {width_by_height * size_px * count_letters(text), size_px * 1.2};
    pov_svg_label label = {.centre_px = centre_px, .size_px = size_px};
    double least = INFINITY, farther = 0.1 * size.x * size.y; /* a ring out is worth a tenth of the label */
    for (int ring = 0; ring < RINGS && least > ring * farther; ring++)
        for (int direction = 0; direction < DIRECTIONS; direction++) {
            pov_vec2 by = offset_label(direction, ring, half_px, size);
            pov_vec2 centre = {centre_px.x + by.x, centre_px.y + by.y};
            double cost = covered_area(labels, centre, size.x, size.y) + ring * farther;
            if (cost < least) {
                least = cost;
                label.centre_px = centre;
            }
        }
    pov_svg_label_avoid(labels, label.centre_px, (pov_vec2){size.x / 2, size.y / 2});
    return label;
}

void pov_svg_label_write(FILE *stream, const pov_svg_label *label, const char *text, const char *colour)
{
    fprintf(
        stream,
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"%.0f\" fill=\"%s\" stroke=\"#fff\" "
        "stroke-width=\"%.1f\" stroke-linejoin=\"round\" paint-order=\"stroke\">",
        label->centre_px.x, label->centre_px.y + label->size_px * 0.35, label->size_px, colour,
        label->size_px * 0.23);
    pov_markup_text(stream, text);
    fputs("</text>\n", stream);
}
