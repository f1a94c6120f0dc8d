#include "sim/turntable/grbl_settings.h"

#include "sim/turntable/grbl_block.h"

#include <math.h>
#include <stdio.h>

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

static int check(const pov_grbl_settings *settings, int number, double value)
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
    int error = check(settings, (int)number, value);
    if (error)
        return error;
    settings->value[(int)number] = is_whole((int)number) ? trunc(value) : value;
    if (number == POV_GRBL_SETTING_HOMING && value == 0) /* soft limits without a known zero mean nothing */
        settings->value[POV_GRBL_SETTING_SOFT_LIMITS] = 0;
    return POV_GRBL_OK;
}

bool pov_grbl_settings_print(char *line, size_t capacity, const pov_grbl_settings *settings, int number)
{
    if (isnan(settings->value[number]))
        return false;
    snprintf(line, capacity, "$%d=%.*f", number, is_whole(number) ? 0 : 3, settings->value[number]);
    return true;
}
