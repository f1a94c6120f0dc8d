/** A heading over time: a mixture whose modes are tracked one by one, and whose weights change by evidence only. Pure.
 *
 *  Images of one side of a thing share their error: within such a look the log weights of a mode are averaged, not added. After a
 *  turn of 10 degrees against the line of sight a new look begins, and looks add up. So two mirrored modes stay two until the
 *  thing shows another side, and none wins by chance. */
#pragma once

#include "perception/scene/scene.h"
#include "perception/tracking/motion.h"

typedef struct {
    pov_motion yaw; /* unwrapped */
    double settled; /* log weight by the looks before */
    double said;    /* sum of log weights over the images of this look */
} pov_heading_hypothesis;

typedef struct {
    int len; /* 0: nothing known */
    pov_heading_hypothesis modes[POV_HEADING_MODES_MAX];
    double images;    /* of this look */
    double began_rad; /* yaw of the heaviest mode against the line of sight when this look began */
} pov_heading_track;

void pov_heading_track_clear(pov_heading_track *track);
/** carrier: of one coordinate, the yaw; NULL if no table turns it. */
void pov_heading_track_predict(pov_heading_track *track, double elapsed_s, const pov_carrier *carrier);
/** Updates by one image; modes of kappa below 1 are no evidence. sight_rad: direction from camera to thing on the ground, NAN
 *  if not known. */
void pov_heading_track_update(pov_heading_track *track, const pov_heading *found, double sight_rad);
/** Out: the mixture, in the same order as before; turn rate of the heaviest mode and its deviation.
 *  Returns false, heading untouched, if nothing is known. */
bool pov_heading_track_estimate(const pov_heading_track *track, pov_heading *heading, double *rate_rad_s,
                                double *rate_std_rad_s);
