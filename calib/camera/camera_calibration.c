#include "calib/camera/camera_calibration.h"

#include "perception/geometry/linalg.h"
#include "perception/geometry/random.h"
#include "perception/geometry/ranked.h"
#include "perception/geometry/readmission.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** Some of a calibration's views, as the solver wants them. */
typedef struct {
    int len;
    int index[POV_CALIBRATION_VIEW_MAX]; /* among all */
    pov_point_view views[POV_CALIBRATION_VIEW_MAX];
    pov_transform T_camera_board[POV_CALIBRATION_VIEW_MAX];
} pov_view_set;

struct pov_camera_calibration {
    int width_px, height_px;
    pov_calibration_view *views;
    pov_camera_solver *solver;
    pov_view_set used, part, tried; /* those in the fit; scratch of folds and samples */
    pov_camera_fit fits[POV_CAMERA_MODEL_COUNT];
    pov_calibration_report report;
};

/* A fit to be, of one model. */
static pov_camera_fit start_fit(const pov_camera_calibration *c, pov_camera_model model)
{
    static const int coefficients[POV_CAMERA_MODEL_COUNT] = {5, 8, 4};
    return (pov_camera_fit){
        .camera = {.lens = model == POV_CAMERA_MODEL_FISHEYE ? POV_LENS_EQUIDISTANT : POV_LENS_BROWN_CONRADY,
                   .width_px = c->width_px,
                   .height_px = c->height_px},
        .coefficient_len = coefficients[model]};
}

/* Puts a view of the calibration into a set. */
static void add_view(pov_view_set *set, const pov_camera_calibration *c, int index)
{
    const pov_calibration_view *view = &c->views[index];
    set->index[set->len] = index;
    set->views[set->len] = (pov_point_view){view->seen.len, view->seen.board_m, view->seen.pixel};
    set->T_camera_board[set->len++] = view->T_camera_board;
}

/* Views of outcome POV_VIEW_USED. */
static void take_used_views(pov_view_set *set, const pov_camera_calibration *c)
{
    set->len = 0;
    for (int i = 0; i < c->report.view_len; i++)
        if (c->views[i].outcome == POV_VIEW_USED)
            add_view(set, c, i);
}

/* ---- the lens model ---- */

enum { FOLDS = 5 };

typedef struct {
    double squares[POV_CALIBRATION_VIEW_MAX]; /* of held-out view i, over its points */
} holdout;

static bool fit_without(pov_camera_fit *fit, pov_camera_calibration *c, int fold)
{
    c->part.len = 0;
    for (int i = 0; i < c->used.len; i++)
        if (i % FOLDS != fold) {
            add_view(&c->part, c, c->used.index[i]);
            c->part.T_camera_board[c->part.len - 1] = c->used.T_camera_board[i];
        }
    return pov_camera_solver_refine(c->solver, fit, c->part.T_camera_board, c->part.views, c->part.len)
               .code == POV_OK;
}

/* k-fold: every view is judged by a camera fitted to the others; Hastie, Tibshirani & Friedman 2009, section 7.10. */
static bool hold_out(holdout *out, double *rms_px, pov_camera_calibration *c, const pov_camera_fit *whole)
{
    double sum = 0;
    for (int fold = 0; fold < FOLDS; fold++) {
        pov_camera_fit fit = *whole;
        if (!fit_without(&fit, c, fold))
            return false;
        for (int i = fold; i < c->used.len; i += FOLDS) {
            pov_transform T;
            double view_px;
            if (pov_camera_resect(&T, &view_px, &fit, &c->used.views[i]) != POV_OK)
                return false;
            out->squares[i] = view_px * view_px * c->used.views[i].len;
            sum += out->squares[i];
        }
    }
    *rms_px = sqrt(sum / whole->point_len);
    return true;
}

static void try_model(pov_camera_calibration *c, holdout *out, pov_camera_model model)
{
    pov_calibration_model *result = &c->report.models[model];
    pov_camera_fit *fit = &c->fits[model];
    *fit = start_fit(c, model);
    pov_status status =
        pov_camera_solver_run(c->solver, fit, c->used.T_camera_board, c->used.views, c->used.len);
    if (status.code != POV_OK) {
        snprintf(result->why, sizeof result->why, "%.150s", status.message);
        return;
    }
    result->rms_px = fit->rms_px;
    result->fitted = hold_out(out, &result->holdout_px, c, fit);
    if (!result->fitted)
        snprintf(result->why, sizeof result->why, "fits all images together, but not some without others");
}

