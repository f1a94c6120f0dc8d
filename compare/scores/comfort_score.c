#include "compare/scores/comfort_score.h"

#include "compare/statistics/name_set.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pov_comfort_scorer {
    pov_comfort_options options;
    int curves_max;
    const pov_comfort_curve **sorted; /* by relation, scene, repetition, variant */
    pov_normalised *normalised;       /* as sorted */
    /* Items are what is measured: curves, pairs of them, a scene's variants. */
    double *measured;    /* [column][item] */
    int *stratum, *unit; /* [item] */
    double *values;      /* [column][stratum][unit]: means over a unit's items */
    int *count;          /* [stratum][unit] */
    double (*turned)[POV_CURVE_SAMPLES];
    pov_bootstrap *bootstrap;
};

pov_comfort_scorer *pov_comfort_scorer_new(int curves_max, const pov_comfort_options *options)
{
    const size_t items = (size_t)curves_max + 1, cells = items * POV_STRATA_MAX;
    pov_comfort_scorer *made = pov_allocate(1, sizeof *made);
    POV_REQUIRE(curves_max < INT_MAX / POV_STRATA_MAX);
    made->options = *options;
    made->curves_max = curves_max;
    made->sorted = pov_allocate(items, sizeof *made->sorted);
    made->normalised = pov_allocate(items, sizeof *made->normalised);
    made->measured = pov_allocate(items * POV_COLUMNS_MAX, sizeof *made->measured);
    made->stratum = pov_allocate(items, sizeof *made->stratum);
    made->unit = pov_allocate(items, sizeof *made->unit);
    made->values = pov_allocate(cells * POV_COLUMNS_MAX, sizeof *made->values);
    made->count = pov_allocate(cells, sizeof *made->count);
    made->turned = pov_allocate(cells, sizeof *made->turned);
    made->bootstrap = pov_bootstrap_new(curves_max * POV_STRATA_MAX, &options->bootstrap);
    return made;
}

void pov_comfort_scorer_destroy(pov_comfort_scorer **scorer)
{
    if (!*scorer)
        return;
    free((*scorer)->sorted);
    free((*scorer)->normalised);
    free((*scorer)->measured);
    free((*scorer)->stratum);
    free((*scorer)->unit);
    free((*scorer)->values);
    free((*scorer)->count);
    free((*scorer)->turned);
    pov_bootstrap_destroy(&(*scorer)->bootstrap);
    free(*scorer);
    *scorer = NULL;
}

/* ---- order ---- */

static int compare_numbers(int a, int b)
{
    return (a > b) - (a < b);
}

static int compare_curves(const void *a, const void *b)
{
    const pov_comfort_curve *x = *(const pov_comfort_curve *const *)a;
    const pov_comfort_curve *y = *(const pov_comfort_curve *const *)b;
    int order = compare_numbers((int)x->relation, (int)y->relation);
    order = order ? order : compare_numbers(x->scene, y->scene);
    order = order ? order : compare_numbers(x->repetition, y->repetition);
    return order ? order : compare_numbers(x->variant, y->variant);
}

static void sort_curves(pov_comfort_scorer *scorer, const pov_comfort_curve *curves, int len)
{
    POV_REQUIRE(len <= scorer->curves_max);
    for (int i = 0; i < len; i++) {
        POV_REQUIRE(curves[i].relation >= POV_LEFT_OF && curves[i].relation <= POV_BEHIND);
        scorer->sorted[i] = &curves[i];
    }
    qsort(scorer->sorted, (size_t)len, sizeof *scorer->sorted, compare_curves);
}

static double *column_of(pov_comfort_scorer *scorer, int index)
{
    return scorer->measured + (size_t)index * (size_t)scorer->curves_max;
}

/* ---- units ---- */

