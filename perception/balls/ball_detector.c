#include "perception/balls/ball_detector.h"

#include "perception/balls/ball_fit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FITS_MAX = 12, SPARE_MAX = 4 }; /* beyond max_count: guesses looked at, and fits made with care */

#define GUESS_MIN 0.15 /* below it, chance alone does as well */

/* Share of clear edges where a ball of known size shows: less is asked before what stands in front is known, and more
 * of small balls, see is_sized_ball. */
#define RIM_TRIAL 0.25
#define RIM_FINAL 0.5
#define CUT_RIM   0.7 /* of these, for clean cuts */

typedef struct {
    int kind;
    double guess_score, score;
    bool is_refined; /* fitted with care */
    bool is_settled; /* found to be a ball */
    pov_ball_fit fit;
    int follows; /* index of the ball that it was expected to be; -1: it was searched for */
} found;

/** A ball of the last image, or of one not long before. It is expected at its centre in the table frame, or in the camera's
 *  where the table's is not known. */
typedef struct {
    int kind;
    double radius_px;
} ball_note;

typedef struct {
    bool has_pose; /* of the last image */
    double sweep;  /* share of the image's rows searched in this round, [0, 1) */
    int round;     /* of sweeps since the last whole search */
} ball_schedule;

const pov_memory_shape pov_ball_memory = {POV_BALL_MAX, sizeof(ball_note), sizeof(ball_schedule)};

struct pov_ball_detector {
    pov_ball_detector_config config;
    pov_camera camera;
    pov_ball_search *search;
    pov_ball_guesses guesses[POV_BALL_KIND_MAX];
    pov_ball_view view;     /* of the last image, */
    bool is_searched_whole; /* all of which was searched */
    int found_len;
    found found[POV_BALL_MAX];
    bool truncated;
};

/* --- configuration --- */

static pov_status kind_check(const pov_ball_kind *kind, int index)
{
    if (!pov_colour_has_hue(kind->colour))
        return pov_error("ball kind %d: colour #%02x%02x%02x has no hue to find it by; give a coloured ball "
                         "(white, grey and black ones are not supported)",
                         index, kind->colour.red, kind->colour.green, kind->colour.blue);
    if (!(kind->radius_m > 0) || !isfinite(kind->radius_m))
        return pov_error("ball kind %d: radius_m is %g; give a positive number of metres", index,
                         kind->radius_m);
    if (kind->max_count < 1 || kind->max_count > POV_BALL_MAX)
        return pov_error("ball kind %d: max_count is %d; give 1 to %d", index, kind->max_count, POV_BALL_MAX);
    if (kind->has_height &&
        !(isfinite(kind->height_m) && kind->height_std_m >= 0 && isfinite(kind->height_std_m)))
        return pov_error(
            "ball kind %d: height_m %g, height_std_m %g; give finite metres, the second not negative", index,
            kind->height_m, kind->height_std_m);
    return pov_ok();
}

static pov_status config_check(const pov_ball_detector_config *config)
{
    POV_REQUIRE(config->kind_len >= 0 && config->kind_len <= POV_BALL_KIND_MAX);
    POV_REQUIRE(config->mask_len >= 0 && config->mask_len <= POV_MASK_MAX);
    for (int k = 0; k < config->kind_len; k++)
        POV_TRY(kind_check(&config->kinds[k], k));
    return pov_ok();
}

pov_status pov_ball_detector_new(pov_ball_detector **detector, const pov_ball_detector_config *config,
                                 const pov_camera *camera)
{
    *detector = NULL;
    POV_TRY(config_check(config));
    POV_TRY(pov_camera_check(camera));
    pov_ball_detector *d = calloc(1, sizeof *d);
    if (!d)
        return pov_error("ball detector: out of memory");
    d->config = *config;
    d->camera = *camera;
    pov_status status = pov_ball_search_new(&d->search, config, camera);
    if (status.code != POV_OK)
        pov_ball_detector_destroy(&d);
    *detector = d;
    return status;
}

void pov_ball_detector_destroy(pov_ball_detector **detector)
{
    if (!*detector)
        return;
    pov_ball_search_destroy(&(*detector)->search);
    free(*detector);
    *detector = NULL;
}

