#include "firmware/sweep/sweep_screen.h"

#include "config/files/json_value.h"
#include "firmware/clock.h"
#include "firmware/sweep/sweep_curves.h"

#include <cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LINE_CAPACITY = POV_FORECAST_CAPACITY + 120 };
static const int64_t period_ns = 500000000; /* of redrawing; chosen */

pov_sweep_screen pov_sweep_screen_start(FILE *stream, pov_dashboard *dashboard,
                                        const pov_vlm_client_config *client)
{
    return (pov_sweep_screen){.stream = stream,
                              .dashboard = dashboard,
                              .wanted = -1,
                              .is_terminal = stream && isatty(fileno(stream)),
                              .forecast = {.client = client, .start_ns = -1}};
}

/* Questions come with the images: those of images to come are expected to be as many. */
static pov_status update_forecast(pov_sweep_screen *screen, pov_answer_log *log, int64_t model)
{
    pov_sweep_forecast *forecast = &screen->forecast;
    pov_log_counts counts;
    const int64_t now_ns = pov_clock_monotonic_ns();
    if (!forecast->client)
        return pov_ok();
    POV_TRY(pov_answer_log_count(log, &counts, model));
    if (forecast->start_ns < 0) {
        forecast->start_ns = now_ns;
        forecast->first = counts;
    }
    const bool grows = screen->wanted > counts.images && counts.images > 0;
    const int64_t questions = grows ? counts.questions * screen->wanted / counts.images : counts.questions;
    screen->forecast_text[0] = '\0';
    if (pov_sweep_forecast_is_due(forecast, &counts))
        pov_sweep_forecast_now(screen->forecast_text, forecast, &counts, questions, now_ns);
    return pov_ok();
}

pov_status pov_sweep_screen_wait(pov_sweep_screen *screen, pov_answer_log *log, int64_t model)
{
    char text[POV_FORECAST_CAPACITY];
    pov_sweep_forecast rest = {.client = screen->forecast.client};
    if (!screen->stream || screen->is_terminal || !rest.client)
        return pov_ok();
    POV_TRY(pov_answer_log_count(log, &rest.first, model));
    POV_TRY(update_forecast(screen, log, model));
    pov_sweep_forecast_before(text, &rest);
    fprintf(screen->stream, "%s%s%s\n", text, *screen->forecast_text ? "; so far " : "",
            screen->forecast_text);
    return pov_ok();
}

void pov_sweep_screen_stop(pov_sweep_screen *screen, const pov_log_image *image, int question_len, int taken,
                           int stop_len)
{
    screen->taken = taken;
    screen->wanted = stop_len;
    char of[16] = "", phi[24] = "not found";
    if (stop_len >= 0)
        snprintf(of, sizeof of, "/%d", stop_len);
    if (!isnan(image->phi_deg))
        snprintf(phi, sizeof phi, "%.1f deg", image->phi_deg);
    snprintf(screen->headline, sizeof screen->headline, "image %d%s  %.60s  phi %s  %d questions", taken, of,
             image->name, phi, question_len);
    if (screen->stream && !screen->is_terminal)
        fprintf(screen->stream, "%s\n", screen->headline);
}

void pov_sweep_screen_hand(pov_sweep_screen *screen, double phi_deg, bool is_stop, int taken, int stop_len)
{
    screen->taken = taken;
    screen->wanted = stop_len;
    if (isnan(phi_deg))
        snprintf(screen->headline, sizeof screen->headline, "%d/%d  the referent is not in view", taken,
                 stop_len);
    else
        snprintf(screen->headline, sizeof screen->headline, "%d/%d  phi %.1f deg  %s", taken, stop_len,
                 phi_deg, is_stop ? "hold still" : "turn on");
}

/* Lines that are redrawn in place must fit on the screen unbroken. */
static pov_sweep_room room_of(const pov_sweep_screen *screen, int *columns)
{
    enum { OTHER_LINES = 4, BESIDE_COLUMNS = 115 };
    struct winsize size;
    *columns = LINE_CAPACITY;
    if (!screen->is_terminal || ioctl(fileno(screen->stream), TIOCGWINSZ, &size) != 0 || size.ws_row == 0)
        return (pov_sweep_room){POV_SWEEP_CURVE_MAX, true};
    if (size.ws_col > 0 && size.ws_col < LINE_CAPACITY)
        *columns = size.ws_col;
    return (pov_sweep_room){size.ws_row > OTHER_LINES ? size.ws_row - OTHER_LINES : 0,
                            size.ws_col >= BESIDE_COLUMNS};
}

