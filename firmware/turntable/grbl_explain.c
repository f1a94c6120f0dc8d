/* After GRBL 1.1's own lists, github.com/gnea/grbl doc/csv, said for someone with a turntable. */
#include "firmware/turntable/grbl_line.h"

typedef struct {
    int code;
    const char *sentence;
} explanation;

#define BAD_LINE "the line of G-code was not understood: it was damaged on the way, or this is not GRBL 1.1"

static const explanation errors[] = {
    {-1, "the controller refused the command in words, as GRBL before 1.1 does: load GRBL 1.1 or later"},
    {1, BAD_LINE},
    {2, BAD_LINE},
    {3, "the controller does not know the $ command: it was damaged on the way, or this is not GRBL 1.1"},
    {4, "a value is negative that must not be"},
    {5, "homing is off in the controller's settings. With a home switch: send $22=1; without: turn the table "
        "to its "
        "zero by hand and use 'pov turntable home --here'"},
    {6, "the step pulse is too short: send $0=10"},
    {7,
     "the controller's memory could not be read, so its settings are GRBL's defaults again: enter them anew"},
    {8, "the controller is busy: wait until the table stands, or 'pov turntable stop'"},
    {9, "the controller is locked: 'pov turntable home', or 'pov turntable unlock' if it has no home switch"},
    {10, "soft limits ($20=1) need homing ($22=1)"},
    {11, "the line was too long: an end of line was lost on the way"},
    {12, "steps per degree ($100) times the highest speed ($110) is more than the controller can step"},
    {13, "the safety door's input is open: close it, or wire it to ground if there is none"},
    {15, "the angle is outside the soft limits ($20, $130)"},
    {20, "the controller does not know a word of the line: is the axis (--axis) one that it has?"},
    {21, BAD_LINE},
    {22, "no speed is set: the line was damaged on the way"},
    {23, BAD_LINE},
    {24, BAD_LINE},
    {25, BAD_LINE},
    {26, BAD_LINE},
    {33, "the angle is not one the axis can turn to"},
    {36, BAD_LINE},
};

static const explanation alarms[] = {
    {-1, "the controller raised an alarm in words, as GRBL before 1.1 does: load GRBL 1.1 or later"},
    {1,
     "a limit switch closed while the table turned (hard limits, $21=1), and the angle is lost. On a table "
     "that turns all "
     "the way round, hard limits must be off: 'pov turntable unlock', send $21=0, then 'pov turntable home'"},
    {2, "the target was outside the soft limits ($20, $130). The angle is kept: 'pov turntable unlock'"},
    {3, "it was reset while the table turned, and the angle is lost: 'pov turntable home'"},
    {4, "the probe input is not as it should be; a turntable has none: 'pov turntable unlock'"},
    {5, "the probe touched nothing; a turntable has none: 'pov turntable unlock'"},
    {6, "homing was broken off: 'pov turntable home' again"},
    {7, "the safety door opened while homing: close it, then 'pov turntable home' again"},
    {8, "the home switch stayed closed after the table turned off it: enlarge the pull-off ($27), turn the "
        "table off the "
        "switch by hand, or look at the switch's wiring"},
    {9, "the home switch was not found: look at its wiring, at the motor's, and that the travel ($130) is at "
        "least 360"},
    {10, "the home switch was not found a second time: look at its wiring and enlarge the pull-off ($27)"},
};

static const char *find(const explanation *list, int len, int code, const char *otherwise)
{
    for (int i = 0; i < len; i++)
        if (list[i].code == code)
            return list[i].sentence;
    return otherwise;
}

const char *pov_grbl_explain_error(int code)
{
    return find(errors, sizeof errors / sizeof *errors, code, "see the controller's list of error codes");
}

const char *pov_grbl_explain_alarm(int code)
{
    return find(alarms, sizeof alarms / sizeof *alarms, code,
                "see the controller's list of alarm codes; 'pov turntable unlock' unlocks it");
}
