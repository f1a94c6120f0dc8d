#include "calib/camera/camera_calibration_internal.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Edges wider than this, of an image 1280 wide or less, are out of focus, or moved. */
static const double EDGE_MAX_PX = 7;
/* A focal length less certain than this share of it is none. */
static const double FOCAL_STD_MAX = 0.02;

const char *pov_camera_model_name(pov_camera_model model)
{
    static const char *const names[] = {"5", "8", "fisheye"};
    static_assert(sizeof names / sizeof *names == POV_CAMERA_MODEL_COUNT, "a name for each model");
    POV_REQUIRE((unsigned)model < POV_CAMERA_MODEL_COUNT);
    return names[model];
}

const char *pov_view_fate_name(pov_view_fate fate)
{
    static const char *const names[] = {"used", "no_board", "blurred", "stray"};
    static_assert(sizeof names / sizeof *names == POV_VIEW_FATE_COUNT, "a name for each fate");
    POV_REQUIRE((unsigned)fate < POV_VIEW_FATE_COUNT);
    return names[fate];
}

pov_status pov_camera_calibration_new(pov_camera_calibration **calibration)
{
    pov_camera_calibration *made = calloc(1, sizeof *made);
    *calibration = made;
    if (!made)
        return pov_error("out of memory");
    made->views = calloc(POV_CALIBRATION_VIEW_MAX, sizeof *made->views);
    made->report.views = made->views;
    pov_status status = made->views ? pov_camera_solver_new(&made->solver, POV_CALIBRATION_VIEW_MAX)
                                    : pov_error("out of memory");
    if (status.code != POV_OK)
        pov_camera_calibration_destroy(calibration);
    return status;
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
    view->fate = POV_VIEW_USED;
    if (view->seen.len == 0) {
        view->fate = POV_VIEW_NO_BOARD;
        snprintf(view->why, sizeof view->why, "%s", why);
    } else if (view->seen.edge_px > EDGE_MAX_PX * fmax(1, width_px / 1280.0)) {
        view->fate = POV_VIEW_BLURRED;
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

const pov_calibration_report *pov_camera_calibration_report(const pov_camera_calibration *calibration)
{
    return &calibration->report;
}

pov_camera_fit pov_camera_fit_of(const pov_camera_calibration *c, pov_camera_model model)
{
    static const int coefficients[POV_CAMERA_MODEL_COUNT] = {5, 8, 4};
    return (pov_camera_fit){
        .camera = {.lens = model == POV_CAMERA_MODEL_FISHEYE ? POV_LENS_EQUIDISTANT : POV_LENS_BROWN_CONRADY,
                   .width_px = c->width_px,
                   .height_px = c->height_px},
        .coefficient_len = coefficients[model]};
}

void pov_view_set_add(pov_view_set *set, const pov_camera_calibration *c, int index)
{
    const pov_calibration_view *view = &c->views[index];
    set->index[set->len] = index;
    set->views[set->len] = (pov_point_view){view->seen.len, view->seen.board_m, view->seen.pixel};
    set->T_camera_board[set->len++] = view->T_camera_board;
}

void pov_view_set_used(pov_view_set *set, const pov_camera_calibration *c)
{
    set->len = 0;
    for (int i = 0; i < c->report.view_len; i++)
        if (c->views[i].fate == POV_VIEW_USED)
            pov_view_set_add(set, c, i);
}

static int count(const pov_camera_calibration *c, pov_view_fate fate)
{
    int total = 0;
    for (int i = 0; i < c->report.view_len; i++)
        total += c->views[i].fate == fate;
    return total;
}

static pov_status enough_views(const pov_camera_calibration *c)
{
    int used = count(c, POV_VIEW_USED), blurred = count(c, POV_VIEW_BLURRED),
        none = count(c, POV_VIEW_NO_BOARD);
    if (used >= POV_CALIBRATION_VIEW_MIN)
        return pov_ok();
    if (blurred > used)
        return pov_status_with(POV_UNDEFINED,
                               "%d of %d images are blurred: focus, hold the board still, add light", blurred,
                               c->report.view_len);
    if (none > used + blurred)
        for (int i = 0; i < c->report.view_len; i++)
            if (c->views[i].fate == POV_VIEW_NO_BOARD)
                return pov_status_with(POV_UNDEFINED, "the board is in %d of %d images; %s: %s",
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
            (void)pov_camera_resect(&T, &view->rms_px, &c->report.fit.camera, &points);
    }
}

static pov_status calibrate(pov_camera_calibration *c, const pov_calibration_config *config)
{
    for (int i = 0; i < c->report.view_len; i++)
        if (c->views[i].fate == POV_VIEW_STRAY)
            c->views[i].fate = POV_VIEW_USED;
    POV_TRY(enough_views(c));
    POV_TRY(pov_calibration_drop_strays(c, config));
    POV_TRY(enough_views(c));
    POV_TRY(pov_calibration_pick_model(c, config));
    POV_TRY(focal_is_known(&c->report.fit));
    fill_views(c);
    return pov_ok();
}

pov_status pov_camera_calibration_run(pov_camera_calibration *calibration,
                                      const pov_calibration_config *config)
{
    pov_status status = calibrate(calibration, config);
    calibration->report.used_len = count(calibration, POV_VIEW_USED);
    pov_calibration_survey(calibration, config, status.code == POV_OK);
    return status;
}