/* Standard error of the difference of two models' mean squares, from views as they come. */
static double difference_std(const pov_camera_calibration *c, const holdout *a, const holdout *b)
{
    int n = c->used.len;
    double sum = 0, squares = 0;
    for (int i = 0; i < n; i++) {
        double d = a->squares[i] - b->squares[i];
        sum += d;
        squares += d * d;
    }
    return sqrt(fmax(0, squares - sum * sum / n) * n / (n - 1)) / c->fits[0].point_len;
}

/* Two-sided 95 % quantile of Student's t, to 1 % from five degrees of freedom on. */
static double student_quantile(int freedom)
{
    return 1.96 + 2.5 / freedom;
}

/* The first model in the list that the best one does not beat beyond doubt (as in Breiman et al. 1984, section 3.4.3, but by
 * Student's t: one image in ten that decides is one standard error) and by one percent: more coefficients must earn their
 * place, and a fisheye's are for lenses that no other model suits. */
static int choose_model(pov_camera_calibration *c, const holdout outs[POV_CAMERA_MODEL_COUNT])
{
    pov_calibration_model *models = c->report.models;
    int best = -1;
    for (int m = 0; m < POV_CAMERA_MODEL_COUNT; m++)
        if (models[m].fitted && (best < 0 || models[m].holdout_px < models[best].holdout_px))
            best = m;
    for (int m = 0; m < POV_CAMERA_MODEL_COUNT && best >= 0; m++) {
        if (!models[m].fitted)
            continue;
        double std_px2 = difference_std(c, &outs[m], &outs[best]);
        models[m].holdout_std_px = std_px2 / (2 * models[m].holdout_px);
    }
    for (int m = 0; m < best; m++)
        if (models[m].fitted && models[m].holdout_px - models[best].holdout_px <=
                                    fmax(student_quantile(c->used.len - 1) * models[m].holdout_std_px,
                                         0.01 * models[best].holdout_px))
            return m;
    return best;
}

/* Fits the models by c->used, finds their hold-out errors, and picks. */
static pov_status pick_model(pov_camera_calibration *c, const pov_calibration_config *config)
{
    holdout outs[POV_CAMERA_MODEL_COUNT];
    for (int m = 0; m < POV_CAMERA_MODEL_COUNT; m++) {
        c->report.models[m] =
            (pov_calibration_model){.rms_px = NAN, .holdout_px = NAN, .holdout_std_px = NAN};
        if (config->model_given && m != (int)config->model)
            snprintf(c->report.models[m].why, sizeof c->report.models[m].why, "not asked for");
        else
            try_model(c, &outs[m], (pov_camera_model)m);
    }
    int model = choose_model(c, outs);
    if (model < 0)
        return pov_status_with(POV_UNDEFINED, "%s",
                               c->report.models[config->model_given ? config->model : 0].why);
    c->report.model = (pov_camera_model)model;
    c->report.fit = c->fits[model];
    return pov_camera_solver_run(c->solver, &c->report.fit, c->used.T_camera_board, c->used.views,
                                 c->used.len);
}

/* ---- stray views and corners ---- */

enum { SAMPLE = 5, TRIAL_MAX = 40, ROUND_MAX = 4 };

/* RMS, in images up to 1280 px wide, above which nothing fits, and above which strays are looked for; chosen: corners of good
 * photographs of a real board are off by 0.2 to 0.6 px. */
static const double RMS_MAX_PX = 1.0, RMS_DOUBT_PX = 0.4;

static double scale_limit(const pov_camera_calibration *c, double limit_px)
{
    return limit_px * fmax(1, c->width_px / 1280.0);
}

/* The model that fits `set` best, or the given one. False if none can. */
static bool best_fit(pov_camera_fit *fit, pov_camera_model *model, pov_camera_calibration *c,
                     pov_view_set *set, const pov_calibration_config *config)
{
    bool found = false;
    for (int m = 0; m < POV_CAMERA_MODEL_COUNT; m++) {
        pov_camera_fit tried = start_fit(c, (pov_camera_model)m);
        if ((config->model_given && m != (int)config->model) ||
            pov_camera_solver_run(c->solver, &tried, set->T_camera_board, set->views, set->len).code !=
                POV_OK ||
            (found && !(tried.rms_px < fit->rms_px)))
            continue;
        *fit = tried;
        *model = (pov_camera_model)m;
        found = true;
    }
    return found;
}

