#include "firmware/outputs/sink.h"

static pov_status show_page(void *sink, const pov_news *news)
{
    pov_ask_server_show(pov_dashboard_asked(sink),
                        news->observation); /* the page may ask before anything is shown */
    if (pov_dashboard_wants(sink))
        pov_dashboard_show(sink, news);
    return pov_ok();
}

static bool take_exchange(void *sink, char speaker[POV_NAME_CAPACITY], char **reply)
{
    return pov_ask_server_take(pov_dashboard_asked(sink), speaker, reply);
}

static const pov_sink_functions dashboard_functions = {.show = show_page, .take = take_exchange};

pov_status pov_sink_open_dashboard(pov_sink *sink, const pov_outputs_config *config)
{
    *sink = (pov_sink){&dashboard_functions, config->dashboard};
    return pov_ok();
}
