#include "sim/turntable/grbl_controller_internal.h"

#include "perception/geometry/random.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RESET = 0x18, JOG_CANCEL = 0x85, SAID_MAX = 200 };

static const double rad_per_deg = 3.14159265358979323846 / 180;
static const char axes[] = "XYZABC";

/* ---- what it says ---- */

static double draw_uniform(pov_grbl_controller *self)
{
    return pov_random_fraction(pov_random_next(&self->random));
}

/* Does something happen that happens with this share? */
static bool draw_chance(pov_grbl_controller *self, double share)
{
    return share > 0 && draw_uniform(self) < share;
}

static void put_bytes(pov_grbl_controller *self, char byte)
{
    if (!draw_chance(self, self->config.faults.drop) && self->tx_len < GRBL_TX_MAX)
        self->tx[self->tx_len++] = byte;
}

void grbl_say(pov_grbl_controller *self, const char *format, ...)
{
    char text[SAID_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    bool noise = draw_chance(self, self->config.faults.garbage);
    for (const char *byte = text; *byte; byte++)
        put_bytes(self, noise ? (char)pov_random_next(&self->random) : *byte);
    put_bytes(self, '\r');
    put_bytes(self, '\n');
}

static const char *state_name(const pov_grbl_controller *self)
{
    static const char *const names[] = {"Idle", "Run", "Hold:0", "Jog", "Home", "Alarm"};
    static_assert(sizeof names / sizeof *names == GRBL_STATE_COUNT, "one name a state");
    return self->state == GRBL_HOLD && self->moving ? "Hold:1" : names[self->state];
}

/* ",0.000,12.345": other axes stand at 0. */
static void print_place(char text[SAID_MAX], const pov_grbl_controller *self, double deg)
{
    int axis_count = self->axis_index < 3 ? 3 : self->axis_index + 1, length = 0;
    for (int i = 0; i < axis_count; i++)
        length += snprintf(text + length, (size_t)(SAID_MAX - length), "%s%.3f", i ? "," : "",
                           i == self->axis_index ? deg : 0);
}

/* As GRBL, it tells the work offset and the overrides only in some reports. */
static void send_report(pov_grbl_controller *self)
{
    char place[SAID_MAX], more[SAID_MAX + 20] = "";
    double steps_per_deg = grbl_setting(self, POV_GRBL_SETTING_STEPS);
    double offset_deg = self->g54_deg + self->g92_deg;
    double deg = round(grbl_position_deg(self) * steps_per_deg) / steps_per_deg;
    bool machine = (int)grbl_setting(self, POV_GRBL_SETTING_REPORT) & 1;
    print_place(place, self, offset_deg);
    if (self->reports % 10 == 0)
        snprintf(more, sizeof more, "|WCO:%s", place);
    if (self->reports % 10 == 1)
        snprintf(more, sizeof more, "|Ov:100,100,100");
    self->reports++;
    print_place(place, self, machine ? deg : deg - offset_deg);
    char pin[] = {'|', 'P', 'n', ':', axes[self->axis_index], '\0'};
    grbl_say(self, "<%s|%s:%s|FS:%.0f,0%s%s>", state_name(self), machine ? "MPos" : "WPos", place,
             60 * fabs(grbl_speed_deg_s(self)), grbl_switch_closed(self) ? pin : "", more);
}

void grbl_alarm(pov_grbl_controller *self, int code)
{
    self->state = GRBL_ALARM;
    grbl_say(self, "ALARM:%d", code);
    self->critical = code <= 2;
    if (self->critical)
        grbl_say(self, "[MSG:Reset to continue]");
}

/* ---- power and reset ---- */

/* A reset forgets these; machine position, G54 and settings stay. */
static void start_up(pov_grbl_controller *self)
{
    self->critical = self->report_wanted = false;
    self->motion = POV_GRBL_SEEK;
    self->relative = self->inches = false;
    self->feed_deg_min = self->g92_deg = 0;
    self->line_len = self->comment = self->rx_len = self->reports = 0;
    grbl_say(self, "%s", "");
    grbl_say(self, "Grbl 1.1h ['$' for help]");
    grbl_say(self, "[MSG:simulated]");
    if (self->state == GRBL_ALARM)
        grbl_say(self, "[MSG:'$H'|'$X' to unlock]");
}

void grbl_power_on(pov_grbl_controller *self)
{
    self->state = grbl_setting(self, POV_GRBL_SETTING_HOMING) != 0 ? GRBL_ALARM : GRBL_IDLE;
    start_up(self);
}

static void reset_controller(pov_grbl_controller *self)
{
    bool homing = self->state == GRBL_HOME, in_motion = self->moving;
    grbl_halt(self);
    if (homing || in_motion)
        grbl_alarm(self, homing ? 6 : 3);
    else if (self->state != GRBL_ALARM)
        self->state = GRBL_IDLE;
    start_up(self);
}

pov_grbl_controller_config pov_grbl_controller_config_default(void)
{
    return (pov_grbl_controller_config){.axis = 'X', .settings = pov_grbl_settings_default(6), .seed = 1};
}

pov_status pov_grbl_controller_new(pov_grbl_controller **controller, const pov_grbl_controller_config *config,
                                   int64_t now_ns)
{
    const char *axis = config->axis ? strchr(axes, config->axis) : NULL;
    *controller = NULL;
    if (!axis)
        return pov_error("no axis '%c': a controller has some of %s", config->axis, axes);
    pov_grbl_controller *self = pov_allocate(1, sizeof *self);
    double start_deg = config->start_rad / rad_per_deg;
    self->config = *config;
    self->axis_index = (int)(axis - axes);
    self->now_ns = now_ns;
    self->random = config->seed;
    self->shift_deg = start_deg;
    self->table = (pov_grbl_table){start_deg, start_deg, start_deg, start_deg, now_ns};
    grbl_power_on(self);
    *controller = self;
    return pov_ok();
}

void pov_grbl_controller_destroy(pov_grbl_controller **controller)
{
    free(*controller);
    *controller = NULL;
}

/* ---- what it hears ---- */

static void end_line(pov_grbl_controller *self)
{
    bool too_long = self->line_len > GRBL_LINE_MAX;
    self->line[too_long ? 0 : self->line_len] = '\0';
    self->line_len = self->comment = 0;
    if (too_long)
        grbl_say(self, "error:%d", POV_GRBL_LONG_LINE);
    else
        grbl_execute(self, self->line);
}

static void take_character(pov_grbl_controller *self, char byte)
{
    if (byte == '\n' || byte == '\r')
        end_line(self);
    else if (self->comment)
        self->comment = byte == self->comment ? 0 : self->comment;
    else if (byte == '(')
        self->comment = ')';
    else if (byte == ';')
        self->comment = '\n';
    else if (byte > ' ' && byte <= '~' && self->line_len <= GRBL_LINE_MAX) {
        self->line[self->line_len < GRBL_LINE_MAX ? self->line_len : 0] =
            (char)(byte >= 'a' && byte <= 'z' ? byte - 'a' + 'A' : byte);
        self->line_len++;
    }
}

/* As long as it can take a line: not while it homes or its queue is full. */
static void work_off(pov_grbl_controller *self)
{
    int taken = 0;
    while (taken < self->rx_len && !self->hung && !self->critical && self->state != GRBL_HOME &&
           self->queue_len < GRBL_QUEUE_MAX)
        take_character(self, self->rx[taken++]);
    self->rx_len -= taken;
    memmove(self->rx, self->rx + taken, (size_t)self->rx_len);
}

static void want_report(pov_grbl_controller *self)
{
    self->report_wanted = true;
    if (self->state == GRBL_HOME || self->critical)
        return;
    self->report_wanted = false;
    send_report(self);
}

/* Returns false for a byte of a line. Other commands in real time are overrides, which a table has no use for. */
static bool act_at_once(pov_grbl_controller *self, unsigned char byte)
{
    bool deaf = self->state == GRBL_HOME || self->critical;
    if (byte == RESET)
        reset_controller(self);
    else if (byte == '?')
        want_report(self);
    else if (byte == '!' && !deaf)
        grbl_hold(self);
    else if (byte == '~' && !deaf)
        grbl_resume(self);
    else if (byte == JOG_CANCEL && !deaf)
        grbl_cancel_jog(self);
    else
        return byte == '!' || byte == '~' || byte >= 0x80;
    return true;
}

static void advance_lines(pov_grbl_controller *self, int64_t now_ns)
{
    grbl_advance(self, now_ns);
    work_off(self);
    if (self->report_wanted && !self->hung)
        want_report(self);
}

void pov_grbl_controller_receive(pov_grbl_controller *controller, const char *bytes, size_t length,
                                 int64_t now_ns)
{
    advance_lines(controller, now_ns);
    for (size_t i = 0; i < length && !controller->hung; i++) {
        if (draw_chance(controller, controller->config.faults.drop) ||
            act_at_once(controller, (unsigned char)bytes[i]))
            continue;
        if (controller->rx_len < GRBL_RX_MAX)
            controller->rx[controller->rx_len++] = bytes[i];
        work_off(controller);
    }
}

size_t pov_grbl_controller_send(pov_grbl_controller *controller, char *bytes, size_t capacity, int64_t now_ns)
{
    advance_lines(controller, now_ns);
    size_t length = controller->tx_len < capacity ? controller->tx_len : capacity;
    memcpy(bytes, controller->tx, length);
    controller->tx_len -= length;
    memmove(controller->tx, controller->tx + length, controller->tx_len);
    return length;
}

double pov_grbl_controller_true_rad(pov_grbl_controller *controller, int64_t now_ns)
{
    advance_lines(controller, now_ns);
    return controller->table.disc_deg * rad_per_deg;
}

double pov_grbl_controller_commanded_rad(pov_grbl_controller *controller, int64_t now_ns)
{
    advance_lines(controller, now_ns);
    return grbl_position_deg(controller) * rad_per_deg;
}

int64_t pov_grbl_controller_due_ns(const pov_grbl_controller *controller)
{
    if (controller->hung)
        return INT64_MAX;
    if (controller->tx_len > 0)
        return controller->now_ns;
    return controller->moving ? controller->now_ns + 2000000 : INT64_MAX;
}

void pov_grbl_controller_fail(pov_grbl_controller *controller, const pov_grbl_faults *faults, int64_t now_ns)
{
    advance_lines(controller, now_ns);
    controller->config.faults = *faults;
    controller->turns = 0;
}
