/* A query explained: angle, shift, size, gain and offset of light fitted together, by damped Gauss-Newton steps from each
 * place of the curve that may be it. A block of pixels that fits nothing (something in front) loses its say. */
#include "perception/appearance/appearance_internal.h"
#include "perception/geometry/linalg.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = POV_PATCH_SIDE, AREA = POV_PATCH_AREA, UNKNOWNS = 6, BLOCK = 8, BLOCKS = SIDE / BLOCK };
enum { ANGLE, RIGHT, DOWN, SIZE, GAIN, OFFSET };

static const double start[UNKNOWNS] = {0, 0, 0, 0, 1, 0};
static const double usual_std[UNKNOWNS] = {INFINITY, 2, 2, 0.05, 0.3, 4};
static const double largest_step_rad = 5 * POV_PI / 180;
static const double same_mode_rad = 4 * POV_PI / 180;
static const double hidden_at = 30; /* times the usual residual: half of a block's say is gone */
static const double bits = 12;      /* independent pieces of evidence in one picture, about */
static const double stranger_unexplained = 0.5;
static const double hidden_odds = 1e-3; /* that nearly all of an object is hidden */
enum { STEPS = 14 };

/* Normal equations of one set of unknowns. */
typedef struct {
    double H[UNKNOWNS * UNKNOWNS], g[UNKNOWNS];
    double cost, residual, unexplained, seen;
} equations;

typedef struct {
    double H[UNKNOWNS][UNKNOWNS], g[UNKNOWNS];
    double squares, energy,
        n; /* energy: of what stands out from the background, in picture and expectation */
} block_sums;

typedef struct {
    double x[UNKNOWNS];
    equations at;
    double variance_rad2;
} fitted;

static void add_pixel(block_sums *block, double residual, const double slope[UNKNOWNS])
{
    block->squares += residual * residual;
    for (int r = 0; r < UNKNOWNS; r++) {
        block->g[r] += slope[r] * residual;
        for (int c = 0; c <= r; c++)
            block->H[r][c] += slope[r] * slope[c];
    }
}

/* The picture laid over the curve. */
typedef struct {
    curve_point point;
    pov_patch_resampled picture;
    double size, wide, high, area;
} overlay;

static void lay_over(const pov_appearance *a, overlay *o, const pov_patch *patch, const double x[UNKNOWNS])
{
    pov_appearance_at(a, &o->point, x[ANGLE]);
    const double *box = o->point.box;
    o->size = exp(x[SIZE]);
    o->wide = o->size * exp(box[2]);
    o->high = o->size * exp(box[3]);
    o->area = exp(0.5 * (box[2] + box[3]));
    pov_patch_resample(&o->picture, patch->light,
                       (pov_patch_place){PATCH_CENTRE + x[RIGHT] + o->size * box[0], o->wide,
                                         PATCH_CENTRE + x[DOWN] + o->size * box[1], o->high});
}

static void add_row(const pov_appearance *a, block_sums *blocks, const overlay *o, const double x[UNKNOWNS],
                    int row)
{
    const curve_point *point = &o->point;
    const double v = o->high * (row - PATCH_CENTRE), dy = o->size * point->box[1] + v;
    const double dy_turn = o->size * point->box_slope[1] + v * point->box_slope[3];
    for (int column = 0; column < SIDE; column++) {
        const int i = row * SIDE + column;
        const double u = o->wide * (column - PATCH_CENTRE), dx = o->size * point->box[0] + u;
        const double dx_turn = o->size * point->box_slope[0] + u * point->box_slope[2];
        const double w = o->area * (double)a->weight[i], expected = (double)point->light[i];
        const double light = (double)o->picture.light[i], by_x = (double)o->picture.by_x[i],
                     by_y = (double)o->picture.by_y[i];
        const double slope[UNKNOWNS] = {
            w * (by_x * dx_turn + by_y * dy_turn - x[GAIN] * (double)point->light_slope[i]),
            w * by_x,
            w * by_y,
            w * (by_x * dx + by_y * dy),
            -w * expected,
            -w};
        block_sums *block = &blocks[row / BLOCK * BLOCKS + column / BLOCK];
        add_pixel(block, w * (light - x[GAIN] * expected - x[OFFSET]), slope);
        block->n += o->area * o->area;
        const double seen = x[GAIN] * (expected - a->background);
        const double there = light - x[GAIN] * a->background - x[OFFSET];
        block->energy += 0.5 * w * w * (seen * seen + there * there);
    }
}

static double say_of(const pov_appearance *a, const block_sums *block)
{
    return 1 / (1 + block->squares / block->n / (hidden_at * a->residual));
}

