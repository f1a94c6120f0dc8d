#include "perception/tags/tag_match.h"

#include <math.h>

enum { CELL_MAX = POV_TAG_PRINT_SIDE_MAX * POV_TAG_PRINT_SIDE_MAX, SNAP_MAX_PX = 24 };

static const double STEP_CELLS = 0.4;        /* of the search; cells read at their middles give half a cell */
static const double SNAP_CELLS = 0.7;        /* the edge is searched for this far: the next cell stays out */
static const double BORDER_OFF_MAX_PX = 1.5; /* a lens may bend a long edge that much */
static const double CONTRAST_MIN = 16;       /* grey levels between white and black; less is not a print */

void pov_tag_pattern_make(pov_tag_pattern *pattern, const pov_tag_print *print)
{
    const float margin = (float)(print->side_cells - print->edge_cells) / 2;

    pov_print_cells_make(&pattern->cells, print);
    pattern->edge_cells = print->edge_cells;
    pattern->dark_outside =
        print->grey[print->side_cells / 2][(print->side_cells - print->edge_cells) / 2 - 1] == 0;
    pattern->len = 0;
    for (int row = 0; row < print->side_cells; row++) {
        for (int column = 0; column < print->side_cells; column++) {
            const uint8_t grey = print->grey[row][column];
            if (grey != 0 && grey != 255)
                continue; /* nothing is printed there */
            pattern->cell[pattern->len].column = (float)column + 0.5F - margin;
            pattern->cell[pattern->len].row = (float)row + 0.5F - margin;
            pattern->cell[pattern->len++].white = grey == 255;
        }
    }
}

/** The cells' middles in the image, by the projectivity that takes the square to the corners (Heckbert 1989, section 2.2). */
static void place_cells(pov_vec2 place[CELL_MAX], const pov_tag_pattern *pattern, const pov_vec2 corner[4])
{
    const pov_vec2 p00 = corner[3], p10 = corner[2], p11 = corner[1], p01 = corner[0]; /* column, row */
    const double dx1 = p10.x - p11.x, dx2 = p01.x - p11.x, sx = p00.x - p10.x + p11.x - p01.x;
    const double dy1 = p10.y - p11.y, dy2 = p01.y - p11.y, sy = p00.y - p10.y + p11.y - p01.y;
    const double determinant = dx1 * dy2 - dx2 * dy1;
    const double g = (sx * dy2 - dx2 * sy) / determinant, h = (dx1 * sy - sx * dy1) / determinant;
    const double a = p10.x - p00.x + g * p10.x, b = p01.x - p00.x + h * p01.x;
    const double d = p10.y - p00.y + g * p10.y, e = p01.y - p00.y + h * p01.y;

    for (int i = 0; i < pattern->len; i++) {
        const double u = (double)pattern->cell[i].column / pattern->edge_cells;
        const double v = (double)pattern->cell[i].row / pattern->edge_cells;
        const double w = g * u + h * v + 1;
        place[i] = (pov_vec2){(a * u + b * v + p00.x) / w, (d * u + e * v + p00.y) / w};
    }
}

/** All places, moved this way and that by `reach_px`, are in the image. */
static bool in_view(const pov_vec2 place[CELL_MAX], int len, const pov_grey *grey, double reach_px)
{
    for (int i = 0; i < len; i++)
        if (!(place[i].x - reach_px >= 1 && place[i].y - reach_px >= 1 &&
              place[i].x + reach_px < grey->width_px - 2 && place[i].y + reach_px < grey->height_px - 2))
            return false;
    return true;
}

/** Mean of white cells minus mean of black ones, at the nearest pixels. */
static double contrast_of(const pov_tag_pattern *pattern, const pov_vec2 place[CELL_MAX], pov_vec2 shift,
                          const pov_grey *grey)
{
    int sum[2] = {0, 0}, len[2] = {0, 0};

    for (int i = 0; i < pattern->len; i++) {
        const int x = (int)(place[i].x + shift.x + 0.5), y = (int)(place[i].y + shift.y + 0.5);
        sum[pattern->cell[i].white] += grey->pixels[(long)y * grey->stride_bytes + x];
        len[pattern->cell[i].white]++;
    }
    return (double)sum[1] / len[1] - (double)sum[0] / len[0];
}

static double cell_px(const pov_tag_pattern *pattern, const pov_vec2 corner[4])
{
    double shortest = INFINITY;

    for (int i = 0; i < 4; i++)
        shortest =
            fmin(shortest, hypot(corner[i].x - corner[(i + 1) % 4].x, corner[i].y - corner[(i + 1) % 4].y));
    return shortest / pattern->edge_cells;
}

