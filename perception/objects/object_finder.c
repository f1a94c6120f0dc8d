#include "perception/objects/object_finder.h"

#include "perception/objects/object_search.h"
#include "perception/objects/object_verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MODES = POV_HEADING_MODES_MAX,
    TURNS = 6,
    PLACE_TURNS = 5,
    ROUGH_PLACES = 40,
    SHAKEN = 6,
    MISSED_SHARES = 4,
    CAREFUL_SHARE = 2
};

static const double prior_odds_log = -9; /* of all that is searched, little is it */
static const double fading_share =
    0.7; /* of the evidence that there was: where it fell lower, all is searched again */
static const double shake_share = 0.12, shake_rad = 10 * POV_PI / 180;
static const double found_evidence = 9;
static const double better_score = 1.05; /* of a place elsewhere, to be looked at while the last one holds */
static const double alike_score = 0.85;
static const double turn_doubt = 2; /* evidence for one turn against another is overstated by as much */
static const double same_turn_rad = 12 * POV_PI / 180;
static const double turn_slack = 12, rough_slack = 25; /* of evidence: not likely enough to be looked at */
static const double yaw_std_by_elevation = 0.1, place_std_by_elevation = 0.12; /* per rad of elevation off */
static const double aside_rad = 18 * POV_PI / 180;
static const double yaw_std_least = 0.2 * POV_PI / 180, place_std_least_m = 3e-4;
static const double same_place_share = 0.15;
static const double overlap_share = 0.6;

/* Covariance that comes of not knowing the turn. */
typedef struct {
    double xx, xy, yy;
} place_spread;

typedef struct {
    object_model *model;
    place_spread spread;
    double z_m, z_std_m;
    bool has_seed, has_fit, missed;
    object_fit seed, fit;
    int fit_len;
    object_fit fits[OBJECT_FITS]; /* best first, apart from one another */
    object_short_list list;
} kind;

struct pov_object_finder {
    pov_camera camera;
    int kind_len;
    kind *kinds;
    pov_image_pyramid pyramid;
    object_tints tints;
    object_palette palette;
    object_fitter *fitter;
    object_jury *jury;
    pov_object_area area;
    unsigned image;
};

/* ---- life ---- */

static pov_status make(pov_object_finder *f, const pov_object_finder_config *config)
{
    f->kinds = calloc((size_t)config->kind_len + 1, sizeof *f->kinds);
    if (!f->kinds)
        return pov_error("enrolled objects: out of memory");
    f->kind_len = config->kind_len;
    for (int i = 0; i < config->kind_len; i++) {
        const pov_object_kind *from = &config->kinds[i];
        POV_REQUIRE(from->portraits->len >= POV_PORTRAIT_MIN);
        f->kinds[i].z_m = from->stands_on_m;
        f->kinds[i].z_std_m = from->stands_on_std_m;
        POV_TRY(object_model_new(&f->kinds[i].model, from->portraits));
    }
    POV_TRY(object_fitter_new(&f->fitter));
    POV_TRY(object_jury_new(&f->jury));
    object_palette_init(&f->palette);
    POV_TRY(pov_image_pyramid_new(&f->pyramid, f->camera.width_px, f->camera.height_px));
    return object_tints_new(&f->tints, &f->pyramid);
}

pov_status pov_object_finder_new(pov_object_finder **finder, const pov_object_finder_config *config,
                                 const pov_camera *camera)
{
    *finder = calloc(1, sizeof **finder);
    if (!*finder)
        return pov_error("enrolled objects: out of memory");
    (*finder)->camera = *camera;
    (*finder)->area =
        config->has_area ? config->area : (pov_object_area){{-INFINITY, -INFINITY}, {INFINITY, INFINITY}};
    const pov_status status = make(*finder, config);
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
        object_model_destroy(&f->kinds[i].model);
    free(f->kinds);
    object_fitter_destroy(&f->fitter);
    object_jury_destroy(&f->jury);
    object_tints_free(&f->tints);
    pov_image_pyramid_free(&f->pyramid);
    free(f);
    *finder = NULL;
}

