#include "protocol/turntable/turntable.h"

#include "perception/geometry/geom.h"
#include "protocol/turntable/turntable_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SENDS_MAX = 4, OFFSET_REPORTS = 32 };

static const char axes[] = "XYZABC";
static const double poll_s = 0.05;    /* GRBL's manual: five to ten a second are plenty, twenty do no harm */
static const double ask_s = 0.3;      /* till the answer to "?" counts as lost; chosen */
static const double answer_s = 1;     /* till the answer to a command counts as lost; chosen */
static const double homing_ask_s = 1; /* the same while it homes and answers late; chosen */

/* ---- small things ---- */

int64_t turntable_now_ns(const pov_turntable *self)
{
    return pov_serial_line_now_ns(self->link.line);
}

int64_t turntable_after(const pov_turntable *self, double seconds)
{
    const double longest_s =
        7200; /* twice the slowest turn; a damaged setting may ask for any time, or none */
    return turntable_now_ns(self) + (int64_t)(1e9 * fmin(fmax(seconds, 0), longest_s));
}

bool turntable_stop_requested(const pov_turntable *self)
{
    return self->config.stop_requested && self->config.stop_requested();
}

double turntable_setting(const pov_turntable *self, int number)
{
    return self->link.settings[number < 100 ? number : number + self->axis];
}

double turntable_step_deg(const pov_turntable *self)
{
    return 1 / turntable_setting(self, 100) + 0.002; /* reports have three decimals */
}

double turntable_axis_deg(const pov_turntable *self)
{
    const pov_turntable_link *link = &self->link;
    double offset_deg = link->has_offset ? link->offset[self->axis] : 0;
    return link->report.place[self->axis] - (link->report.machine ? offset_deg : 0);
}

/* The table's angle for the axis', and back. */
double turntable_turned(const pov_turntable *self, double angle_deg)
{
    return self->config.clockwise ? -angle_deg : angle_deg;
}

pov_turntable_bounds turntable_bounds(const pov_turntable *self)
{
    double low_deg = -INFINITY, high_deg = INFINITY;
    if (turntable_setting(self, 20) > 0) {
        double offset_deg = self->link.has_offset ? self->link.offset[self->axis] : 0;
        low_deg = -turntable_setting(self, 130) - offset_deg;
        high_deg = -offset_deg;
    }
    return (pov_turntable_bounds){.low_deg = self->config.clockwise ? -high_deg : low_deg,
                                  .high_deg = self->config.clockwise ? -low_deg : high_deg,
                                  .take_up_deg = self->config.take_up_rad / POV_DEG,
                                  .step_deg = turntable_step_deg(self)};
}

double turntable_speed_deg_s(const pov_turntable *self)
{
    double top_deg_s = turntable_setting(self, 110) / 60;
    double wanted_deg_s = self->config.speed_rad_s / POV_DEG;
    return wanted_deg_s > 0 ? fmin(wanted_deg_s, top_deg_s) : top_deg_s;
}

/* ---- what it says of itself ---- */

/* Also after a reset, which GRBL tells in the first report or within some. */
static pov_status learn_offset(pov_turntable *self)
{
    for (int i = 0; i < OFFSET_REPORTS && !self->link.has_offset; i++) {
        pov_status status = pov_turntable_link_ask(&self->link, ask_s);
        if (status.code != POV_OK && status.code != POV_TIMEOUT)
            return status;
    }
    return pov_ok();
}

static pov_status check_settings(const pov_turntable *self)
{
    double steps_per_deg = turntable_setting(self, 100), wanted = self->config.steps_per_deg;
    if (turntable_setting(self, 13) != 0)
        return pov_turntable_link_fail(&self->link, "the controller reports in inches: send $13=0");
    if (wanted > 0 && fabs(steps_per_deg - wanted) > 1e-3 * wanted)
        return pov_turntable_link_fail(&self->link,
                                       "the controller makes %g steps/deg ($%d), not the %g that "
                                       "are expected: send $%d=%.3f, or mend steps_per_deg",
                                       steps_per_deg, 100 + self->axis, wanted, 100 + self->axis, wanted);
    return pov_ok();
}

static pov_status read_settings(pov_turntable *self)
{
    if (self->settings_read)
        return pov_ok();
    POV_TRY(pov_turntable_link_read_settings(&self->link, self->axis));
    POV_TRY(check_settings(self));
    self->settings_read = true;
    return pov_ok();
}

