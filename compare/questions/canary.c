#include "compare/questions/canary.h"

#include <math.h>
#include <string.h>

const char *const POV_CANARY_PROBE_NAMES[] = {"image", "again", "blank", "mirrored", "other"};
_Static_assert(sizeof POV_CANARY_PROBE_NAMES / sizeof *POV_CANARY_PROBE_NAMES == POV_CANARY_PROBE_COUNT,
               "names");
const char *const POV_CANARY_VERDICT_NAMES[] = {"looks", "barely", "ignores", "unclear"};
_Static_assert(sizeof POV_CANARY_VERDICT_NAMES / sizeof *POV_CANARY_VERDICT_NAMES == POV_CANARY_VERDICT_COUNT,
               "names");

/* Changes of P(yes); chosen. Servers batch requests, so repeated answers differ a little: a change below CHANGE_MIN, or below
 * NOISE_FACTOR times the change when asking again, is noise. An answer that the image decides changes by far more than
 * CHANGE_CLEAR. */
static const double CHANGE_MIN = 0.01, NOISE_FACTOR = 3, CHANGE_CLEAR = 0.1;

/* ---- probes ---- */

void pov_canary_blank(uint8_t *pixels, const pov_image *image)
{
    uint64_t sums[3] = {0};
    const size_t area = (size_t)image->width_px * (size_t)image->height_px;
    for (int y = 0; y < image->height_px; y++)
        for (int x = 0; x < image->width_px; x++)
            for (int c = 0; c < 3; c++)
                sums[c] += image->pixels[(size_t)y * (size_t)image->stride_bytes + 3 * (size_t)x + (size_t)c];
    for (size_t i = 0; i < 3 * area; i++)
        pixels[i] = (uint8_t)((sums[i % 3] + area / 2) / area);
}

void pov_canary_mirror(uint8_t *pixels, const pov_image *image)
{
    const size_t width = (size_t)image->width_px;
    for (size_t y = 0; y < (size_t)image->height_px; y++)
        for (size_t x = 0; x < width; x++)
            memcpy(pixels + 3 * (y * width + x),
                   image->pixels + y * (size_t)image->stride_bytes + 3 * (width - 1 - x), 3);
}

/* ---- verdict ---- */

static void compare_probe(pov_canary_result *result, const pov_canary_answers *answers, int len, int probe)
{
    double sum = 0;
    int pairs = 0;
    result->largest[probe] = 0;
    for (int i = 0; i < len; i++) {
        const double change = fabs(answers[i].p[probe] - answers[i].p[POV_CANARY_IMAGE]);
        if (isnan(answers[i].p[POV_CANARY_IMAGE]))
            continue;
        if (isnan(change)) {
            result->lost[probe]++;
            continue;
        }
        sum += change;
        pairs++;
        result->largest[probe] = fmax(result->largest[probe], change);
    }
    result->change[probe] = pairs ? sum / pairs : NAN;
    if (pairs == 0)
        result->largest[probe] = NAN;
}

/** The probes that show something other than the image. */
static pov_canary_verdict weigh_probes(const pov_canary_result *result)
{
    if (2 * result->scored < result->questions || result->scored == 0)
        return POV_CANARY_UNCLEAR;
    const double noise = fmax(CHANGE_MIN, NOISE_FACTOR * (isnan(result->noise) ? 0 : result->noise));
    pov_canary_verdict verdict = POV_CANARY_IGNORES;
    for (int probe = POV_CANARY_BLANK; probe < POV_CANARY_PROBE_COUNT; probe++) {
        const int lost = result->lost[probe] - result->lost[POV_CANARY_AGAIN];
        if (2 * lost > result->scored || result->change[probe] > fmax(CHANGE_CLEAR, noise))
            return POV_CANARY_LOOKS;
        if (lost > 0 || result->largest[probe] > noise)
            verdict = POV_CANARY_BARELY;
    }
    return verdict;
}

void pov_canary_judge(pov_canary_result *result, const pov_canary_answers *answers, int len,
                      const bool asked[POV_CANARY_PROBE_COUNT])
{
    memset(result, 0, sizeof *result);
    result->questions = len;
    for (int i = 0; i < len; i++)
        result->scored += !isnan(answers[i].p[POV_CANARY_IMAGE]);
    for (int probe = 0; probe < POV_CANARY_PROBE_COUNT; probe++)
        compare_probe(result, answers, asked[probe] ? len : 0, probe);
    result->noise = result->largest[POV_CANARY_AGAIN];
    result->verdict = weigh_probes(result);
}
