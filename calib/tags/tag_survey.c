#include "calib/tags/tag_survey_internal.h"
#include "perception/geometry/readmission.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SETTLE_MAX = 6, GROW_MAX = 300, NOISE_STEPS = 4, MOVED_MIN = 2 };

/* Corners' noise to start with, doubled while too many tags do not fit. */
static const double NOISE_START_PX = 0.3, NOISE_MIN_PX = 0.01;
/* Fewer tags than this share that fit mean that the noise is larger. */
static const double FIT_SHARE_MIN = 0.8;
/* A tag that more than this share of images sees so far elsewhere has been moved. */
static const double MOVED_SHARE = 0.2, MOVED_MIN_PX = 1;

POV_ENUM_NAMES(pov_survey_outcome_name, pov_survey_outcome, POV_SURVEY_OUTCOME_COUNT, "mapped", "held",
               "not_linked", "ambiguous", "moved")

/* ---- setting up ----------------------------------------------------------------------------------------------------- */

pov_tag_survey *pov_tag_survey_new(const pov_survey_config *config)
{
    const size_t unknown_max = 6 * POV_TAG_MAP_MAX, rows = 6 * POV_SURVEY_SIGHTING_MAX;
    pov_tag_survey *s = pov_allocate(1, sizeof *s);
    s->tags = pov_allocate(POV_TAG_MAP_MAX, sizeof *s->tags);
    s->views = pov_allocate(POV_SURVEY_VIEW_MAX, sizeof *s->views);
    s->sightings = pov_allocate(POV_SURVEY_SIGHTING_MAX, sizeof *s->sightings);
    s->places = pov_allocate(POV_SURVEY_VIEW_MAX, sizeof *s->places);
    s->T_table_camera = pov_allocate(POV_SURVEY_VIEW_MAX, sizeof *s->T_table_camera);
    s->kept_camera = pov_allocate(POV_SURVEY_VIEW_MAX, sizeof *s->kept_camera);
    s->blocks = pov_allocate(POV_SURVEY_VIEW_MAX, sizeof *s->blocks);
    s->unknowns = pov_allocate(rows, sizeof *s->unknowns);
    s->pull = pov_allocate(rows, sizeof *s->pull);
    s->cross = pov_allocate(rows * 6, sizeof *s->cross);
    s->cross_solved = pov_allocate(rows * 6, sizeof *s->cross_solved);
    s->tag_equations = pov_allocate(36 * POV_TAG_MAP_MAX, sizeof *s->tag_equations);
    s->gradient = pov_allocate(unknown_max, sizeof *s->gradient);
    s->right = pov_allocate(unknown_max, sizeof *s->right);
    s->S = pov_allocate(unknown_max * unknown_max, sizeof *s->S);
    s->config = *config;
    s->report.tags = s->tags;
    s->report.views = s->views;
    s->report.sightings = s->sightings;
    return s;
}

void pov_tag_survey_destroy(pov_tag_survey **survey)
{
    pov_tag_survey *s = *survey;
    if (!s)
        return;
    void *const parts[] = {s->tags,          s->views,    s->sightings, s->places,       s->T_table_camera,
                           s->blocks,        s->unknowns, s->cross,     s->cross_solved, s->gradient,
                           s->tag_equations, s->right,    s->S,         s->kept_camera,  s->pull};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        free(parts[i]);
    free(s);
    *survey = NULL;
}

/* ---- images --------------------------------------------------------------------------------------------------------- */

static bool is_exact(const pov_pose *pose)
{
    for (int i = 0; i < 6; i++)
        if (pose->cov[i][i] > 0)
            return false;
    return true;
}

bool pov_survey_is_held(const pov_tag_survey *s, int tag)
{
    const pov_survey_tag *t = &s->tags[tag];
    const bool is_fixed = s->config.has_fixed && t->instant == 0 && t->entry.family == s->config.family &&
                          t->entry.id == s->config.fixed_id;
    return is_fixed || (t->is_known && is_exact(&t->known_T_table_tag));
}

static double edge_of(const pov_survey_config *config, pov_tag_family family, int id)
{
    for (int i = 0; i < config->edge_len; i++)
        if (family == config->family && id >= config->edges[i].first_id && id <= config->edges[i].last_id)
            return config->edges[i].edge_m;
    return config->edge_m;
}

