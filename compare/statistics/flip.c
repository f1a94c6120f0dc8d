#include "compare/statistics/flip.h"

#include "perception/geometry/geom.h"
#include "perception/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MIDDLES = 72, /* 5 degrees apart */
    HALVES = 25,  /* 30 to 150 degrees */
    WIDTHS = 4,
    LAPSES = 3,
    SHAPES = WIDTHS * LAPSES,
    CELLS = MIDDLES * HALVES * SHAPES
};
static const double middle_step_deg = 5, half_first_deg = 30, half_step_deg = 5;
static const double widths_deg[WIDTHS] = {2, 6, 15, 40},
                    lapses[LAPSES] = {0.02, 0.15,
                                      0.5}; /* chosen: from a step to a slope, sure to half by chance */
static const double trials = 8;             /* in words, that a probability is worth; see pov_flip_add */
static const double known_std_deg = 30;     /* chosen */
#define NEGLIGIBLE (-20.0) /* log-odds to the best point: all cells of that share make 5e-5; derived */
enum { GAP_MAX = 4 };      /* samples: an interpolation over more says too little */

enum { APARTS = 181, SHARES = HALVES * SHAPES };

struct pov_flip_grid {
    float log_yes[APARTS][SHARES], log_no[APARTS][SHARES]; /* [degrees from the middle][half][shape] */
    float yes[APARTS][SHARES], entropy[APARTS][SHARES];    /* bits */
};

struct pov_flip {
    float log_p[CELLS]; /* [middle][half][shape] */
    int len;
};

static double half_deg(int half)
{
    return half_first_deg + half_step_deg * half;
}

static double entropy_bits(double p)
{
    return p <= 0 || p >= 1 ? 0 : -p * log2(p) - (1 - p) * log2(1 - p);
}

pov_flip_grid *pov_flip_grid_new(void)
{
    pov_flip_grid *grid = malloc(sizeof *grid);
    POV_REQUIRE_MEMORY(grid);
    for (int apart_deg = 0; apart_deg < APARTS; apart_deg++)
        for (int i = 0; i < SHARES; i++) {
            const double width_deg = widths_deg[i % SHAPES % WIDTHS], lapse = lapses[i % SHAPES / WIDTHS];
            const double yes =
                lapse / 2 + (1 - lapse) / (1 + exp((apart_deg - half_deg(i / SHAPES)) / width_deg));
            grid->log_yes[apart_deg][i] = (float)log(yes);
            grid->log_no[apart_deg][i] = (float)log(1 - yes);
            grid->yes[apart_deg][i] = (float)yes;
            grid->entropy[apart_deg][i] = (float)entropy_bits(yes);
        }
    return grid;
}

void pov_flip_grid_destroy(pov_flip_grid **grid)
{
    free(*grid);
    *grid = NULL;
}

pov_flip *pov_flip_new(void)
{
    pov_flip *flip = calloc(1, sizeof *flip);
    POV_REQUIRE_MEMORY(flip);
    return flip;
}

void pov_flip_destroy(pov_flip **flip)
{
    free(*flip);
    *flip = NULL;
}

void pov_flip_add(pov_flip *flip, const pov_flip_grid *grid, double phi_deg, double p, bool in_words)
{
    const double weight = in_words ? 1 : trials;
    const float yes = (float)(weight * p), no = (float)(weight * (1 - p));
    flip->len++;
    for (int middle = 0; middle < MIDDLES; middle++) {
        const int apart_deg = (int)lround(fabs(remainder(phi_deg - middle_step_deg * middle, 360)));
        const float *log_yes = grid->log_yes[apart_deg], *log_no = grid->log_no[apart_deg];
        float *cell = &flip->log_p[middle * SHARES];
        for (int i = 0; i < SHARES; i++)
            cell[i] += yes * log_yes[i] + no * log_no[i];
    }
}

/* How likely each cell is. */
static void weigh_cells(float weights[CELLS], const pov_flip *flip)
{
    double most = -INFINITY, sum = 0;
    for (int i = 0; i < CELLS; i++)
        most = fmax(most, flip->log_p[i]);
    for (int i = 0; i < CELLS; i++) {
        weights[i] = flip->log_p[i] - most > NEGLIGIBLE ? (float)exp((double)flip->log_p[i] - most) : 0;
        sum += weights[i];
    }
    for (int i = 0; i < CELLS; i++)
        weights[i] = (float)(weights[i] / sum);
}

static float multiply_shares(const float a[SHARES], const float b[SHARES])
{
    float sum = 0;
    for (int i = 0; i < SHARES; i++)
        sum += a[i] * b[i];
    return sum;
}

