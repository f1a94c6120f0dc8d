/** The image source of a sweep, and the device that turns. */
#pragma once

#include "firmware/station/station.h"
#include "perception/image/image_source.h"

typedef enum {
    POV_RIG_FOLDER,    /* images taken before: nothing turns, each is a stop */
    POV_RIG_SIMULATOR, /* a simulated world, turned by itself or by the station's turntable */
    POV_RIG_MOTOR,     /* a camera and a turntable */
    POV_RIG_HAND       /* a camera, or what one saw, and a person who turns */
} pov_rig_kind;

typedef struct pov_sweep_rig pov_sweep_rig;

/** Opens what the station names. By hand: its turntable, if it has one, is left alone.
 *  Returns: POV_ERROR also if the station has a camera but nothing that turns. */
POV_MUST_USE pov_status pov_sweep_rig_new(pov_sweep_rig **rig, const pov_station *station, bool by_hand);
void pov_sweep_rig_destroy(pov_sweep_rig **rig);

pov_rig_kind pov_sweep_rig_kind(const pov_sweep_rig *rig);
/** Images that a folder holds; -1: a camera's have no end. */
int pov_sweep_rig_stops(const pov_sweep_rig *rig);

/** A turntable: to the home switch if it has one, else where it stands is 0. POV_END: asked to stop. */
POV_MUST_USE pov_status pov_sweep_rig_home(pov_sweep_rig *rig);
/** Turns to an angle, counter-clockwise from home, and waits until the turntable stands. POV_END: asked to stop. */
POV_MUST_USE pov_status pov_sweep_rig_turn(pov_sweep_rig *rig, double angle_rad);
/** Starts a counter-clockwise turn that goes on while images are shot, of a little over a whole turn: a motor's run-up is in it, and a
 *  simulated world's turn is as even as its clock. A hand and images taken before turn by themselves: nothing is started. */
POV_MUST_USE pov_status pov_sweep_rig_turn_on(pov_sweep_rig *rig, double speed_rad_s);
/** Looks after that turn. Returns: POV_TIMEOUT: it goes on; POV_OK: it is over; POV_END: asked to stop. */
POV_MUST_USE pov_status pov_sweep_rig_poll(pov_sweep_rig *rig);
/** Ends it, if it goes on. */
POV_MUST_USE pov_status pov_sweep_rig_halt(pov_sweep_rig *rig);
/** How long the source exposes an image; NaN: it does not tell. */
double pov_sweep_rig_exposure_s(const pov_sweep_rig *rig);

/** The next image that was exposed after the last turn ended; a simulator's is image `stop`. Returns as
 *  pov_image_source_next. */
POV_MUST_USE pov_status pov_sweep_rig_shoot(pov_sweep_rig *rig, pov_image *image, int stop);

/** Whether the images are simulated, now or by 'pov sim' before. */
bool pov_sweep_rig_is_simulated(const pov_sweep_rig *rig);
/** The truth of the last image; NULL: unknown. */
const pov_scene *pov_sweep_rig_truth(const pov_sweep_rig *rig);
