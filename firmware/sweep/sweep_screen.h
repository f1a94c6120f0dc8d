/** The display of a running sweep: growing curves on a terminal, elsewhere a line a stop; and a dashboard. */
#pragma once

#include "firmware/dashboard/dashboard.h"
#include "firmware/sweep/sweep_curves.h"
#include "firmware/sweep/sweep_forecast.h"

typedef struct {
    FILE *stream;             /* NULL: nothing is shown there */
    pov_dashboard *dashboard; /* NULL: none */
    int taken, wanted;        /* images; wanted -1: not known */
    bool is_terminal;
    int line_len; /* lines to be drawn over */
    int64_t next_ns;
    char headline[200];
    pov_sweep_curves curves;
    pov_sweep_forecast forecast;
    char forecast_text[POV_FORECAST_CAPACITY];
} pov_sweep_screen;

/** stream and dashboard as in pov_sweep_screen. `client`: the servers that are asked; NULL: none. */
pov_sweep_screen pov_sweep_screen_start(FILE *stream, pov_dashboard *dashboard,
                                        const pov_vlm_client_config *client);
/** All images are taken: tells how many questions are still to be asked, and the forecast. */
POV_MUST_USE pov_status pov_sweep_screen_wait(pov_sweep_screen *screen, pov_answer_log *log, int64_t model);
/** An image has been taken. stop_len -1: not known. */
void pov_sweep_screen_stop(pov_sweep_screen *screen, const pov_log_image *image, int question_len, int taken,
                           int stop_len);
/** By hand: where the table stands, and whether that is a stop. */
void pov_sweep_screen_hand(pov_sweep_screen *screen, double phi_deg, bool is_stop, int taken, int stop_len);
/** Draws the curves again if it is time, or the last time. */
POV_MUST_USE pov_status pov_sweep_screen_update(pov_sweep_screen *screen, pov_answer_log *log, int64_t model,
                                                bool last);
