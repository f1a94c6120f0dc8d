#include "calib/turntable/turntable_calibration.h"

#include "calib/turntable/turntable_start.h"
#include "perception/geometry/readmission.h"
#include "perception/tags/tag_fit.h"
#include "perception/tags/tag_pose.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGE_MIN = 3 };

struct pov_turntable_calibration {
    pov_turntable_setup setup;
    pov_turntable_solver *solver;
    pov_turn_start *start;
    int tag_len; /* all that were seen so far */
    pov_turn_tag tags[POV_TURN_TAG_MAX];
    pov_turn_image images[POV_TURN_IMAGE_MAX];
    pov_turn_view *seen; /* of each image */
    pov_pose *cameras;   /* its T_table_camera */
    pov_turn_stray *strays;
    pov_turn_view *recalled; /* one that may be taken back */
    bool solved;
    pov_turn_view *working; /* of those that are used */
    int image_of[POV_TURN_VIEW_MAX];
    pov_turn_problem problem;
    pov_turntable_report report;
};

double pov_turntable_ring_scale(const pov_disc *disc, const pov_tag_map *ring)
{
    double measured_m = 0, mapped_m = 0;
    for (int i = 0; i < disc->tags.len; i++)
        for (int k = 0; k < i; k++) {
            const pov_tag_map_entry *a = &disc->tags.tags[i], *b = &disc->tags.tags[k];
            const pov_tag_map_entry *mapped_a = pov_tag_map_find(ring, a->family, a->id),
                                    *mapped_b = pov_tag_map_find(ring, b->family, b->id);
            if (!mapped_a || !mapped_b)
                continue;
            measured_m += pov_vec3_norm(pov_vec3_sub(a->T_table_tag.T.t_m, b->T_table_tag.T.t_m));
            mapped_m += pov_vec3_norm(pov_vec3_sub(mapped_a->T_table_tag.T.t_m, mapped_b->T_table_tag.T.t_m));
        }
    return mapped_m > 0 ? measured_m / mapped_m : NAN;
}

/* ---- faults ---- */

static int count_outcome(const pov_turntable_calibration *c, pov_turn_outcome outcome)
{
    int len = 0;
    for (int i = 0; i < c->report.image_len; i++)
        len += c->images[i].outcome == outcome;
    return len;
}

static pov_status cannot_tell(const char *why)
{
    return pov_status_with(POV_UNDEFINED, "%s", why);
}

/* Tags are there, but none turns. */
static bool none_turns(const pov_turntable_calibration *c)
{
    int turning = 0;
    for (int t = 0; t < c->problem.tag_len; t++)
        turning += c->problem.tags[t].on_disc && c->start->turns[t];
    return turning == 0 && c->report.left_out_len > 0;
}

/* POV_UNDEFINED, with why no axis can be told from the images that there are, and what to do. */
static pov_status explain_too_few(const pov_turntable_calibration *c)
{
    const int len = c->report.image_len, no_camera = count_outcome(c, POV_TURN_IMAGE_NO_CAMERA),
              no_tag = count_outcome(c, POV_TURN_IMAGE_NO_TAG),
              apart = count_outcome(c, POV_TURN_IMAGE_APART);
    if (len < IMAGE_MIN)
        return pov_status_with(POV_UNDEFINED,
                               "%d image%s; take 12 or more while the table turns, %d at least", len,
                               len == 1 ? "" : "s", IMAGE_MIN);
    if (no_camera * 2 >= len)
        return pov_status_with(
            POV_UNDEFINED,
            "in %d of %d images the camera's pose is not known: they show no tag of the map, or one alone "
            "and far; show more tags that are fixed to the table",
            no_camera, len);
    if (none_turns(c))
        return cannot_tell(
            "no tag turns from image to image: turn the table between them, and let the tags of the map stay "
            "where they are");
    if (no_tag * 2 >= len)
        return pov_status_with(
            POV_UNDEFINED,
            "%d of %d images show no tag on the disc; put a ring of tags on it (pov tags ring) and say "
            "which they are (--ring, --edge), of a family that the station looks for",
            no_tag, len);
    if (apart > 0)
        return pov_status_with(POV_UNDEFINED,
                               "%d of %d images share no tag with the others; turn by less between them",
                               apart, len);
    return cannot_tell("the tags that move do not go round one axis: glue them to the disc, and let the tags "
                       "of the map stay "
                       "where they are");
}

/* ---- zero ---- */

/* Angles count from `zero_rad` on: the tags are where they were then, as the disc's frame, whose x is as near to the table's as
 * it can be, has them at 0. */
