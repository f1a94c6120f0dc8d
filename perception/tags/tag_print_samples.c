#include "perception/tags/tag_print_samples.h"

#include "perception/tags/tag_light.h"

#include <math.h>

enum { STRIDE = 7, PLAIN_EVERY = 16 };

static const float REACH_PX = 1.8F;    /* from a boundary: farther pixels only determine the levels */
static const float CLEAR_CELLS = 0.4F; /* from what is not printed */

/* ---- the print ---- */

static int within(int at, int last)
{
    return at < 0 ? 0 : at > last ? last : at;
}

static bool is_printed(const pov_tag_print *print, int row, int column)
{
    const int last = print->side_cells - 1;
    if (row < 0 || column < 0 || row > last || column > last)
        return false;
    return print->grey[row][column] == 0 || print->grey[row][column] == 255;
}

/** As pov_print_cells has them, from the whites. */
static void look_around(pov_print_cells *cells, const pov_tag_print *print, int row, int column)
{
    const int last = cells->side - 1;
    for (int k = 0; k < 9; k++) {
        const int beside = row + k / 3 - 1, next = column + k % 3 - 1;
        if (cells->white[within(beside, last)][within(next, last)] != cells->white[row][column])
            cells->differ[row][column] |= (uint16_t)(1U << k);
        if (!is_printed(print, beside - POV_PRINT_PAD, next - POV_PRINT_PAD))
            cells->unknown[row][column] |= (uint16_t)(1U << k);
    }
    for (int k = 0; k < POV_PRINT_AROUND * POV_PRINT_AROUND; k++) {
        const int beside = row + k / POV_PRINT_AROUND - POV_PRINT_SIGHT,
                  next = column + k % POV_PRINT_AROUND - POV_PRINT_SIGHT;
        if (cells->white[within(beside, last)][within(next, last)])
            cells->around[row][column] |= 1U << k;
    }
}

void pov_print_cells_make(pov_print_cells *cells, const pov_tag_print *print)
{
    const int last = print->side_cells - 1;
    *cells = (pov_print_cells){.side = print->side_cells + 2 * POV_PRINT_PAD,
                               .edge = 0.5F * (float)print->edge_cells};
    cells->half = 0.5F * (float)cells->side;
    for (int row = 0; row < cells->side; row++)
        for (int column = 0; column < cells->side; column++)
            cells->white[row][column] =
                print->grey[within(row - POV_PRINT_PAD, last)][within(column - POV_PRINT_PAD, last)] == 255;
    for (int row = 0; row < cells->side; row++)
        for (int column = 0; column < cells->side; column++)
            look_around(cells, print, row, column);
}

/* ---- its place ---- */

void pov_print_place(double p[8], const pov_vec2 corner[4], pov_vec2 middle)
{
    const pov_vec2 p00 = corner[3], p10 = corner[2], p11 = corner[1], p01 = corner[0]; /* right, down */
    const double dx1 = p10.x - p11.x, dx2 = p01.x - p11.x, sx = p00.x - p10.x + p11.x - p01.x;
    const double dy1 = p10.y - p11.y, dy2 = p01.y - p11.y, sy = p00.y - p10.y + p11.y - p01.y;
    const double determinant = dx1 * dy2 - dx2 * dy1;
    const double g = (sx * dy2 - dx2 * sy) / determinant, h = (dx1 * sy - sx * dy1) / determinant;
    const double x0 = p00.x - middle.x, y0 = p00.y - middle.y;
    const double a = p10.x - p00.x + g * (p10.x - middle.x), b = p01.x - p00.x + h * (p01.x - middle.x);
    const double d = p10.y - p00.y + g * (p10.y - middle.y), e = p01.y - p00.y + h * (p01.y - middle.y);
    const double w = 1 + 0.5 * (g + h); /* of the unit square's middle; then from [0, 1] to [-1, 1] */
    p[0] = 0.5 * a / w;
    p[1] = 0.5 * b / w;
    p[2] = (x0 + 0.5 * (a + b)) / w;
    p[3] = 0.5 * d / w;
    p[4] = 0.5 * e / w;
    p[5] = (y0 + 0.5 * (d + e)) / w;
    p[6] = 0.5 * g / w;
    p[7] = 0.5 * h / w;
}

/** The adjugate. */
void pov_print_place_inverse(double inverse[9], const double p[8])
{
    inverse[0] = p[4] - p[5] * p[7];
    inverse[1] = p[2] * p[7] - p[1];
    inverse[2] = p[1] * p[5] - p[2] * p[4];
    inverse[3] = p[5] * p[6] - p[3];
    inverse[4] = p[0] - p[2] * p[6];
    inverse[5] = p[2] * p[3] - p[0] * p[5];
    inverse[6] = p[3] * p[7] - p[4] * p[6];
    inverse[7] = p[1] * p[6] - p[0] * p[7];
    inverse[8] = p[0] * p[4] - p[1] * p[3];
}

double pov_print_half_edge2_px2(const double p[8])
{
    return 0.5 * (p[0] * p[0] + p[3] * p[3] + p[1] * p[1] + p[4] * p[4]);
}

/* ---- pixels ---- */

/** Clear of everything that is not printed, and `reach` cells from a boundary of black and white. */
typedef enum { OUTSIDE, PLAIN, BESIDE } kind;

