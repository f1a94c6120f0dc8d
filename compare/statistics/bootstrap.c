#include "compare/statistics/bootstrap.h"

#include "perception/geometry/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pov_bootstrap {
    pov_bootstrap_options options;
    int values_max;
    double *weight;    /* [unit] how often it was drawn */
    double *filled;    /* [column][stratum][unit] values, NaN replaced by 0 */
    double *replicate; /* [stratum, then overall][column][resample] */
    double *sorted;    /* [resample] for quantiles */
};

pov_bootstrap *pov_bootstrap_new(int values_max, const pov_bootstrap_options *options)
{
    POV_REQUIRE(options->resamples > 0 && options->level > 0 && options->level < 1 && values_max >= 0);
    const size_t units = (size_t)values_max + 1, resamples = (size_t)options->resamples;
    pov_bootstrap *made = pov_allocate(1, sizeof *made);
    *made = (pov_bootstrap){.options = *options,
                            .values_max = values_max,
                            .weight = pov_allocate(units, sizeof *made->weight),
                            .filled = pov_allocate(units * POV_COLUMNS_MAX, sizeof *made->filled),
                            .replicate = pov_allocate(resamples * POV_COLUMNS_MAX * (POV_STRATA_MAX + 1),
                                                      sizeof *made->replicate),
                            .sorted = pov_allocate(resamples, sizeof *made->sorted)};
    return made;
}

void pov_bootstrap_destroy(pov_bootstrap **bootstrap)
{
    if (!*bootstrap)
        return;
    free((*bootstrap)->weight);
    free((*bootstrap)->filled);
    free((*bootstrap)->replicate);
    free((*bootstrap)->sorted);
    free(*bootstrap);
    *bootstrap = NULL;
}

/* ---- means ---- */

static const double *values_of(const pov_sample *sample, int stratum, int column)
{
    return sample->values + (size_t)column * (size_t)sample->stride + (size_t)stratum * (size_t)sample->units;
}

/* Two draws from each random number: a product's upper half is uniform over the units (Lemire 2019; its bias is below
 * len / 2^32). */
static void draw_weights(double *weight, int len, uint64_t *state)
{
    memset(weight, 0, (size_t)len * sizeof *weight);
    for (int i = 0; i < len; i += 2) {
        uint64_t bits = pov_random_next(state);
        weight[((bits >> 32) * (uint64_t)len) >> 32] += 1;
        if (i + 1 < len)
            weight[((bits & 0xffffffffu) * (uint64_t)len) >> 32] += 1;
    }
}

/* Sums in eight lanes: one after the other, each addition would wait for the last. */
static double dot(const double *a, const double *b, int len)
{
    double lane[8] = {0};
    int i = 0;
    for (; i + 8 <= len; i += 8)
        for (int k = 0; k < 8; k++)
            lane[k] += a[i + k] * b[i + k];
    for (; i < len; i++)
        lane[0] += a[i] * b[i];
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
}

/* How many of the units with a value were drawn. */
static double drawn(const double *values, const double *weight, int len)
{
    double sum = 0;
    for (int i = 0; i < len; i++)
        sum += isnan(values[i]) ? 0 : weight[i];
    return sum;
}

/* The mean of the strata that have one. */
static double mean_of_strata(const double *strata_means, int strata, int stride)
{
    double sum = 0;
    int counted = 0;
    for (int s = 0; s < strata; s++)
        if (!isnan(strata_means[s * stride])) {
            sum += strata_means[s * stride];
            counted++;
        }
    return counted ? sum / counted : NAN;
}

static double *replicates_of(const pov_bootstrap *bootstrap, int stratum, int column)
{
    return bootstrap->replicate +
           (size_t)(stratum * POV_COLUMNS_MAX + column) * (size_t)bootstrap->options.resamples;
}

static double *filled_of(const pov_bootstrap *bootstrap, const pov_sample *sample, int stratum, int column)
{
    return bootstrap->filled + (size_t)column * (size_t)bootstrap->values_max +
           (size_t)stratum * (size_t)sample->units;
}

/* What resampling a column of a stratum needs. */
typedef struct {
    bool has_gaps, is_constant; /* constant: one value, or nothing: all resamples are alike */
} column_kind;

