#include "perception/tags/tag_print_equations.h"

#include "perception/image/clones.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Loops over LANES become vector instructions (perception/CMakeLists.txt). Sums are taken in the same order whatever their width. */
enum { LANES = 64, WIDE = 8, RESIDUAL = POV_PRINT_PARAMETERS, ROWS, CELLS = POV_PRINT_AROUND };

static const float NARROW = 0.36F; /* a blur of so many cells: what is beyond the next cell is out of sight */
static const float Z_MAX = 4.6F;   /* of a blur: beyond that it has ended */
static const float OUTLIER = 0.15F; /* of the contrast: pixels farther off are of something else */

/** Pixels, side by side. */
typedef struct {
    float x[LANES], y[LANES], bow_u[LANES], bow_v[LANES], distance2[LANES], light[LANES];
    float there[LANES]; /* 1, or 0 beyond the last pixel */
} pixels;

/** Places of the samples on the print. */
typedef struct {
    float x[LANES], y[LANES];                             /* undistorted */
    float u[LANES], v[LANES], per_w[LANES];               /* on the square */
    float column[LANES], row[LANES];                      /* in cells */
    float u_x[LANES], u_y[LANES], v_x[LANES], v_y[LANES]; /* d(cells) / d(pixels) */
    float blur_u[LANES], blur_v[LANES];                   /* in cells */
    float smear_u[2][LANES], smear_v[2][LANES];           /* d(log blur) / d(smears) */
} places;

/** Light there, 0 black to 1 white, with its derivatives per cell across and down and per relative blur across and down. */
typedef struct {
    float white[LANES], per_u[LANES], per_v[LANES], per_blur_u[LANES], per_blur_v[LANES];
} shades;

/** Derivatives by all parameters, the residual last. */
typedef struct {
    _Alignas(WIDE * sizeof(float)) float of[ROWS][LANES], weight[LANES];
} rows;

static inline void load_samples(pixels *out, const pov_print_sample *list, int len, int every)
{
    for (int k = 0; k < LANES; k++) {
        const pov_print_sample *s = &list[k < len ? k * every : 0];
        out->x[k] = s->x_px;
        out->y[k] = s->y_px;
        out->bow_u[k] = s->bow_u;
        out->bow_v[k] = s->bow_v;
        out->distance2[k] = s->distance2;
        out->light[k] = s->light;
        out->there[k] = k < len;
    }
}

/** Not fminf and fmaxf, whose care for what is not a number is not a vector instruction; that becomes `low`. */
static inline float clamp(float value, float low, float high)
{
    return value > low ? value < high ? value : high : low;
}

/* ---- where ---- */

/** The blur's standard deviation along a gradient, times its length. */
static inline float blur_along(float per_smear[2][LANES], int k, const float p[POV_PRINT_PARAMETERS], float x,
                               float y)
{
    const float along = x * x - y * y, across = 2 * x * y;
    const float variance = x * x + y * y + p[POV_PRINT_SMEAR] * along + p[POV_PRINT_SMEAR + 1] * across;
    per_smear[0][k] = 0.5F * along / variance;
    per_smear[1][k] = 0.5F * across / variance;
    return p[POV_PRINT_BLUR] * sqrtf(variance);
}

static inline void place_samples(places *at, pixels *from, const pov_print_cells *cells,
                                 const float p[POV_PRINT_PARAMETERS], const float to[9])
{
    const float first = POV_PRINT_PAD, last = (float)(cells->side - POV_PRINT_PAD) - 1e-3F;
    for (int k = 0; k < LANES; k++) {
        const float near = 1 - p[POV_PRINT_CUBIC] * from->distance2[k];
        const float x =
            near * from->x[k] - p[POV_PRINT_BOW] * from->bow_u[k] - p[POV_PRINT_BOW + 1] * from->bow_v[k];
        const float y =
            near * from->y[k] - p[POV_PRINT_BOW + 2] * from->bow_u[k] - p[POV_PRINT_BOW + 3] * from->bow_v[k];
        const float per = 1 / (to[6] * x + to[7] * y + to[8]);
        const float u = (to[0] * x + to[1] * y + to[2]) * per, v = (to[3] * x + to[4] * y + to[5]) * per;
        const float per_w = 1 / (p[6] * u + p[7] * v + 1);
        const float xu = (p[0] - x * p[6]) * per_w, xv = (p[1] - x * p[7]) * per_w;
        const float yu = (p[3] - y * p[6]) * per_w, yv = (p[4] - y * p[7]) * per_w;
        const float scale = cells->edge / (xu * yv - xv * yu);
        const float column = cells->half + cells->edge * u, row = cells->half + cells->edge * v;
        at->x[k] = x;
        at->y[k] = y;
        at->u[k] = u;
        at->v[k] = v;
        at->per_w[k] = per_w;
        at->column[k] = clamp(column, first, last);
        at->row[k] = clamp(row, first, last);
        from->there[k] *= column > first && row > first && column < last && row < last;
        at->u_x[k] = scale * yv;
        at->u_y[k] = -scale * xv;
        at->v_x[k] = -scale * yu;
        at->v_y[k] = scale * xu;
        at->blur_u[k] = blur_along(at->smear_u, k, p, at->u_x[k], at->u_y[k]);
        at->blur_v[k] = blur_along(at->smear_v, k, p, at->v_x[k], at->v_y[k]);
    }
}

