#include "sim/turntable/grbl_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double farthest_deg = 1e6;
static const double deg_per_inch = 25.4; /* of GRBL's "millimetres" */

static double offset_deg(const pov_grbl_controller *self)
{
    return self->g54_deg + self->g92_deg;
}

/* ---- G-code ---- */

/* Machine position that a block's axis word means. */
static double target_of(const pov_grbl_controller *self, const pov_grbl_block *block, bool relative,
                        double scale)
{
    double steps_per_deg = grbl_setting(self, POV_GRBL_SETTING_STEPS);
    double deg = block->axis * scale;
    if (relative && !block->machine)
        deg += grbl_planned_deg(self);
    else if (!block->machine)
        deg += offset_deg(self);
    return round(deg * steps_per_deg) / steps_per_deg;
}

static bool outside_limits(const pov_grbl_controller *self, double target_deg)
{
    return grbl_setting(self, POV_GRBL_SETTING_SOFT_LIMITS) != 0 &&
           (target_deg > 0 || target_deg < -grbl_setting(self, POV_GRBL_SETTING_TRAVEL));
}

static int set_zero(pov_grbl_controller *self, const pov_grbl_block *block, double scale)
{
    double deg = block->axis * scale, here_deg = grbl_planned_deg(self);
    if (fabs(deg) > farthest_deg)
        return POV_GRBL_TOO_FAR;
    if (block->use == POV_GRBL_SET_G54)
        self->g54_deg = deg;
    else if (block->use == POV_GRBL_SET_HERE)
        self->g54_deg = here_deg - self->g92_deg - deg;
    else
        self->g92_deg = here_deg - self->g54_deg - deg;
    self->reports = 0; /* tell the new offset next */
    return POV_GRBL_OK;
}

/* Returns an error, or -1 where an alarm has answered. */
static int turn_to(pov_grbl_controller *self, const pov_grbl_block *block, double scale)
{
    double target_deg = target_of(self, block, self->relative, scale);
    double rate = grbl_setting(self, POV_GRBL_SETTING_RATE);
    if (self->motion == POV_GRBL_FEED && !(self->feed_deg_min > 0))
        return POV_GRBL_NO_FEED;
    if (!(fabs(target_deg) <= farthest_deg))
        return POV_GRBL_TOO_FAR;
    if (outside_limits(self, target_deg)) {
        grbl_halt(self);
        grbl_alarm(self, 2);
        return -1;
    }
    grbl_push(self,
              &(grbl_turn){.target_deg = target_deg,
                           .speed_deg_s = (self->motion == POV_GRBL_SEEK ? rate : self->feed_deg_min) / 60});
    return POV_GRBL_OK;
}

static int execute_block(pov_grbl_controller *self, const char *line)
{
    pov_grbl_block block;
    if (self->state == GRBL_ALARM || self->state == GRBL_JOG)
        return POV_GRBL_LOCKED;
    int error = pov_grbl_block_parse(&block, line, self->config.axis);
    if (error)
        return error;
    self->inches = block.inches >= 0 ? block.inches : self->inches;
    self->relative = block.relative >= 0 ? block.relative : self->relative;
    double scale = self->inches ? deg_per_inch : 1;
    if (block.has_feed)
        self->feed_deg_min = block.feed * scale;
    if (block.motion != POV_GRBL_KEEP)
        self->motion = block.motion;
    if (!block.has_axis)
        return POV_GRBL_OK;
    return block.use == POV_GRBL_TARGET ? turn_to(self, &block, scale) : set_zero(self, &block, scale);
}

/* A jog is complete in itself, and leaves G-code's memory alone. */
static int jog(pov_grbl_controller *self, const char *line)
{
    pov_grbl_block block;
    if ((self->state != GRBL_IDLE && self->state != GRBL_JOG) || self->cancelling)
        return POV_GRBL_NOT_IDLE;
    int error = pov_grbl_block_parse(&block, line, self->config.axis);
    if (error)
        return error;
    if (block.motion != POV_GRBL_KEEP || block.use != POV_GRBL_TARGET)
        return POV_GRBL_BAD_JOG;
    if (!block.has_axis)
        return POV_GRBL_NO_AXIS;
    if (!block.has_feed || !(block.feed > 0))
        return POV_GRBL_NO_FEED;
    double scale = (block.inches >= 0 ? block.inches : self->inches) ? deg_per_inch : 1;
    double target_deg = target_of(self, &block, block.relative >= 0 ? block.relative : self->relative, scale);
    if (!(fabs(target_deg) <= farthest_deg) || outside_limits(self, target_deg))
        return POV_GRBL_JOG_TOO_FAR;
    grbl_push(self, &(grbl_turn){target_deg, block.feed * scale / 60, true});
    return POV_GRBL_OK;
}