/* Numbers the scenes of the sorted curves, variants apart or together, as the curves' units. Returns: how many there are. */
static int number_scenes(pov_comfort_scorer *scorer, int len, bool variants_apart)
{
    pov_name_set *scenes = pov_name_set_new();
    for (int i = 0; i < len; i++) {
        const pov_comfort_curve *curve = scorer->sorted[i];
        const int key[2] = {curve->scene, variants_apart ? curve->variant : 0};
        scorer->unit[i] = pov_name_set_add(scenes, key, sizeof key);
        scorer->stratum[i] = (int)curve->relation;
    }
    const int units = pov_name_set_len(scenes);
    pov_name_set_destroy(&scenes);
    return units;
}

static void fold_column(pov_comfort_scorer *scorer, double *values, const double *measured, int items,
                        int units, int strata)
{
    const int cells = units * strata;
    memset(scorer->count, 0, (size_t)cells * sizeof *scorer->count);
    memset(values, 0, (size_t)cells * sizeof *values);
    for (int i = 0; i < items; i++) {
        const int cell = scorer->stratum[i] * units + scorer->unit[i];
        if (isnan(measured[i]))
            continue;
        values[cell] += measured[i];
        scorer->count[cell]++;
    }
    for (int cell = 0; cell < cells; cell++)
        values[cell] = scorer->count[cell] > 0 ? values[cell] / scorer->count[cell] : NAN;
}

/* The means of each unit's items: its repetitions count once. */
static pov_sample fold_items(pov_comfort_scorer *scorer, int items, int units, int strata, int columns)
{
    const int stride = scorer->curves_max * POV_STRATA_MAX;
    for (int c = 0; c < columns; c++)
        fold_column(scorer, scorer->values + (size_t)c * (size_t)stride, column_of(scorer, c), items, units,
                    strata);
    return (pov_sample){
        .values = scorer->values, .columns = columns, .stride = stride, .units = units, .strata = strata};
}

/* The reading without its convention's turns: from its opposite eta counts. */
static double axis_deg(const pov_comfort_curve *curve, pov_reading reading)
{
    reading.convention = POV_TRANSLATED;
    return pov_curve_direction_deg(curve->relation, reading, curve->facings);
}

/* ---- measures of one curve ---- */

static void count_samples(pov_comfort_score *score, const pov_comfort_curve *curve, double direction_deg,
                          unsigned bit, pov_formulas formulas)
{
    double cosine[POV_CURVE_SAMPLES];
    bool hemisphere[POV_CURVE_SAMPLES];
    pov_curve_references(cosine, hemisphere, direction_deg);
    for (int i = 0; i < POV_CURVE_SAMPLES; i++) {
        const bool is_told = pov_curve_is_told(&curve->curve, i, cosine[i], bit, formulas);
        if (curve->curve.unasked[i])
            continue;
        score->samples++;
        score->unscored += isnan(curve->curve.p[i]);
        score->untold += !isnan(curve->curve.p[i]) && !is_told;
        if (!isnan(direction_deg) && is_told)
            pov_calibration_add(&score->calibration, curve->curve.p[i], hemisphere[i]);
    }
}

static void score_single(pov_comfort_scorer *scorer, pov_comfort_score *score, int len, pov_reading reading)
{
    pov_estimate overall[POV_CURVE_MEASURES], by_relation[POV_COMFORT_RELATIONS][POV_CURVE_MEASURES];
    for (int i = 0; i < len; i++) {
        const pov_comfort_curve *curve = scorer->sorted[i];
        double direction_deg = pov_curve_direction_deg(curve->relation, reading, curve->facings);
        double measures[POV_CURVE_MEASURES];
        pov_curve_measure_all(measures, &curve->curve, direction_deg, axis_deg(curve, reading),
                              pov_reading_bit(reading), scorer->options.formulas);
        pov_curve_normalise(&scorer->normalised[i], &curve->curve, scorer->options.formulas);
        for (int m = 0; m < POV_CURVE_MEASURES; m++)
            column_of(scorer, m)[i] = measures[m];
        score->constant += scorer->normalised[i].constant;
        count_samples(score, curve, direction_deg, pov_reading_bit(reading), scorer->options.formulas);
    }
    score->scenes = number_scenes(scorer, len, true);
    const pov_sample sample =
        fold_items(scorer, len, score->scenes, POV_COMFORT_RELATIONS, POV_CURVE_MEASURES);
    pov_bootstrap_means(scorer->bootstrap, overall, &by_relation[0][0], &sample);
    memcpy(score->overall, overall, sizeof overall);
    for (int r = 0; r < POV_COMFORT_RELATIONS; r++)
        memcpy(score->by_relation[r], by_relation[r], sizeof by_relation[r]);
}

