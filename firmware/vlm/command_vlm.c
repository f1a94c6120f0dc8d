#include "compare/vlm/vlm_config.h"
#include "config/files/json_value.h"
#include "firmware/clock.h"
#include "firmware/commands.h"
#include "firmware/progress.h"
#include "protocol/tasks/task_worker.h"

#include <cJSON.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { IDLE_MS = 100, BUSY_MS = 10 };

typedef struct {
    const char *path, *endpoint;
    bool json;
} worker_options;

static int run(int argc, char **argv);

static const pov_option option_table[] = {
    POV_TEXT(worker_options, endpoint, "connect", "ENDPOINT",
             "the device whose questions it takes, such as tcp://192.168.1.20:5571", .required = true),
    POV_FLAG(worker_options, json, "json", "one JSON object a line for each question"),
    POV_OPTIONS_END,
};

static const pov_command *const parts[] = {&pov_command_vlm_check, NULL};

const pov_command pov_command_vlm = {
    .name = "vlm",
    .summary = "ask vision-language models for a device, or check a server",
    .run = run,
    .usage = "FILE.yaml --connect ENDPOINT [--json]\n"
             "check FILE.yaml [OPTIONS]",
    .about =
        "Asks vision-language models. FILE.yaml is a station file, or any other with the section 'vlm:' "
        "(docs/VLM.md). With --connect it is a worker: it takes questions from a device that runs 'pov "
        "sweep', asks the servers of its own file, and sends the answers back, until Ctrl-C. Start as many "
        "as you like, on any machine, before or after the device: the more, the faster; one that dies loses "
        "nothing.",
    .options = option_table,
    .words = {.min = 1, .max = 1, .wanted = "name one file with the section 'vlm:'"},
    .parts = parts,
    .examples = "pov vlm servers.yaml --connect tcp://192.168.1.20:5571\n"
                "pov vlm check servers.yaml",
    .exits = "0 after Ctrl-C; 1 the file, a key or the endpoint is invalid, or the budget is spent",
};

typedef struct {
    pov_vlm_config config;
    pov_vlm_client *client;
    pov_task_worker *worker;
    pov_progress progress;
    bool json, closed;
    int64_t done;
    char name[300], last_cause[POV_MESSAGE_CAPACITY];
    pov_status budget; /* POV_END once it is spent */
} session;

/* ---- at work ---- */

static pov_vlm_question question_of(const session *s, const pov_task *task)
{
    const bool likely = s->config.logprobs != POV_VLM_LOGPROBS_OFF;
    return (pov_vlm_question){.prompt = task->prompt,
                              .system = task->system,
                              .image = {task->image, task->image_len, task->media_type},
                              .token_max = task->token_max,
                              .likely_wanted = likely ? task->likely_wanted : 0};
}

static pov_status take_task(session *s, int64_t now_ns)
{
    pov_task task;
    const bool full = pov_task_worker_held(s->worker) >= pov_vlm_client_places(s->client);
    if (full || s->closed) {
        pov_task_worker_report(s->worker, now_ns);
        return pov_ok();
    }
    const int wait_ms = pov_task_worker_held(s->worker) ? 0 : IDLE_MS;
    pov_status status = pov_task_worker_next(s->worker, &task, now_ns, wait_ms);
    if (status.code == POV_SKIPPED)
        pov_cli_warn("%s", status.message);
    if (status.code != POV_OK)
        return pov_ok();
    const pov_vlm_question question = question_of(s, &task);
    status = pov_vlm_client_ask(s->client, task.ticket, &question);
    if (status.code == POV_END) {
        s->budget = status;
        s->closed = true;
        pov_task_worker_close(s->worker, task.ticket);
        return pov_ok();
    }
    return status;
}