/* --- what is a ball --- */

/* A whole disc of the ball's colour, set off all around. */
static bool is_disc(const found *f)
{
    return f->guess_score > 0.95 && f->fit.fill > 0.85 && f->fit.leak < 0.1 && f->fit.contradiction < 0.05;
}

/* Share of the ball-coloured patch that lies beyond the outline. */
static double spilling(const pov_ball_fit *fit)
{
    return fit->patch.spill / fmax(fit->patch.inside + fit->patch.spill, 1e-6);
}

/* A free arc implies that the disc's segment within it is free: a thing before the rest leaves that much visible. */
static double least_fill(double arc)
{
    return arc - sin(2 * POV_PI * arc) / (2 * POV_PI);
}

/* All there is of the ball's colour lies within the outline, and the edges found are truly on it: the two unknowns of
 * its place and three more independent ones. Then the rest may end in anything but the surroundings. */
static bool is_clean_cut(const pov_ball_fit *fit)
{
    return spilling(fit) < 0.05 && fit->leak < 0.05 && fit->contradiction < 0.1 && fit->tint_distance < 1 &&
           fit->arc * 2 * POV_PI * fit->radius_px > 7 &&
           fit->rms_px < fmax(0.25, POV_BALL_ROUNDNESS * fit->radius_px);
}

/* More of its colour lies beyond: what stands before it has it too, or it is a part of something larger. */
static bool is_well_set_off(const found *f, double rim_min)
{
    const pov_ball_fit *fit = &f->fit;
    double spill = spilling(fit), rms_px = fmax(0.2, POV_BALL_ROUNDNESS * fit->radius_px);
    if (is_disc(f))
        return spill < 0.3;
    return fit->rim > rim_min + 1.2 / fit->radius_px &&
           (spill < 0.05 || (spill < 0.3 && fit->rms_px < rms_px));
}

/* With its size and height known, a ball may show little: what does show must have clear edges, and where it does not
 * show, something other than its surroundings must be in the way. */
static bool is_sized_ball(const found *f, double rim_min)
{
    const pov_ball_fit *fit = &f->fit;
    return fit->radius_px > 2 && fit->arc > 0.12 * fit->arc_open && fit->leak < 0.5 &&
           fit->fill > fmax(0.04, 0.75 * least_fill(fit->arc)) &&
           (is_well_set_off(f, rim_min) || (is_clean_cut(fit) && fit->rim > CUT_RIM * rim_min));
}

/* Without it, a good part of the outline is needed, more of a smaller one: any blob is round at four pixels. */
static bool is_free_ball(const found *f)
{
    const pov_ball_fit *fit = &f->fit;
    return fit->radius_px > 4.5 && fit->arc > (0.4 + 1.7 / fit->radius_px) * fmax(0.7, fit->arc_open) &&
           fit->leak < 0.3 && fit->fill > 0.5 && f->guess_score > 0.35;
}

/* Edges of a cube or of a roll of tape scatter about any sphere's outline, and their light about any sphere's shading.
 * Measured on rendered bodies like those of tests/perception/balls/test_ball_surface.c: the limits refuse 9 of 10 rolls that pass
 * otherwise, and 1 ball of 70; prints, seams and cast shadows stay within them. */
#define ROUGH_MAX    0.025 /* rms of the edges about the outline, by the radius */
#define ROUGH_MAX_PX 0.3
#define MISFIT_MAX   0.12 /* of the shading; as the next, see ball_surface.h */
#define HOLE_MAX     0.1
#define GLARE_MAX    0.15
#define RELIEF_MIN   0.01 /* a disc that faces the camera has none */

static bool is_spherical(const pov_ball_fit *fit)
{
    const pov_ball_surface *s = &fit->surface;
    double rough = fit->rms_px / fmax(ROUGH_MAX_PX, ROUGH_MAX * fit->radius_px);
    if (!s->is_judged)
        return rough < 1;
    double misfit = s->misfit / MISFIT_MAX, hole = s->hole / HOLE_MAX, glare = s->glare / GLARE_MAX;
    return s->relief > RELIEF_MIN && rough * rough + misfit * misfit + hole * hole + glare * glare < 1;
}

