#include "sim/turntable/grbl_block.h"

#include <math.h>
#include <string.h>

/* A line's words that are seen before what they mean is known. */
typedef struct {
    unsigned groups; /* modal groups seen, by bit */
    unsigned words;  /* value letters seen, by bit */
    bool sets;       /* G10 */
    double L, P;
} words;

enum { GROUP_MOTION, GROUP_ACT, GROUP_PLANE, GROUP_UNITS, GROUP_SYSTEM, GROUP_DISTANCE, GROUP_RATE, GROUP_M };

bool pov_grbl_number(double *value, const char **text)
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
static int take_g(pov_grbl_block *block, words *seen, int number)
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

static int take_command(pov_grbl_block *block, words *seen, char letter, double value)
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

static int take_value(pov_grbl_block *block, words *seen, char letter, double value)
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

static int take_word(pov_grbl_block *block, words *seen, char letter, double value, char axis)
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

static int finish(pov_grbl_block *block, const words *seen)
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

int pov_grbl_block_parse(pov_grbl_block *block, const char *line, char axis)
{
    words seen = {.L = NAN, .P = NAN};
    *block = (pov_grbl_block){.relative = -1, .inches = -1};
    while (*line) {
        char letter = *line++;
        double value;
        if (letter < 'A' || letter > 'Z')
            return POV_GRBL_NO_LETTER;
        if (!pov_grbl_number(&value, &line))
            return POV_GRBL_BAD_NUMBER;
        int error = take_word(block, &seen, letter, value, axis);
        if (error)
            return error;
    }
    return finish(block, &seen);
}