void pov_flip_gains(double gains[], int len, const pov_flip *flip, const pov_flip_grid *grid)
{
    bool counts[MIDDLES] = {false};
    float *weights = malloc(CELLS * sizeof *weights);
    POV_REQUIRE_MEMORY(weights);
    weigh_cells(weights, flip);
    for (int i = 0; i < CELLS; i++)
        counts[i / SHARES] |= weights[i] > 0;
    for (int k = 0; k < len; k++) {
        double yes = 0, entropy = 0;
        for (int middle = 0; middle < MIDDLES; middle++) {
            const double apart_deg = fabs(remainder(360.0 * k / len - middle_step_deg * middle, 360));
            const float *weight = &weights[middle * SHARES];
            if (!counts[middle])
                continue;
            yes += multiply_shares(weight, grid->yes[lround(apart_deg)]);
            entropy += multiply_shares(weight, grid->entropy[lround(apart_deg)]);
        }
        gains[k] = fmax(entropy_bits(yes) - entropy, 0);
    }
    free(weights);
}

/* An angle's circular mean and deviation, from the sum of its weighted directions. */
static void settle_angle(double *angle_deg, double *std_deg, double cosine, double sine, double weight)
{
    const double length = fmin(hypot(cosine, sine) / weight, 1);
    const double grid_deg2 = (middle_step_deg * middle_step_deg + half_step_deg * half_step_deg) /
                             12; /* of a point for its cell */
    *angle_deg = fmod(atan2(sine, cosine) / POV_DEG + 360, 360);
    *std_deg = length > 0 ? sqrt(-2 * log(length) / (POV_DEG * POV_DEG) + grid_deg2) : INFINITY;
}

/* The mean of steps by their weights, and the central 95 % of these. */
static void settle_steps(double *mean, double *low, double *high, const double *steps, const double *weights,
                         int len)
{
    double sum = 0, below = 0;
    for (int i = 0; i < len; i++)
        sum += weights[i];
    *mean = 0;
    *low = *high = NAN;
    for (int i = 0; i < len; i++) {
        *mean += weights[i] / sum * steps[i];
        below += weights[i] / sum;
        *low = isnan(*low) && below > 0.025 ? steps[i] : *low;
        *high = isnan(*high) && below > 0.975 ? steps[i] : *high;
    }
}

bool pov_flip_find(pov_flips *flips, const pov_flip *flip)
{
    double most = -INFINITY, weight = 0, cosine[2] = {0, 0}, sine[2] = {0, 0};
    double of_width[WIDTHS] = {0}, of_lapse[LAPSES] = {0};
    memset(flips, 0, sizeof *flips);
    for (int i = 0; i < CELLS; i++)
        most = fmax(most, flip->log_p[i]);
    for (int middle = 0; middle < MIDDLES; middle++)
        for (int half = 0; half < HALVES; half++) {
            const float *cell = &flip->log_p[(middle * HALVES + half) * SHAPES];
            double sum = 0;
            for (int shape = 0; shape < SHAPES; shape++) {
                const double one = cell[shape] - most > NEGLIGIBLE ? exp((double)cell[shape] - most) : 0;
                of_width[shape % WIDTHS] += one;
                of_lapse[shape / WIDTHS] += one;
                sum += one;
            }
            weight += sum;
            for (int end = 0; end < 2 && sum > 0; end++) {
                const double at_rad =
                    (middle_step_deg * middle + (end ? half_deg(half) : -half_deg(half))) * POV_DEG;
                cosine[end] += sum * cos(at_rad);
                sine[end] += sum * sin(at_rad);
            }
        }
    settle_angle(&flips->to_yes_deg, &flips->to_yes_std_deg, cosine[0], sine[0], weight);
    settle_angle(&flips->to_no_deg, &flips->to_no_std_deg, cosine[1], sine[1], weight);
    settle_steps(&flips->width_deg, &flips->width_low_deg, &flips->width_high_deg, widths_deg, of_width,
                 WIDTHS);
    settle_steps(&flips->lapse, &flips->lapse_low, &flips->lapse_high, lapses, of_lapse, LAPSES);
    return flip->len > 0 && flips->to_yes_std_deg < known_std_deg && flips->to_no_std_deg < known_std_deg;
}

bool pov_flip_cross(pov_flips *flips, const double p[], int len)
{
    int to_yes = 0, to_no = 0;
    memset(flips, 0, sizeof *flips);
    for (int i = 0; i < len; i++) {
        int gap = 1;
        while (gap <= GAP_MAX && isnan(p[(i + gap) % len]))
            gap++;
        const double from = p[i] - 0.5, to = p[(i + gap) % len] - 0.5;
        if (isnan(from) || gap > GAP_MAX || (from >= 0) == (to >= 0))
            continue;
        const double at_deg = fmod((i + gap * from / (from - to)) * 360 / len, 360);
        if (to >= 0) {
            flips->to_yes_deg = at_deg;
            to_yes++;
        } else {
            flips->to_no_deg = at_deg;
            to_no++;
        }
    }
    return to_yes == 1 && to_no == 1;
}
