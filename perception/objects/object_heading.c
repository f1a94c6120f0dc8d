#include "perception/objects/object_heading.h"

#include <math.h>

enum { MODES = POV_HEADING_MODES_MAX, TURNS = 6 };

static const double turn_doubt = 2; /* evidence for one turn against another is overstated by as much */
static const double turn_slack = 12, rough_slack = 15; /* of evidence: not likely enough to be looked at */
static const double overlap_share = 0.6;
static const double yaw_std_by_elevation = 0.1; /* per rad of elevation off */
static const double aside_rad = 18 * POV_PI / 180;
static const double yaw_std_least = 0.2 * POV_PI / 180;
static const double least_odds = 1e-3;

static void add_mode(pov_heading *heading, const object_fit *fit, const object_model *model, double odds,
                     double least_std_rad)
{
    if (heading->len == MODES)
        return;
    const double std_rad = hypot(sqrt(fit->cov[2][2]), least_std_rad);
    heading->mode[heading->len++] = (pov_heading_mode){
        odds, remainder(fit->place.yaw_rad + model->front_rad, 2 * POV_PI), pov_kappa_from_std(std_rad)};
}

static bool is_near(const object_fit *fit, const object_fit *other, const object_model *model)
{
    return hypot(fit->place.x_m - other->place.x_m, fit->place.y_m - other->place.y_m) <
           overlap_share * model->radius_m;
}

/* Keeps a turn if it is as likely as the best but for `turn_slack`. */
static void add_turn(object_fit fits[TURNS], int *len, const object_fit *fit, const object_model *model)
{
    if (!is_near(fit, &fits[0], model) || fit->evidence < fits[0].evidence - turn_slack)
        return;
    for (int i = 0; i < *len; i++)
        if (object_fit_same_turn(&fits[i], fit)) {
            if (fit->evidence > fits[i].evidence)
                fits[i] = *fit;
            return;
        }
    if (*len < TURNS)
        fits[(*len)++] = *fit;
}

static bool is_new_turn(const object_fit *fits, int len, const object_fit *fit)
{
    for (int i = 0; i < len; i++)
        if (object_fit_same_turn(&fits[i], fit))
            return false;
    return true;
}

/* Other turns at the place that may be it: those at hand, a little to either side, and where it looks alike. */
static int find_turns(object_hunter *hunter, object_fit fits[TURNS], const object_view *view,
                      const object_kind *k)
{
    object_place starts[TURNS + 2];
    int len = 1;
    fits[0] = k->fit;
    for (int i = 0; i < k->fit_len; i++)
        add_turn(fits, &len, &k->fits[i], k->model);
    const int start_len = object_scan_turns(view, k->model, starts, TURNS, &k->fit.place);
    for (int side = 0; side < 2; side++) {
        starts[start_len + side] = k->fit.place;
        starts[start_len + side].yaw_rad += side ? aside_rad : -aside_rad;
    }
    for (int i = 0; i < start_len + 2; i++) {
        object_fit fit;
        object_hunt_fit_roughly(hunter, &fit, view, k->model, &starts[i]);
        if (fit.evidence < k->fit.evidence - rough_slack || !is_new_turn(fits, len, &fit))
            continue;
        object_hunt_fit(hunter, &fit, view, k->model, &fit.place);
        add_turn(fits, &len, &fit, k->model);
    }
    return len;
}

static void put_best_first(object_fit *fits, int len)
{
    for (int i = 1; i < len; i++)
        if (fits[i].evidence > fits[0].evidence) {
            const object_fit swap = fits[0];
            fits[0] = fits[i];
            fits[i] = swap;
        }
}

static double odds_of(const object_fit *fit, const object_fit *best)
{
    return exp((fit->evidence - best->evidence) / turn_doubt);
}

static void repeat(pov_heading *heading, int symmetry)
{
    const pov_heading_mode first = heading->mode[0];
    heading->len = symmetry < MODES ? symmetry : MODES;
    for (int i = 0; i < heading->len; i++)
        heading->mode[i] =
            (pov_heading_mode){1.0 / heading->len,
                               remainder(first.yaw_rad + i * 2 * POV_PI / symmetry, 2 * POV_PI), first.kappa};
}

/* Another turn is another place too: what has a handle behind it is not where what has none is. */
static object_place_spread spread_of(const object_fit *fits, int len)
{
    object_place_spread spread = {0, 0, 0};
    double sum = 0;
    for (int i = 0; i < len; i++) {
        const double odds = odds_of(&fits[i], &fits[0]), x = fits[i].place.x_m - fits[0].place.x_m,
                     y = fits[i].place.y_m - fits[0].place.y_m;
        sum += odds;
        spread.xx += odds * x * x;
        spread.xy += odds * x * y;
        spread.yy += odds * y * y;
    }
    return (object_place_spread){spread.xx / sum, spread.xy / sum, spread.yy / sum};
}

static void add_modes(pov_heading *heading, const object_fit *fits, int len, const object_model *model,
                      double least_std_rad)
{
    double sum = 0;
    for (int i = 0; i < len; i++)
        if (odds_of(&fits[i], &fits[0]) > least_odds)
            add_mode(heading, &fits[i], model, odds_of(&fits[i], &fits[0]), least_std_rad);
    for (int i = 0; i < heading->len; i++)
        sum += heading->mode[i].weight;
    for (int i = 0; i < heading->len; i++)
        heading->mode[i].weight /= sum;
}

void object_heading_find(object_hunter *hunter, pov_heading *heading, object_place_spread *spread,
                         const object_view *view, object_kind *k)
{
    object_fit fits[TURNS];
    int len = 1;
    heading->len = 0;
    *spread = (object_place_spread){0, 0, 0};
    if (k->model->symmetry == 0)
        return;
    fits[0] = k->fit;
    if (k->model->symmetry == 1)
        len = find_turns(hunter, fits, view, k);
    put_best_first(fits, len);
    k->fit = fits[0];
    *spread = spread_of(fits, len);
    add_modes(heading, fits, len, k->model,
              yaw_std_least +
                  yaw_std_by_elevation * object_view_elevation_off(view, k->model, &k->fit.place));
    if (k->model->symmetry > 1)
        repeat(heading, k->model->symmetry);
}
