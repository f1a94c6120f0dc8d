#include "sim/turntable/grbl_internal.h"

#include <math.h>

static const int64_t tick_ns = 1000000; /* while the disc lags, or a switch is awaited */
static const double switch_width_deg = 0.5;
static const double slowest_deg_min = 1; /* GRBL's own bound */

double grbl_setting(const pov_grbl_controller *self, int number)
{
    return self->config.settings.value[number < POV_GRBL_SETTING_STEPS ? number : number + self->axis_index];
}

static double since_s(const pov_grbl_controller *self)
{
    return 1e-9 * (double)(self->now_ns - self->ramp_start_ns);
}

double grbl_position_deg(const pov_grbl_controller *self)
{
    return self->moving ? pov_grbl_ramp_angle_deg(&self->ramp, since_s(self)) : self->rest_deg;
}

double grbl_speed_deg_s(const pov_grbl_controller *self)
{
    return self->moving ? pov_grbl_ramp_speed_deg_s(&self->ramp, since_s(self)) : 0;
}

double grbl_planned_deg(const pov_grbl_controller *self)
{
    if (self->queue_len > 0)
        return self->queue[self->queue_len - 1].target_deg;
    return self->moving || self->held ? self->current.target_deg : self->rest_deg;
}

/* ---- turns ---- */

static void begin_ramp(pov_grbl_controller *self, pov_grbl_ramp ramp)
{
    self->ramp = ramp;
    self->moving = true;
    self->ramp_start_ns = self->now_ns;
    self->ramp_end_ns = self->now_ns + (int64_t)ceil(1e9 * pov_grbl_ramp_duration_s(&ramp));
    self->strike_ns = INT64_MAX;
}

static double bounded_speed_deg_s(const pov_grbl_controller *self, double speed_deg_min)
{
    return fmax(fmin(speed_deg_min, grbl_setting(self, POV_GRBL_SETTING_RATE)), slowest_deg_min) / 60;
}

static void begin_turn(pov_grbl_controller *self)
{
    const pov_grbl_faults *faults = &self->config.faults;
    begin_ramp(self, pov_grbl_ramp_turn(self->rest_deg, self->current.target_deg, self->current.speed_deg_s,
                                        grbl_setting(self, POV_GRBL_SETTING_ACCELERATION)));
    self->held = false;
    self->state = self->current.jog ? GRBL_JOG : GRBL_RUN;
    self->turns++;
    if (self->turns == faults->hang_in_turn || self->turns == faults->reset_in_turn)
        self->strike_ns = self->now_ns + (self->ramp_end_ns - self->now_ns) / 2;
    double lost_deg = faults->lost_steps / grbl_setting(self, POV_GRBL_SETTING_STEPS);
    double length_deg = fabs(self->current.target_deg - self->rest_deg);
    pov_grbl_table_lose(&self->table, self->ramp.sign * fmin(lost_deg, length_deg));
}

/* The next turn that goes anywhere; without one, rest. */
static void begin_next(pov_grbl_controller *self)
{
    while (self->held || self->queue_len > 0) {
        if (!self->held) {
            self->current = self->queue[0];
            self->queue_len--;
            for (int i = 0; i < self->queue_len; i++)
                self->queue[i] = self->queue[i + 1];
        }
        self->held = false;
        if (self->current.target_deg != self->rest_deg) {
            begin_turn(self);
            return;
        }
    }
    self->state = GRBL_IDLE;
}

void grbl_push(pov_grbl_controller *self, const grbl_turn *turn)
{
    POV_REQUIRE(self->queue_len < GRBL_QUEUE_MAX);
    self->queue[self->queue_len] = *turn;
    self->queue[self->queue_len].speed_deg_s = bounded_speed_deg_s(self, 60 * turn->speed_deg_s);
    self->queue_len++;
    if (self->state == GRBL_IDLE)
        begin_next(self);
}

static void slow_down(pov_grbl_controller *self)
{
    double position_deg = grbl_position_deg(self), speed_deg_s = grbl_speed_deg_s(self);
    begin_ramp(self, pov_grbl_ramp_stop(position_deg, speed_deg_s,
                                        grbl_setting(self, POV_GRBL_SETTING_ACCELERATION)));
}

void grbl_hold(pov_grbl_controller *self)
{
    if (self->state == GRBL_JOG)
        grbl_cancel_jog(self);
    if (self->state != GRBL_IDLE && self->state != GRBL_RUN)
        return;
    self->held = self->moving;
    if (self->moving)
        slow_down(self);
    self->state = GRBL_HOLD;
}

void grbl_resume(pov_grbl_controller *self)
{
    if (self->state == GRBL_HOLD && !self->moving)
        begin_next(self);
}

void grbl_cancel_jog(pov_grbl_controller *self)
{
    if (self->state != GRBL_JOG || self->cancelling)
        return;
    self->cancelling = true;
    self->queue_len = 0;
    slow_down(self);
}

void grbl_halt(pov_grbl_controller *self)
{
    self->rest_deg = grbl_position_deg(self);
    self->moving = self->held = self->cancelling = false;
    self->queue_len = 0;
}

