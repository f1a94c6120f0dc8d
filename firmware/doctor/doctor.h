/** What `pov doctor` looks at. Each check adds what it found, and how to mend what is wrong. */
#ifndef POV_FIRMWARE_DOCTOR_DOCTOR_H
#define POV_FIRMWARE_DOCTOR_DOCTOR_H

#include "compare/vlm/vlm_client.h"
#include "firmware/station/station.h"

enum { POV_CHECKS_MAX = 18 + POV_VLM_ENDPOINT_MAX + 2 * POV_MODEL_MAX };

typedef enum { POV_CHECK_OK, POV_CHECK_NOTE, POV_CHECK_WRONG } pov_check_outcome;

typedef struct {
    const char *what;
    pov_check_outcome outcome;
    char finding[POV_MESSAGE_CAPACITY];
} pov_check;

typedef struct {
    int len;
    pov_check checks[POV_CHECKS_MAX];
} pov_checks;

void pov_check_add(pov_checks *checks, const char *what, pov_check_outcome outcome, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/** Processor, memory, disk, fonts, serial lines. */
void pov_check_machine(pov_checks *checks);
/** Cameras and the port to publish at; of a station, NULL for none, what it needs of them is needed. */
void pov_check_devices(pov_checks *checks, const pov_station *station);
/** Reads the file, and looks at all that it names. False if it is not good, and *station not to be used. */
bool pov_check_station(pov_checks *checks, pov_station *station, const char *path);

/** Whether somebody listens at a URL's host and port. Errors say why not. */
POV_MUST_USE pov_status pov_check_listens(const char *url, int timeout_ms);

#endif
