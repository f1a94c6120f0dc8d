/** What a sweep shows while it turns: on a terminal curves that grow in place, elsewhere a line a stop. */
#ifndef POV_FIRMWARE_SWEEP_SWEEP_SCREEN_H
#define POV_FIRMWARE_SWEEP_SWEEP_SCREEN_H

#include "firmware/sweep/sweep_curves.h"

typedef struct {
    FILE *stream; /* NULL: nothing is shown */
    bool is_terminal;
    int line_len; /* lines to be drawn over */
    int64_t next_ns;
    char headline[200];
    pov_sweep_curves curves;
} pov_sweep_screen;

pov_sweep_screen pov_sweep_screen_start(FILE *stream);
/** An image has been taken. stop_len -1: not known. */
void pov_sweep_screen_stop(pov_sweep_screen *screen, const pov_log_image *image, int question_len, int taken,
                           int stop_len);
/** By hand: where the table stands, and whether that is a stop. */
void pov_sweep_screen_hand(pov_sweep_screen *screen, double phi_deg, bool is_stop, int taken, int stop_len);
/** Draws the curves again if it is time, or the last time. */
POV_MUST_USE pov_status pov_sweep_screen_update(pov_sweep_screen *screen, pov_answer_log *log, int64_t model,
                                                bool last);

#endif
