#include "compare/scores/comfort_score.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pov_comfort_scorer {
    pov_comfort_options options;
    int curves_max;
    const pov_comfort_curve **sorted; /* by relation, scene, variant */
    pov_normalised *normalised;       /* as sorted */
    double *values;                   /* [column][unit] */
    pov_bootstrap *bootstrap;
};

pov_comfort_scorer *pov_comfort_scorer_new(int curves_max, const pov_comfort_options *options)
{
    const size_t units = (size_t)curves_max + 1;
    pov_comfort_scorer *made = pov_allocate(1, sizeof *made);
    made->options = *options;
    made->curves_max = curves_max;
    made->sorted = pov_allocate(units, sizeof *made->sorted);
    made->normalised = pov_allocate(units, sizeof *made->normalised);
    made->values = pov_allocate(units * POV_COLUMNS_MAX, sizeof *made->values);
    made->bootstrap = pov_bootstrap_new(curves_max, &options->bootstrap);
    return made;
}

void pov_comfort_scorer_destroy(pov_comfort_scorer **scorer)
{
    if (!*scorer)
        return;
    free((*scorer)->sorted);
    free((*scorer)->normalised);
    free((*scorer)->values);
    pov_bootstrap_destroy(&(*scorer)->bootstrap);
    free(*scorer);
    *scorer = NULL;
}

/* ---- order ---- */

static int compare_curves(const void *a, const void *b)
{
    const pov_comfort_curve *x = *(const pov_comfort_curve *const *)a;
    const pov_comfort_curve *y = *(const pov_comfort_curve *const *)b;
    if (x->relation != y->relation)
        return x->relation < y->relation ? -1 : 1;
    if (x->scene != y->scene)
        return x->scene < y->scene ? -1 : 1;
    return (x->variant > y->variant) - (x->variant < y->variant);
}

/* Sorts the curves; a relation is a stratum. */
static pov_sample sort_curves(pov_comfort_scorer *scorer, const pov_comfort_curve *curves, int len)
{
    pov_sample sample = {
        .values = scorer->values, .stride = scorer->curves_max, .strata = POV_COMFORT_RELATIONS};
    POV_REQUIRE(len <= scorer->curves_max);
    for (int i = 0; i < len; i++) {
        POV_REQUIRE(curves[i].relation >= POV_LEFT_OF && curves[i].relation <= POV_BEHIND);
        scorer->sorted[i] = &curves[i];
        for (int relation = curves[i].relation; relation < POV_COMFORT_RELATIONS; relation++)
            sample.end[relation]++;
    }
    qsort(scorer->sorted, (size_t)len, sizeof *scorer->sorted, compare_curves);
    return sample;
}

static double *column_of(pov_comfort_scorer *scorer, int index)
{
    return scorer->values + (size_t)index * (size_t)scorer->curves_max;
}

/* The reading without its convention's turns: from its opposite eta counts. */
static double axis_deg(const pov_comfort_curve *curve, pov_reading reading)
{
    reading.convention = POV_TRANSLATED;
    return pov_curve_direction_deg(curve->relation, reading, curve->facings);
}

/* ---- measures of one curve ---- */

static void count_samples(pov_comfort_score *score, const pov_comfort_curve *curve, double direction_deg,
                          pov_formulas formulas)
{
    double cosine[POV_CURVE_SAMPLES];
    bool hemisphere[POV_CURVE_SAMPLES];
    pov_curve_references(cosine, hemisphere, direction_deg);
    for (int i = 0; i < POV_CURVE_SAMPLES; i++) {
        const bool is_told = pov_curve_is_told(&curve->curve, i, cosine[i], formulas);
        score->samples++;
        score->unscored += isnan(curve->curve.p[i]);
        score->untold += !isnan(curve->curve.p[i]) && !is_told;
        if (!isnan(direction_deg) && is_told)
            pov_calibration_add(&score->calibration, curve->curve.p[i], hemisphere[i]);
    }
}

