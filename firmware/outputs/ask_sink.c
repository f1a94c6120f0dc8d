#include "firmware/ask/ask_server.h"
#include "firmware/keys/door.h"
#include "firmware/outputs/sink.h"

#include <stdio.h>

static pov_status answer_from(void *sink, const pov_news *news)
{
    pov_ask_server_show(sink, news->observation);
    return pov_ok();
}

static bool take_exchange(void *sink, char speaker[POV_NAME_CAPACITY], char **reply)
{
    return pov_ask_server_take(sink, speaker, reply);
}

static bool take_news(void *sink, char text[POV_NEWS_CAPACITY])
{
    char trouble[POV_PEER_TROUBLE_CAPACITY];
    const bool has_news = pov_ask_server_news(sink, trouble);
    if (has_news)
        snprintf(text, POV_NEWS_CAPACITY, "ask: skipped keys of peers: %s", trouble);
    return has_news;
}

static void close_server(void *sink)
{
    pov_ask_server *server = sink;
    pov_ask_server_destroy(&server);
}

static const pov_sink_functions ask_functions = {
    .show = answer_from, .take = take_exchange, .news = take_news, .destroy = close_server};

pov_status pov_sink_open_ask(pov_sink *sink, const pov_outputs_config *config)
{
    const pov_station_asking *ask = &config->station->ask;
    pov_ask_server *server = NULL;
    pov_door door;
    if (!config->answer || !*ask->endpoint)
        return pov_ok();
    POV_TRY(pov_door_choose(
        &door, &(pov_door_config){.endpoint = ask->endpoint, .keys = ask->keys, .insecure = ask->insecure}));
    POV_TRY(pov_ask_server_new(&server, &(pov_ask_server_config){.endpoint = ask->endpoint,
                                                                 .stale_after_s = ask->stale_after_s,
                                                                 .keys = door.keys[0] ? door.keys : NULL}));
    *sink = (pov_sink){&ask_functions, server};
    if (config->tells)
        fprintf(stderr, "answers questions on %s, of %s\n", pov_ask_server_endpoint(server), door.who);
    return pov_ok();
}
