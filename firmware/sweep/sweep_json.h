/** What a sweep has come to, for the dashboard. */
#ifndef POV_FIRMWARE_SWEEP_SWEEP_JSON_H
#define POV_FIRMWARE_SWEEP_SWEEP_JSON_H

#include "firmware/sweep/sweep_curves.h"

typedef struct {
    const pov_sweep_curves *curves;
    const char *model; /* NULL: nobody is asked */
    int taken, wanted; /* images; wanted -1: not known */
} pov_sweep_news;

/** One object: model, taken, wanted, asked, answered, unscored, the latest question with both answers, and the curves. */
void pov_sweep_json_write(FILE *stream, const pov_sweep_news *news);

#endif