static void turn_zero(pov_turn_problem *p, double zero_rad, double zero_std_rad)
{
    pov_pose *T = &p->T_table_disc;
    const pov_pose turn = pov_pose_exact((pov_transform){pov_rot_yaw(zero_rad), {0, 0, 0}});
    const double axis[3] = {T->T.R.m[0][2], T->T.R.m[1][2], T->T.R.m[2][2]};
    for (int i = 0; i < 9; i++)
        T->cov[i / 3][i % 3] += axis[i / 3] * axis[i % 3] * zero_std_rad * zero_std_rad;
    for (int t = 0; t < p->tag_len; t++) {
        pov_pose tag = {.T = p->tags[t].T};
        if (!p->tags[t].on_disc)
            continue;
        memcpy(tag.cov, p->tags[t].cov, sizeof tag.cov);
        tag = pov_pose_mul(&turn, &tag);
        p->tags[t].T = tag.T;
        memcpy(p->tags[t].cov, tag.cov, sizeof tag.cov);
    }
    for (int v = 0; v < p->view_len; v++)
        p->views[v].angle_rad = pov_angle_wrap(p->views[v].angle_rad - zero_rad);
}

static int gather_stops(pov_turn_stop stops[POV_SLIP_STOP_MAX], int image_of[POV_SLIP_STOP_MAX],
                        const pov_turntable_calibration *c)
{
    int len = 0;
    for (int v = 0; v < c->problem.view_len; v++) {
        const pov_turn_image *image = &c->images[c->image_of[v]];
        const pov_turn_view *view = &c->problem.views[v];
        if (!image->has_told)
            continue;
        image_of[len] = c->image_of[v];
        stops[len++] =
            (pov_turn_stop){image->told.commanded_rad, view->angle_rad, view->angle_std_rad, image->told.way};
    }
    return len;
}

static pov_status agree_with_told(pov_turntable_calibration *c, double *zero_rad, double *zero_std_rad)
{
    pov_turn_stop stops[POV_SLIP_STOP_MAX];
    int image_of[POV_SLIP_STOP_MAX];
    double ahead_rad[POV_SLIP_STOP_MAX];
    pov_turntable_report *report = &c->report;
    const int len = gather_stops(stops, image_of, c);
    report->has_slip = false;
    if (len == 0)
        return pov_ok();
    if (pov_slip_find(&report->slip, ahead_rad, stops, len) != POV_OK)
        return len < IMAGE_MIN
                   ? cannot_tell("fewer than 3 images that can be used have an angle")
                   : cannot_tell(
                         "the angles told leave the direction open: stops that are half a turn apart look "
                         "the same both ways; stop more often");
    if (report->slip.slip_len * 3 > len || report->slip.scatter_rad > 10 * POV_DEG)
        return cannot_tell("the angles told have nothing to do with where the table stood: are they those of "
                           "these images, in "
                           "degrees, in the order of the images?");
    report->has_slip = true;
    report->zero = POV_ZERO_TOLD;
    for (int i = 0; i < len; i++)
        c->images[image_of[i]].ahead_rad = ahead_rad[i];
    for (int i = 0; i < report->slip.slip_len; i++)
        report->slip_image[i] = image_of[report->slip.slips[i].stop];
    *zero_rad = report->slip.zero_rad;
    *zero_std_rad = report->slip.zero_std_rad;
    return pov_ok();
}

/* The ring's printed x axis lies along the table's at 0: in the mean over tags. */
static bool agree_with_ring(const pov_turntable_calibration *c, double *zero_rad, double *zero_std_rad)
{
    double x = 0, y = 0, off[POV_TURN_TAG_MAX], squares = 0;
    int len = 0;
    for (int t = 0; t < c->problem.tag_len; t++) {
        const pov_turn_tag *tag = &c->problem.tags[t];
        const pov_tag_map_entry *printed =
            tag->on_disc && c->setup.ring ? pov_tag_map_find(c->setup.ring, tag->family, tag->id) : NULL;
        if (!printed)
            continue;
        const pov_rot R = pov_rot_mul(tag->T.R, pov_rot_transpose(printed->T_table_tag.T.R));
        off[len] = atan2(R.m[1][0] - R.m[0][1], R.m[0][0] + R.m[1][1]);
        x += cos(off[len]);
        y += sin(off[len++]);
    }
    *zero_rad = -atan2(y, x);
    for (int i = 0; i < len; i++)
        squares += pow(pov_angle_wrap(off[i] + *zero_rad), 2);
    *zero_std_rad = len > 1 ? sqrt(squares / (len - 1) / len) : 1 * POV_DEG;
    return len > 0;
}

