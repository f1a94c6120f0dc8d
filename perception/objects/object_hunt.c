#include "perception/objects/object_hunt.h"

#include <math.h>
#include <string.h>

/* Numbers of tries, chosen between speed and what bench finder misses. */
enum {
    TURNS = 18,        /* about each place */
    ROUGH_MAX = 48,    /* rough fits kept */
    CLIMBED = 14,      /* of these, fits with long steps */
    STRIDES = 2,       /* halvings of the long steps */
    HALVINGS = 5,      /* of all steps */
    PASSES = 3,        /* of steps of one length */
    TURNED = 4,        /* best places whose other turns are tried */
    OTHER_TURNS = 2,   /* kept of each of them */
    PLACES = 80,       /* of the table, tried in all turns */
    MISSED_SHARES = 4, /* images over which the search for a missing object is spread */
    GLANCES = 32,      /* places of a part of the table, while it is followed */
    NEAR = 3,          /* places to a side, about where it was */
    CHECK_IMAGES = 8,  /* between two looks about it */
    CHECKS = 3         /* looks about it after a move */
};

/* Shares of the evidence in the last image: below it, a better fit may be nearby. Chosen. */
static const double fading_share = 0.7;
static const double surely = 4; /* log-odds; prior: an object is picked up twice a minute */
static const double still_share = 0.05,
                    still_rad = 3 * POV_PI / 180; /* radii and rad an image: at rest; chosen */
static const double fewer = 0.8,
                    more = 1.25; /* shares of the evidence at the last look about: it changed; chosen */
static const double better_score = 1.05; /* of a place elsewhere against its own, to be tried; chosen */
/* Radii and rad: two fits of the same place; two places apart; the same turn. Chosen. */
static const double same_place_share = 0.15, apart_share = 0.5, same_turn_rad = 12 * POV_PI / 180;
static const double near_share = 0.4; /* of the radius, between places about where it was; chosen */
static const double climb_share = 0.16,
                    climb_rad = 10 * POV_PI / 180; /* longest steps, radii and rad; chosen */
static const double polish_slack = 0.5; /* log-odds that a fit with a covariance may cost; chosen */

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

/* ---- lists of fits ---- */

typedef struct {
    int len, max;
    object_fit *fits;
} fit_list;

bool object_fit_same_turn(const object_fit *a, const object_fit *b)
{
    return object_place_turn(&a->place, &b->place) < same_turn_rad;
}

/* Best first, each at a place or turn of its own. */
static void insert_fit(fit_list *list, const object_fit *fit, double radius_m)
{
    object_fit *fits = list->fits;
    for (int i = 0; i < list->len; i++)
        if (object_place_distance(&fits[i].place, &fit->place) < same_place_share * radius_m &&
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

void object_hunt_fit_roughly(object_hunter *h, object_fit *fit, const object_view *view,
                             const object_model *model, const object_place *from)
{
    *fit = fit_from(from);
    object_judge(h->jury, fit, view, model);
    object_fit_roughly(h->fitter, fit, view, model);
    object_judge(h->jury, fit, view, model);
}

/* Raises the evidence by steps aside, away and round. Their length is halved again and again: from `first` to `end` times. */
static void climb_fit(object_hunter *h, object_fit *fit, const object_view *view, const object_model *model,
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
                object_judge(h->jury, &next, view, model);
                if (next.evidence > fit->evidence) {
                    *fit = next;
                    better = true;
                }
            }
        }
    }
}

/* Fits the visible part; if that has less evidence than the start, the covariance spans the two. */
static void polish_fit(object_hunter *h, object_fit *fit, const object_view *view, const object_model *model)
{
    object_fit fine = fit_from(&fit->place);
    fine.cover = fit->cover;
    object_fit_run(h->fitter, &fine, view, model, true);
    object_judge(h->jury, &fine, view, model);
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
    object_judge(h->jury, fit, view, model);
    polish_fit(h, fit, view, model);
}

