#include "perception/balls/ball_surface.h"

#include "perception/geometry/linalg.h"
#include "perception/geometry/ranked.h"
#include "perception/image/clones.h"

#include <math.h>
#include <string.h>

/* The disc is sampled in rings and spokes. A matte sphere under any distant lighting sends out, but for 2 %, a sum of
 * the nine harmonics of its normal up to the second order (Ramamoorthi & Hanrahan 2001). The first three of them are what
 * a flat surface sends whose light changes evenly from one side to the other. */
enum { RINGS = 12, SPOKES = 32, CELLS = RINGS * SPOKES, HARMONICS = 9, FLAT = 3, ROUNDS = 4 };

#define RADIUS_MIN_PX 8.0 /* chosen: below it a cell is smaller than half a pixel */
#define SHOWN_MIN     0.3 /* share of the disc; chosen: nine unknowns of less are not well known */
#define RIM_MIN                                                                                              \
    0.06 /* of the radius; chosen: there normals turn fast and a real ball's outline is not exact */
#define RIM_MIN_PX 1.5  /* the width of a sharp edge, see EDGE_WIDTH_PX */
#define GLARE_MIN  1.15 /* brightness by the ball's mean; chosen */

typedef struct {
    bool is_shown, is_ball;
    double x, y; /* of the sphere's normal there, along the image's axes */
    double area; /* share of the disc */
    double light;
} cell;

static void sample_cells(cell cells[CELLS], const pov_ball_outline *w)
{
    double inner = 1 - fmax(RIM_MIN, RIM_MIN_PX / w->radius_px);
    for (int i = 0; i < CELLS; i++) {
        int ring = i / SPOKES, at = i % SPOKES * w->len / SPOKES;
        double share = inner * (ring + 0.5) / RINGS;
        pov_vec2 arm = {w->at[at].x - w->middle.x, w->at[at].y - w->middle.y};
        pov_vec2 pixel = {w->middle.x + share * arm.x, w->middle.y + share * arm.y};
        double length = hypot(arm.x, arm.y);
        pov_light light;
        cells[i] = (cell){.x = share * arm.x / length,
                          .y = share * arm.y / length,
                          .area = (2 * ring + 1) / (double)(RINGS * RINGS * SPOKES)};
        if (!pov_ball_view_sample(w->view, &light, pixel) || pov_ball_outline_is_hidden(w, pixel))
            continue;
        cells[i].is_shown = true;
        cells[i].is_ball = pov_ball_view_is_kind(w->view, w->prior->kind_index, pixel);
        cells[i].light = (double)(light[0] + light[1] + light[2]);
    }
}

/* --- holes --- */

typedef struct {
    const cell *cells;
    bool is_reached[CELLS];
    int open[CELLS], len;
} flood;

static void reach_cell(flood *f, int i)
{
    if (f->cells[i].is_ball || f->is_reached[i])
        return;
    f->is_reached[i] = true;
    f->open[f->len++] = i;
}

/* The region around a cell that is not the ball's. False if it reaches the rim, or what is not shown. */
static bool fill_region(flood *f, int start, double *area, double *light)
{
    bool is_enclosed = true;
    *area = *light = 0;
    reach_cell(f, start);
    while (f->len > 0) {
        int i = f->open[--f->len], ring = i / SPOKES, spoke = i % SPOKES, first = ring * SPOKES;
        is_enclosed = is_enclosed && ring < RINGS - 1 && f->cells[i].is_shown;
        *area += f->cells[i].area;
        *light += f->cells[i].area * f->cells[i].light;
        reach_cell(f, first + (spoke + 1) % SPOKES);
        reach_cell(f, first + (spoke + SPOKES - 1) % SPOKES);
        reach_cell(f, ring > 0 ? i - SPOKES : (spoke + SPOKES / 2) % SPOKES);
        if (ring < RINGS - 1)
            reach_cell(f, i + SPOKES);
    }
    *light /= *area;
    return is_enclosed;
}

