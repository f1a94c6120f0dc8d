#include "perception/objects/object_hunt.h"

#include <math.h>
#include <string.h>

/* Numbers of tries, chosen between speed and what bench finder misses. */
enum {
    TURNS = 18,      /* about each place */
    ROUGH_MAX = 48,  /* rough fits kept */
    CLIMBED = 14,    /* of these, fits with long steps */
    STRIDES = 2,     /* halvings of the long steps */
    HALVINGS = 5,    /* of all steps */
    PASSES = 3,      /* of steps of one length */
    TURNED = 4,      /* best places whose other turns are tried */
    OTHER_TURNS = 2, /* kept of each of them */
    PLACES = 80,     /* of the table, tried in all turns */
    GLANCES = 32,    /* places of a part of the table, while it is followed */
    NEAR = 3,        /* places to a side, about where it was */
    CHECKS = 3       /* looks about it after a move */
};

/* In video, where a search goes on over images; chosen with bench station. */
enum {
    LISTED = 4,         /* parts of the table, one of which is looked at for a sweep's list in each image */
    TRIED_AT_ONCE = 1,  /* places of such a part */
    SWEPT = 40,         /* places of the table that a sweep tries in all turns, the best first */
    SWEPT_AN_IMAGE = 4, /* of these */
    SWEPT_ROUGH = 5,    /* rough fits kept of them */
    SWEPT_CLIMBED = 2,  /* of these, fits with long steps */
    LOOK_ROUGH = 4,     /* rough fits kept of one place about where it was */
    LOOK_CLIMBED = 2,   /* of these, fits with long steps */
    TABLE_PARTS = 24,   /* one of which is glanced at in each image, for one kind */
    CHECK_IMAGES = 60   /* and check_ns, between two looks about it as its evidence changed */
};
static const int64_t check_ns = 6000000000; /* chosen with bench station --minutes */
static const double evidence_max = 300;     /* exp() of it is finite */
static const int64_t turn_ns = 66000000,    /* of the camera's period, for each kind that searches; chosen */
    turns_max = 4;
static const double plain_evidence = 20; /* log-odds: no other place of a sweep is awaited; chosen */

/* Shares of the evidence in the last image: below it, a better fit may be nearby. Chosen. */
static const double fading_share = 0.7;
/* Log-odds by which another turn is better than the followed one, which does not turn just when something covers it; prior: an object
 * is picked up twice a minute. */
static const double surely = 4;
/* Radii and rad off the expected place: a surprise. In bench station --minutes, noise is one in an image of 500. */
static const double astray_share = 0.05, astray_rad = 6 * POV_PI / 180;
static const double fewer = 0.8,
                    more = 1.25; /* shares of the evidence at the last look about: it changed; chosen */
static const double better_score = 1.05; /* of a place elsewhere against its own, to be tried; chosen */
/* Radii and rad: two fits of the same place; two places apart; the same turn. Chosen. */
static const double same_place_share = 0.15, apart_share = 0.5, same_turn_rad = 12 * POV_PI / 180;
static const double near_share = 0.4; /* of the radius, between places about where it was; chosen */
static const double climb_share = 0.16,
                    climb_rad = 10 * POV_PI / 180; /* longest steps, radii and rad; chosen */
static const double polish_slack = 0.5; /* log-odds that a fit with a covariance may cost; chosen */

pov_status pov_object_hunter_new(object_hunter *hunter)
{
    POV_TRY(pov_object_fitter_new(&hunter->fitter));
    return pov_object_votes_new(&hunter->votes);
}

void pov_object_hunter_free(object_hunter *hunter)
{
    pov_object_fitter_destroy(&hunter->fitter);
    pov_object_votes_destroy(&hunter->votes);
}

/* ---- lists of fits ---- */

typedef struct {
    int len, max;
    object_fit *fits;
} fit_list;

bool pov_object_fit_same_turn(const object_fit *a, const object_fit *b)
{
    return pov_object_place_turn(&a->place, &b->place) < same_turn_rad;
}

