#include "perception/objects/object_finder.h"

#include "perception/objects/object_hunt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MODES = POV_HEADING_MODES_MAX,
    TURNS = 1 + OBJECT_RIVALS, /* of one object that are told apart; chosen */
    TURN_IMAGES = 4 /* in which all turns of a followed object are tried: an eighth of a second; chosen */
};

/* Radii: two objects at one place; a rival's place apart from the object's own. Chosen. */
static const double overlap_share = 0.6, apart_share = 1.5;
static const double alike_score = 0.85; /* of the scan's score: another kind worth a fit; chosen */
static const double rival_worth =
    1; /* log-odds: the best of many wrong places is better than the average; chosen */
static const double claiming_evidence = 14; /* log-odds from which an object claims its pixels; chosen */
static const double evidence_max = 300;     /* exp() of it is finite */

static const double turn_doubt = 2; /* log-odds between turns are too large by this factor; chosen */
static const double turn_slack = 12,
                    rough_slack = 15;   /* log-odds below the best: a turn is dropped; chosen */
static const double steady_share = 0.8; /* of the evidence in the last image: nothing changed; chosen */
static const double aside_rad = 18 * POV_PI / 180; /* a turn tried to either side; chosen */
static const double least_odds = 1e-3;             /* of a turn that is reported; chosen */

/* Least standard deviations, and per rad of elevation off; of places by the radius. Chosen with bench finder. */
static const double place_std_least_m = 3e-4, place_std_by_elevation = 0.12;
static const double yaw_std_least = 0.2 * POV_PI / 180, yaw_std_by_elevation = 0.1;

const pov_memory_shape pov_object_memory = {POV_OBJECT_MAX, sizeof(object_memory), 0};

struct pov_object_finder {
    pov_camera camera;
    int kind_len;
    object_kind *kinds;
    pov_image_pyramid pyramid;
    object_tints tints;
    object_palette palette;
    object_claims claims;
    const pov_workers *workers;
    object_hunter hunters[POV_WORKERS_MAX]; /* of each worker; alike but for their work space */
    object_hunter *hunter;                  /* the caller's: the first */
    pov_object_findings *findings;
    bool has_view; /* of the current image: */
    object_view view;
    pov_object_others others;
};

/* ---- life ---- */

static pov_status make_parts(pov_object_finder *f, const pov_object_finder_config *config)
{
    f->kinds = calloc((size_t)config->kind_len + 1, sizeof *f->kinds);
    if (!f->kinds)
        return pov_error("enrolled objects: out of memory");
    f->kind_len = config->kind_len;
    for (int i = 0; i < config->kind_len; i++) {
        const pov_object_kind *from = &config->kinds[i];
        POV_REQUIRE(from->portraits->len >= POV_PORTRAIT_MIN);
        POV_REQUIRE(!from->is_another || i > 0);
        f->kinds[i].make = from->is_another ? f->kinds[i - 1].make : i;
        f->kinds[i].z_m = from->stands_on_m;
        f->kinds[i].z_std_m = from->stands_on_std_m;
        POV_TRY(pov_object_model_new(&f->kinds[i].model, from->portraits));
    }
    for (int i = 0; i < pov_workers_len(f->workers); i++)
        POV_TRY(pov_object_hunter_new(&f->hunters[i]));
    pov_object_palette_init(&f->palette);
    POV_TRY(pov_image_pyramid_new(&f->pyramid, f->camera.width_px, f->camera.height_px));
    POV_TRY(pov_object_claims_new(&f->claims, f->camera.width_px, f->camera.height_px));
    return pov_object_tints_new(&f->tints, &f->pyramid);
}

pov_status pov_object_finder_new(pov_object_finder **finder, const pov_object_finder_config *config,
                                 const pov_camera *camera)
{
    *finder = calloc(1, sizeof **finder);
    if (!*finder)
        return pov_error("enrolled objects: out of memory");
    (*finder)->camera = *camera;
    (*finder)->workers = config->workers;
    (*finder)->hunter = &(*finder)->hunters[0];
    (*finder)->hunter->area = config->has_area ? (object_area){config->area.low_m, config->area.high_m}
                                               : (object_area){{-INFINITY, -INFINITY}, {INFINITY, INFINITY}};
    const pov_status status = make_parts(*finder, config);
    if (status.code != POV_OK)
        pov_object_finder_destroy(finder);
    return status;
}