static column_kind fill_column(const pov_bootstrap *bootstrap, const pov_sample *sample, int stratum,
                               int column)
{
    const double *values = values_of(sample, stratum, column);
    double *filled = filled_of(bootstrap, sample, stratum, column);
    column_kind kind = {.is_constant = true};
    for (int i = 0; i < sample->units; i++) {
        kind.has_gaps |= isnan(values[i]);
        kind.is_constant &= values[i] == values[0] || (isnan(values[i]) && isnan(values[0]));
        filled[i] = isnan(values[i]) ? 0 : values[i];
    }
    return kind;
}

static void draw_column(const pov_bootstrap *bootstrap, const pov_sample *sample, int stratum, int column,
                        column_kind kind, int resample)
{
    const double sum = dot(bootstrap->weight, filled_of(bootstrap, sample, stratum, column), sample->units);
    const double count = kind.has_gaps
                             ? drawn(values_of(sample, stratum, column), bootstrap->weight, sample->units)
                             : sample->units;
    replicates_of(bootstrap, stratum, column)[resample] = count > 0 ? sum / count : NAN;
}

/* All columns of all strata, on the same draws. */
static void resample_units(pov_bootstrap *bootstrap, const pov_sample *sample)
{
    column_kind kind[POV_STRATA_MAX][POV_COLUMNS_MAX];
    uint64_t state = bootstrap->options.seed;
    bool all_constant = true;
    for (int s = 0; s < sample->strata; s++)
        for (int c = 0; c < sample->columns; c++) {
            kind[s][c] = fill_column(bootstrap, sample, s, c);
            all_constant &= kind[s][c].is_constant;
            const double mean = pov_sample_mean(sample, s, c).mean;
            for (int r = 0; kind[s][c].is_constant && r < bootstrap->options.resamples; r++)
                replicates_of(bootstrap, s, c)[r] = mean;
        }
    for (int r = 0; !all_constant && r < bootstrap->options.resamples; r++) {
        draw_weights(bootstrap->weight, sample->units, &state);
        for (int s = 0; s < sample->strata; s++)
            for (int c = 0; c < sample->columns; c++)
                if (!kind[s][c].is_constant)
                    draw_column(bootstrap, sample, s, c, kind[s][c], r);
    }
}

/* ---- quantiles ---- */

/* Moves the k-th smallest to place k, smaller ones before it (Hoare 1961). */
static double select_kth(double *values, int len, int k)
{
    int low = 0, high = len - 1;
    while (low < high) {
        double pivot = values[low + (high - low) / 2];
        int i = low - 1, j = high + 1;
        for (;;) {
            do
                i++;
            while (values[i] < pivot);
            do
                j--;
            while (values[j] > pivot);
            if (i >= j)
                break;
            double swapped = values[i];
            values[i] = values[j];
            values[j] = swapped;
        }
        if (k <= j)
            high = j;
        else
            low = j + 1;
    }
    return values[k];
}

/* Between the two nearest, linearly. Reorders the values. */
static double quantile_of(double *values, int len, double share)
{
    double place = share * (len - 1), next = INFINITY;
    int k = (int)place;
    double value = select_kth(values, len, k);
    for (int i = k + 1; i < len; i++)
        next = values[i] < next ? values[i] : next;
    return k + 1 < len ? value + (place - k) * (next - value) : value;
}

typedef enum { ALONE, DIFFERENCE, RATIO } combination;

static double combine_strata(double value, double other, combination how)
{
    return how == DIFFERENCE ? value - other : how == RATIO ? (other > 0 ? value / other : NAN) : value;
}

/* Bounds of a column over the resamples, or of it with another one. */
static void bound_estimate(pov_estimate *estimate, const pov_bootstrap *bootstrap, const double *column,
                           const double *other, combination how)
{
    const pov_bootstrap_options *options = &bootstrap->options;
    double least = INFINITY, most = -INFINITY;
    int len = 0;
    for (int r = 0; r < options->resamples; r++) {
        double value = combine_strata(column[r], how == ALONE ? 0 : other[r], how);
        if (isnan(value))
            continue;
        least = value < least ? value : least;
        most = value > most ? value : most;
        bootstrap->sorted[len++] = value;
    }
    if (len == 0)
        return;
    if (least == most) {
        estimate->low = estimate->high = least;
        return;
    }
    estimate->low = quantile_of(bootstrap->sorted, len, (1 - options->level) / 2);
    estimate->high = quantile_of(bootstrap->sorted, len, (1 + options->level) / 2);
}

/* ---- together ---- */

