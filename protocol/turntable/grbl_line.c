#include "protocol/turntable/grbl_line.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 255 };

static const double farthest = 1e7; /* bound of a reported number; chosen */

static const char *const state_names[] = {"Idle", "Run",   "Hold", "Jog",  "Alarm",
                                          "Door", "Check", "Home", "Sleep"};
static_assert(sizeof state_names / sizeof *state_names == POV_GRBL_STATE_COUNT, "one name a state");

const char *pov_grbl_state_name(pov_grbl_state state)
{
    return state_names[state];
}

static bool take(const char **text, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(*text, word, length) != 0)
        return false;
    *text += length;
    return true;
}

/* A decimal number; strtod's hexadecimal, infinities and NaN are not from a controller. */
static bool take_number(double *value, const char **text)
{
    size_t length = strspn(*text, "+-0123456789.");
    char digits[32], *end;
    if (length == 0 || length >= sizeof digits)
        return false;
    memcpy(digits, *text, length);
    digits[length] = '\0';
    *value = strtod(digits, &end);
    *text += length;
    return *end == '\0' && fabs(*value) <= farthest;
}

static bool take_integer(int *value, const char **text)
{
    double number;
    if (!take_number(&number, text) || number != floor(number))
        return false;
    *value = (int)number;
    return true;
}

/* ---- reports ---- */

static bool take_state(pov_grbl_report *report, const char **text)
{
    for (int i = 0; i < POV_GRBL_STATE_COUNT; i++)
        if (take(text, state_names[i])) {
            report->state = (pov_grbl_state)i;
            report->sub_state = -1;
            return !take(text, ":") || (take_integer(&report->sub_state, text) && report->sub_state >= 0);
        }
    return false;
}

/* Always with three decimals, or four in inches: one with fewer has lost a byte on the way. */
static bool take_coordinate(double *value, const char **text)
{
    const char *start = *text;
    if (!take_number(value, text))
        return false;
    const char *point = memchr(start, '.', (size_t)(*text - start));
    return point && (*text - point == 4 || *text - point == 5);
}

static bool take_place(double place[POV_GRBL_AXIS_MAX], int *axes, const char **text)
{
    for (*axes = 0; *axes < POV_GRBL_AXIS_MAX;) {
        if (!take_coordinate(&place[*axes], text))
            return false;
        ++*axes;
        if (!take(text, ","))
            return true;
    }
    return false;
}