static void add_block(const pov_appearance *a, equations *e, const block_sums *block)
{
    const double usual = hidden_at * a->residual, off = block->squares / block->n / usual,
                 say = 1 / (1 + off);
    e->cost += block->n * usual * log1p(off);
    e->residual += say * block->squares;
    e->unexplained += say * block->energy;
    e->seen += block->energy;
    for (int r = 0; r < UNKNOWNS; r++) {
        e->g[r] += say * block->g[r];
        for (int c = 0; c < UNKNOWNS; c++)
            e->H[r * UNKNOWNS + c] += say * (r >= c ? block->H[r][c] : block->H[c][r]);
    }
}

static void add_usual(equations *e, const double x[UNKNOWNS])
{
    for (int i = RIGHT; i < UNKNOWNS; i++) {
        const double information = 1 / (usual_std[i] * usual_std[i]), off = x[i] - start[i];
        e->cost += information * off * off;
        e->g[i] += information * off;
        e->H[i * UNKNOWNS + i] += information;
    }
}

static void build(const pov_appearance *a, equations *e, const pov_patch *patch, const double x[UNKNOWNS])
{
    overlay o;
    block_sums blocks[BLOCKS * BLOCKS] = {0};
    double n = 0;
    *e = (equations){0};
    lay_over(a, &o, patch, x);
    for (int row = 0; row < SIDE; row++)
        add_row(a, blocks, &o, x, row);
    for (int i = 0; i < BLOCKS * BLOCKS; i++) {
        add_block(a, e, &blocks[i]);
        n += say_of(a, &blocks[i]) * blocks[i].n;
    }
    const double energy = fmax(e->unexplained, DBL_MIN);
    e->unexplained = e->residual / energy;
    e->seen = energy / fmax(e->seen, DBL_MIN);
    e->residual /= n;
    add_usual(e, x);
}

static bool solve(double step[UNKNOWNS], const equations *e, double damping)
{
    double H[UNKNOWNS * UNKNOWNS];
    memcpy(H, e->H, sizeof H);
    for (int i = 0; i < UNKNOWNS; i++)
        H[i * UNKNOWNS + i] = H[i * UNKNOWNS + i] * (1 + damping) + 1e-9;
    if (!pov_cholesky(H, H, UNKNOWNS))
        return false;
    pov_cholesky_solve(step, H, e->g, UNKNOWNS);
    step[ANGLE] = fmin(fmax(step[ANGLE], -largest_step_rad), largest_step_rad);
    step[SIZE] = fmin(fmax(step[SIZE], -0.1), 0.1);
    return true;
}

static double angle_variance(const equations *e)
{
    double H[UNKNOWNS * UNKNOWNS];
    memcpy(H, e->H, sizeof H);
    H[0] += 1e-9;
    return pov_symmetric_inverse(H, H, UNKNOWNS) ? H[0] : POV_PI * POV_PI;
}

static void fit(const pov_appearance *a, fitted *best, const pov_patch *patch, const match_start *from)
{
    const double begin[UNKNOWNS] = {from->angle_rad, from->x_px, from->y_px, 0, from->gain, 0};
    double damping = 1e-3, step[UNKNOWNS];
    memcpy(best->x, begin, sizeof begin);
    build(a, &best->at, patch, best->x);
    for (int i = 0; i < STEPS && solve(step, &best->at, damping); i++) {
        fitted next = *best;
        for (int k = 0; k < UNKNOWNS; k++)
            next.x[k] -= step[k];
        build(a, &next.at, patch, next.x);
        const bool better = next.at.cost < best->at.cost;
        damping *= better ? 0.2 : 5;
        if (better)
            *best = next;
        if (fabs(step[ANGLE]) < 2e-5 && fabs(step[RIGHT]) + fabs(step[DOWN]) < 2e-3)
            break;
    }
    best->variance_rad2 = angle_variance(&best->at);
}

static bool is_usable(const fitted *mode)
{
    return isfinite(mode->x[ANGLE]) && isfinite(mode->at.cost) && isfinite(mode->at.residual) &&
           isfinite(mode->at.unexplained) && isfinite(mode->at.seen) && isfinite(mode->variance_rad2);
}

