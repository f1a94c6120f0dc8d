#include "firmware/clock.h"
#include "firmware/comparison/live_page.h"
#include "firmware/outputs/sink.h"

#include <stdlib.h>

static const int64_t page_period_ns =
    500000000; /* between two states of what is asked live; chosen: as a sweep's */

typedef struct {
    pov_dashboard *dashboard; /* borrowed */
    pov_live_page *page;      /* NULL: no model is asked */
    pov_heard_words *words;   /* borrowed; with `page` */
    int64_t page_ns;          /* when it was last written */
} dashboard_sink;

static pov_status show_page(void *sink, const pov_news *news)
{
    dashboard_sink *self = sink;
    pov_ask_server_show(pov_dashboard_asked(self->dashboard),
                        news->observation); /* the page may ask before anything is shown */
    if (self->page && news->health)
        pov_live_page_note(self->page, news->health->models, news->health->model_len);
    if (news->image->camera == pov_dashboard_camera(self->dashboard) && pov_dashboard_wants(self->dashboard))
        pov_dashboard_show(self->dashboard, news);
    return pov_ok();
}

static void take_message(void *sink, pov_recorded topic, const uint8_t *bytes, size_t len, int64_t capture_ns)
{
    dashboard_sink *self = sink;
    (void)capture_ns;
    if (self->page && topic == POV_RECORDED_VLM)
        pov_live_page_take(self->page, bytes, len);
}

static void show_comparisons(void *sink)
{
    dashboard_sink *self = sink;
    const int64_t now_ns = pov_clock_monotonic_ns();
    if (self->page)
        pov_live_page_hear(self->page, self->words);
    if (!self->page || !pov_live_page_is_new(self->page) || now_ns - self->page_ns < page_period_ns ||
        pov_dashboard_viewers(self->dashboard) == 0)
        return;
    self->page_ns = now_ns;
    char *json = pov_live_page_write(self->page, NULL);
    if (json)
        pov_dashboard_show_sweep(self->dashboard, json);
    free(json);
}

static bool take_exchange(void *sink, char speaker[POV_NAME_CAPACITY], char **reply)
{
    return pov_ask_server_take(pov_dashboard_asked(((dashboard_sink *)sink)->dashboard), speaker, reply);
}

static void close_page(void *sink)
{
    dashboard_sink *self = sink;
    pov_live_page_destroy(&self->page);
    free(self);
}

static const pov_sink_functions dashboard_functions = {.message = take_message,
                                                       .show = show_page,
                                                       .poll = show_comparisons,
                                                       .take = take_exchange,
                                                       .destroy = close_page};

pov_status pov_sink_open_dashboard(pov_sink *sink, const pov_outputs_config *config)
{
    if (!config->dashboard)
        return pov_ok();
    dashboard_sink *self = pov_allocate(1, sizeof *self);
    self->dashboard = config->dashboard;
    *sink = (pov_sink){&dashboard_functions, self};
    self->words = config->words;
    return config->words ? pov_live_page_new(&self->page) : pov_ok();
}