static bool is_ball(const pov_ball_detector *d, const found *f, bool posed, double rim_min)
{
    if (f->fit.arc_open <= 0 || f->fit.tint_distance > 1.2 || f->fit.contradiction > 0.15)
        return false;
    if (f->is_refined && !is_spherical(&f->fit))
        return false;
    return posed && d->config.kinds[f->kind].has_height ? is_sized_ball(f, rim_min) : is_free_ball(f);
}

static double score_of(const found *f)
{
    const pov_ball_fit *fit = &f->fit;
    double arc = (0.6 * fit->arc + 0.4 * fit->agreement) / fmax(0.5, fit->arc_open);
    return arc + 0.5 * fit->rim + 0.5 * fit->fill - 2 * fit->contradiction - 0.5 * fit->leak -
           0.4 * fit->tint_distance - 0.3 * fit->rms_px + 0.5 * f->guess_score;
}

/* Two balls cannot be in the same place; nor are there two whose outlines mostly cover each other. */
static bool is_same(const pov_ball_detector *d, const found *a, const found *b)
{
    pov_vec3 p = a->fit.center_camera_m, q = b->fit.center_camera_m;
    double size_a = d->config.kinds[a->kind].radius_m, size_b = d->config.kinds[b->kind].radius_m;
    double apart_px = hypot(a->fit.middle_px.x - b->fit.middle_px.x, a->fit.middle_px.y - b->fit.middle_px.y);
    return pov_vec3_norm(pov_vec3_sub(p, q)) < 0.85 * (size_a + size_b) ||
           (a->kind == b->kind && apart_px < 0.6 * fmax(a->fit.radius_px, b->fit.radius_px));
}

/* Adds a fit unless a better one has its place; drops those it displaces. */
static void add_found(pov_ball_detector *d, const found *candidate)
{
    for (int i = 0; i < d->found_len; i++)
        if (d->found[i].kind == candidate->kind && is_same(d, &d->found[i], candidate)) {
            if (d->found[i].score < candidate->score)
                d->found[i] = *candidate;
            return;
        }
    if (d->found_len == POV_BALL_MAX) {
        d->truncated = true;
        return;
    }
    d->found[d->found_len++] = *candidate;
}

/* Whether a good fit has been made where a guess would lead. */
static bool is_explained(const pov_ball_detector *d, int kind, const pov_ball_guess *guess)
{
    for (int i = 0; i < d->found_len; i++) {
        const pov_ball_fit *fit = &d->found[i].fit;
        double distance = hypot(fit->middle_px.x - guess->x_px, fit->middle_px.y - guess->y_px);
        if (d->found[i].kind == kind && fit->arc > 0.8 * fit->arc_open && distance < 0.5 * fit->radius_px)
            return true;
    }
    return false;
}

static void fit_guesses(pov_ball_detector *d, const pov_ball_view *view, int kind,
                        const pov_transform *T_table_camera, int fits_max)
{
    const pov_ball_guesses *guesses = &d->guesses[kind];
    pov_ball_prior prior = {&d->config.kinds[kind], kind, T_table_camera, 0, NULL};
    for (int i = 0; i < guesses->len && i < fits_max && guesses->guess[i].score > GUESS_MIN; i++) {
        found candidate = {.kind = kind, .guess_score = guesses->guess[i].score, .follows = -1};
        if (is_explained(d, kind, &guesses->guess[i]) ||
            !pov_ball_fit_circle(&candidate.fit, view, &prior, &guesses->guess[i]) ||
            !is_ball(d, &candidate, T_table_camera, RIM_TRIAL))
            continue;
        candidate.score = score_of(&candidate);
        add_found(d, &candidate);
    }
}

static bool comes_first(const found *a, const found *b)
{
    return a->kind != b->kind ? a->kind < b->kind : a->score > b->score;
}