/* Finds an object that moved and turned, by steps. */
static void climb_on(object_hunter *h, object_fit *fit, const object_view *view, const object_model *model,
                     const object_place *from)
{
    object_fit climbed = fit_from(from);
    object_judge(h->jury, &climbed, view, model);
    climb_fit(h, &climbed, view, model, 0, HALVINGS);
    polish_fit(h, &climbed, view, model);
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
            insert_fit(rough, &fit, k->model->radius_m);
        }
}

static int best_places(object_place places[TURNED], const fit_list *own, double apart_m)
{
    int len = 0;
    for (int i = 0; i < own->len && len < TURNED; i++) {
        bool is_new = true;
        for (int n = 0; n < len && is_new; n++)
            is_new = object_place_distance(&places[n], &own->fits[i].place) > apart_m;
        if (is_new)
            places[len++] = own->fits[i].place;
    }
    return len;
}

/* Tries other turns at the best places: the object's back may look like its front. */
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
            insert_fit(&others, &fit, k->model->radius_m);
        }
        len += others.len;
    }
    for (int i = 0; i < len; i++) {
        climb_fit(h, &turned[i], view, k->model, 0, HALVINGS);
        polish_fit(h, &turned[i], view, k->model);
        insert_fit(own, &turned[i], k->model->radius_m);
    }
}

/* Fits every turn at each place roughly; moves the best by long steps; and the best of these by short ones. */
static void try_list(object_hunter *h, object_kind *k, const object_view *view, int places)
{
    object_fit fits[2][ROUGH_MAX];
    const int kept = places < ROUGH_MAX / 2 ? 2 * places : ROUGH_MAX;
    fit_list rough = {0, kept, fits[0]}, better = {0, kept * CLIMBED / ROUGH_MAX, fits[1]},
             own = {0, OBJECT_FITS, k->fits};
    const object_model *model = k->model;
    try_places(h, &rough, k, view, places);
    for (int i = 0; i < rough.len; i++) {
        climb_fit(h, &rough.fits[i], view, model, 0, STRIDES);
        insert_fit(&better, &rough.fits[i], model->radius_m);
    }
    for (int i = 0; i < better.len; i++) {
        climb_fit(h, &better.fits[i], view, model, STRIDES, HALVINGS);
        polish_fit(h, &better.fits[i], view, model);
        insert_fit(&own, &better.fits[i], model->radius_m);
    }
    turn_about(h, k, view, &own);
    k->fit_len = own.len;
}

static void note_check(const object_hunter *h, object_kind *k)
{
    k->memory.checked_image = h->image;
    if (k->fit_len > 0)
        k->memory.checked = k->fits[0];
}

/* Searches the table: the whole, or a part of it each time for an object that was missing in the last image. */
static void search_all(object_hunter *h, object_kind *k, const object_view *view)
{
    const object_part all = {0, 1, OBJECT_SHORT_LIST, h->area},
                      part = {(int)(h->image % MISSED_SHARES), MISSED_SHARES,
                              OBJECT_SHORT_LIST / MISSED_SHARES, h->area};
    k->searched_all = !k->memory.was_missed;
    object_search_places(&k->list, view, k->model, k->z_m, k->memory.was_missed ? &part : &all);
    try_list(h, k, view, k->memory.was_missed ? PLACES / MISSED_SHARES : PLACES);
    note_check(h, k);
    k->tried_home = k->memory.has_home;
    if (!k->tried_home)
        return;
    object_hunt_fit(h, &k->at_home, view, k->model, &k->memory.home);
    object_fit climbed = k->at_home;
    climb_on(h, &climbed, view, k->model, &k->memory.home);
    if (object_memory_is_home(&k->memory, k->model, &climbed.place))
        k->at_home = climbed;
}

/* Searches a place and its neighbours in all turns. */
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
    return object_place_distance(&fit->place, &k->memory.checked.place) >
               same_place_share * k->model->radius_m ||
           !object_fit_same_turn(fit, &k->memory.checked);
}

/* The fit of an object that was moved, or whose evidence changed, may be stuck in a turn that is only locally the best. All
 * turns are tried once it stands still; for one kind an image, as that takes long. */
