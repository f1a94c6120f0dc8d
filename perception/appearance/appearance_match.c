/* A query explained: angle, shift, size, gain and offset of light fitted together, by damped Gauss-Newton steps from each
 * place of the curve that may be it. A block of pixels that fits nothing (something in front) loses its say. */
#include "perception/appearance/appearance_internal.h"
#include "perception/geometry/least_squares.h"
#include "perception/geometry/linalg.h"
#include "perception/geometry/periodic_spline.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SIDE = POV_PATCH_SIDE, AREA = POV_PATCH_AREA, UNKNOWNS = 6, BLOCK = 8, BLOCKS = SIDE / BLOCK };
enum { ANGLE, RIGHT, DOWN, SIZE, GAIN, OFFSET };

static const double usual_x[UNKNOWNS] = {0, 0, 0, 0, 1, 0};
static const double usual_std[UNKNOWNS] = {INFINITY, 2, 2, 0.05, 0.3, 4};
static const double largest_step_rad = 5 * POV_PI / 180,
                    largest_growth = 0.1; /* of a step, the second of the log size; chosen */
static const double ridge = 1e-9; /* levels^2, added to the angle's information: all views may be alike */
/* A step as small ends the descent: a fiftieth of the least deviation. */
static const double settled_rad = 1e-4, settled_px = 5e-3;
static const double same_mode_rad = 4 * POV_PI / 180;
static const double apart_rad = 7.5 * POV_PI / 180; /* a start nearer to a mode would end there; chosen */
static const double hidden_at = 30; /* times the usual residual: half of a block's say is gone */
static const double bits = 12;      /* independent pieces of evidence in one picture, about */
static const double stranger_unexplained = 0.5;
static const double hidden_odds = 1e-3; /* that nearly all of an object is hidden */
static const double least_odds = 1e-4;  /* modes of less are left out; chosen */
enum { STEPS = 14, START_MAX = 6 };
/* Starts of the descent, in half-size pixels: the largest move, and all moves; angles between two starts. Chosen. */
enum { REACH = 2, MOVES = (2 * REACH + 1) * (2 * REACH + 1), INNER = COARSE_SIDE - 2 * REACH, APART = 3 };
static const double gain_low = 0.4, gain_high = 2.5; /* of a start's light; chosen */

/* A place on the curve to begin the descent. */
typedef struct {
    double angle_rad, x_px, y_px, gain, cost;
} match_start;

/* ---- starts ---- */

/* Sum of products over the inner part of the picture and of the query, moved. */
static double sum_products(const float *picture, const float *query)
{
    float sums[INNER] = {0};
    double sum = 0;
    for (int y = 0; y < INNER; y++)
        for (int x = 0; x < INNER; x++)
            sums[x] += picture[y * COARSE_SIDE + x] * query[y * COARSE_SIDE + x];
    for (int x = 0; x < INNER; x++)
        sum += (double)sums[x];
    return sum;
}

/* The least squares left of the query over all moves, the picture in its best light taken away. */
static void try_start(match_start *start, const float *picture, const float *query,
                      const double query_squares[MOVES])
{
    const float *middle = picture + REACH * COARSE_SIDE + REACH;
    const double squares = sum_products(middle, middle);
    for (int i = 0; i < MOVES; i++) {
        const int dx = i % (2 * REACH + 1), dy = i / (2 * REACH + 1);
        const double both = sum_products(middle, query + dy * COARSE_SIDE + dx);
        const double gain = fmin(fmax(both / fmax(squares, 1e-9), gain_low), gain_high);
        const double cost = query_squares[i] - 2 * gain * both + gain * gain * squares;
        if (cost < start->cost)
            *start = (match_start){start->angle_rad, 2 * (dx - REACH), 2 * (dy - REACH), gain, cost};
    }
}

static bool is_least_start(const match_start all[COARSE_ANGLES], int i)
{
    for (int k = 1; k < APART; k++)
        if (all[(i + k) % COARSE_ANGLES].cost < all[i].cost ||
            all[(i + COARSE_ANGLES - k) % COARSE_ANGLES].cost <= all[i].cost)
            return false;
    return true;
}

static void insert_start(match_start starts[START_MAX], int *len, const match_start *start)
{
    int at = *len < START_MAX ? (*len)++ : START_MAX;
    for (; at > 0 && starts[at - 1].cost > start->cost; at--)
        if (at < START_MAX)
            starts[at] = starts[at - 1];
    if (at < START_MAX)
        starts[at] = *start;
}