static bool take_pins(pov_grbl_report *report, const char **text)
{
    size_t length = strspn(*text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789");
    if (length >= sizeof report->pins)
        return false;
    memcpy(report->pins, *text, length);
    report->pins[length] = '\0';
    *text += length;
    return true;
}

/* Fields that do not concern a table (speeds, buffers, overrides) are passed over. */
static bool take_field(pov_grbl_report *report, const char **text)
{
    bool machine = take(text, "MPos:");
    if (machine || take(text, "WPos:")) {
        report->machine = machine;
        return report->axes == 0 && take_place(report->place, &report->axes, text);
    }
    if (take(text, "WCO:"))
        return report->offset_axes == 0 && take_place(report->offset, &report->offset_axes, text);
    if (take(text, "Pn:"))
        return take_pins(report, text);
    *text += strcspn(*text, "|>");
    return true;
}

static bool parse_report(pov_grbl_report *report, const char *text)
{
    if (!take(&text, "<") || !take_state(report, &text))
        return false;
    while (take(&text, "|"))
        if (!take_field(report, &text))
            return false;
    return take(&text, ">") && *text == '\0' && report->axes > 0 &&
           (report->offset_axes == 0 || report->offset_axes == report->axes);
}

/* ---- other lines ---- */

static bool parse_setting(pov_grbl_line *line, const char *text)
{
    if (!take(&text, "$") || !take_integer(&line->setting, &text) || line->setting < 0 || !take(&text, "=") ||
        !take_number(&line->value, &text))
        return false;
    return *text == '\0' || *text == ' '; /* older ones explain it behind */
}

static bool parse_code(pov_grbl_line *line, const char *text)
{
    if (take_integer(&line->code, &text))
        return *text == '\0' && line->code >= 0 && line->code < 1000;
    line->code = -1;
    return *text == ' ';
}

static bool parse_banner(pov_grbl_line *line, const char *text)
{
    size_t length = strcspn(text, " ");
    snprintf(line->text, sizeof line->text, "%.*s", (int)(length < 32 ? length : 32), text);
    return length > 0 && strstr(text, "help]") != NULL;
}

static bool parse_message(pov_grbl_line *line, const char *text)
{
    size_t length = strlen(text);
    if (length < 2 || text[length - 1] != ']')
        return false;
    snprintf(line->text, sizeof line->text, "%.*s", (int)(length - 1), text);
    return true;
}

static pov_grbl_line_kind kind_of(pov_grbl_line *line, const char *text)
{
    if (strcmp(text, "ok") == 0)
        return POV_GRBL_LINE_OK;
    if (take(&text, "error:"))
        return parse_code(line, text) ? POV_GRBL_LINE_ERROR : POV_GRBL_LINE_NOISE;
    if (take(&text, "ALARM:"))
        return parse_code(line, text) ? POV_GRBL_LINE_ALARM : POV_GRBL_LINE_NOISE;
    if (take(&text, "Grbl ") || take(&text, "GrblHAL "))
        return parse_banner(line, text) ? POV_GRBL_LINE_BANNER : POV_GRBL_LINE_NOISE;
    if (text[0] == '$')
        return parse_setting(line, text) ? POV_GRBL_LINE_SETTING : POV_GRBL_LINE_NOISE;
    if (text[0] == '<')
        return parse_report(&line->report, text) ? POV_GRBL_LINE_REPORT : POV_GRBL_LINE_NOISE;
    if (take(&text, "["))
        return parse_message(line, text) ? POV_GRBL_LINE_MESSAGE : POV_GRBL_LINE_NOISE;
    return POV_GRBL_LINE_NOISE;
}

static bool is_printable(const char *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (bytes[i] < ' ' || bytes[i] > '~')
            return false;
    return true;
}

void pov_grbl_line_parse(pov_grbl_line *line, const char *bytes, size_t length)
{
    char text[LINE_MAX_BYTES + 1];
    *line = (pov_grbl_line){.kind = POV_GRBL_LINE_NOISE};
    if (length == 0) {
        line->kind = POV_GRBL_LINE_EMPTY;
        return;
    }
    if (length > LINE_MAX_BYTES || !is_printable(bytes, length))
        return;
    memcpy(text, bytes, length);
    text[length] = '\0';
    line->kind = kind_of(line, text);
}

/* ---- for people ---- */

/* After GRBL 1.1's own lists, github.com/gnea/grbl doc/csv, said for someone with a turntable. */

typedef struct {
    int code;
    const char *sentence;
} explanation;

#define BAD_LINE "the line of G-code was not understood: it was damaged on the way, or this is not GRBL 1.1"

static const explanation errors[] = {
    {-1, "the controller refused the command in words, as GRBL before 1.1 does: load GRBL 1.1 or later"},
    {1, BAD_LINE},
    {2, BAD_LINE},
    {3, "the controller does not know the $ command: it was damaged on the way, or this is not GRBL 1.1"},
    {4, "a value is negative that must not be"},
    {5, "homing is off in the controller's settings. With a home switch: send $22=1; without: turn the table "
        "to its "
        "zero by hand and use 'pov turntable home --here'"},
    {6, "the step pulse is too short: send $0=10"},
    {7,
     "the controller's memory could not be read, so its settings are GRBL's defaults: enter them again"},
    {8, "the controller is busy: wait until the table stands, or 'pov turntable stop'"},
    {9, "the controller is locked: 'pov turntable home', or 'pov turntable unlock' if it has no home switch"},
    {10, "soft limits ($20=1) need homing ($22=1)"},
    {11, "the line was too long: an end of line was lost on the way"},
    {12, "steps per degree ($100) times the highest speed ($110) is more than the controller can step"},
    {13, "the safety door's input is open: close it, or wire it to ground if there is none"},
    {15, "the angle is outside the soft limits ($20, $130)"},
    {20, "the controller does not know a word of the line: is the axis (--axis) one that it has?"},
    {21, BAD_LINE},
    {22, "no speed is set: the line was damaged on the way"},
    {23, BAD_LINE},
    {24, BAD_LINE},
    {25, BAD_LINE},
    {26, BAD_LINE},
    {33, "the angle is not one the axis can turn to"},
    {36, BAD_LINE},
};

static const explanation alarms[] = {
    {-1, "the controller raised an alarm in words, as GRBL before 1.1 does: load GRBL 1.1 or later"},
    {1,
     "a limit switch closed while the table turned (hard limits, $21=1), and the angle is lost. On a table "
     "that turns all "
     "the way round, hard limits must be off: 'pov turntable unlock', send $21=0, then 'pov turntable home'"},
    {2, "the target was outside the soft limits ($20, $130). The angle is kept: 'pov turntable unlock'"},
    {3, "it was reset while the table turned, and the angle is lost: 'pov turntable home'"},
    {4, "the probe input has the wrong state; a turntable has no probe: 'pov turntable unlock'"},
    {5, "the probe touched nothing; a turntable has none: 'pov turntable unlock'"},
    {6, "homing was broken off: 'pov turntable home' again"},
    {7, "the safety door opened while homing: close it, then 'pov turntable home' again"},
    {8, "the home switch stayed closed after the table turned off it: enlarge the pull-off ($27), turn the "
        "table off the "
        "switch by hand, or look at the switch's wiring"},
    {9, "the home switch was not found: look at its wiring, at the motor's, and that the travel ($130) is at "
        "least 360"},
    {10, "the home switch was not found a second time: look at its wiring and enlarge the pull-off ($27)"},
};

static const char *find_code(const explanation *list, int len, int code, const char *otherwise)
{
    for (int i = 0; i < len; i++)
        if (list[i].code == code)
            return list[i].sentence;
    return otherwise;
}

const char *pov_grbl_explain_error(int code)
{
    return find_code(errors, sizeof errors / sizeof *errors, code,
                     "see the controller's list of error codes");
}

const char *pov_grbl_explain_alarm(int code)
{
    return find_code(alarms, sizeof alarms / sizeof *alarms, code,
                     "see the controller's list of alarm codes; 'pov turntable unlock' unlocks it");
}
