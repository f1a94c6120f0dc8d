#include "sim/turntable/grbl_controller_internal.h"

#include "sim/turntable/grbl_controller.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- blocks: lines of G-code, as a controller with one axis takes them ---- */

/* The meaning of an axis word. */
typedef enum { POV_GRBL_TARGET, POV_GRBL_SET_G54, POV_GRBL_SET_HERE, POV_GRBL_SET_G92 } grbl_use;

/* The contents of a line; words that it lacks are KEEP, -1 or false. */
typedef struct {
    pov_grbl_motion motion; /* G0, G1 */
    grbl_use use;           /* G10 L2, G10 L20, G92 */
    int relative;           /* G90: 0, G91: 1 */
    int inches;             /* G21: 0, G20: 1 */
    bool machine;           /* G53 */
    bool has_axis, has_feed;
    double axis, feed;
} grbl_block;

/* A line's words that are seen before what they mean is known. */
typedef struct {
    unsigned groups; /* modal groups seen, by bit */
    unsigned words;  /* value letters seen, by bit */
    bool sets;       /* G10 */
    double L, P;
} words;

enum { GROUP_MOTION, GROUP_ACT, GROUP_PLANE, GROUP_UNITS, GROUP_SYSTEM, GROUP_DISTANCE, GROUP_RATE, GROUP_M };

/* A number as GRBL takes it: sign, digits, a point; no exponent. Moves *text behind it. */
static bool read_grbl_number(double *value, const char **text)
{
    const char *at = *text;
    double sign = *at == '-' ? -1 : 1, scale = 1, sum = 0;
    int digits = 0;
    bool fraction = false;
    for (at += *at == '-' || *at == '+'; (*at >= '0' && *at <= '9') || (*at == '.' && !fraction); at++) {
        if (*at == '.') {
            fraction = true;
            continue;
        }
        sum = 10 * sum + (*at - '0');
        scale *= fraction ? 10 : 1;
        digits++;
    }
    *value = sign * sum / scale;
    *text = at;
    return digits > 0 && digits <= 40;
}

static bool first_of(unsigned *seen, int bit)
{
    bool first = !(*seen & 1u << bit);
    *seen |= 1u << bit;
    return first;
}

/* The group of a G word, after noting what it says; -1: unsupported. */
static int take_g(grbl_block *block, words *seen, int number)
{
    switch (number) {
    case 0:
    case 1:
        block->motion = number == 0 ? POV_GRBL_SEEK : POV_GRBL_FEED;
        return GROUP_MOTION;
    case 10:
        seen->sets = true;
        return GROUP_ACT;
    case 92:
        block->use = POV_GRBL_SET_G92;
        return GROUP_ACT;
    case 53:
        block->machine = true;
        return GROUP_ACT;
    case 17:
        return GROUP_PLANE;
    case 20:
    case 21:
        block->inches = number == 20;
        return GROUP_UNITS;
    case 54:
        return GROUP_SYSTEM;
    case 90:
    case 91:
        block->relative = number == 91;
        return GROUP_DISTANCE;
    case 94:
        return GROUP_RATE;
    default:
        return -1;
    }
}

static int take_command(grbl_block *block, words *seen, char letter, double value)
{
    if (value != floor(value))
        return letter == 'G' ? POV_GRBL_UNSUPPORTED : POV_GRBL_NOT_INTEGER;
    if (!(value >= 0 && value < 1000))
        return POV_GRBL_UNSUPPORTED;
    int group = GROUP_M;
    if (letter == 'G')
        group = take_g(block, seen, (int)value);
    else if (value != 5 && value != 9) /* a turntable's spindle and coolant are off */
        group = -1;
    if (group < 0)
        return POV_GRBL_UNSUPPORTED;
    return first_of(&seen->groups, group) ? POV_GRBL_OK : POV_GRBL_TWO_OF_A_GROUP;
}

static int take_value(grbl_block *block, words *seen, char letter, double value)
{
    double *place = letter == 'F' ? &block->feed : letter == 'L' ? &seen->L : letter == 'P' ? &seen->P : NULL;
    if (letter == 'N')
        return value >= 0 ? POV_GRBL_OK : POV_GRBL_BELOW_ZERO;
    if (!place)
        return POV_GRBL_UNSUPPORTED;
    if (value < 0)
        return POV_GRBL_BELOW_ZERO;
    *place = value;
    block->has_feed |= letter == 'F';
    return POV_GRBL_OK;
}