/* The fit of a camera to each view of a set, and where the views' boards are by it. */
static void find_residuals(double *rms_px, pov_view_set *set, const pov_camera_fit *fit)
{
    for (int i = 0; i < set->len; i++)
        if (pov_camera_resect(&set->T_camera_board[i], &rms_px[i], fit, &set->views[i]) != POV_OK)
            rms_px[i] = INFINITY;
}

/* Seeded: the same images give the same calibration. */
static void sample_views(pov_view_set *part, const pov_camera_calibration *c, uint64_t *state)
{
    bool taken[POV_CALIBRATION_VIEW_MAX] = {false};
    POV_REQUIRE(c->used.len >= SAMPLE);
    part->len = 0;
    while (part->len < SAMPLE) {
        int i = (int)(pov_random_next(state) % (uint64_t)c->used.len);
        if (taken[i])
            continue;
        taken[i] = true;
        add_view(part, c, c->used.index[i]);
    }
}

/* A camera by a few views that the others agree with best: Fischler & Bolles 1981, with the cost of Torr & Zisserman 2000.
 * Returns how many views agree within limit_px. */
static int find_consensus(pov_camera_fit *best, pov_camera_calibration *c, pov_camera_model model,
                          double limit_px)
{
    double rms_px[POV_CALIBRATION_VIEW_MAX], least = INFINITY;
    uint64_t state = 1;
    int agree = 0;
    for (int trial = 0; trial < TRIAL_MAX; trial++) {
        pov_camera_fit fit = start_fit(c, model);
        sample_views(&c->part, c, &state);
        if (pov_camera_solver_run(c->solver, &fit, c->part.T_camera_board, c->part.views, c->part.len).code !=
                POV_OK ||
            fit.rms_px > limit_px)
            continue;
        find_residuals(rms_px, &c->used, &fit);
        double cost = 0;
        int near = 0;
        for (int i = 0; i < c->used.len; i++) {
            cost += fmin(rms_px[i] * rms_px[i], limit_px * limit_px);
            near += rms_px[i] < limit_px;
        }
        if (!(cost < least))
            continue;
        least = cost;
        agree = near;
        *best = fit;
    }
    return agree;
}

static void drop_view(pov_camera_calibration *c, int i, double rms_px, double usual_px)
{
    pov_calibration_view *view = &c->views[c->used.index[i]];
    view->outcome = POV_VIEW_STRAY;
    view->rms_px = rms_px;
    snprintf(
        view->why, sizeof view->why,
        "off by %.2g px where others are by %.2g: moved during exposure, a bent board, or another camera",
        rms_px, usual_px);
}

/* The largest residual of a view that is not a stray, by those below among_px: their median and median deviation
 * (Rousseeuw & Croux 1993), so that strays do not hide one another. */
static double find_limit(double *middle_px, const double *rms_px, int len, double among_px)
{
    double sorted[POV_CALIBRATION_VIEW_MAX];
    int counted = 0;
    for (int i = 0; i < len; i++)
        if (rms_px[i] < among_px)
            sorted[counted++] = rms_px[i];
    *middle_px = pov_median(sorted, counted);
    for (int i = 0; i < counted; i++)
        sorted[i] = fabs(sorted[i] - *middle_px);
    return fmax(*middle_px + 6 * 1.4826 * pov_median(sorted, counted), 2 * *middle_px);
}

/* Drops the views far beyond the residuals of the others, of which only those below among_px count. */
static bool drop_outliers(pov_camera_calibration *c, const pov_camera_fit *fit, double among_px)
{
    double rms_px[POV_CALIBRATION_VIEW_MAX] = {0}, middle_px;
    const int before = c->used.len;
    find_residuals(rms_px, &c->used, fit);
    const double limit_px = find_limit(&middle_px, rms_px, before, among_px);
    for (int i = 0; i < before; i++)
        if (!(rms_px[i] <= limit_px))
            drop_view(c, i, rms_px[i], middle_px);
    take_used_views(&c->used, c);
    return c->used.len < before;
}

static void take_stray_views(pov_view_set *set, const pov_camera_calibration *c)
{
    set->len = 0;
    for (int i = 0; i < c->report.view_len; i++)
        if (c->views[i].outcome == POV_VIEW_STRAY)
            add_view(set, c, i);
}

