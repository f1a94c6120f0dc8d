/** What the steps of a calibration share. */
#ifndef POV_CALIB_CAMERA_CAMERA_CALIBRATION_INTERNAL_H
#define POV_CALIB_CAMERA_CAMERA_CALIBRATION_INTERNAL_H

#include "calib/camera/camera_calibration.h"

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

/** A fit to be, of one model. */
pov_camera_fit pov_camera_fit_of(const pov_camera_calibration *c, pov_camera_model model);
/** Puts a view of the calibration into a set. */
void pov_view_set_add(pov_view_set *set, const pov_camera_calibration *c, int index);
/** Views of fate POV_VIEW_USED. */
void pov_view_set_used(pov_view_set *set, const pov_camera_calibration *c);

/** Sets the fate of views that do not fit what the others agree on; complains if these are too many to be accidents. */
pov_status pov_calibration_drop_strays(pov_camera_calibration *c, const pov_calibration_config *config);
/** Fits the models by c->used, finds their hold-out errors, and picks. */
pov_status pov_calibration_pick_model(pov_camera_calibration *c, const pov_calibration_config *config);
/** Counts of zones, tilts; the map, if fitted; and advice. */
void pov_calibration_survey(pov_camera_calibration *c, const pov_calibration_config *config, bool fitted);

#endif
