#include "perception/tags/tag_print_fit.h"

#include "perception/geometry/least_squares.h"
#include "perception/geometry/linalg.h"
#include "perception/image/clones.h"
#include "perception/tags/tag_print_equations.h"

#include <math.h>
#include <string.h>

enum { N = POV_PRINT_PARAMETERS };
enum { SAMPLE_MIN = 60, COARSE = 3, COARSE_ITERATIONS = 3, FINE_ITERATIONS = 5, FEW = 400 };

/* Priors, one standard deviation: edges are bent and shortened by lenses and prints (share of their length); ink,
 * overexposure and tone curves; vignetting and shadows (share of the light). */
static const double BOW_SHARE = 0.002, SPREAD_STD_PX = 0.3, FADING_STD = 0.05, SMEAR_STD = 0.3;
static const double BLUR_MIN_PX = 0.3, BLUR_MAX_PX = 3, BLUR_USUAL_PX = 0.8, SMEAR_MAX = 0.9;
static const double SETTLED = 0.2, DAMPING = 1e-3;
static const double MOVE_MAX_PX = 3, SPREAD_MAX_PX = 1.2, MISFIT_MAX = 0.3, CONTRAST_MIN = 3;

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

/** The projectivity of the square [-1, 1]^2 to corners about `middle`: ((p0 u + p1 v + p2) / w, (p3 u + p4 v + p5) / w),
 *  w = p6 u + p7 v + 1 (Heckbert 1989, section 2.2). */
static void place_print(double p[8], const pov_vec2 corner[4], pov_vec2 middle)
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

/** Mean square of half an edge. */
static double half_edge2_px2(const double p[8])
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
    const unsigned unknown = cells->unknown[row][column], differ = cells->differ[row][column];
    if (unknown && unknown & neighbours(in_u, in_v, CLEAR_CELLS))
        return OUTSIDE;
    return differ && differ & neighbours(in_u, in_v, reach) ? BESIDE : PLAIN;
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

enum { PLACED = 32 };

/** Pixels side by side: on the square, and in cells. */
typedef struct {
    float u[PLACED], v[PLACED], column[PLACED], row[PLACED];
} placed_pixels;

/** Places pixels of a row, `step` apart from x on. */
POV_CLONES static void place_pixels(placed_pixels *at, const double to[9], const pov_print_cells *cells,
                                    pov_vec2 from, int step)
{
    for (int k = 0; k < PLACED; k++) {
        const double x = from.x + k * step, per_w = 1 / (to[6] * x + to[7] * from.y + to[8]);
        at->u[k] = (float)((to[0] * x + to[1] * from.y + to[2]) * per_w);
        at->v[k] = (float)((to[3] * x + to[4] * from.y + to[5]) * per_w);
        at->column[k] = cells->half + cells->edge * at->u[k];
        at->row[k] = cells->half + cells->edge * at->v[k];
    }
}