pov_estimate pov_sample_mean(const pov_sample *sample, int stratum, int column)
{
    pov_estimate estimate = {0, NAN, NAN, 0};
    const double *values = values_of(sample, stratum, column);
    for (int i = 0; i < sample->units; i++)
        if (!isnan(values[i])) {
            estimate.mean += values[i];
            estimate.n++;
        }
    estimate.mean = estimate.n ? estimate.mean / estimate.n : NAN;
    return estimate;
}

/* Units with a value in any stratum. */
static int count_units(const pov_sample *sample, int column)
{
    int units = 0;
    for (int i = 0; i < sample->units; i++) {
        bool has_value = false;
        for (int s = 0; s < sample->strata && !has_value; s++)
            has_value = !isnan(values_of(sample, s, column)[i]);
        units += has_value;
    }
    return units;
}

static void estimate_column(const pov_bootstrap *bootstrap, pov_estimate *overall, pov_estimate *by_stratum,
                            const pov_sample *sample, int column)
{
    int strata = sample->strata, resamples = bootstrap->options.resamples,
        stride = POV_COLUMNS_MAX * resamples;
    double means[POV_STRATA_MAX], *all = replicates_of(bootstrap, POV_STRATA_MAX, column);
    *overall = (pov_estimate){NAN, NAN, NAN, count_units(sample, column)};
    for (int s = 0; s < strata; s++) {
        pov_estimate estimate = pov_sample_mean(sample, s, column);
        means[s] = estimate.mean;
        if (estimate.n > 1 && by_stratum)
            bound_estimate(&estimate, bootstrap, replicates_of(bootstrap, s, column), NULL, ALONE);
        if (by_stratum)
            by_stratum[s * sample->columns + column] = estimate;
    }
    overall->mean = mean_of_strata(means, strata, 1);
    if (overall->n < 2)
        return;
    for (int r = 0; r < resamples; r++)
        all[r] = mean_of_strata(replicates_of(bootstrap, 0, column) + r, strata, stride);
    bound_estimate(overall, bootstrap, all, NULL, ALONE);
}

void pov_bootstrap_means(pov_bootstrap *bootstrap, pov_estimate *overall, pov_estimate *by_stratum,
                         const pov_sample *sample)
{
    POV_REQUIRE(sample->strata > 0 && sample->strata <= POV_STRATA_MAX &&
                sample->columns <= POV_COLUMNS_MAX &&
                (int64_t)sample->strata * sample->units <= bootstrap->values_max);
    resample_units(bootstrap, sample);
    for (int c = 0; c < sample->columns; c++)
        estimate_column(bootstrap, &overall[c], by_stratum, sample, c);
}

pov_estimate pov_bootstrap_difference(const pov_bootstrap *bootstrap, const pov_estimate *overall, int column,
                                      int other)
{
    const pov_estimate *mine = &overall[column];
    pov_estimate difference = {mine->mean - overall[other].mean, NAN, NAN, mine->n};
    if (!isnan(mine->low))
        bound_estimate(&difference, bootstrap, replicates_of(bootstrap, POV_STRATA_MAX, column),
                       replicates_of(bootstrap, POV_STRATA_MAX, other), DIFFERENCE);
    return difference;
}

pov_estimate pov_bootstrap_ratio(const pov_bootstrap *bootstrap, const pov_sample *sample, int column,
                                 int other)
{
    pov_estimate ratio = {NAN, NAN, NAN, 0};
    double sum = 0, sum_other = 0;
    POV_REQUIRE(sample->strata == 1);
    for (int i = 0; i < sample->units; i++) {
        sum += values_of(sample, 0, column)[i];
        sum_other += values_of(sample, 0, other)[i];
        ratio.n += values_of(sample, 0, other)[i] > 0;
    }
    if (ratio.n == 0)
        return ratio;
    ratio.mean = sum / sum_other;
    if (ratio.n > 1)
        bound_estimate(&ratio, bootstrap, replicates_of(bootstrap, 0, column),
                       replicates_of(bootstrap, 0, other), RATIO);
    return ratio;
}

void pov_wilson_interval(double *low, double *high, int yes, int n)
{
    const double z = 1.959964, share = (double)yes / n, middle = share + z * z / (2 * n),
                 half = z * sqrt(share * (1 - share) / n + z * z / (4.0 * n * n)), over = 1 + z * z / n;
    *low = fmax(0, (middle - half) / over);
    *high = fmin(1, (middle + half) / over);
}
