#include "compare/statistics/curve.h"

#include "perception/geometry/geom.h"
#include "perception/status.h"

/* ---- the smooth part: Butterworth, order 5, cutoff 0.2, as COMFORT filters curves (section 3.5) ---- */

enum {
    ORDER = 5,
    LOW_PASS_PADDING = 18,
    LOW_PASS_MAX = 36,
    PADDED_MAX = LOW_PASS_MAX + 2 * LOW_PASS_PADDING
};

/* The bilinear transform of the Butterworth prototype; numbers as scipy.signal.butter(5, 0.2) prints them. */
static const double feedforward[ORDER + 1] = {0.0012825810789606855, 0.006412905394803428,
                                              0.012825810789606856,  0.012825810789606856,
                                              0.006412905394803428,  0.0012825810789606855};
static const double feedback[ORDER + 1] = {
    1, -2.9754221097456828, 3.806018119320411, -2.5452528683304663, 0.8811300754378364, -0.1254306221553556};

/* The filter's state after a constant input of this level: it then starts without a transient. */
static void settle_filter(double memory[ORDER], double level)
{
    double sum = 0;
    for (int k = ORDER; k > 0; k--) {
        sum += feedforward[k] - feedback[k];
        memory[k - 1] = sum * level;
    }
}

/* Filters in place from samples[0] in steps of `step`: direct form II, transposed. */
static void filter_along(double *samples, int len, int step)
{
    double memory[ORDER];
    settle_filter(memory, samples[0]);
    for (int i = 0; i < len; i++, samples += step) {
        double in = *samples, out = feedforward[0] * in + memory[0];
        for (int k = 1; k < ORDER; k++)
            memory[k - 1] = feedforward[k] * in - feedback[k] * out + memory[k];
        memory[ORDER - 1] = feedforward[ORDER] * in - feedback[ORDER] * out;
        *samples = out;
    }
}

/* Forward and backward (zero phase). At the ends the curve goes on turned by half a turn about its last sample, for 18
 * samples; it is not taken as circular. len in (18, 36]; smooth may be samples. As scipy filtfilt(*butter(5, 0.2), x). */
static void low_pass(double *smooth, const double *samples, int len)
{
    double padded[PADDED_MAX], first = samples[0], last = samples[len - 1];
    int padding = LOW_PASS_PADDING, total = len + 2 * padding;
    POV_REQUIRE(len > padding && len <= LOW_PASS_MAX);
    for (int i = 0; i < len; i++)
        padded[padding + i] = samples[i];
    for (int i = 1; i <= padding; i++) {
        padded[padding - i] = 2 * first - samples[i];
        padded[padding + len - 1 + i] = 2 * last - samples[len - 1 - i];
    }
    filter_along(padded, total, 1);
    filter_along(padded + total - 1, total, -1);
    for (int i = 0; i < len; i++)
        smooth[i] = padded[padding + i];
}

/* ---- curves ---- */

enum { N = POV_CURVE_SAMPLES };

static const double camera_sight_deg = 180; /* phi 0 is toward the camera: it looks along 180 */

/* At 0, 10, ... 350 degrees. */
/* clang-format off */
static const double cosines[N] = {
    1, 0.984807753012208, 0.9396926207859084, 0.8660254037844387, 0.766044443118978, 0.6427876096865394,
    0.5, 0.3420201433256688, 0.17364817766693041, 0, -0.1736481776669303, -0.3420201433256687, -0.5,
    -0.6427876096865394, -0.7660444431189779, -0.8660254037844387, -0.9396926207859083,
    -0.984807753012208, -1, -0.984807753012208, -0.9396926207859084, -0.8660254037844386,
    -0.766044443118978, -0.6427876096865395, -0.5, -0.34202014332566855, -0.17364817766693033, 0,
    0.17364817766692997, 0.342020143325669, 0.5, 0.6427876096865393, 0.7660444431189778,
    0.8660254037844384, 0.9396926207859084, 0.984807753012208,
};
/* clang-format on */

static double wrap_deg(double angle_deg)
{
    double wrapped = fmod(angle_deg, 360);
    return wrapped < 0 ? wrapped + 360 : wrapped;
}

/* Quarter-turns, counter-clockwise, from an axis to its front, left, behind, right. */
static int count_quarters(pov_relation relation)
{
    switch (relation) {
    case POV_IN_FRONT_OF:
        return 0;
    case POV_LEFT_OF:
        return 1;
    case POV_BEHIND:
        return 2;
    default:
        return 3;
    }
}

double pov_curve_direction_deg(pov_relation relation, pov_reading reading, pov_facings facings)
{
    POV_REQUIRE(relation >= POV_LEFT_OF && relation <= POV_BEHIND);
    bool sagittal = relation == POV_IN_FRONT_OF || relation == POV_BEHIND;
    double direction_deg = 90 * count_quarters(relation);
    switch (reading.perspective) {
    case POV_INTRINSIC:
        return wrap_deg(direction_deg + facings.relatum_deg);
    case POV_EGOCENTRIC:
        direction_deg += camera_sight_deg;
        break;
    case POV_ADDRESSEE:
        direction_deg += facings.addressee_deg;
        break;
    default:
        return NAN;
    }
    if (reading.convention == POV_ROTATED || (reading.convention == POV_REFLECTED && sagittal))
        direction_deg += 180;
    return wrap_deg(direction_deg);
}

