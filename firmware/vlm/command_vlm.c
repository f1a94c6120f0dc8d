#include "compare/vlm_config.h"
#include "firmware/cli.h"
#include "firmware/clock.h"
#include "firmware/commands.h"
#include "firmware/progress.h"
#include "protocol/task_worker.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "Usage: pov vlm FILE.yaml --connect ENDPOINT [--json]\n"
    "       pov vlm check FILE.yaml [OPTIONS]\n"
    "\n"
    "Asks vision-language models. FILE.yaml is a station file, or any other with the "
    "section 'vlm:' (docs/VLM.md).\n"
    "With --connect it is a worker: it takes questions from a device that runs 'pov "
    "sweep', asks the servers of\n"
    "its own file, and sends the answers back, until Ctrl-C. Start as many as you "
    "like, on any machine, before or\n"
    "after the device: the more, the faster; one that dies loses nothing. 'pov vlm check --help' tells of "
    "the other.\n"
    "\n"
    "  --connect ENDPOINT  the device's, such as tcp://192.168.1.20:5571\n"
    "  --json              one JSON object a line for each question\n"
    "  --help              this text\n"
    "\n"
    "Examples:\n"
    "  pov vlm servers.yaml --connect tcp://192.168.1.20:5571\n"
    "  pov vlm check servers.yaml\n"
    "Exit codes: 0 after Ctrl-C, 1 the file, a key or the endpoint is not as it "
    "should be, or the budget is spent,\n"
    "2 wrong usage.\n";

enum { IDLE_MS = 100, BUSY_MS = 10 };

typedef struct {
    const char *path, *endpoint;
    bool json, help;
} worker_options;

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

static void tell(session *s, const pov_vlm_result *result)
{
    s->done++;
    if (s->json) {
        printf("{\"ticket\":%llu,\"outcome\":\"%s\",\"attempts\":%d,\"latency_s\":%.3f,\"cost\":%.9g}\n",
               (unsigned long long)result->ticket, pov_vlm_outcome_name(result->outcome), result->attempts,
               (double)result->latency_ns * 1e-9, result->cost);
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
    tell(s, &result);
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

static pov_status work(session *s)
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

static pov_status run(session *s, const worker_options *options)
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
    return work(s);
}

static int parse(worker_options *options, int argc, char **argv)
{
    static const struct option known[] = {{"connect", required_argument, NULL, 'c'},
                                          {"json", no_argument, NULL, 'j'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (option == 'c')
            options->endpoint = optarg;
        else if (option == 'j')
            options->json = true;
        else if (option == 'h')
            options->help = true;
        else
            return pov_cli_usage("vlm", "see above"); /* getopt_long has said what */
    }
    if (options->help)
        return POV_EXIT_OK;
    if (optind + 1 != argc)
        return pov_cli_usage("vlm", "name one file with the section 'vlm:'");
    if (!options->endpoint)
        return pov_cli_usage("vlm", "--connect is missing: which device's questions?");
    options->path = argv[optind];
    return POV_EXIT_OK;
}

int pov_command_vlm(int argc, char **argv)
{
    worker_options options = {0};
    if (argc > 1 && strcmp(argv[1], "check") == 0)
        return pov_command_vlm_check(argc - 1, argv + 1);
    const int result = parse(&options, argc, argv);
    if (result != POV_EXIT_OK || options.help) {
        if (options.help)
            fputs(help, stdout);
        return result;
    }
    session s = {.json = options.json};
    pov_cli_catch_signals();
    const pov_status status = run(&s, &options);
    pov_task_worker_destroy(&s.worker);
    pov_vlm_client_destroy(&s.client);
    return status.code == POV_OK ? POV_EXIT_OK : pov_cli_fail(status);
}