static void judge_holes(pov_ball_surface *surface, const cell *cells, double ball_light)
{
    flood f = {.cells = cells};
    for (int i = 0; i < CELLS; i++) {
        double area, light;
        if (cells[i].is_ball || f.is_reached[i] || !fill_region(&f, i, &area, &light))
            continue;
        double *largest = light > GLARE_MIN * ball_light ? &surface->glare : &surface->hole;
        *largest = fmax(*largest, area);
    }
}

/* --- shading --- */

/* The harmonics of each cell, in columns. */
typedef struct {
    double at[HARMONICS][CELLS];
} harmonics;

static void find_harmonics(harmonics *h, const cell *cells)
{
    for (int i = 0; i < CELLS; i++) {
        const double x = cells[i].x, y = cells[i].y, z = sqrt(fmax(0, 1 - x * x - y * y));
        const double all[HARMONICS] = {1, x, y, z, x * z, y * z, x * y, x * x - y * y, 3 * z * z - 1};
        for (int j = 0; j < HARMONICS; j++)
            h->at[j][i] = all[j];
    }
}

/* Sums of products over the cells: eight sums side by side, then their sum. */
static inline double dot_cells(const double *a, const double *b)
{
    enum { LANES = 8 };
    double sums[LANES] = {0}, sum = 0;
    for (int i = 0; i < CELLS; i += LANES)
        for (int k = 0; k < LANES; k++)
            sums[k] += a[i + k] * b[i + k];
    for (int k = 0; k < LANES; k++)
        sum += sums[k];
    return sum;
}

/* Fits the first `len` harmonics to values at the cells by weighted least squares. Out: the fitted values. */
POV_CLONES static bool fit_harmonics(double fitted[CELLS], const harmonics *h, const double *values,
                                     const double *weights, int len)
{
    double A[HARMONICS * HARMONICS] = {0}, b[HARMONICS];
    for (int j = 0; j < len; j++) {
        double weighted[CELLS];
        for (int i = 0; i < CELLS; i++)
            weighted[i] = weights[i] * h->at[j][i];
        b[j] = dot_cells(weighted, values);
        for (int k = 0; k <= j; k++)
            A[j * len + k] = dot_cells(weighted, h->at[k]);
        A[j * len + j] += 1e-6; /* where only a part shows, some harmonics are nearly the same */
    }
    if (!pov_cholesky(A, A, len))
        return false;
    pov_cholesky_solve(b, A, b, len);
    memset(fitted, 0, CELLS * sizeof *fitted);
    for (int j = 0; j < len; j++)
        for (int i = 0; i < CELLS; i++)
            fitted[i] += b[j] * h->at[j][i];
    return true;
}

/* Mean deviation of the image's noise: half the cells differ by less than so much from the mean of their neighbours on the
 * ring, where shading bends little. A median, because seams and edges are no noise. */
static double find_noise(const cell *cells, const double *values)
{
    double bends[CELLS];
    int len = 0;
    for (int i = 0; i < CELLS; i++) {
        const int first = i / SPOKES * SPOKES, before = first + (i + SPOKES - 1) % SPOKES,
                  after = first + (i + 1) % SPOKES;
        if (cells[i].is_ball && cells[before].is_ball && cells[after].is_ball)
            bends[len++] = fabs(values[i] - (values[before] + values[after]) / 2);
    }
    if (len == 0)
        return 0;
    return 0.966 * pov_median(bends, len); /* of normal noise: sqrt(2 / pi) / (0.6745 sqrt(1.5)) */
}