/* Turns the solved problem so that angles count from the zero: where it was told 0, or as its ring was printed, or its first
 * image. Compares with what was told.
 * Returns: POV_UNDEFINED, with what is wrong, if that does not agree. */
static pov_status find_zero(pov_turntable_calibration *c)
{
    double zero_rad = c->problem.views[0].angle_rad, zero_std_rad = c->problem.views[0].angle_std_rad;
    c->report.zero = POV_ZERO_FIRST_IMAGE;
    if (agree_with_ring(c, &zero_rad, &zero_std_rad))
        c->report.zero = POV_ZERO_RING;
    else
        zero_rad = c->problem.views[0].angle_rad, zero_std_rad = c->problem.views[0].angle_std_rad;
    POV_TRY(agree_with_told(c, &zero_rad, &zero_std_rad));
    turn_zero(&c->problem, zero_rad, zero_std_rad);
    return pov_ok();
}

double pov_turntable_report_zero_std_rad(const pov_turntable_report *report)
{
    const pov_pose *at = &report->disc.T_table_disc;
    double variance = 0;
    for (int i = 0; i < 9; i++)
        variance += at->T.R.m[i / 3][2] * at->cov[i / 3][i % 3] * at->T.R.m[i % 3][2];
    return sqrt(variance);
}

/* ---- calibration ---- */

enum { ROUND_MAX = 6 };

/* Below this the mirrored pose of few or flat tags may as well be the true one. */
static const double POSE_PROBABILITY_MIN = 0.95;
static const double ARC_MIN_RAD = 15 * POV_PI / 180; /* least turn that tells an axis; chosen */
static const double NOISE_FLOOR =
    0.5; /* corners that fit better than they say are not all strays but the best */

POV_ENUM_NAMES(pov_turn_outcome_name, pov_turn_outcome, POV_TURN_OUTCOME_COUNT, "used", "no_camera", "no_tag",
               "apart", "stray", "left_out")

const char *pov_turn_outcome_why(pov_turn_outcome value)
{
    static const char *const whys[] = {"",
                                       ("the camera's pose is not known: it shows no tag of the map, or one "
                                        "alone and far"),
                                       "shows no tag that turns",
                                       "shares no tag with the others",
                                       "its tags on the disc are not where the others have them",
                                       "left out by --without"};
    static_assert(sizeof whys / sizeof *whys == POV_TURN_OUTCOME_COUNT, "one for each fate");
    return whys[value];
}

POV_ENUM_NAMES(pov_zero_source_name, pov_zero_source, POV_ZERO_COUNT, "told", "ring", "first_image")

bool pov_turntable_report_creeps(const pov_turntable_report *report)
{
    const double creep = fabs(report->slip.creep);
    return report->has_slip && creep * 2 * POV_PI >= 0.5 * POV_DEG && creep > 5 * report->slip.creep_std;
}

pov_turntable_calibration *pov_turntable_calibration_new(const pov_turntable_setup *setup)
{
    pov_turntable_calibration *c = pov_allocate(1, sizeof *c);
    c->setup = *setup;
    c->seen = pov_allocate(POV_TURN_IMAGE_MAX, sizeof *c->seen);
    c->recalled = pov_allocate(1, sizeof *c->recalled);
    c->cameras = pov_allocate(POV_TURN_IMAGE_MAX, sizeof *c->cameras);
    c->strays = pov_allocate((size_t)POV_TURN_IMAGE_MAX * POV_TURN_SIGHTING_MAX, sizeof *c->strays);
    c->report.strays = c->strays;
    c->report.images = c->images;
    c->working = pov_allocate(POV_TURN_VIEW_MAX, sizeof *c->working);
    c->solver = pov_turntable_solver_new();
    c->start = pov_turn_start_new();
    return c;
}

void pov_turntable_calibration_destroy(pov_turntable_calibration **calibration)
{
    pov_turntable_calibration *c = *calibration;
    if (!c)
        return;
    pov_turntable_solver_destroy(&c->solver);
    pov_turn_start_destroy(&c->start);
    free(c->seen);
    free(c->cameras);
    free(c->recalled);
    free(c->strays);
    free(c->working);
    free(c);
    *calibration = NULL;
}

const pov_turntable_report *pov_turntable_calibration_report(const pov_turntable_calibration *calibration)
{
    return &calibration->report;
}

/* ---- adding an image ---- */

static int find_tag(const pov_turntable_calibration *c, const pov_tag *seen)
{
    int t = 0;
    while (t < c->tag_len && (c->tags[t].family != seen->family || c->tags[t].id != seen->id))
        t++;
    return t;
}

