#include "perception/objects/object_trial.h"

#include "perception/geometry/ranked.h"
#include "perception/objects/object_fit.h"

#include <math.h>
#include <stdlib.h>

enum { TRIALS = POV_PORTRAIT_MAX };

static const double start_off_share = 0.12,
                    start_off_rad = 4 * POV_PI / 180; /* start's error, radii and rad; chosen */
static const double least_scatter = 4, lost_rad = 20 * POV_PI / 180; /* levels; a turn not found; chosen */
static const double share_within = 0.95; /* of errors within two standard deviations, by definition */

typedef struct {
    int len;
    double residual[TRIALS], place_m[TRIALS], turn_rad[TRIALS]; /* errors */
    double place_ratio[TRIALS], turn_ratio[TRIALS];             /* errors by what was said */
} trial;

static object_place stand_at(const pov_object_stand *stand, double angle_rad)
{
    const pov_rot turn = pov_rot_yaw(angle_rad);
    const pov_vec3 at_m = pov_vec3_add(
        stand->axis_m, pov_rot_apply(turn, pov_vec3_sub(stand->T_table_object.t_m, stand->axis_m)));
    const pov_rot R = stand->T_table_object.R;
    return (object_place){at_m.x, at_m.y, at_m.z, atan2(R.m[1][0], R.m[0][0]) + angle_rad, 0};
}

static void note_error(trial *t, const object_fit *fit, const object_place *truth)
{
    const double off_m = hypot(fit->place.x_m - truth->x_m, fit->place.y_m - truth->y_m),
                 off_rad = fabs(remainder(fit->place.yaw_rad - truth->yaw_rad, 2 * POV_PI));
    t->residual[t->len] = fit->residual;
    t->place_m[t->len] = off_m;
    t->turn_rad[t->len] = off_rad;
    t->place_ratio[t->len] = off_m / sqrt(fmax(1e-12, 0.5 * (fit->cov[0][0] + fit->cov[1][1])));
    t->turn_ratio[t->len] = off_rad < lost_rad ? off_rad / sqrt(fmax(1e-12, fit->cov[2][2])) : 0;
    t->len++;
}

static pov_status try_shot(trial *t, object_fitter *fitter, const object_model *model,
                           const pov_turn_shot *shot, const object_place *truth)
{
    pov_image_pyramid pyramid;
    const double away = t->len * 2.4; /* another direction each time */
    POV_TRY(pov_image_pyramid_new(&pyramid, shot->image.width_px, shot->image.height_px));
    pov_image_pyramid_set(&pyramid, &shot->image, NULL);
    const object_view view = {&shot->camera,
                              shot->T_table_camera,
                              pov_transform_inverse(shot->T_table_camera),
                              &pyramid,
                              NULL,
                              NULL,
                              NULL,
                              NULL};
    object_fit fit = {.place = *truth, .light = {1, 1, 1, 0, 0, 0}};
    fit.place.x_m += start_off_share * model->radius_m * cos(away);
    fit.place.y_m += start_off_share * model->radius_m * sin(away);
    fit.place.yaw_rad += t->len % 2 ? start_off_rad : -start_off_rad;
    pov_object_fit_run(fitter, &fit, &view, model, true);
    note_error(t, &fit, truth);
    pov_image_pyramid_free(&pyramid);
    return pov_ok();
}

static void learn_errors(pov_portraits *portraits, trial *t)
{
    portraits->scatter = fmax(least_scatter, pov_quantile(t->residual, t->len, 0.5));
    portraits->error_m = pov_quantile(t->place_m, t->len, 0.5);
    portraits->error_rad = pov_quantile(t->turn_rad, t->len, 0.5);
    portraits->widening_place = fmax(1, 0.5 * pov_quantile(t->place_ratio, t->len, share_within));
    portraits->widening_yaw = fmax(1, 0.5 * pov_quantile(t->turn_ratio, t->len, share_within));
}

static pov_status try_with(pov_portraits *portraits, trial *t, object_fitter *fitter,
                           const pov_turn_shots *turn, const pov_object_stand *stand)
{
    object_model *model;
    POV_TRY(pov_object_model_new(&model, portraits));
    pov_status status = pov_ok();
    t->len = 0;
    for (int i = 1; i < turn->len && t->len < TRIALS && status.code == POV_OK; i += 2) {
        const object_place truth = stand_at(stand, turn->shots[i].angle_rad);
        status = try_shot(t, fitter, model, &turn->shots[i], &truth);
    }
    pov_object_model_destroy(&model);
    if (status.code == POV_OK && t->len > 0)
        learn_errors(portraits, t);
    return status;
}

pov_status pov_portraits_try(pov_portraits *portraits, const pov_turn_shots *turn,
                             const pov_object_stand *stand)
{
    object_fitter *fitter;
    trial *t = calloc(1, sizeof *t);
    pov_status status = pov_object_fitter_new(&fitter);
    if (status.code == POV_OK && !t)
        status = pov_error("out of memory");
    portraits->widening_place = portraits->widening_yaw = 1;
    for (int round = 0; round < 2 && status.code == POV_OK;
         round++) { /* with the scatter that the first one found */
        portraits->widening_place = portraits->widening_yaw = 1;
        status = try_with(portraits, t, fitter, turn, stand);
    }
    pov_object_fitter_destroy(&fitter);
    free(t);
    return status;
}