/* ---- homing: fast to the switch, off it, slowly to it, off it ---- */

static double home_sign(const pov_grbl_controller *self)
{
    int mask = (int)grbl_setting(self, POV_GRBL_SETTING_HOMING_MASK);
    return mask >> self->axis_index & 1 ? -1 : 1;
}

bool grbl_switch_closed(const pov_grbl_controller *self)
{
    double past_deg = home_sign(self) * remainder(self->table.disc_deg, 360);
    return past_deg >= 0 && past_deg < switch_width_deg;
}

static bool approaching(const pov_grbl_controller *self)
{
    return self->home_phase % 2 == 0;
}

static void begin_home_phase(pov_grbl_controller *self)
{
    double pull_off_deg = grbl_setting(self, POV_GRBL_SETTING_PULL_OFF);
    double most_deg =
        self->home_phase == 0 ? 1.5 * grbl_setting(self, POV_GRBL_SETTING_TRAVEL) : 5 * pull_off_deg;
    double turn_deg = home_sign(self) * (approaching(self) ? most_deg : -pull_off_deg);
    int rate = self->home_phase == 2 ? POV_GRBL_SETTING_HOMING_FEED : POV_GRBL_SETTING_HOMING_SEEK;
    begin_ramp(self, pov_grbl_ramp_turn(self->rest_deg, self->rest_deg + turn_deg,
                                        bounded_speed_deg_s(self, grbl_setting(self, rate)),
                                        grbl_setting(self, POV_GRBL_SETTING_ACCELERATION)));
}

void grbl_home(pov_grbl_controller *self)
{
    self->state = GRBL_HOME;
    self->home_phase = 0;
    begin_home_phase(self);
}

static void set_position(pov_grbl_controller *self, double position_deg)
{
    self->shift_deg += self->rest_deg - position_deg;
    self->rest_deg = position_deg;
}

static void finish_home(pov_grbl_controller *self)
{
    double pull_off_deg = grbl_setting(self, POV_GRBL_SETTING_PULL_OFF);
    double travel_deg = grbl_setting(self, POV_GRBL_SETTING_TRAVEL);
    set_position(self, home_sign(self) > 0 ? -pull_off_deg : pull_off_deg - travel_deg);
    self->state = GRBL_IDLE;
    grbl_say(self, "ok");
}

/* A phase has ended: at the switch, or at its ramp's end. */
static void next_home_phase(pov_grbl_controller *self, bool at_switch)
{
    grbl_halt(self);
    if (approaching(self) && !at_switch)
        grbl_alarm(self, 9);
    else if (!approaching(self) && grbl_switch_closed(self))
        grbl_alarm(self, 8);
    else if (++self->home_phase < 4)
        begin_home_phase(self);
    else
        finish_home(self);
}

/* ---- time ---- */

static void finish_ramp(pov_grbl_controller *self)
{
    double steps_per_deg = grbl_setting(self, POV_GRBL_SETTING_STEPS);
    double end_deg = round(grbl_position_deg(self) * steps_per_deg) / steps_per_deg;
    bool whole = self->state == GRBL_RUN || (self->state == GRBL_JOG && !self->cancelling);
    self->moving = false;
    self->rest_deg = whole ? self->current.target_deg : end_deg;
    self->cancelling = false;
    if (self->state != GRBL_HOLD)
        begin_next(self);
}

static void strike(pov_grbl_controller *self)
{
    bool resets = self->turns == self->config.faults.reset_in_turn;
    grbl_halt(self);
    self->hung = !resets;
    if (!resets)
        return;
    set_position(self, 0);
    grbl_power_on(self);
}

static void happen(pov_grbl_controller *self)
{
    if (self->moving && self->now_ns >= self->strike_ns)
        strike(self);
    else if (self->state == GRBL_HOME && approaching(self) && grbl_switch_closed(self))
        next_home_phase(self, true);
    else if (self->moving && self->now_ns >= self->ramp_end_ns && self->state == GRBL_HOME)
        next_home_phase(self, false);
    else if (self->moving && self->now_ns >= self->ramp_end_ns)
        finish_ramp(self);
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t next_instant(const pov_grbl_controller *self, int64_t now_ns)
{
    if (!self->moving)
        return now_ns;
    if (self->state == GRBL_HOME || self->config.faults.play.lag_s > 0)
        now_ns = earlier(now_ns, self->now_ns - self->now_ns % tick_ns + tick_ns);
    return earlier(now_ns, earlier(self->ramp_end_ns, self->strike_ns));
}

static void follow(pov_grbl_controller *self)
{
    pov_grbl_table_follow(&self->table, &self->config.faults.play, grbl_position_deg(self) + self->shift_deg,
                          self->now_ns);
}

void grbl_advance(pov_grbl_controller *self, int64_t now_ns)
{
    while (self->now_ns < now_ns) {
        self->now_ns = next_instant(self, now_ns);
        follow(self);
        happen(self);
    }
    follow(self);
}