static void count_result(session *s, const pov_vlm_result *result)
{
    s->done++;
    if (s->json) {
        cJSON *object = cJSON_CreateObject();
        pov_json_add_number(object, "ticket", (double)result->ticket);
        pov_json_add_text(object, "outcome", pov_vlm_outcome_name(result->outcome));
        pov_json_add_number(object, "attempts", result->attempts);
        cJSON_AddItemToObject(object, "latency_s", pov_json_rounded((double)result->latency_ns * 1e-9, 3));
        pov_json_add_number(object, "cost", result->cost);
        pov_json_print_line(stdout, object);
        fflush(stdout);
    }
    if (result->outcome == POV_VLM_ANSWERED || strcmp(result->cause, s->last_cause) == 0)
        return;
    pov_progress_clear(&s->progress);
    pov_cli_warn("%s", result->cause); /* once for many of a kind */
    snprintf(s->last_cause, sizeof s->last_cause, "%s", result->cause);
}

static pov_status send_answers(session *s, int64_t now_ns)
{
    pov_vlm_result result;
    pov_status status = pov_vlm_client_next(s->client, &result, now_ns, BUSY_MS);
    if (status.code != POV_OK)
        return status.code == POV_ERROR ? status : pov_ok();
    const pov_vlm_endpoint *endpoint = &s->config.client.endpoints[result.endpoint];
    count_result(s, &result);
    return pov_task_worker_answer(s->worker,
                                  &(pov_task_answer){.ticket = result.ticket,
                                                     .outcome = pov_vlm_outcome_name(result.outcome),
                                                     .cause = result.cause,
                                                     .server = endpoint->url,
                                                     .model = endpoint->model,
                                                     .attempts = result.attempts,
                                                     .http_status = result.http_status,
                                                     .latency_ns = result.latency_ns,
                                                     .cost = result.cost,
                                                     .body = result.body,
                                                     .body_len = result.body_len});
}

static pov_status work_on_tasks(session *s)
{
    pov_status status = pov_ok();
    s->progress = pov_progress_start(s->json ? NULL : stderr, "questions", -1, pov_clock_monotonic_ns());
    while (status.code == POV_OK && !pov_cli_stop_requested()) {
        const int64_t now_ns = pov_clock_monotonic_ns();
        status = take_task(s, now_ns);
        if (status.code == POV_OK)
            status = send_answers(s, now_ns);
        if (s->closed && pov_task_worker_held(s->worker) == 0)
            status = s->budget;
        pov_progress_update(&s->progress, s->done, now_ns);
    }
    pov_progress_finish(&s->progress, s->done, pov_clock_monotonic_ns());
    return status;
}

/* ---- coming and going ---- */

static void name_myself(char *name, size_t capacity)
{
    char host[256] = "?";
    gethostname(host, sizeof host - 1);
    snprintf(name, capacity, "%s:%ld", host, (long)getpid());
}

static pov_status serve_tasks(session *s, const worker_options *options)
{
    pov_vlm_warnings warnings;
    pov_task_worker_config worker = POV_TASK_WORKER_DEFAULT;
    POV_TRY(pov_vlm_config_open(&s->config, options->path));
    POV_TRY(pov_vlm_config_load_keys(&s->config, &warnings));
    for (int i = 0; i < warnings.len; i++)
        pov_cli_warn("%s", warnings.texts[i]);
    s->config.client.seed = (uint64_t)pov_clock_unix_ns();
    POV_TRY(pov_vlm_client_new(&s->client, &s->config.client));
    name_myself(s->name, sizeof s->name);
    worker.endpoint = options->endpoint;
    worker.name = s->name;
    worker.capacity = pov_vlm_client_places(s->client);
    POV_TRY(pov_task_worker_new(&s->worker, &worker));
    fprintf(stderr, "Waiting for questions from %s; %d at a time to %d server%s. Ctrl-C ends.\n",
            options->endpoint, worker.capacity, s->config.client.endpoint_len,
            s->config.client.endpoint_len == 1 ? "" : "s");
    return work_on_tasks(s);
}

static int run(int argc, char **argv)
{
    worker_options options = {0};
    pov_words words;
    const int code = pov_command_read(&options, &words, &pov_command_vlm, argc, argv);
    if (code != POV_GO_ON)
        return code;
    options.path = words.word[0];
    session s = {.json = options.json};
    pov_cli_catch_signals();
    const pov_status status = serve_tasks(&s, &options);
    pov_task_worker_destroy(&s.worker);
    pov_vlm_client_destroy(&s.client);
    return status.code == POV_OK ? POV_EXIT_OK : pov_cli_fail(status);
}
