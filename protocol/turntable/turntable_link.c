#include "protocol/turntable/turntable_link.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 4 };

static const double ask_again_s = 0.25; /* from one try to the next; chosen */
static const double write_s = 1;        /* for a line to leave; chosen: 115200 baud send 80 bytes in 7 ms */
static const double answer_s = 1;       /* till an answer counts as lost; chosen */
static const double restart_s = 3;      /* an Arduino's boot loader waits 2 s; chosen */

pov_status pov_turntable_link_fail(const pov_turntable_link *link, const char *format, ...)
{
    char text[POV_MESSAGE_CAPACITY];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return pov_error("%s: %s", pov_serial_line_name(link->line), text);
}

static int64_t time_after(const pov_turntable_link *link, double seconds)
{
    return pov_serial_line_now_ns(link->line) + (int64_t)(1e9 * seconds);
}

/* ---- lines in ---- */

static void note_report(pov_turntable_link *link)
{
    link->report = link->last.report;
    if (link->report.state != POV_GRBL_STATE_ALARM)
        link->alarm = 0;
    if (link->report.offset_axes == 0)
        return;
    memcpy(link->offset, link->report.offset, sizeof link->offset);
    link->has_offset = true;
}

static void note_banner(pov_turntable_link *link)
{
    link->restarted = true;
    link->has_offset = false;
    snprintf(link->version, sizeof link->version, "%.*s", (int)sizeof link->version - 1, link->last.text);
}

/* "VER:1.1h.20190830:its name", "GC:G1 G54 G17 G21 G90 G94 M5 M9 T0 F2700 S0", "MSG:..." */
static void note_message(pov_turntable_link *link)
{
    const char *text = link->last.text;
    if (strncmp(text, "VER:", 4) == 0)
        snprintf(link->version, sizeof link->version, "%.*s", (int)strcspn(text + 4, ":"), text + 4);
    if (strncmp(text, "GC:", 3) == 0 && strstr(text, " F"))
        link->feed_told = strtod(strstr(text, " F") + 2, NULL) > 0 ? 1 : 0;
    link->simulated |= strstr(text, "simulated") != NULL;
}

static void note_line(pov_turntable_link *link)
{
    const pov_grbl_line *line = &link->last;
    if (line->kind == POV_GRBL_LINE_NOISE)
        link->noise++;
    else if (line->kind != POV_GRBL_LINE_EMPTY)
        link->heard_ns = pov_serial_line_now_ns(link->line);
    if (line->kind == POV_GRBL_LINE_REPORT)
        note_report(link);
    else if (line->kind == POV_GRBL_LINE_ALARM)
        link->alarm = line->code;
    else if (line->kind == POV_GRBL_LINE_BANNER)
        note_banner(link);
    else if (line->kind == POV_GRBL_LINE_SETTING && line->setting < POV_GRBL_SETTING_MAX)
        link->settings[line->setting] = line->value;
    else if (line->kind == POV_GRBL_LINE_MESSAGE)
        note_message(link);
}

/* The first line in `bytes`, whole or too long; false: none yet. */
static bool take_line(pov_turntable_link *link)
{
    const char *end = memchr(link->bytes, '\n', link->length);
    size_t length = end ? (size_t)(end - link->bytes) : link->length;
    if (!end && length < sizeof link->bytes)
        return false;
    size_t bare = length > 0 && link->bytes[length - 1] == '\r' ? length - 1 : length;
    pov_grbl_line_parse(&link->last, link->bytes, bare);
    link->length -= length + (end != NULL);
    memmove(link->bytes, link->bytes + length + (end != NULL), link->length);
    note_line(link);
    return true;
}

pov_status pov_turntable_link_next(pov_turntable_link *link, int64_t until_ns)
{
    while (!take_line(link)) {
        size_t come;
        POV_TRY(pov_serial_line_read(link->line, &come, link->bytes + link->length,
                                     sizeof link->bytes - link->length, until_ns));
        link->length += come;
        link->heard += come;
    }
    return pov_ok();
}

pov_status pov_turntable_link_listen(pov_turntable_link *link, int64_t until_ns)
{
    pov_status status;
    do
        status = pov_turntable_link_next(link, until_ns);
    while (status.code == POV_OK && pov_serial_line_now_ns(link->line) < until_ns);
    return status.code == POV_TIMEOUT ? pov_ok() : status;
}

/* ---- commands out ---- */

static pov_status write_all(pov_turntable_link *link, const char *bytes, size_t length)
{
    pov_status status = pov_serial_line_write(link->line, bytes, length, time_after(link, write_s));
    if (status.code != POV_TIMEOUT)
        return status;
    return pov_turntable_link_fail(
        link, "the controller takes no more bytes: it hangs. Switch it off and on, then home the table");
}

pov_status pov_turntable_link_send(pov_turntable_link *link, const char *text)
{
    return write_all(link, text, strlen(text));
}

pov_status pov_turntable_link_send_byte(pov_turntable_link *link, int byte)
{
    char bytes[] = {(char)byte};
    return write_all(link, bytes, 1);
}