/* ---- how light ---- */

/** Shares of the cells about each pixel, along one axis, under the blur, and their derivatives. */
typedef struct {
    float share[CELLS][LANES], per_place[CELLS][LANES], per_blur[CELLS][LANES];
} spread;

/** A normal distribution's density without its factor of 1 / sqrt(2 pi), as (1 - z^2 / 512)^256: within 0.1 % of its peak, in
 *  vector instructions. */
static inline float bell(float z)
{
    float power = 1 - z * z * (1 / 512.0F);
    for (int k = 0; k < 8; k++)
        power *= power;
    return power;
}

/** Cell by cell: what is below its far end (Abramowitz & Stegun 1964, 26.2.17) less what was below the one before. */
static inline void spread_along(spread *s, const float place[LANES], const float std[LANES], int reach)
{
    float before[LANES] = {0}, density_before[LANES] = {0}, blur_before[LANES] = {0};
    for (int c = 0; c <= 2 * reach; c++) {
        const float end = c == 2 * reach ? 1e3F : (float)(c - reach + 1);
        for (int k = 0; k < LANES; k++) {
            const float in_cell = place[k] - (float)(int)place[k], per_std = 1 / std[k];
            const float z = clamp((end - in_cell) * per_std, -Z_MAX, Z_MAX);
            const float peak = 0.3989423F * bell(z), t = 1 / (1 + 0.2316419F * fabsf(z));
            const float tail =
                peak * t *
                (0.3193815F + t * (-0.3565638F + t * (1.7814779F + t * (-1.8212560F + t * 1.3302744F))));
            const float below = z > 0 ? 1 - tail : tail, density = peak * per_std, blur = -z * peak;
            s->share[c][k] = below - before[k];
            s->per_place[c][k] = density_before[k] - density;
            s->per_blur[c][k] = blur - blur_before[k];
            before[k] = below;
            density_before[k] = density;
            blur_before[k] = blur;
        }
    }
}

/** The farthest cells are looked at where the blur is wide enough. */
static inline int reach_of(const places *at)
{
    float widest = 0;
    for (int k = 0; k < LANES; k++) {
        widest = at->blur_u[k] > widest ? at->blur_u[k] : widest;
        widest = at->blur_v[k] > widest ? at->blur_v[k] : widest;
    }
    return widest > NARROW ? POV_PRINT_SIGHT : 1;
}

static inline void shade_samples(shades *out, const pov_print_cells *cells, const places *at)
{
    const int reach = reach_of(at);
    spread across, down;
    uint32_t around[LANES];
    spread_along(&across, at->column, at->blur_u, reach);
    spread_along(&down, at->row, at->blur_v, reach);
    for (int k = 0; k < LANES; k++)
        around[k] = cells->around[(int)at->row[k]][(int)at->column[k]];
    memset(out, 0, sizeof *out);
    for (int j = 0; j <= 2 * reach; j++) {
        float sum[LANES] = {0}, per_u[LANES] = {0}, per_blur[LANES] = {0};
        for (int i = 0; i <= 2 * reach; i++) {
            const int bit = POV_PRINT_AROUND * (j + POV_PRINT_SIGHT - reach) + i + POV_PRINT_SIGHT - reach;
            for (int k = 0; k < LANES; k++) {
                const float white = (float)(int)(around[k] >> bit & 1);
                sum[k] += white * across.share[i][k];
                per_u[k] += white * across.per_place[i][k];
                per_blur[k] += white * across.per_blur[i][k];
            }
        }
        for (int k = 0; k < LANES; k++) {
            out->white[k] += down.share[j][k] * sum[k];
            out->per_u[k] += down.share[j][k] * per_u[k];
            out->per_v[k] += down.per_place[j][k] * sum[k];
            out->per_blur_u[k] += down.share[j][k] * per_blur[k];
            out->per_blur_v[k] += down.per_blur[j][k] * sum[k];
        }
    }
}