/* The board's number is its first tag's. */
static const pov_tag *body_of(pov_tag *body, const pov_tag_survey *s, const pov_tag *seen, int instant)
{
    const pov_tag_map *board = &s->config.board;
    *body = *seen;
    if (instant > 0 && pov_tag_map_find(board, seen->family, seen->id)) {
        body->family = board->tags[0].family;
        body->id = board->tags[0].id;
    }
    return body;
}

double pov_survey_edge_of(const pov_survey_config *config, const pov_tag *tag, bool is_carried)
{
    const pov_tag_map_entry *entry =
        pov_tag_map_find(is_carried ? &config->board : &config->known, tag->family, tag->id);
    return entry ? entry->edge_m : edge_of(config, tag->family, tag->id);
}

static pov_status add_tag(pov_tag_survey *s, const char *name, const pov_tag *seen, int instant)
{
    const pov_tag_map_entry *known =
        instant > 0 ? NULL : pov_tag_map_find(&s->config.known, seen->family, seen->id);
    if (s->report.tag_len == POV_TAG_MAP_MAX)
        return pov_error("%s: over %d different tags; a map holds no more", name, POV_TAG_MAP_MAX);
    pov_survey_tag *tag = &s->tags[s->report.tag_len++];
    *tag = (pov_survey_tag){
        .entry = {.family = seen->family, .id = seen->id}, .instant = instant, .is_known = known != NULL};
    tag->entry.edge_m = pov_survey_edge_of(&s->config, seen, instant > 0);
    tag->entry.T_table_tag = pov_pose_exact(pov_transform_identity());
    if (known)
        tag->entry.T_table_tag = tag->known_T_table_tag = known->T_table_tag;
    if (!isnan(tag->entry.edge_m))
        return pov_ok();
    return pov_error(
        "%s: shows %s %d, whose size is not given: say --size %d=METRES, the edge of its black square", name,
        pov_tag_family_name(seen->family), seen->id, seen->id);
}

static pov_status find_or_add(int *index, pov_tag_survey *s, const char *name, const pov_tag *seen,
                              int instant)
{
    for (*index = 0; *index < s->report.tag_len; ++*index) {
        const pov_tag_map_entry *entry = &s->tags[*index].entry;
        if (entry->family == seen->family && entry->id == seen->id && s->tags[*index].instant == instant)
            return pov_ok();
    }
    return add_tag(s, name, seen, instant);
}

/* Its edge, and where it is on what it belongs to. */
static void set_shape(pov_survey_sighting *sighting, const pov_tag_survey *s)
{
    const pov_survey_tag *tag = &s->tags[sighting->tag];
    const pov_tag_map_entry *on_board =
        tag->instant > 0 ? pov_tag_map_find(&s->config.board, sighting->seen.family, sighting->seen.id)
                         : NULL;
    sighting->edge_m = on_board ? on_board->edge_m : tag->entry.edge_m;
    sighting->T_body_tag = on_board ? on_board->T_table_tag.T : pov_transform_identity();
}

static pov_status add_sighting(pov_tag_survey *s, pov_survey_view *view, const pov_tag *seen, int instant)
{
    pov_tag body;
    pov_survey_sighting *sighting = &s->sightings[s->report.sighting_len];
    if (s->report.sighting_len == POV_SURVEY_SIGHTING_MAX)
        return pov_error("%s: over %d tags in all images; give fewer images", view->name,
                         POV_SURVEY_SIGHTING_MAX);
    *sighting = (pov_survey_sighting){.view = s->report.view_len, .seen = *seen, .rms_px = NAN};
    POV_TRY(find_or_add(&sighting->tag, s, view->name, body_of(&body, s, seen, instant), instant));
    set_shape(sighting, s);
    for (int i = 0; i < view->seen_len; i++) {
        pov_survey_sighting *other = &s->sightings[view->first_sighting + i];
        if (other->tag == sighting->tag && other->seen.id == seen->id)
            other->is_twice = sighting->is_twice = true;
    }
    view->seen_len++;
    s->report.sighting_len++;
    s->tags[sighting->tag].seen_len += !sighting->is_twice;
    return pov_ok();
}

static pov_status begin_view(pov_tag_survey *s, const char *name)
{
    if (s->report.view_len == POV_SURVEY_VIEW_MAX)
        return pov_error(
            "%s: there are %d images before it, and more are not taken; 20 to 100 varied ones say as much",
            name, POV_SURVEY_VIEW_MAX);
    pov_survey_view *view = &s->views[s->report.view_len];
    *view = (pov_survey_view){.first_sighting = s->report.sighting_len, .rms_px = NAN};
    snprintf(view->name, sizeof view->name, "%s", name);
    return pov_ok();
}