void pov_object_finder_forget(pov_object_finder *finder)
{
    for (int i = 0; i < finder->kind_len; i++)
        finder->kinds[i].has_seed = finder->kinds[i].missed = false;
}

/* ---- one kind ---- */

static object_fit fit_from(const object_place *place)
{
    return (object_fit){.place = *place, .light = {1, 1, 1, 0, 0, 0}};
}

/* Best first, each at a place or turn of its own. */
static void insert(object_fit fits[OBJECT_FITS], int *len, const object_fit *fit, double radius_m)
{
    for (int i = 0; i < *len; i++)
        if (hypot(fits[i].place.x_m - fit->place.x_m, fits[i].place.y_m - fit->place.y_m) <
                same_place_share * radius_m &&
            fabs(remainder(fits[i].place.yaw_rad - fit->place.yaw_rad, 2 * POV_PI)) < same_turn_rad) {
            if (fits[i].evidence >= fit->evidence)
                return;
            memmove(&fits[i], &fits[i + 1], (size_t)(--*len - i) * sizeof *fits);
            break;
        }
    int at = *len < OBJECT_FITS ? (*len)++ : OBJECT_FITS;
    for (; at > 0 && fits[at - 1].evidence < fit->evidence; at--)
        if (at < OBJECT_FITS)
            fits[at] = fits[at - 1];
    if (at < OBJECT_FITS)
        fits[at] = *fit;
}

static void consider(pov_object_finder *f, kind *k, const object_view *view, object_fit *fit, bool finely)
{
    object_fit_run(f->fitter, fit, view, k->model, finely);
    insert(k->fits, &k->fit_len, fit, k->model->radius_m);
}

