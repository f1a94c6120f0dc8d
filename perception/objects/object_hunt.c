#include "perception/objects/object_hunt.h"

#include <math.h>
#include <string.h>

enum {
    TURNS = 18,
    ROUGH_MAX = 48,
    CLIMBED = 14,
    STRIDES = 2,
    HALVINGS = 5,
    PASSES = 3,
    TURNED = 4,
    OTHER_TURNS = 2,
    PLACES = 80,
    MISSED_SHARES = 4,
    GLANCES = 32,
    NEAR = 3,
    CHECK_IMAGES = 8,
    CHECKS = 3
};

const double object_hunt_least_evidence = 9;

static const double fading_share =
    0.7; /* of the evidence that there was: below it, there may be a better fit nearby */
static const double surely = 4; /* of evidence: a thing is taken up twice a minute */
static const double still_share = 0.05, still_rad = 3 * POV_PI / 180; /* of the radius, from image to image */
static const double fewer = 0.8, more = 1.25; /* of the evidence that there was when it was looked at last */
static const double stay_most = 3;            /* what is where it was needs so much less evidence */
static const double better_score = 1.05; /* of a place elsewhere, to be looked at while the last one holds */
static const double same_place_share = 0.15, apart_share = 0.5, same_turn_rad = 12 * POV_PI / 180;
static const double near_share = 0.4; /* of the radius, from place to place */
static const double climb_share = 0.16, climb_rad = 10 * POV_PI / 180;
static const double polish_slack = 0.5; /* of evidence, that a fit may cost which knows its covariance */

pov_status object_hunter_new(object_hunter *hunter)
{
    POV_TRY(object_fitter_new(&hunter->fitter));
    return object_jury_new(&hunter->jury);
}

void object_hunter_free(object_hunter *hunter)
{
    object_fitter_destroy(&hunter->fitter);
    object_jury_destroy(&hunter->jury);
}

/* ---- where it was ---- */

double object_hunt_worth(const object_hunter *hunter, const object_kind *kind, const object_fit *fit)
{
    return object_hold_worth(&kind->hold, kind->model, fit, hunter->now_ns);
}

double object_hunt_stay(const object_hunter *hunter, const object_kind *kind, const object_fit *fit)
{
    return fmin(stay_most, object_hunt_worth(hunter, kind, fit));
}

/* ---- lists of fits ---- */

typedef struct {
    int len, max;
    object_fit *fits;
} fit_list;

static double turned_rad(const object_place *a, const object_place *b)
{
    return fabs(remainder(a->yaw_rad - b->yaw_rad, 2 * POV_PI));
}

bool object_fit_same_turn(const object_fit *a, const object_fit *b)
{
    return turned_rad(&a->place, &b->place) < same_turn_rad;
}

static double between(const object_place *a, const object_place *b)
{
    return hypot(a->x_m - b->x_m, a->y_m - b->y_m);
}

/* Best first, each at a place or turn of its own. */
static void insert(fit_list *list, const object_fit *fit, double radius_m)
{
    object_fit *fits = list->fits;
    for (int i = 0; i < list->len; i++)
        if (between(&fits[i].place, &fit->place) < same_place_share * radius_m &&
            object_fit_same_turn(&fits[i], fit)) {
            if (fits[i].evidence >= fit->evidence)
                return;
            memmove(&fits[i], &fits[i + 1], (size_t)(--list->len - i) * sizeof *fits);
            break;
        }
    int at = list->len < list->max ? list->len++ : list->max;
    for (; at > 0 && fits[at - 1].evidence < fit->evidence; at--)
        if (at < list->max)
            fits[at] = fits[at - 1];
    if (at < list->max)
        fits[at] = *fit;
}

/* ---- one fit ---- */

static object_fit fit_from(const object_place *place)
{
    return (object_fit){.place = *place, .light = {1, 1, 1, 0, 0, 0}};
}

static void judge(object_hunter *h, object_fit *fit, const object_view *view, const object_model *model)
{
    object_verdict verdict;
    object_judge(h->jury, &verdict, view, model, &fit->place);
    fit->evidence = verdict.evidence;
    fit->visible = verdict.visible;
    fit->cover = verdict.cover;
}

void object_hunt_fit_roughly(object_hunter *h, object_fit *fit, const object_view *view,
                             const object_model *model, const object_place *from)
{
    *fit = fit_from(from);
    judge(h, fit, view, model);
    object_fit_roughly(h->fitter, fit, view, model);
    judge(h, fit, view, model);
}

