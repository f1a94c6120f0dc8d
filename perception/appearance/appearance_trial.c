#include "perception/appearance/appearance_trial.h"

#include "perception/appearance/appearance_internal.h"
#include "perception/geometry/ranked.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ORDER_MAX = POV_HEADING_MODES_MAX, TURNS = 36 };

/* Scales tried: widenings of 1 to 45, doubts of 1 (independent pixels) to half a million (pixels tell nothing); chosen. */
enum { WIDENINGS = 12, DOUBTS = 20, LOCAL_DOUBTS = 12 };
static const double widening_step = 1.4142135623730951, doubt_step = 2;
static const double outlier_share = 0.01; /* of views, whose angle may be any; chosen */
/* Scales that lose no more log-likelihood than this are plausible: a likelihood ratio test, 95 %, one-sided, of independent views
 * allows 1.35, and errors of neighbouring views are so alike that a third of the views count. Of 0, 2 and 4 the first that kept
 * 95 % of 48 drawn turns (tests/support/turned_jars.py, seeds 100 to 147) within two deviations. */
static const double likely_loss = 4;
static const double near_rad = 40 * POV_PI / 180; /* of local doubts: some four views' worth; chosen */
static const double right_within_rad = 15 * POV_PI / 180; /* chosen */
static const double alike_weight_min = 0.1;               /* from there on it is told; chosen */
static const double least_difference = 0.5; /* mean square in units of weight: nobody tells that */
static const double alike_difference = 4;   /* times the usual residual; chosen */
static const double told_share = 0.9;       /* of views, told from their likes: these are not likes; chosen */

typedef struct {
    pov_appearance_data *fold; /* the data with half of its views */
    match_fit *fits;           /* of each view, by the half that it is not in */
} work;

static void keep_view(pov_appearance_data *fold, const pov_appearance_data *data, int i)
{
    const int k = fold->view_len++;
    fold->angle_rad[k] = data->angle_rad[i];
    memcpy(fold->box[k], data->box[i], sizeof fold->box[k]);
    memcpy(fold->place[k], data->place[i], sizeof fold->place[k]);
}

/* Each half is asked about the other. Angles that look alike are then known from both sides or from none; with single views
 * left out, the one that is known would always win. */
static pov_status ask_each(work *w, const pov_appearance_data *data, const pov_view *views)
{
    memcpy(w->fold, data, sizeof *data);
    for (int parity = 0; parity < 2; parity++) {
        pov_appearance *appearance;
        w->fold->view_len = 0;
        for (int i = parity; i < data->view_len; i += 2)
            keep_view(w->fold, data, i);
        appearance = pov_appearance_new(w->fold);
        for (int i = 1 - parity; i < data->view_len; i += 2)
            pov_appearance_fit(appearance, &w->fits[i], &views[i].patch);
        pov_appearance_destroy(&appearance);
    }
    return pov_ok();
}

static void fit_residual(pov_appearance_data *data, const work *w)
{
    double residual[POV_VIEW_MAX], unexplained[POV_VIEW_MAX];
    for (int i = 0; i < data->view_len; i++) {
        residual[i] = w->fits[i].residual;
        unexplained[i] = w->fits[i].unexplained;
    }
    data->residual = fmax(1e-3, pov_quantile(residual, data->view_len, 0.5));
    data->unexplained = fmin(0.1, fmax(1e-3, pov_quantile(unexplained, data->view_len, 0.9)));
}

/* Of a view's true angle. */
static double log_likelihood(const match_scale *scale, const match_fit *fit, double angle_rad)
{
    const pov_heading heading = pov_appearance_weigh(scale, fit);
    double density = outlier_share / (2 * POV_PI);
    for (int k = 0; k < heading.len; k++) {
        const pov_heading_mode *mode = &heading.mode[k];
        const double off_rad = remainder(mode->yaw_rad - angle_rad, 2 * POV_PI);
        density += (1 - outlier_share) * mode->weight * sqrt(mode->kappa / (2 * POV_PI)) *
                   exp(-0.5 * mode->kappa * off_rad * off_rad);
    }
    return log(density);
}

static double log_likelihood_of_all(const match_scale *scale, const pov_appearance_data *data, const work *w)
{
    double sum = 0;
    for (int i = 0; i < data->view_len; i++)
        sum += log_likelihood(scale, &w->fits[i], data->angle_rad[i]);
    return sum;
}

/* The most cautious plausible scales: the widest, then the most doubtful. 36 views tell a scale only roughly; and where no views
 * look alike, any doubt is as likely. */
static void fit_scales(pov_appearance_data *data, const work *w)
{
    double likelihood[WIDENINGS][DOUBTS], best = -INFINITY;
    match_scale scale = pov_appearance_scale(data);
    for (int i = 0; i < WIDENINGS; i++)
        for (int k = 0; k < DOUBTS; k++) {
            scale.widening = pow(widening_step, i);
            scale.doubt = pow(doubt_step, k);
            likelihood[i][k] = log_likelihood_of_all(&scale, data, w);
            best = fmax(best, likelihood[i][k]);
        }
    for (int i = 0; i < WIDENINGS; i++)
        for (int k = 0; k < DOUBTS; k++)
            if (likelihood[i][k] >= best - likely_loss) {
                data->widening = pow(widening_step, i);
                data->doubt = pow(doubt_step, k);
            }
}

/* How much an answer counts at an angle: 1 there, 0 from `near_rad` on. */
static double nearness(const match_fit *fit, double angle_rad)
{
    if (fit->len == 0)
        return 0;
    return fmax(0, 1 - fabs(remainder(fit->mode[0].angle_rad - angle_rad, 2 * POV_PI)) / near_rad);
}