/* POV_TIMEOUT: this line was no answer. */
static pov_status answer_in(pov_turntable_link *link)
{
    const pov_grbl_line *line = &link->last;
    switch (line->kind) {
    case POV_GRBL_LINE_OK:
        return pov_ok();
    case POV_GRBL_LINE_ERROR:
        link->error = line->code;
        return pov_turntable_link_fail(link, "error %d: %s", line->code, pov_grbl_explain_error(line->code));
    case POV_GRBL_LINE_ALARM:
        return pov_turntable_link_fail(link, "alarm %d: %s", line->code, pov_grbl_explain_alarm(line->code));
    default:
        return pov_status_of(POV_TIMEOUT);
    }
}

/* Late answers to what was sent before must not be taken for this one's. */
pov_status pov_turntable_link_command(pov_turntable_link *link, const char *text, double seconds)
{
    char line[100];
    link->error = 0;
    POV_TRY(pov_turntable_link_listen(link, pov_serial_line_now_ns(link->line)));
    snprintf(line, sizeof line, "%s\n", text);
    POV_TRY(pov_turntable_link_send(link, line));
    for (int64_t until_ns = time_after(link, seconds);;) {
        POV_TRY(pov_turntable_link_next(link, until_ns));
        pov_status answer = answer_in(link);
        if (answer.code != POV_TIMEOUT)
            return answer;
    }
}

static pov_status await_answer(pov_turntable_link *link, pov_grbl_line_kind kind, int64_t until_ns)
{
    do
        POV_TRY(pov_turntable_link_next(link, until_ns));
    while (link->last.kind != kind);
    return pov_ok();
}

pov_status pov_turntable_link_ask(pov_turntable_link *link, double seconds)
{
    int64_t end_ns = time_after(link, seconds);
    POV_TRY(pov_turntable_link_listen(link, pov_serial_line_now_ns(link->line)));
    for (;;) {
        int64_t again_ns = time_after(link, ask_again_s);
        POV_TRY(pov_turntable_link_send_byte(link, '?'));
        pov_status status = await_answer(link, POV_GRBL_LINE_REPORT, again_ns < end_ns ? again_ns : end_ns);
        if (status.code != POV_TIMEOUT || again_ns >= end_ns)
            return status;
    }
}

/* ---- from the beginning ---- */

/* After a limit's alarm a controller is deaf to all but a reset; one that turns would have answered. */
static pov_status wake_controller(pov_turntable_link *link, double seconds)
{
    pov_status status = pov_turntable_link_ask(link, 0.7 * seconds);
    if (status.code != POV_TIMEOUT)
        return status;
    POV_TRY(pov_turntable_link_send_byte(link, POV_GRBL_SOFT_RESET));
    return pov_turntable_link_ask(link, 0.3 * seconds);
}

pov_status pov_turntable_link_open(pov_turntable_link *link, double seconds)
{
    POV_TRY(pov_serial_line_open(link->line));
    link->length = link->heard = 0;
    link->restarted = link->has_offset = false;
    pov_status status = wake_controller(link, seconds);
    if (status.code != POV_TIMEOUT)
        return status;
    if (link->heard == 0)
        return pov_turntable_link_fail(
            link, "nothing answers in %g s. Is this the controller's line, and has it power?", seconds);
    return pov_turntable_link_fail(
        link, "something answers, but not as GRBL 1.1 at this speed. Is this the controller's line, and are "
              "its baud those of --baud (GRBL: 115200)?");
}

static bool has_settings(const pov_turntable_link *link, int axis)
{
    return link->settings[100 + axis] > 0 && link->settings[110 + axis] > 0 &&
           link->settings[120 + axis] > 0 && !isnan(link->settings[20]) && !isnan(link->settings[22]) &&
           !isnan(link->settings[13]) && !isnan(link->settings[130 + axis]);
}

pov_status pov_turntable_link_read_settings(pov_turntable_link *link, int axis)
{
    for (int i = 0; i < TRIES && !has_settings(link, axis); i++) {
        pov_status status = pov_turntable_link_command(link, "$$", answer_s);
        if (status.code == POV_END || (status.code == POV_ERROR && i == TRIES - 1))
            return status;
    }
    if (has_settings(link, axis)) { /* its version is only for people */
        pov_status status = pov_turntable_link_command(link, "$I", answer_s);
        return status.code == POV_END ? status : pov_ok();
    }
    return pov_turntable_link_fail(
        link, "the controller does not report its settings $20, $22, $%d, $%d, $%d and $%d: has it axis %c?",
        100 + axis, 110 + axis, 120 + axis, 130 + axis, "XYZABC"[axis]);
}

bool pov_turntable_link_remembers(pov_turntable_link *link)
{
    link->feed_told = -1;
    for (int i = 0; i < TRIES && link->feed_told < 0; i++)
        if (pov_turntable_link_command(link, "$G", answer_s).code == POV_END)
            return false;
    return link->feed_told > 0 && !link->restarted;
}

pov_status pov_turntable_link_reset(pov_turntable_link *link)
{
    bool had_restarted = link->restarted;
    for (int i = 0; i < TRIES; i++) {
        POV_TRY(pov_turntable_link_send_byte(link, POV_GRBL_SOFT_RESET));
        pov_status status = await_answer(link, POV_GRBL_LINE_BANNER, time_after(link, restart_s / TRIES));
        if (status.code == POV_TIMEOUT)
            continue;
        link->restarted = had_restarted; /* this one loses nothing where the table stands */
        return status;
    }
    return pov_turntable_link_fail(
        link, "the controller does not answer a reset: switch it off and on, then home the table");
}
