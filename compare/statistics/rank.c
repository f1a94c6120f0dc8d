#include "compare/statistics/rank.h"

#include "perception/geometry/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- ranks ---- */

static const double tie = 1e-12; /* equal but for rounding: sums of up to 10^5 shares */

/* One more than the number of contestants that are better. */
static int rank_of(const double *means, int contestants, int which, double sign)
{
    int better = 0;
    for (int i = 0; i < contestants; i++)
        better += sign * means[i] > sign * means[which] + tie;
    return better + 1;
}

/* The smallest rank that a share of the resamples is at or below. */
static int quantile_rank(const int *counts, int contestants, double share, int resamples)
{
    int sum = 0, rank = 0;
    while (rank < contestants && sum < share * resamples)
        sum += counts[rank++];
    return rank < 1 ? 1 : rank;
}

static void draw_means(double *means, const double *values, int contestants, int units, uint64_t *state)
{
    memset(means, 0, (size_t)contestants * sizeof *means);
    for (int k = 0; k < units; k++) {
        const int unit = (int)(((pov_random_next(state) >> 32) * (uint64_t)units) >> 32);
        for (int i = 0; i < contestants; i++)
            means[i] += values[(size_t)i * (size_t)units + (size_t)unit] / units;
    }
}

void pov_rank_contestants(pov_rank *ranks, const double *values, int contestants, int units,
                          bool high_is_best, const pov_bootstrap_options *options)
{
    const double sign = high_is_best ? 1 : -1, tail = (1 - options->level) / 2;
    double *means = pov_allocate((size_t)contestants + 1, sizeof *means);
    int *counts = pov_allocate((size_t)contestants * (size_t)contestants + 1, sizeof *counts);
    uint64_t state = options->seed;
    POV_REQUIRE(units > 0);
    for (int i = 0; i < contestants; i++) {
        for (int k = 0; k < units; k++)
            means[i] += values[(size_t)i * (size_t)units + (size_t)k];
        means[i] /= units;
        ranks[i] = (pov_rank){.mean = means[i]};
    }
    for (int i = 0; i < contestants; i++)
        ranks[i].rank = rank_of(means, contestants, i, sign);
    for (int r = 0; units > 1 && r < options->resamples; r++) {
        draw_means(means, values, contestants, units, &state);
        for (int i = 0; i < contestants; i++)
            counts[i * contestants + rank_of(means, contestants, i, sign) - 1]++;
    }
    for (int i = 0; units > 1 && i < contestants; i++) {
        ranks[i].low = quantile_rank(counts + i * contestants, contestants, tail, options->resamples);
        ranks[i].high = quantile_rank(counts + i * contestants, contestants, 1 - tail, options->resamples);
    }
    free(means);
    free(counts);
}

/* ---- paired test ---- */

enum { EXACT_MAX = 20 };

/* Flips one sign at a time, in the order of a Gray code. */
static double share_as_far(const double *differences, int len, double sum)
{
    const uint32_t flips = (uint32_t)1 << len;
    double now = 0, far = fabs(sum) - 1e-9 * fabs(sum) - tie;
    uint32_t as_far = 0;
    bool negative[EXACT_MAX] = {false};
    for (int i = 0; i < len; i++)
        now += differences[i];
    for (uint32_t k = 1; k <= flips; k++) {
        as_far += fabs(now) >= far;
        if (k == flips)
            break;
        const int which = __builtin_ctz(k);
        now += negative[which] ? 2 * differences[which] : -2 * differences[which];
        negative[which] = !negative[which];
    }
    return as_far / (double)flips;
}

static double share_by_chance(const double *differences, int len, double sum,
                              const pov_bootstrap_options *options)
{
    uint64_t state = options->seed, bits = 0;
    int as_far = 1;
    for (int r = 0; r < options->resamples; r++) {
        double now = 0;
        for (int i = 0; i < len; i++) {
            bits = i % 64 == 0 ? pov_random_next(&state) : bits >> 1;
            now += bits & 1 ? differences[i] : -differences[i];
        }
        as_far += fabs(now) >= fabs(sum) - 1e-9 * fabs(sum) - tie;
    }
    return as_far / (options->resamples + 1.0);
}

pov_paired_test pov_paired_permutation(const double *a, const double *b, int units,
                                       const pov_bootstrap_options *options)
{
    double *differences = pov_allocate((size_t)units + 1, sizeof *differences);
    pov_paired_test test = {.p = units < POV_PAIRS_TESTED_MIN ? NAN : 1};
    const int end = units;
    double sum = 0;
    int len = 0;
    for (int i = 0; i < units; i++)
        differences[i] = a[i] - b[i];
    pov_sample sample = {.values = differences, .columns = 1, .stride = units, .units = end, .strata = 1};
    pov_bootstrap *bootstrap = pov_bootstrap_new(units, options);
    pov_bootstrap_means(bootstrap, &test.difference, NULL, &sample);
    pov_bootstrap_destroy(&bootstrap);
    for (int i = 0; i < units; i++)
        if (fabs(differences[i]) > tie) {
            sum += differences[i];
            differences[len++] = differences[i];
        }
    test.is_exact = len <= EXACT_MAX;
    if (len > 0 && units >= POV_PAIRS_TESTED_MIN)
        test.p = test.is_exact ? share_as_far(differences, len, sum)
                               : share_by_chance(differences, len, sum, options);
    free(differences);
    return test;
}

/* ---- many tests ---- */

void pov_holm_adjust(double *p, int len)
{
    int *order = pov_allocate((size_t)len + 1, sizeof *order), tests = 0;
    double least = 0;
    for (int i = 0; i < len; i++) {
        if (isnan(p[i]))
            continue;
        int place = tests++;
        for (; place > 0 && p[order[place - 1]] > p[i]; place--)
            order[place] = order[place - 1];
        order[place] = i;
    }
    for (int k = 0; k < tests; k++) {
        least = fmax(least, fmin(1, (tests - k) * p[order[k]]));
        p[order[k]] = least;
    }
    free(order);
}