/* ---- $ commands ---- */

static int say_settings(pov_grbl_controller *self)
{
    char line[GRBL_LINE_MAX];
    int axes = self->axis_index < 3 ? 3 : self->axis_index + 1;
    for (int i = 0; i < POV_GRBL_SETTING_COUNT; i++)
        if ((i < POV_GRBL_SETTING_STEPS || i % 10 < axes) &&
            pov_grbl_settings_print(line, sizeof line, &self->config.settings, i))
            grbl_say(self, "%s", line);
    return POV_GRBL_OK;
}

static int set(pov_grbl_controller *self, const char *line)
{
    double number, value;
    if (!pov_grbl_number(&number, &line) || *line != '=')
        return POV_GRBL_NO_STATEMENT;
    line++;
    if (!pov_grbl_number(&value, &line) || *line)
        return POV_GRBL_BAD_NUMBER;
    return pov_grbl_settings_set(&self->config.settings, number, value);
}

static int home(pov_grbl_controller *self)
{
    if (grbl_setting(self, POV_GRBL_SETTING_HOMING) == 0)
        return POV_GRBL_NO_HOMING;
    if (!(grbl_setting(self, POV_GRBL_SETTING_PULL_OFF) > 0) ||
        !(grbl_setting(self, POV_GRBL_SETTING_TRAVEL) > 0)) {
        grbl_alarm(self, 9);
        return -1;
    }
    grbl_home(self);
    return -1; /* answers when it is there */
}

static int unlock(pov_grbl_controller *self)
{
    if (self->state == GRBL_ALARM) {
        self->state = GRBL_IDLE;
        grbl_say(self, "[MSG:Caution: Unlocked]");
    }
    return POV_GRBL_OK;
}

static int tell_version(pov_grbl_controller *self)
{
    grbl_say(self, "[VER:1.1h.20190830:simulated]");
    grbl_say(self, "[OPT:V,15,128]");
    return POV_GRBL_OK;
}

static int tell_modes(pov_grbl_controller *self)
{
    grbl_say(self, "[GC:G%d G54 G17 G%d G%d G94 M5 M9 T0 F%.0f S0]", self->motion == POV_GRBL_FEED,
             self->inches ? 20 : 21, self->relative ? 91 : 90, self->feed_deg_min);
    return POV_GRBL_OK;
}

static int tell_help(pov_grbl_controller *self)
{
    grbl_say(self, "[HLP:$$ $G $I $x=val $J=line $X $H ~ ! ? ctrl-x]");
    return POV_GRBL_OK;
}

static int execute_system(pov_grbl_controller *self, const char *line)
{
    static const struct {
        const char *name;
        bool in_motion; /* also while a turn is under way */
        int (*act)(pov_grbl_controller *);
    } commands[] = {{"", true, tell_help},      {"G", true, tell_modes}, {"$", false, say_settings},
                    {"I", false, tell_version}, {"H", false, home},      {"X", true, unlock}};
    bool still = self->state == GRBL_IDLE || self->state == GRBL_ALARM;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(line, commands[i].name) == 0)
            return still || commands[i].in_motion ? commands[i].act(self) : POV_GRBL_NOT_IDLE;
    if (strncmp(line, "J=", 2) == 0)
        return jog(self, line + 2);
    if (line[0] >= '0' && line[0] <= '9')
        return still ? set(self, line) : POV_GRBL_NOT_IDLE;
    return POV_GRBL_NO_STATEMENT;
}

void grbl_execute(pov_grbl_controller *self, const char *line)
{
    int error = POV_GRBL_OK;
    if (line[0] == '$')
        error = execute_system(self, line + 1);
    else if (line[0])
        error = execute_block(self, line);
    if (error == POV_GRBL_OK)
        grbl_say(self, "ok");
    else if (error > 0)
        grbl_say(self, "error:%d", error);
}