/* Insertion sort: the list is short, and qsort may allocate. */
static void sort_found(pov_ball_detector *d)
{
    for (int i = 1; i < d->found_len; i++) {
        const found moved = d->found[i];
        int at = i;
        for (; at > 0 && comes_first(&moved, &d->found[at - 1]); at--)
            d->found[at] = d->found[at - 1];
        d->found[at] = moved;
    }
}

/* Sorts by kind and score and keeps, of each kind, the best that are balls, each once: its max_count and
 * `more`. */
static void sift_found(pov_ball_detector *d, bool posed, int more, double rim_min)
{
    int kept = 0, first = 0;
    sort_found(d);
    for (int i = 0; i < d->found_len; i++) {
        const found *f = &d->found[i];
        if (kept == 0 || d->found[kept - 1].kind != f->kind)
            first = kept;
        bool keep = kept - first < d->config.kinds[f->kind].max_count + more && is_ball(d, f, posed, rim_min);
        for (int j = first; j < kept && keep; j++)
            keep = !is_same(d, &d->found[j], f);
        if (keep)
            d->found[kept++] = *f;
    }
    d->found_len = kept;
}

/* Whether `a` may hide some of `b`. */
static bool is_before(const pov_ball_fit *a, const pov_ball_fit *b)
{
    double apart_px = hypot(a->middle_px.x - b->middle_px.x, a->middle_px.y - b->middle_px.y);
    return pov_vec3_norm(a->center_camera_m) < pov_vec3_norm(b->center_camera_m) &&
           apart_px < 1.2 * (a->radius_px + b->radius_px) + 5;
}

static void fit_again(found *f, const pov_ball_view *view, const pov_ball_prior *prior)
{
    pov_ball_fit again = f->fit;
    if (!pov_ball_fit_again(&again, view, prior, f->follows >= 0))
        return;
    f->fit = again;
    f->is_refined = true;
    f->score = score_of(f);
}

/* Work on several balls side by side. */
typedef struct {
    pov_ball_detector *detector;
    const pov_memory *memory;
    const pov_transform *T_table_camera;
    found *followed; /* of each expected ball; follows -1: it is not where it is expected */
} ball_work;

static void fit_one_with_care(void *context, int index, int worker)
{
    const ball_work *work = context;
    pov_ball_detector *d = work->detector;
    found *f = &d->found[index];
    const pov_ball_prior prior = {&d->config.kinds[f->kind], f->kind, work->T_table_camera, 0, NULL};
    (void)worker;
    if (!f->is_settled)
        fit_again(f, &d->view, &prior);
}

/* With every point of the outline; those that were not yet. */
static void fit_with_care(pov_ball_detector *d, const pov_transform *T_table_camera)
{
    ball_work work = {.detector = d, .T_table_camera = T_table_camera};
    pov_tasks_run(d->config.workers, fit_one_with_care, &work, d->found_len);
}

/* Without the edges that may be those of a ball in front. */
static void fit_behind_others(pov_ball_detector *d, const pov_ball_view *view,
                              const pov_transform *T_table_camera)
{
    pov_ball_body bodies[POV_BALL_MAX];
    for (int i = 0; i < d->found_len; i++) {
        found *f = &d->found[i];
        pov_ball_prior prior = {&d->config.kinds[f->kind], f->kind, T_table_camera, 0, bodies};
        if (f->is_settled)
            continue;
        for (int j = 0; j < d->found_len; j++)
            if (is_before(&d->found[j].fit, &f->fit) && is_ball(d, &d->found[j], T_table_camera, RIM_FINAL))
                bodies[prior.body_len++] = (pov_ball_body){d->found[j].fit.center_camera_m,
                                                           d->config.kinds[d->found[j].kind].radius_m};
        if (prior.body_len > 0)
            fit_again(f, view, &prior);
    }
}

/* Keeps what is a ball. */
static void settle_found(pov_ball_detector *d, const pov_transform *T_table_camera)
{
    sift_found(d, T_table_camera, SPARE_MAX, RIM_TRIAL);
    fit_with_care(d, T_table_camera);
    fit_behind_others(d, &d->view, T_table_camera);
    sift_found(d, T_table_camera, 0, RIM_FINAL);
    for (int i = 0; i < d->found_len; i++)
        d->found[i].is_settled = true;
}