typedef struct {
    pov_camera_calibration *calibration;
    pov_camera_fit *fit;
} view_readmission;

static double find_misfit(void *context, int view)
{
    const view_readmission *r = context;
    pov_camera_calibration *c = r->calibration;
    double rms_px = INFINITY;
    c->tried.len = 0;
    if (c->views[view].outcome == POV_VIEW_STRAY)
        add_view(&c->tried, c, view);
    find_residuals(&rms_px, &c->tried, r->fit);
    return rms_px;
}

/* Takes a stray view back, and fits again, if it then fits as well as the others did before. */
static bool take_back(void *context, int view)
{
    const view_readmission *r = context;
    pov_camera_calibration *c = r->calibration;
    double rms_px[POV_CALIBRATION_VIEW_MAX] = {0}, middle_px;
    pov_camera_fit with = *r->fit;
    find_residuals(rms_px, &c->used, r->fit);
    const double limit_px = find_limit(&middle_px, rms_px, c->used.len, INFINITY);
    c->part = c->used;
    add_view(&c->part, c, view);
    find_residuals(rms_px, &c->part, r->fit);
    const int last = c->part.len - 1;
    if (pov_camera_solver_refine(c->solver, &with, c->part.T_camera_board, c->part.views, c->part.len).code !=
        POV_OK)
        return false;
    find_residuals(rms_px, &c->part, &with);
    if (!(rms_px[last] <= limit_px))
        return false;
    c->views[view].outcome = POV_VIEW_USED;
    c->views[view].why[0] = '\0';
    take_used_views(&c->used, c);
    *r->fit = with;
    return true;
}

static void take_back_strays(pov_camera_calibration *c, pov_camera_fit *fit)
{
    bool is_tried[POV_CALIBRATION_VIEW_MAX];
    view_readmission views = {c, fit};
    const pov_readmission readmission = {&views, c->report.view_len, find_misfit, take_back};
    (void)pov_readmit(is_tried, &readmission);
}

/* Names of the stray views, as many as there is room for, and how many more there are. */
static void list_strays(char *text, size_t capacity, const pov_camera_calibration *c)
{
    int left = 0;
    size_t length = 0;
    text[0] = '\0';
    for (int i = 0; i < c->report.view_len; i++)
        left += c->views[i].outcome == POV_VIEW_STRAY;
    for (int i = 0; i < c->report.view_len; i++) {
        const char *name = c->views[i].name;
        const size_t room_for_more = 24;
        if (c->views[i].outcome != POV_VIEW_STRAY)
            continue;
        if (length + strlen(name) + 2 + room_for_more > capacity)
            break;
        length += (size_t)snprintf(text + length, capacity - length, "%s%s", length > 0 ? ", " : "", name);
        left--;
    }
    if (left > 0)
        snprintf(text + length, capacity - length, " and %d more", left);
}

/* Stray views that make a camera of their own. */
static bool is_second_camera(pov_camera_calibration *c, const pov_calibration_config *config)
{
    pov_camera_fit fit;
    pov_camera_model model;
    take_stray_views(&c->part, c);
    return c->part.len >= POV_CALIBRATION_VIEW_MIN && best_fit(&fit, &model, c, &c->part, config) &&
           fit.rms_px < scale_limit(c, RMS_DOUBT_PX);
}

/* Strays are left out, and named. But if they are most of the images, or another camera, the images are no calibration. */
static pov_status judge_strays(pov_camera_calibration *c, const pov_calibration_config *config, int usable)
{
    const int strays = usable - c->used.len;
    char names[POV_MESSAGE_CAPACITY - 150]; /* the rest of the message is shorter than that */
    list_strays(names, sizeof names, c);
    if (strays > 0 && is_second_camera(c, config))
        return pov_status_with(POV_UNDEFINED,
                               "%d of %d images fit another camera than the others (%s): images of two "
                               "cameras, or a zoom or focus that changed; calibrate each by itself",
                               strays, usable, names);
    if (strays * 2 >= usable || (strays > 0 && c->used.len < POV_CALIBRATION_VIEW_MIN))
        return pov_status_with(
            POV_UNDEFINED,
            "%d of %d images do not fit the camera that the others agree on (%s): a zoom or "
            "a focus that changed, a board that bends or is not as described",
            strays, usable, names);
    return pov_ok();
}

