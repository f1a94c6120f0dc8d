#include "firmware/vlm/vlm_link.h"

#include "compare/vlm/vlm_result.h"
#include "firmware/clock.h"
#include "protocol/tasks/task_queue.h"

#include <stdlib.h>
#include <unistd.h>

/* One of the two. */
struct pov_vlm_link {
    pov_vlm_client *client;
    pov_task_queue *queue;
    const pov_vlm_client_config *config;
};

static pov_status open_queue(pov_vlm_link *link, const char *endpoint)
{
    pov_task_queue_config config = POV_TASK_QUEUE_DEFAULT;
    config.endpoint = endpoint;
    config.session = (uint64_t)pov_clock_unix_ns() ^ (uint64_t)getpid() << 48;
    return pov_task_queue_new(&link->queue, &config);
}

pov_status pov_vlm_link_new(pov_vlm_link **link, const pov_vlm_client_config *client, const char *workers)
{
    *link = calloc(1, sizeof **link);
    if (!*link)
        return pov_error("asking: out of memory");
    (*link)->config = client;
    const pov_status status =
        workers ? open_queue(*link, workers) : pov_vlm_client_new(&(*link)->client, client);
    if (status.code != POV_OK)
        pov_vlm_link_destroy(link);
    return status;
}

void pov_vlm_link_destroy(pov_vlm_link **link)
{
    if (!*link)
        return;
    pov_vlm_client_destroy(&(*link)->client);
    pov_task_queue_destroy(&(*link)->queue);
    free(*link);
    *link = NULL;
}

pov_status pov_vlm_link_ask(pov_vlm_link *link, uint64_t ticket, const pov_vlm_question *question)
{
    if (link->client)
        return pov_vlm_client_ask(link->client, ticket, question);
    const pov_task task = pov_vlm_remote_task(ticket, question);
    return pov_task_queue_put(link->queue, &task);
}

pov_status pov_vlm_link_next(pov_vlm_link *link, pov_vlm_result *result, const char **server, int wait_ms)
{
    pov_task_answer answer;
    *server = "";
    if (link->client) {
        POV_TRY(pov_vlm_client_next(link->client, result, pov_clock_monotonic_ns(), wait_ms));
        if (result->endpoint >= 0)
            *server = link->config->endpoints[result->endpoint].url;
        return pov_ok();
    }
    POV_TRY(pov_task_queue_next(link->queue, &answer, pov_clock_monotonic_ns(), wait_ms));
    pov_vlm_remote_result(result, &answer);
    *server = answer.server ? answer.server : "";
    return pov_ok();
}