/** The shift with the largest contrast. */
static bool search_place(pov_vec2 *shift, const pov_tag_pattern *pattern, const pov_vec2 corner[4],
                         const pov_grey *grey, double reach_px)
{
    pov_vec2 place[CELL_MAX];
    const double step = fmax(STEP_CELLS * cell_px(pattern, corner), 1);
    const int steps = (int)ceil(reach_px / step);
    double best = CONTRAST_MIN;
    bool found = false;

    place_cells(place, pattern, corner);
    if (!in_view(place, pattern->len, grey, steps * step))
        return false;
    for (int j = -steps; j <= steps; j++) {
        for (int i = -steps; i <= steps; i++) {
            const pov_vec2 trial = {i * step, j * step};
            const double here = contrast_of(pattern, place, trial, grey);
            if (here > best) {
                best = here;
                *shift = trial;
                found = true;
            }
        }
    }
    return found;
}

static double bilinear(const pov_grey *grey, pov_vec2 at)
{
    const int x = (int)at.x, y = (int)at.y;
    const double u = at.x - x, v = at.y - y;
    const uint8_t *p = grey->pixels + (long)y * grey->stride_bytes + x, *q = p + grey->stride_bytes;

    return (1 - v) * ((1 - u) * p[0] + u * p[1]) + v * ((1 - u) * q[0] + u * q[1]);
}

/** Reads every cell against the level halfway between white and black. */
static bool read_cells(pov_tag *tag, const pov_tag_pattern *pattern, const pov_grey *grey, int bits_max)
{
    pov_vec2 place[CELL_MAX];
    double value[CELL_MAX], sum[2] = {0, 0};
    int len[2] = {0, 0}, wrong = 0;

    place_cells(place, pattern, tag->corner_px);
    if (!in_view(place, pattern->len, grey, 0))
        return false;
    for (int i = 0; i < pattern->len; i++) {
        value[i] = bilinear(grey, place[i]);
        sum[pattern->cell[i].white] += value[i];
        len[pattern->cell[i].white]++;
    }
    const double white = sum[1] / len[1], black = sum[0] / len[0], level = 0.5 * (white + black);
    for (int i = 0; i < pattern->len; i++)
        wrong += (value[i] > level) != pattern->cell[i].white;
    tag->bits_corrected = wrong;
    tag->decision_margin = 0.5 * (white - black);
    return white - black >= CONTRAST_MIN && wrong <= bits_max;
}

static pov_vec2 point_between(pov_vec2 a, pov_vec2 b, double share)
{
    return (pov_vec2){a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)};
}

/** Place of the step from dark to light along the line from `a` to `b`, between two shares of its length: where the mean grey
 *  rises most, by the parabola through that rise and those beside it. */
static double border_px(pov_vec2 a, pov_vec2 b, double from, double to, pov_vec2 lighter, int reach,
                        const pov_grey *grey)
{
    enum { POINTS = 12 };
    double profile[2 * SNAP_MAX_PX + 5] = {0}, rise[2 * SNAP_MAX_PX + 1];
    int best = 0;

    for (int d = 0; d < 2 * reach + 5; d++) {
        for (int i = 0; i < POINTS; i++) {
            const pov_vec2 on = point_between(a, b, from + (to - from) * i / (POINTS - 1));
            const double away = d - reach - 2;
            profile[d] += bilinear(grey, (pov_vec2){on.x + away * lighter.x, on.y + away * lighter.y});
        }
    }
    for (int d = 0; d <= 2 * reach; d++) {
        rise[d] = profile[d + 3] + profile[d + 4] - profile[d + 1] - profile[d];
        if (rise[d] > rise[best])
            best = d;
    }
    if (best == 0 || best == 2 * reach)
        return best - reach;
    const double bend = 2 * rise[best] - rise[best - 1] - rise[best + 1];
    return best - reach + (bend > 0 ? 0.5 * (rise[best + 1] - rise[best - 1]) / bend : 0);
}

/** Intersection of the lines through p, q and r, s. */
static pov_vec2 meeting_point(pov_vec2 p, pov_vec2 q, pov_vec2 r, pov_vec2 s)
{
    const double ax = q.x - p.x, ay = q.y - p.y, bx = s.x - r.x, by = s.y - r.y;
    const double share = ((r.x - p.x) * by - (r.y - p.y) * bx) / (ax * by - ay * bx);

    return point_between(p, q, share);
}