/** Looks at every `step`-th pixel about the print. */
static void look_for_candidates(pov_print_samples *taken, const pov_print_cells *cells, const double p[8],
                                pov_vec2 middle, const pov_grey *grey)
{
    double to[9];
    const box around = box_about(cells, p, middle, grey);
    const double area_px2 = (double)(around.x1 - around.x0 + 1) * (around.y1 - around.y0 + 1);
    const int step = (int)fmax(1, ceil(area_px2 / POV_PRINT_CANDIDATE_MAX));
    const float size2_px2 = (float)half_edge2_px2(p);
    const double shorter2_px2 = fmin(p[0] * p[0] + p[3] * p[3], p[1] * p[1] + p[4] * p[4]);
    const float reach = fminf(REACH_PX * cells->edge / sqrtf((float)shorter2_px2), 0.99F);
    const float last = (float)(cells->side - POV_PRINT_PAD);
    pov_print_place_inverse(to, p);
    for (int row = around.y0; row <= around.y1; row++) {
        const double y = row - middle.y;
        const uint8_t *pixels = grey->pixels + (long)row * grey->stride_bytes;
        placed_pixels at;
        int k = PLACED - 1;
        for (int column = around.x0 + shift_of_row(row, step); column <= around.x1; column += step) {
            const double x = column - middle.x;
            if (++k == PLACED) {
                place_pixels(&at, to, cells, (pov_vec2){x, y}, step);
                k = 0;
            }
            const float across = at.column[k], down = at.row[k];
            if (!(across > POV_PRINT_PAD && down > POV_PRINT_PAD && across < last && down < last))
                continue;
            const kind here = kind_of(cells, across, down, reach);
            if (here == OUTSIDE || (here == PLAIN && (column + row * STRIDE) % PLAIN_EVERY != 0) ||
                taken->len == POV_PRINT_CANDIDATE_MAX)
                continue;
            pov_print_sample *sample = &taken->list[taken->len++];
            *sample = sample_at((float)x, (float)y, at.u[k], at.v[k], size2_px2);
            sample->light = (float)pov_light_of_grey(pixels[column]);
            sample->white = cells->white[(int)down][(int)across];
        }
    }
}

/** Pixels worth looking at, evenly about the whole print. white: of the cell that each lies in. */
static void gather_samples(pov_print_samples *taken, const pov_print_cells *cells, const double p[8],
                           pov_vec2 middle, const pov_grey *grey)
{
    taken->len = 0;
    look_for_candidates(taken, cells, p, middle, grey);
    const int len = taken->len, every = len / POV_PRINT_SAMPLE_MAX + 1;
    taken->len = 0;
    for (int k = 0; k < len; k += every)
        taken->list[taken->len++] = taken->list[k];
}

/* ---- the fit ---- */

static void add_prior(pov_print_equations *sum, const double p[N], int parameter, double std)
{
    const double weight = sum->squared / fmax(sum->weight - N, 1) / (std * std);
    sum->information[parameter * (N + 1)] += weight;
    sum->gradient[parameter] -= weight * p[parameter];
}

/** The priors, in units of the residuals' variance. */
static void add_priors(pov_print_equations *sum, const double p[N])
{
    const double bow_px = BOW_SHARE * (hypot(p[0], p[3]) + hypot(p[1], p[4]));
    for (int i = 0; i < 4; i++)
        add_prior(sum, p, POV_PRINT_BOW + i, bow_px);
    add_prior(sum, p, POV_PRINT_CUBIC, BOW_SHARE);
    for (int i = 0; i < 3; i++)
        add_prior(sum, p, POV_PRINT_FADING + i, FADING_STD);
    for (int i = 0; i < 2; i++)
        add_prior(sum, p, POV_PRINT_SMEAR + i, SMEAR_STD);
    add_prior(sum, p, POV_PRINT_SPREAD, SPREAD_STD_PX);
}

static void linearise_print(pov_print_equations *sum, const pov_print_cells *cells, const double p[N],
                            const pov_print_samples *taken, int every)
{
    pov_print_linearise(sum, cells, p, taken, every);
    add_priors(sum, p);
}

static bool is_plausible_print(const double p[N])
{
    return p[POV_PRINT_WHITE] - p[POV_PRINT_BLACK] > CONTRAST_MIN && fabs(p[2]) < MOVE_MAX_PX &&
           fabs(p[5]) < MOVE_MAX_PX && fabs(p[POV_PRINT_SPREAD]) < SPREAD_MAX_PX;
}

/** The damped step from p, within bounds; false if there is none. Out: gain: the share of the residuals' square that
 *  it should take away. */
