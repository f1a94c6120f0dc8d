/** Trial of an enrolled object on its own views: the appearance is learnt from every second view, and the angle of each other view
 *  is estimated by it. The errors tell how well the object's angle will be estimated in use. */
#pragma once

#include "perception/appearance/appearance.h"

typedef struct {
    double angle_rad;
    double error_rad; /* of the best mode */
    double std_rad;   /* as said of that mode */
    double alike_rad; /* another angle that looks like it, NAN if none does */
    double alike_weight;
} pov_trial_view;

typedef struct {
    int len;
    pov_trial_view views[POV_VIEW_MAX];
    int mixed_up;          /* views taken for quite another angle */
    double widest_gap_rad; /* between neighbouring views */
} pov_trial;

/** Runs the trial and calibrates `data` by it: sets its widening, doubts, residual, unexplained, symmetry and errors.
 *  The gaps between the views are twice as wide as in use, so that the errors are mostly larger; where neighbouring views look
 *  alike they may be smaller.
 *  In: the views that the data was learnt from. */
POV_MUST_USE pov_status pov_appearance_try(pov_appearance_data *data, pov_trial *trial,
                                           const pov_view *views);