static void score_single(pov_comfort_scorer *scorer, pov_comfort_score *score, pov_sample sample,
                         pov_reading reading)
{
    int len = sample.end[POV_COMFORT_RELATIONS - 1];
    pov_estimate overall[POV_CURVE_MEASURES], by_relation[POV_COMFORT_RELATIONS][POV_CURVE_MEASURES];
    for (int i = 0; i < len; i++) {
        const pov_comfort_curve *curve = scorer->sorted[i];
        double direction_deg = pov_curve_direction_deg(curve->relation, reading, curve->facings);
        double measures[POV_CURVE_MEASURES];
        pov_curve_measure_all(measures, &curve->curve, direction_deg, axis_deg(curve, reading),
                              scorer->options.formulas);
        pov_curve_normalise(&scorer->normalised[i], &curve->curve, scorer->options.formulas);
        for (int m = 0; m < POV_CURVE_MEASURES; m++)
            column_of(scorer, m)[i] = measures[m];
        score->constant += scorer->normalised[i].constant;
        count_samples(score, curve, direction_deg, scorer->options.formulas);
    }
    sample.columns = POV_CURVE_MEASURES;
    pov_bootstrap_means(scorer->bootstrap, overall, &by_relation[0][0], &sample);
    memcpy(score->overall, overall, sizeof overall);
    for (int r = 0; r < POV_COMFORT_RELATIONS; r++)
        memcpy(score->by_relation[r], by_relation[r], sizeof by_relation[r]);
}

/* ---- sigma: a unit is a scene ---- */

static void score_sigma(pov_comfort_scorer *scorer, pov_comfort_score *score, const pov_sample *curves)
{
    pov_sample sample = *curves;
    pov_estimate overall[2], by_relation[POV_COMFORT_RELATIONS][2];
    int units = 0, end = 0;
    for (int r = 0; r < POV_COMFORT_RELATIONS; r++) {
        for (int i = end; i < curves->end[r]; i = end) {
            for (end = i; end < curves->end[r] && scorer->sorted[end]->scene == scorer->sorted[i]->scene;)
                end++;
            pov_deviation deviation = pov_curve_deviation(&scorer->normalised[i], end - i);
            column_of(scorer, 0)[units] = deviation.pooled;
            column_of(scorer, 1)[units++] = deviation.of_angles;
        }
        sample.end[r] = units;
    }
    sample.columns = 2;
    pov_bootstrap_means(scorer->bootstrap, overall, &by_relation[0][0], &sample);
    score->overall[POV_SIGMA] = overall[0];
    score->sigma_of_angles = overall[1].mean;
    for (int r = 0; r < POV_COMFORT_RELATIONS; r++)
        score->by_relation[r][POV_SIGMA] = by_relation[r][0];
}

/* ---- c_opp: a unit is a pair of opposite relations ---- */

enum { LATERAL, SAGITTAL, AXES };

/* The curve of `relation` in the same scene and variant as another's, or NULL. */
static const pov_normalised *find_opposite(const pov_comfort_scorer *scorer, const pov_sample *curves,
                                           const pov_comfort_curve *curve, pov_relation relation)
{
    int low = relation ? curves->end[relation - 1] : 0, high = curves->end[relation];
    pov_comfort_curve wanted = {.scene = curve->scene, .variant = curve->variant, .relation = relation};
    const pov_comfort_curve *key = &wanted;
    const pov_comfort_curve **found =
        bsearch(&key, scorer->sorted + low, (size_t)(high - low), sizeof key, compare_curves);
    return found ? &scorer->normalised[found - scorer->sorted] : NULL;
}