/* --- searching --- */

static void search_whole(pov_ball_detector *d, pov_ball_view *view, const pov_transform *T_table_camera)
{
    const pov_ball_part whole = pov_ball_part_whole(d->search);
    pov_ball_search_run(d->search, d->guesses, view, &whole, T_table_camera);
    for (int k = 0; k < d->config.kind_len; k++)
        fit_guesses(d, view, k, T_table_camera, d->config.kinds[k].max_count + FITS_MAX);
}

/* --- following --- */

#define GAP_MAX_NS 500e6 /* images farther apart do not follow one another; chosen */
#define SWEEP_NS   500e6 /* in which the whole image is searched for missing balls; chosen */
#define CHECK_NS   2e9   /* in which it is searched for better ones, if none is missing; chosen */
#define MISSED_NS  1e9   /* a ball not found for so long is searched for as any other; chosen */
#define WINDOW_RADII                                                                                         \
    3.0 /* half the side of the window searched about a ball that is not where it was; chosen */
enum {
    WINDOW_TRIES = 4000, /* circles, each about 0.4 us; a ball's border of 25 px radius has 900 */
    SWEEP_TRIES = 6000,  /* the same, of a whole search's 60000 in a tenth of the image */
    WINDOW_FITS = 3,     /* guesses fitted, each about 0.5 ms */
    SWEEP_FITS = 2
};

static pov_vec3 expected_center(const pov_memory *memory, const pov_expected *ball,
                                const pov_transform *T_table_camera)
{
    double at_m[3];
    pov_memory_predict(at_m, memory, ball, 3);
    const pov_vec3 center_m = {at_m[0], at_m[1], at_m[2]};
    return T_table_camera ? pov_transform_apply(pov_transform_inverse(*T_table_camera), center_m) : center_m;
}

static double guess_score(const pov_ball_detector *d, const pov_ball_view *view, const found *f)
{
    const pov_ball_guess circle = {f->fit.middle_px.x, f->fit.middle_px.y, f->fit.radius_px, 0};
    return pov_ball_circle_score(d->search, view, f->kind, &circle);
}

static void search_about(pov_ball_detector *d, pov_ball_view *view, const ball_note *ball, pov_vec3 center_m,
                         const pov_transform *T_table_camera)
{
    pov_vec2 middle_px;
    if (pov_camera_project(&d->camera, &middle_px, NULL, center_m) != POV_OK)
        return;
    const double half_px = WINDOW_RADII * ball->radius_px + 4;
    const pov_pixel_box about = {middle_px.x - half_px, middle_px.y - half_px, middle_px.x + half_px,
                                 middle_px.y + half_px};
    const pov_ball_part part = {.area = pov_box_pixels(about, d->camera.width_px, d->camera.height_px),
                                .kinds = (uint16_t)(1u << ball->kind),
                                .tries_max = WINDOW_TRIES};
    pov_ball_search_run(d->search, d->guesses, view, &part, T_table_camera);
    fit_guesses(d, view, ball->kind, T_table_camera, WINDOW_FITS);
}

/* Fits a ball from where it is expected. */
static void follow_ball(void *context, int index, int worker)
{
    const ball_work *work = context;
    pov_ball_detector *d = work->detector;
    const pov_expected *expected = &work->memory->expected[index];
    const ball_note *ball = expected->note;
    const pov_ball_prior prior = {&d->config.kinds[ball->kind], ball->kind, work->T_table_camera, 0, NULL};
    found *candidate = &work->followed[index];
    (void)worker;
    *candidate = (found){.kind = ball->kind, .follows = -1};
    candidate->fit.center_camera_m = expected_center(work->memory, expected, work->T_table_camera);
    candidate->fit.radius_px = ball->radius_px;
    if (!pov_ball_fit_near(&candidate->fit, &d->view, &prior))
        return;
    candidate->guess_score = guess_score(d, &d->view, candidate);
    candidate->score = score_of(candidate);
    if (is_ball(d, candidate, work->T_table_camera, RIM_TRIAL))
        candidate->follows = index;
}

