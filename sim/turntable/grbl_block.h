/** A line of G-code, as a controller with one axis takes it. */
#ifndef POV_SIM_TURNTABLE_GRBL_BLOCK_H
#define POV_SIM_TURNTABLE_GRBL_BLOCK_H

#include <stdbool.h>

/** GRBL's own numbers, as in "error:20". */
enum {
    POV_GRBL_OK = 0,
    POV_GRBL_NO_LETTER = 1,
    POV_GRBL_BAD_NUMBER = 2,
    POV_GRBL_NO_STATEMENT = 3,
    POV_GRBL_BELOW_ZERO = 4,
    POV_GRBL_NO_HOMING = 5,
    POV_GRBL_SHORT_PULSE = 6,
    POV_GRBL_NOT_IDLE = 8,
    POV_GRBL_LOCKED = 9,
    POV_GRBL_LIMITS_NEED_HOMING = 10,
    POV_GRBL_LONG_LINE = 11,
    POV_GRBL_TOO_FAST = 12,
    POV_GRBL_JOG_TOO_FAR = 15,
    POV_GRBL_BAD_JOG = 16,
    POV_GRBL_UNSUPPORTED = 20,
    POV_GRBL_TWO_OF_A_GROUP = 21,
    POV_GRBL_NO_FEED = 22,
    POV_GRBL_NOT_INTEGER = 23,
    POV_GRBL_TWO_USES_OF_AXIS = 24,
    POV_GRBL_REPEATED = 25,
    POV_GRBL_NO_AXIS = 26,
    POV_GRBL_MISSING_VALUE = 28,
    POV_GRBL_NO_SUCH_SYSTEM = 29,
    POV_GRBL_TOO_FAR = 33,
    POV_GRBL_UNUSED = 36
};

typedef enum { POV_GRBL_KEEP, POV_GRBL_SEEK, POV_GRBL_FEED } pov_grbl_motion;
/** What an axis word means when it is not a target. */
typedef enum { POV_GRBL_TARGET, POV_GRBL_SET_G54, POV_GRBL_SET_HERE, POV_GRBL_SET_G92 } pov_grbl_use;

/** What a line said; what it did not say is KEEP, -1 or false. */
typedef struct {
    pov_grbl_motion motion; /* G0, G1 */
    pov_grbl_use use;       /* G10 L2, G10 L20, G92 */
    int relative;           /* G90: 0, G91: 1 */
    int inches;             /* G21: 0, G20: 1 */
    bool machine;           /* G53 */
    bool has_axis, has_feed;
    double axis, feed;
} pov_grbl_block;

/** Reads a line without blanks and comments, in capitals; `axis` is the only axis letter it knows.
 *  Returns: POV_GRBL_OK or the error's number; the block then means nothing. */
int pov_grbl_block_parse(pov_grbl_block *block, const char *line, char axis);

/** A number as GRBL takes it: sign, digits, a point; no exponent. Moves *text behind it. */
bool pov_grbl_number(double *value, const char **text);

#endif