pov_status pov_tag_survey_add(pov_tag_survey *s, const char *name, const pov_tags *tags)
{
    POV_TRY(begin_view(s, name));
    for (int i = 0; i < tags->len; i++)
        POV_TRY(add_sighting(s, &s->views[s->report.view_len], &tags->tags[i], 0));
    s->report.view_len++;
    return pov_ok();
}

pov_status pov_tag_survey_add_camera(pov_tag_survey *s, int camera, const char *name,
                                     const pov_survey_seen *seen, int len)
{
    POV_REQUIRE(camera < s->config.camera_len && len <= POV_TAG_MAX);
    POV_TRY(begin_view(s, name));
    s->views[s->report.view_len].camera = camera;
    for (int i = 0; i < len; i++)
        POV_TRY(add_sighting(s, &s->views[s->report.view_len], &seen[i].tag, seen[i].instant));
    s->report.view_len++;
    return pov_ok();
}

pov_status pov_tag_survey_leave_out(pov_tag_survey *s, const char *name)
{
    POV_TRY(begin_view(s, name));
    s->views[s->report.view_len++].is_left_out = true;
    return pov_ok();
}

/* ---- residuals ------------------------------------------------------------------------------------------------------ */

pov_tag_map_entry pov_survey_entry_of(const pov_survey_report *report, const pov_survey_sighting *seen)
{
    const pov_pose T_body_tag = pov_pose_exact(seen->T_body_tag);
    pov_tag_map_entry entry = report->tags[seen->tag].entry;
    if (report->tags[seen->tag].instant == 0)
        return entry;
    entry.T_table_tag = pov_pose_mul(&entry.T_table_tag, &T_body_tag);
    entry.edge_m = seen->edge_m;
    entry.family = seen->seen.family;
    entry.id = seen->seen.id;
    return entry;
}

const pov_camera *pov_survey_camera_of(const pov_tag_survey *s, const pov_survey_sighting *seen)
{
    return &s->config.cameras[s->views[seen->view].camera];
}

int pov_survey_tags_min(const pov_tag_survey *s)
{
    return s->config.camera_len > 0 ? 1 : 2;
}

static double distance2_px2(const pov_tag_survey *s, const pov_survey_sighting *seen)
{
    const pov_transform T_table_tag =
        pov_transform_mul(s->tags[seen->tag].entry.T_table_tag.T, seen->T_body_tag);
    double sum = 0;
    if (!s->placed[seen->tag] || !s->views[seen->view].located)
        return NAN;
    pov_transform T_camera_tag =
        pov_transform_mul(pov_transform_inverse(s->views[seen->view].T_table_camera.T), T_table_tag);
    for (int i = 0; i < 4; i++) {
        pov_vec2 pixel, corner = seen->seen.corner_px[i];
        (void)pov_camera_project(pov_survey_camera_of(s, seen), &pixel, NULL,
                                 pov_transform_apply(T_camera_tag, pov_tag_corner(seen->edge_m, i)));
        sum += pow(corner.x - pixel.x, 2) + pow(corner.y - pixel.y, 2);
    }
    return sum / 4;
}

typedef struct {
    double sum_px2;
    int len;
} mean_square;

static double root(const mean_square *mean)
{
    return mean->len > 0 ? sqrt(mean->sum_px2 / mean->len) : NAN;
}

static void count_in(mean_square *mean, double distance2)
{
    mean->sum_px2 += distance2;
    mean->len++;
}

static void find_residuals(pov_tag_survey *s)
{
    mean_square all = {0}, by_tag[POV_TAG_MAP_MAX] = {{0}};
    pov_survey_report *r = &s->report;
    r->used_view_len = r->stray_len = 0;
    for (int v = 0; v < r->view_len; v++) {
        mean_square in_view = {0};
        for (int i = 0; i < s->views[v].seen_len; i++) {
            pov_survey_sighting *seen = &s->sightings[s->views[v].first_sighting + i];
            double distance2 = distance2_px2(s, seen);
            seen->rms_px = sqrt(distance2);
            r->stray_len += !seen->used && s->views[v].used_len > 0 && s->placed[seen->tag];
            if (!seen->used)
                continue;
            count_in(&all, distance2);
            count_in(&by_tag[seen->tag], distance2);
            count_in(&in_view, distance2);
        }
        s->views[v].rms_px = root(&in_view);
        r->used_view_len += in_view.len > 0;
    }
    for (int t = 0; t < r->tag_len; t++) {
        s->tags[t].rms_px = root(&by_tag[t]);
        s->tags[t].used_len = by_tag[t].len;
    }
    r->rms_px = root(&all);
    r->used_len = all.len;
}

