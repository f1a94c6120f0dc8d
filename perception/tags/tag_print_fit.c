#include "perception/tags/tag_print_fit.h"

#include "perception/linalg.h"
#include "perception/tags/tag_light.h"

#include <math.h>
#include <string.h>

/** What is fitted: eight numbers of the projectivity that takes the square [-1, 1]^2 to pixels about its middle, how far its
 *  edges bow along x and y, how much of the cube of their distance from the middle is added to places, light of black and
 *  white cells, the blur's standard deviation, how far black reaches into white, by which share of itself the light grows
 *  toward the square's right and lower edge, and with squares and product of both. With bows and cube a lens' radial
 *  distortion is followed to the third order. */
enum { BOW = 8, CUBIC = 12, BLACK, WHITE, BLUR, SPREAD, SLOPE, FADING = SLOPE + 2, PARAMETERS = FADING + 3 };

enum { PAD = 2, GRID = POV_TAG_PRINT_SIDE_MAX + 2 * PAD };
enum { STRIDE = 7, PLAIN_EVERY = 16, CANDIDATES = 6000, SAMPLE_MIN = 60, SAMPLE_MAX = 1200, COARSE = 3 };
enum { COARSE_ITERATIONS = 3, FINE_ITERATIONS = 5, FEW = 400 };

/* What is known beforehand, one standard deviation: of an edge's length, how much lenses and prints bend it, and lenses shrink
 * its ends; ink, overexposure and tone curves; of the light, vignetting and shadows. */
static const double BOW_SHARE = 0.002, SPREAD_STD_PX = 0.3, FADING_STD = 0.05;
static const double OUTLIER = 0.15;    /* of the contrast: pixels farther off are of something else */
static const double REACH_PX = 1.8;    /* from a boundary: beyond that a pixel tells of levels only */
static const double CLEAR_CELLS = 0.4; /* from what is not printed */
static const double NARROW = 0.36; /* a blur of so many cells: what is beyond the next cell is out of sight */
static const double BLUR_MIN_PX = 0.3, BLUR_MAX_PX = 3;
static const double SETTLED_PX = 0.03;
static const double MOVE_MAX_PX = 3, SPREAD_MAX_PX = 1.2, MISFIT_MAX = 0.3, CONTRAST_MIN = 3;

/** The print with two cells of nothing around it: 1 white, 0 black. */
typedef struct {
    int side;          /* with padding */
    double half, edge; /* of the side and of the square in its middle, in cells */
    double white[GRID][GRID];
    bool known[GRID][GRID];
} cells;

/** A pixel: from the square's middle, and how much it has of the bows along its rows and columns and of the square of its
 *  distance, in half-edges. */
typedef struct {
    float x_px, y_px, bow_u, bow_v, distance2, light;
} sample;

typedef struct {
    int len;
    sample list[CANDIDATES];
} samples;

typedef struct {
    double information[PARAMETERS * PARAMETERS], gradient[PARAMETERS];
    double cost, squared, weight; /* Cauchy's cost, weighted squares, weights */
    double neighbours;            /* products of adjacent residuals */
} normal_equations;

/** How light varies about a point of the print: 0 black .. 1 white, per cell across and down, and per relative blur. */
typedef struct {
    double white, per_u, per_v, per_blur;
} shade;

/** Shares of up to five cells along one axis under the blur, and their derivatives. */
typedef struct {
    int first, len;
    double share[5], per_place[5], per_blur[5];
} spread;

static int within(int at, int last)
{
    return at < 0 ? 0 : at > last ? last : at;
}

static void make_cells(cells *c, const pov_tag_print *print)
{
    *c = (cells){.side = print->side_cells + 2 * PAD, .edge = 0.5 * print->edge_cells};
    c->half = 0.5 * c->side;
    for (int row = 0; row < c->side; row++)
        for (int column = 0; column < c->side; column++) {
            const int y = row - PAD, x = column - PAD, last = print->side_cells - 1;
            const uint8_t grey = print->grey[within(y, last)][within(x, last)];
            c->white[row][column] = grey == 255;
            c->known[row][column] = (grey == 0 || grey == 255) && x >= 0 && y >= 0 && x <= last && y <= last;
        }
}

