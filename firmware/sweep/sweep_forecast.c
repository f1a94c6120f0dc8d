#include "firmware/sweep/sweep_forecast.h"

#include "firmware/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ANSWERS_KNOWN = 8 }; /* answers that a forecast needs; chosen */

static void append_text(char text[POV_FORECAST_CAPACITY], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void append_text(char text[POV_FORECAST_CAPACITY], const char *format, ...)
{
    const size_t len = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + len, POV_FORECAST_CAPACITY - len, format, arguments);
    va_end(arguments);
}

/* The tokens and money of `questions` answers like those that the server counted the tokens of. False: there are none. */
static bool estimate(double *tokens, double *cost, const pov_log_counts *counts, int64_t questions)
{
    const double each = counts->with_usage > 0 ? (double)questions / (double)counts->with_usage : 0;
    *tokens = (double)counts->tokens * each;
    *cost = counts->cost * each;
    return counts->with_usage > 0;
}

void pov_sweep_forecast_before(char text[POV_FORECAST_CAPACITY], const pov_sweep_forecast *forecast)
{
    const pov_log_counts *counts = &forecast->first;
    const pov_vlm_client_config *client = forecast->client;
    const int64_t pending = counts->questions - counts->answered;
    double tokens, cost;
    int places = 0;
    bool has_price = false;
    for (int i = 0; i < client->endpoint_len; i++) {
        places += client->endpoints[i].concurrency;
        has_price |= client->endpoints[i].price_prompt + client->endpoints[i].price_answer > 0;
    }
    text[0] = '\0';
    append_text(text, "%lld question%s about %lld image%s to ask of %.60s at %.100s", (long long)pending,
                pending == 1 ? "" : "s", (long long)counts->images, counts->images == 1 ? "" : "s",
                client->endpoints[0].model, client->endpoints[0].url);
    if (client->endpoint_len > 1)
        append_text(text, " and %d more", client->endpoint_len - 1);
    append_text(text, ", up to %d at a time", places);
    if (pending > 0 && estimate(&tokens, &cost, counts, pending)) {
        append_text(text, "; about %.0f tokens", tokens);
        if (cost > 0)
            append_text(text, ", cost %.3g", cost);
    } else if (pending > 0 && has_price) {
        append_text(text, "; the first answers will tell the cost");
    }
}

void pov_sweep_forecast_now(char text[POV_FORECAST_CAPACITY], const pov_sweep_forecast *forecast,
                            const pov_log_counts *counts, int64_t questions, int64_t now_ns)
{
    const int64_t done = counts->answered - forecast->first.answered;
    const double elapsed_s = 1e-9 * (double)(now_ns - forecast->start_ns);
    const int64_t left = questions - counts->answered;
    double tokens, cost;
    char duration[POV_DURATION_CAPACITY];
    text[0] = '\0';
    if (done > 0 && elapsed_s > 0)
        append_text(text, "%.1f/s", (double)done / elapsed_s);
    if (done > 0 && left > 0) {
        pov_progress_duration(duration, elapsed_s * (double)left / (double)done);
        append_text(text, ", %s left", duration);
    }
    if (!estimate(&tokens, &cost, counts, questions))
        return;
    append_text(text, "%s%lld", *text ? ", " : "", (long long)counts->tokens);
    append_text(text, left > 0 ? " of about %.0f tokens" : " tokens", tokens);
    if (counts->cost > 0)
        append_text(text, ", cost %.3g", counts->cost);
    if (counts->cost > 0 && left > 0)
        append_text(text, " of about %.3g", cost);
}

bool pov_sweep_forecast_is_due(const pov_sweep_forecast *forecast, const pov_log_counts *counts)
{
    return forecast->client && counts->answered - forecast->first.answered >= ANSWERS_KNOWN;
}