/* A fit may rest a little beside the place: stripes look like stripes one further on. */
static void shake(pov_object_finder *f, kind *k, const object_view *view, const object_fit *from)
{
    static const double by[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    for (int i = 0; i < 6; i++) {
        object_fit fit = fit_from(&from->place);
        fit.place.x_m += by[i][0] * shake_share * k->model->radius_m;
        fit.place.y_m += by[i][1] * shake_share * k->model->radius_m;
        fit.place.yaw_rad += by[i][2] * shake_rad;
        consider(f, k, view, &fit, true);
    }
}

/* Tries the places of the list: the first with care, more of them roughly, and the best of these with care. */
static void try_list(pov_object_finder *f, kind *k, const object_view *view, int places)
{
    object_fit fits[OBJECT_FITS];
    int len = 0;
    for (int n = 0; n < places && n < k->list.len; n++) {
        object_place turns[PLACE_TURNS];
        const int turn_len = object_scan_turns(view, k->model, turns, PLACE_TURNS, &k->list.places[n]);
        for (int i = 0; i < turn_len; i++) {
            object_fit fit = fit_from(&turns[i]);
            if (n < places / CAREFUL_SHARE) {
                consider(f, k, view, &fit, false);
                continue;
            }
            object_fit_roughly(f->fitter, &fit, view, k->model);
            insert(fits, &len, &fit, k->model->radius_m);
        }
    }
    for (int i = 0; i < len; i++)
        consider(f, k, view, &fits[i], false);
    memcpy(fits, k->fits, sizeof fits);
    for (int i = 0; i < k->fit_len && i < SHAKEN; i++)
        shake(f, k, view, &fits[i]);
}

/* All of the table; but what was not there a moment ago is looked for in a part of it each time. */
static void search_all(pov_object_finder *f, kind *k, const object_view *view)
{
    const object_part all = {0, 1, f->area}, part = {(int)(f->image % MISSED_SHARES), MISSED_SHARES, f->area};
    object_search_places(&k->list, view, k->model, k->z_m, k->missed ? &part : &all);
    try_list(f, k, view, k->missed ? ROUGH_PLACES / MISSED_SHARES : ROUGH_PLACES);
}

/* Around where it was; and whether a part of the table has something better. */
static void follow(pov_object_finder *f, kind *k, const object_view *view)
{
    object_fit fit = k->seed;
    consider(f, k, view, &fit, true);
    if (k->fits[0].evidence < fmax(found_evidence, fading_share * k->seed.evidence)) {
        search_all(f, k, view);
        return;
    }
    const double score = object_scan_score(view, k->model, &k->fits[0].place);
    object_search_places(&k->list, view, k->model, k->z_m,
                         &(object_part){(int)(f->image % OBJECT_SHARES), OBJECT_SHARES, f->area});
    for (int i = 0; i < k->list.len && i < 2; i++)
        if (k->list.places[i].score > better_score * score) {
            object_fit other = fit_from(&k->list.places[i]);
            consider(f, k, view, &other, false);
        }
}

/* ---- two kinds at one place ---- */

static bool overlap(const kind *a, const object_fit *fit, const kind *b)
{
    return hypot(fit->place.x_m - b->fit.place.x_m, fit->place.y_m - b->fit.place.y_m) <
           overlap_share * fmin(a->model->radius_m, b->model->radius_m);
}

static bool is_free(const pov_object_finder *f, const kind *k, const object_fit *fit)
{
    for (int i = 0; i < f->kind_len; i++)
        if (f->kinds[i].has_fit && overlap(k, fit, &f->kinds[i]))
            return false;
    return true;
}

/* The kind not yet placed that has most evidence for a place still free takes it, and so on. */
static void settle(pov_object_finder *f)
{
    for (int round = 0; round < f->kind_len; round++) {
        kind *best = NULL;
        const object_fit *best_fit = NULL;
        for (int i = 0; i < f->kind_len; i++) {
            kind *k = &f->kinds[i];
            for (int n = 0; n < k->fit_len && !k->has_fit; n++)
                if ((!best || k->fits[n].evidence > best_fit->evidence) && is_free(f, k, &k->fits[n])) {
                    best = k;
                    best_fit = &k->fits[n];
                }
        }
        if (!best)
            return;
        best->fit = *best_fit;
        best->has_fit = true;
    }
}

/* What else might be at this kind's place: only what looks like it at first sight is fitted. */
static void find_kinds(pov_object_finder *f, pov_object_finding *finding, const object_view *view, int own)
{
    const object_fit *fit = &f->kinds[own].fit;
    double odds[POV_OBJECT_MAX], sum = 1;
    for (int i = 0; i < f->kind_len; i++) {
        const object_model *model = f->kinds[i].model;
        object_place turn = fit->place;
        double evidence = fit->evidence;
        turn.z_m = f->kinds[i].z_m;
        odds[i] = 0;
        if (i != own) {
            object_scan_place(view, model, &turn, 1, 1);
            if (turn.score < alike_score * object_scan_score(view, f->kinds[own].model, &fit->place))
                continue;
            object_fit other = fit_from(&turn);
            object_fit_run(f->fitter, &other, view, model, true);
            evidence = other.evidence;
        }
        odds[i] = exp(fmin(300, evidence + prior_odds_log));
        sum += odds[i];
    }
    for (int i = 0; i < f->kind_len; i++)
        finding->p_kind[i] = odds[i] / sum;
    finding->p_none = 1 / sum;
}

/* ---- what is said ---- */

static void add_mode(pov_heading *heading, const object_fit *fit, const object_model *model, double odds,
                     double least_std_rad)
{
    if (heading->len == MODES)
        return;
    const double std_rad = hypot(sqrt(fit->cov[2][2]), least_std_rad);
    heading->mode[heading->len++] = (pov_heading_mode){
        odds, remainder(fit->place.yaw_rad + model->front_rad, 2 * POV_PI), pov_kappa_from_std(std_rad)};
}

static bool is_new_turn(const object_fit *fits, int len, double yaw_rad)
{
    for (int i = 0; i < len; i++)
        if (fabs(remainder(fits[i].place.yaw_rad - yaw_rad, 2 * POV_PI)) < same_turn_rad)
            return false;
    return true;
}

static bool is_near(const object_fit *fit, const object_fit *other, const object_model *model)
{
    return hypot(fit->place.x_m - other->place.x_m, fit->place.y_m - other->place.y_m) <
           overlap_share * model->radius_m;
}

/* Keeps a turn if it is as likely as the best but for `turn_slack`. */
static void add_turn(object_fit fits[TURNS], int *len, const object_fit *fit, const object_model *model)
{
    if (*len == TURNS || !is_near(fit, &fits[0], model) ||
        fit->turn_evidence < fits[0].turn_evidence - turn_slack)
        return;
    for (int i = 0; i < *len; i++)
        if (fabs(remainder(fits[i].place.yaw_rad - fit->place.yaw_rad, 2 * POV_PI)) < same_turn_rad) {
            if (fit->turn_evidence > fits[i].turn_evidence)
                fits[i] = *fit;
            return;
        }
    fits[(*len)++] = *fit;
}

/* Other turns at the place that may be it: those at hand, a little to either side, and where it looks alike. */
static int find_turns(pov_object_finder *f, object_fit fits[TURNS], const object_view *view, const kind *k)
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
        object_fit fit = fit_from(&starts[i]);
        object_fit_roughly(f->fitter, &fit, view, k->model);
        if (fit.turn_evidence < k->fit.turn_evidence - rough_slack ||
            !is_new_turn(fits, len, fit.place.yaw_rad))
            continue;
        object_fit_run(f->fitter, &fit, view, k->model, true);
        add_turn(fits, &len, &fit, k->model);
    }
    return len;
}

