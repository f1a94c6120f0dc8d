/** The display of a running sweep: growing curves on a terminal, elsewhere a line a stop; and a dashboard. */
#pragma once

#include "firmware/comparison/image_questions.h"
#include "firmware/comparison/live_page.h"
#include "firmware/dashboard/dashboard.h"
#include "firmware/sweep/sweep_forecast.h"

typedef struct {
    FILE *stream;             /* NULL: nothing is shown there */
    pov_dashboard *dashboard; /* NULL: none */
    int taken, wanted;        /* images; wanted -1: not known */
    bool is_terminal;
    int line_len; /* lines to be drawn over */
    int64_t next_ns;
    char headline[240];
    char passing[64]; /* of an image of a table that turns on */
    pov_live_page *page;
    pov_log_counts counts;
    pov_sweep_forecast forecast;
    char forecast_text[POV_FORECAST_CAPACITY];
} pov_sweep_screen;

/** stream and dashboard as in pov_sweep_screen. `client`: the servers that are asked; NULL: none. */
POV_MUST_USE pov_status pov_sweep_screen_start(pov_sweep_screen *screen, FILE *stream,
                                               pov_dashboard *dashboard, const pov_vlm_client_config *client);
void pov_sweep_screen_end(pov_sweep_screen *screen);
/** What the log holds from before. */
POV_MUST_USE pov_status pov_sweep_screen_read(pov_sweep_screen *screen, pov_answer_log *log);
/** What was answered so far, and by what name the model that is asked stands there. */
pov_answer_curves *pov_sweep_screen_curves(const pov_sweep_screen *screen, const char **model);
/** A message of the topic "vlm". */
void pov_sweep_screen_take(pov_sweep_screen *screen, const uint8_t *bytes, size_t len);
/** All images are taken: tells how many questions are still to be asked, and the forecast. */
POV_MUST_USE pov_status pov_sweep_screen_wait(pov_sweep_screen *screen, pov_answer_log *log, int64_t model);
/** An image has been taken. stop_len -1: not known. */
POV_MUST_USE pov_status pov_sweep_screen_stop(pov_sweep_screen *screen, const pov_log_image *image,
                                              const pov_image_asked *asked, int taken, int stop_len);
/** Of the image that comes next, while the table turns on: the deviation of its angle, and its blur; NaN: unknown. */
void pov_sweep_screen_turning(pov_sweep_screen *screen, double std_deg, double blur_px);
/** By hand: where the table stands, and whether that is a stop. */
void pov_sweep_screen_hand(pov_sweep_screen *screen, double phi_deg, bool is_stop, int taken, int stop_len);

typedef struct {
    int64_t model;                /* the log's number for it */
    const pov_asked_model *asked; /* NULL: no model is asked, as `words` */
    pov_heard_words *words;       /* what it streams; borrowed */
    bool last;
} pov_screen_news;
/** Draws the curves again if it is time, or the last time. */
POV_MUST_USE pov_status pov_sweep_screen_update(pov_sweep_screen *screen, pov_answer_log *log,
                                                const pov_screen_news *news);