/** The projectivity of [-1, 1]^2 to corners about `middle` (Heckbert 1989, section 2.2). */
static void square_to_quad(double p[8], const pov_vec2 corner[4], pov_vec2 middle)
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

/** Adjugate of the projectivity's matrix: takes pixels to the square. */
static void inverse_of(double m[9], const double p[8])
{
    m[0] = p[4] - p[5] * p[7];
    m[1] = p[2] * p[7] - p[1];
    m[2] = p[1] * p[5] - p[2] * p[4];
    m[3] = p[5] * p[6] - p[3];
    m[4] = p[0] - p[2] * p[6];
    m[5] = p[2] * p[3] - p[0] * p[5];
    m[6] = p[3] * p[7] - p[4] * p[6];
    m[7] = p[1] * p[6] - p[0] * p[7];
    m[8] = p[0] * p[4] - p[1] * p[3];
}

static pov_vec2 on_square(const double inverse[9], double x, double y)
{
    const double w = inverse[6] * x + inverse[7] * y + inverse[8];
    return (pov_vec2){(inverse[0] * x + inverse[1] * y + inverse[2]) / w,
                      (inverse[3] * x + inverse[4] * y + inverse[5]) / w};
}

static double half_edge2_px2(const double p[8])
{
    return 0.5 * (p[0] * p[0] + p[3] * p[3] + p[1] * p[1] + p[4] * p[4]);
}

/* ---- which pixels ---- */

/** Clear of everything that is not printed, and `reach` cells from a boundary of black and white. */
typedef enum { OUTSIDE, PLAIN, BESIDE } kind;

static kind kind_of(const cells *c, double u, double v, double reach)
{
    kind found = PLAIN;
    const int column = (int)u, row = (int)v;
    for (int k = 0; k < 4; k++) {
        const double across = k % 2 ? 1 : -1, down = k / 2 ? 1 : -1;
        if (!c->known[(int)(v + down * CLEAR_CELLS)][(int)(u + across * CLEAR_CELLS)])
            return OUTSIDE;
        if (c->white[(int)(v + down * reach)][(int)(u + across * reach)] != c->white[row][column] ||
            c->white[row][(int)(u + across * reach)] != c->white[row][column] ||
            c->white[(int)(v + down * reach)][column] != c->white[row][column])
            found = BESIDE;
    }
    return found;
}

typedef struct {
    int x0, y0, x1, y1;
} box;

static box box_about(const cells *c, const pov_vec2 corner[4], pov_vec2 middle, const pov_grey *grey)
{
    const double grown = (c->half - PAD) / c->edge;
    double x0 = INFINITY, y0 = INFINITY, x1 = -INFINITY, y1 = -INFINITY;
    for (int i = 0; i < 4; i++) {
        const double x = middle.x + grown * (corner[i].x - middle.x);
        const double y = middle.y + grown * (corner[i].y - middle.y);
        x0 = fmin(x0, x);
        x1 = fmax(x1, x);
        y0 = fmin(y0, y);
        y1 = fmax(y1, y);
    }
    return (box){(int)fmax(0, floor(x0)), (int)fmax(0, floor(y0)), (int)fmin(grey->width_px - 1, ceil(x1)),
                 (int)fmin(grey->height_px - 1, ceil(y1))};
}

/** Rows begin at columns that never line up along an upright edge: Kronecker's sequence by the golden ratio. */
static int shift_of_row(int y, int step)
{
    const double turns = y * 0.6180339887498949;
    return (int)(step * (turns - floor(turns)));
}