/* Index of a tag in c->tags, which it enters if it is new; -1: it does not belong to the disc, or there is no room. */
static int tag_index(pov_turntable_calibration *c, const pov_tag *seen)
{
    const pov_turntable_setup *setup = &c->setup;
    const int t = find_tag(c, seen);
    if (t < c->tag_len || t == POV_TURN_TAG_MAX)
        return t < c->tag_len ? t : -1;
    const pov_tag_map_entry *fixed = setup->map ? pov_tag_map_find(setup->map, seen->family, seen->id) : NULL;
    const pov_tag_map_entry *turning =
        setup->ring ? pov_tag_map_find(setup->ring, seen->family, seen->id) : NULL;
    if (!fixed && !turning && setup->ring)
        return -1;
    pov_turn_tag *tag = &c->tags[c->tag_len++];
    *tag = (pov_turn_tag){.on_disc = !fixed,
                          .family = seen->family,
                          .id = seen->id,
                          .edge_m = fixed     ? fixed->edge_m
                                    : turning ? turning->edge_m
                                              : setup->edge_m,
                          .T = fixed ? fixed->T_table_tag.T : pov_transform_identity()};
    if (fixed)
        memcpy(tag->cov, fixed->T_table_tag.cov, sizeof tag->cov);
    return t;
}

/* The same tag twice in an image: neither tells which. */
static bool is_double(const pov_tags *tags, int i)
{
    for (int k = 0; k < tags->len; k++)
        if (k != i && tags->tags[k].family == tags->tags[i].family && tags->tags[k].id == tags->tags[i].id)
            return true;
    return false;
}

static bool locate_camera(pov_pose *T_table_camera, pov_camera_pose *pose, const pov_turntable_calibration *c,
                          const pov_tags *tags)
{
    const pov_turntable_setup *setup = &c->setup;
    const bool estimated =
        setup->map && pov_camera_pose_estimate(pose, setup->camera, tags, setup->map) == POV_OK;
    if (setup->T_table_camera) {
        *T_table_camera = pov_pose_exact(setup->T_table_camera->T);
        return true;
    }
    if (!estimated || !(pose->probability >= POSE_PROBABILITY_MIN))
        return false;
    *T_table_camera = pose->T_table_camera;
    return true;
}

static void take_in(pov_turntable_calibration *c, int index, const pov_tags *tags)
{
    pov_camera_pose pose;
    pov_turn_image *image = &c->images[index];
    pov_turn_view *view = &c->seen[index];
    const bool located = locate_camera(&c->cameras[index], &pose, c, tags);
    view->T_table_camera = c->cameras[index].T;
    view->len = 0;
    for (int i = 0; i < tags->len; i++) {
        const int t = is_double(tags, i) ? -1 : tag_index(c, &tags->tags[i]);
        if (t < 0)
            continue;
        image->disc_len += c->tags[t].on_disc;
        image->fixed_len += !c->tags[t].on_disc;
        const bool fits =
            c->tags[t].on_disc || (located && !c->setup.T_table_camera && pose.outcome[i] == POV_TAG_USED);
        if (fits && view->len < POV_TURN_SIGHTING_MAX)
            view->sightings[view->len++] = (pov_turn_sighting){.tag = t, .seen = tags->tags[i], .used = true};
    }
    image->outcome = !located               ? POV_TURN_IMAGE_NO_CAMERA
                     : image->disc_len == 0 ? POV_TURN_IMAGE_NO_TAG
                                            : POV_TURN_IMAGE_USED;
}

static pov_status begin_image(pov_turntable_calibration *c, const char *name,
                              const pov_turntable_commanded *told)
{
    if (c->report.image_len == POV_TURN_IMAGE_MAX)
        return pov_error("more than %d images; every second or third of them will do", POV_TURN_IMAGE_MAX);
    pov_turn_image *image = &c->images[c->report.image_len++];
    *image =
        (pov_turn_image){.has_told = told != NULL, .angle_rad = NAN, .angle_std_rad = NAN, .ahead_rad = NAN};
    snprintf(image->name, sizeof image->name, "%s", name);
    if (told)
        image->told = *told;
    return pov_ok();
}

pov_status pov_turntable_calibration_add(pov_turntable_calibration *c, const char *name, const pov_tags *tags,
                                         const pov_turntable_commanded *told)
{
    POV_TRY(begin_image(c, name, told));
    take_in(c, c->report.image_len - 1, tags);
    return pov_ok();
}

pov_status pov_turntable_calibration_leave_out(pov_turntable_calibration *c, const char *name)
{
    POV_TRY(begin_image(c, name, NULL));
    c->images[c->report.image_len - 1].outcome = POV_TURN_IMAGE_LEFT_OUT;
    return pov_ok();
}