/* Drops what came to the same place, or to none; best first. */
static int sort_modes(fitted *modes, int len)
{
    int usable = 0;
    for (int i = 0; i < len; i++)
        if (is_usable(&modes[i]))
            modes[usable++] = modes[i];
    len = usable;
    for (int i = 1; i < len; i++)
        for (int k = i; k > 0 && modes[k].at.cost < modes[k - 1].at.cost; k--) {
            const fitted swap = modes[k];
            modes[k] = modes[k - 1];
            modes[k - 1] = swap;
        }
    int kept = 0;
    for (int i = 0; i < len; i++) {
        bool is_new = true;
        for (int k = 0; k < kept; k++)
            is_new =
                is_new && fabs(remainder(modes[i].x[ANGLE] - modes[k].x[ANGLE], 2 * POV_PI)) > same_mode_rad;
        if (is_new)
            modes[kept++] = modes[i];
    }
    return kept;
}

/* Costs are those of single pixels, as if each erred by itself; what they say together is less, by `widening` and `doubt`, and
 * less still of a picture that fits worse than usual. */
static pov_heading posterior(const pov_appearance *a, const fitted *modes, int len)
{
    pov_heading heading = {.len = len < POV_HEADING_MODES_MAX ? len : POV_HEADING_MODES_MAX};
    const double worse = fmin(1e6, fmax(1, modes[0].at.residual / a->residual)),
                 wide = a->widening * a->widening *
                        fmin(1e6, fmax(a->least_worse, modes[0].at.residual / a->residual));
    double sum = 0;
    for (int i = 0; i < heading.len; i++) {
        const double odds = exp(-0.5 * (modes[i].at.cost - modes[0].at.cost) / (a->doubt * worse));
        heading.mode[i] =
            (pov_heading_mode){.weight = odds,
                               .yaw_rad = remainder(modes[i].x[ANGLE], 2 * POV_PI),
                               .kappa = pov_kappa_from_std(
                                   hypot(sqrt(modes[i].variance_rad2 * wide), POV_APPEARANCE_LEAST_STD))};
        sum += heading.mode[i].weight;
    }
    for (int i = 0; i < heading.len; i++)
        heading.mode[i].weight /= sum;
    while (heading.len > 1 && heading.mode[heading.len - 1].weight < 1e-4)
        heading.len--;
    return heading;
}

/* A stranger leaves about `stranger_unexplained`. The less is seen, the less that it fits says, and the less likely it was. */
static double probability(const pov_appearance *a, const equations *e)
{
    const double between = sqrt(a->unexplained * stranger_unexplained);
    const double odds =
        pow(between / fmax(e->unexplained, DBL_MIN), 0.5 * bits * e->seen) * pow(hidden_odds, 1 - e->seen);
    return odds / (1 + odds);
}

/* Modes that are one but for a turn that changes nothing become one each way, evenly. */
static pov_heading spread(const pov_heading *heading, int symmetry)
{
    const double turn_rad = 2 * POV_PI / symmetry;
    pov_heading even = {0};
    double sum = 0;
    for (int i = 0; i < heading->len && even.len + symmetry <= POV_HEADING_MODES_MAX; i++) {
        double nearest = INFINITY;
        for (int k = 0; k < even.len; k++)
            nearest =
                fmin(nearest, fabs(remainder(heading->mode[i].yaw_rad - even.mode[k].yaw_rad, turn_rad)));
        for (int k = 0; k < symmetry && nearest > same_mode_rad; k++) {
            even.mode[even.len] = heading->mode[i];
            even.mode[even.len].yaw_rad = remainder(heading->mode[i].yaw_rad + k * turn_rad, 2 * POV_PI);
            sum += even.mode[even.len++].weight;
        }
    }
    for (int k = 0; k < even.len; k++)
        even.mode[k].weight /= sum;
    return even;
}

void pov_appearance_match(pov_appearance *a, pov_likeness *likeness, const pov_patch *patch)
{
    match_start starts[START_MAX];
    fitted modes[START_MAX];
    const int start_len = pov_appearance_starts(a, starts, patch);
    for (int i = 0; i < start_len; i++)
        fit(a, &modes[i], patch, &starts[i]);
    const int len = sort_modes(modes, start_len);
    *likeness = (pov_likeness){.p_object = 0, .scale = 1};
    if (len == 0)
        return;
    const fitted *best = &modes[0];
    const pov_heading heading = posterior(a, modes, len);
    likeness->view = a->symmetry == POV_SYMMETRY_ALL ? (pov_heading){0} : spread(&heading, a->symmetry);
    likeness->p_object = probability(a, &best->at);
    likeness->fraction_seen = best->at.seen;
    likeness->shift_px[0] = best->x[RIGHT];
    likeness->shift_px[1] = best->x[DOWN];
    likeness->scale = exp(best->x[SIZE]);
    likeness->residual = best->at.residual;
    likeness->unexplained = best->at.unexplained;
}