/* Steps aside, away and round, ever smaller, as long as they pay: of all halvings of their length those from `first` on. */
static void climb(object_hunter *h, object_fit *fit, const object_view *view, const object_model *model,
                  int first, int end)
{
    const double away_rad =
        atan2(fit->place.y_m - view->T_table_camera.t_m.y, fit->place.x_m - view->T_table_camera.t_m.x);
    const double by[3][3] = {
        {cos(away_rad), sin(away_rad), 0}, {-sin(away_rad), cos(away_rad), 0}, {0, 0, 1}};
    for (int i = first; i < end; i++) {
        const double step_m = ldexp(climb_share * model->radius_m, -i), step_rad = ldexp(climb_rad, -i);
        bool better = true;
        for (int pass = 0; pass < PASSES && better; pass++) {
            better = false;
            for (int k = 0; k < 6; k++) {
                const double sign = k % 2 ? 1 : -1;
                object_fit next = *fit;
                next.place.x_m += sign * step_m * by[k / 2][0];
                next.place.y_m += sign * step_m * by[k / 2][1];
                next.place.yaw_rad += sign * step_rad * by[k / 2][2];
                judge(h, &next, view, model);
                if (next.evidence > fit->evidence) {
                    *fit = next;
                    better = true;
                }
            }
        }
    }
}

/* A fit of what shows; if that looks worse than where it began, the doubt is between the two. */
static void polish(object_hunter *h, object_fit *fit, const object_view *view, const object_model *model)
{
    object_fit fine = fit_from(&fit->place);
    fine.cover = fit->cover;
    object_fit_run(h->fitter, &fine, view, model, true);
    judge(h, &fine, view, model);
    if (fine.evidence >= fit->evidence - polish_slack) {
        *fit = fine;
        return;
    }
    const double off[3] = {fine.place.x_m - fit->place.x_m, fine.place.y_m - fit->place.y_m,
                           remainder(fine.place.yaw_rad - fit->place.yaw_rad, 2 * POV_PI)};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            fit->cov[i][k] = fine.cov[i][k] + off[i] * off[k];
    memcpy(fit->light, fine.light, sizeof fit->light);
    fit->residual = fine.residual;
}

void object_hunt_fit(object_hunter *h, object_fit *fit, const object_view *view, const object_model *model,
                     const object_place *from)
{
    *fit = fit_from(from);
    judge(h, fit, view, model);
    polish(h, fit, view, model);
}

/* Step by step to where it looks better: it moved and turned. */
static void climb_on(object_hunter *h, object_fit *fit, const object_view *view, const object_model *model,
                     const object_place *from)
{
    object_fit climbed = fit_from(from);
    judge(h, &climbed, view, model);
    climb(h, &climbed, view, model, 0, HALVINGS);
    polish(h, &climbed, view, model);
    if (climbed.evidence > fit->evidence)
        *fit = climbed;
}

/* ---- all of the table, or nearby ---- */

static void try_places(object_hunter *h, fit_list *rough, const object_kind *k, const object_view *view,
                       int places)
{
    for (int n = 0; n < places && n < k->list.len; n++)
        for (int i = 0; i < TURNS; i++) {
            object_fit fit;
            object_place turned = k->list.places[n];
            turned.yaw_rad += i * 2 * POV_PI / TURNS;
            object_hunt_fit_roughly(h, &fit, view, k->model, &turned);
            insert(rough, &fit, k->model->radius_m);
        }
}

static int best_places(object_place places[TURNED], const fit_list *own, double apart_m)
{
    int len = 0;
    for (int i = 0; i < own->len && len < TURNED; i++) {
        bool is_new = true;
        for (int n = 0; n < len && is_new; n++)
            is_new = between(&places[n], &own->fits[i].place) > apart_m;
        if (is_new)
            places[len++] = own->fits[i].place;
    }
    return len;
}

