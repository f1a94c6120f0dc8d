#include "perception/geometry/geom.h"
#include "protocol/turntable/turntable_internal.h"

#include <math.h>
#include <stdio.h>

enum { SENDS_MAX = 5, AGREEING = 2 }; /* a single report may be damaged */

static const double poll_s = 0.05; /* as turntable.c's */
static const double ask_s = 0.3;   /* as turntable.c's */
static const double answer_s = 1;  /* as turntable.c's */
static const double start_s = 0.4; /* a turn that has not begun by then was not understood */
static const double astray_deg =
    0.5; /* farther beyond its path, the command was damaged in transit; chosen */
static const double reopen_s = 0.25;

static double table_deg(const pov_turntable *self)
{
    return turntable_turned(self, turntable_axis_deg(self));
}

static double target_deg(const pov_turntable *self)
{
    return self->turn.path.targets_deg[self->turn.leg];
}

/* ---- sending ---- */

static double duration_s(const pov_turntable *self)
{
    double speed_deg_s = turntable_speed_deg_s(self);
    return fabs(target_deg(self) - table_deg(self)) / speed_deg_s +
           speed_deg_s / turntable_setting(self, 120);
}

/* Absolute, so that sending it twice does no harm. Whether it is taken shows where the table goes: its answer may be lost,
 * and a damaged line may be refused or, worse, taken. */
static pov_status send_leg(pov_turntable *self)
{
    char line[80];
    turntable_turn *turn = &self->turn;
    turn->from_deg = table_deg(self);
    turn->sent_ns = turntable_now_ns(self);
    turn->late_ns = turntable_after(self, 2 * duration_s(self) + self->config.silence_s);
    turn->arrivals = turn->strays = 0;
    snprintf(line, sizeof line, "G54G90G21G94G1%c%.3fF%.3f", self->config.axis,
             turntable_turned(self, target_deg(self)), 60 * turntable_speed_deg_s(self));
    pov_status status = pov_turntable_link_command(&self->link, line, answer_s);
    turn->sends++;
    bool hopeless = self->link.error == 9 || self->link.alarm != 0;
    if (status.code == POV_END || (status.code == POV_ERROR && (hopeless || turn->sends == SENDS_MAX)))
        return status;
    return pov_ok();
}

static pov_status send_again(pov_turntable *self)
{
    if (self->turn.sends < SENDS_MAX)
        return send_leg(self);
    return pov_turntable_link_fail(
        &self->link,
        "the table stands at %.2f deg instead of %.2f, though told %d times: commands are lost or "
        "damaged on the way. Is the cable sound, and is anything else writing to the line?",
        table_deg(self), target_deg(self), self->turn.sends);
}

static pov_status begin_leg(pov_turntable *self, int leg)
{
    self->turn.leg = leg;
    self->turn.sends = 0;
    return send_leg(self);
}

pov_status turntable_begin(pov_turntable *self, const pov_turntable_path *path)
{
    self->turn = (turntable_turn){.active = true, .path = *path};
    self->link.restarted = false;
    if (path->len > 0)
        return begin_leg(self, 0);
    self->turn.path.targets_deg[0] = table_deg(self);
    self->turn.late_ns = INT64_MAX / 2;
    return pov_ok();
}

pov_status pov_turntable_start(pov_turntable *self, double angle_rad, pov_turn_way way)
{
    pov_turntable_path path;
    POV_REQUIRE(isfinite(angle_rad));
    self->turn.active = false;
    POV_TRY(turntable_need_idle(self));
    pov_turntable_bounds bounds = turntable_bounds(self);
    if (!pov_turntable_path_find(&path, table_deg(self), angle_rad / POV_DEG, way, &bounds))
        return pov_turntable_link_fail(
            &self->link,
            "%.2f deg cannot be reached that way from %.2f: the soft limits are %.2f to %.2f. "
            "Let it go the shortest way, or enlarge the travel ($%d) and home",
            angle_rad / POV_DEG, table_deg(self), bounds.low_deg, bounds.high_deg, 130 + self->axis);
    return turntable_begin(self, &path);
}