static void spread(pov_heading *heading, int symmetry)
{
    const pov_heading_mode first = heading->mode[0];
    heading->len = symmetry < MODES ? symmetry : MODES;
    for (int i = 0; i < heading->len; i++)
        heading->mode[i] =
            (pov_heading_mode){1.0 / heading->len,
                               remainder(first.yaw_rad + i * 2 * POV_PI / symmetry, 2 * POV_PI), first.kappa};
}

/* Another turn is another place too: what has a handle behind it is not where what has none is. */
static place_spread spread_of(const object_fit *fits, int len)
{
    place_spread spread = {0, 0, 0};
    double sum = 0;
    for (int i = 0; i < len; i++) {
        const double odds = exp((fits[i].turn_evidence - fits[0].turn_evidence) / turn_doubt),
                     x = fits[i].place.x_m - fits[0].place.x_m, y = fits[i].place.y_m - fits[0].place.y_m;
        sum += odds;
        spread.xx += odds * x * x;
        spread.xy += odds * x * y;
        spread.yy += odds * y * y;
    }
    return (place_spread){spread.xx / sum, spread.xy / sum, spread.yy / sum};
}

static void find_heading(pov_object_finder *f, pov_heading *heading, const object_view *view, kind *k)
{
    object_fit fits[TURNS];
    double sum = 0;
    heading->len = 0;
    k->spread = (place_spread){0, 0, 0};
    if (k->model->symmetry == 0)
        return;
    const int len = k->model->symmetry > 1 ? 1 : find_turns(f, fits, view, k);
    if (k->model->symmetry > 1)
        fits[0] = k->fit;
    for (int i = 1; i < len; i++)
        if (fits[i].turn_evidence > fits[0].turn_evidence) {
            const object_fit swap = fits[0];
            fits[0] = fits[i];
            fits[i] = swap;
        }
    k->fit = fits[0];
    const double least_std_rad =
        yaw_std_least + yaw_std_by_elevation * object_view_elevation_off(view, k->model, &k->fit.place);
    k->spread = spread_of(fits, len);
    for (int i = 0; i < len; i++) {
        const double odds = exp((fits[i].turn_evidence - fits[0].turn_evidence) / turn_doubt);
        if (odds > 1e-3)
            add_mode(heading, &fits[i], k->model, odds, least_std_rad);
    }
    for (int i = 0; i < heading->len; i++)
        sum += heading->mode[i].weight;
    for (int i = 0; i < heading->len; i++)
        heading->mode[i].weight /= sum;
    if (k->model->symmetry > 1)
        spread(heading, k->model->symmetry);
}