static bool stands_still(const pov_turntable *self)
{
    const pov_grbl_report *report = &self->link.report;
    return report->state == POV_GRBL_STATE_IDLE || report->state == POV_GRBL_STATE_ALARM ||
           (report->state == POV_GRBL_STATE_HOLD && report->sub_state <= 0);
}

static pov_status ask_status(pov_turntable *self)
{
    POV_TRY(pov_turntable_link_ask(&self->link, self->config.silence_s));
    if (self->link.report.axes <= self->axis)
        return pov_turntable_link_fail(&self->link,
                                       "the controller has the axes %.*s, and not %c: choose one with --axis",
                                       self->link.report.axes, axes, axes[self->axis]);
    if (self->link.report.state == POV_GRBL_STATE_IDLE || self->link.report.state == POV_GRBL_STATE_ALARM)
        POV_TRY(read_settings(self));
    return learn_offset(self);
}

pov_status turntable_silent(const pov_turntable *self)
{
    return pov_turntable_link_fail(
        &self->link,
        "the controller has not answered for %g s: it hangs, or the line is broken. "
        "Switch it off and on, then home the table",
        self->config.silence_s);
}

static pov_status ask_or_fail(pov_turntable *self)
{
    pov_status status = ask_status(self);
    return status.code == POV_TIMEOUT ? turntable_silent(self) : status;
}

pov_status turntable_alarmed(const pov_turntable *self)
{
    int code = self->link.alarm;
    if (code != 0)
        return pov_turntable_link_fail(&self->link, "alarm %d: %s", code, pov_grbl_explain_alarm(code));
    return pov_turntable_link_fail(
        &self->link, "the controller is locked, as after power comes: 'pov turntable home', or 'pov "
                     "turntable unlock' if it has no home switch");
}

/* ---- life ---- */

pov_status pov_turntable_new(pov_turntable **table, pov_serial_line *line, const pov_turntable_config *config)
{
    const char *axis = config->axis ? strchr(axes, config->axis) : NULL;
    *table = NULL;
    if (!axis)
        return pov_error("no axis '%c': a controller has some of %s", config->axis, axes);
    pov_turntable *self = pov_allocate(1, sizeof *self);
    self->config = *config;
    self->axis = (int)(axis - axes);
    self->link.line = line;
    for (int i = 0; i < POV_GRBL_SETTING_MAX; i++)
        self->link.settings[i] = NAN;
    pov_status status = pov_turntable_link_open(&self->link, config->connect_s);
    POV_THEN(status, ask_or_fail(self));
    self->zero_lost = self->link.restarted;
    if (status.code == POV_OK)
        *table = self;
    else
        free(self);
    if (status.code == POV_END)
        status.code = POV_ERROR;
    return status;
}

void pov_turntable_destroy(pov_turntable **table)
{
    free(*table);
    *table = NULL;
}

static const char *advice_of(const pov_turntable_status *status, const pov_turntable *self)
{
    switch (status->state) {
    case POV_GRBL_STATE_ALARM:
        return self->link.alarm != 0 ? pov_grbl_explain_alarm(self->link.alarm)
               : status->can_home    ? "locked, as after power comes: 'pov turntable home'"
                                     : "locked: 'pov turntable unlock'";
    case POV_GRBL_STATE_HOLD:
        return "held: 'pov turntable stop' forgets where it was going";
    case POV_GRBL_STATE_DOOR:
        return "the safety door's input is open: close it, or wire it to ground";
    case POV_GRBL_STATE_CHECK:
        return "in check mode, in which nothing turns: send $C";
    case POV_GRBL_STATE_SLEEP:
        return "asleep: 'pov turntable unlock'";
    default:
        return status->restarted
                   ? "restarted: what it calls 0 is where it stood then. 'pov turntable home', or home --here"
                   : "";
    }
}