/** Half an edge, the side of it where white should be, and how far to that side black ends. */
typedef struct {
    pov_vec2 middle, lighter;
    double off_px;
} half_edge;

/** Looks for the border about each half of each edge; false if that is not all in the image. */
static bool look_for_border(half_edge half[4][2], const pov_vec2 corner[4], const pov_tag_pattern *pattern,
                            const pov_grey *grey)
{
    static const double MIDDLE[2] = {0.275, 0.725}, SPAN = 0.175; /* shares of an edge, clear of its ends */
    const int reach = (int)fmin(ceil(SNAP_CELLS * cell_px(pattern, corner)), SNAP_MAX_PX);

    for (int i = 0; i < 4; i++)
        if (!(corner[i].x - reach >= 4 && corner[i].y - reach >= 4 &&
              corner[i].x + reach < grey->width_px - 5 && corner[i].y + reach < grey->height_px - 5))
            return false;
    for (int i = 0; i < 4; i++) {
        const pov_vec2 a = corner[i], b = corner[(i + 1) % 4];
        const double length = hypot(b.x - a.x, b.y - a.y) * (pattern->dark_outside ? -1 : 1);
        for (int k = 0; k < 2; k++) {
            half[i][k].middle = point_between(a, b, MIDDLE[k]);
            half[i][k].lighter = (pov_vec2){-(b.y - a.y) / length, (b.x - a.x) / length};
            half[i][k].off_px =
                border_px(a, b, MIDDLE[k] - SPAN, MIDDLE[k] + SPAN, half[i][k].lighter, reach, grey);
        }
    }
    return true;
}

static pov_vec2 on_border(const half_edge *half)
{
    return (pov_vec2){half->middle.x + half->off_px * half->lighter.x,
                      half->middle.y + half->off_px * half->lighter.y};
}

/** Moves the corners so that each edge is within a pixel of where black ends. */
static bool snap_edges(pov_vec2 corner[4], const pov_tag_pattern *pattern, const pov_grey *grey)
{
    half_edge half[4][2];

    if (!look_for_border(half, corner, pattern, grey))
        return false;
    for (int i = 0; i < 4; i++) {
        const half_edge *before = half[(i + 3) % 4], *after = half[i];
        corner[i] = meeting_point(on_border(&before[0]), on_border(&before[1]), on_border(&after[0]),
                                  on_border(&after[1]));
    }
    return true;
}

/** Every half edge has the end of black beside it, and not farther out or in. */
static bool has_border(const pov_vec2 corner[4], const pov_tag_pattern *pattern, const pov_grey *grey)
{
    half_edge half[4][2];

    if (!look_for_border(half, corner, pattern, grey))
        return false;
    for (int i = 0; i < 8; i++)
        if (fabs(half[i / 2][i % 2].off_px) > BORDER_OFF_MAX_PX)
            return false;
    return true;
}

/** From the look of the last image, if that is known. */
static bool match_at(pov_followed_tag *followed, pov_vec2 shift, const pov_tag_pattern *pattern,
                     const pov_grey *grey, int bits_max)
{
    pov_followed_tag trial = *followed;
    pov_vec2 *corner_px = trial.tag.corner_px;

    for (int i = 0; i < 4; i++)
        corner_px[i] = (pov_vec2){corner_px[i].x + shift.x, corner_px[i].y + shift.y};
    if (!snap_edges(corner_px, pattern, grey) ||
        !pov_print_cells_fit(corner_px, &trial.tag.corner_std_px, &trial.look, &pattern->cells, grey) ||
        !has_border(corner_px, pattern, grey) || !read_cells(&trial.tag, pattern, grey, bits_max))
        return false;
    *followed = trial;
    return true;
}

/* Most tags are where they are expected, and look as before: all cells but those that may be mended, and the border, show it. */
bool pov_tag_match(pov_followed_tag *followed, const pov_tag_pattern *pattern, const pov_grey *grey,
                   double reach_px, int bits_max)
{
    pov_followed_tag again = {.tag = followed->tag};
    pov_vec2 shift = {0, 0};

    if (match_at(followed, shift, pattern, grey, bits_max))
        return true;
    if (!(followed->look.is_known && match_at(&again, shift, pattern, grey, bits_max)) &&
        !(search_place(&shift, pattern, again.tag.corner_px, grey, reach_px) &&
          match_at(&again, shift, pattern, grey, bits_max)))
        return false;
    *followed = again;
    return true;
}