/* Other turns where the best fits are: what is there may have been taken for its own back. */
static void turn_about(object_hunter *h, object_kind *k, const object_view *view, fit_list *own)
{
    object_fit turned[TURNED * OTHER_TURNS];
    object_place places[TURNED];
    const int place_len = best_places(places, own, apart_share * k->model->radius_m);
    int len = 0;
    for (int i = 0; i < place_len; i++) {
        fit_list others = {0, OTHER_TURNS, turned + len};
        for (int n = 1; n < TURNS; n++) {
            object_fit fit;
            object_place place = places[i];
            place.yaw_rad += n * 2 * POV_PI / TURNS;
            object_hunt_fit_roughly(h, &fit, view, k->model, &place);
            insert(&others, &fit, k->model->radius_m);
        }
        len += others.len;
    }
    for (int i = 0; i < len; i++) {
        climb(h, &turned[i], view, k->model, 0, HALVINGS);
        polish(h, &turned[i], view, k->model);
        insert(own, &turned[i], k->model->radius_m);
    }
}

/* From every turn at each place roughly; on from the best with long steps; and from the best of these with care. */
static void try_list(object_hunter *h, object_kind *k, const object_view *view, int places)
{
    object_fit fits[2][ROUGH_MAX];
    const int kept = places < ROUGH_MAX / 2 ? 2 * places : ROUGH_MAX;
    fit_list rough = {0, kept, fits[0]}, better = {0, kept * CLIMBED / ROUGH_MAX, fits[1]},
             own = {0, OBJECT_FITS, k->fits};
    const object_model *model = k->model;
    try_places(h, &rough, k, view, places);
    for (int i = 0; i < rough.len; i++) {
        climb(h, &rough.fits[i], view, model, 0, STRIDES);
        insert(&better, &rough.fits[i], model->radius_m);
    }
    for (int i = 0; i < better.len; i++) {
        climb(h, &better.fits[i], view, model, STRIDES, HALVINGS);
        polish(h, &better.fits[i], view, model);
        insert(&own, &better.fits[i], model->radius_m);
    }
    turn_about(h, k, view, &own);
    k->fit_len = own.len;
}

static void remember(const object_hunter *h, object_kind *k)
{
    k->checked_image = h->image;
    if (k->fit_len > 0)
        k->checked = k->fits[0];
}

/* All of the table; but what was not there a moment ago is looked for in a part of it each time. */
static void search_all(object_hunter *h, object_kind *k, const object_view *view)
{
    const object_part all = {0, 1, OBJECT_SHORT_LIST, h->area},
                      part = {(int)(h->image % MISSED_SHARES), MISSED_SHARES,
                              OBJECT_SHORT_LIST / MISSED_SHARES, h->area};
    k->searched_all = !k->missed;
    object_search_places(&k->list, view, k->model, k->z_m, k->missed ? &part : &all);
    try_list(h, k, view, k->missed ? PLACES / MISSED_SHARES : PLACES);
    remember(h, k);
    k->is_held = k->hold.is_known;
    if (!k->is_held)
        return;
    object_hunt_fit(h, &k->held, view, k->model, &k->hold.place);
    climb_on(h, &k->held, view, k->model, &k->hold.place);
}

/* From a place, a step to each side too, in all turns. */
static void search_near(object_hunter *h, object_kind *k, const object_view *view, const object_place *middle)
{
    k->list.len = 0;
    for (int i = 0; i < NEAR * NEAR; i++) {
        object_place place = *middle;
        place.x_m += (i % NEAR - NEAR / 2) * near_share * k->model->radius_m;
        place.y_m += (i / NEAR - NEAR / 2) * near_share * k->model->radius_m;
        k->list.places[k->list.len++] = place;
    }
    try_list(h, k, view, k->list.len);
}

static bool has_moved(const object_kind *k, const object_fit *fit)
{
    return between(&fit->place, &k->checked.place) > same_place_share * k->model->radius_m ||
           !object_fit_same_turn(fit, &k->checked);
}

/* What was carried elsewhere, or looks more or less like itself than it did, may have got stuck in a turn that is only the
 * best nearby: it is looked at from all turns, once it stands still. That takes long: one kind an image. */
static bool is_to_be_checked(const object_hunter *h, const object_kind *k, const object_fit *fit)
{
    const object_place *at = &fit->place;
    if (h->has_looked_about)
        return false;
    const bool is_still = between(at, &k->seed.place) < still_share * k->model->radius_m &&
                          turned_rad(at, &k->seed.place) < still_rad,
               has_changed =
                   fit->evidence < fewer * k->checked.evidence || fit->evidence > more * k->checked.evidence;
    return (has_moved(k, fit) && is_still) ||
           ((has_changed || k->checks_due > 0) && h->image - k->checked_image >= CHECK_IMAGES);
}