void turntable_fill_status(const pov_turntable *self, pov_turntable_status *status)
{
    const pov_turntable_link *link = &self->link;
    pov_turntable_bounds bounds = turntable_bounds(self);
    double angle_rad = fmod(turntable_turned(self, turntable_axis_deg(self)) * POV_DEG, 2 * POV_PI);
    *status = (pov_turntable_status){
        .state = link->report.state,
        .ready = link->report.state == POV_GRBL_STATE_IDLE,
        .angle_rad = angle_rad < 0 ? fmod(angle_rad + 2 * POV_PI, 2 * POV_PI) : angle_rad,
        .axis_deg = turntable_axis_deg(self),
        .restarted = self->zero_lost,
        .home_switch = strchr(link->report.pins, axes[self->axis]) != NULL,
        .simulated = link->simulated,
        .can_home = turntable_setting(self, 22) > 0,
        .soft_limits = turntable_setting(self, 20) > 0,
        .low_deg = self->config.clockwise ? -bounds.high_deg : bounds.low_deg,
        .high_deg = self->config.clockwise ? -bounds.low_deg : bounds.high_deg,
        .steps_per_deg = turntable_setting(self, 100),
        .top_speed_rad_s = turntable_setting(self, 110) / 60 * POV_DEG,
        .acceleration_rad_s2 = turntable_setting(self, 120) * POV_DEG,
        .noise = link->noise,
    };
    memcpy(status->version, link->version, sizeof status->version);
    snprintf(status->advice, sizeof status->advice, "%s", advice_of(status, self));
}

pov_status pov_turntable_ask(pov_turntable *self, pov_turntable_status *status)
{
    memset(status, 0, sizeof *status);
    status->angle_rad = status->axis_deg = NAN;
    pov_status asked = ask_or_fail(self);
    if (asked.code == POV_OK)
        turntable_fill_status(self, status);
    return asked;
}

/* ---- rest ---- */

static pov_status hold_motion(pov_turntable *self)
{
    double brake_s =
        self->settings_read ? turntable_setting(self, 110) / 60 / turntable_setting(self, 120) : 5;
    int64_t until_ns = turntable_after(self, brake_s + self->config.silence_s);
    do {
        POV_TRY(pov_turntable_link_send_byte(&self->link, '!'));
        pov_status status = pov_turntable_link_ask(&self->link, ask_s);
        if (status.code == POV_OK && stands_still(self))
            return pov_ok();
        if (status.code != POV_OK && status.code != POV_TIMEOUT)
            return status;
        POV_TRY(pov_turntable_link_listen(&self->link, turntable_after(self, poll_s)));
    } while (turntable_now_ns(self) < until_ns);
    return pov_turntable_link_fail(&self->link, "the controller does not hold: switch the motor's power off");
}

pov_status pov_turntable_stop(pov_turntable *self)
{
    self->turn.active = false;
    POV_TRY(hold_motion(self));
    if (self->link.report.state == POV_GRBL_STATE_HOLD)
        POV_TRY(pov_turntable_link_reset(&self->link)); /* standing, it keeps its angle */
    return ask_or_fail(self);
}

pov_status turntable_stop_as_asked(pov_turntable *self)
{
    pov_status status = pov_turntable_stop(self);
    if (status.code == POV_OK)
        return pov_status_with(POV_END, "stopped at %.2f deg",
                               turntable_turned(self, turntable_axis_deg(self)));
    status.code = POV_ERROR;
    return status;
}

/* ---- zero ---- */

static pov_status make_ready(pov_turntable *self)
{
    POV_TRY(ask_or_fail(self));
    pov_grbl_state state = self->link.report.state;
    if (state == POV_GRBL_STATE_RUN || state == POV_GRBL_STATE_HOLD || state == POV_GRBL_STATE_JOG)
        POV_TRY(pov_turntable_stop(self));
    return pov_ok();
}

/* A turn is planned from where a report says the table stands: a second one must agree, as one may be damaged. */
static pov_status agree_on_place(pov_turntable *self)
{
    for (int i = 0; i < SENDS_MAX; i++) {
        double place_deg = turntable_axis_deg(self);
        POV_TRY(ask_or_fail(self));
        if (turntable_axis_deg(self) == place_deg)
            return pov_ok();
    }
    return pov_turntable_link_fail(
        &self->link, "its reports of where it stands differ though it stands: bytes are lost or "
                     "damaged on the way. Is the cable sound?");
}

pov_status turntable_need_idle(pov_turntable *self)
{
    POV_TRY(make_ready(self));
    POV_TRY(agree_on_place(self));
    if (self->link.report.state == POV_GRBL_STATE_ALARM)
        return turntable_alarmed(self);
    if (self->link.report.state == POV_GRBL_STATE_IDLE)
        return read_settings(self);
    pov_turntable_status status;
    turntable_fill_status(self, &status);
    return pov_turntable_link_fail(&self->link, "not ready (%s): %s", pov_grbl_state_name(status.state),
                                   status.advice);
}

