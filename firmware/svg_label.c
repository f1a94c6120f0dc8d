#include "firmware/svg_label.h"

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

void pov_svg_label_place(FILE *stream, pov_svg_labels *labels, pov_vec2 centre_px, pov_vec2 half_px,
                         const char *text, const char *colour, double size_px)
{
    double width = width_by_height * size_px * count_letters(text), height = size_px * 1.2;
    double away = half_px.y + height / 2 + 3, aside = half_px.x + width / 2 + 5;
    double slant = width / 2 + 16, beyond = away + height;
    const pov_vec2 choices[] = {{0, away},     {0, -away},     {aside, 0},     {-aside, 0},
                                {slant, away}, {-slant, away}, {slant, -away}, {-slant, -away},
                                {aside, away}, {-aside, away}, {aside, -away}, {-aside, -away},
                                {0, beyond},   {0, -beyond}};
    pov_vec2 best = centre_px;
    double least = INFINITY;
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        pov_vec2 centre = {centre_px.x + choices[i].x, centre_px.y + choices[i].y};
        double cost = covered(labels, centre, width, height);
        if (cost < least) {
            least = cost;
            best = centre;
        }
    }
    pov_svg_label_avoid(labels, best, (pov_vec2){width / 2, height / 2});
    fprintf(
        stream,
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" font-size=\"%.0f\" fill=\"%s\" stroke=\"#fff\" "
        "stroke-width=\"4\" stroke-linejoin=\"round\" paint-order=\"stroke\">",
        best.x, best.y + size_px * 0.35, size_px, colour);
    pov_svg_text(stream, text);
    fputs("</text>\n", stream);
}

void pov_svg_text(FILE *stream, const char *text)
{
    for (; *text != '\0'; text++)
        switch (*text) {
        case '&':
            fputs("&amp;", stream);
            break;
        case '<':
            fputs("&lt;", stream);
            break;
        case '>':
            fputs("&gt;", stream);
            break;
        case '"':
            fputs("&quot;", stream);
            break;
        default:
            fputc((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text, stream);
        }
}

double pov_svg_round_length(double length)
{
    double power = pow(10, floor(log10(length) + 1e-9)), ratio = length / power;
    return power * (ratio >= 5 ? 5 : ratio >= 2 ? 2 : 1);
}
