#include "sim/turntable/grbl_controller_internal.h"

#include "sim/turntable/grbl_controller.h"

#include <math.h>

/* ---- ramps ---- */

/* From rest to rest. Speed and acceleration must be positive. */
static grbl_ramp ramp_between(double from_deg, double to_deg, double speed_deg_s, double acceleration_deg_s2)
{
    double length_deg = fabs(to_deg - from_deg);
    double peak_deg_s = fmin(speed_deg_s, sqrt(length_deg * acceleration_deg_s2));
    double up_s = peak_deg_s / acceleration_deg_s2;
    return (grbl_ramp){.from_deg = from_deg,
                       .sign = to_deg < from_deg ? -1 : 1,
                       .peak_deg_s = peak_deg_s,
                       .acceleration_deg_s2 = acceleration_deg_s2,
                       .up_s = up_s,
                       .along_s = peak_deg_s > 0 ? fmax(length_deg / peak_deg_s - up_s, 0) : 0,
                       .down_s = up_s};
}

/* From a speed (signed) to rest. */
static grbl_ramp ramp_to_rest(double from_deg, double speed_deg_s, double acceleration_deg_s2)
{
    return (grbl_ramp){.from_deg = from_deg,
                       .sign = speed_deg_s < 0 ? -1 : 1,
                       .peak_deg_s = fabs(speed_deg_s),
                       .acceleration_deg_s2 = acceleration_deg_s2,
                       .down_s = fabs(speed_deg_s) / acceleration_deg_s2};
}

static double ramp_duration_s(const grbl_ramp *ramp)
{
    return ramp->up_s + ramp->along_s + ramp->down_s;
}

static double bound_time(double t_s, double duration_s)
{
    return fmin(fmax(t_s, 0), duration_s);
}

/* At t_s after its start; before it and after its end it stands. */
static double ramp_angle_deg(const grbl_ramp *ramp, double t_s)
{
    double up_s = bound_time(t_s, ramp->up_s);
    double along_s = bound_time(t_s - ramp->up_s, ramp->along_s);
    double down_s = bound_time(t_s - ramp->up_s - ramp->along_s, ramp->down_s);
    double half = 0.5 * ramp->acceleration_deg_s2;
    return ramp->from_deg +
           ramp->sign * (half * up_s * up_s + ramp->peak_deg_s * (along_s + down_s) - half * down_s * down_s);
}

static double ramp_speed_deg_s(const grbl_ramp *ramp, double t_s)
{
    double after_s = t_s - ramp->up_s - ramp->along_s;
    if (t_s <= 0 && ramp->up_s > 0)
        return 0;
    if (t_s < ramp->up_s)
        return ramp->sign * ramp->acceleration_deg_s2 * t_s;
    return ramp->sign * fmax(ramp->peak_deg_s - ramp->acceleration_deg_s2 * fmax(after_s, 0), 0);
}

/* ---- the disc ---- */

/* A first-order lag's answer to an input that goes evenly from `before` to `after` in dt_s. */
static double lagged_angle(double disc, double before, double after, double dt_s, double lag_s)
{
    double slope = (after - before) / dt_s;
    return after - slope * lag_s + (disc - before + slope * lag_s) * exp(-dt_s / lag_s);
}

/* The motor has turned, evenly and one way, to motor_deg at now_ns. A positive turn ends where the motor does, a
 * negative one short of it by the backlash. */
static void follow_motor(pov_grbl_table *table, const pov_grbl_play *play, double motor_deg, int64_t now_ns)
{
    double before_deg = table->free_deg;
    double dt_s = 1e-9 * (double)(now_ns - table->now_ns);
    table->drive_deg += (1 - play->slip) * (motor_deg - table->motor_deg);
    table->motor_deg = motor_deg;
    table->free_deg = fmin(fmax(table->free_deg, table->drive_deg), table->drive_deg + play->backlash_deg);
    if (!(play->lag_s > 0))
        table->disc_deg = table->free_deg;
    else if (dt_s > 0)
        table->disc_deg = lagged_angle(table->disc_deg, before_deg, table->free_deg, dt_s, play->lag_s);
    table->now_ns = now_ns;
}

/* The motor turned by turn_deg without the disc. */
static void lose_turn(pov_grbl_table *table, double turn_deg)
{
    table->drive_deg -= turn_deg;
}

/* ---- turns ---- */

static const int64_t tick_ns = 1000000;     /* step while the disc lags or a switch is awaited; chosen */
static const double switch_width_deg = 0.5; /* of turn that closes the home switch; chosen */
static const double slowest_deg_min = 1;    /* GRBL's own bound */

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
    return self->moving ? ramp_angle_deg(&self->ramp, since_s(self)) : self->rest_deg;
}