/* From the residuals; where they are few, they lean on the usual noise as if that were some numbers more. */
static double noise_of(double sum_px2, double freedom, double usual_px)
{
    const double lean = 40 / (fmax(0, freedom) + 10);
    return fmax(NOISE_MIN_PX, sqrt((sum_px2 + lean * usual_px * usual_px) / (fmax(0, freedom) + lean)));
}

/* Estimates the corners' noise of the tags that stay, or of what is carried, from their residuals; the unknowns that mostly follow them
 * are subtracted. */
static double noise_of_kind(const pov_tag_survey *s, bool is_carried, double usual_px)
{
    double sum = 0, freedom = 0;
    for (int v = 0; v < s->report.view_len; v++) {
        int len = 0, staying = 0;
        for (int i = 0; i < s->views[v].seen_len; i++) {
            const pov_survey_sighting *seen = &s->sightings[s->views[v].first_sighting + i];
            const bool is_kind = (s->tags[seen->tag].instant > 0) == is_carried;
            staying += seen->used && s->tags[seen->tag].instant == 0;
            len += seen->used && is_kind;
            sum += seen->used && is_kind ? 4 * seen->rms_px * seen->rms_px : 0;
        }
        freedom += 8 * len - (len > 0 && (!is_carried || staying == 0) ? 6 : 0);
    }
    for (int t = 0; t < s->report.tag_len; t++)
        freedom -= s->first_unknown[t] >= 0 && (s->tags[t].instant > 0) == is_carried ? 6 : 0;
    return noise_of(sum, freedom, usual_px);
}

static void find_noise(pov_tag_survey *s)
{
    /* The mean's noise in shares of one image's: what it leans on, and the least that is believed; chosen. */
    static const double share_usual = 0.5, share_min = 0.05;
    const pov_survey_report *r = &s->report;
    bool any_carried = false;
    for (int t = 0; t < r->tag_len; t++)
        any_carried |= s->tags[t].used_len > 0 && s->tags[t].instant > 0;
    s->staying_share = 1;
    if (any_carried) {
        s->corner_std_px = noise_of_kind(s, true, NOISE_START_PX);
        const double staying_px = noise_of_kind(s, false, share_usual * s->corner_std_px);
        s->staying_share = fmin(1, fmax(share_min, staying_px / s->corner_std_px));
        return;
    }
    const double freedom = 8.0 * r->used_len - 6.0 * r->used_view_len - s->unknown_len;
    s->corner_std_px =
        noise_of(r->used_len > 0 ? 4 * r->used_len * r->rms_px * r->rms_px : 0, freedom, NOISE_START_PX);
}

/* ---- the run -------------------------------------------------------------------------------------------------------- */

static void start_over(pov_tag_survey *s)
{
    for (int t = 0; t < s->report.tag_len; t++) {
        pov_survey_tag *tag = &s->tags[t];
        s->placed[t] = (tag->is_known || pov_survey_is_held(s, t)) && tag->outcome != POV_SURVEY_MOVED;
        tag->entry.panel = (pov_tag_panel){.name = ""};
        if (s->placed[t])
            tag->entry.T_table_tag =
                tag->is_known ? tag->known_T_table_tag : pov_pose_exact(pov_transform_identity());
        if (pov_survey_is_held(s, t))
            memset(tag->entry.T_table_tag.cov, 0, sizeof tag->entry.T_table_tag.cov);
    }
}

static void grow_all(pov_tag_survey *s)
{
    pov_survey_locate(s);
    for (int round = 0; round < GROW_MAX && pov_survey_grow(s) > 0; round++) {
        pov_survey_locate(s);
        if (!pov_survey_fit(s))
            return;
        pov_survey_locate(s);
    }
}

