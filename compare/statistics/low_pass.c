#include "compare/statistics/low_pass.h"

#include "perception/status.h"

enum { ORDER = 5, PADDED_MAX = POV_LOW_PASS_MAX + 2 * POV_LOW_PASS_PADDING };

/* The bilinear transform of the Butterworth prototype; numbers as scipy.signal.butter(5, 0.2) prints them. */
static const double b[ORDER + 1] = {0.0012825810789606855, 0.006412905394803428, 0.012825810789606856,
                                    0.012825810789606856,  0.006412905394803428, 0.0012825810789606855};
static const double a[ORDER + 1] = {
    1, -2.9754221097456828, 3.806018119320411, -2.5452528683304663, 0.8811300754378364, -0.1254306221553556};

/* What the filter remembers after a constant input of this level, so that it starts without a swing. */
static void settle(double memory[ORDER], double level)
{
    double sum = 0;
    for (int k = ORDER; k > 0; k--) {
        sum += b[k] - a[k];
        memory[k - 1] = sum * level;
    }
}

/* Filters in place from samples[0] in steps of `step`: direct form II, transposed. */
static void filter(double *samples, int len, int step)
{
    double memory[ORDER];
    settle(memory, samples[0]);
    for (int i = 0; i < len; i++, samples += step) {
        double in = *samples, out = b[0] * in + memory[0];
        for (int k = 1; k < ORDER; k++)
            memory[k - 1] = b[k] * in - a[k] * out + memory[k];
        memory[ORDER - 1] = b[ORDER] * in - a[ORDER] * out;
        *samples = out;
    }
}

void pov_low_pass(double *smooth, const double *samples, int len)
{
    double padded[PADDED_MAX], first = samples[0], last = samples[len - 1];
    int padding = POV_LOW_PASS_PADDING, total = len + 2 * padding;
    POV_REQUIRE(len > padding && len <= POV_LOW_PASS_MAX);
    for (int i = 0; i < len; i++)
        padded[padding + i] = samples[i];
    for (int i = 1; i <= padding; i++) {
        padded[padding - i] = 2 * first - samples[i];
        padded[padding + len - 1 + i] = 2 * last - samples[len - 1 - i];
    }
    filter(padded, total, 1);
    filter(padded + total - 1, total, -1);
    for (int i = 0; i < len; i++)
        smooth[i] = padded[padding + i];
}
