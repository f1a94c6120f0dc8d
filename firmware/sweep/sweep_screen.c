#include "firmware/sweep/sweep_screen.h"

#include "firmware/clock.h"
#include "firmware/sweep/sweep_json.h"

#include <math.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const int64_t period_ns = 500000000;

pov_sweep_screen pov_sweep_screen_start(FILE *stream, pov_dashboard *dashboard, const char *model)
{
    return (pov_sweep_screen){.stream = stream,
                              .dashboard = dashboard,
                              .model = model,
                              .wanted = -1,
                              .is_terminal = stream && isatty(fileno(stream))};
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

/* What is drawn over must fit on the screen, with no line broken. */
static pov_sweep_room room_of(const pov_sweep_screen *screen)
{
    enum { OTHER_LINES = 4, BESIDE_COLUMNS = 115 };
    struct winsize size;
    if (!screen->is_terminal || ioctl(fileno(screen->stream), TIOCGWINSZ, &size) != 0 || size.ws_row == 0)
        return (pov_sweep_room){POV_SWEEP_CURVE_MAX, true};
    return (pov_sweep_room){size.ws_row > OTHER_LINES ? size.ws_row - OTHER_LINES : 0,
                            size.ws_col >= BESIDE_COLUMNS};
}

static void draw(pov_sweep_screen *screen)
{
    const pov_sweep_room room = room_of(screen);
    if (screen->is_terminal && screen->line_len > 0)
        fprintf(screen->stream, "\033[%dA\033[J", screen->line_len);
    screen->line_len = pov_sweep_curves_draw(screen->stream, &screen->curves, &room) + 1;
    if (*screen->headline)
        fprintf(screen->stream, "%s\n", screen->headline);
    screen->line_len += *screen->headline != '\0';
    fprintf(screen->stream, "%lld of %lld answered", (long long)screen->curves.answered,
            (long long)screen->curves.asked);
    if (screen->curves.unscored > 0)
        fprintf(screen->stream, ", %lld unscored", (long long)screen->curves.unscored);
    fputc('\n', screen->stream);
    fflush(screen->stream);
}

static void show_on_page(pov_sweep_screen *screen)
{
    char *json = NULL;
    size_t len;
    FILE *stream = open_memstream(&json, &len);
    if (!stream)
        return; /* the page keeps what it has */
    pov_sweep_json_write(stream,
                         &(pov_sweep_news){&screen->curves, screen->model, screen->taken, screen->wanted});
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
    if (last)
        screen->headline[0] = '\0';
    if (for_page)
        show_on_page(screen);
    if (for_stream)
        draw(screen);
    const int64_t took_ns = pov_clock_monotonic_ns() - now_ns; /* a long log must not hold up the table */
    screen->next_ns = now_ns + (20 * took_ns > period_ns ? 20 * took_ns : period_ns);
    return pov_ok();
}
