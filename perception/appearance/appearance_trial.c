#include "perception/appearance/appearance_trial.h"

#include "perception/appearance/appearance_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double most_doubt = 125, doubt_step = 0.2, score_slack = 0.001;
enum { DOUBTS = 7, ORDER_MAX = POV_HEADING_MODES_MAX, TURNS = 36 };

static const double share_within =
    0.98; /* of errors, that two standard deviations are to hold: few are tried */
static const double right_within_rad = 15 * POV_PI / 180, least_weight = 0.01;
static const double alike_weight_min = 0.1;
static const double least_difference = 0.5; /* mean square in units of weight: nobody tells that */
static const double alike_difference = 4;   /* times the usual residual */

typedef struct {
    pov_appearance_data *fold; /* the data with half of its views */
    pov_likeness *answers;
} work;

/* Every second view: those of even index, or those of odd. */
static void halve(pov_appearance_data *fold, const pov_appearance_data *data, int parity)
{
    memcpy(fold, data, sizeof *fold);
    fold->view_len = 0;
    for (int i = parity; i < data->view_len; i += 2) {
        const int k = fold->view_len++;
        fold->angle_rad[k] = data->angle_rad[i];
        memcpy(fold->box[k], data->box[i], sizeof fold->box[k]);
        memcpy(fold->place[k], data->place[i], sizeof fold->place[k]);
    }
}

/* Each half is asked about the other. What looks alike is then either known from both sides or from none; with single views
 * left out, the one that is known would always win. */