/** Pixels worth looking at, from a lattice of at most CANDIDATES of those about the print; thinned to SAMPLE_MAX. */
static void gather(samples *taken, const cells *c, const double p[8], pov_vec2 middle,
                   const pov_vec2 corner[4], const pov_grey *grey)
{
    double inverse[9];
    const box around = box_about(c, corner, middle, grey);
    const double area_px2 = (double)(around.x1 - around.x0 + 1) * (around.y1 - around.y0 + 1);
    const int step = (int)fmax(1, ceil(area_px2 / CANDIDATES));
    const double size2_px2 = half_edge2_px2(p);
    const double cell_px = sqrt(fmin(p[0] * p[0] + p[3] * p[3], p[1] * p[1] + p[4] * p[4])) / c->edge;
    const double reach = fmin(REACH_PX / cell_px, 0.99);
    int len = 0;
    inverse_of(inverse, p);
    for (int y = around.y0; y <= around.y1; y++)
        for (int x = around.x0 + shift_of_row(y, step); x <= around.x1; x += step) {
            const pov_vec2 at = on_square(inverse, x - middle.x, y - middle.y);
            const double u = c->half + c->edge * at.x, v = c->half + c->edge * at.y;
            if (!(u > 1 && v > 1 && u < c->side - 1 && v < c->side - 1))
                continue;
            const kind here = kind_of(c, u, v, reach);
            if (len < CANDIDATES &&
                (here == BESIDE || (here == PLAIN && (x + y * STRIDE) % PLAIN_EVERY == 0)))
                taken->list[len++] = (sample){
                    (float)(x - middle.x),
                    (float)(y - middle.y),
                    (float)(1 - at.x * at.x),
                    (float)(1 - at.y * at.y),
                    (float)(((x - middle.x) * (x - middle.x) + (y - middle.y) * (y - middle.y)) / size2_px2),
                    (float)pov_light_of_grey(grey->pixels[(long)y * grey->stride_bytes + x])};
        }
    const int every = len / SAMPLE_MAX + 1;
    taken->len = 0;
    for (int k = 0; k < len; k += every)
        taken->list[taken->len++] = taken->list[k];
}

/* ---- what they should look like ---- */

static spread spread_at(double place, double std)
{
    const int reach = std > NARROW ? 2 : 1, cell = (int)place;
    spread s = {.first = cell - reach, .len = 2 * reach + 1};
    double below = 0, below_place = 0, below_blur = 0;
    for (int k = 0; k < s.len; k++) {
        double here = 1, here_place = 0, here_blur = 0;
        if (k < s.len - 1) {
            const double z = (s.first + k + 1 - place) / std;
            const double density = pov_normal_density(z);
            here = pov_normal_share(z, density);
            here_place = -density / std;
            here_blur = -z * density;
        }
        s.share[k] = here - below;
        s.per_place[k] = here_place - below_place;
        s.per_blur[k] = here_blur - below_blur;
        below = here;
        below_place = here_place;
        below_blur = here_blur;
    }
    return s;
}

static shade shade_at(const cells *c, double u, double v, double std_u, double std_v)
{
    const spread across = spread_at(u, std_u), down = spread_at(v, std_v);
    shade sum = {0};
    for (int j = 0; j < down.len; j++) {
        const double *row = &c->white[down.first + j][across.first];
        double share = 0, per_place = 0, per_blur = 0;
        for (int i = 0; i < across.len; i++) {
            share += row[i] * across.share[i];
            per_place += row[i] * across.per_place[i];
            per_blur += row[i] * across.per_blur[i];
        }
        sum.white += down.share[j] * share;
        sum.per_u += down.share[j] * per_place;
        sum.per_v += down.per_place[j] * share;
        sum.per_blur += down.share[j] * per_blur + down.per_blur[j] * share;
    }
    return sum;
}