/* Cauchy's weights at twice the mean deviation, so that highlights, seams and prints do not bend the fit. */
static bool judge_shading(pov_ball_surface *surface, const cell *cells, double mean_light)
{
    harmonics h;
    double values[CELLS], areas[CELLS], weights[CELLS], sphere[CELLS], flat[CELLS], total = 0, squares = 0;
    find_harmonics(&h, cells);
    for (int i = 0; i < CELLS; i++) {
        values[i] = cells[i].light / mean_light;
        areas[i] = weights[i] = cells[i].is_ball ? cells[i].area : 0;
        total += areas[i];
    }
    for (int round = 0; round < ROUNDS; round++) {
        double weight = 0, deviation = 0;
        if (!fit_harmonics(sphere, &h, values, weights, HARMONICS))
            return false;
        for (int i = 0; i < CELLS; i++) {
            weight += weights[i];
            deviation += weights[i] * fabs(values[i] - sphere[i]);
        }
        surface->misfit = deviation / weight;
        const double per = 1 / fmax(2.5 * surface->misfit, 1e-3);
        for (int i = 0; i < CELLS; i++) {
            const double u = (values[i] - sphere[i]) * per;
            weights[i] = areas[i] / (1 + u * u);
        }
    }
    const double noise = find_noise(cells, values);
    surface->misfit = sqrt(fmax(0, surface->misfit * surface->misfit - noise * noise));
    if (!fit_harmonics(flat, &h, sphere, areas, FLAT))
        return false;
    for (int i = 0; i < CELLS; i++)
        squares += areas[i] * (sphere[i] - flat[i]) * (sphere[i] - flat[i]);
    surface->relief = sqrt(squares / total);
    return true;
}

pov_ball_surface pov_ball_surface_judge(const pov_ball_outline *w)
{
    pov_ball_surface surface = {.is_judged = false};
    cell cells[CELLS];
    double area = 0, light = 0;
    if (w->radius_px < RADIUS_MIN_PX)
        return surface;
    sample_cells(cells, w);
    for (int i = 0; i < CELLS; i++)
        if (cells[i].is_ball) {
            area += cells[i].area;
            light += cells[i].area * cells[i].light;
        }
    if (area < SHOWN_MIN || light <= 0)
        return surface;
    judge_holes(&surface, cells, light / area);
    surface.is_judged = judge_shading(&surface, cells, light / area);
    return surface;
}

/* --- the patch of its colour --- */

enum { PATCH_SPOKES = 48 };

/* Mean light on the far side of the edges found; false if there are none. */
static bool light_around(const pov_ball_outline *w, pov_light *mean)
{
    double sum = 0;
    *mean = (pov_light){0};
    for (int i = 0; i < w->len; i++) {
        double weight = pov_ball_outline_weight(w, i);
        *mean += (float)weight * w->edge[i].outside;
        sum += weight;
    }
    if (sum > 0)
        *mean /= (float)sum;
    return sum > 0;
}

/* It has the ball's colour, and is more like the ball than like its surroundings. */
static bool is_patch(const pov_ball_outline *w, pov_vec2 pixel, pov_light ball, pov_light around)
{
    pov_light light;
    if (!pov_ball_view_is_kind(w->view, w->prior->kind_index, pixel) ||
        !pov_ball_view_sample(w->view, &light, pixel) || pov_ball_outline_is_hidden(w, pixel))
        return false;
    return pov_light_distance(light, ball) < pov_light_distance(light, around);
}

static bool is_below(const pov_ball_outline *w, int i)
{
    return w->outward[i].x * w->down.x + w->outward[i].y * w->down.y > 0.4;
}

pov_ball_patch pov_ball_patch_judge(const pov_ball_outline *w, pov_light ball)
{
    pov_ball_patch patch = {0};
    pov_light around;
    if (!light_around(w, &around))
        return patch;
    double step_px = fmax(0.75, w->radius_px / 12), end_px = w->radius_px + fmax(3, 0.4 * w->radius_px);
    int rings = (int)ceil(end_px / step_px - 0.5);
    for (int ring = 0; ring < rings; ring++) {
        double away_px = (ring + 0.5) * step_px;
        double beyond_px = away_px - w->radius_px;
        double area = 2 * away_px * step_px / (w->radius_px * w->radius_px * PATCH_SPOKES);
        for (int spoke = 0; spoke < PATCH_SPOKES; spoke++) {
            int i = spoke * w->len / PATCH_SPOKES;
            double share = away_px / w->radius_px;
            pov_vec2 pixel = {w->middle.x + share * (w->at[i].x - w->middle.x),
                              w->middle.y + share * (w->at[i].y - w->middle.y)};
            if (is_below(w, i) || (beyond_px > -0.5 && beyond_px < 1) || !is_patch(w, pixel, ball, around))
                continue;
            *(beyond_px < 0 ? &patch.inside : &patch.spill) += area;
        }
    }
    return patch;
}
