/** The ways to move, one by one: shared by motion.c and motion_model.c. */
#ifndef POV_PERCEPTION_TRACKING_MOTION_INTERNAL_H
#define POV_PERCEPTION_TRACKING_MOTION_INTERNAL_H

#include "perception/tracking/motion.h"

static inline bool motion_is_free(pov_motion_way way)
{
    return way >= POV_WAY_SLOW;
}

/** Covariance of one way's own error of the place: what fluctuates, what lasts, what may have moved. */
void motion_place_cov(const pov_motion *motion, pov_motion_way way, double *cov);
const double *motion_place(const pov_motion *motion, pov_motion_way way);
void motion_velocity(const pov_motion *motion, pov_motion_way way, double *velocity, double *cov);

/** Density of a finding under one way. *elsewhere (may be NULL): it is likelier that the thing was moved, or that what
 *  lasted in its error has changed, than that it scattered. */
double motion_log_density(const pov_motion *motion, pov_motion_way way, bool *elsewhere, const double *found,
                          const double *claimed, int dimensions);

/** Lets time pass for one way, its place being what it was. */
void motion_advance(pov_motion *motion, pov_motion_way way);
/** Takes in a finding under one way. */
void motion_take_in(pov_motion *motion, pov_motion_way way, bool elsewhere, const double *found,
                    const double *claimed);

#endif
