/** Trial of an enrolled object on its own views: how well its angle will be told, learnt from every second
 *  one, and asked the others. */
#ifndef POV_PERCEPTION_APPEARANCE_APPEARANCE_TRIAL_H
#define POV_PERCEPTION_APPEARANCE_APPEARANCE_TRIAL_H

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

/** Tries, and fits what is said to what was found: sets widening, doubt, residual, unexplained, symmetry and the errors of `data`.
 *  The gaps are then twice as wide as in use, so that the errors are as large as in use or larger.
 *  In: the views that the data was learnt from. */
POV_MUST_USE pov_status pov_appearance_try(pov_appearance_data *data, pov_trial *trial,
                                           const pov_view *views);

#endif