static void score_opposition(pov_comfort_scorer *scorer, pov_comfort_score *score, const pov_sample *curves)
{
    static const pov_relation first[AXES] = {POV_LEFT_OF, POV_IN_FRONT_OF};
    static const pov_relation second[AXES] = {POV_RIGHT_OF, POV_BEHIND};
    pov_sample sample = {
        .values = scorer->values, .stride = scorer->curves_max, .columns = 1, .strata = AXES};
    pov_estimate by_axis[AXES];
    int units = 0;
    for (int axis = 0; axis < AXES; axis++) {
        for (int i = first[axis] ? curves->end[first[axis] - 1] : 0; i < curves->end[first[axis]]; i++) {
            const pov_normalised *opposite = find_opposite(scorer, curves, scorer->sorted[i], second[axis]);
            if (opposite)
                column_of(scorer, 0)[units++] = pov_curve_opposition(&scorer->normalised[i], opposite);
        }
        sample.end[axis] = units;
    }
    pov_bootstrap_means(scorer->bootstrap, &score->overall[POV_C_OPP], by_axis, &sample);
    for (int axis = 0; axis < AXES; axis++) {
        score->by_relation[first[axis]][POV_C_OPP] = by_axis[axis];
        score->by_relation[second[axis]][POV_C_OPP] = by_axis[axis];
    }
}

void pov_comfort_score_curves(pov_comfort_scorer *scorer, pov_comfort_score *score,
                              const pov_comfort_curve *curves, int len, pov_reading reading)
{
    pov_sample sample = sort_curves(scorer, curves, len);
    *score = (pov_comfort_score){.curves = len};
    score_single(scorer, score, sample, reading);
    score_sigma(scorer, score, &sample);
    score_opposition(scorer, score, &sample);
}

/* ---- preference ---- */

/* eps_cos by each reading. A curve that lacks a reading that another has is made NaN in all. */
static void fill_errors(pov_comfort_scorer *scorer, const pov_preference *preference, int len)
{
    bool allowed[POV_READINGS_MAX] = {false};
    pov_formulas formulas = scorer->options.formulas;
    for (int i = 0; i < len; i++) {
        const pov_comfort_curve *curve = scorer->sorted[i];
        pov_curve_normalise(&scorer->normalised[i], &curve->curve, formulas);
        for (int k = 0; k < preference->len; k++) {
            double direction_deg =
                pov_curve_direction_deg(curve->relation, preference->reading[k], curve->facings);
            double error = pov_curve_eps_cosine(&scorer->normalised[i], direction_deg, formulas);
            column_of(scorer, k)[i] = error;
            allowed[k] |= !isnan(error);
        }
    }
    for (int i = 0; i < len; i++) {
        bool complete = true;
        for (int k = 0; k < preference->len; k++)
            complete &= !allowed[k] || !isnan(column_of(scorer, k)[i]);
        for (int k = 0; !complete && k < preference->len; k++)
            column_of(scorer, k)[i] = NAN;
    }
}

/* Turned at random, a curve's eps_cos takes each direction's in turn: mean and variance. */
static void turn_at_random(const pov_normalised *normalised, double *mean, double *variance,
                           pov_formulas formulas)
{
    double sum = 0, sum2 = 0;
    for (int i = 0; i < POV_CURVE_SAMPLES; i++) {
        const double error = pov_curve_eps_cosine(normalised, i * (double)POV_CURVE_STEP_DEG, formulas);
        sum += error;
        sum2 += error * error;
    }
    *mean = sum / POV_CURVE_SAMPLES;
    *variance = fmax(0, sum2 / POV_CURVE_SAMPLES - *mean * *mean);
}

/* The mean over the compared curves, then over relations. */
static void fill_aimless(pov_comfort_scorer *scorer, pov_preference *preference, const pov_sample *curves)
{
    double sum = 0, sum_variance = 0;
    int relations = 0;
    for (int r = 0; r < POV_COMFORT_RELATIONS; r++) {
        double of_relation = 0, variance_of_relation = 0;
        int n = 0;
        for (int i = r ? curves->end[r - 1] : 0; i < curves->end[r]; i++) {
            double mean, variance;
            if (isnan(column_of(scorer, preference->best)[i]))
                continue;
            turn_at_random(&scorer->normalised[i], &mean, &variance, scorer->options.formulas);
            of_relation += mean;
            variance_of_relation += variance;
            n++;
        }
        if (n > 0) {
            sum += of_relation / n;
            sum_variance += variance_of_relation / ((double)n * n);
            relations++;
        }
    }
    preference->aimless = sum / relations;
    preference->aimless_std = sqrt(sum_variance) / relations;
}