/* Pictures from all around, at half size, are laid over the query at every small move. Out: the best, apart from one another. */
static int find_starts(const pov_appearance *a, match_start starts[START_MAX], const pov_patch *patch)
{
    float query[COARSE_AREA];
    double query_squares[MOVES];
    match_start all[COARSE_ANGLES];
    int len = 0;
    pov_patch_halve(query, patch->light);
    for (int i = 0; i < MOVES; i++) {
        const float *moved = query + i / (2 * REACH + 1) * COARSE_SIDE + i % (2 * REACH + 1);
        query_squares[i] = sum_products(moved, moved);
    }
    for (int i = 0; i < COARSE_ANGLES; i++) {
        all[i] = (match_start){.angle_rad = i * (2 * POV_PI / COARSE_ANGLES), .cost = INFINITY};
        try_start(&all[i], a->coarse[i], query, query_squares);
    }
    for (int i = 0; i < COARSE_ANGLES; i++)
        if (is_least_start(all, i))
            insert_start(starts, &len, &all[i]);
    return len;
}

/* ---- equations ---- */

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
    return 1 / (1 + block->squares / block->n / (hidden_at * a->scale.residual));
}

static void add_block(const pov_appearance *a, equations *e, const block_sums *block)
{
    const double usual = hidden_at * a->scale.residual, off = block->squares / block->n / usual,
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
        const double information = 1 / (usual_std[i] * usual_std[i]), off = x[i] - usual_x[i];
        e->cost += information * off * off;
        e->g[i] += information * off;
        e->H[i * UNKNOWNS + i] += information;
    }
}

static void build_equations(const pov_appearance *a, equations *e, const pov_patch *patch,
                            const double x[UNKNOWNS])
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
    e->H[0] += ridge;
}

static double angle_variance(const equations *e)
{
    double cov[UNKNOWNS * UNKNOWNS];
    return pov_symmetric_inverse(cov, e->H, UNKNOWNS) ? cov[0] : POV_PI * POV_PI;
}

/* From where best->x is. */
static void descend_cost(const pov_appearance *a, fitted *best, const pov_patch *patch)
{
    double step[UNKNOWNS];
    build_equations(a, &best->at, patch, best->x);
    pov_descent d = pov_descent_from(best->at.cost, 1e-3, STEPS);
    while (pov_descent_continues(&d) && pov_normal_step(step, best->at.H, best->at.g, UNKNOWNS, d.damping)) {
        fitted next = *best;
        step[ANGLE] = fmin(fmax(step[ANGLE], -largest_step_rad), largest_step_rad);
        step[SIZE] = fmin(fmax(step[SIZE], -largest_growth), largest_growth);
        for (int k = 0; k < UNKNOWNS; k++)
            next.x[k] -= step[k];
        build_equations(a, &next.at, patch, next.x);
        if (fabs(step[ANGLE]) < settled_rad && fabs(step[RIGHT]) + fabs(step[DOWN]) < settled_px)
            pov_descent_end(&d);
        if (pov_descent_accepts(&d, next.at.cost))
            *best = next;
    }
    best->variance_rad2 = angle_variance(&best->at);
}