void pov_object_finder_destroy(pov_object_finder **finder)
{
    pov_object_finder *f = *finder;
    if (!f)
        return;
    for (int i = 0; i < f->kind_len; i++)
        pov_object_model_destroy(&f->kinds[i].model);
    free(f->kinds);
    for (int i = 0; i < POV_WORKERS_MAX; i++)
        pov_object_hunter_free(&f->hunters[i]);
    pov_object_tints_free(&f->tints);
    pov_object_claims_free(&f->claims);
    pov_image_pyramid_free(&f->pyramid);
    free(f);
    *finder = NULL;
}

/* ---- which object is where ---- */

static double prior_of(const pov_object_finder *f, const object_kind *k, const object_fit *fit)
{
    return pov_object_memory_prior(k->memory, k->model, fit, f->hunter->now_ns);
}

static double stay_of(const pov_object_finder *f, const object_kind *k, const object_fit *fit)
{
    return pov_object_memory_stay(k->memory, k->model, fit, f->hunter->now_ns);
}

/* No other object was put there. */
static bool is_free(const pov_object_finder *f, const object_kind *k, const object_fit *fit)
{
    for (int i = 0; i < f->kind_len; i++) {
        const object_kind *other = &f->kinds[i];
        if (other->has_fit && pov_object_place_distance(&fit->place, &other->fit.place) <
                                  overlap_share * fmin(k->model->radius_m, other->model->radius_m))
            return false;
    }
    return true;
}

static const object_fit *better_fit(const object_fit *a, const object_fit *b)
{
    return !a || (b && b->evidence > a->evidence) ? b : a;
}

/* The kind's best fit at a free place; NULL: there is none. */
static const object_fit *likeliest_fit(const pov_object_finder *f, const object_kind *k)
{
    const object_fit *home = k->tried_home && is_free(f, k, &k->at_home) ? &k->at_home : NULL,
                     *elsewhere = NULL;
    for (int n = 0; n < k->fit_len; n++) {
        const object_fit *fit = &k->fits[n];
        if (!is_free(f, k, fit))
            continue;
        if (pov_object_memory_is_home(k->memory, k->model, &fit->place))
            home = better_fit(home, fit);
        else
            elsewhere = better_fit(elsewhere, fit);
    }
    return home && elsewhere && home->evidence + prior_of(f, k, home) >= elsewhere->evidence
               ? home
               : better_fit(elsewhere, home);
}

/* Gives each kind the best of its fits, at places apart. The kind with the most evidence is first; the pixels that it explains
 * are evidence for no other. */
static void place_objects(pov_object_finder *f, const object_view *view)
{
    for (int round = 0; round < f->kind_len; round++) {
        object_kind *best = NULL;
        const object_fit *best_fit = NULL;
        for (int i = 0; i < f->kind_len; i++) {
            const object_fit *fit = f->kinds[i].has_fit ? NULL : likeliest_fit(f, &f->kinds[i]);
            if (fit && (!best || fit->evidence > best_fit->evidence)) {
                best = &f->kinds[i];
                best_fit = fit;
            }
        }
        if (!best)
            return;
        best->fit = *best_fit;
        best->has_fit = true;
        if (best->fit.evidence < claiming_evidence)
            continue;
        pov_object_claims_add(&f->claims, view, best->model, &best->fit.place, &best->fit.cover);
        for (int i = 0; i < f->kind_len; i++)
            if (!f->kinds[i].has_fit)
                pov_object_hunt_reconsider(f->hunter, &f->kinds[i], view);
    }
}

/* ---- probabilities ---- */

static double odds_of(double evidence)
{
    return exp(fmin(evidence_max, evidence));
}

/* A nearer fit rests on the same pixels in part. */
static bool is_apart(const object_fit *fit, const object_kind *own)
{
    return pov_object_place_distance(&fit->place, &own->fit.place) > apart_share * own->model->radius_m;
}

/* The fit is explained by another object of the same make. */
static bool is_of_another(const pov_object_finder *f, const object_kind *own, const object_fit *fit)
{
    for (int i = 0; i < f->kind_len; i++) {
        const object_kind *other = &f->kinds[i];
        if (other != own && other->make == own->make && other->has_fit && !is_apart(fit, other))
            return true;
    }
    return false;
}