static void draw_curves(pov_sweep_screen *screen)
{
    char line[LINE_CAPACITY], unscored[40] = "";
    int columns;
    const pov_sweep_room room = room_of(screen, &columns);
    if (screen->is_terminal && screen->line_len > 0)
        fprintf(screen->stream, "\033[%dA\033[J", screen->line_len);
    screen->line_len = pov_sweep_curves_draw(screen->stream, &screen->curves, &room) + 1;
    if (*screen->headline)
        fprintf(screen->stream, "%s\n", screen->headline);
    screen->line_len += *screen->headline != '\0';
    if (screen->curves.unscored > 0)
        snprintf(unscored, sizeof unscored, ", %lld unscored", (long long)screen->curves.unscored);
    snprintf(line, sizeof line, "%lld of %lld answered%s%s%s", (long long)screen->curves.answered,
             (long long)screen->curves.asked, unscored, *screen->forecast_text ? "; " : "",
             screen->forecast_text);
    fprintf(screen->stream, "%.*s\n", columns - 1, line);
    fflush(screen->stream);
}

/* ---- for the dashboard ---- */

static cJSON *share_item(double p)
{
    return pov_json_rounded(p, 3);
}

static void add_samples(cJSON *object, const char *key, const double samples[POV_CURVE_SAMPLES])
{
    cJSON *list = cJSON_AddArrayToObject(object, key);
    for (int i = 0; i < POV_CURVE_SAMPLES; i++)
        cJSON_AddItemToArray(list, share_item(samples[i]));
}

/* Curves of one group lie in a row: what is asked alike. */
static cJSON *curve_object(const pov_sweep_curve *curve, bool several)
{
    char group[128];
    const bool is_english = strcmp(curve->language, "en") == 0;
    snprintf(group, sizeof group, "%s%s%s%s%s", curve->prompt, several ? " " : "",
             several ? curve->scene : "", is_english ? "" : " ", is_english ? "" : curve->language);
    cJSON *object = cJSON_CreateObject();
    pov_json_add_text(object, "group", group);
    pov_json_add_text(object, "relation", curve->relation);
    add_samples(object, "p", curve->p);
    add_samples(object, "gold", curve->gold);
    return object;
}

static cJSON *latest_object(const pov_sweep_answer *latest)
{
    if (latest->answered_ns == 0)
        return cJSON_CreateNull();
    cJSON *object = cJSON_CreateObject();
    pov_json_add_number(object, "stop", latest->stop);
    pov_json_add_text(object, "scene", latest->scene);
    pov_json_add_text(object, "prompt", latest->prompt);
    pov_json_add_text(object, "text", latest->text);
    cJSON_AddItemToObject(object, "p", share_item(latest->p));
    cJSON_AddItemToObject(object, "gold_p", share_item(latest->gold_p));
    return object;
}

/* One object: model, taken, wanted, asked, answered, unscored, the forecast, the latest question with both answers, and the curves. */
static void write_json(FILE *stream, const pov_sweep_screen *screen)
{
    const pov_sweep_curves *curves = &screen->curves;
    bool several = false;
    for (int i = 1; i < curves->len; i++)
        several |= strcmp(curves->curves[i].scene, curves->curves[0].scene) != 0;
    cJSON *object = cJSON_CreateObject();
    pov_json_add_number(object, "taken", screen->taken);
    pov_json_add_number(object, "wanted", screen->wanted);
    pov_json_add_number(object, "asked", (double)curves->asked);
    pov_json_add_number(object, "answered", (double)curves->answered);
    pov_json_add_number(object, "unscored", (double)curves->unscored);
    pov_json_add_text(object, "model",
                      screen->forecast.client ? screen->forecast.client->endpoints[0].model : NULL);
    pov_json_add_text(object, "forecast", screen->forecast_text);
    cJSON_AddItemToObject(object, "question", latest_object(&curves->latest));
    cJSON *list = cJSON_AddArrayToObject(object, "curves");
    for (int i = 0; i < curves->len; i++)
        cJSON_AddItemToArray(list, curve_object(&curves->curves[i], several));
    pov_json_print(stream, object);
}

static void show_on_page(pov_sweep_screen *screen)
{
    char *json = NULL;
    size_t len;
    FILE *stream = open_memstream(&json, &len);
    if (!stream)
        return; /* the page keeps what it has */
    write_json(stream, screen);
    if (fclose(stream) == 0)
        pov_dashboard_show_sweep(screen->dashboard, json);
    free(json);
}

pov_status pov_sweep_screen_update(pov_sweep_screen *screen, pov_answer_log *log, int64_t model, bool last)
{
    const int64_t now_ns = pov_clock_monotonic_ns();
    const bool for_stream = screen->stream && (last || screen->is_terminal);
    const bool for_page = screen->dashboard && (last || pov_dashboard_viewers(screen->dashboard) > 0);
    if (!(for_stream || for_page) || (!last && now_ns < screen->next_ns))
        return pov_ok();
    POV_TRY(pov_sweep_curves_gather(&screen->curves, log, model));
    POV_TRY(update_forecast(screen, log, model));
    if (last)
        screen->headline[0] = '\0';
    if (for_page)
        show_on_page(screen);
    if (for_stream)
        draw_curves(screen);
    const int64_t took_ns = pov_clock_monotonic_ns() - now_ns; /* a long log must not hold up the table */
    screen->next_ns = now_ns + (20 * took_ns > period_ns ? 20 * took_ns : period_ns);
    return pov_ok();
}