/* What rests does not turn round by itself just when something covers it: other turns must look surely better. */
static void forget_unlikely(fit_list *own, const object_fit *kept, double radius_m)
{
    int len = 0;
    for (int i = 0; i < own->len; i++)
        if (own->fits[i].evidence > kept->evidence + surely)
            own->fits[len++] = own->fits[i];
    own->len = len;
    insert(own, kept, radius_m);
}

static void look_about(object_hunter *h, object_kind *k, const object_view *view, const object_fit *followed)
{
    h->has_looked_about = true;
    search_near(h, k, view, &followed->place);
    fit_list own = {k->fit_len, OBJECT_FITS, k->fits};
    k->checks_due = has_moved(k, followed) ? CHECKS : k->checks_due - 1;
    if (k->checks_due >= 0)
        insert(&own, followed, k->model->radius_m);
    else
        forget_unlikely(&own, followed, k->model->radius_m);
    k->checks_due = k->checks_due > 0 ? k->checks_due : 0;
    k->fit_len = own.len;
    remember(h, k);
}

/* From where it was: by a fit; if that fails, step by step; or by trying all about there. What is nowhere near is looked for
 * everywhere, once. */
static void follow(object_hunter *h, object_kind *k, const object_view *view)
{
    object_fit fit;
    object_hunt_fit(h, &fit, view, k->model, &k->seed.place);
    const double wanted =
        fmax(object_hunt_least_evidence - object_hunt_stay(h, k, &fit), fading_share * k->seed.evidence);
    if (fit.evidence < fmax(object_hunt_least_evidence, wanted))
        climb_on(h, &fit, view, k->model, &k->seed.place);
    k->fits[0] = fit;
    k->fit_len = 1;
    if (fit.evidence < wanted || is_to_be_checked(h, k, &fit))
        look_about(h, k, view, &fit);
    if (k->fits[0].evidence < object_hunt_least_evidence - object_hunt_stay(h, k, &k->fits[0]))
        search_all(h, k, view);
}

/* Whether a part of the table has something better. */
static void glance_elsewhere(object_hunter *h, object_kind *k, const object_view *view)
{
    fit_list own = {k->fit_len, OBJECT_FITS, k->fits};
    const double score = object_scan_score(view, k->model, &k->fits[0].place);
    object_search_places(&k->list, view, k->model, k->z_m,
                         &(object_part){(int)(h->image % OBJECT_SHARES), OBJECT_SHARES, GLANCES, h->area});
    for (int i = 0; i < k->list.len && i < 2; i++)
        if (k->list.places[i].score > better_score * score) {
            object_fit fit;
            object_hunt_fit(h, &fit, view, k->model, &k->list.places[i]);
            insert(&own, &fit, k->model->radius_m);
        }
    k->fit_len = own.len;
}

void object_hunt(object_hunter *hunter, object_kind *kind, const object_view *view)
{
    kind->has_fit = kind->searched_all = kind->is_held = false;
    kind->fit_len = 0;
    if (kind->has_seed) {
        follow(hunter, kind, view);
        if (kind->fit_len > 0)
            glance_elsewhere(hunter, kind, view);
    } else
        search_all(hunter, kind, view);
}

void object_hunt_reconsider(object_hunter *hunter, object_kind *kind, const object_view *view)
{
    if (kind->is_held)
        judge(hunter, &kind->held, view, kind->model);
    for (int i = 0; i < kind->fit_len; i++) {
        object_fit fit = kind->fits[i];
        int at = i;
        judge(hunter, &fit, view, kind->model);
        for (; at > 0 && kind->fits[at - 1].evidence < fit.evidence; at--)
            kind->fits[at] = kind->fits[at - 1];
        kind->fits[at] = fit;
    }
}

void object_hunt_share(object_kind *kinds, int len)
{
    for (int to = 0; to < len; to++)
        for (int from = 0; from < len; from++) {
            fit_list own = {kinds[to].fit_len, OBJECT_FITS, kinds[to].fits};
            if (to == from || kinds[to].make != kinds[from].make)
                continue;
            for (int i = 0; i < kinds[from].fit_len; i++)
                insert(&own, &kinds[from].fits[i], kinds[to].model->radius_m);
            kinds[to].fit_len = own.len;
        }
}
