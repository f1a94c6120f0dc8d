#include "firmware/run/latency.h"

#include <math.h>

static const double first_ns = 1000, growth = 1.05; /* 1 us ... 300 s */

void pov_latency_add(pov_latency *latency, int64_t duration_ns)
{
    double bin = duration_ns > first_ns ? log((double)duration_ns / first_ns) / log(growth) : 0;
    latency->bins[bin < POV_LATENCY_BINS - 1 ? (int)bin : POV_LATENCY_BINS - 1]++;
    latency->count++;
}

double pov_latency_quantile_s(const pov_latency *latency, double quantile)
{
    double wanted = quantile * (double)latency->count, sum = 0;
    for (int i = 0; i < POV_LATENCY_BINS && latency->count > 0; i++) {
        sum += (double)latency->bins[i];
        if (sum >= wanted)
            return first_ns * pow(growth, i + 0.5) * 1e-9;
    }
    return 0;
}