double pov_reference_hemisphere(double theta_deg)
{
    double wrapped = wrap_deg(theta_deg);
    return wrapped < 90 || wrapped > 270;
}

double pov_reference_cosine(double theta_deg)
{
    return (cos(theta_deg * POV_DEG) + 1) / 2;
}

void pov_curve_references(double cosine[N], bool hemisphere[N], double direction_deg)
{
    double x = cos(direction_deg * POV_DEG), y = sin(direction_deg * POV_DEG);
    for (int i = 0; i < N; i++) {
        double of_theta = cosines[i] * x + cosines[(i + 27) % N] * y;
        cosine[i] = (of_theta + 1) / 2;
        hemisphere[i] = of_theta > 1e-12; /* 90 degrees, rounded, are outside */
    }
}

void pov_curve_normalise(pov_normalised *normalised, const pov_curve *curve, pov_formulas formulas)
{
    double repeat = formulas == POV_FORMULAS_RELEASED ? curve->repeat : NAN;
    double low = repeat, high = repeat;
    normalised->scored = 0;
    for (int i = 0; i < N; i++) {
        low = fmin(low, curve->p[i]);
        high = fmax(high, curve->p[i]);
        normalised->scored += !isnan(curve->p[i]);
    }
    normalised->constant = normalised->scored > 0 && high == low;
    for (int i = 0; i < N; i++)
        normalised->p[i] = !normalised->constant ? (curve->p[i] - low) / (high - low)
                           : isnan(curve->p[i])  ? NAN
                                                 : 0;
}

unsigned pov_reading_bit(pov_reading reading)
{
    return reading.perspective == POV_INTRINSIC
               ? 1u
               : 1u << (1 + (int)reading.convention +
                        (reading.perspective == POV_ADDRESSEE ? POV_CONVENTION_COUNT : 0));
}

bool pov_curve_is_told(const pov_curve *curve, int sample, double cosine, unsigned bit, pov_formulas formulas)
{
    const bool at_edge = fabs(cosine - 0.5) < 1e-9;
    return formulas == POV_FORMULAS_RELEASED || (!at_edge && !(curve->untold[sample] & bit));
}

/* Right and wrong answers to what a frame tells. */
static void measure_told(double measures[], const pov_curve *curve, const double cosine[N],
                         const bool hemisphere[N], unsigned bit, pov_formulas formulas)
{
    double right = 0, told = 0, unscored = 0;
    for (int i = 0; i < N; i++) {
        if (curve->unasked[i] || !pov_curve_is_told(curve, i, cosine[i], bit, formulas))
            continue;
        unscored += isnan(curve->p[i]);
        told += !isnan(curve->p[i]);
        right += !isnan(curve->p[i]) && (curve->p[i] > 0.5) == hemisphere[i];
    }
    measures[POV_ACCURACY_TOLD] = right / told;
    measures[POV_ACCURACY_LEAST] = right / (told + unscored);
    measures[POV_ACCURACY_MOST] = (right + unscored) / (told + unscored);
}

static void measure_references(double measures[], const pov_curve *curve, const pov_normalised *normalised,
                               double direction_deg, unsigned bit, pov_formulas formulas)
{
    double right = 0, hemisphere2 = 0, cosine2 = 0, clipped2 = 0, cosine[N];
    bool hemisphere[N];
    pov_curve_references(cosine, hemisphere, direction_deg);
    for (int i = 0; i < N; i++) {
        double p = normalised->p[i], clipped = fmax(0, 2 * cosine[i] - 1);
        if (isnan(p))
            continue;
        right += (curve->p[i] > 0.5) == hemisphere[i];
        hemisphere2 += (p - hemisphere[i]) * (p - hemisphere[i]);
        cosine2 += (p - cosine[i]) * (p - cosine[i]);
        clipped2 += (p - clipped) * (p - clipped);
    }
    double count = normalised->scored, divisor = count + (formulas == POV_FORMULAS_RELEASED);
    measures[POV_ACCURACY] = right / count;
    measure_told(measures, curve, cosine, hemisphere, bit, formulas);
    measures[POV_EPS_HEMISPHERE] = sqrt(hemisphere2 / divisor);
    measures[POV_EPS_COSINE] = sqrt(cosine2 / divisor);
    measures[POV_EPS_CLIPPED] = sqrt(clipped2 / divisor);
}