/* There is one object of each kind: the odds that it is elsewhere count against its being here. */
static double odds_elsewhere(const pov_object_finder *f, const object_kind *own)
{
    double sum = own->searched_all ? 0 : own->memory->odds_elsewhere;
    for (int i = 0; i < own->fit_len; i++) {
        const object_fit *rival = &own->fits[i];
        if (!is_free(f, own, rival) || !is_apart(rival, own) || is_of_another(f, own, rival))
            continue;
        const double odds = odds_of(rival->evidence + rival_worth);
        sum = own->searched_all ? sum + odds : fmax(sum, odds);
    }
    return sum;
}

/* Odds that a kind that was found elsewhere is still at home. */
static double odds_at_home(const pov_object_finder *f, const object_kind *own)
{
    if (!own->tried_home || !is_apart(&own->at_home, own) || !is_free(f, own, &own->at_home))
        return 0;
    return odds_of(own->at_home.evidence + prior_of(f, own, &own->at_home));
}

/* Evidence for another kind at this place; only a kind whose colours agree is fitted. */
static double evidence_of_other(object_hunter *hunter, const object_kind *other, const object_fit *fit,
                                double score, const object_view *view)
{
    object_place turn = fit->place;
    object_fit there;
    turn.z_m = other->z_m;
    pov_object_scan_place(view, other->model, &turn, 1, 1);
    if (turn.score < alike_score * score)
        return -INFINITY;
    pov_object_hunt_fit(hunter, &there, view, other->model, &turn);
    return there.evidence;
}

/* Probabilities that the thing at kind `own`'s place is this or that kind, or none. */
static void find_odds(pov_object_finder *f, object_hunter *hunter, pov_object_finding *finding, int own)
{
    const object_view *view = &f->view;
    object_kind *k = &f->kinds[own];
    const double score = pov_object_scan_score(view, k->model, &k->fit.place);
    object_view without_own = *view;
    without_own.set_aside = k->model;
    k->memory->odds_elsewhere = odds_elsewhere(f, k);
    const double stay = stay_of(f, k, &k->fit), beyond = prior_of(f, k, &k->fit) - stay;
    const double none =
        exp(OBJECT_EVIDENCE_LEAST) + k->memory->odds_elsewhere * exp(-beyond) + odds_at_home(f, k);
    double odds[POV_OBJECT_MAX], sum = none;
    for (int i = 0; i < f->kind_len; i++) {
        const bool is_alike = i != own && f->kinds[i].make == k->make;
        odds[i] = odds_of(i == own   ? k->fit.evidence + stay
                          : is_alike ? -INFINITY
                                     : evidence_of_other(hunter, &f->kinds[i], &k->fit, score, &without_own));
        sum += odds[i];
    }
    for (int i = 0; i < f->kind_len; i++)
        finding->p_kind[i] = odds[i] / sum;
    finding->p_none = none / sum;
}

/* ---- all turns that an object at its place may have ---- */

static void add_mode(pov_heading *heading, const object_fit *fit, const object_model *model, double odds,
                     double least_std_rad)
{
    if (heading->len == MODES)
        return;
    const double std_rad = hypot(sqrt(fit->cov[2][2]), least_std_rad);
    heading->mode[heading->len++] = (pov_heading_mode){
        odds, remainder(fit->place.yaw_rad + model->front_rad, 2 * POV_PI), pov_kappa_from_std(std_rad)};
}