static pov_status ask_each(work *w, const pov_appearance_data *data, const pov_view *views)
{
    for (int parity = 0; parity < 2; parity++) {
        pov_appearance *appearance;
        halve(w->fold, data, parity);
        POV_TRY(pov_appearance_new(&appearance, w->fold));
        for (int i = 1 - parity; i < data->view_len; i += 2)
            pov_appearance_match(appearance, &w->answers[i], &views[i].patch);
        pov_appearance_destroy(&appearance);
    }
    return pov_ok();
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(double *values, int len, double share)
{
    qsort(values, (size_t)len, sizeof *values, by_size);
    return values[(int)fmin(len - 1, share * len)];
}

static void fit_residual(pov_appearance_data *data, const work *w)
{
    double residual[POV_VIEW_MAX], unexplained[POV_VIEW_MAX];
    for (int i = 0; i < data->view_len; i++) {
        residual[i] = w->answers[i].residual;
        unexplained[i] = w->answers[i].unexplained;
    }
    data->residual = fmax(1e-3, quantile(residual, data->view_len, 0.5));
    data->unexplained = fmin(0.1, fmax(1e-3, quantile(unexplained, data->view_len, 0.9)));
}

/* Error of the mode nearest to the truth, in what was said of it but for the least that is always said. */
static double nearest_error(const pov_heading *heading, double angle_rad, double least_rad)
{
    double nearest = right_within_rad, error = INFINITY;
    for (int i = 0; i < heading->len; i++) {
        const double off = fabs(remainder(heading->mode[i].yaw_rad - angle_rad, 2 * POV_PI));
        if (off < nearest) {
            nearest = off;
            error = off / sqrt(fmax(1e-12, 1 / heading->mode[i].kappa - least_rad * least_rad));
        }
    }
    return error;
}

/* Views taken for quite another angle are not counted: that is for `doubt`. */
static void fit_widening(pov_appearance_data *data, const work *w)
{
    double error[POV_VIEW_MAX], squares = 0;
    int len = 0;
    for (int i = 0; i < data->view_len; i++) {
        const double off = nearest_error(&w->answers[i].view, data->angle_rad[i], POV_APPEARANCE_LEAST_STD);
        if (isfinite(off))
            squares += (error[len++] = off) * off;
    }
    if (len == 0)
        return;
    const double usual = sqrt(squares / len), most = quantile(error, len, share_within);
    data->widening = fmax(1, fmax(0.5 * most, fmin(usual, most)));
}

/* How much was given, on average, to the mode that is right: mean logarithm. */
static double score(const pov_appearance_data *data, const work *w)
{
    double sum = 0;
    for (int i = 0; i < data->view_len; i++) {
        const pov_heading *heading = &w->answers[i].view;
        double right = 0;
        for (int k = 0; k < heading->len; k++)
            if (fabs(remainder(heading->mode[k].yaw_rad - data->angle_rad[i], 2 * POV_PI)) < right_within_rad)
                right += heading->mode[k].weight;
        sum += log(fmax(right, least_weight)) / data->view_len;
    }
    return sum;
}

/* The largest that tells the right views about as well as any: with two that look alike, whichever was left out must not be
 * ruled out. */
static pov_status fit_doubt(work *w, pov_appearance_data *data, const pov_view *views)
{
    double scores[DOUBTS], doubts[DOUBTS], best = -INFINITY;
    for (int i = 0; i < DOUBTS; i++) {
        data->doubt = doubts[i] = data->widening * data->widening * most_doubt * pow(doubt_step, i);
        POV_TRY(ask_each(w, data, views));
        scores[i] = score(data, w);
        best = fmax(best, scores[i]);
    }
    int chosen = 0;
    while (scores[chosen] < best - score_slack)
        chosen++;
    data->doubt = doubts[chosen];
    return pov_ok();
}

/* ---- symmetry ---- */

/* Mean square difference between the curve and itself turned, in units of weight. */
static double difference(const pov_appearance *a, curve_point *here, curve_point *there, double turn_rad)
{
    double sum = 0;
    for (int i = 0; i < TURNS; i++) {
        const double angle = i * 2 * POV_PI / TURNS;
        pov_appearance_at(a, here, angle);
        pov_appearance_at(a, there, angle + turn_rad);
        for (int j = 0; j < POV_PATCH_AREA; j++) {
            const double off = (double)(a->weight[j] * (here->light[j] - there->light[j]));
            sum += off * off / (POV_PATCH_AREA * TURNS);
        }
        for (int k = 2; k < POV_APPEARANCE_BOX; k++) { /* a wider or higher silhouette is a difference too */
            const double off = 100 * (here->box[k] - there->box[k]);
            sum += off * off / TURNS;
        }
    }
    return sum;
}

static bool is_alike(const pov_appearance *a, double turn_rad)
{
    curve_point here, there;
    return difference(a, &here, &there, turn_rad) <= alike_difference * fmax(a->residual, least_difference);
}

static int symmetry_of(const pov_appearance *a)
{
    bool all = true;
    for (int i = 1; i <= TURNS / 2 && all; i++)
        all = is_alike(a, i * 2 * POV_PI / TURNS);
    if (all)
        return POV_SYMMETRY_ALL;
    for (int order = ORDER_MAX; order > 1; order--) {
        bool same = true;
        for (int i = 1; i <= order / 2 && same; i++)
            same = is_alike(a, i * 2 * POV_PI / order);
        if (same)
            return order;
    }
    return 1;
}

static pov_status find_symmetry(pov_appearance_data *data)
{
    pov_appearance *appearance;
    POV_TRY(pov_appearance_new(&appearance, data));
    data->symmetry = symmetry_of(appearance);
    pov_appearance_destroy(&appearance);
    return pov_ok();
}

/* ---- the report ---- */

static pov_trial_view view_of(const pov_likeness *answer, double angle_rad)
{
    const pov_heading *heading = &answer->view;
    pov_trial_view view = {angle_rad, POV_PI, POV_PI, NAN, 0};
    if (heading->len == 0)
        return view;
    view.error_rad = remainder(heading->mode[0].yaw_rad - angle_rad, 2 * POV_PI);
    view.std_rad = 1 / sqrt(heading->mode[0].kappa);
    if (heading->len > 1 && heading->mode[1].weight >= alike_weight_min) {
        const double second_rad = remainder(heading->mode[1].yaw_rad - angle_rad, 2 * POV_PI);
        const bool first_is_off = fabs(view.error_rad) > fabs(second_rad);
        const pov_heading_mode *other = &heading->mode[first_is_off ? 0 : 1];
        view.alike_rad = other->yaw_rad;
        view.alike_weight = other->weight;
    }
    return view;
}

static double turn_from(const pov_appearance_data *data, int i)
{
    const double next = i + 1 < data->view_len ? data->angle_rad[i + 1] : data->angle_rad[0] + 2 * POV_PI;
    return next - data->angle_rad[i];
}

/* Turned by one of its symmetries an object looks the same, and is. */
static double error_but_symmetry(const pov_appearance_data *data, double error_rad)
{
    return data->symmetry > 1 ? remainder(error_rad, 2 * POV_PI / data->symmetry) : error_rad;
}

static void report(pov_appearance_data *data, pov_trial *trial, const work *w)
{
    double sum = 0, worst = 0;
    int within = 0, told = 0;
    trial->len = data->view_len;
    trial->widest_gap_rad = 0;
    for (int i = 0; i < trial->len; i++)
        trial->widest_gap_rad = fmax(trial->widest_gap_rad, turn_from(data, i));
    for (int i = 0; i < trial->len; i++) {
        trial->views[i] = view_of(&w->answers[i], data->angle_rad[i]);
        const double error = fabs(error_but_symmetry(data, trial->views[i].error_rad));
        const bool is_told = error <= 2 * trial->widest_gap_rad;
        told += is_told;
        sum += is_told ? error : 0;
        worst = fmax(worst, error);
        within += nearest_error(&w->answers[i].view, data->angle_rad[i], 0) <= 2;
    }
    trial->within_two_std = within / (double)trial->len;
    trial->mixed_up = trial->len - told;
    data->expected_error_rad = data->symmetry == POV_SYMMETRY_ALL || told == 0 ? NAN : sum / told;
    data->worst_error_rad = data->symmetry == POV_SYMMETRY_ALL ? NAN : worst;
}

static pov_status try_with(work *w, pov_appearance_data *data, pov_trial *trial, const pov_view *views)
{
    data->widening = data->doubt = data->residual = 1;
    POV_TRY(ask_each(w, data, views));
    fit_residual(data, w);
    POV_TRY(find_symmetry(data));
    POV_TRY(ask_each(w, data, views));
    fit_widening(data, w);
    POV_TRY(fit_doubt(w, data, views));
    POV_TRY(ask_each(w, data, views));
    report(data, trial, w);
    return pov_ok();
}

pov_status pov_appearance_try(pov_appearance_data *data, pov_trial *trial, const pov_view *views)
{
    work w = {malloc(sizeof *w.fold), calloc(POV_VIEW_MAX, sizeof *w.answers)};
    pov_status status =
        w.fold && w.answers ? try_with(&w, data, trial, views) : pov_error("appearance: out of memory");
    free(w.fold);
    free(w.answers);
    return status;
}