/** The neighbours within `reach` of a place in a cell, as bits; with the cell itself. */
static unsigned neighbours(float u, float v, float reach)
{
    const unsigned across = 2U | (u < reach) | (unsigned)(u > 1 - reach) << 2;
    return across << 3 | (v < reach ? across : 0) | (v > 1 - reach ? across << 6 : 0);
}

static kind kind_of(const pov_print_cells *cells, float u, float v, float reach)
{
    const int column = (int)u, row = (int)v;
    const float in_u = u - (float)column, in_v = v - (float)row;
    if (cells->unknown[row][column] & neighbours(in_u, in_v, CLEAR_CELLS))
        return OUTSIDE;
    return cells->differ[row][column] & neighbours(in_u, in_v, reach) ? BESIDE : PLAIN;
}

typedef struct {
    int x0, y0, x1, y1;
} box;

/** About what is printed. */
static box box_about(const pov_print_cells *cells, const double p[8], pov_vec2 middle, const pov_grey *grey)
{
    const double grown = (cells->half - POV_PRINT_PAD) / cells->edge;
    double x0 = INFINITY, y0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY;
    for (int i = 0; i < 4; i++) {
        const double u = i % 2 ? grown : -grown, v = i / 2 ? grown : -grown, w = p[6] * u + p[7] * v + 1;
        const double x = middle.x + (p[0] * u + p[1] * v + p[2]) / w;
        const double y = middle.y + (p[3] * u + p[4] * v + p[5]) / w;
        x0 = fmin(x0, x);
        x1 = fmax(x1, x);
        y0 = fmin(y0, y);
        y1 = fmax(y1, y);
    }
    const double width = grey->width_px, height = grey->height_px;
    return (box){(int)fmin(fmax(0, floor(x0)), width), (int)fmin(fmax(0, floor(y0)), height),
                 (int)fmax(fmin(width - 1, ceil(x1)), -1), (int)fmax(fmin(height - 1, ceil(y1)), -1)};
}

/** Rows begin at columns that never line up along an upright edge: Kronecker's sequence by the golden ratio. */
static int shift_of_row(int y, int step)
{
    const double turns = y * 0.6180339887498949;
    return (int)(step * (turns - floor(turns)));
}

/** A pixel that is `x`, `y` from the middle and at (u, v) of the square. */
static pov_print_sample sample_at(float x, float y, float u, float v, float size2_px2)
{
    return (pov_print_sample){.x_px = x,
                              .y_px = y,
                              .bow_u = 1 - u * u,
                              .bow_v = 1 - v * v,
                              .distance2 = (x * x + y * y) / size2_px2};
}

/** Looks at every `step`-th pixel about the print. */
static void look_for_candidates(pov_print_samples *taken, const pov_print_cells *cells, const double p[8],
                                pov_vec2 middle, const pov_grey *grey)
{
    double to[9];
    const box around = box_about(cells, p, middle, grey);
    const double area_px2 = (double)(around.x1 - around.x0 + 1) * (around.y1 - around.y0 + 1);
    const int step = (int)fmax(1, ceil(area_px2 / POV_PRINT_CANDIDATE_MAX));
    const float size2_px2 = (float)pov_print_half_edge2_px2(p);
    const double shorter2_px2 = fmin(p[0] * p[0] + p[3] * p[3], p[1] * p[1] + p[4] * p[4]);
    const float reach = fminf(REACH_PX * cells->edge / sqrtf((float)shorter2_px2), 0.99F);
    const float last = (float)(cells->side - POV_PRINT_PAD);
    pov_print_place_inverse(to, p);
    for (int row = around.y0; row <= around.y1; row++) {
        const double y = row - middle.y;
        const uint8_t *pixels = grey->pixels + (long)row * grey->stride_bytes;
        for (int column = around.x0 + shift_of_row(row, step); column <= around.x1; column += step) {
            const double x = column - middle.x, per_w = 1 / (to[6] * x + to[7] * y + to[8]);
            const float u = (float)((to[0] * x + to[1] * y + to[2]) * per_w);
            const float v = (float)((to[3] * x + to[4] * y + to[5]) * per_w);
            const float across = cells->half + cells->edge * u, down = cells->half + cells->edge * v;
            if (!(across > POV_PRINT_PAD && down > POV_PRINT_PAD && across < last && down < last))
                continue;
            const kind here = kind_of(cells, across, down, reach);
            if (here == OUTSIDE || (here == PLAIN && (column + row * STRIDE) % PLAIN_EVERY != 0) ||
                taken->len == POV_PRINT_CANDIDATE_MAX)
                continue;
            pov_print_sample *sample = &taken->list[taken->len++];
            *sample = sample_at((float)x, (float)y, u, v, size2_px2);
            sample->light = (float)pov_light_of_grey(pixels[column]);
            sample->white = cells->white[(int)down][(int)across];
        }
    }
}

void pov_print_samples_gather(pov_print_samples *taken, const pov_print_cells *cells, const double p[8],
                              pov_vec2 middle, const pov_grey *grey)
{
    taken->len = 0;
    look_for_candidates(taken, cells, p, middle, grey);
    const int len = taken->len, every = len / POV_PRINT_SAMPLE_MAX + 1;
    taken->len = 0;
    for (int k = 0; k < len; k += every)
        taken->list[taken->len++] = taken->list[k];
}