pov_status pov_turntable_unlock(pov_turntable *self)
{
    self->zero_lost |= self->link.report.state == POV_GRBL_STATE_ALARM && self->link.alarm != 2;
    POV_TRY(pov_turntable_link_reset(&self->link));
    for (int i = 0; i < SENDS_MAX; i++) {
        pov_status status = pov_turntable_link_command(&self->link, "$X", answer_s);
        if (status.code == POV_OK || status.code == POV_END)
            break;
    }
    self->link.alarm = 0;
    POV_TRY(ask_or_fail(self));
    return self->link.report.state == POV_GRBL_STATE_ALARM ? turntable_alarmed(self) : pov_ok();
}

pov_status pov_turntable_zero_here(pov_turntable *self)
{
    char command[] = "G54G21G10L20P1X0";
    command[sizeof command - 3] = axes[self->axis];
    POV_TRY(turntable_need_idle(self));
    pov_status status = pov_status_of(POV_TIMEOUT);
    for (int i = 0; i < SENDS_MAX && status.code == POV_TIMEOUT; i++)
        status = pov_turntable_link_command(&self->link, command, answer_s);
    if (status.code != POV_OK)
        return status.code == POV_TIMEOUT ? turntable_silent(self) : status;
    self->link.has_offset = self->zero_lost = self->link.restarted = false;
    return learn_offset(self);
}

static pov_status break_off_homing(pov_turntable *self)
{
    POV_TRY(pov_turntable_link_reset(&self->link));
    self->zero_lost = true;
    return pov_status_with(POV_END, "homing was broken off; home again before turning");
}

static pov_status homing_answer(pov_turntable *self)
{
    const pov_grbl_line *line = &self->link.last;
    bool resting = line->kind == POV_GRBL_LINE_REPORT &&
                   (line->report.state == POV_GRBL_STATE_IDLE || line->report.state == POV_GRBL_STATE_ALARM);
    if (line->kind == POV_GRBL_LINE_OK)
        return pov_ok();
    if (line->kind == POV_GRBL_LINE_ERROR)
        return pov_turntable_link_fail(&self->link, "error %d: %s", line->code,
                                       pov_grbl_explain_error(line->code));
    if (line->kind == POV_GRBL_LINE_ALARM)
        return turntable_alarmed(self);
    if (line->kind == POV_GRBL_LINE_BANNER)
        return pov_turntable_link_fail(&self->link,
                                       "the controller restarted while it homed: does its power hold?");
    return pov_status_of(resting ? POV_SKIPPED : POV_TIMEOUT);
}

/* While it homes, GRBL leaves questions for later. A report of rest without an answer to $H before it means that $H or its
 * answer was lost: POV_SKIPPED. */
static pov_status await_home(pov_turntable *self)
{
    int64_t until_ns = turntable_after(self, self->config.home_s),
            ask_ns = turntable_after(self, homing_ask_s);
    while (turntable_now_ns(self) < until_ns) {
        if (turntable_stop_requested(self))
            return break_off_homing(self);
        if (turntable_now_ns(self) >= ask_ns) {
            POV_TRY(pov_turntable_link_send_byte(&self->link, '?'));
            ask_ns = turntable_after(self, homing_ask_s);
        }
        pov_status status = pov_turntable_link_next(&self->link, turntable_after(self, poll_s));
        POV_THEN(status, homing_answer(self));
        if (status.code != POV_TIMEOUT)
            return status;
    }
    return pov_turntable_link_fail(
        &self->link,
        "homing has not ended in %g s: does the motor turn, is the switch connected, does the "
        "controller still answer? Switch it off and on",
        self->config.home_s);
}

pov_status pov_turntable_home(pov_turntable *self)
{
    POV_TRY(make_ready(self));
    self->link.alarm = 0;
    pov_status status = pov_status_of(POV_SKIPPED);
    for (int i = 0; i < SENDS_MAX && status.code == POV_SKIPPED; i++) {
        POV_TRY(pov_turntable_link_listen(&self->link, turntable_now_ns(self)));
        POV_TRY(pov_turntable_link_send(&self->link, "$H\n"));
        status = await_home(self);
    }
    if (status.code == POV_SKIPPED)
        return pov_turntable_link_fail(&self->link,
                                       "the controller does not take the command to home: bytes are lost "
                                       "on the way. Is the cable sound?");
    POV_TRY(status);
    self->zero_lost = self->link.restarted = self->link.has_offset = false;
    return ask_or_fail(self);
}

