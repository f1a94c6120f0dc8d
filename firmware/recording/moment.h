/** Moments of a recording, as people give them. */
#pragma once

#include "firmware/options.h"

#include <stdlib.h>

/** Takes a double, in seconds: "90", "1:30", "0:01:30". */
static inline pov_status pov_moment_take(void *value, const char *text)
{
    double total_s = 0;
    const char *at = text;
    for (int part = 0; part < 3; part++) {
        char *end;
        const double number = strtod(at, &end);
        if (end == at || !(number >= 0 && number < 1e7))
            break;
        total_s = 60 * total_s + number;
        if (*end == '\0') {
            *(double *)value = total_s;
            return pov_ok();
        }
        if (*end != ':')
            break;
        at = end + 1;
    }
    return pov_error("takes a time such as 90, 1:30 or 0:01:30, not '%s'", text);
}