/* Share of the mapped tags that fit, of images that show two or more. */
static double share_that_fits(const pov_tag_survey *s)
{
    int used = 0, seen = 0;
    for (int v = 0; v < s->report.view_len; v++) {
        int in_view = 0;
        for (int i = 0; i < s->views[v].seen_len; i++) {
            const pov_survey_sighting *sighting = &s->sightings[s->views[v].first_sighting + i];
            in_view += s->placed[sighting->tag] && !sighting->is_twice;
        }
        seen += in_view > 1 ? in_view : 0;
        used += s->views[v].used_len;
    }
    return seen > 0 ? (double)used / seen : 1;
}

/* By the noise of those that fit; with each image that is taken back that may rise. */
static bool take_back_strays(pov_tag_survey *s)
{
    bool fitted = true;
    for (int round = 0; round < SETTLE_MAX && fitted && pov_survey_readmit(s) > 0; round++) {
        find_residuals(s);
        find_noise(s);
        fitted = pov_survey_fit(s);
    }
    find_residuals(s);
    return fitted;
}

/* The first robust fit, until noise and strays hold still; then strays are only taken back. */
static bool settle(pov_tag_survey *s)
{
    for (int round = 0; round < SETTLE_MAX; round++) {
        double before_px = s->corner_std_px;
        int before = s->report.used_len;
        if (!pov_survey_fit(s))
            return false;
        find_residuals(s);
        find_noise(s);
        if (s->report.used_len == before && fabs(s->corner_std_px - before_px) < 0.01 * before_px)
            break;
        pov_survey_sift(s);
    }
    return pov_survey_fit(s) && take_back_strays(s);
}

/* Many images see it elsewhere. */
static bool has_moved(const pov_tag_survey *s, int t)
{
    int strays = 0, seen = 0;
    for (int i = 0; i < s->report.sighting_len; i++) {
        const pov_survey_sighting *sighting = &s->sightings[i];
        if (sighting->tag != t || sighting->is_twice || s->views[sighting->view].used_len == 0)
            continue;
        seen++;
        strays += !sighting->used && sighting->rms_px > MOVED_MIN_PX;
    }
    return strays >= MOVED_MIN && strays > MOVED_SHARE * seen;
}

/* Takes out tags that many images see elsewhere; held ones stay, others rest on them. */
static bool take_out_moved(pov_tag_survey *s)
{
    bool found = false;
    for (int t = 0; t < s->report.tag_len; t++) {
        if (!s->placed[t] || !has_moved(s, t))
            continue;
        s->tags[t].outcome = POV_SURVEY_MOVED;
        s->placed[t] = s->config.has_fixed && pov_survey_is_held(s, t) && !s->tags[t].is_known;
        found |= !s->placed[t];
    }
    return found;
}

/* ---- tags that were taken out for what another one did ---- */

/* Puts a tag where the located images see it, or where it is known to be, and marks the sightings that fit. */
static bool put_in(pov_tag_survey *s, int t)
{
    pov_survey_tag *tag = &s->tags[t];
    if (tag->is_known)
        tag->entry.T_table_tag = tag->known_T_table_tag;
    else if (!pov_survey_place_tag(s, t))
        return false;
    s->placed[t] = true;
    for (int i = 0; i < s->report.sighting_len; i++) {
        pov_survey_sighting *seen = &s->sightings[i];
        pov_survey_view *view = &s->views[seen->view];
        if (seen->tag != t || seen->is_twice || view->used_len == 0)
            continue;
        seen->used = pov_survey_fits(s, seen);
        view->used_len += seen->used;
    }
    find_residuals(s);
    return true;
}

static void take_out(pov_tag_survey *s, int t)
{
    for (int i = 0; i < s->report.sighting_len; i++) {
        pov_survey_sighting *seen = &s->sightings[i];
        if (seen->tag != t || !seen->used)
            continue;
        seen->used = false;
        s->views[seen->view].used_len--;
    }
    s->placed[t] = false;
    s->tags[t].outcome = POV_SURVEY_MOVED;
}

static double find_tag_misfit(void *context, int t)
{
    pov_tag_survey *s = context;
    if (s->tags[t].outcome != POV_SURVEY_MOVED || s->placed[t])
        return INFINITY;
    const bool fits = put_in(s, t) && s->tags[t].used_len > 1 && !has_moved(s, t);
    const double misfit_px = fits ? s->tags[t].rms_px : INFINITY;
    take_out(s, t);
    return misfit_px;
}

