/** Parses the lines of a GRBL 1.1 controller and explains them. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { POV_GRBL_AXIS_MAX = 6, POV_GRBL_TEXT_CAPACITY = 96 };

typedef enum {
    POV_GRBL_LINE_NOISE, /* none of the others: cut short, garbled, or not from GRBL */
    POV_GRBL_LINE_EMPTY,
    POV_GRBL_LINE_OK,
    POV_GRBL_LINE_ERROR,  /* code */
    POV_GRBL_LINE_ALARM,  /* code */
    POV_GRBL_LINE_BANNER, /* text: version. It has restarted */
    POV_GRBL_LINE_SETTING,
    POV_GRBL_LINE_REPORT,
    POV_GRBL_LINE_MESSAGE /* text: what is in the brackets */
} pov_grbl_line_kind;

typedef enum {
    POV_GRBL_STATE_IDLE,
    POV_GRBL_STATE_RUN,
    POV_GRBL_STATE_HOLD,
    POV_GRBL_STATE_JOG,
    POV_GRBL_STATE_ALARM,
    POV_GRBL_STATE_DOOR,
    POV_GRBL_STATE_CHECK,
    POV_GRBL_STATE_HOME,
    POV_GRBL_STATE_SLEEP,
    POV_GRBL_STATE_COUNT
} pov_grbl_state;

/** A status report: <Idle|MPos:0.000,0.000,0.000|FS:0,0|WCO:0.000,0.000,0.000|Pn:X>. A turning axis' unit is the degree. */
typedef struct {
    pov_grbl_state state;
    int sub_state;         /* Hold and Door: 0 comes to rest no more; -1: not told */
    bool machine;          /* place is the machine position, else the work position */
    int axes, offset_axes; /* offset_axes 0: not told this time */
    double place[POV_GRBL_AXIS_MAX], offset[POV_GRBL_AXIS_MAX];
    char pins[16]; /* inputs that are closed, "X" a switch of axis X */
} pov_grbl_report;

typedef struct {
    pov_grbl_line_kind kind;
    int code;    /* ERROR, ALARM; -1 where a controller without codes says it in words */
    int setting; /* SETTING */
    double value;
    char text[POV_GRBL_TEXT_CAPACITY]; /* BANNER, MESSAGE; printable */
    pov_grbl_report report;
} pov_grbl_line;

/** Reads a line of `length` bytes without its end. Any other than a whole and valid line is NOISE. */
void pov_grbl_line_parse(pov_grbl_line *line, const char *bytes, size_t length);

/** "Idle" */
const char *pov_grbl_state_name(pov_grbl_state state);
/** A sentence: what it means and what to do. Never NULL. */
const char *pov_grbl_explain_error(int code);
const char *pov_grbl_explain_alarm(int code);
