/** Quantiles of durations, in bounded memory: a histogram with 5 % wide bins. */
#pragma once

#include <stdint.h>

enum { POV_LATENCY_BINS = 400 };

/** Zero-initialised: nothing measured yet. */
typedef struct {
    uint64_t count, bins[POV_LATENCY_BINS];
} pov_latency;

void pov_latency_add(pov_latency *latency, int64_t duration_ns);
/** The duration that the share `quantile` (0..1) of all stays below, within 5 %; 0 if nothing was measured.
 */
double pov_latency_quantile_s(const pov_latency *latency, double quantile);