static bool is_to_be_checked(const object_hunter *h, const object_kind *k, const object_fit *fit)
{
    const object_place *at = &fit->place;
    if (h->has_looked_about)
        return false;
    const bool is_still =
                   object_place_distance(at, &k->memory.last.place) < still_share * k->model->radius_m &&
                   object_place_turn(at, &k->memory.last.place) < still_rad,
               has_changed = fit->evidence < fewer * k->memory.checked.evidence ||
                             fit->evidence > more * k->memory.checked.evidence;
    return (has_moved(k, fit) && is_still) ||
           ((has_changed || k->memory.checks_due > 0) && h->image - k->memory.checked_image >= CHECK_IMAGES);
}

/* An object at rest does not turn just when something covers it: another turn needs surely more evidence. */
static void forget_unlikely(fit_list *own, const object_fit *kept, double radius_m)
{
    int len = 0;
    for (int i = 0; i < own->len; i++)
        if (own->fits[i].evidence > kept->evidence + surely)
            own->fits[len++] = own->fits[i];
    own->len = len;
    insert_fit(own, kept, radius_m);
}

static void look_about(object_hunter *h, object_kind *k, const object_view *view, const object_fit *followed)
{
    h->has_looked_about = true;
    search_near(h, k, view, &followed->place);
    fit_list own = {k->fit_len, OBJECT_FITS, k->fits};
    k->memory.checks_due = has_moved(k, followed) ? CHECKS : k->memory.checks_due - 1;
    if (k->memory.checks_due >= 0)
        insert_fit(&own, followed, k->model->radius_m);
    else
        forget_unlikely(&own, followed, k->model->radius_m);
    k->memory.checks_due = k->memory.checks_due > 0 ? k->memory.checks_due : 0;
    k->fit_len = own.len;
    note_check(h, k);
}

/* Fits from the last place; if that fails, climbs from there, then searches about there, then the whole table. */
static void follow_object(object_hunter *h, object_kind *k, const object_view *view)
{
    object_fit fit;
    object_hunt_fit(h, &fit, view, k->model, &k->memory.last.place);
    const double wanted =
        fmax(OBJECT_EVIDENCE_LEAST - object_memory_stay(&k->memory, k->model, &fit, h->now_ns),
             fading_share * k->memory.last.evidence);
    if (fit.evidence < fmax(OBJECT_EVIDENCE_LEAST, wanted))
        climb_on(h, &fit, view, k->model, &k->memory.last.place);
    k->fits[0] = fit;
    k->fit_len = 1;
    if (fit.evidence < wanted || is_to_be_checked(h, k, &fit))
        look_about(h, k, view, &fit);
    if (k->fits[0].evidence <
        OBJECT_EVIDENCE_LEAST - object_memory_stay(&k->memory, k->model, &k->fits[0], h->now_ns))
        search_all(h, k, view);
}

/* Tries the best places of a part of the table, a different part each image. */
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
            insert_fit(&own, &fit, k->model->radius_m);
        }
    k->fit_len = own.len;
}

void object_hunt(object_hunter *hunter, object_kind *kind, const object_view *view)
{
    kind->has_fit = kind->searched_all = kind->tried_home = false;
    kind->fit_len = 0;
    if (kind->memory.was_found) {
        follow_object(hunter, kind, view);
        if (kind->fit_len > 0)
            glance_elsewhere(hunter, kind, view);
    } else
        search_all(hunter, kind, view);
}

void object_hunt_reconsider(object_hunter *hunter, object_kind *kind, const object_view *view)
{
    if (kind->tried_home)
        object_judge(hunter->jury, &kind->at_home, view, kind->model);
    for (int i = 0; i < kind->fit_len; i++) {
        object_fit fit = kind->fits[i];
        int at = i;
        object_judge(hunter->jury, &fit, view, kind->model);
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
                insert_fit(&own, &kinds[from].fits[i], kinds[to].model->radius_m);
            kinds[to].fit_len = own.len;
        }
}
