/** Lines to and from a GRBL controller: commands with their answers, reports, settings. For turntable.c. */
#pragma once

#include "protocol/turntable/grbl_line.h"
#include "protocol/turntable/serial_line.h"

enum { POV_GRBL_SETTING_MAX = 200, POV_GRBL_SOFT_RESET = 0x18 };

typedef struct {
    pov_serial_line *line;
    char bytes[512]; /* come, and not yet read as lines */
    size_t length;
    pov_grbl_line last;
    pov_grbl_report report;
    bool has_offset;
    double offset[POV_GRBL_AXIS_MAX];
    double settings[POV_GRBL_SETTING_MAX]; /* NaN: not told */
    bool restarted;                        /* a banner came */
    int alarm;                             /* the code of the one it is in; 0: none known */
    int error;                             /* the last command's */
    int feed_told; /* $G told a speed, as after any turn since power came; -1: not told */
    bool simulated;
    char version[32];
    int noise;
    size_t heard;     /* bytes in all */
    int64_t heard_ns; /* when the last line came that was understood */
} pov_turntable_link;

/** The next line, into `last`; what it says of the controller is noted.
 *  Returns: POV_OK; POV_TIMEOUT; POV_END (the line is gone); POV_ERROR. */
POV_MUST_USE pov_status pov_turntable_link_next(pov_turntable_link *link, int64_t until_ns);
/** Reads what comes until then, for what it says of the controller. Returns as next, but POV_OK for POV_TIMEOUT. */
POV_MUST_USE pov_status pov_turntable_link_listen(pov_turntable_link *link, int64_t until_ns);
POV_MUST_USE pov_status pov_turntable_link_send(pov_turntable_link *link, const char *text);
/** One byte that acts at once: ? ! ~, a reset. */
POV_MUST_USE pov_status pov_turntable_link_send_byte(pov_turntable_link *link, int byte);

/** A line of G-code or $, and its answer within seconds.
 *  Returns: POV_OK; POV_TIMEOUT no answer; POV_ERROR refused, with what to do; POV_END as above. */
POV_MUST_USE pov_status pov_turntable_link_command(pov_turntable_link *link, const char *text,
                                                   double seconds);
/** Asks for a report, into `report`; asks again where it does not come. Returns: POV_OK; POV_TIMEOUT; ... */
POV_MUST_USE pov_status pov_turntable_link_ask(pov_turntable_link *link, double seconds);
/** Opens the line and waits for the controller to answer. */
POV_MUST_USE pov_status pov_turntable_link_open(pov_turntable_link *link, double seconds);
/** Reads the settings. It must stand still for that. */
POV_MUST_USE pov_status pov_turntable_link_read_settings(pov_turntable_link *link, int axis);
/** Has the controller run on since its last turn? A restart, whose banner may have been missed, loses G-code
 *  settings. */
bool pov_turntable_link_remembers(pov_turntable_link *link);
/** Restarts the controller's program; what it was doing is forgotten. */
POV_MUST_USE pov_status pov_turntable_link_reset(pov_turntable_link *link);

/** An error that names the line. */
pov_status pov_turntable_link_fail(const pov_turntable_link *link, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