static pov_status nothing_fits(double rms_px)
{
    return pov_status_with(
        POV_UNDEFINED,
        "the images do not fit one camera and this board (off by %.2g px): check that the board is flat "
        "and as described, and that zoom and focus did not change",
        rms_px);
}

/* The first robust fit: drops what does not fit it. Later views are only taken back. */
static pov_status find_strays(pov_camera_fit *fit, pov_camera_calibration *c,
                              const pov_calibration_config *config)
{
    pov_camera_model model;
    const double limit_px = scale_limit(c, RMS_MAX_PX);
    const bool fitted = best_fit(fit, &model, c, &c->used, config);
    if (!fitted || fit->rms_px > scale_limit(c, RMS_DOUBT_PX)) {
        pov_camera_fit consensus;
        const pov_camera_model tried = fitted                ? model
                                       : config->model_given ? config->model
                                                             : POV_CAMERA_MODEL_5;
        const double rms_px = fitted ? fit->rms_px : INFINITY, near_px = fmin(limit_px, 0.6 * rms_px);
        if (find_consensus(&consensus, c, tried, near_px) >= POV_CALIBRATION_VIEW_MIN)
            (void)drop_outliers(c, &consensus, near_px);
        else if (!fitted || rms_px > limit_px)
            return nothing_fits(rms_px);
    }
    for (int round = 0; round < ROUND_MAX && c->used.len >= POV_CALIBRATION_VIEW_MIN; round++)
        if (!best_fit(fit, &model, c, &c->used, config) || !drop_outliers(c, fit, INFINITY))
            break;
    return pov_ok();
}

/* Sets the outcome of views that do not fit what the others agree on; complains if these are too many to be accidents. */
static pov_status drop_strays(pov_camera_calibration *c, const pov_calibration_config *config)
{
    pov_camera_fit fit;
    take_used_views(&c->used, c);
    const int usable = c->used.len;
    POV_TRY(find_strays(&fit, c, config));
    if (c->used.len >= POV_CALIBRATION_VIEW_MIN)
        take_back_strays(c, &fit);
    POV_TRY(judge_strays(c, config, usable));
    return fit.rms_px > scale_limit(c, RMS_MAX_PX) ? nothing_fits(fit.rms_px) : pov_ok();
}

/* ---- coverage ---- */

enum {
    ZONES = POV_CALIBRATION_ZONES,
    COLUMNS = POV_CALIBRATION_MAP_COLUMNS,
    ROWS = POV_CALIBRATION_MAP_ROWS
};

/* Chosen: frontal boards leave the focal length open. */
static const double TILT_WANTED_RAD = 20 * POV_PI / 180;

static void count_zones(pov_camera_calibration *c)
{
    pov_calibration_report *r = &c->report;
    memset(r->zone_points, 0, sizeof r->zone_points);
    for (int v = 0; v < r->view_len; v++) {
        const pov_board_view *seen = &c->views[v].seen;
        for (int i = 0; c->views[v].outcome == POV_VIEW_USED && i < seen->len; i++) {
            int column = (int)(seen->pixel[i].x * ZONES / c->width_px),
                row = (int)(seen->pixel[i].y * ZONES / c->height_px);
            if (column >= 0 && row >= 0 && column < ZONES && row < ZONES)
                r->zone_points[row][column]++;
        }
    }
}

static double median_distance_m(const pov_view_set *used)
{
    double distances_m[POV_CALIBRATION_VIEW_MAX];
    for (int i = 0; i < used->len; i++)
        distances_m[i] = pov_vec3_norm(used->T_camera_board[i].t_m);
    return pov_ranked(distances_m, used->len, used->len / 2);
}

static double worst_std_px(const pov_camera_calibration *c, pov_vec2 pixel)
{
    double C[2][2], values[2], first[2];
    if (pov_camera_solver_spread(c->solver, C, &c->report.fit, c->used.T_camera_board, pixel,
                                 c->report.distance_m) != POV_OK)
        return NAN;
    pov_symmetric2_eigen(values, first, C[0][0], C[0][1], C[1][1]);
    return sqrt(values[0]);
}

static void make_map(pov_camera_calibration *c)
{
    pov_calibration_report *r = &c->report;
    double known[ROWS * COLUMNS];
    int len = 0;
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        int column = i % COLUMNS, row = i / COLUMNS;
        pov_vec2 pixel = {(column + 0.5) * c->width_px / COLUMNS - 0.5,
                          (row + 0.5) * c->height_px / ROWS - 0.5};
        double std_px = r->map_px[row][column] = worst_std_px(c, pixel);
        if (!isnan(std_px))
            known[len++] = std_px;
    }
    r->map_median_px = pov_ranked(known, len, len / 2);
    r->map_max_px = pov_ranked(known, len, len - 1);
}

