#include "perception/tracking/error_split.h"

#include "perception/geometry/least_squares.h"
#include "perception/geometry/linalg.h"
#include "perception/status.h"

#include <math.h>
#include <string.h>

enum { N = POV_ERROR_SPLIT_MAX };

/* The prior share and its weight in images; the longest mean, in images; an innovation's square against the usual one from which it
 * is an outlier. Chosen. */
static const double prior_share = 0.25, prior_weight = 8, weight_max = 300, outlier = 4;

void pov_error_split_start(pov_error_split *split, int n)
{
    POV_REQUIRE(n >= 1 && n <= N);
    *split = (pov_error_split){.n = n, .weight = prior_weight};
    for (int i = 0; i < n; i++)
        split->share[i * n + i] = prior_share;
}

void pov_error_split_learn(pov_error_split *split, const double *innovation, const double *claimed,
                           double scale)
{
    int n = split->n;
    double L[N * N], white[N];
    if (!pov_cholesky(L, claimed, n))
        return;
    memcpy(white, innovation, sizeof *white * (size_t)n);
    pov_whiten(white, L, n, 1);
    double size2 = 0, usual2 = 0;
    for (int i = 0; i < n; i++) {
        size2 += white[i] * white[i] / scale;
        usual2 += split->share[i * (n + 1)];
    }
    scale *= fmax(1, size2 / (outlier * usual2)); /* an outlier: it may have begun to move */
    split->weight = fmin(split->weight + 1, weight_max);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double *share = &split->share[i * n + j];
            *share += (white[i] * white[j] / scale - *share) / split->weight;
        }
}

/* The lasting share: identity minus the fluctuating share, reduced by one and a half standard deviations of its estimate, along
 * its principal axes. */
static void lasting_share(double *rest, const pov_error_split *split)
{
    int n = split->n;
    double values[N], vectors[N * N], surely = 1 - 1.5 * sqrt(2 / split->weight);
    pov_symmetric_eigen(values, vectors, split->share, n);
    memset(rest, 0, (size_t)(n * n) * sizeof *rest);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
                rest[i * n + j] += fmax(0, 1 - surely * values[k]) * vectors[i * n + k] * vectors[j * n + k];
}

void pov_error_split_apply(const pov_error_split *split, double *fluctuating, double *lasting,
                           const double *claimed)
{
    int n = split->n;
    double L[N * N], rest[N * N];
    memcpy(fluctuating, claimed, (size_t)(n * n) * sizeof *fluctuating);
    memset(lasting, 0, (size_t)(n * n) * sizeof *lasting);
    if (!pov_cholesky(L, claimed, n))
        return; /* known exactly in some direction: no part lasts */
    lasting_share(rest, split);
    pov_sandwich(fluctuating, L, split->share, n, n);
    pov_sandwich(lasting, L, rest, n, n);
}

pov_error_split pov_error_split_in_motion(const pov_error_split *split)
{
    pov_error_split moving = *split;
    for (int i = 0; i < split->n; i++)
        for (int j = 0; j < split->n; j++)
            moving.share[i * split->n + j] = (split->share[i * split->n + j] + (i == j)) / 2;
    return moving;
}