static bool step_from(double trial[N], double *gain, const double p[N], const pov_print_equations *here,
                      double damping)
{
    double step[N];
    if (!(here->weight > N) || !pov_normal_step(step, here->information, here->gradient, N, damping))
        return false;
    *gain = 0;
    for (int i = 0; i < N; i++) {
        trial[i] = p[i] + step[i];
        *gain += step[i] * here->gradient[i] / here->squared;
    }
    trial[POV_PRINT_BLUR] = fmin(fmax(trial[POV_PRINT_BLUR], BLUR_MIN_PX), BLUR_MAX_PX);
    const double smear = hypot(trial[POV_PRINT_SMEAR], trial[POV_PRINT_SMEAR + 1]);
    for (int i = 0; i < 2; i++)
        trial[POV_PRINT_SMEAR + i] *= fmin(1, SMEAR_MAX / fmax(smear, SMEAR_MAX));
    return is_plausible_print(trial);
}

/** Marquardt 1963; a step that gains hardly anything is the last, and taken unseen. Out: the equations before it. */
static bool descend_print(double p[N], pov_print_equations *here, const pov_print_cells *cells,
                          const pov_print_samples *taken, int every, int trial_max)
{
    linearise_print(here, cells, p, taken, every);
    for (pov_descent d = pov_descent_from(here->cost, DAMPING, trial_max); pov_descent_continues(&d);) {
        double trial[N], gain;
        pov_print_equations there;

        if (!step_from(trial, &gain, p, here, d.damping))
            return false;
        if (gain < SETTLED) {
            memcpy(p, trial, sizeof trial);
            break;
        }
        linearise_print(&there, cells, trial, taken, every);
        if (pov_descent_accepts(&d, there.cost)) {
            memcpy(p, trial, sizeof trial);
            *here = there;
        }
    }
    return true;
}

/** From near the end, a step by few pixels leads near enough for one by all. */
static void step_once(double p[N], const pov_print_cells *cells, const pov_print_samples *taken)
{
    pov_print_equations here;
    double trial[N], gain;
    linearise_print(&here, cells, p, taken, COARSE);
    if (step_from(trial, &gain, p, &here, DAMPING))
        memcpy(p, trial, sizeof trial);
}

/** Levels by the cells that pixels lie in. */
static bool begin_levels(double p[N], const pov_print_samples *taken)
{
    double sum[2] = {0, 0};
    int whites = 0;
    for (int k = 0; k < taken->len; k++) {
        const pov_print_sample *s = &taken->list[k];
        sum[s->white] += (double)s->light;
        whites += s->white;
    }
    if (whites == 0 || whites == taken->len)
        return false;
    p[POV_PRINT_BLACK] = sum[0] / (taken->len - whites);
    p[POV_PRINT_WHITE] = sum[1] / whites;
    p[POV_PRINT_BLUR] = BLUR_USUAL_PX;
    return is_plausible_print(p);
}

/** Adjacent residuals that are alike, as where halos are or noise is smoothed, count as fewer than they are. */
static double variance_of(const pov_print_equations *end)
{
    const double alike = fmin(fmax(end->neighbours / end->squared, 0), 0.7);
    return end->squared / (end->weight - N) * (1 + alike) / (1 - alike);
}

/** Corners of the fitted square, and the mean variance of their coordinates. */
static bool corners_of(pov_vec2 corner[4], double *variance_px2, const double p[N],
                       const pov_print_equations *end)
{
    static const double U[4] = {-1, 1, 1, -1}, V[4] = {1, 1, -1, -1};
    const double size2_px2 = half_edge2_px2(p);
    double L[N * N];
    if (!pov_cholesky(L, end->information, N))
        return false;
    *variance_px2 = 0;
    for (int i = 0; i < 4; i++) {
        const double w = p[6] * U[i] + p[7] * V[i] + 1;
        const double x = (p[0] * U[i] + p[1] * V[i] + p[2]) / w, y = (p[3] * U[i] + p[4] * V[i] + p[5]) / w;
        double per_x[N] = {U[i] / w, V[i] / w, 1 / w, 0, 0, 0, -x * U[i] / w, -x * V[i] / w};
        double per_y[N] = {0, 0, 0, U[i] / w, V[i] / w, 1 / w, -y * U[i] / w, -y * V[i] / w};
        double solved[N];
        const double distance2 = (x * x + y * y) / size2_px2, far = 1 + p[POV_PRINT_CUBIC] * distance2;
        per_x[POV_PRINT_CUBIC] = x * distance2;
        per_y[POV_PRINT_CUBIC] = y * distance2;
        for (int k = 0; k < 2; k++) {
            const double *per = k ? per_y : per_x;
            pov_cholesky_solve(solved, L, per, N);
            for (int j = 0; j <= POV_PRINT_CUBIC; j++)
                *variance_px2 += per[j] * solved[j] / 8;
        }
        corner[i] = (pov_vec2){far * x, far * y};
    }
    *variance_px2 *= variance_of(end);
    return true;
}

