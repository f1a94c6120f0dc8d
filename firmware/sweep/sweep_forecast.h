/** The time, tokens and money that asking takes: told before, during and after. */
#pragma once

#include "compare/log/answer_log.h"
#include "compare/vlm/vlm_client.h"

enum { POV_FORECAST_CAPACITY = 320 };

typedef struct {
    const pov_vlm_client_config *client; /* NULL: no model is asked */
    pov_log_counts first;                /* when asking began */
    int64_t start_ns;
} pov_sweep_forecast;

/** "144 questions about 12 images to ask of llava at http://localhost:8000/v1, up to 16 at a time; about 145000 tokens, cost
 *  0.15". Tokens and cost are those of this model's earlier answers in the log. */
void pov_sweep_forecast_before(char text[POV_FORECAST_CAPACITY], const pov_sweep_forecast *forecast);

/** "3.2/s, 0:41 left, 12120 of about 145000 tokens, cost 0.012 of about 0.15". `questions`: those that there will be. */
void pov_sweep_forecast_now(char text[POV_FORECAST_CAPACITY], const pov_sweep_forecast *forecast,
                            const pov_log_counts *counts, int64_t questions, int64_t now_ns);

/** Whether so much is known that a forecast is worth a line. */
bool pov_sweep_forecast_is_due(const pov_sweep_forecast *forecast, const pov_log_counts *counts);