double grbl_speed_deg_s(const pov_grbl_controller *self)
{
    return self->moving ? ramp_speed_deg_s(&self->ramp, since_s(self)) : 0;
}

double grbl_planned_deg(const pov_grbl_controller *self)
{
    if (self->queue_len > 0)
        return self->queue[self->queue_len - 1].target_deg;
    return self->moving || self->held ? self->current.target_deg : self->rest_deg;
}

/* ---- turns ---- */

static void begin_ramp(pov_grbl_controller *self, grbl_ramp ramp)
{
    self->ramp = ramp;
    self->moving = true;
    self->ramp_start_ns = self->now_ns;
    self->ramp_end_ns = self->now_ns + (int64_t)ceil(1e9 * ramp_duration_s(&ramp));
    self->strike_ns = INT64_MAX;
}

static double bounded_speed_deg_s(const pov_grbl_controller *self, double speed_deg_min)
{
    return fmax(fmin(speed_deg_min, grbl_setting(self, POV_GRBL_SETTING_RATE)), slowest_deg_min) / 60;
}

static void begin_turn(pov_grbl_controller *self)
{
    const pov_grbl_faults *faults = &self->config.faults;
    begin_ramp(self, ramp_between(self->rest_deg, self->current.target_deg, self->current.speed_deg_s,
                                  grbl_setting(self, POV_GRBL_SETTING_ACCELERATION)));
    self->held = false;
    self->state = self->current.jog ? GRBL_JOG : GRBL_RUN;
    self->turns++;
    if (self->turns == faults->hang_in_turn || self->turns == faults->reset_in_turn)
        self->strike_ns = self->now_ns + (self->ramp_end_ns - self->now_ns) / 2;
    double lost_deg = faults->lost_steps / grbl_setting(self, POV_GRBL_SETTING_STEPS);
    double length_deg = fabs(self->current.target_deg - self->rest_deg);
    lose_turn(&self->table, self->ramp.sign * fmin(lost_deg, length_deg));
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
    begin_ramp(self,
               ramp_to_rest(position_deg, speed_deg_s, grbl_setting(self, POV_GRBL_SETTING_ACCELERATION)));
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

static bool is_approaching(const pov_grbl_controller *self)
{
    return self->home_phase % 2 == 0;
}

static void begin_home_phase(pov_grbl_controller *self)
{
    double pull_off_deg = grbl_setting(self, POV_GRBL_SETTING_PULL_OFF);
    double most_deg =
        self->home_phase == 0 ? 1.5 * grbl_setting(self, POV_GRBL_SETTING_TRAVEL) : 5 * pull_off_deg;
    double turn_deg = home_sign(self) * (is_approaching(self) ? most_deg : -pull_off_deg);
    int rate = self->home_phase == 2 ? POV_GRBL_SETTING_HOMING_FEED : POV_GRBL_SETTING_HOMING_SEEK;
    begin_ramp(self, ramp_between(self->rest_deg, self->rest_deg + turn_deg,
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
    if (is_approaching(self) && !at_switch)
        grbl_alarm(self, 9);
    else if (!is_approaching(self) && grbl_switch_closed(self))
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

static void strike_fault(pov_grbl_controller *self)
{
    bool resets = self->turns == self->config.faults.reset_in_turn;
    grbl_halt(self);
    self->hung = !resets;
    if (!resets)
        return;
    set_position(self, 0);
    grbl_power_on(self);
}

static void run_event(pov_grbl_controller *self)
{
    if (self->moving && self->now_ns >= self->strike_ns)
        strike_fault(self);
    else if (self->state == GRBL_HOME && is_approaching(self) && grbl_switch_closed(self))
        next_home_phase(self, true);
    else if (self->moving && self->now_ns >= self->ramp_end_ns && self->state == GRBL_HOME)
        next_home_phase(self, false);
    else if (self->moving && self->now_ns >= self->ramp_end_ns)
        finish_ramp(self);
}

static int64_t earlier_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t next_instant(const pov_grbl_controller *self, int64_t now_ns)
{
    if (!self->moving)
        return now_ns;
    if (self->state == GRBL_HOME || self->config.faults.play.lag_s > 0)
        now_ns = earlier_of(now_ns, self->now_ns - self->now_ns % tick_ns + tick_ns);
    return earlier_of(now_ns, earlier_of(self->ramp_end_ns, self->strike_ns));
}

static void follow(pov_grbl_controller *self)
{
    follow_motor(&self->table, &self->config.faults.play, grbl_position_deg(self) + self->shift_deg,
                 self->now_ns);
}

void grbl_advance(pov_grbl_controller *self, int64_t now_ns)
{
    while (self->now_ns < now_ns) {
        self->now_ns = next_instant(self, now_ns);
        follow(self);
        run_event(self);
    }
    follow(self);
}