/** The square as its corners would be without the cube, which bends them, too. */
static void place_without_cube(double p[N], const pov_vec2 corner_px[4], pov_vec2 middle)
{
    pov_vec2 straight[4];
    place_print(p, corner_px, middle);
    const double size2_px2 = half_edge2_px2(p);
    for (int i = 0; i < 4; i++) {
        const double x = corner_px[i].x - middle.x, y = corner_px[i].y - middle.y;
        const double near = 1 / (1 + p[POV_PRINT_CUBIC] * (x * x + y * y) / size2_px2);
        straight[i] = (pov_vec2){middle.x + near * x, middle.y + near * y};
    }
    place_print(p, straight, middle);
}

/** Fits the print from `look`, or from nothing. Out: corner: about the middle. */
static bool fit_print(pov_vec2 corner[4], double *std_px, pov_tag_look *look, const pov_print_cells *cells,
                      const pov_print_samples *taken, double p[N])
{
    pov_print_equations end;
    double variance_px2;
    if (look->is_known) {
        memcpy(&p[POV_PRINT_BOW], look->of, sizeof look->of);
        step_once(p, cells, taken);
    } else if (!begin_levels(p, taken) ||
               (taken->len > FEW && !descend_print(p, &end, cells, taken, COARSE, COARSE_ITERATIONS)))
        return false;
    if (!descend_print(p, &end, cells, taken, 1, FINE_ITERATIONS) ||
        !corners_of(corner, &variance_px2, p, &end) ||
        sqrt(end.squared / end.weight) > MISFIT_MAX * (p[POV_PRINT_WHITE] - p[POV_PRINT_BLACK]))
        return false;
    *std_px = sqrt(variance_px2);
    memcpy(look->of, &p[POV_PRINT_BOW], sizeof look->of);
    look->is_known = true;
    return true;
}

bool pov_print_cells_fit(pov_vec2 corner_px[4], double *std_px, pov_tag_look *look,
                         const pov_print_cells *cells, const pov_grey *grey)
{
    pov_print_samples taken;
    double p[N] = {0};
    pov_vec2 middle = {0, 0}, corner[4];
    for (int i = 0; i < 4; i++)
        middle = (pov_vec2){middle.x + 0.25 * corner_px[i].x, middle.y + 0.25 * corner_px[i].y};
    if (!isfinite(middle.x) || !isfinite(middle.y))
        return false;
    p[POV_PRINT_CUBIC] = look->is_known ? look->of[POV_PRINT_CUBIC - POV_PRINT_BOW] : 0;
    place_without_cube(p, corner_px, middle);
    gather_samples(&taken, cells, p, middle, grey);
    if (taken.len < SAMPLE_MIN || !fit_print(corner, std_px, look, cells, &taken, p))
        return false;
    for (int i = 0; i < 4; i++)
        corner_px[i] = (pov_vec2){corner[i].x + middle.x, corner[i].y + middle.y};
    return true;
}

bool pov_tag_print_fit(pov_vec2 corner_px[4], double *std_px, const pov_tag_print *print,
                       const pov_grey *grey)
{
    pov_print_cells cells;
    pov_tag_look look = {.is_known = false};
    pov_print_cells_make(&cells, print);
    return pov_print_cells_fit(corner_px, std_px, &look, &cells, grey);
}