/** Residual of a pixel and d(light) / d(parameters); false where the print, as now placed, has no such point. */
static bool look(double *residual, double row[PARAMETERS], const cells *c, const double p[PARAMETERS],
                 const double inverse[9], const sample *s)
{
    const double near = 1 - p[CUBIC] * s->distance2;
    const double x = near * s->x_px - p[BOW] * s->bow_u - p[BOW + 1] * s->bow_v;
    const double y = near * s->y_px - p[BOW + 2] * s->bow_u - p[BOW + 3] * s->bow_v;
    const pov_vec2 at = on_square(inverse, x, y);
    const double u = c->half + c->edge * at.x, v = c->half + c->edge * at.y;
    const double w = p[6] * at.x + p[7] * at.y + 1;
    const double xu = (p[0] - x * p[6]) / w, xv = (p[1] - x * p[7]) / w;
    const double yu = (p[3] - y * p[6]) / w, yv = (p[4] - y * p[7]) / w;
    const double scale = c->edge / (xu * yv - xv * yu); /* cells per pixel are these times it */
    const double blur = p[BLUR] * fabs(scale);
    if (!(u > PAD && v > PAD && u < c->side - PAD && v < c->side - PAD))
        return false;
    const shade here = shade_at(c, u, v, blur * sqrt(yv * yv + xv * xv), blur * sqrt(yu * yu + xu * xu));
    const double per_x = scale * (here.per_u * yv - here.per_v * yu);
    const double per_y = scale * (here.per_v * xu - here.per_u * xv);
    const double steepness = sqrt(per_x * per_x + per_y * per_y);
    const double lit = 1 + p[SLOPE] * at.x + p[SLOPE + 1] * at.y + p[FADING] * at.x * at.x +
                       p[FADING + 1] * at.x * at.y + p[FADING + 2] * at.y * at.y,
                 contrast = (p[WHITE] - p[BLACK]) * lit;
    const double white = here.white - p[SPREAD] * steepness;
    const double plain = p[BLACK] + (p[WHITE] - p[BLACK]) * white;
    const double sx = -contrast * per_x / w, sy = -contrast * per_y / w;

    row[0] = sx * at.x;
    row[1] = sx * at.y;
    row[2] = sx;
    row[3] = sy * at.x;
    row[4] = sy * at.y;
    row[5] = sy;
    row[6] = -(sx * x + sy * y) * at.x;
    row[7] = -(sx * x + sy * y) * at.y;
    row[BOW] = sx * w * s->bow_u;
    row[BOW + 1] = sx * w * s->bow_v;
    row[BOW + 2] = sy * w * s->bow_u;
    row[BOW + 3] = sy * w * s->bow_v;
    row[CUBIC] = w * (sx * s->x_px + sy * s->y_px) * s->distance2;
    row[BLACK] = (1 - white) * lit;
    row[WHITE] = white * lit;
    row[BLUR] = contrast * here.per_blur / p[BLUR];
    row[SPREAD] = -contrast * steepness;
    row[SLOPE] = plain * at.x;
    row[SLOPE + 1] = plain * at.y;
    row[FADING] = plain * at.x * at.x;
    row[FADING + 1] = plain * at.x * at.y;
    row[FADING + 2] = plain * at.y * at.y;
    *residual = s->light - plain * lit;
    return true;
}

/* ---- the fit ---- */

static void believe(normal_equations *sum, const double p[PARAMETERS], int parameter, double std)
{
    const double weight = sum->squared / fmax(sum->weight - PARAMETERS, 1) / (std * std);
    sum->information[parameter * (PARAMETERS + 1)] += weight;
    sum->gradient[parameter] -= weight * p[parameter];
}

/** What is known beforehand, in units of the residuals' variance. */
static void add_beliefs(normal_equations *sum, const double p[PARAMETERS])
{
    const double bow_px = BOW_SHARE * (hypot(p[0], p[3]) + hypot(p[1], p[4]));
    for (int i = 0; i < 4; i++)
        believe(sum, p, BOW + i, bow_px);
    believe(sum, p, CUBIC, BOW_SHARE);
    for (int i = 0; i < 3; i++)
        believe(sum, p, FADING + i, FADING_STD);
    believe(sum, p, SPREAD, SPREAD_STD_PX);
}