/* ---- derivatives ---- */

/** of: what is 1 where it is `there`, times its derivatives. */
static inline void derive_samples(rows *out, const pixels *from, const places *at, const shades *look,
                                  const float p[POV_PRINT_PARAMETERS])
{
    const float step = p[POV_PRINT_WHITE] - p[POV_PRINT_BLACK], loose = OUTLIER * step;
    for (int k = 0; k < LANES; k++) {
        const float u = at->u[k], v = at->v[k], there = from->there[k];
        const float per_x = look->per_u[k] * at->u_x[k] + look->per_v[k] * at->v_x[k];
        const float per_y = look->per_u[k] * at->u_y[k] + look->per_v[k] * at->v_y[k];
        const float steepness = sqrtf(per_x * per_x + per_y * per_y);
        const float lit =
            there * (1 + p[POV_PRINT_SLOPE] * u + p[POV_PRINT_SLOPE + 1] * v + p[POV_PRINT_FADING] * u * u +
                     p[POV_PRINT_FADING + 1] * u * v + p[POV_PRINT_FADING + 2] * v * v);
        const float contrast = step * lit;
        const float white = look->white[k] - p[POV_PRINT_SPREAD] * steepness;
        const float plain = there * (p[POV_PRINT_BLACK] + step * white);
        const float to_x = -contrast * per_x, to_y = -contrast * per_y;
        const float sx = to_x * at->per_w[k], sy = to_y * at->per_w[k];
        const float pull = -(sx * at->x[k] + sy * at->y[k]);
        out->of[0][k] = sx * u;
        out->of[1][k] = sx * v;
        out->of[2][k] = sx;
        out->of[3][k] = sy * u;
        out->of[4][k] = sy * v;
        out->of[5][k] = sy;
        out->of[6][k] = pull * u;
        out->of[7][k] = pull * v;
        out->of[POV_PRINT_BOW][k] = to_x * from->bow_u[k];
        out->of[POV_PRINT_BOW + 1][k] = to_x * from->bow_v[k];
        out->of[POV_PRINT_BOW + 2][k] = to_y * from->bow_u[k];
        out->of[POV_PRINT_BOW + 3][k] = to_y * from->bow_v[k];
        out->of[POV_PRINT_CUBIC][k] = (to_x * from->x[k] + to_y * from->y[k]) * from->distance2[k];
        out->of[POV_PRINT_BLACK][k] = (1 - white) * lit;
        out->of[POV_PRINT_WHITE][k] = white * lit;
        const float blur_u = contrast * look->per_blur_u[k], blur_v = contrast * look->per_blur_v[k];
        out->of[POV_PRINT_BLUR][k] = (blur_u + blur_v) / p[POV_PRINT_BLUR];
        out->of[POV_PRINT_SMEAR][k] = blur_u * at->smear_u[0][k] + blur_v * at->smear_v[0][k];
        out->of[POV_PRINT_SMEAR + 1][k] = blur_u * at->smear_u[1][k] + blur_v * at->smear_v[1][k];
        out->of[POV_PRINT_SPREAD][k] = -contrast * steepness;
        out->of[POV_PRINT_SLOPE][k] = plain * u;
        out->of[POV_PRINT_SLOPE + 1][k] = plain * v;
        out->of[POV_PRINT_FADING][k] = plain * u * u;
        out->of[POV_PRINT_FADING + 1][k] = plain * u * v;
        out->of[POV_PRINT_FADING + 2][k] = plain * v * v;
        const float residual = there * from->light[k] - plain * lit;
        out->of[RESIDUAL][k] = residual;
        out->weight[k] = 1 / (1 + residual * residual / (loose * loose));
    }
}

/* ---- sums ---- */

typedef float wide __attribute__((vector_size(WIDE * sizeof(float)), may_alias));

typedef float four __attribute__((vector_size(4 * sizeof(float)), may_alias));