/* Keeps a turn that is at the best one's place and has no less evidence than it but for `turn_slack`. */
static void add_turn(object_fit fits[TURNS], int *len, const object_fit *fit, const object_model *model)
{
    if (pov_object_place_distance(&fit->place, &fits[0].place) >= overlap_share * model->radius_m ||
        fit->evidence < fits[0].evidence - turn_slack)
        return;
    for (int i = 0; i < *len; i++)
        if (pov_object_fit_same_turn(&fits[i], fit)) {
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
        if (pov_object_fit_same_turn(&fits[i], fit))
            return false;
    return true;
}

static object_place turned_by(const object_place *place, double turn_rad)
{
    object_place turned = *place;
    turned.yaw_rad += turn_rad;
    return turned;
}

/* Turns to try: one to either side, and those whose colours agree. If the object is followed, and shows as much as in the last image,
 * each image tries a part of them, and those that the last image allowed. */
static int list_turns(object_place starts[TURNS + 2 + OBJECT_RIVALS], const object_hunter *hunter,
                      const object_view *view, const object_kind *k)
{
    object_place all[TURNS + 2];
    const object_memory *m = k->memory;
    const bool is_steady =
        hunter->images && m->was_found && k->fit.evidence > steady_share * m->last.evidence;
    int all_len = pov_object_scan_turns(view, k->model, all, TURNS, &k->fit.place), len = 0;
    all[all_len++] = turned_by(&k->fit.place, -aside_rad);
    all[all_len++] = turned_by(&k->fit.place, aside_rad);
    for (int i = 0; is_steady && i < m->rival_len; i++)
        starts[len++] = turned_by(&k->fit.place, m->rivals_rad[i]);
    for (int i = 0; i < all_len; i++)
        if (!is_steady || (hunter->images->images + (unsigned)i) % TURN_IMAGES == 0)
            starts[len++] = all[i];
    return len;
}

/* Fits other turns at the place: those of the search, and those listed. */
static int find_turns(object_fit fits[TURNS], object_hunter *hunter, const object_view *view,
                      const object_kind *k)
{
    object_place starts[TURNS + 2 + OBJECT_RIVALS];
    int len = 1;
    fits[0] = k->fit;
    for (int i = 0; i < k->fit_len; i++)
        add_turn(fits, &len, &k->fits[i], k->model);
    const int start_len = list_turns(starts, hunter, view, k);
    for (int i = 0; i < start_len; i++) {
        object_fit fit;
        pov_object_hunt_fit_roughly(hunter, &fit, view, k->model, &starts[i]);
        if (fit.evidence < k->fit.evidence - rough_slack || !is_new_turn(fits, len, &fit))
            continue;
        pov_object_hunt_fit(hunter, &fit, view, k->model, &fit.place);
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

static double turn_odds(const object_fit *fit, const object_fit *best)
{
    return exp((fit->evidence - best->evidence) / turn_doubt);
}

static void repeat_mode(pov_heading *heading, int symmetry)
{
    const pov_heading_mode first = heading->mode[0];
    heading->len = symmetry < MODES ? symmetry : MODES;
    for (int i = 0; i < heading->len; i++)
        heading->mode[i] =
            (pov_heading_mode){1.0 / heading->len,
                               remainder(first.yaw_rad + i * 2 * POV_PI / symmetry, 2 * POV_PI), first.kappa};
}

/* Covariance of the place that comes of not knowing the turn. */
typedef struct {
    double xx, xy, yy;
} place_spread;

/* Each turn has its own place: by the other turn, a handle is behind the cup and not before it. */
static place_spread spread_of(const object_fit *fits, int len)
{
    place_spread spread = {0, 0, 0};
    double sum = 0;
    for (int i = 0; i < len; i++) {
        const double odds = turn_odds(&fits[i], &fits[0]), x = fits[i].place.x_m - fits[0].place.x_m,
                     y = fits[i].place.y_m - fits[0].place.y_m;
        sum += odds;
        spread.xx += odds * x * x;
        spread.xy += odds * x * y;
        spread.yy += odds * y * y;
    }
    return (place_spread){spread.xx / sum, spread.xy / sum, spread.yy / sum};
}

static void add_modes(pov_heading *heading, const object_fit *fits, int len, const object_model *model,
                      double least_std_rad)
{
    double sum = 0;
    for (int i = 0; i < len; i++)
        if (turn_odds(&fits[i], &fits[0]) > least_odds)
            add_mode(heading, &fits[i], model, turn_odds(&fits[i], &fits[0]), least_std_rad);
    for (int i = 0; i < heading->len; i++)
        sum += heading->mode[i].weight;
    for (int i = 0; i < heading->len; i++)
        heading->mode[i].weight /= sum;
}

/* Out: heading, len 0 for an object that looks the same from all sides. The kind's fit becomes the likeliest turn. */
static void find_heading(object_hunter *hunter, pov_heading *heading, place_spread *spread,
                         const object_view *view, object_kind *k)
{
    object_fit fits[TURNS];
    int len = 1;
    heading->len = 0;
    *spread = (place_spread){0, 0, 0};
    if (k->model->symmetry == 0)
        return;
    fits[0] = k->fit;
    if (k->model->symmetry == 1)
        len = find_turns(fits, hunter, view, k);
    put_best_first(fits, len);
    k->fit = fits[0];
    k->memory->rival_len = len - 1;
    for (int i = 1; i < len; i++)
        k->memory->rivals_rad[i - 1] = fits[i].place.yaw_rad - fits[0].place.yaw_rad;
    *spread = spread_of(fits, len);
    add_modes(heading, fits, len, k->model,
              yaw_std_least +
                  yaw_std_by_elevation * pov_object_view_elevation_off(view, k->model, &k->fit.place));
    if (k->model->symmetry > 1)
        repeat_mode(heading, k->model->symmetry);
}

/* ---- findings ---- */

/* Derivatives of a place on a plane by the camera's pose: it moves with the camera, then along its ray back to the plane. */
static void couple_to_pose(double per_pose[3][6], pov_vec3 from_eye_m)
{
    const pov_vec3 p = from_eye_m;
    const double J[3][6] = {{0, p.z, -p.y, 1, 0, 0}, {-p.z, 0, p.x, 0, 1, 0}, {p.y, -p.x, 0, 0, 0, 1}};
    const double along[3] = {p.x / p.z, p.y / p.z, 1};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 6; k++)
            per_pose[i][k] = J[i][k] - along[i] * J[2][k];
}

static void report_place(pov_object_finding *finding, const object_view *view, const object_kind *k,
                         const place_spread *spread)
{
    const object_fit *fit = &k->fit;
    const pov_rot R = pov_rot_yaw(fit->place.yaw_rad);
    const pov_vec3 middle_m = pov_rot_apply(R, k->model->middle_m), eye_m = view->T_table_camera.t_m;
    pov_position *position = &finding->position;
    *position = (pov_position){
        .mean_m = pov_vec3_add((pov_vec3){fit->place.x_m, fit->place.y_m, fit->place.z_m}, middle_m)};
    const pov_vec3 from_eye_m = pov_vec3_sub(position->mean_m, eye_m);
    const double slide[2] = {from_eye_m.x / from_eye_m.z, from_eye_m.y / from_eye_m.z},
                 z2 = k->z_std_m * k->z_std_m;
    const double least_m = place_std_least_m + place_std_by_elevation * k->model->radius_m *
                                                   pov_object_view_elevation_off(view, k->model, &fit->place);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            position->own_cov_m2[i][j] =
                fit->cov[i][j] + slide[i] * slide[j] * z2 + (i == j ? least_m * least_m : 0);
    position->own_cov_m2[0][0] += spread->xx;
    position->own_cov_m2[1][1] += spread->yy;
    position->own_cov_m2[0][1] += spread->xy;
    position->own_cov_m2[1][0] += spread->xy;
    for (int i = 0; i < 2; i++)
        position->own_cov_m2[i][2] = position->own_cov_m2[2][i] = slide[i] * z2;
    position->own_cov_m2[2][2] = z2;
    couple_to_pose(position->per_camera_pose, from_eye_m);
    finding->size_m = k->model->size_m;
    finding->R_table_box = pov_rot_yaw(fit->place.yaw_rad + k->model->front_rad);
    finding->fraction_visible = fit->visible;
}

/* A new thing, or one that was missing, has no rate yet. */
static void remember_object(const pov_memory *images, object_kind *k, bool is_found)
{
    const object_place *at = &k->fit.place;
    if (!is_found) {
        pov_object_memory_missed(k->memory, k->tried_home ? &k->at_home : NULL);
        return;
    }
    if (!k->memory->was_found)
        k->expected->seen_ns = images->now_ns;
    const double yaw_rad = k->expected->at[2];
    pov_memory_see(images, k->expected,
                   (const double[]){at->x_m, at->y_m, yaw_rad + remainder(at->yaw_rad - yaw_rad, 2 * POV_PI)},
                   3);
    pov_object_memory_found(k->memory, k->model, &k->fit, images->now_ns);
}

/* ---- pieces of work, most of them of one kind each ---- */

static object_hunter *hunter_of(pov_object_finder *f, int worker)
{
    object_hunter *h = &f->hunters[worker];
    h->area = f->hunter->area;
    h->images = f->hunter->images;
    h->now_ns = f->hunter->now_ns;
    h->glance = f->hunter->glance;
    return h;
}

enum { TINT_PARTS = 4 };

static void take_colours(void *finder, int i, int worker)
{
    pov_object_finder *f = finder;
    (void)worker;
    if (i == 0)
        pov_object_palette_set(&f->palette, &f->pyramid);
    else
        pov_object_tints_set(&f->tints, &f->pyramid, i - 1, TINT_PARTS);
}

static void hunt_kind(void *finder, int i, int worker)
{
    pov_object_finder *f = finder;
    pov_object_hunt(hunter_of(f, worker), &f->kinds[i], &f->view);
}

/* p_none 0: something is reported. */
static void turn_kind(void *finder, int i, int worker)
{
    pov_object_finder *f = finder;
    object_kind *k = &f->kinds[i];
    pov_object_finding *finding = &f->findings->findings[i];
    place_spread spread;
    *finding = (pov_object_finding){.p_none = 1};
    if (!k->has_fit || k->fit.evidence < OBJECT_EVIDENCE_LEAST - stay_of(f, k, &k->fit))
        return;
    finding->p_none = 0;
    find_heading(hunter_of(f, worker), &finding->heading, &spread, &f->view, k);
    if (!k->model->has_front)
        finding->heading.len = 0;
    report_place(finding, &f->view, k, &spread);
}

static void report_kind(void *finder, int i, int worker)
{
    pov_object_finder *f = finder;
    pov_object_finding *finding = &f->findings->findings[i];
    if (finding->p_none == 0) {
        find_odds(f, hunter_of(f, worker), finding, i);
        finding->found = finding->p_kind[i] > 0.5;
    }
    if (f->hunter->images)
        remember_object(f->hunter->images, &f->kinds[i], finding->found);
}

static void hunt_kind_further(void *finder, int i, int worker)
{
    pov_object_finder *f = finder;
    pov_object_hunt_further(hunter_of(f, worker), f->kinds, f->kind_len, i, &f->view);
}

static void claim_for_others(pov_object_finder *f)
{
    pov_object_claims_clear(&f->claims);
    for (int i = 0; i < f->others.len; i++)
        pov_object_claims_add_other(&f->claims, f->others.others[i].corner_px, f->others.others[i].depth_m);
}

pov_status pov_object_finder_run(pov_object_finder *finder, pov_object_findings *findings,
                                 const pov_image *image, const pov_pose *T_table_camera,
                                 const pov_object_others *others, pov_memory *memory)
{
    pov_object_finder *f = finder;
    memset(findings, 0, sizeof *findings);
    if (image->width_px != f->camera.width_px || image->height_px != f->camera.height_px)
        return pov_status_with(POV_SKIPPED, "%s: %d x %d pixels where %d x %d are expected", image->name,
                               image->width_px, image->height_px, f->camera.width_px, f->camera.height_px);
    f->has_view = false;
    findings->len = f->kind_len;
    for (int i = 0; i < f->kind_len; i++)
        findings->findings[i].p_none = 1;
    if (!T_table_camera)
        return pov_ok();
    pov_image_pyramid_set(&f->pyramid, image, f->workers);
    pov_tasks_run(f->workers, take_colours, f, 1 + TINT_PARTS);
    f->others.len = others ? others->len : 0;
    if (others)
        memcpy(f->others.others, others->others, (size_t)others->len * sizeof *others->others);
    claim_for_others(f);
    f->hunter->now_ns = image->mid_exposure_ns;
    f->hunter->images = memory;
    f->findings = findings;
    if (memory)
        pov_memory_begin(memory, image->mid_exposure_ns, image->sequence);
    f->has_view = true;
    f->view = (object_view){&f->camera,
                            T_table_camera->T,
                            pov_transform_inverse(T_table_camera->T),
                            &f->pyramid,
                            &f->tints,
                            &f->palette,
                            &f->claims,
                            NULL};
    pov_object_hunt_begin(f->hunter, f->kinds, f->kind_len);
    pov_tasks_run(f->workers, hunt_kind, f, f->kind_len);
    pov_object_hunt_share(f->kinds, f->kind_len);
    place_objects(f, &f->view);
    pov_tasks_run(f->workers, turn_kind, f, f->kind_len);
    pov_tasks_run(f->workers, report_kind, f, f->kind_len);
    return pov_ok();
}

/* The objects found claim nothing: one may stand where another was thought to be. */
void pov_object_finder_remember(pov_object_finder *f, const pov_image *image, pov_memory *memory)
{
    if (!f->has_view)
        return;
    f->pyramid.levels[0].pixels = image->pixels;
    claim_for_others(f);
    pov_tasks_run(f->workers, hunt_kind_further, f, f->kind_len);
    pov_memory_keep(memory);
}