static int take_word(grbl_block *block, words *seen, char letter, double value, char axis)
{
    if (letter == 'G' || letter == 'M')
        return take_command(block, seen, letter, value);
    if (!first_of(&seen->words, letter - 'A'))
        return POV_GRBL_REPEATED;
    if (letter != axis)
        return take_value(block, seen, letter, value);
    block->axis = value;
    block->has_axis = true;
    return POV_GRBL_OK;
}

static int finish_block(grbl_block *block, const words *seen)
{
    bool explicit_motion = block->motion != POV_GRBL_KEEP;
    if (seen->sets) {
        if (isnan(seen->L) || isnan(seen->P))
            return POV_GRBL_MISSING_VALUE;
        if (seen->L != 2 && seen->L != 20)
            return POV_GRBL_UNSUPPORTED;
        if (seen->P > 1)
            return POV_GRBL_NO_SUCH_SYSTEM;
        block->use = seen->L == 2 ? POV_GRBL_SET_G54 : POV_GRBL_SET_HERE;
    } else if (!isnan(seen->L) || !isnan(seen->P))
        return POV_GRBL_UNUSED;
    if (block->use != POV_GRBL_TARGET && explicit_motion)
        return POV_GRBL_TWO_USES_OF_AXIS;
    if (block->use != POV_GRBL_TARGET && !block->has_axis)
        return POV_GRBL_NO_AXIS;
    return POV_GRBL_OK;
}

/* Reads a line without blanks and comments, in capitals; `axis` is the only axis letter it knows.
 * Returns: POV_GRBL_OK or the error's number; the block then means nothing. */
static int parse_block(grbl_block *block, const char *line, char axis)
{
    words seen = {.L = NAN, .P = NAN};
    *block = (grbl_block){.relative = -1, .inches = -1};
    while (*line) {
        char letter = *line++;
        double value;
        if (letter < 'A' || letter > 'Z')
            return POV_GRBL_NO_LETTER;
        if (!read_grbl_number(&value, &line))
            return POV_GRBL_BAD_NUMBER;
        int error = take_word(block, &seen, letter, value, axis);
        if (error)
            return error;
    }
    return finish_block(block, &seen);
}

/* ---- settings ---- */

static const struct {
    int number;
    double value;
} general[] = {{0, 10},    {1, 255},   {2, 0},  {3, 0},     {4, 0},  {5, 0},  {6, 0},  {10, 1},
               {11, .01},  {12, .002}, {13, 0}, {20, 0},    {21, 0}, {22, 1}, {23, 0}, {24, 60},
               {25, 1800}, {26, 250},  {27, 1}, {30, 1000}, {31, 0}, {32, 0}};

static const struct {
    int first;
    double value, low, high;
} of_axis[] = {{POV_GRBL_SETTING_STEPS, 800.0 / 9, 1e-3, 1e5},
               {POV_GRBL_SETTING_RATE, 2700, 1, 1e6},
               {POV_GRBL_SETTING_ACCELERATION, 90, 0.01, 1e6},
               {POV_GRBL_SETTING_TRAVEL, 720, 0, 1e6}};

enum { GENERAL = sizeof general / sizeof *general, OF_AXIS = sizeof of_axis / sizeof *of_axis };

pov_grbl_settings pov_grbl_settings_default(int axes)
{
    pov_grbl_settings settings;
    for (int i = 0; i < POV_GRBL_SETTING_COUNT; i++)
        settings.value[i] = NAN;
    for (int i = 0; i < GENERAL; i++)
        settings.value[general[i].number] = general[i].value;
    for (int i = 0; i < OF_AXIS; i++)
        for (int axis = 0; axis < axes; axis++)
            settings.value[of_axis[i].first + axis] = of_axis[i].value;
    return settings;
}

static bool is_whole(int number)
{
    return number < 11 || number == 13 || (number >= 20 && number <= 23) || number == 26 || number == 30 ||
           number == 31 || number == 32;
}