static void linearise(normal_equations *sum, const cells *c, const double p[PARAMETERS], const samples *taken,
                      int every)
{
    const double loose = OUTLIER * (p[WHITE] - p[BLACK]);
    double inverse[9], row[PARAMETERS], residual, before = 0;
    memset(sum, 0, sizeof *sum);
    inverse_of(inverse, p);
    for (int k = 0; k < taken->len; k += every) {
        if (!look(&residual, row, c, p, inverse, &taken->list[k]))
            continue;
        const double weight = 1 / (1 + residual * residual / (loose * loose));
        for (int i = 0; i < PARAMETERS; i++) {
            const double weighted = weight * row[i];
            sum->gradient[i] += weighted * residual;
            for (int j = 0; j <= i; j++)
                sum->information[i * PARAMETERS + j] += weighted * row[j];
        }
        sum->cost -= loose * loose * log(weight);
        sum->squared += weight * residual * residual;
        sum->weight += weight;
        sum->neighbours += sqrt(weight) * residual * before;
        before = sqrt(weight) * residual;
    }
    for (int i = 0; i < PARAMETERS; i++)
        for (int j = 0; j < i; j++)
            sum->information[j * PARAMETERS + i] = sum->information[i * PARAMETERS + j];
    add_beliefs(sum, p);
}

static bool plausible(const double p[PARAMETERS])
{
    return p[WHITE] - p[BLACK] > CONTRAST_MIN && fabs(p[2]) < MOVE_MAX_PX && fabs(p[5]) < MOVE_MAX_PX &&
           fabs(p[SPREAD]) < SPREAD_MAX_PX;
}

/** Marquardt 1963. Out: the equations at the end. */
static bool descend(double p[PARAMETERS], normal_equations *here, const cells *c, const samples *taken,
                    int every, int iterations)
{
    double damping = 1e-3;
    linearise(here, c, p, taken, every);
    for (int iteration = 0; iteration < iterations; iteration++) {
        double L[PARAMETERS * PARAMETERS], step[PARAMETERS], trial[PARAMETERS], largest = 0;
        normal_equations there;

        memcpy(L, here->information, sizeof L);
        for (int i = 0; i < PARAMETERS; i++)
            L[i * (PARAMETERS + 1)] *= 1 + damping;
        if (!(here->weight > PARAMETERS) || !pov_cholesky(L, L, PARAMETERS))
            return false;
        pov_cholesky_solve(step, L, here->gradient, PARAMETERS);
        for (int i = 0; i < PARAMETERS; i++)
            trial[i] = p[i] + step[i];
        for (int i = 0; i < 6; i++)
            largest = fmax(largest, fabs(step[i]));
        trial[BLUR] = fmin(fmax(trial[BLUR], BLUR_MIN_PX), BLUR_MAX_PX);
        if (!plausible(trial))
            return false;
        linearise(&there, c, trial, taken, every);
        if (!(there.cost <= here->cost)) {
            damping *= 10;
            continue;
        }
        memcpy(p, trial, sizeof trial);
        *here = there;
        if (largest < SETTLED_PX)
            break;
        damping *= 0.1;
    }
    return true;
}

/** Levels by the cells that pixels lie in. */
static bool begin(double p[PARAMETERS], const cells *c, const samples *taken)
{
    double inverse[9], sum[2] = {0, 0};
    int len[2] = {0, 0};
    inverse_of(inverse, p);
    for (int k = 0; k < taken->len; k++) {
        const pov_vec2 at = on_square(inverse, taken->list[k].x_px, taken->list[k].y_px);
        const int white = c->white[(int)(c->half + c->edge * at.y)][(int)(c->half + c->edge * at.x)] > 0.5;
        sum[white] += taken->list[k].light;
        len[white]++;
    }
    if (len[0] == 0 || len[1] == 0)
        return false;
    p[BLACK] = sum[0] / len[0];
    p[WHITE] = sum[1] / len[1];
    p[BLUR] = 0.8;
    return plausible(p);
}

