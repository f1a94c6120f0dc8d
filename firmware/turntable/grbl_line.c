#include "firmware/turntable/grbl_line.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 255 };

static const double farthest = 1e7;

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

static bool printable(const char *bytes, size_t length)
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
    if (length > LINE_MAX_BYTES || !printable(bytes, length))
        return;
    memcpy(text, bytes, length);
    text[length] = '\0';
    line->kind = kind_of(line, text);
}