static void follow_balls(pov_ball_detector *d, pov_memory *memory, const pov_transform *T_table_camera)
{
    found followed[POV_BALL_MAX];
    ball_work work = {d, memory, T_table_camera, followed};
    pov_tasks_run(d->config.workers, follow_ball, &work, memory->len);
    for (int i = 0; i < memory->len; i++)
        if (followed[i].follows == i)
            add_found(d, &followed[i]);
    for (int i = 0; i < memory->len; i++)
        if (followed[i].follows != i)
            search_about(d, &d->view, memory->expected[i].note,
                         expected_center(memory, &memory->expected[i], T_table_camera), T_table_camera);
}

static uint16_t missing_kinds(const pov_ball_detector *d)
{
    int count[POV_BALL_KIND_MAX] = {0};
    uint16_t missing = 0;
    for (int i = 0; i < d->found_len; i++)
        count[d->found[i].kind]++;
    for (int k = 0; k < d->config.kind_len; k++)
        missing |= (uint16_t)((count[k] < d->config.kinds[k].max_count) << k);
    return missing;
}

/* The next rows: in one round of four for all kinds, since what is followed may be something else; otherwise only for
 * kinds of which some are missing. */
static void search_next_part(pov_ball_detector *d, pov_ball_view *view, pov_memory *memory,
                             const pov_transform *T_table_camera)
{
    ball_schedule *at = memory->schedule;
    const uint16_t missing = missing_kinds(d);
    const double share = (double)memory->period_ns / (missing ? SWEEP_NS : CHECK_NS);
    const double end = fmin(1, at->sweep + share);
    const int top = (int)(at->sweep * d->camera.height_px), low = (int)(end * d->camera.height_px);
    const pov_ball_part part = {.area = {0, top, d->camera.width_px, low - top},
                                .only_top = true,
                                .kinds = missing && at->round % 4 ? missing : UINT16_MAX,
                                .tries_max = (int)(SWEEP_TRIES * fmax(1, 10 * share))};
    pov_ball_search_run(d->search, d->guesses, view, &part, T_table_camera);
    for (int k = 0; k < d->config.kind_len; k++)
        fit_guesses(d, view, k, T_table_camera, SWEEP_FITS);
    at->round += !(end < 1);
    at->sweep = end < 1 ? end : 0;
}

static bool continues_video(const pov_memory *memory, const pov_transform *T_table_camera)
{
    const double elapsed_ns = (double)(memory->now_ns - memory->last_ns);
    const ball_schedule *at = memory->schedule;
    return memory->images > 0 && at->has_pose == (T_table_camera != NULL) && elapsed_ns > 0 &&
           elapsed_ns < GAP_MAX_NS;
}

/* An expected ball that was not found may come back, unless a new one of its kind may be it. */
static bool may_come_back(const pov_ball_detector *d, const pov_memory *memory, int index)
{
    const pov_expected *before = &memory->expected[index];
    for (int i = 0; i < d->found_len; i++)
        if (d->found[i].follows == index ||
            (d->found[i].follows < 0 && d->found[i].kind == ((const ball_note *)before->note)->kind))
            return false;
    return memory->now_ns - before->seen_ns < MISSED_NS;
}

static void remember_balls(const pov_ball_detector *d, pov_memory *memory,
                           const pov_transform *T_table_camera)
{
    for (int i = 0; i < d->found_len; i++) {
        const found *f = &d->found[i];
        const pov_vec3 in_camera_m = f->fit.center_camera_m,
                       at_m =
                           T_table_camera ? pov_transform_apply(*T_table_camera, in_camera_m) : in_camera_m;
        pov_expected *ball = pov_memory_add(memory, f->follows < 0 ? NULL : &memory->expected[f->follows]);
        pov_memory_see(memory, ball, (const double[]){at_m.x, at_m.y, at_m.z}, 3);
        *(ball_note *)ball->note = (ball_note){f->kind, f->fit.radius_px};
    }
    for (int i = 0; i < memory->len; i++)
        if (may_come_back(d, memory, i))
            (void)pov_memory_add(memory, &memory->expected[i]);
    ((ball_schedule *)memory->schedule)->has_pose = T_table_camera != NULL;
    pov_memory_end(memory);
}