pov_status pov_turntable_start_by(pov_turntable *self, double by_rad, double speed_rad_s)
{
    POV_REQUIRE(by_rad > 0 && speed_rad_s > 0);
    self->turn.active = false;
    POV_TRY(turntable_need_idle(self));
    const pov_turntable_bounds bounds = turntable_bounds(self);
    const double from_deg = table_deg(self), to_deg = from_deg + by_rad / POV_DEG;
    const double top_deg_s = turntable_setting(self, 110) / 60;
    if (to_deg > bounds.high_deg + bounds.step_deg)
        return pov_turntable_link_fail(
            &self->link,
            "it cannot turn on by %.0f deg from %.2f: the soft limits end at %.2f. Switch them off ($20=0) "
            "where no cable winds up, or enlarge the travel ($%d) and home",
            by_rad / POV_DEG, from_deg, bounds.high_deg, 130 + self->axis);
    if (speed_rad_s / POV_DEG > top_deg_s * (1 + 1e-9))
        return pov_turntable_link_fail(&self->link,
                                       "%g deg/s is faster than the controller goes: $%d is %g deg/s",
                                       speed_rad_s / POV_DEG, 110 + self->axis, top_deg_s);
    self->config.speed_rad_s = speed_rad_s;
    return turntable_begin(self, &(pov_turntable_path){.len = 1, .targets_deg = {to_deg}});
}

/* ---- a line that went ---- */

static pov_status try_to_open(pov_turntable *self, int64_t until_ns)
{
    while (turntable_now_ns(self) < until_ns) {
        if (turntable_stop_requested(self))
            return pov_status_with(POV_END, "stopped waiting for the line");
        pov_status status = pov_turntable_link_open(&self->link, self->config.connect_s);
        if (status.code == POV_OK)
            return status;
        pov_serial_line_wait(self->link.line, turntable_after(self, reopen_s));
    }
    return pov_turntable_link_fail(
        &self->link, "the line is gone, and has not come back in %g s: plug it in again, then home the table",
        self->config.reconnect_s);
}

static pov_status restarted_in_turn(pov_turntable *self)
{
    self->zero_lost = true;
    self->turn.active = false;
    return pov_turntable_link_fail(
        &self->link,
        "the controller restarted on the way to %.2f deg (power, or its USB cable), so where the "
        "table stands is not known any more: 'pov turntable home'",
        target_deg(self));
}

/* A controller with power of its own has gone on turning meanwhile. */
static pov_status reconnect_link(pov_turntable *self)
{
    int64_t gone_ns = turntable_now_ns(self);
    POV_TRY(try_to_open(self, turntable_after(self, self->config.reconnect_s)));
    if (!pov_turntable_link_remembers(&self->link))
        return restarted_in_turn(self);
    self->turn.late_ns += turntable_now_ns(self) - gone_ns;
    return pov_status_of(POV_TIMEOUT);
}

/* ---- looking after a turn ---- */

static pov_status finish_turn(pov_turntable *self)
{
    turntable_turn *turn = &self->turn;
    if (++turn->arrivals < AGREEING)
        return pov_status_of(POV_TIMEOUT);
    if (turn->leg + 1 < turn->path.len) {
        POV_TRY(begin_leg(self, turn->leg + 1));
        return pov_status_of(POV_TIMEOUT);
    }
    if (turn->arrivals == AGREEING)
        turn->arrived_ns = turntable_now_ns(self);
    if (turntable_now_ns(self) < turn->arrived_ns + (int64_t)(1e9 * self->config.settle_s))
        return pov_status_of(POV_TIMEOUT);
    turn->active = false;
    return pov_ok();
}