double pov_curve_eps_cosine(const pov_normalised *normalised, double direction_deg, pov_formulas formulas)
{
    double sum2 = 0, cosine[N];
    bool hemisphere[N];
    pov_curve_references(cosine, hemisphere, direction_deg);
    for (int i = 0; i < N; i++) {
        double error = normalised->p[i] - cosine[i];
        sum2 += isnan(error) ? 0 : error * error;
    }
    bool undefined = isnan(direction_deg) || normalised->scored == 0;
    return undefined ? NAN : sqrt(sum2 / (normalised->scored + (formulas == POV_FORMULAS_RELEASED)));
}

static double noise_of(const double p_by_theta[N])
{
    double smooth[N], sum2 = 0;
    low_pass(smooth, p_by_theta, N);
    for (int i = 0; i < N; i++)
        sum2 += (p_by_theta[i] - smooth[i]) * (p_by_theta[i] - smooth[i]);
    return sqrt(sum2 / N);
}

static double asymmetry_of(const double p_by_theta[N])
{
    double sum2 = 0;
    int pairs = 0;
    for (int i = 1; i < N / 2; i++) {
        double difference = p_by_theta[i] - p_by_theta[N - i];
        if (isnan(difference))
            continue;
        sum2 += difference * difference;
        pairs++;
    }
    return pairs ? sqrt(sum2 / pairs) : NAN;
}

/* In the order of theta, from -180 degrees. Axes are whole steps in COMFORT; another is taken to the nearest. */
static void order_by_theta(double p_by_theta[N], const pov_normalised *normalised, double axis_deg)
{
    int first = (int)lround(axis_deg / POV_CURVE_STEP_DEG) + N / 2;
    for (int i = 0; i < N; i++)
        p_by_theta[i] = normalised->p[(first + i) % N];
}

void pov_curve_measure_all(double measures[POV_CURVE_MEASURES], const pov_curve *curve, double direction_deg,
                           double axis_deg, unsigned bit, pov_formulas formulas)
{
    pov_normalised normalised;
    double p_by_theta[N];
    pov_curve_normalise(&normalised, curve, formulas);
    for (int i = 0; i < POV_CURVE_MEASURES; i++)
        measures[i] = NAN;
    if (normalised.scored == 0 || isnan(direction_deg) || isnan(axis_deg))
        return;
    measure_references(measures, curve, &normalised, direction_deg, bit, formulas);
    order_by_theta(p_by_theta, &normalised, axis_deg);
    measures[POV_C_SYM] = asymmetry_of(p_by_theta);
    /* For eta the released scripts, too, drop the 37th sample before they stretch. */
    pov_curve_normalise(&normalised, curve, POV_FORMULAS_PAPER);
    order_by_theta(p_by_theta, &normalised, axis_deg);
    measures[POV_ETA] = noise_of(p_by_theta);
}

double pov_curve_opposition(const pov_normalised *relation, const pov_normalised *opposite)
{
    double sum2 = 0;
    int images = 0;
    for (int i = 0; i < N; i++) {
        double excess = relation->p[i] + opposite->p[i] - 1;
        if (isnan(excess))
            continue;
        sum2 += excess * excess;
        images++;
    }
    return images ? sqrt(sum2 / images) : NAN;
}

/* Sum of squares about the mean over the variants at one angle, and how many are scored. */
static double square_sum(const pov_normalised *variants, int len, int angle, int *scored)
{
    double sum = 0, sum2 = 0;
    *scored = 0;
    for (int i = 0; i < len; i++)
        if (!isnan(variants[i].p[angle])) {
            sum += variants[i].p[angle];
            ++*scored;
        }
    for (int i = 0; i < len; i++)
        if (!isnan(variants[i].p[angle])) {
            double difference = variants[i].p[angle] - sum / *scored;
            sum2 += difference * difference;
        }
    return sum2;
}

pov_deviation pov_curve_deviation(const pov_normalised *variants, int len)
{
    double sum2 = 0, sum_of_angles = 0;
    int samples = 0, angles = 0;
    for (int i = 0; i < N; i++) {
        int scored;
        double of_angle = square_sum(variants, len, i, &scored);
        if (scored < 2)
            continue;
        sum2 += of_angle;
        sum_of_angles += sqrt(of_angle / scored);
        samples += scored;
        angles++;
    }
    if (angles == 0)
        return (pov_deviation){NAN, NAN};
    return (pov_deviation){sqrt(sum2 / samples), sum_of_angles / angles};
}

/* ---- COMFORT's prompts (Zhang et al. 2025, Table 1) ---- */

POV_ENUM_NAMES(pov_prompt_name, pov_prompt, POV_PROMPT_COUNT, "nop", "cam", "add", "rel")

pov_reading pov_prompt_reading(pov_prompt prompt, pov_convention convention)
{
    static const pov_perspective perspectives[POV_PROMPT_COUNT] = {POV_EGOCENTRIC, POV_EGOCENTRIC,
                                                                   POV_ADDRESSEE, POV_INTRINSIC};
    return (pov_reading){perspectives[prompt], prompt == POV_PROMPT_RELATUM ? POV_NO_CONVENTION : convention};
}
