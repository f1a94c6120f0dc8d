#include "calib/camera/camera_calibration_internal.h"

#include <math.h>
#include <stdio.h>

enum { FOLDS = 5 };

typedef struct {
    double squares[POV_CALIBRATION_VIEW_MAX]; /* of held-out view i, over its points */
} holdout;

static bool fit_without(pov_camera_fit *fit, pov_camera_calibration *c, int fold)
{
    c->part.len = 0;
    for (int i = 0; i < c->used.len; i++)
        if (i % FOLDS != fold) {
            pov_view_set_add(&c->part, c, c->used.index[i]);
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
            if (pov_camera_resect(&T, &view_px, &fit.camera, &c->used.views[i]) != POV_OK)
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
    *fit = pov_camera_fit_of(c, model);
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

/* The first model in the list within one standard error (Breiman et al. 1984, section 3.4.3) or one percent of the best: more
 * coefficients must earn their place, and a fisheye's are for lenses that no other model suits. */
static int choose(pov_camera_calibration *c, const holdout outs[POV_CAMERA_MODEL_COUNT])
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
                                    fmax(models[m].holdout_std_px, 0.01 * models[best].holdout_px))
            return m;
    return best;
}

pov_status pov_calibration_pick_model(pov_camera_calibration *c, const pov_calibration_config *config)
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
    int model = choose(c, outs);
    if (model < 0)
        return pov_status_with(POV_UNDEFINED, "%s",
                               c->report.models[config->model_given ? config->model : 0].why);
    c->report.model = (pov_camera_model)model;
    c->report.fit = c->fits[model];
    return pov_camera_solver_run(c->solver, &c->report.fit, c->used.T_camera_board, c->used.views,
                                 c->used.len);
}
