#include "draw/svg_label.h"

#include "config/files/markup.h"

#include <math.h>
#include <string.h>

/* DejaVu Sans is about this wide for its height; wider is safe. */
static const double width_by_height = 0.62;

static double shared(double a0, double a1, double b0, double b1)
{
    return fmax(0, fmin(a1, b1) - fmax(a0, b0));
}

/* What a label of this size at a centre would cover, px^2; what sticks out of the page counts most. */
static double covered(const pov_svg_labels *labels, pov_vec2 centre, double width, double height)
{
    double x0 = centre.x - width / 2, x1 = centre.x + width / 2, y0 = centre.y - height / 2,
           y1 = centre.y + height / 2;
    double inside = shared(x0, x1, 0, labels->width_px) * shared(y0, y1, 0, labels->height_px);
    double sum = 10 * (width * height - inside);
    for (int i = 0; i < labels->len; i++)
        sum += shared(x0, x1, labels->taken[i].x0, labels->taken[i].x1) *
               shared(y0, y1, labels->taken[i].y0, labels->taken[i].y1);
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
static pov_vec2 offset(int direction, int ring, pov_vec2 half_px, pov_vec2 size_px)
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
            pov_vec2 by = offset(direction, ring, half_px, size);
            pov_vec2 centre = {centre_px.x + by.x, centre_px.y + by.y};
            double cost = covered(labels, centre, size.x, size.y) + ring * farther;
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

double pov_svg_round_length(double length)
{
    double power = pow(10, floor(log10(length) + 1e-9)), ratio = length / power;
    return power * (ratio >= 5 ? 5 : ratio >= 2 ? 2 : 1);
}
