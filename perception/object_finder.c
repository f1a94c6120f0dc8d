#include "perception/object_finder.h"

#include "perception/object_search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MODES = POV_HEADING_MODES_MAX, TURNS = 4, PLACE_TURNS = 3, ROUNDS = 3 };

static const double prior_odds_log = -9; /* of all that is searched, little is it */
static const double sure_evidence = 16;  /* enough to look no further */
static const double found_evidence = 9;
static const double better_score = 1.05; /* of a place elsewhere, to be looked at while the last one holds */
static const double alike_score = 0.85;
static const double turn_doubt = 2; /* evidence for one turn against another is overstated by as much */
static const double same_turn_rad = 12 * POV_PI / 180;
static const double yaw_std_least = 0.2 * POV_PI / 180, place_std_least_m = 3e-4;
static const double overlap_share = 0.6;

typedef struct {
    object_model *model;
    double z_m, z_std_m;
    bool has_seed, has_fit;
    object_fit seed, fit;
    int tried_len; /* of the short list */
    object_short_list list;
} kind;

struct pov_object_finder {
    pov_camera camera;
    int kind_len;
    kind *kinds;
    pov_image_pyramid pyramid;
    object_tints tints;
    object_fitter *fitter;
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
    object_tints_free(&f->tints);
    pov_image_pyramid_free(&f->pyramid);
    free(f);
    *finder = NULL;
}

void pov_object_finder_forget(pov_object_finder *finder)
{
    for (int i = 0; i < finder->kind_len; i++)
        finder->kinds[i].has_seed = false;
}

/* ---- one kind ---- */

static object_fit fit_from(const object_place *place)
{
    return (object_fit){.place = *place, .light = {1, 1, 1, 0, 0, 0}};
}

static void consider(pov_object_finder *f, kind *k, const object_view *view, object_fit *fit, bool finely)
{
    object_fit_run(f->fitter, fit, view, k->model, finely);
    if (!k->has_fit || fit->evidence > k->fit.evidence) {
        k->fit = *fit;
        k->has_fit = true;
    }
}

/* Tries the next places of the list until one is sure. */
static void try_list(pov_object_finder *f, kind *k, const object_view *view)
{
    for (int n = 0; n < OBJECT_FITS && k->tried_len < k->list.len; n++) {
        object_place turns[PLACE_TURNS];
        const int len =
            object_scan_turns(view, k->model, turns, PLACE_TURNS, &k->list.places[k->tried_len++]);
        for (int i = 0; i < len; i++) {
            object_fit fit = fit_from(&turns[i]);
            consider(f, k, view, &fit, false);
        }
        if (k->has_fit && k->fit.evidence > sure_evidence)
            return;
    }
}

static void search_all(pov_object_finder *f, kind *k, const object_view *view)
{
    object_search_places(&k->list, view, k->model, k->z_m, (object_part){0, 1});
    k->tried_len = 0;
    try_list(f, k, view);
}

/* Around where it was; and whether a part of the table has something better. */
static void follow(pov_object_finder *f, kind *k, const object_view *view)
{
    object_fit fit = k->seed;
    consider(f, k, view, &fit, true);
    if (k->fit.evidence < sure_evidence) {
        search_all(f, k, view);
        return;
    }
    const double score = object_scan_score(view, k->model, &k->fit.place);
    object_search_places(&k->list, view, k->model, k->z_m,
                         (object_part){(int)(f->image % OBJECT_SHARES), OBJECT_SHARES});
    for (k->tried_len = 0; k->tried_len < k->list.len && k->tried_len < 2; k->tried_len++)
        if (k->list.places[k->tried_len].score > better_score * score) {
            object_fit other = fit_from(&k->list.places[k->tried_len]);
            consider(f, k, view, &other, false);
        }
}

/* ---- two kinds at one place ---- */

static bool overlap(const kind *a, const kind *b)
{
    return a->has_fit && b->has_fit &&
           hypot(a->fit.place.x_m - b->fit.place.x_m, a->fit.place.y_m - b->fit.place.y_m) <
               overlap_share * fmin(a->model->radius_m, b->model->radius_m);
}

/* The one with less evidence looks elsewhere. */
static void settle(pov_object_finder *f, const object_view *view)
{
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < f->kind_len; i++)
            for (int j = 0; j < f->kind_len; j++) {
                kind *less = &f->kinds[i];
                const kind *more = &f->kinds[j];
                if (i == j || !overlap(less, more) || less->fit.evidence > more->fit.evidence ||
                    less->fit.evidence < found_evidence)
                    continue;
                less->has_fit = false;
                if (less->list.len > less->tried_len)
                    try_list(f, less, view);
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

static void add_mode(pov_heading *heading, const object_fit *fit, const object_model *model, double odds)
{
    if (heading->len == MODES)
        return;
    const double std_rad = hypot(sqrt(fit->cov[2][2]), yaw_std_least);
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

/* Other turns at the place that may be it. */
static int find_turns(pov_object_finder *f, object_fit fits[TURNS + 1], const object_view *view,
                      const kind *k)
{
    object_place turns[TURNS + 1];
    int len = 1;
    fits[0] = k->fit;
    const double score = object_scan_score(view, k->model, &k->fit.place);
    const int turn_len = object_scan_turns(view, k->model, turns, TURNS + 1, &k->fit.place);
    for (int i = 0; i < turn_len && len <= TURNS; i++) {
        if (turns[i].score < alike_score * score || !is_new_turn(fits, len, turns[i].yaw_rad))
            continue;
        object_fit fit = fit_from(&turns[i]);
        object_fit_run(f->fitter, &fit, view, k->model, false);
        if (is_new_turn(fits, len, fit.place.yaw_rad) && fit.evidence > 0)
            fits[len++] = fit;
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

static void find_heading(pov_object_finder *f, pov_heading *heading, const object_view *view, kind *k)
{
    object_fit fits[TURNS + 1];
    double sum = 0;
    heading->len = 0;
    if (k->model->symmetry == 0)
        return;
    const int len = k->model->symmetry > 1 ? 1 : find_turns(f, fits, view, k);
    if (k->model->symmetry > 1)
        fits[0] = k->fit;
    for (int i = 1; i < len; i++)
        if (fits[i].evidence > fits[0].evidence) {
            const object_fit swap = fits[0];
            fits[0] = fits[i];
            fits[i] = swap;
        }
    k->fit = fits[0];
    for (int i = 0; i < len; i++) {
        const double odds = exp((fits[i].evidence - fits[0].evidence) / turn_doubt);
        if (odds > 1e-3)
            add_mode(heading, &fits[i], k->model, odds);
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
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            position->own_cov_m2[i][j] = fit->cov[i][j] + slide[i] * slide[j] * z2 +
                                         (i == j ? place_std_least_m * place_std_least_m : 0);
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
    const object_view view = {&f->camera, T_table_camera->T, pov_transform_inverse(T_table_camera->T),
                              &f->pyramid, &f->tints};
    for (int i = 0; i < f->kind_len; i++) {
        kind *k = &f->kinds[i];
        k->has_fit = false;
        if (k->has_seed)
            follow(f, k, &view);
        else
            search_all(f, k, &view);
    }
    settle(f, &view);
    for (int i = 0; i < f->kind_len; i++)
        report(f, &findings->findings[i], &view, i);
    f->image++;
    return pov_ok();
}