/* In a video, looks at the expected balls; otherwise searches the whole image. */
static void find_candidates(pov_ball_detector *d, pov_ball_view *view, pov_memory *memory,
                            const pov_transform *T_table_camera)
{
    d->is_searched_whole = !memory || !continues_video(memory, T_table_camera);
    if (d->is_searched_whole) {
        if (memory)
            pov_memory_clear(memory);
        search_whole(d, view, T_table_camera);
        return;
    }
    follow_balls(d, memory, T_table_camera);
}

/* --- results --- */

/* d(table position) / d(camera pose error): the outline's share of the information moves with the camera, the
 * height's does not. [-[R p]x, I] for what the outline alone would say. */
static void per_camera_pose(double J[3][6], const pov_ball_fit *fit, const pov_rot *R)
{
    double share[3][3], in_table[3][3];
    for (int i = 0; i < 9; i++) {
        share[i / 3][i % 3] = 0;
        for (int k = 0; k < 3; k++)
            share[i / 3][i % 3] += fit->cov_m2[i / 3][k] * fit->information[k][i % 3];
    }
    for (int i = 0; i < 9; i++) {
        in_table[i / 3][i % 3] = 0;
        for (int k = 0; k < 9; k++)
            in_table[i / 3][i % 3] += R->m[i / 3][k / 3] * share[k / 3][k % 3] * R->m[i % 3][k % 3];
    }
    pov_vec3 p = pov_rot_apply(*R, fit->center_camera_m);
    const double turn[3][3] = {{0, p.z, -p.y}, {-p.z, 0, p.x}, {p.y, -p.x, 0}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            J[i][j] = in_table[i][0] * turn[0][j] + in_table[i][1] * turn[1][j] + in_table[i][2] * turn[2][j];
            J[i][3 + j] = in_table[i][j];
        }
}

static pov_ball ball_of(const found *f, const pov_pose *T_table_camera)
{
    pov_ball ball = {.kind = f->kind, .pos_camera_m = f->fit.center_camera_m, .fraction_visible = f->fit.arc};
    memcpy(ball.cov_camera_m2, f->fit.cov_m2, sizeof ball.cov_camera_m2);
    ball.confidence = fmin(1, fmax(0.01, f->score / 2.5));
    if (T_table_camera)
        per_camera_pose(ball.per_camera_pose, &f->fit, &T_table_camera->T.R);
    return ball;
}

pov_status pov_ball_detector_run(pov_ball_detector *d, pov_balls *balls, const pov_image *image,
                                 const pov_pose *T_table_camera, pov_memory *memory)
{
    balls->len = 0;
    balls->truncated = false;
    if (image->width_px != d->camera.width_px || image->height_px != d->camera.height_px)
        return pov_status_with(
            POV_SKIPPED,
            "%s: the image is %d x %d, the camera's calibration is for %d x %d; calibrate for "
            "this size or change the image size",
            image->name, image->width_px, image->height_px, d->camera.width_px, d->camera.height_px);
    d->found_len = 0;
    d->truncated = false;
    const pov_transform *T = T_table_camera ? &T_table_camera->T : NULL;
    if (memory)
        pov_memory_begin(memory, image->mid_exposure_ns, image->sequence);
    d->view = pov_ball_search_begin(d->search, image);
    find_candidates(d, &d->view, memory, T);
    settle_found(d, T);
    balls->truncated = d->truncated;
    for (int i = 0; i < d->found_len; i++)
        balls->balls[balls->len++] = ball_of(&d->found[i], T_table_camera);
    return pov_ok();
}

void pov_ball_detector_remember(pov_ball_detector *d, const pov_image *image, const pov_pose *T_table_camera,
                                pov_memory *memory)
{
    const pov_transform *T = T_table_camera ? &T_table_camera->T : NULL;
    d->view.image = image;
    if (!d->is_searched_whole) {
        search_next_part(d, &d->view, memory, T);
        settle_found(d, T);
    }
    remember_balls(d, memory, T);
}