void pov_turntable_calibration_set_edge(pov_turntable_calibration *c, double edge_m)
{
    POV_REQUIRE(!c->setup.ring);
    c->setup.edge_m = edge_m;
    for (int t = 0; t < c->tag_len; t++)
        if (c->tags[t].on_disc)
            c->tags[t].edge_m = edge_m;
}

/* ---- which images, which tags ---- */

/* A copy of all images that may be used, for the solver. */
static void gather_views(pov_turntable_calibration *c)
{
    pov_turn_problem *p = &c->problem;
    *p = (pov_turn_problem){.camera = c->setup.camera,
                            .camera_fixed = c->setup.T_table_camera != NULL,
                            .tag_len = c->tag_len,
                            .views = c->working};
    memcpy(p->tags, c->tags, sizeof p->tags);
    for (int i = 0; i < c->report.image_len; i++) {
        pov_turn_image *image = &c->images[i];
        image->angle_rad = image->angle_std_rad = image->ahead_rad = NAN;
        if (image->outcome == POV_TURN_IMAGE_APART || image->outcome == POV_TURN_IMAGE_STRAY)
            image->outcome = POV_TURN_IMAGE_USED;
        if (image->outcome != POV_TURN_IMAGE_USED)
            continue;
        c->image_of[p->view_len] = i;
        p->views[p->view_len++] = c->seen[i];
    }
}

static void list_once(int *list, int *len, int id)
{
    for (int i = 0; i < *len; i++)
        if (list[i] == id)
            return;
    list[(*len)++] = id;
}

static bool is_of_disc(const pov_turntable_calibration *c, const pov_turn_sighting *s)
{
    return c->problem.tags[s->tag].on_disc;
}

static int disc_tags_used(const pov_turntable_calibration *c, const pov_turn_view *view)
{
    int len = 0;
    for (int i = 0; i < view->len; i++)
        len += view->sightings[i].used && is_of_disc(c, &view->sightings[i]);
    return len;
}

/* Takes sightings of tags that do not turn out of all views. */
static void forget_still_tags(pov_turntable_calibration *c)
{
    pov_turn_problem *p = &c->problem;
    for (int t = 0; t < p->tag_len; t++)
        if (p->tags[t].on_disc && !c->start->turns[t])
            list_once(c->report.left_out, &c->report.left_out_len, c->tags[t].id);
    for (int v = 0; v < p->view_len; v++) {
        pov_turn_view *view = &p->views[v];
        int kept = 0;
        for (int i = 0; i < view->len; i++)
            if (!is_of_disc(c, &view->sightings[i]) || c->start->turns[view->sightings[i].tag])
                view->sightings[kept++] = view->sightings[i];
        view->len = kept;
    }
}

/* Views that `drop` says so of leave the problem with this outcome. */
static void drop_views(pov_turntable_calibration *c, const bool *drop, pov_turn_outcome outcome)
{
    pov_turn_problem *p = &c->problem;
    int kept = 0;
    for (int v = 0; v < p->view_len; v++) {
        if (drop[v]) {
            c->images[c->image_of[v]].outcome = outcome;
            continue;
        }
        c->image_of[kept] = c->image_of[v];
        p->views[kept++] = p->views[v];
    }
    p->view_len = kept;
}

/* Views without a tag on the disc that may be used. */
static bool drop_empty_views(pov_turntable_calibration *c, pov_turn_outcome outcome)
{
    bool drop[POV_TURN_VIEW_MAX], any = false;
    for (int v = 0; v < c->problem.view_len; v++)
        any |= drop[v] = disc_tags_used(c, &c->problem.views[v]) == 0;
    drop_views(c, drop, outcome);
    return any;
}

static double arc_of(const pov_turn_problem *p)
{
    double gap_max = 0;
    for (int v = 0; v < p->view_len; v++) {
        double gap = 2 * POV_PI; /* from this view's angle to the next one's */
        for (int w = 0; w < p->view_len; w++) {
            const double on = pov_angle_wrap(p->views[w].angle_rad - p->views[v].angle_rad);
            if (w != v && fabs(on) > 1e-9)
                gap = fmin(gap, on < 0 ? on + 2 * POV_PI : on);
        }
        gap_max = fmax(gap_max, gap);
    }
    return 2 * POV_PI - gap_max;
}

/* ---- solving ---- */