/* ---- sigma: an item is a scene's variants in one repetition, a unit the scene ---- */

static bool are_variants(const pov_comfort_curve *a, const pov_comfort_curve *b)
{
    return a->relation == b->relation && a->scene == b->scene && a->repetition == b->repetition;
}

static void score_sigma(pov_comfort_scorer *scorer, pov_comfort_score *score, int len)
{
    pov_estimate overall[2], by_relation[POV_COMFORT_RELATIONS][2];
    const int units = number_scenes(scorer, len, false);
    int items = 0;
    for (int i = 0, end; i < len; i = end) {
        for (end = i + 1; end < len && are_variants(scorer->sorted[end], scorer->sorted[i]);)
            end++;
        pov_deviation deviation = pov_curve_deviation(&scorer->normalised[i], end - i);
        column_of(scorer, 0)[items] = deviation.pooled;
        column_of(scorer, 1)[items] = deviation.of_angles;
        scorer->stratum[items] = scorer->stratum[i];
        scorer->unit[items++] = scorer->unit[i];
    }
    const pov_sample sample = fold_items(scorer, items, units, POV_COMFORT_RELATIONS, 2);
    pov_bootstrap_means(scorer->bootstrap, overall, &by_relation[0][0], &sample);
    score->overall[POV_SIGMA] = overall[0];
    score->sigma_of_angles = overall[1].mean;
    for (int r = 0; r < POV_COMFORT_RELATIONS; r++)
        score->by_relation[r][POV_SIGMA] = by_relation[r][0];
}

/* ---- c_opp: an item is a pair of opposite relations, a stratum an axis ---- */

enum { LATERAL, SAGITTAL, AXES };

/* The curve of `relation` in the same scene, variant and repetition as another's, or NULL. */
static const pov_normalised *find_opposite(const pov_comfort_scorer *scorer, int len,
                                           const pov_comfort_curve *curve, pov_relation relation)
{
    pov_comfort_curve wanted = {.scene = curve->scene,
                                .variant = curve->variant,
                                .repetition = curve->repetition,
                                .relation = relation};
    const pov_comfort_curve *key = &wanted;
    const pov_comfort_curve **found = bsearch(&key, scorer->sorted, (size_t)len, sizeof key, compare_curves);
    return found ? &scorer->normalised[found - scorer->sorted] : NULL;
}

static void score_opposition(pov_comfort_scorer *scorer, pov_comfort_score *score, int len)
{
    static const pov_relation first[AXES] = {POV_LEFT_OF, POV_IN_FRONT_OF};
    static const pov_relation second[AXES] = {POV_RIGHT_OF, POV_BEHIND};
    pov_estimate by_axis[AXES];
    const int units = number_scenes(scorer, len, true);
    int items = 0;
    for (int i = 0; i < len; i++)
        for (int axis = 0; axis < AXES; axis++) {
            if (scorer->sorted[i]->relation != first[axis])
                continue;
            const pov_normalised *opposite = find_opposite(scorer, len, scorer->sorted[i], second[axis]);
            column_of(scorer, 0)[items] =
                opposite ? pov_curve_opposition(&scorer->normalised[i], opposite) : NAN;
            scorer->stratum[items] = axis;
            scorer->unit[items++] = scorer->unit[i];
        }
    const pov_sample sample = fold_items(scorer, items, units, AXES, 1);
    pov_bootstrap_means(scorer->bootstrap, &score->overall[POV_C_OPP], by_axis, &sample);
    for (int axis = 0; axis < AXES; axis++) {
        score->by_relation[first[axis]][POV_C_OPP] = by_axis[axis];
        score->by_relation[second[axis]][POV_C_OPP] = by_axis[axis];
    }
}