/* Best first, each at a place or turn of its own. */
static void insert_fit(fit_list *list, const object_fit *fit, double radius_m)
{
    object_fit *fits = list->fits;
    for (int i = 0; i < list->len; i++)
        if (pov_object_place_distance(&fits[i].place, &fit->place) < same_place_share * radius_m &&
            pov_object_fit_same_turn(&fits[i], fit)) {
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

void pov_object_hunt_fit_roughly(object_hunter *h, object_fit *fit, const object_view *view,
                                 const object_model *model, const object_place *from)
{
    *fit = fit_from(from);
    pov_object_judge(h->votes, fit, view, model);
    pov_object_fit_roughly(h->fitter, fit, view, model);
    pov_object_judge(h->votes, fit, view, model);
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
                pov_object_judge(h->votes, &next, view, model);
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
    pov_object_fit_run(h->fitter, &fine, view, model, true);
    pov_object_judge(h->votes, &fine, view, model);
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

void pov_object_hunt_fit(object_hunter *h, object_fit *fit, const object_view *view,
                         const object_model *model, const object_place *from)
{
    *fit = fit_from(from);
    pov_object_judge(h->votes, fit, view, model);
    polish_fit(h, fit, view, model);
}

/* Finds an object that moved and turned, by steps. */
static void climb_on(object_hunter *h, object_fit *fit, const object_view *view, const object_model *model,
                     const object_place *from)
{
    object_fit climbed = fit_from(from);
    pov_object_judge(h->votes, &climbed, view, model);
    climb_fit(h, &climbed, view, model, 0, HALVINGS);
    polish_fit(h, &climbed, view, model);
    if (climbed.evidence > fit->evidence)
        *fit = climbed;
}

/* ---- all of the table, or nearby ---- */

/* A range of a list's places to try, and the numbers of fits to keep. */
typedef struct {
    const object_short_list *list;
    int first, end;
    int rough, climbed; /* fits kept: up to ROUGH_MAX */
    bool turns_about;   /* tries other turns at the best places then */
} try_size;

static void try_places(object_hunter *h, fit_list *rough, const object_kind *k, const object_view *view,
                       const try_size *size)
{
    for (int n = size->first; n < size->end && n < size->list->len; n++)
        for (int i = 0; i < TURNS; i++) {
            object_fit fit;
            object_place turned = size->list->places[n];
            turned.yaw_rad += i * 2 * POV_PI / TURNS;
            pov_object_hunt_fit_roughly(h, &fit, view, k->model, &turned);
            insert_fit(rough, &fit, k->model->radius_m);
        }
}

static int best_places(object_place places[TURNED], const fit_list *own, double apart_m)
{
    int len = 0;
    for (int i = 0; i < own->len && len < TURNED; i++) {
        bool is_new = true;
        for (int n = 0; n < len && is_new; n++)
            is_new = pov_object_place_distance(&places[n], &own->fits[i].place) > apart_m;
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
            pov_object_hunt_fit_roughly(h, &fit, view, k->model, &place);
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
static void try_best(object_hunter *h, object_kind *k, const object_view *view, const try_size *size)
{
    object_fit fits[2][ROUGH_MAX];
    fit_list rough = {0, size->rough, fits[0]}, better = {0, size->climbed, fits[1]},
             own = {0, OBJECT_FITS, k->fits};
    const object_model *model = k->model;
    try_places(h, &rough, k, view, size);
    for (int i = 0; i < rough.len; i++) {
        climb_fit(h, &rough.fits[i], view, model, 0, STRIDES);
        insert_fit(&better, &rough.fits[i], model->radius_m);
    }
    for (int i = 0; i < better.len; i++) {
        climb_fit(h, &better.fits[i], view, model, STRIDES, HALVINGS);
        polish_fit(h, &better.fits[i], view, model);
        insert_fit(&own, &better.fits[i], model->radius_m);
    }
    if (size->turns_about)
        turn_about(h, k, view, &own);
    k->fit_len = own.len;
}

static void note_check(const object_hunter *h, const object_fit *followed, object_kind *k)
{
    k->memory->checked_image = h->images->images;
    k->memory->checked_ns = h->now_ns;
    k->memory->checked = k->memory->has_tip ? k->fits[0] : *followed;
    k->memory->was_astray = false;
}

/* Improves the fit at home by steps that stay there. */
static void climb_home(object_hunter *h, object_kind *k, const object_view *view)
{
    object_fit climbed = k->at_home;
    climb_on(h, &climbed, view, k->model, &k->memory->home);
    if (pov_object_memory_is_home(k->memory, k->model, &climbed.place))
        k->at_home = climbed;
}

static void search_table(object_hunter *h, object_kind *k, const object_view *view)
{
    k->list.len = 0;
    pov_object_search_places(&k->list, view, k->model, k->z_m,
                             &(object_part){0, 1, OBJECT_SHORT_LIST, h->area});
    pov_object_short_list_thin(&k->list, k->model);
    try_best(h, k, view, &(try_size){&k->list, 0, PLACES, ROUGH_MAX, CLIMBED, true});
    k->searched_all = true;
}

static bool has_moved(const object_kind *k, const object_fit *fit)
{
    return pov_object_place_distance(&fit->place, &k->memory->checked.place) >
               same_place_share * k->model->radius_m ||
           !pov_object_fit_same_turn(fit, &k->memory->checked);
}

/* It stands, or moves on as it did: on a turntable, say. */
static bool is_expected(const object_kind *k, const object_fit *fit, const object_place *expected)
{
    return pov_object_place_distance(&fit->place, expected) < astray_share * k->model->radius_m &&
           pov_object_place_turn(&fit->place, expected) < astray_rad;
}

/* The fit of an object that was moved, or whose evidence changed, may be stuck in a turn that is only locally the best. All turns
 * are tried once it is where it is expected after it was not; otherwise only now and then, as a turntable moves it in every image. */
static bool is_to_be_checked(const object_hunter *h, const object_kind *k, const object_fit *fit,
                             const object_place *expected)
{
    const object_memory *m = k->memory;
    const bool is_due = h->images->images - m->checked_image >= CHECK_IMAGES &&
                        h->now_ns - m->checked_ns >= check_ns,
               has_changed =
                   fit->evidence < fewer * m->checked.evidence || fit->evidence > more * m->checked.evidence;
    return (has_moved(k, fit) && is_expected(k, fit, expected) && (m->was_astray || is_due)) ||
           ((has_changed || m->checks_due > 0) && is_due);
}

/* Fits from nearby; climbs if that leaves little evidence. Returns whether there still is less than there should be. */
static bool fit_last(object_hunter *h, object_fit *fit, const object_kind *k, const object_view *view,
                     const object_place *from)
{
    pov_object_hunt_fit(h, fit, view, k->model, from);
    const double wanted =
        fmax(OBJECT_EVIDENCE_LEAST - pov_object_memory_stay(k->memory, k->model, fit, h->now_ns),
             fading_share * k->memory->last.evidence);
    if (fit->evidence < fmax(OBJECT_EVIDENCE_LEAST, wanted))
        climb_on(h, fit, view, k->model, from);
    return fit->evidence < wanted;
}

static void leave_tip(object_memory *m, const object_place *place)
{
    m->has_tip = true;
    m->is_tip_turn = false;
    m->tip = *place;
}

/* Tries the best places of a part of the table, a different part each image. */
static void glance_elsewhere(object_hunter *h, object_kind *k, const object_view *view)
{
    fit_list own = {0, OBJECT_FITS, k->fits};
    const double score = pov_object_scan_score(view, k->model, &k->fit.place);
    const unsigned part = h->images->images / (unsigned)h->images->len % TABLE_PARTS;
    k->list.len = 0;
    pov_object_search_places(&k->list, view, k->model, k->z_m,
                             &(object_part){(int)part, TABLE_PARTS, GLANCES, h->area});
    pov_object_short_list_thin(&k->list, k->model);
    for (int i = 0; i < k->list.len && i < 2; i++)
        if (k->list.places[i].score > better_score * score) {
            object_fit fit;
            pov_object_hunt_fit(h, &fit, view, k->model, &k->list.places[i]);
            insert_fit(&own, &fit, k->model->radius_m);
        }
    k->fit_len = own.len;
    if (own.len > 0)
        leave_tip(k->memory, &k->fits[0].place);
}

/* ---- in video ---- */

void pov_object_hunt_begin(object_hunter *h, object_kind *kinds, int len)
{
    pov_memory *images = h->images;
    h->glance = NULL;
    for (int i = images ? images->len : len; i < len; i++)
        pov_memory_expect(images)->wants_turn = true;
    for (int i = 0; i < len; i++) {
        object_kind *k = &kinds[i];
        k->expected = images ? &images->expected[i] : &k->blank;
        k->memory = images ? k->expected->note : &k->blank_note;
        if (!images)
            k->blank_note = (object_memory){0};
    }
    if (!images || len == 0)
        return;
    const int64_t turns = images->images > 0 ? images->period_ns / turn_ns : 0;
    h->glance = &kinds[images->images % (unsigned)len];
    pov_memory_give_turns(images, turns > turns_max ? (int)turns_max : turns > 1 ? (int)turns : 1);
}

/* Its place if it goes on as before; or its last place, if it seems to have stopped. */
static object_place expect_place(object_hunter *h, const object_kind *k, const object_view *view)
{
    object_fit stayed = fit_from(&k->memory->last.place), went = stayed;
    double at[3];
    pov_memory_predict(at, h->images, k->expected, 3);
    if (at[0] == k->expected->at[0] && at[1] == k->expected->at[1] && at[2] == k->expected->at[2])
        return stayed.place;
    went.place.x_m = at[0];
    went.place.y_m = at[1];
    went.place.yaw_rad = at[2];
    pov_object_judge(h->votes, &stayed, view, k->model);
    pov_object_judge(h->votes, &went, view, k->model);
    return went.evidence > stayed.evidence ? went.place : stayed.place;
}

/* The middle one of the places about where it was, then those around it. */
static object_place place_about(const object_kind *k, const object_place *middle, int n)
{
    const int i = n == 0 ? NEAR * NEAR / 2 : n <= NEAR * NEAR / 2 ? n - 1 : n;
    object_place place = *middle;
    place.x_m += (i % NEAR - NEAR / 2) * near_share * k->model->radius_m;
    place.y_m += (i / NEAR - NEAR / 2) * near_share * k->model->radius_m;
    return place;
}

/* Looks at one of nine places about the followed one, in all turns. */
static void look_about_once(object_hunter *h, object_kind *k, const object_view *view,
                            const object_fit *followed)
{
    object_memory *m = k->memory;
    if (m->looked == 0) {
        m->checks_due = has_moved(k, followed) ? CHECKS : m->checks_due - 1;
        m->may_turn = m->checks_due >= 0;
        m->checks_due = m->checks_due > 0 ? m->checks_due : 0;
    }
    k->list.len = 1;
    k->list.places[0] = place_about(k, &followed->place, m->looked);
    try_best(h, k, view, &(try_size){&k->list, 0, 1, LOOK_ROUGH, LOOK_CLIMBED, false});
    if (k->fit_len > 0 && k->fits[0].evidence > followed->evidence + (m->may_turn ? 0 : surely)) {
        leave_tip(m, &k->fits[0].place);
        m->tip.x_m -= followed->place.x_m;
        m->tip.y_m -= followed->place.y_m;
        m->tip.yaw_rad -= followed->place.yaw_rad;
        m->is_tip_turn = true;
    }
    m->is_looked_about = ++m->looked < NEAR * NEAR;
    if (!m->is_looked_about)
        note_check(h, followed, k);
}

/* Fits the place that the search of the last image led to. It may have moved as the followed one did, if it may be that one. */
static bool try_tip(object_hunter *h, object_fit *fit, object_kind *k, const object_view *view,
                    const object_place *from)
{
    object_memory *m = k->memory;
    object_place tip = m->tip;
    if (!m->has_tip)
        return false;
    if (m->is_tip_turn) {
        const double turned_rad = from->yaw_rad - m->last.place.yaw_rad, c = cos(turned_rad),
                     s = sin(turned_rad);
        tip.x_m = from->x_m + c * m->tip.x_m - s * m->tip.y_m;
        tip.y_m = from->y_m + s * m->tip.x_m + c * m->tip.y_m;
        tip.yaw_rad += from->yaw_rad;
    }
    pov_object_hunt_fit(h, fit, view, k->model, &tip);
    if (fit->evidence < OBJECT_EVIDENCE_LEAST)
        climb_on(h, fit, view, k->model, &tip);
    m->has_tip = false;
    return true;
}

/* Fits from where it should be. If there is little evidence, the neighbourhood is to be searched, a place an image. */
static void follow_in_video(object_hunter *h, object_kind *k, const object_view *view)
{
    object_fit fit, tip;
    fit_list own = {1, OBJECT_FITS, k->fits};
    const object_place from = expect_place(h, k, view);
    object_memory *m = k->memory;
    const bool is_fading = fit_last(h, &fit, k, view, &from);
    const bool is_turn = m->is_tip_turn;
    k->fits[0] = fit;
    if (try_tip(h, &tip, k, view, &from) && (!is_turn || m->may_turn || tip.evidence > fit.evidence + surely))
        insert_fit(&own, &tip, k->model->radius_m);
    k->fit_len = own.len;
    m->was_astray |= !is_expected(k, &fit, &from);
    if (!m->is_looked_about && (is_fading || is_to_be_checked(h, k, &fit, &from))) {
        m->is_looked_about = true;
        m->looked = 0;
    }
    k->expected->wants_turn = m->is_looked_about;
    if (pov_object_memory_is_home(m, k->model, &fit.place)) {
        k->tried_home = true;
        k->at_home = fit;
    }
}

/* The best place of the sweep, and the best of the others. */
static void note_candidate(object_memory *m, const object_fit *fit, double radius_m)
{
    const bool is_apart = !m->has_candidate || pov_object_place_distance(&fit->place, &m->candidate.place) >
                                                   apart_share * radius_m,
               is_better = !m->has_candidate || fit->evidence > m->candidate.evidence;
    if (is_better && is_apart && m->has_candidate)
        m->rival_evidence = fmax(m->rival_evidence, m->candidate.evidence);
    else if (!is_better && is_apart)
        m->rival_evidence = fmax(m->rival_evidence, fit->evidence);
    if (is_better)
        m->candidate = *fit;
    m->has_candidate = true;
}

/* A place of another object of this make is no place for this one. */
static void drop_taken(object_kind *k, const object_kind *kinds, int len)
{
    int kept = 0;
    for (int i = 0; i < k->fit_len; i++) {
        bool is_taken = false;
        for (int n = 0; n < len && !is_taken; n++)
            is_taken = &kinds[n] != k && kinds[n].make == k->make && kinds[n].has_fit &&
                       pov_object_place_distance(&k->fits[i].place, &kinds[n].fit.place) <
                           apart_share * k->model->radius_m;
        if (!is_taken)
            k->fits[kept++] = k->fits[i];
    }
    k->fit_len = kept;
}

static void begin_sweep(object_kind *k)
{
    object_memory *m = k->memory;
    m->is_swept = true;
    m->has_candidate = false;
    m->listed = m->swept = k->list.len = 0;
    m->rival_evidence = -INFINITY;
}

/* Lists the best places of the next part of the table. Those of that part are tried at once: by the time that all are listed, what
 * moves is elsewhere. */
static void list_and_try(object_hunter *h, object_kind *k, const object_view *view)
{
    object_memory *m = k->memory;
    object_short_list part = {.len = 0};
    pov_object_search_places(&part, view, k->model, k->z_m,
                             &(object_part){m->listed, LISTED, OBJECT_SHORT_LIST / LISTED, h->area});
    pov_object_short_list_add(&k->list, &part);
    if (++m->listed == LISTED)
        pov_object_short_list_thin(&k->list, k->model);
    pov_object_short_list_thin(&part, k->model);
    try_best(h, k, view, &(try_size){&part, 0, TRIED_AT_ONCE, SWEPT_ROUGH, SWEPT_CLIMBED, false});
}

static void try_listed(object_hunter *h, object_kind *k, const object_view *view)
{
    object_memory *m = k->memory;
    try_best(h, k, view,
             &(try_size){&k->list, m->swept, m->swept + SWEPT_AN_IMAGE, SWEPT_ROUGH, SWEPT_CLIMBED, false});
    m->swept += SWEPT_AN_IMAGE;
    m->is_swept = m->swept < SWEPT && m->swept < k->list.len;
}

/* One step of a sweep. Fits with little evidence are kept back until all places are tried. */
static void sweep_table(object_hunter *h, object_kind *k, const object_view *view, const object_kind *kinds,
                        int len)
{
    object_memory *m = k->memory;
    if (!m->is_swept)
        begin_sweep(k);
    if (m->listed < LISTED)
        list_and_try(h, k, view);
    else
        try_listed(h, k, view);
    drop_taken(k, kinds, len);
    for (int i = 0; i < k->fit_len; i++)
        note_candidate(m, &k->fits[i], k->model->radius_m);
    const bool is_plain = k->fit_len > 0 && k->fits[0].evidence > plain_evidence;
    if (!is_plain && (m->is_swept || !m->has_candidate))
        return;
    leave_tip(m, is_plain ? &k->fits[0].place : &m->candidate.place);
    m->odds_elsewhere = exp(fmin(evidence_max, m->rival_evidence + 1));
}

static void find_in_video(object_hunter *h, object_kind *k, const object_view *view)
{
    k->expected->wants_turn = true;
    k->tried_home = k->memory->has_home;
    if (k->tried_home)
        pov_object_hunt_fit(h, &k->at_home, view, k->model, &k->memory->home);
    if (k->tried_home && k->expected->has_turn)
        climb_home(h, k, view);
    k->memory->is_tip_turn = false;
    k->fit_len = try_tip(h, &k->fits[0], k, view, NULL);
}

void pov_object_hunt(object_hunter *hunter, object_kind *kind, const object_view *view)
{
    kind->has_fit = kind->searched_all = kind->tried_home = false;
    kind->fit_len = 0;
    if (!hunter->images)
        search_table(hunter, kind, view);
    else if (!kind->memory->was_found)
        find_in_video(hunter, kind, view);
    else
        follow_in_video(hunter, kind, view);
}

void pov_object_hunt_further(object_hunter *hunter, object_kind *kinds, int len, int own,
                             const object_view *view)
{
    object_kind *k = &kinds[own];
    const bool has_turn = k->expected->has_turn;
    if (!k->memory->was_found && has_turn)
        sweep_table(hunter, k, view, kinds, len);
    else if (k->memory->was_found && k->memory->is_looked_about && has_turn)
        look_about_once(hunter, k, view, &k->fit);
    else if (k->memory->was_found && hunter->glance == k && !has_turn)
        glance_elsewhere(hunter, k, view);
}

void pov_object_hunt_reconsider(object_hunter *hunter, object_kind *kind, const object_view *view)
{
    if (kind->tried_home)
        pov_object_judge(hunter->votes, &kind->at_home, view, kind->model);
    for (int i = 0; i < kind->fit_len; i++) {
        object_fit fit = kind->fits[i];
        int at = i;
        pov_object_judge(hunter->votes, &fit, view, kind->model);
        for (; at > 0 && kind->fits[at - 1].evidence < fit.evidence; at--)
            kind->fits[at] = kind->fits[at - 1];
        kind->fits[at] = fit;
    }
}

void pov_object_hunt_share(object_kind *kinds, int len)
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
