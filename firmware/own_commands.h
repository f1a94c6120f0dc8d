/** pov's own commands as steps of another, each a process of its own; the simulated model that some of them ask. */
#pragma once

#include "perception/status.h"

#include <sys/types.h>

/** Runs `pov` with these arguments, the first being "pov", the last NULL, and waits for its end; it is asked to stop if this program
 *  ends before it. By the main thread. stdout goes to the file out_path,
 *  NULL: where this program's goes. When a stop is asked for, it is asked to stop, too.
 *  Returns: POV_ERROR naming the command if it failed; its own words are on stderr. */
POV_MUST_USE pov_status pov_own_command_run(const char *const arguments[], const char *out_path);

/** The same, but it runs beside this program until it is stopped, or ends by itself. */
POV_MUST_USE pov_status pov_own_command_start(pid_t *child, const char *const arguments[],
                                              const char *out_path);
/** Asks it to stop, and waits for its end. */
void pov_own_command_stop(pid_t child);

/** As pov_own_command_run for a command that lines of standard input lead, each after `pace_s` seconds; NULL ends them. Its stdout is this program's. */
POV_MUST_USE pov_status pov_own_command_lead(const char *const arguments[], const char *const lines[],
                                             double pace_s);

typedef struct {
    pid_t child;
    char url[256];
} pov_own_model;

/** Starts `pov vlm-sim`, which knows what is true from a sweep's folder that is there already or not yet. */
POV_MUST_USE pov_status pov_own_model_start(pov_own_model *model, const char *folder, const char *bias);
void pov_own_model_stop(pov_own_model *model);

/** Writes `to`: the station that 'pov sim' wrote into `folder`, with the world itself in place of the images. */
POV_MUST_USE pov_status pov_own_station_write(const char *folder, const char *to);
