/** Looks for what makes a black box keep the last seconds: see pov_record_cause. */
#pragma once

#include "firmware/recording/recorder.h"
#include "perception/observation/observation.h"

typedef struct pov_black_box pov_black_box;

/** If the recorder waits for a key, SIGUSR1 is caught from now on, and a terminal's keys come at once and are not shown.
 *  Recorder: borrowed; NULL, or one that records all: nothing is looked for, and *black_box is NULL. */
POV_MUST_USE pov_status pov_black_box_new(pov_black_box **black_box, pov_recorder *recorder);
/** The terminal is as it was. */
void pov_black_box_destroy(pov_black_box **black_box);

/** Each tells the recorder, and returns why for people, or NULL. Black box: may be NULL. */

/** A cause that the caller saw; it counts if the recorder waits for it. */
const char *pov_black_box_note(pov_black_box *black_box, pov_record_cause cause, const char *why);
/** Looks for what was found until now and is lost. camera: its place in the station. */
const char *pov_black_box_look(pov_black_box *black_box, const pov_observation *observation, int camera);
/** Looks whether a key was pressed, or the signal came. */
const char *pov_black_box_hear(pov_black_box *black_box);