/* A place on a plane seen through a camera whose pose errs: it moves with the camera, then along its ray back to the plane. */
static void couple_to_pose(double per_pose[3][6], pov_vec3 from_eye_m)
{
    const pov_vec3 p = from_eye_m;
    const double J[3][6] = {{0, p.z, -p.y, 1, 0, 0}, {-p.z, 0, p.x, 0, 1, 0}, {p.y, -p.x, 0, 0, 0, 1}};
    const double along[3] = {p.x / p.z, p.y / p.z, 1};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 6; k++)
            per_pose[i][k] = J[i][k] - along[i] * J[2][k];
}

static void place(pov_object_finding *finding, const object_view *view, const kind *k)
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
                                                   object_view_elevation_off(view, k->model, &fit->place);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            position->own_cov_m2[i][j] =
                fit->cov[i][j] + slide[i] * slide[j] * z2 + (i == j ? least_m * least_m : 0);
    position->own_cov_m2[0][0] += k->spread.xx;
    position->own_cov_m2[1][1] += k->spread.yy;
    position->own_cov_m2[0][1] += k->spread.xy;
    position->own_cov_m2[1][0] += k->spread.xy;
    for (int i = 0; i < 2; i++)
        position->own_cov_m2[i][2] = position->own_cov_m2[2][i] = slide[i] * z2;
    position->own_cov_m2[2][2] = z2;
    couple_to_pose(position->per_camera_pose, from_eye_m);
    finding->size_m = k->model->size_m;
    finding->R_table_box = pov_rot_yaw(fit->place.yaw_rad + k->model->front_rad);
    finding->fraction_visible = fit->visible;
}

static void report(pov_object_finder *f, pov_object_finding *finding, const object_view *view, int i)
{
    kind *k = &f->kinds[i];
    *finding = (pov_object_finding){.p_none = 1};
    k->has_seed = k->has_fit && k->fit.evidence >= found_evidence;
    k->missed = !k->has_seed;
    if (!k->has_seed)
        return;
    find_kinds(f, finding, view, i);
    find_heading(f, &finding->heading, view, k);
    if (!k->model->has_front)
        finding->heading.len = 0;
    k->seed = k->fit;
    finding->found = finding->p_kind[i] > 0.5;
    place(finding, view, k);
}

pov_status pov_object_finder_run(pov_object_finder *finder, pov_object_findings *findings,
                                 const pov_image *image, const pov_pose *T_table_camera)
{
    pov_object_finder *f = finder;
    memset(findings, 0, sizeof *findings);
    if (image->width_px != f->camera.width_px || image->height_px != f->camera.height_px)
        return pov_status_with(POV_SKIPPED, "%s: %d x %d pixels where %d x %d are expected", image->name,
                               image->width_px, image->height_px, f->camera.width_px, f->camera.height_px);
    findings->len = f->kind_len;
    for (int i = 0; i < f->kind_len; i++)
        findings->findings[i].p_none = 1;
    if (!T_table_camera)
        return pov_ok();
    pov_image_pyramid_set(&f->pyramid, image);
    object_tints_set(&f->tints, &f->pyramid);
    object_palette_set(&f->palette, &f->pyramid);
    const object_view view = {&f->camera, T_table_camera->T, pov_transform_inverse(T_table_camera->T),
                              &f->pyramid, &f->tints, &f->palette};
    for (int i = 0; i < f->kind_len; i++) {
        kind *k = &f->kinds[i];
        k->has_fit = false;
        k->fit_len = 0;
        if (k->has_seed)
            follow(f, k, &view);
        else
            search_all(f, k, &view);
    }
    settle(f);
    for (int i = 0; i < f->kind_len; i++)
        report(f, &findings->findings[i], &view, i);
    f->image++;
    return pov_ok();
}