/** Adjacent residuals that are alike, as where halos are or noise is smoothed, count as fewer than they are. */
static double variance_of(const normal_equations *end)
{
    const double alike = fmin(fmax(end->neighbours / end->squared, 0), 0.7);
    return end->squared / (end->weight - PARAMETERS) * (1 + alike) / (1 - alike);
}

/** Corners of the fitted square, and the mean variance of their coordinates. */
static bool corners_of(pov_vec2 corner[4], double *variance_px2, const double p[PARAMETERS],
                       const normal_equations *end)
{
    static const double U[4] = {-1, 1, 1, -1}, V[4] = {1, 1, -1, -1};
    const double size2_px2 = half_edge2_px2(p);
    double L[PARAMETERS * PARAMETERS];
    if (!pov_cholesky(L, end->information, PARAMETERS))
        return false;
    *variance_px2 = 0;
    for (int i = 0; i < 4; i++) {
        const double w = p[6] * U[i] + p[7] * V[i] + 1;
        const double x = (p[0] * U[i] + p[1] * V[i] + p[2]) / w, y = (p[3] * U[i] + p[4] * V[i] + p[5]) / w;
        double per_x[PARAMETERS] = {U[i] / w, V[i] / w, 1 / w, 0, 0, 0, -x * U[i] / w, -x * V[i] / w};
        double per_y[PARAMETERS] = {0, 0, 0, U[i] / w, V[i] / w, 1 / w, -y * U[i] / w, -y * V[i] / w};
        double solved[PARAMETERS];
        const double distance2 = (x * x + y * y) / size2_px2, far = 1 + p[CUBIC] * distance2;
        per_x[CUBIC] = x * distance2;
        per_y[CUBIC] = y * distance2;
        for (int k = 0; k < 2; k++) {
            const double *per = k ? per_y : per_x;
            pov_cholesky_solve(solved, L, per, PARAMETERS);
            for (int j = 0; j <= CUBIC; j++)
                *variance_px2 += per[j] * solved[j] / 8;
        }
        corner[i] = (pov_vec2){far * x, far * y};
    }
    *variance_px2 *= variance_of(end);
    return true;
}

bool pov_tag_print_fit(pov_vec2 corner_px[4], double *std_px, const pov_tag_print *print,
                       const pov_grey *grey)
{
    cells c;
    samples taken;
    normal_equations end;
    double p[PARAMETERS] = {0}, variance_px2;
    pov_vec2 middle = {0, 0}, corner[4];
    for (int i = 0; i < 4; i++)
        middle = (pov_vec2){middle.x + 0.25 * corner_px[i].x, middle.y + 0.25 * corner_px[i].y};
    if (!isfinite(middle.x) || !isfinite(middle.y))
        return false;
    make_cells(&c, print);
    square_to_quad(p, corner_px, middle);
    gather(&taken, &c, p, middle, corner_px, grey);
    if (taken.len < SAMPLE_MIN || !begin(p, &c, &taken) ||
        (taken.len > FEW && !descend(p, &end, &c, &taken, COARSE, COARSE_ITERATIONS)) ||
        !descend(p, &end, &c, &taken, 1, FINE_ITERATIONS) || !corners_of(corner, &variance_px2, p, &end) ||
        sqrt(end.squared / end.weight) > MISFIT_MAX * (p[WHITE] - p[BLACK]))
        return false;
    for (int i = 0; i < 4; i++)
        corner_px[i] = (pov_vec2){corner[i].x + middle.x, corner[i].y + middle.y};
    *std_px = sqrt(variance_px2);
    return true;
}