static int check_setting(const pov_grbl_settings *settings, int number, double value)
{
    if (value < 0)
        return POV_GRBL_BELOW_ZERO;
    if (number == 0 && value < 3)
        return POV_GRBL_SHORT_PULSE;
    if (number == POV_GRBL_SETTING_SOFT_LIMITS && value != 0 && settings->value[POV_GRBL_SETTING_HOMING] == 0)
        return POV_GRBL_LIMITS_NEED_HOMING;
    for (int i = 0; i < OF_AXIS; i++)
        if (number >= of_axis[i].first && number < of_axis[i].first + 10)
            return value >= of_axis[i].low && value <= of_axis[i].high ? POV_GRBL_OK : POV_GRBL_TOO_FAST;
    return value <= 1e6 ? POV_GRBL_OK : POV_GRBL_TOO_FAST;
}

int pov_grbl_settings_set(pov_grbl_settings *settings, double number, double value)
{
    if (number != floor(number) || !(number >= 0 && number < POV_GRBL_SETTING_COUNT) ||
        isnan(settings->value[(int)number]))
        return POV_GRBL_NO_STATEMENT;
    int error = check_setting(settings, (int)number, value);
    if (error)
        return error;
    settings->value[(int)number] = is_whole((int)number) ? trunc(value) : value;
    if (number == POV_GRBL_SETTING_HOMING && value == 0) /* soft limits without a known zero mean nothing */
        settings->value[POV_GRBL_SETTING_SOFT_LIMITS] = 0;
    return POV_GRBL_OK;
}

static bool print_setting(char *line, size_t capacity, const pov_grbl_settings *settings, int number)
{
    if (isnan(settings->value[number]))
        return false;
    snprintf(line, capacity, "$%d=%.*f", number, is_whole(number) ? 0 : 3, settings->value[number]);
    return true;
}

/* ---- commands ---- */

static const double farthest_deg = 1e6;  /* bound of a commanded place; chosen */
static const double deg_per_inch = 25.4; /* of GRBL's "millimetres" */

static double offset_deg(const pov_grbl_controller *self)
{
    return self->g54_deg + self->g92_deg;
}

/* ---- G-code ---- */

/* Machine position that a block's axis word means. */
static double target_of(const pov_grbl_controller *self, const grbl_block *block, bool relative, double scale)
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

static int set_zero(pov_grbl_controller *self, const grbl_block *block, double scale)
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
static int turn_to(pov_grbl_controller *self, const grbl_block *block, double scale)
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
    grbl_block block;
    if (self->state == GRBL_ALARM || self->state == GRBL_JOG)
        return POV_GRBL_LOCKED;
    int error = parse_block(&block, line, self->config.axis);
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
static int start_jog(pov_grbl_controller *self, const char *line)
{
    grbl_block block;
    if ((self->state != GRBL_IDLE && self->state != GRBL_JOG) || self->cancelling)
        return POV_GRBL_NOT_IDLE;
    int error = parse_block(&block, line, self->config.axis);
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
            print_setting(line, sizeof line, &self->config.settings, i))
            grbl_say(self, "%s", line);
    return POV_GRBL_OK;
}

static int change_setting(pov_grbl_controller *self, const char *line)
{
    double number, value;
    if (!read_grbl_number(&number, &line) || *line != '=')
        return POV_GRBL_NO_STATEMENT;
    line++;
    if (!read_grbl_number(&value, &line) || *line)
        return POV_GRBL_BAD_NUMBER;
    return pov_grbl_settings_set(&self->config.settings, number, value);
}

static int start_homing(pov_grbl_controller *self)
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

static int unlock_alarm(pov_grbl_controller *self)
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
    } commands[] = {{"", true, tell_help},      {"G", true, tell_modes},    {"$", false, say_settings},
                    {"I", false, tell_version}, {"H", false, start_homing}, {"X", true, unlock_alarm}};
    bool still = self->state == GRBL_IDLE || self->state == GRBL_ALARM;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(line, commands[i].name) == 0)
            return still || commands[i].in_motion ? commands[i].act(self) : POV_GRBL_NOT_IDLE;
    if (strncmp(line, "J=", 2) == 0)
        return start_jog(self, line + 2);
    if (line[0] >= '0' && line[0] <= '9')
        return still ? change_setting(self, line) : POV_GRBL_NOT_IDLE;
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
