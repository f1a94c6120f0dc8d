/** The checks of `pov doctor`: what was looked at, whether it is good, and how to mend it if not. */
#pragma once

#include "compare/vlm/vlm_client.h"
#include "firmware/station/station.h"
#include "perception/lens/lens_sense.h"

enum {
    DOUBTS_MAX = POV_LENS_ODDITY_MAX + 6 + POV_CAST_MAX,
    POV_CHECKS_MAX =
        33 + POV_VLM_ENDPOINT_MAX + 2 * POV_MODEL_MAX + POV_CAMERA_MAX * (13 + POV_CAST_MAX + DOUBTS_MAX)
};

typedef enum { POV_CHECK_OK, POV_CHECK_NOTE, POV_CHECK_WRONG } pov_check_outcome;

typedef struct {
    const char *what;
    pov_check_outcome outcome;
    char finding[POV_MESSAGE_CAPACITY];
} pov_check;

typedef struct {
    const char *camera; /* of several, the one that is looked at: findings begin with it; NULL: none */
    int len;
    pov_check checks[POV_CHECKS_MAX];
} pov_checks;

void pov_check_add(pov_checks *checks, const char *what, pov_check_outcome outcome, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int pov_checks_wrong(const pov_checks *checks);

/** Processor, memory, disk, fonts, libraries of networks, serial lines. */
void pov_check_machine(pov_checks *checks);
/** Cameras and the port to publish at; of a station, NULL for none, what it needs of them is needed. */
void pov_check_devices(pov_checks *checks, const pov_station *station);
/** Reads the file, and looks at all that it names. False if it is not good, and *station not to be used. */
bool pov_check_station(pov_checks *checks, pov_station *station, const char *path);
/** Examines a log of a sweep or a study, or the folder that it lies in. False: it is neither. */
bool pov_check_log(pov_checks *checks, const char *path);
