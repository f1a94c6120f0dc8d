#include "firmware/sweep/sweep_screen.h"

#include "firmware/clock.h"
#include "firmware/sweep/sweep_curves.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LINE_CAPACITY = POV_FORECAST_CAPACITY + 120 };
static const int64_t period_ns = 500000000; /* of redrawing; chosen */

pov_status pov_sweep_screen_start(pov_sweep_screen *screen, FILE *stream, pov_dashboard *dashboard,
                                  const pov_vlm_client_config *client)
{
    *screen = (pov_sweep_screen){.stream = stream,
                                 .dashboard = dashboard,
                                 .wanted = -1,
                                 .is_terminal = stream && isatty(fileno(stream)),
                                 .forecast = {.client = client, .start_ns = -1}};
    return pov_live_page_new(&screen->page);
}

void pov_sweep_screen_end(pov_sweep_screen *screen)
{
    pov_live_page_destroy(&screen->page);
}

static const char *model_of(const pov_sweep_screen *screen)
{
    const pov_vlm_client_config *client = screen->forecast.client;
    const pov_vlm_endpoint *first = client ? &client->endpoints[0] : NULL;
    return !first ? "" : *first->model ? first->model : first->url;
}

pov_status pov_sweep_screen_read(pov_sweep_screen *screen, pov_answer_log *log)
{
    return pov_live_page_read(screen->page, log, model_of(screen));
}

pov_answer_curves *pov_sweep_screen_curves(const pov_sweep_screen *screen, const char **model)
{
    *model = model_of(screen);
    return pov_live_page_curves(screen->page);
}

void pov_sweep_screen_take(pov_sweep_screen *screen, const uint8_t *bytes, size_t len)
{
    pov_live_page_take(screen->page, bytes, len);
}

/* Questions come with the images: those of images to come are expected to be as many. */
static pov_status update_forecast(pov_sweep_screen *screen, pov_answer_log *log, int64_t model)
{
    pov_sweep_forecast *forecast = &screen->forecast;
    const int64_t now_ns = pov_clock_monotonic_ns();
    POV_TRY(pov_answer_log_count(log, &screen->counts, model));
    const pov_log_counts counts = screen->counts;
    if (!forecast->client)
        return pov_ok();
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

pov_status pov_sweep_screen_stop(pov_sweep_screen *screen, const pov_log_image *image,
                                 const pov_image_asked *asked, int taken, int stop_len)
{
    screen->taken = taken;
    screen->wanted = stop_len;
    char of[16] = "", phi[24] = "not found";
    if (stop_len >= 0)
        snprintf(of, sizeof of, "/%d", stop_len);
    if (!isnan(image->phi_deg))
        snprintf(phi, sizeof phi, "%.1f deg", image->phi_deg);
    snprintf(screen->headline, sizeof screen->headline, "image %d%s  %.60s  phi %s%s  %d questions", taken,
             of, image->name, phi, screen->passing, asked->len);
    if (screen->stream && !screen->is_terminal)
        fprintf(screen->stream, "%s\n", screen->headline);
    return pov_live_page_expect(screen->page, model_of(screen), image->phi_deg, asked->questions, asked->len);
}

void pov_sweep_screen_turning(pov_sweep_screen *screen, double std_deg, double blur_px)
{
    char blur[24] = "";
    if (!isnan(blur_px))
        snprintf(blur, sizeof blur, "  blur %.2f px", blur_px);
    snprintf(screen->passing, sizeof screen->passing, " +- %.2f%s", std_deg, blur);
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
        return (pov_sweep_room){INT_MAX, true};
    if (size.ws_col > 0 && size.ws_col < LINE_CAPACITY)
        *columns = size.ws_col;
    return (pov_sweep_room){size.ws_row > OTHER_LINES ? size.ws_row - OTHER_LINES : 0,
                            size.ws_col >= BESIDE_COLUMNS};
}

static void draw_curves(pov_sweep_screen *screen)
{
    char line[LINE_CAPACITY], unscored[40] = "", others[80] = "";
    int columns;
    const pov_sweep_room room = room_of(screen, &columns);
    const long long other_len = (long long)pov_live_page_others(screen->page);
    if (screen->is_terminal && screen->line_len > 0)
        fprintf(screen->stream, "\033[%dA\033[J", screen->line_len);
    screen->line_len =
        pov_sweep_curves_draw(screen->stream, pov_live_page_curves(screen->page), model_of(screen), &room) +
        1;
    if (*screen->headline)
        fprintf(screen->stream, "%s\n", screen->headline);
    screen->line_len += *screen->headline != '\0';
    if (screen->counts.unscored > 0)
        snprintf(unscored, sizeof unscored, ", %lld unscored", (long long)screen->counts.unscored);
    if (other_len > 0)
        snprintf(others, sizeof others, "; %lld question%s of other forms in the log", other_len,
                 other_len == 1 ? " is" : "s are");
    snprintf(line, sizeof line, "%lld of %lld answered%s%s%s%s", (long long)screen->counts.answered,
             (long long)screen->counts.questions, unscored, *screen->forecast_text ? "; " : "",
             screen->forecast_text, others);
    fprintf(screen->stream, "%.*s\n", columns - 1, line);
    fflush(screen->stream);
}

/* ---- for the dashboard ---- */

static void show_on_page(pov_sweep_screen *screen, const pov_screen_news *news)
{
    const pov_page_progress progress = {screen->taken, screen->wanted, screen->counts, screen->forecast_text};
    if (news->asked)
        pov_live_page_note(screen->page, news->asked, 1);
    if (news->words)
        pov_live_page_hear(screen->page, news->words);
    char *json = pov_live_page_write(screen->page, &progress);
    if (json) /* else the page keeps what it has */
        pov_dashboard_show_sweep(screen->dashboard, json);
    free(json);
}

pov_status pov_sweep_screen_update(pov_sweep_screen *screen, pov_answer_log *log, const pov_screen_news *news)
{
    const int64_t now_ns = pov_clock_monotonic_ns();
    const bool for_stream = screen->stream && (news->last || screen->is_terminal);
    const bool for_page = screen->dashboard && (news->last || pov_dashboard_viewers(screen->dashboard) > 0);
    if (!(for_stream || for_page) || (!news->last && now_ns < screen->next_ns))
        return pov_ok();
    POV_TRY(update_forecast(screen, log, news->model));
    if (news->last)
        screen->headline[0] = '\0';
    if (for_page)
        show_on_page(screen, news);
    if (for_stream)
        draw_curves(screen);
    const int64_t took_ns = pov_clock_monotonic_ns() - now_ns; /* a long log must not hold up the table */
    screen->next_ns = now_ns + (20 * took_ns > period_ns ? 20 * took_ns : period_ns);
    return pov_ok();
}