void pov_comfort_score_curves(pov_comfort_scorer *scorer, pov_comfort_score *score,
                              const pov_comfort_curve *curves, int len, pov_reading reading)
{
    sort_curves(scorer, curves, len);
    *score = (pov_comfort_score){.curves = len};
    score_single(scorer, score, len, reading);
    score_sigma(scorer, score, len);
    score_opposition(scorer, score, len);
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

/* Adds a curve's share of the mean eps_cos, turned by each step. */
static void add_turned(double turned[POV_CURVE_SAMPLES], const pov_normalised *normalised, double share,
                       pov_formulas formulas)
{
    for (int i = 0; i < POV_CURVE_SAMPLES; i++)
        turned[i] += share * pov_curve_eps_cosine(normalised, i * (double)POV_CURVE_STEP_DEG, formulas);
}

/* Turned at random, a scene takes each step in turn: means and variances of all scenes add up. With too few scenes for a test each
 *  curve is turned by itself: a measure of its direction, but no test. */
static void fill_aimless(pov_comfort_scorer *scorer, pov_preference *preference, const pov_sample *sample,
                         int len)
{
    const double *compared = column_of(scorer, preference->best);
    const bool by_scene = sample->units >= POV_SCENES_TESTED_MIN;
    const int cells = sample->units * sample->strata;
    int units[POV_COMFORT_RELATIONS], relations = 0;
    double variance = 0;
    for (int r = 0; r < POV_COMFORT_RELATIONS; r++) {
        units[r] = pov_sample_mean(sample, r, preference->best).n;
        relations += units[r] > 0;
    }
    memset(scorer->turned, 0, (size_t)cells * sizeof *scorer->turned);
    fold_column(scorer, scorer->values, compared, len, sample->units, sample->strata); /* counts */
    for (int i = 0; i < len; i++) {
        const int r = scorer->stratum[i], cell = r * sample->units + scorer->unit[i];
        if (!isnan(compared[i]))
            add_turned(scorer->turned[by_scene ? scorer->unit[i] : cell], &scorer->normalised[i],
                       1.0 / ((double)scorer->count[cell] * units[r] * relations), scorer->options.formulas);
    }
    preference->aimless = 0;
    for (int cell = 0; cell < cells; cell++) {
        double sum = 0, sum2 = 0;
        for (int i = 0; i < POV_CURVE_SAMPLES; i++) {
            sum += scorer->turned[cell][i];
            sum2 += scorer->turned[cell][i] * scorer->turned[cell][i];
        }
        preference->aimless += sum / POV_CURVE_SAMPLES;
        variance += fmax(0, sum2 / POV_CURVE_SAMPLES - sum / POV_CURVE_SAMPLES * (sum / POV_CURVE_SAMPLES));
    }
    preference->aimless_std = sqrt(variance);
}

/* True if the best reading fits better than the same scenes would if they told no direction. */
static bool tells_direction(const pov_preference *preference)
{
    static const double deviations = 2.05; /* one-sided, P = 0.02 */
    return preference->best >= 0 && preference->eps_cosine[preference->best].mean <
                                        preference->aimless - deviations * preference->aimless_std;
}

pov_preferred pov_preference_verdict(const pov_preference *preference)
{
    bool has_other = false;
    if (!tells_direction(preference))
        return POV_PREFERS_AIMLESS;
    for (int k = 0; k < preference->len; k++)
        has_other |= !preference->is_best[k] && !isnan(preference->eps_cosine[k].mean);
    return !has_other                                   ? POV_PREFERS_NONE
           : preference->scenes < POV_SCENES_TESTED_MIN ? POV_PREFERS_UNTESTED
           : preference->significant                    ? POV_PREFERS
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

/* True if two readings have the same direction in every compared curve. */
static bool are_same(const pov_comfort_scorer *scorer, const pov_preference *wide, int one, int other)
{
    for (int i = 0; i < wide->curves; i++) {
        const pov_comfort_curve *curve = scorer->sorted[i];
        const double difference =
            pov_curve_direction_deg(curve->relation, wide->reading[one], curve->facings) -
            pov_curve_direction_deg(curve->relation, wide->reading[other], curve->facings);
        if (!(fabs(difference) < 1e-9))
            return false;
    }
    return true;
}

void pov_comfort_prefer_among(pov_comfort_scorer *scorer, pov_preference *narrowed,
                              const pov_preference *preference, const int *which, int count)
{
    pov_preference wide = *preference;
    *narrowed = (pov_preference){.len = count,
                                 .best = -1,
                                 .scenes = wide.scenes,
                                 .curves = wide.curves,
                                 .aimless = wide.aimless,
                                 .aimless_std = wide.aimless_std};
    for (int k = 0; k < count; k++) {
        POV_REQUIRE(which[k] >= 0 && which[k] < wide.len);
        narrowed->reading[k] = wide.reading[which[k]];
        narrowed->eps_cosine[k] = wide.eps_cosine[which[k]];
        for (int r = 0; r < POV_COMFORT_RELATIONS; r++)
            narrowed->by_relation[r][k] = wide.by_relation[r][which[k]];
    }
    narrowed->best = find_smallest(narrowed->eps_cosine, count);
    narrowed->significant = narrowed->best >= 0 && wide.scenes >= POV_SCENES_TESTED_MIN;
    for (int k = 0; k < count && narrowed->best >= 0; k++) {
        pov_estimate *margin = &narrowed->margin[k];
        *margin =
            pov_bootstrap_difference(scorer->bootstrap, wide.eps_cosine, which[k], which[narrowed->best]);
        narrowed->is_best[k] =
            k == narrowed->best ||
            (!isnan(margin->mean) && are_same(scorer, &wide, which[k], which[narrowed->best]));
        if (!narrowed->is_best[k] && !isnan(margin->mean))
            narrowed->significant &= margin->low > 0;
    }
}

void pov_comfort_prefer(pov_comfort_scorer *scorer, pov_preference *preference,
                        const pov_comfort_curve *curves, int len, const pov_reading *readings, int count)
{
    static const int all[POV_READINGS_MAX] = {0, 1, 2, 3, 4, 5, 6};
    POV_REQUIRE(count > 0 && count <= POV_READINGS_MAX);
    sort_curves(scorer, curves, len);
    *preference = (pov_preference){.len = count, .best = -1, .curves = len};
    memcpy(preference->reading, readings, (size_t)count * sizeof *readings);
    fill_errors(scorer, preference, len);
    const int units = number_scenes(scorer, len, true);
    const pov_sample sample = fold_items(scorer, len, units, POV_COMFORT_RELATIONS, count);
    pov_bootstrap_means(scorer->bootstrap, preference->eps_cosine, NULL, &sample);
    for (int r = 0; r < POV_COMFORT_RELATIONS; r++)
        for (int k = 0; k < count; k++)
            preference->by_relation[r][k] = pov_sample_mean(&sample, r, k).mean;
    preference->best = find_smallest(preference->eps_cosine, count);
    if (preference->best >= 0) {
        preference->scenes = preference->eps_cosine[preference->best].n;
        fill_aimless(scorer, preference, &sample, len);
    }
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