static bool take_tag_back(void *context, int t)
{
    pov_tag_survey *s = context;
    const bool fitted = put_in(s, t) && pov_survey_fit(s);
    find_residuals(s);
    if (fitted && !has_moved(s, t)) {
        s->tags[t].outcome = POV_SURVEY_MAPPED;
        return true;
    }
    take_out(s, t);
    (void)pov_survey_fit(s);
    return false;
}

/* A moved tag draws the images that show it to itself; the others in them then seem to have moved. */
static bool take_back_tags(pov_tag_survey *s)
{
    bool is_tried[POV_TAG_MAP_MAX];
    const pov_readmission readmission = {s, s->report.tag_len, find_tag_misfit, take_tag_back};
    return pov_readmit(is_tried, &readmission) == 0 || take_back_strays(s);
}

/* ---- all of it ---- */

static bool survey(pov_tag_survey *s)
{
    s->corner_std_px = NOISE_START_PX;
    s->staying_share = 1;
    for (int i = 0; i < NOISE_STEPS; i++) {
        start_over(s);
        grow_all(s);
        if (share_that_fits(s) >= FIT_SHARE_MIN)
            break;
        s->corner_std_px *= i + 1 < NOISE_STEPS ? 2 : 1;
    }
    return settle(s);
}

static void count_mapped(pov_tag_survey *s)
{
    s->report.mapped_len = 0;
    for (int t = 0; t < s->report.tag_len; t++) {
        if (s->placed[t] && s->tags[t].outcome != POV_SURVEY_MOVED)
            s->tags[t].outcome = pov_survey_is_held(s, t) ? POV_SURVEY_HELD : POV_SURVEY_MAPPED;
        s->report.mapped_len += s->placed[t] && s->tags[t].instant == 0;
    }
    s->report.noise_px = s->corner_std_px;
}

static pov_status check_roots(const pov_tag_survey *s)
{
    for (int t = 0; t < s->report.tag_len; t++)
        if (s->tags[t].is_known || pov_survey_is_held(s, t))
            return pov_ok();
    if (s->report.tag_len == 0)
        return pov_status_with(POV_UNDEFINED,
                               "no image shows a tag of this family; check --family, light and focus");
    return s->config.has_fixed
               ? pov_status_with(
                     POV_UNDEFINED, "no image shows %s %d, which --fix names; they show %s %d and %d others",
                     pov_tag_family_name(s->config.family), s->config.fixed_id,
                     pov_tag_family_name(s->tags[0].entry.family), s->tags[0].entry.id, s->report.tag_len - 1)
               : pov_status_with(POV_UNDEFINED, "no image shows a tag of the known map");
}

static pov_status run_survey(pov_tag_survey *s)
{
    POV_TRY(check_roots(s));
    bool fitted = survey(s);
    if (fitted && take_out_moved(s))
        fitted = survey(s) && take_back_tags(s);
    if (fitted) {
        pov_survey_scatter(s);
        pov_survey_propose_panels(s);
        pov_survey_widen(s);
    }
    count_mapped(s);
    for (int t = 0; fitted && t < s->report.tag_len; t++)
        if (s->tags[t].outcome == POV_SURVEY_MAPPED && s->tags[t].used_len > 0)
            return pov_ok();
    if (fitted && s->config.camera_len > 0 && s->report.used_view_len > 0)
        return pov_ok(); /* all tags are held: the cameras are what was looked for */
    return pov_status_with(
        POV_UNDEFINED,
        "no tag could be placed: no image shows a tag together with %s, from near enough to leave no "
        "doubt of its tilt",
        s->config.has_fixed ? "that of --fix" : "a known one");
}

pov_status pov_tag_survey_run(pov_tag_survey *s)
{
    const pov_status status = run_survey(s);
    s->report.is_mapped = status.code == POV_OK;
    snprintf(s->report.why, sizeof s->report.why, "%s", status.message);
    pov_survey_measure_edges(s);
    pov_survey_explain(s);
    return status;
}

void pov_tag_survey_refuse(pov_tag_survey *s, const char *why)
{
    s->report.is_mapped = false;
    snprintf(s->report.why, sizeof s->report.why, "%s", why);
}

const pov_survey_report *pov_tag_survey_report(const pov_tag_survey *survey)
{
    return &survey->report;
}

void pov_tag_survey_map(const pov_tag_survey *s, pov_tag_map *map)
{
    map->len = 0;
    for (int t = 0; t < s->report.tag_len; t++)
        if (s->placed[t] && s->tags[t].instant == 0)
            map->tags[map->len++] = s->tags[t].entry;
}