static bool start_problem(pov_turntable_calibration *c)
{
    bool drop[POV_TURN_VIEW_MAX];
    int component;
    gather_views(c);
    c->report.left_out_len = c->report.lost_len = c->report.stray_len = c->report.used_len = 0;
    c->report.has_slip = false;
    pov_turn_start_look(c->start, &c->problem);
    forget_still_tags(c);
    (void)drop_empty_views(c, POV_TURN_IMAGE_NO_TAG);
    if (pov_turn_start_find(c->start, &c->problem, &component) < IMAGE_MIN)
        return false;
    for (int v = 0; v < c->problem.view_len; v++)
        drop[v] = c->start->component[v] != component;
    drop_views(c, drop, POV_TURN_IMAGE_APART);
    return c->problem.view_len >= IMAGE_MIN;
}

/* Leaves out sightings that do not fit, and with a start's misfits also those that cannot be. Returns whether any was. */
static bool drop_strays(pov_turntable_calibration *c, double distance2_max)
{
    bool any = false;
    for (int v = 0; v < c->problem.view_len; v++)
        for (int i = 0; i < c->problem.views[v].len; i++) {
            pov_turn_sighting *s = &c->problem.views[v].sightings[i];
            if (s->used && !(pov_turn_distance2(&c->problem, &c->problem.views[v], s) <= distance2_max)) {
                s->used = false;
                any = true;
            }
        }
    return any;
}

/* Tags of the disc that nothing is left of leave the problem. */
static void drop_lost_tags(pov_turntable_calibration *c)
{
    pov_turn_problem *p = &c->problem;
    int seen[POV_TURN_TAG_MAX] = {0}, moved_to[POV_TURN_TAG_MAX], kept = 0;
    for (int v = 0; v < p->view_len; v++)
        for (int i = 0; i < p->views[v].len; i++)
            seen[p->views[v].sightings[i].tag] += p->views[v].sightings[i].used;
    for (int t = 0; t < p->tag_len; t++) {
        moved_to[t] = seen[t] > 0 ? kept : -1;
        if (seen[t] == 0 && p->tags[t].on_disc)
            list_once(c->report.lost, &c->report.lost_len, p->tags[t].id);
        if (seen[t] > 0)
            p->tags[kept++] = p->tags[t];
    }
    p->tag_len = kept;
    for (int v = 0; v < p->view_len; v++) {
        int len = 0;
        for (int i = 0; i < p->views[v].len; i++) {
            pov_turn_sighting s = p->views[v].sightings[i];
            s.tag = moved_to[s.tag];
            if (s.tag >= 0)
                p->views[v].sightings[len++] = s;
        }
        p->views[v].len = len;
    }
}

/* ---- taking back what the first fit dropped ---- */

static double find_limit(const pov_turntable_calibration *c)
{
    const double noise = fmax(c->problem.noise, NOISE_FLOOR);
    return POV_TAG_DISTANCE2_MAX * noise * noise;
}

/* Where an image is among the problem's views, or would be. */
static int find_view(const pov_turntable_calibration *c, int image)
{
    int v = 0;
    while (v < c->problem.view_len && c->image_of[v] < image)
        v++;
    return v;
}

static void insert_view(pov_turntable_calibration *c, const pov_turn_view *view, int image)
{
    pov_turn_problem *p = &c->problem;
    const int v = find_view(c, image);
    const size_t behind = (size_t)(p->view_len++ - v);
    memmove(&p->views[v + 1], &p->views[v], behind * sizeof *p->views);
    memmove(&c->image_of[v + 1], &c->image_of[v], behind * sizeof *c->image_of);
    p->views[v] = *view;
    c->image_of[v] = image;
    c->images[image].outcome = POV_TURN_IMAGE_USED;
}

/* The sightings of an image whose tags are still in the problem. */
static void recall_view(pov_turn_view *view, const pov_turntable_calibration *c, int image)
{
    const pov_turn_view *seen = &c->seen[image];
    view->T_table_camera = seen->T_table_camera;
    view->len = 0;
    for (int i = 0; i < seen->len; i++) {
        const pov_turn_tag *tag = &c->tags[seen->sightings[i].tag];
        int t = 0;
        while (t < c->problem.tag_len &&
               (c->problem.tags[t].family != tag->family || c->problem.tags[t].id != tag->id))
            t++;
        if (t == c->problem.tag_len)
            continue;
        view->sightings[view->len] = seen->sightings[i];
        view->sightings[view->len++].tag = t;
    }
}

static void fill_disc(pov_disc *disc, const pov_turn_problem *p)
{
    disc->T_table_disc = p->T_table_disc;
    disc->tags.len = 0;
    for (int t = 0; t < p->tag_len; t++) {
        const pov_turn_tag *tag = &p->tags[t];
        if (!tag->on_disc)
            continue;
        pov_tag_map_entry *entry = &disc->tags.tags[disc->tags.len++];
        *entry = (pov_tag_map_entry){.family = tag->family, .id = tag->id, .edge_m = tag->edge_m};
        entry->T_table_tag.T = tag->T;
        memcpy(entry->T_table_tag.cov, tag->cov, sizeof tag->cov);
    }
}