/* Of the answers near view i; the least doubt of equals. */
static int likeliest_near(double likelihood[][LOCAL_DOUBTS], const pov_appearance_data *data, const work *w,
                          int i)
{
    double best = -INFINITY;
    int likeliest = 0;
    for (int k = 0; k < LOCAL_DOUBTS; k++) {
        double sum = 0;
        for (int j = 0; j < data->view_len; j++)
            sum += nearness(&w->fits[j], data->angle_rad[i]) * likelihood[j][k];
        if (sum > best) {
            best = sum;
            likeliest = k;
        }
    }
    return likeliest;
}

/* Where neighbouring views look alike the scales of the whole turn are too sure: a label out of sight leaves only noise. By the
 * answer's angle, for in use no other is known. */
static void fit_local_doubts(pov_appearance_data *data, const work *w)
{
    double likelihood[POV_VIEW_MAX][LOCAL_DOUBTS];
    match_scale scale = pov_appearance_scale(data);
    for (int i = 0; i < data->view_len; i++)
        for (int k = 0; k < LOCAL_DOUBTS; k++) {
            scale.widening = data->widening * pow(widening_step, k);
            scale.doubt = data->doubt * pow(doubt_step, k);
            likelihood[i][k] = log_likelihood(&scale, &w->fits[i], data->angle_rad[i]);
        }
    for (int i = 0; i < data->view_len; i++)
        data->local_doubt[i] = pow(doubt_step, likeliest_near(likelihood, data, w, i));
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
    return difference(a, &here, &there, turn_rad) <=
           alike_difference * fmax(a->scale.residual, least_difference);
}

/* True if most views are told from those that they look like, turned by a share of the circle. */
static bool is_told(const pov_appearance_data *data, const work *w, int order)
{
    int told = 0, mistaken = 0;
    for (int i = 0; i < data->view_len; i++) {
        if (w->fits[i].len == 0)
            continue;
        const double off_rad = w->fits[i].mode[0].angle_rad - data->angle_rad[i];
        if (fabs(remainder(off_rad, 2 * POV_PI)) < right_within_rad)
            told++;
        else if (order == POV_SYMMETRY_ALL || fabs(remainder(off_rad, 2 * POV_PI / order)) < right_within_rad)
            mistaken++;
    }
    return told > told_share * (told + mistaken);
}

static bool is_symmetry(const pov_appearance *a, const pov_appearance_data *data, const work *w, int order)
{
    const int turns = order == POV_SYMMETRY_ALL ? TURNS : order;
    for (int i = 1; i <= turns / 2; i++)
        if (!is_alike(a, i * 2 * POV_PI / turns))
            return false;
    return !is_told(data, w, order);
}

static int symmetry_of(const pov_appearance *a, const pov_appearance_data *data, const work *w)
{
    if (is_symmetry(a, data, w, POV_SYMMETRY_ALL))
        return POV_SYMMETRY_ALL;
    for (int order = ORDER_MAX; order > 1; order--)
        if (is_symmetry(a, data, w, order))
            return order;
    return 1;
}

static pov_status find_symmetry(pov_appearance_data *data, const work *w)
{
    pov_appearance *appearance;
    appearance = pov_appearance_new(data);
    data->symmetry = symmetry_of(appearance, data, w);
    pov_appearance_destroy(&appearance);
    return pov_ok();
}

/* ---- the report ---- */

static pov_trial_view view_of(const pov_heading *heading, double angle_rad)
{
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

static void report_trial(pov_appearance_data *data, pov_trial *trial, const work *w)
{
    double sum = 0, worst = 0;
    int told = 0;
    const match_scale scale = pov_appearance_scale(data);
    trial->len = data->view_len;
    trial->widest_gap_rad = 0;
    for (int i = 0; i < trial->len; i++)
        trial->widest_gap_rad = fmax(trial->widest_gap_rad, turn_from(data, i));
    for (int i = 0; i < trial->len; i++) {
        const pov_heading heading = pov_appearance_weigh(&scale, &w->fits[i]);
        trial->views[i] = view_of(&heading, data->angle_rad[i]);
        const double error = fabs(error_but_symmetry(data, trial->views[i].error_rad));
        const bool is_right = error <= 2 * trial->widest_gap_rad;
        told += is_right;
        sum += is_right ? error : 0;
        worst = fmax(worst, error);
    }
    trial->mixed_up = trial->len - told;
    data->expected_error_rad = data->symmetry == POV_SYMMETRY_ALL || told == 0 ? NAN : sum / told;
    data->worst_error_rad = data->symmetry == POV_SYMMETRY_ALL ? NAN : worst;
}

static pov_status try_with(work *w, pov_appearance_data *data, pov_trial *trial, const pov_view *views)
{
    data->widening = data->doubt = data->residual = 1;
    for (int i = 0; i < data->view_len; i++)
        data->local_doubt[i] = 1;
    POV_TRY(ask_each(w, data, views));
    fit_residual(data, w);
    POV_TRY(ask_each(w, data, views));
    POV_TRY(find_symmetry(data, w));
    fit_scales(data, w);
    fit_local_doubts(data, w);
    report_trial(data, trial, w);
    return pov_ok();
}

pov_status pov_appearance_try(pov_appearance_data *data, pov_trial *trial, const pov_view *views)
{
    work w = {pov_allocate(1, sizeof *w.fold), pov_allocate(POV_VIEW_MAX, sizeof *w.fits)};
    const pov_status status = try_with(&w, data, trial, views);
    free(w.fold);
    free(w.fits);
    return status;
}