/* True if the best reading fits better than the same curves would if they told no direction. */
static bool tells_direction(const pov_preference *preference)
{
    static const double deviations = 2.05; /* one-sided, P = 0.02 */
    return preference->best >= 0 && preference->eps_cosine[preference->best].mean <
                                        preference->aimless - deviations * preference->aimless_std;
}

pov_preferred pov_preference_verdict(const pov_preference *preference)
{
    bool has_margin = false, has_other = false;
    if (!tells_direction(preference))
        return POV_PREFERS_AIMLESS;
    for (int k = 0; k < preference->len; k++) {
        has_other |= k != preference->best && !isnan(preference->eps_cosine[k].mean);
        has_margin |= k != preference->best && !isnan(preference->margin[k].low);
    }
    return preference->significant && has_margin ? POV_PREFERS
           : has_other && !has_margin            ? POV_PREFERS_UNTESTED
                                                 : POV_PREFERS_NONE;
}

static int find_smallest(const pov_estimate *estimates, int len)
{
    int best = -1;
    for (int k = 0; k < len; k++)
        if (!isnan(estimates[k].mean) && (best < 0 || estimates[k].mean < estimates[best].mean))
            best = k;
    return best;
}

void pov_comfort_prefer_among(const pov_comfort_scorer *scorer, pov_preference *narrowed,
                              const pov_preference *preference, const int *which, int count)
{
    pov_preference wide = *preference;
    *narrowed =
        (pov_preference){.len = count, .best = -1, .aimless = wide.aimless, .aimless_std = wide.aimless_std};
    for (int k = 0; k < count; k++) {
        POV_REQUIRE(which[k] >= 0 && which[k] < wide.len);
        narrowed->reading[k] = wide.reading[which[k]];
        narrowed->eps_cosine[k] = wide.eps_cosine[which[k]];
        for (int r = 0; r < POV_COMFORT_RELATIONS; r++)
            narrowed->by_relation[r][k] = wide.by_relation[r][which[k]];
    }
    narrowed->best = find_smallest(narrowed->eps_cosine, count);
    narrowed->significant = narrowed->best >= 0;
    for (int k = 0; k < count && narrowed->best >= 0; k++) {
        pov_estimate *margin = &narrowed->margin[k];
        *margin =
            pov_bootstrap_difference(scorer->bootstrap, wide.eps_cosine, which[k], which[narrowed->best]);
        if (k != narrowed->best && !isnan(margin->mean))
            narrowed->significant &= margin->low > 0;
    }
}

void pov_comfort_prefer(pov_comfort_scorer *scorer, pov_preference *preference,
                        const pov_comfort_curve *curves, int len, const pov_reading *readings, int count)
{
    static const int all[POV_READINGS_MAX] = {0, 1, 2, 3, 4, 5, 6};
    pov_sample sample = sort_curves(scorer, curves, len);
    POV_REQUIRE(count > 0 && count <= POV_READINGS_MAX);
    *preference = (pov_preference){.len = count, .best = -1};
    memcpy(preference->reading, readings, (size_t)count * sizeof *readings);
    fill_errors(scorer, preference, len);
    sample.columns = count;
    pov_bootstrap_means(scorer->bootstrap, preference->eps_cosine, NULL, &sample);
    for (int r = 0; r < POV_COMFORT_RELATIONS; r++)
        for (int k = 0; k < count; k++)
            preference->by_relation[r][k] = pov_sample_mean(&sample, r, k).mean;
    preference->best = find_smallest(preference->eps_cosine, count);
    if (preference->best >= 0)
        fill_aimless(scorer, preference, &sample);
    pov_comfort_prefer_among(scorer, preference, preference, all, count);
}

/* ---- object presence ---- */

void pov_presence_add(pov_presence *presence, double p, bool present)
{
    if (isnan(p))
        presence->unscored++;
    else if (p >= 0.5)
        present ? presence->true_yes++ : presence->false_yes++;
    else
        present ? presence->false_no++ : presence->true_no++;
}

double pov_presence_f1(const pov_presence *presence)
{
    int sum = 2 * presence->true_yes + presence->false_yes + presence->false_no;
    return sum ? 2.0 * presence->true_yes / sum : NAN;
}