/* Reads the disc's angle in an image that was dropped whole, by the present fit. False if its tags fit no angle. */
static bool read_view(pov_turn_view *view, double *misfit, pov_turntable_calibration *c, int image)
{
    static const double noise_min = 1;
    pov_tags tags = {.len = 0};
    pov_disc_reading reading;
    recall_view(view, c, image);
    fill_disc(&c->report.disc, &c->problem);
    for (int i = 0; i < view->len; i++) {
        tags.tags[tags.len] = view->sightings[i].seen;
        tags.tags[tags.len++].corner_std_px *= fmax(c->problem.noise, noise_min);
    }
    if (pov_disc_read(&reading, &c->report.disc, c->setup.camera, &tags, &c->cameras[image]) != POV_OK)
        return false;
    view->angle_rad = reading.angle_rad;
    for (int i = 0; i < view->len; i++)
        view->sightings[i].used = reading.used[i] || !is_of_disc(c, &view->sightings[i]);
    *misfit = reading.rms_px;
    return true;
}

static bool was_dropped(const pov_turntable_calibration *c, int image)
{
    return c->images[image].outcome == POV_TURN_IMAGE_STRAY ||
           c->images[image].outcome == POV_TURN_IMAGE_APART;
}

/* Uses those of a view's unused sightings that fit. Returns the least squared distance of these. */
static double use_fitting(pov_turn_view *view, const pov_turntable_calibration *c)
{
    double least = INFINITY;
    for (int i = 0; i < view->len; i++) {
        pov_turn_sighting *s = &view->sightings[i];
        const double distance2 = pov_turn_distance2(&c->problem, view, s);
        if (s->used || !(distance2 <= find_limit(c)))
            continue;
        s->used = true;
        least = fmin(least, distance2);
    }
    return least;
}

static double find_misfit(void *context, int image)
{
    pov_turntable_calibration *c = context;
    pov_turn_view *view = c->recalled;
    double misfit;
    if (was_dropped(c, image))
        return read_view(view, &misfit, c, image) ? misfit : INFINITY;
    if (c->images[image].outcome != POV_TURN_IMAGE_USED)
        return INFINITY;
    *view = c->problem.views[find_view(c, image)];
    return use_fitting(view, c);
}

/* Drops of what was taken back what does not fit. Returns how much is left of it. */
static int unuse_misfits(pov_turn_view *view, const bool *was_used, const pov_turntable_calibration *c,
                         double limit2)
{
    int kept = 0;
    for (int i = 0; i < view->len; i++) {
        pov_turn_sighting *s = &view->sightings[i];
        if (!s->used || was_used[i])
            continue;
        s->used = pov_turn_distance2(&c->problem, view, s) <= limit2;
        kept += s->used;
    }
    return kept;
}

static bool take_back(void *context, int image)
{
    pov_turntable_calibration *c = context;
    pov_turn_problem *p = &c->problem;
    const double limit2 = find_limit(c);
    const pov_turn_outcome outcome = c->images[image].outcome;
    const bool was_whole = outcome == POV_TURN_IMAGE_USED;
    bool was_used[POV_TURN_SIGHTING_MAX] = {false}, drop[POV_TURN_VIEW_MAX] = {false};
    double misfit;
    const int v = find_view(c, image);
    if (!was_whole && read_view(c->recalled, &misfit, c, image))
        insert_view(c, c->recalled, image);
    pov_turn_view *view = &p->views[v];
    for (int i = 0; i < view->len && was_whole; i++)
        was_used[i] = view->sightings[i].used;
    if (was_whole)
        (void)use_fitting(view, c);
    int kept =
        pov_turntable_solver_run(c->solver, p).code == POV_OK ? unuse_misfits(view, was_used, c, limit2) : 0;
    if (!was_whole && disc_tags_used(c, view) == 0)
        kept = 0;
    for (int i = 0; i < view->len && kept == 0; i++)
        view->sightings[i].used = was_used[i];
    drop[v] = !was_whole && kept == 0;
    drop_views(c, drop, outcome);
    c->solved = pov_turntable_solver_run(c->solver, p).code == POV_OK && c->solved;
    return kept > 0;
}

