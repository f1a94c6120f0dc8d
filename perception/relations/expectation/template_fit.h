/** A spatial template from people's ratings: robust least squares. Pure. */
#pragma once

#include "perception/relations/expectation/template.h"

enum { POV_TEMPLATE_PARAMETERS = 6, POV_TEMPLATE_RATINGS_MIN = 12 };

typedef struct {
    double theta_rad;  /* from the relation's direction; its sign does not matter */
    double distance_m; /* >= 0; not looked at unless the reach is fitted */
    double rating;     /* 0 (not at all) to 1 */
} pov_rating;

typedef struct {
    pov_template regions;
    double std
        [POV_TEMPLATE_PARAMETERS]; /* standard errors, in the order of the template's fields; NaN: not fitted */
    double residual_rms;           /* of all ratings */
    double r_squared;              /* share of the ratings' variance explained */
    int outlier_len;               /* ratings further off than three standard deviations */
    int step_len;
} pov_template_fit;

/** Fits by Levenberg & Marquardt (Marquardt 1963) under Huber's loss (Huber 1964, k = 1.345 robust standard
 *  deviations), from several starts.
 *  Returns: POV_OK; POV_ERROR if there are fewer than POV_TEMPLATE_RATINGS_MIN ratings, or they do not determine the
 *           parameters (all at few angles, or all alike).
 *  In:      with_distance: fit the reach too; else it is INFINITY. */
POV_MUST_USE pov_status pov_template_fit_ratings(pov_template_fit *fit, const pov_rating *ratings, int len,
                                                 bool with_distance);