/* ---- drift ---- */

static const double reach_deg = 6;  /* to either side of where the switch closed */
static const double slow_deg_s = 3; /* of some twenty reports a second, each is 0.15 deg on */

/* The angle at which the switch closes, as GRBL sets it, and the direction of homing; both in the table's sense. */
static double edge_deg(const pov_turntable *self, double *sense)
{
    bool negative = (int)turntable_setting(self, 23) >> self->axis & 1;
    double offset_deg = self->link.has_offset ? self->link.offset[self->axis] : 0;
    *sense = turntable_turned(self, negative ? -1 : 1);
    return turntable_turned(self, (negative ? -turntable_setting(self, 130) : 0) - offset_deg);
}

/* Some whole turns from the edge, where the limits have room to both sides, and nearest. NaN: nowhere. */
static double reachable_deg(const pov_turntable *self, double edge)
{
    pov_turntable_bounds bounds = turntable_bounds(self);
    double here_deg = turntable_turned(self, turntable_axis_deg(self)), best_deg = NAN;
    double near_deg = edge + 360 * round((here_deg - edge) / 360);
    for (int k = -2; k <= 2; k++) {
        double at_deg = near_deg + 360 * k;
        bool inside = at_deg - reach_deg >= bounds.low_deg && at_deg + reach_deg <= bounds.high_deg;
        if (inside && !(fabs(at_deg - here_deg) >= fabs(best_deg - here_deg)))
            best_deg = at_deg;
    }
    return best_deg;
}

/* Turns to there; closed_deg is where the switch was first seen closed, half way from the report before. */
static pov_status turn_to(pov_turntable *self, double *closed_deg, double target_deg)
{
    pov_turntable_status status;
    double before_deg = NAN;
    const pov_turntable_path path = {.len = 1, .targets_deg = {target_deg}};
    *closed_deg = NAN;
    POV_TRY(turntable_begin(self, &path));
    for (;;) {
        pov_status polled = pov_turntable_poll(self, &status);
        if (polled.code != POV_TIMEOUT)
            return polled;
        double at_deg = turntable_turned(self, status.axis_deg);
        if (status.home_switch && isnan(*closed_deg))
            *closed_deg = isnan(before_deg) ? at_deg : 0.5 * (before_deg + at_deg);
        before_deg = at_deg;
    }
}

static pov_status pass_switch(pov_turntable *self, double *closed_deg, double from_deg, double to_deg)
{
    double speed_rad_s = self->config.speed_rad_s, ignored_deg;
    POV_TRY(turn_to(self, &ignored_deg, from_deg));
    self->config.speed_rad_s = slow_deg_s * POV_DEG;
    pov_status status = turn_to(self, closed_deg, to_deg);
    self->config.speed_rad_s = speed_rad_s;
    return status;
}

pov_status pov_turntable_check(pov_turntable *self, double *slip_rad)
{
    double sense, closed_deg;
    *slip_rad = NAN;
    POV_TRY(turntable_need_idle(self));
    if (!(turntable_setting(self, 22) > 0))
        return pov_turntable_link_fail(&self->link,
                                       "without a home switch ($22=0) the controller cannot know of a slip");
    double edge = reachable_deg(self, edge_deg(self, &sense));
    if (isnan(edge))
        return pov_turntable_link_fail(
            &self->link,
            "the soft limits leave no room to pass the home switch: travel ($%d) of %g "
            "would do",
            130 + self->axis, 360 + 2 * reach_deg);
    POV_TRY(pass_switch(self, &closed_deg, edge - sense * reach_deg, edge + sense * reach_deg));
    if (isnan(closed_deg))
        return pov_turntable_link_fail(
            &self->link,
            "the home switch did not close within %g deg of where it did when homing: the table has "
            "slipped by more than that. Home it again, with less acceleration ($%d)",
            reach_deg, 120 + self->axis);
    *slip_rad = (edge - closed_deg) * POV_DEG;
    return pov_ok();
}