static pov_status take_back_strays(pov_turntable_calibration *c)
{
    bool is_tried[POV_TURN_IMAGE_MAX];
    const pov_readmission readmission = {c, c->report.image_len, find_misfit, take_back};
    c->solved = true;
    (void)pov_readmit(is_tried, &readmission);
    return c->solved ? pov_ok() : cannot_tell("the images do not determine the axis");
}

/* The first robust fit. */
static pov_status solve_problem(pov_turntable_calibration *c)
{
    static const double start_distance2_max = 1e6;
    double distance2_max = start_distance2_max;
    for (int round = 0; round < ROUND_MAX; round++) {
        const bool any = drop_strays(c, distance2_max);
        if (!any && round > 0)
            break;
        (void)drop_empty_views(c, POV_TURN_IMAGE_STRAY);
        if (c->problem.view_len < IMAGE_MIN)
            return pov_status_with(
                POV_UNDEFINED, "the tags on the disc do not turn about one axis: are they glued to it, flat, "
                               "and as large as "
                               "said? Measure an edge of the black squares");
        drop_lost_tags(c);
        POV_TRY(pov_turntable_solver_run(c->solver, &c->problem));
        distance2_max = find_limit(c);
    }
    return take_back_strays(c);
}

/* ---- reporting ---- */

/* A camera that is not where the station says takes the axis with it. */
static void add_camera_error(pov_pose *T_table_disc, const pov_pose *T_table_camera)
{
    pov_pose T_camera_disc =
        pov_pose_exact(pov_transform_mul(pov_transform_inverse(T_table_camera->T), T_table_disc->T));
    const pov_pose moved = pov_pose_mul(T_table_camera, &T_camera_disc);
    for (int i = 0; i < 36; i++)
        T_table_disc->cov[i / 6][i % 6] += moved.cov[i / 6][i % 6];
}

/* Half the distance, since it is the sum over four corners. */
static void report_strays(pov_turntable_calibration *c)
{
    c->report.stray_len = 0;
    for (int v = 0; v < c->problem.view_len; v++) {
        const pov_turn_view *view = &c->problem.views[v];
        for (int i = 0; i < view->len; i++) {
            const pov_turn_sighting *s = &view->sightings[i];
            if (s->used)
                continue;
            const double distance2 = pov_turn_distance2(&c->problem, view, s);
            c->strays[c->report.stray_len++] = (pov_turn_stray){c->image_of[v], s->seen.id, s->seen.family,
                                                                sqrt(distance2) * s->seen.corner_std_px / 2};
        }
    }
}

static void report_images(pov_turntable_calibration *c)
{
    double squares_px2 = 0;
    int corners = 0;
    for (int v = 0; v < c->problem.view_len; v++) {
        const pov_turn_view *view = &c->problem.views[v];
        pov_turn_image *image = &c->images[c->image_of[v]];
        image->angle_rad = view->angle_rad < 0 ? view->angle_rad + 2 * POV_PI : view->angle_rad;
        image->angle_std_rad = view->angle_std_rad;
        for (int i = 0; i < view->len; i++) {
            const pov_turn_sighting *s = &view->sightings[i];
            if (!s->used)
                continue;
            squares_px2 += s->distance2 * s->seen.corner_std_px * s->seen.corner_std_px;
            corners += 4;
        }
    }
    c->report.rms_px = sqrt(squares_px2 / corners);
    c->report.used_len = c->problem.view_len;
}

static void report_disc(pov_turntable_calibration *c)
{
    pov_disc *disc = &c->report.disc;
    fill_disc(disc, &c->problem);
    if (c->setup.T_table_camera)
        add_camera_error(&disc->T_table_disc, c->setup.T_table_camera);
    const pov_rot *R = &disc->T_table_disc.T.R;
    c->report.lean_rad = atan2(hypot(R->m[0][2], R->m[1][2]), R->m[2][2]);
    c->report.noise = c->problem.noise;
}

static pov_status run_calibration(pov_turntable_calibration *c)
{
    if (!start_problem(c))
        return explain_too_few(c);
    POV_TRY(solve_problem(c));
    c->report.arc_rad = arc_of(&c->problem);
    if (c->report.arc_rad < ARC_MIN_RAD)
        return pov_status_with(
            POV_UNDEFINED,
            "the table turned by %.0f degrees only; turn it by 90 or more, all round if you can",
            c->report.arc_rad / POV_DEG);
    POV_TRY(find_zero(c));
    report_images(c);
    report_strays(c);
    report_disc(c);
    return pov_ok();
}

pov_status pov_turntable_calibration_run(pov_turntable_calibration *c)
{
    const pov_status status = run_calibration(c);
    c->report.is_calibrated = status.code == POV_OK;
    snprintf(c->report.why, sizeof c->report.why, "%s", status.message);
    return status;
}