/* ---- advice ---- */

static void add_advice(pov_calibration_report *r, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void add_advice(pov_calibration_report *r, const char *format, ...)
{
    va_list arguments;
    char text[POV_CALIBRATION_TEXT_CAPACITY];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (r->advice_len < POV_CALIBRATION_ADVICE_MAX)
        memcpy(r->advice[r->advice_len++], text, sizeof text);
}

static void advise_on_zones(pov_calibration_report *r)
{
    static const char *const names[ZONES * ZONES] = {
        "upper left corner", "top edge",          "upper right corner", "left side",         "middle",
        "right side",        "lower left corner", "bottom edge",        "lower right corner"};
    char list[160] = "";
    int total = 0, missing = 0;
    for (int i = 0; i < ZONES * ZONES; i++)
        total += r->zone_points[i / ZONES][i % ZONES];
    for (int i = 0; i < ZONES * ZONES; i++)
        if (r->zone_points[i / ZONES][i % ZONES] * 3 * ZONES * ZONES < total) { /* a third of a fair share */
            size_t length = strlen(list);
            snprintf(list + length, sizeof list - length, "%s%s", missing++ ? ", " : "", names[i]);
        }
    if (missing)
        add_advice(r,
                   "hardly any views in the %s: move the board there, close enough to reach beyond the edge",
                   list);
}

/* Counts the views in which the board leans to each side: its normal's direction in the image, in four quarters. */
static void advise_on_tilt(pov_calibration_report *r, const pov_camera_calibration *c)
{
    int tilted = 0, side[4] = {0}; /* left, right, up, down */
    int posed = 0;                 /* boards' tilts are unknown before there is a camera */
    r->tilt_max_rad = 0;
    for (int i = 0; i < r->view_len; i++) {
        const pov_calibration_view *view = &c->views[i];
        if (view->outcome != POV_VIEW_USED || isnan(view->tilt_rad))
            continue;
        const double *normal[] = {view->T_camera_board.R.m[0], view->T_camera_board.R.m[1]};
        posed++;
        r->tilt_max_rad = fmax(r->tilt_max_rad, view->tilt_rad);
        if (view->tilt_rad < TILT_WANTED_RAD)
            continue;
        tilted++;
        bool across = fabs(normal[0][2]) > fabs(normal[1][2]);
        side[across ? (normal[0][2] > 0) : 2 + (normal[1][2] > 0)]++;
    }
    if (posed > 0 && tilted * 3 < r->used_len)
        add_advice(r, "%d of %d views are tilted by 20 degrees or more: tilt the board more, up to 50",
                   tilted, r->used_len);
    else if (posed > 0 && (!(side[0] + side[1]) || !(side[2] + side[3])))
        add_advice(r, "the board leans only %s: tilt it the other way, too",
                   side[0] + side[1] ? "sideways" : "up and down");
}

/* A sag of 0.5 mm over 24 cm moves corners by a third of a pixel, which the fit makes up for; beyond, boards do not bend
 * as a parabola does. Chosen. */
static const double SAG_SHARE = 0.004;

static double largest_sag_m(const pov_board_bend *bend)
{
    double largest_m = 0;
    for (int i = 0; i < POV_BOARD_BEND_TERMS; i++)
        largest_m = fmax(largest_m, fabs(bend->sag_m[i]));
    return largest_m;
}

static int count_outcome(const pov_camera_calibration *c, pov_view_outcome outcome)
{
    int total = 0;
    for (int i = 0; i < c->report.view_len; i++)
        total += c->views[i].outcome == outcome;
    return total;
}

static void advise_on_fit(pov_calibration_report *r, const pov_camera_calibration *c)
{
    double focal = sqrt(r->fit.covariance[0][0]) / r->fit.camera.fx_px;
    if (focal > 0.003)
        add_advice(r, "the focal length is known to %.1f %%: more views, tilted, and the board close",
                   focal * 100);
    if (r->models[r->model].holdout_px > 1.3 * r->fit.rms_px)
        add_advice(r,
                   "images not fitted to are off by %.2f px, those fitted to by %.2f: more images are needed",
                   r->models[r->model].holdout_px, r->fit.rms_px);
    if (count_outcome(c, POV_VIEW_STRAY) * 10 > r->used_len)
        add_advice(r,
                   "%d images do not fit the camera that %d others agree on, and are left out: look at them; "
                   "a board bends, or moved",
                   count_outcome(c, POV_VIEW_STRAY), r->used_len);
    const double sag_mm = 1e3 * largest_sag_m(&r->fit.bend), side_mm = 2e3 * r->fit.bend.half_m;
    if (sag_mm > SAG_SHARE * side_mm)
        add_advice(r, "the board is not flat: it sags by %.1f mm over %.0f mm; glue it to glass or dibond",
                   sag_mm, side_mm);
    if (r->used_len < 15)
        add_advice(r, "%d views are few; 20 varied ones are better", r->used_len);
}

/* Counts of zones, tilts; the map, if fitted; and advice. */
static void survey_views(pov_camera_calibration *c, const pov_calibration_config *config, bool fitted)
{
    pov_calibration_report *r = &c->report;
    r->advice_len = 0;
    count_zones(c);
    if (fitted) {
        r->distance_m = config->distance_m > 0 ? config->distance_m : median_distance_m(&c->used);
        make_map(c);
    }
    advise_on_zones(r);
    advise_on_tilt(r, c);
    if (fitted)
        advise_on_fit(r, c);
}

/* ---- calibration ---- */

/* Edges wider than this, of an image 1280 wide or less, are out of focus, or moved. */
static const double EDGE_MAX_PX = 7;
/* A focal length less certain than this share of it is none. */
static const double FOCAL_STD_MAX = 0.02;

POV_ENUM_NAMES(pov_camera_model_name, pov_camera_model, POV_CAMERA_MODEL_COUNT, "5", "8", "fisheye")

POV_ENUM_NAMES(pov_view_outcome_name, pov_view_outcome, POV_VIEW_OUTCOME_COUNT, "used", "no_board", "blurred",
               "stray", "left_out")

pov_camera_calibration *pov_camera_calibration_new(void)
{
    pov_camera_calibration *made = pov_allocate(1, sizeof *made);
    made->report.views = made->views = pov_allocate(POV_CALIBRATION_VIEW_MAX, sizeof *made->views);
    made->solver = pov_camera_solver_new(POV_CALIBRATION_VIEW_MAX);
    return made;
}

void pov_camera_calibration_destroy(pov_camera_calibration **calibration)
{
    if (!*calibration)
        return;
    pov_camera_solver_destroy(&(*calibration)->solver);
    free((*calibration)->views);
    free(*calibration);
    *calibration = NULL;
}

static void judge_view(pov_calibration_view *view, const char *why, int width_px)
{
    view->why[0] = '\0';
    view->outcome = POV_VIEW_USED;
    if (view->seen.len == 0) {
        view->outcome = POV_VIEW_NO_BOARD;
        snprintf(view->why, sizeof view->why, "%s", why);
    } else if (view->seen.edge_px > EDGE_MAX_PX * fmax(1, width_px / 1280.0)) {
        view->outcome = POV_VIEW_BLURRED;
        snprintf(view->why, sizeof view->why, "blurred: edges are %.0f px wide, sharp ones 2 to 4",
                 view->seen.edge_px);
    }
}

pov_status pov_camera_calibration_add(pov_camera_calibration *c, const pov_image *image,
                                      const pov_board_view *seen, const char *why)
{
    pov_calibration_report *report = &c->report;
    if (report->view_len == 0) {
        c->width_px = image->width_px;
        c->height_px = image->height_px;
    }
    if (image->width_px != c->width_px || image->height_px != c->height_px)
        return pov_error(
            "%s has %dx%d pixels, %s %dx%d: a calibration holds for one camera at one size; sort them into "
            "folders",
            image->name, image->width_px, image->height_px, c->views[0].name, c->width_px, c->height_px);
    if (report->view_len == POV_CALIBRATION_VIEW_MAX)
        return pov_error(
            "%s: there are %d images before it, and more are not used: 20 to 60 varied ones say as much",
            image->name, POV_CALIBRATION_VIEW_MAX);
    pov_calibration_view *view = &c->views[report->view_len++];
    *view = (pov_calibration_view){.rms_px = NAN, .tilt_rad = NAN};
    snprintf(view->name, sizeof view->name, "%s", image->name);
    if (seen)
        view->seen = *seen;
    judge_view(view, why, c->width_px);
    return pov_ok();
}

pov_status pov_camera_calibration_leave_out(pov_camera_calibration *c, const pov_image *image)
{
    POV_TRY(pov_camera_calibration_add(c, image, NULL, "left out by --without"));
    c->views[c->report.view_len - 1].outcome = POV_VIEW_LEFT_OUT;
    return pov_ok();
}

void pov_camera_calibration_refuse(pov_camera_calibration *c, const char *why)
{
    c->report.is_calibrated = false;
    snprintf(c->report.why, sizeof c->report.why, "%s", why);
}

const pov_calibration_report *pov_camera_calibration_report(const pov_camera_calibration *calibration)
{
    return &calibration->report;
}

static pov_status enough_views(const pov_camera_calibration *c)
{
    int used = count_outcome(c, POV_VIEW_USED), blurred = count_outcome(c, POV_VIEW_BLURRED),
        none = count_outcome(c, POV_VIEW_NO_BOARD);
    if (used >= POV_CALIBRATION_VIEW_MIN)
        return pov_ok();
    if (blurred > used)
        return pov_status_with(POV_UNDEFINED,
                               "%d of %d images are blurred: focus, hold the board still, add light", blurred,
                               c->report.view_len);
    if (none > used + blurred)
        for (int i = 0; i < c->report.view_len; i++)
            if (c->views[i].outcome == POV_VIEW_NO_BOARD)
                return pov_status_with(
                    POV_UNDEFINED,
                    "the board is in %d of %d images; %s: %s. Name the board that is in them; "
                    "'pov tags board' prints one",
                    used + blurred, c->report.view_len, c->views[i].name, c->views[i].why);
    return pov_status_with(
        POV_UNDEFINED,
        "%d usable images; a calibration needs %d at least, a good one 20, with the board tilted this "
        "way and that, in every part of the image",
        used, POV_CALIBRATION_VIEW_MIN);
}

static pov_status focal_is_known(const pov_camera_fit *fit)
{
    double std_px = sqrt(fit->covariance[0][0]);
    if (std_px < FOCAL_STD_MAX * fit->camera.fx_px)
        return pov_ok();
    return pov_status_with(
        POV_UNDEFINED,
        "the focal length is %.0f +- %.0f px: the views leave it open; tilt the board by 20 to 50 "
        "degrees, this way and that",
        fit->camera.fx_px, std_px);
}

static void fill_views(pov_camera_calibration *c)
{
    for (int i = 0; i < c->used.len; i++) {
        pov_calibration_view *view = &c->views[c->used.index[i]];
        pov_transform *T = &c->used.T_camera_board[i];
        view->T_camera_board = *T;
        view->tilt_rad = acos(fmin(1, fabs(T->R.m[2][2])));
    }
    for (int i = 0; i < c->report.view_len; i++) {
        pov_calibration_view *view = &c->views[i];
        pov_point_view points = {view->seen.len, view->seen.board_m, view->seen.pixel};
        pov_transform T;
        view->rms_px = NAN;
        if (view->seen.len > 0)
            (void)pov_camera_resect(&T, &view->rms_px, &c->report.fit, &points);
    }
}

static pov_status run_calibration(pov_camera_calibration *c, const pov_calibration_config *config)
{
    for (int i = 0; i < c->report.view_len; i++) {
        c->views[i].rms_px = c->views[i].tilt_rad = NAN;
        if (c->views[i].outcome == POV_VIEW_STRAY)
            c->views[i].outcome = POV_VIEW_USED;
    }
    POV_TRY(enough_views(c));
    POV_TRY(drop_strays(c, config));
    POV_TRY(enough_views(c));
    POV_TRY(pick_model(c, config));
    fill_views(c);
    return focal_is_known(&c->report.fit);
}

pov_status pov_camera_calibration_run(pov_camera_calibration *calibration,
                                      const pov_calibration_config *config)
{
    pov_status status = run_calibration(calibration, config);
    calibration->report.is_calibrated = status.code == POV_OK;
    snprintf(calibration->report.why, sizeof calibration->report.why, "%s", status.message);
    calibration->report.fit.camera.width_px = calibration->width_px;
    calibration->report.fit.camera.height_px = calibration->height_px;
    calibration->report.used_len = count_outcome(calibration, POV_VIEW_USED);
    survey_views(calibration, config, status.code == POV_OK);
    return status;
}
