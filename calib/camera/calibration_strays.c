#include "calib/camera/camera_calibration_internal.h"

#include "perception/geometry/random.h"
#include "perception/geometry/ranked.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLE = 5, TRIAL_MAX = 40, ROUND_MAX = 4, STRAY_MIN_OF_A_CAMERA = 3 };

/* RMS of a good calibration by the image's width: 1 px of 1280; of a doubtful one: half of that. */
static const double RMS_MAX_OF_WIDTH = 1.0 / 1280, RMS_DOUBT_OF_WIDTH = 0.4 / 1280;

/* The model that fits `set` best, or the given one. False if none can. */
static bool best_fit(pov_camera_fit *fit, pov_camera_model *model, pov_camera_calibration *c,
                     pov_view_set *set, const pov_calibration_config *config)
{
    bool found = false;
    for (int m = 0; m < POV_CAMERA_MODEL_COUNT; m++) {
        pov_camera_fit tried = pov_camera_fit_of(c, (pov_camera_model)m);
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

/* How well each view of c->used fits a camera. */
static void residuals(double *rms_px, const pov_camera_calibration *c, const pov_camera *camera)
{
    for (int i = 0; i < c->used.len; i++) {
        pov_transform T;
        if (pov_camera_resect(&T, &rms_px[i], camera, &c->used.views[i]) != POV_OK)
            rms_px[i] = INFINITY;
    }
}

/* Seeded: the same images give the same calibration. */
static void sample(pov_view_set *part, const pov_camera_calibration *c, uint64_t *state)
{
    bool taken[POV_CALIBRATION_VIEW_MAX] = {false};
    part->len = 0;
    while (part->len < SAMPLE) {
        int i = (int)(pov_random_next(state) % (uint64_t)c->used.len);
        if (taken[i])
            continue;
        taken[i] = true;
        pov_view_set_add(part, c, c->used.index[i]);
    }
}

/* A camera by a few views that the others agree with best: Fischler & Bolles 1981, with the cost of Torr & Zisserman 2000.
 * Returns how many views agree within limit_px. */
static int consensus(pov_camera *camera, pov_camera_calibration *c, pov_camera_model model, double limit_px)
{
    double rms_px[POV_CALIBRATION_VIEW_MAX], least = INFINITY;
    uint64_t state = 1;
    int agree = 0;
    for (int trial = 0; trial < TRIAL_MAX; trial++) {
        pov_camera_fit fit = pov_camera_fit_of(c, model);
        sample(&c->part, c, &state);
        if (pov_camera_solver_run(c->solver, &fit, c->part.T_camera_board, c->part.views, c->part.len).code !=
                POV_OK ||
            fit.rms_px > limit_px)
            continue;
        residuals(rms_px, c, &fit.camera);
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
        *camera = fit.camera;
    }
    return agree;
}

static void drop(pov_camera_calibration *c, int i, double rms_px, double usual_px)
{
    pov_calibration_view *view = &c->views[c->used.index[i]];
    view->fate = POV_VIEW_STRAY;
    snprintf(
        view->why, sizeof view->why,
        "off by %.2g px where others are by %.2g: moved during exposure, a bent board, or another camera",
        rms_px, usual_px);
}

static void drop_those_over(pov_camera_calibration *c, const pov_camera *camera, double limit_px,
                            double usual_px)
{
    double rms_px[POV_CALIBRATION_VIEW_MAX];
    residuals(rms_px, c, camera);
    for (int i = 0; i < c->used.len; i++)
        if (!(rms_px[i] <= limit_px))
            drop(c, i, rms_px[i], usual_px);
    pov_view_set_used(&c->used, c);
}

/* Views far beyond the others' residuals: median and median deviation (Rousseeuw & Croux 1993), so that they do not
 * hide one another. */
static bool drop_outliers(pov_camera_calibration *c, const pov_camera *camera)
{
    double rms_px[POV_CALIBRATION_VIEW_MAX], sorted[POV_CALIBRATION_VIEW_MAX];
    int before = c->used.len;
    residuals(rms_px, c, camera);
    memcpy(sorted, rms_px, sizeof sorted);
    double middle_px = pov_median(sorted, c->used.len);
    for (int i = 0; i < c->used.len; i++)
        sorted[i] = fabs(rms_px[i] - middle_px);
    double std_px = 1.4826 * pov_median(sorted, c->used.len);
    drop_those_over(c, camera, fmax(middle_px + 6 * std_px, 2 * middle_px), middle_px);
    return c->used.len < before;
}

static pov_status complain_of_strays(const pov_camera_calibration *c, int usable)
{
    char names[160] = "";
    int strays = usable - c->used.len;
    for (int i = 0, listed = 0; i < c->report.view_len && listed < 4; i++)
        if (c->views[i].fate == POV_VIEW_STRAY) {
            size_t length = strlen(names);
            snprintf(names + length, sizeof names - length, "%s%.40s", listed++ ? ", " : "",
                     c->views[i].name);
        }
    return pov_status_with(
        POV_UNDEFINED,
        "%d of %d images do not fit the camera that the others agree on (%s%s): images of two cameras, "
        "a zoom or a focus that changed, or a bent board; calibrate each by itself",
        strays, usable, names, strays > 4 ? ", ..." : "");
}

static pov_status nothing_fits(double rms_px)
{
    return pov_status_with(
        POV_UNDEFINED,
        "the images do not fit one camera and this board (off by %.2g px): check that the board is flat "
        "and as described, and that zoom and focus did not change",
        rms_px);
}

pov_status pov_calibration_drop_strays(pov_camera_calibration *c, const pov_calibration_config *config)
{
    pov_camera_fit fit;
    pov_camera_model model;
    double limit_px = c->width_px * RMS_MAX_OF_WIDTH;
    pov_view_set_used(&c->used, c);
    int usable = c->used.len;
    bool fitted = best_fit(&fit, &model, c, &c->used, config);
    if (!fitted || fit.rms_px > c->width_px * RMS_DOUBT_OF_WIDTH) {
        pov_camera camera;
        pov_camera_model tried = fitted ? model : config->model_given ? config->model : POV_CAMERA_MODEL_5;
        double rms_px = fitted ? fit.rms_px : INFINITY;
        int agree = consensus(&camera, c, tried, fmin(limit_px, 0.6 * rms_px));
        if (agree >= POV_CALIBRATION_VIEW_MIN)
            drop_those_over(c, &camera, fmin(limit_px, rms_px), fmin(limit_px, 0.6 * rms_px));
        else if (!fitted || rms_px > limit_px)
            return nothing_fits(rms_px);
    }
    for (int round = 0; round < ROUND_MAX && c->used.len >= POV_CALIBRATION_VIEW_MIN; round++)
        if (!best_fit(&fit, &model, c, &c->used, config) || !drop_outliers(c, &fit.camera))
            break;
    int strays = usable - c->used.len;
    if (strays >= STRAY_MIN_OF_A_CAMERA && strays * 4 >= usable)
        return complain_of_strays(c, usable);
    return fit.rms_px > limit_px ? nothing_fits(fit.rms_px) : pov_ok();
}