static pov_status at_rest(pov_turntable *self)
{
    turntable_turn *turn = &self->turn;
    if (fabs(table_deg(self) - target_deg(self)) < turntable_step_deg(self))
        return finish_turn(self);
    turn->arrivals = 0;
    if (turntable_now_ns(self) - turn->sent_ns > (int64_t)(1e9 * start_s))
        POV_TRY(send_again(self));
    return pov_status_of(POV_TIMEOUT);
}

static bool is_off_path(const pov_turntable *self)
{
    double at_deg = table_deg(self), from_deg = self->turn.from_deg, to_deg = target_deg(self);
    return at_deg < fmin(from_deg, to_deg) - astray_deg || at_deg > fmax(from_deg, to_deg) + astray_deg;
}

static pov_status turn_back(pov_turntable *self)
{
    POV_TRY(pov_turntable_stop(self));
    self->turn.active = true;
    POV_TRY(send_again(self));
    return pov_status_of(POV_TIMEOUT);
}

static pov_status in_motion(pov_turntable *self)
{
    self->turn.arrivals = 0;
    self->turn.strays = is_off_path(self) ? self->turn.strays + 1 : 0;
    return self->turn.strays >= AGREEING ? turn_back(self) : pov_status_of(POV_TIMEOUT);
}

/* A damaged line may also have named too low a speed. */
static pov_status too_late(pov_turntable *self)
{
    pov_grbl_state state = self->link.report.state;
    if (state == POV_GRBL_STATE_RUN && self->turn.sends < SENDS_MAX)
        return turn_back(self);
    return pov_turntable_link_fail(
        &self->link, "the table has not come to %.2f deg in twice the time it takes; it is at %.2f (%s)%s",
        target_deg(self), table_deg(self), pov_grbl_state_name(state),
        state == POV_GRBL_STATE_HOLD
            ? ". Someone holds it: release the hold (send ~), or 'pov turntable stop'"
            : "");
}

static pov_status judge_turn(pov_turntable *self)
{
    if (self->link.restarted)
        return restarted_in_turn(self);
    switch (self->link.report.state) {
    case POV_GRBL_STATE_ALARM:
        return turntable_alarmed(self);
    case POV_GRBL_STATE_IDLE:
        return at_rest(self);
    case POV_GRBL_STATE_RUN:
        return in_motion(self);
    default:
        return pov_status_of(POV_TIMEOUT);
    }
}

/* Asks once; only a long silence is a fault. */
static pov_status look_at_status(pov_turntable *self)
{
    pov_turntable_link *link = &self->link;
    pov_status status = pov_turntable_link_ask(link, ask_s);
    if (status.code != POV_TIMEOUT)
        return status;
    if (turntable_now_ns(self) - link->heard_ns > (int64_t)(1e9 * self->config.silence_s))
        return turntable_silent(self);
    return status;
}

static pov_status poll_turn(pov_turntable *self)
{
    if (turntable_stop_requested(self))
        return turntable_stop_as_asked(self);
    pov_status status = pov_turntable_link_listen(&self->link, self->asked_ns + (int64_t)(1e9 * poll_s));
    self->asked_ns = turntable_now_ns(self);
    POV_THEN(status, look_at_status(self));
    POV_THEN(status, judge_turn(self));
    if (status.code == POV_TIMEOUT && turntable_now_ns(self) > self->turn.late_ns)
        status = too_late(self);
    return status;
}

pov_status pov_turntable_poll(pov_turntable *self, pov_turntable_status *status)
{
    POV_REQUIRE(self->turn.active);
    pov_status polled = poll_turn(self);
    if (polled.code == POV_END && !turntable_stop_requested(self))
        polled = reconnect_link(self);
    if (polled.code != POV_TIMEOUT)
        self->turn.active = false;
    turntable_fill_status(self, status);
    return polled;
}

pov_status pov_turntable_move(pov_turntable *self, double angle_rad, pov_turn_way way)
{
    pov_turntable_status status;
    POV_TRY(pov_turntable_start(self, angle_rad, way));
    for (;;) {
        pov_status polled = pov_turntable_poll(self, &status);
        if (polled.code != POV_TIMEOUT)
            return polled;
    }
}