/* The cost at an angle, once shift, size and light are as good as a step from where they are can make them. */
static double profile_cost(const pov_appearance *a, const pov_patch *patch, const double x[UNKNOWNS],
                           double angle_rad)
{
    enum { REST = UNKNOWNS - 1 };
    equations e;
    double at[UNKNOWNS], H[REST * REST], step[REST], gain = 0;
    memcpy(at, x, sizeof at);
    at[ANGLE] = angle_rad;
    build_equations(a, &e, patch, at);
    for (int r = 0; r < REST; r++)
        for (int c = 0; c < REST; c++)
            H[r * REST + c] = e.H[(r + 1) * UNKNOWNS + c + 1];
    if (!pov_cholesky(H, H, REST))
        return e.cost;
    pov_cholesky_solve(step, H, e.g + 1, REST);
    for (int i = 0; i < REST; i++)
        gain += step[i] * e.g[i + 1];
    return e.cost - gain;
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

match_scale pov_appearance_scale(const pov_appearance_data *data)
{
    return (match_scale){data->symmetry, data->widening,  data->doubt,      data->residual,
                         data->view_len, data->angle_rad, data->local_doubt};
}

/* The scale where this picture seems to be from. */
static match_scale scale_near(const match_scale *scale, const match_fit *fit)
{
    match_scale near = *scale;
    const pov_spline_place at = pov_spline_find(scale->angle_rad, scale->view_len, fit->mode[0].angle_rad);
    const double local =
        at.value[0] * scale->local_doubt[at.left] + at.value[1] * scale->local_doubt[at.right];
    near.widening *= sqrt(local);
    near.doubt *= local;
    return near;
}

/* Single pixels' variance, scaled as the trial's errors were, and by how much of this picture the curve leaves unexplained. */
static double variance_of(const match_scale *scale, const match_fit *fit, const match_mode *mode)
{
    const double least_rad = POV_APPEARANCE_LEAST_STD;
    const double wide = scale->widening * scale->widening * fit->residual / scale->residual;
    return fmin(wide * mode->variance_rad2, POV_PI * POV_PI) + least_rad * least_rad;
}

/* Weight and variance of one mode and of the angles that are nearer to it than to other modes. A flat cost widens the mode: seen
 * from behind, where the label is out of sight, a jar may have many angles. */
typedef struct {
    double odds, variance_rad2;
} basin;

static double odds_of(const match_scale *scale, const match_fit *fit, double cost)
{
    const double worse = fmin(1e6, fmax(1, fit->residual / scale->residual));
    return exp(-0.5 * fmax(0, cost - fit->mode[0].cost) / (scale->doubt * worse));
}

/* Of a turn's evenly spaced views the samples are every view and the middle of every gap, in the trial as in use. The curve at a
 * view has that view's noise and fits worse than between two: samples at views alone would miss that other angles fit too. */
static double around_rad(const match_fit *fit, int i)
{
    return i * 2 * POV_PI / fit->around_len;
}

static void add_around(basin basins[MODE_MAX], const match_scale *scale, const match_fit *fit, int len)
{
    const double step_rad = 2 * POV_PI / fit->around_len;
    double peak[MODE_MAX], mass[MODE_MAX], square[MODE_MAX];
    for (int k = 0; k < len; k++) {
        peak[k] = mass[k] = basins[k].odds * sqrt(2 * POV_PI * basins[k].variance_rad2);
        square[k] = mass[k] * basins[k].variance_rad2;
    }
    for (int i = 0; i < fit->around_len; i++) {
        int nearest = 0;
        double least_rad = INFINITY;
        for (int k = 0; k < len; k++) {
            const double off_rad = fabs(remainder(around_rad(fit, i) - fit->mode[k].angle_rad, 2 * POV_PI));
            if (off_rad < least_rad) {
                least_rad = off_rad;
                nearest = k;
            }
        }
        if (least_rad < 0.5 * step_rad)
            continue;
        const double here = odds_of(scale, fit, fit->around[i]) * step_rad;
        mass[nearest] += here;
        square[nearest] += here * least_rad * least_rad;
    }
    for (int k = 0; k < len; k++) {
        basins[k].odds *= mass[k] / peak[k];
        basins[k].variance_rad2 = square[k] / mass[k];
    }
}

/* One mode in place of modes `from` to `len` - 1: their mean direction and resultant (Mardia & Jupp 2000, section 3.4). */
static pov_heading_mode merge_modes(const match_fit *fit, const basin basins[MODE_MAX], int from, int len)
{
    double weight = 0, x = 0, y = 0;
    for (int i = from; i < len; i++) {
        const double part = basins[i].odds * exp(-0.5 * basins[i].variance_rad2);
        weight += basins[i].odds;
        x += part * cos(fit->mode[i].angle_rad);
        y += part * sin(fit->mode[i].angle_rad);
    }
    const double resultant = fmin(1, fmax(hypot(x, y) / weight, 1e-9));
    return (pov_heading_mode){weight, atan2(y, x), pov_kappa_from_std(sqrt(-2 * log(resultant)))};
}

/* Costs treat pixel errors as independent. `doubt` divides them, and so does a residual above the usual one. The last mode
 * stands for all that have no room. */
static pov_heading posterior_of(const match_scale *scale, const match_fit *fit)
{
    basin basins[MODE_MAX];
    double sum = 0;
    pov_heading heading = {0};
    int len = 0;
    for (; len < fit->len; len++) {
        basins[len] =
            (basin){odds_of(scale, fit, fit->mode[len].cost), variance_of(scale, fit, &fit->mode[len])};
        if (basins[len].odds < least_odds)
            break;
    }
    add_around(basins, scale, fit, len);
    for (int i = 0; i < len; i++)
        sum += basins[i].odds;
    heading.len = len < POV_HEADING_MODES_MAX ? len : POV_HEADING_MODES_MAX;
    for (int i = 0; i < heading.len; i++) {
        const bool is_last = i == POV_HEADING_MODES_MAX - 1;
        heading.mode[i] = merge_modes(fit, basins, i, is_last ? len : i + 1);
        heading.mode[i].weight /= sum;
    }
    return heading;
}

/* Modes that are one but for a turn that changes nothing become one each way, evenly. */
static pov_heading spread_modes(const pov_heading *heading, int symmetry)
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

pov_heading pov_appearance_weigh(const match_scale *scale, const match_fit *fit)
{
    if (fit->len == 0 || scale->symmetry == POV_SYMMETRY_ALL)
        return (pov_heading){0};
    const match_scale near = scale_near(scale, fit);
    const pov_heading heading = posterior_of(&near, fit);
    return spread_modes(&heading, scale->symmetry);
}

static bool is_far_from(const fitted *modes, int len, double angle_rad)
{
    for (int i = 0; i < len; i++)
        if (fabs(remainder(modes[i].x[ANGLE] - angle_rad, 2 * POV_PI)) < apart_rad)
            return false;
    return true;
}

static bool is_least_around(const match_fit *fit, int i)
{
    const int len = fit->around_len;
    return fit->around[i] < fit->around[(i + 1) % len] && fit->around[i] <= fit->around[(i + len - 1) % len];
}

/* Descends from further minima of the cost around the turn, at the best mode's shift, size and light. The coarse starts miss
 * them: views of a nearly symmetric object differ less than a shift by a fraction of a pixel changes a picture. */
static int look_around(const pov_appearance *a, match_fit *fit, fitted modes[MODE_MAX], int len,
                       const pov_patch *patch)
{
    const fitted best = modes[0];
    const int known = len;
    fit->around_len = 2 * a->view_len < AROUND_MAX ? 2 * a->view_len : AROUND_MAX;
    for (int i = 0; i < fit->around_len; i++)
        fit->around[i] = profile_cost(a, patch, best.x, around_rad(fit, i));
    for (int i = 0; i < fit->around_len && len < MODE_MAX; i++) {
        if (!is_least_around(fit, i) || !is_far_from(modes, known, around_rad(fit, i)))
            continue;
        fitted *next = &modes[len++];
        *next = best;
        next->x[ANGLE] = around_rad(fit, i);
        descend_cost(a, next, patch);
    }
    return sort_modes(modes, len);
}

void pov_appearance_fit(const pov_appearance *a, match_fit *fit, const pov_patch *patch)
{
    match_start starts[START_MAX];
    fitted modes[MODE_MAX];
    const int start_len = find_starts(a, starts, patch);
    for (int i = 0; i < start_len; i++) {
        const double x[UNKNOWNS] = {
            starts[i].angle_rad, starts[i].x_px, starts[i].y_px, 0, starts[i].gain, 0};
        memcpy(modes[i].x, x, sizeof x);
        descend_cost(a, &modes[i], patch);
    }
    *fit = (match_fit){.len = sort_modes(modes, start_len)};
    if (fit->len == 0)
        return;
    fit->len = look_around(a, fit, modes, fit->len, patch);
    for (int i = 0; i < fit->len; i++)
        fit->mode[i] = (match_mode){modes[i].x[ANGLE], modes[i].variance_rad2, modes[i].at.cost};
    fit->x_px = modes[0].x[RIGHT];
    fit->y_px = modes[0].x[DOWN];
    fit->scale = exp(modes[0].x[SIZE]);
    fit->residual = modes[0].at.residual;
    fit->unexplained = modes[0].at.unexplained;
    fit->seen = modes[0].at.seen;
}

/* A stranger leaves about `stranger_unexplained`. The less is seen, the less that it fits says, and the less likely it was. */
static double probability_of(const pov_appearance *a, const match_fit *fit)
{
    const double between = sqrt(a->unexplained * stranger_unexplained);
    const double odds = pow(between / fmax(fit->unexplained, DBL_MIN), 0.5 * bits * fit->seen) *
                        pow(hidden_odds, 1 - fit->seen);
    return odds / (1 + odds);
}

void pov_appearance_match(pov_appearance *a, pov_likeness *likeness, const pov_patch *patch)
{
    match_fit fit;
    pov_appearance_fit(a, &fit, patch);
    *likeness = (pov_likeness){.p_object = 0, .scale = 1};
    if (fit.len == 0)
        return;
    *likeness = (pov_likeness){.view = pov_appearance_weigh(&a->scale, &fit),
                               .p_object = probability_of(a, &fit),
                               .fraction_seen = fit.seen,
                               .shift_px = {fit.x_px, fit.y_px},
                               .scale = fit.scale,
                               .residual = fit.residual,
                               .unexplained = fit.unexplained};
}