static inline void multiply(wide *sum, const wide a[LANES / WIDE], const float b[LANES])
{
    *sum = a[0] * *(const wide *)b;
    for (int k = 1; k < LANES / WIDE; k++)
        *sum += a[k] * *(const wide *)&b[WIDE * k];
}

static inline four halve(const wide *sum)
{
    const four *halves = (const four *)sum;
    return halves[0] + halves[1];
}

/** Adds the sums of the lanes of four, each pairwise: two transpositions, an addition after each. */
static inline void add_lanes(double to[4], const wide of[4])
{
    const four a = halve(&of[0]), b = halve(&of[1]), c = halve(&of[2]), d = halve(&of[3]);
    const four ab = (four){a[0], b[0], a[1], b[1]} + (four){a[2], b[2], a[3], b[3]};
    const four cd = (four){c[0], d[0], c[1], d[1]} + (four){c[2], d[2], c[3], d[3]};
    const four sums = (four){ab[0], ab[1], cd[0], cd[1]} + (four){ab[2], ab[3], cd[2], cd[3]};
    for (int k = 0; k < 4; k++)
        to[k] += (double)sums[k];
}

/* By fours; columns beyond the diagonal are mirrored over later. */
static_assert(POV_PRINT_PARAMETERS % 4 == 0, "four columns at a time");

static inline void add_rows(pov_print_equations *sum, const rows *r)
{
    wide weighted[LANES / WIDE], of[4] = {{0}};
    for (int i = 0; i < ROWS; i++) {
        double *const to = i == RESIDUAL ? sum->gradient : &sum->information[i * POV_PRINT_PARAMETERS];
        for (int k = 0; k < LANES / WIDE; k++)
            weighted[k] = *(const wide *)&r->weight[WIDE * k] * *(const wide *)&r->of[i][WIDE * k];
        for (int j = 0; j <= i && j < RESIDUAL; j += 4) {
            for (int c = 0; c < 4; c++)
                multiply(&of[c], weighted, r->of[j + c]);
            add_lanes(&to[j], of);
        }
    }
    double squared[4] = {0};
    multiply(&of[0], weighted, r->of[RESIDUAL]);
    add_lanes(squared, of);
    sum->squared += squared[0];
}

/** before: the last pixel's residual; then these ones' last. */
static inline void add_scalars(pov_print_equations *sum, float *before, const rows *r,
                               const float there[LANES])
{
    double weights = 1; /* none is less than 1/1000: of 64 the product is not an underflow */
    for (int k = 0; k < LANES; k++) {
        const float here = sqrtf(r->weight[k]) * r->of[RESIDUAL][k];
        sum->weight += (double)(there[k] * r->weight[k]);
        weights *= (double)r->weight[k];
        sum->neighbours += (double)(here * *before);
        *before = there[k] > 0 ? here : *before;
    }
    sum->cost -= log(weights);
}

static void mirror_information(pov_print_equations *sum)
{
    for (int i = 0; i < POV_PRINT_PARAMETERS; i++)
        for (int j = 0; j < i; j++)
            sum->information[j * POV_PRINT_PARAMETERS + i] = sum->information[i * POV_PRINT_PARAMETERS + j];
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

POV_CLONES void pov_print_linearise(pov_print_equations *sum, const pov_print_cells *cells,
                                    const double p[POV_PRINT_PARAMETERS], const pov_print_samples *taken,
                                    int every)
{
    const double loose = (double)OUTLIER * (p[POV_PRINT_WHITE] - p[POV_PRINT_BLACK]);
    double inverse[9];
    float q[POV_PRINT_PARAMETERS], to[9], before = 0;
    pov_print_place_inverse(inverse, p);
    for (int i = 0; i < POV_PRINT_PARAMETERS; i++)
        q[i] = (float)p[i];
    for (int i = 0; i < 9; i++)
        to[i] = (float)(inverse[i] / inverse[8]);
    memset(sum, 0, sizeof *sum);
    for (int first = 0; first < taken->len; first += LANES * every) {
        pixels from;
        places at;
        shades look;
        rows r;
        load_samples(&from, &taken->list[first], (taken->len - first + every - 1) / every, every);
        place_samples(&at, &from, cells, q, to);
        shade_samples(&look, cells, &at);
        derive_samples(&r, &from, &at, &look, q);
        add_rows(sum, &r);
        add_scalars(sum, &before, &r, from.there);
    }
    sum->cost *= loose * loose;
    mirror_information(sum);
}
