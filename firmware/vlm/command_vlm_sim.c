#include "firmware/vlm/command_vlm_sim.h"

#include "firmware/commands.h"
#include "firmware/http/http_server.h"
#include "perception/geometry/random.h"
#include "sim/vlm/vlm_chat.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    const char *truth;
    char path[4096]; /* of the truths; "": none */
    pov_vlm_sim_config sim;
    double fail_429, hang, broken;
    int latency_ms, word_delay_ms, port, refusal;
    bool no_logprobs, json;
} options;

static int run(int argc, char **argv);

const char *pov_vlm_sim_bias_names(int i)
{
    return i < POV_VLM_BIAS_COUNT ? POV_VLM_BIAS_NAMES[i] : NULL;
}

static const char *thinking_names(int i)
{
    return i < POV_VLM_THINKING_COUNT ? POV_VLM_THINKING_NAMES[i] : NULL;
}

/* Servers that answer nothing, whatever they are asked. */
static const struct {
    const char *name;
    int status;
    const char *headers, *body;
} refusals[] = {
    {"not", 0, NULL, NULL},
    {"key", 401, "", "{\"error\":{\"message\":\"Incorrect API key (simulated)\"}}"},
    {"credit", 402, "", "{\"error\":{\"message\":\"Insufficient credits (simulated)\",\"code\":402}}"},
    {"quota", 429, "",
     "{\"error\":{\"message\":\"You exceeded your current quota "
     "(simulated)\",\"code\":\"insufficient_quota\"}}"},
    {"daily", 429, "Retry-After: 43200\r\n", "{\"error\":{\"message\":\"Daily limit reached (simulated)\"}}"},
    {"large", 413, "", "{\"error\":{\"message\":\"Request too large (simulated)\"}}"},
    {"image", 400, "", "{\"error\":{\"message\":\"image exceeds 5 MB maximum (simulated)\"}}"},
    {"inside", 200, "", "{\"error\":{\"message\":\"CUDA out of memory (simulated)\"}}"},
    {"timeout", 524, "", "{\"error\":{\"message\":\"A timeout occurred (simulated)\"}}"},
};
enum { REFUSALS = sizeof refusals / sizeof *refusals };

static const char *refusal_names(int i)
{
    return i < REFUSALS ? refusals[i].name : NULL;
}

static const pov_option option_table[] = {
    POV_PATH(options, truth, "truth", "PATH",
             "the truth: a file of JSON lines (docs/VLM.md), or a folder with vlm_truth.jsonl in it; read "
             "again when it grows. About unknown images it says that it cannot tell",
             .once = true),
    POV_CHOICE(options, sim.bias, "bias", "NAME", pov_vlm_sim_bias_names, "how its answers are wrong"),
    POV_CHOICE(options, sim.thinking, "thinking", "WHERE", thinking_names,
               "thinks first, the contrary of its answer, and says so there"),
    POV_NUMBER(options, sim.noise, "noise", "P", 0, 10, "for noisy: standard deviation of P(yes)",
               .with = "bias"),
    POV_FLAG(options, sim.ignore_image, "ignore-image",
             "answers by the question alone, as a model does that does not look"),
    POV_FLAG(options, no_logprobs, "no-logprobs", "gives no probabilities"),
    POV_WHOLE(options, port, "port", "N", 0, 65535, "0: any free one; it listens on this machine only"),
    POV_COUNT(options, sim.seed, "seed", "N", 0, INFINITY, "of random answers"),
    POV_FLAG(options, json, "json", "prints one JSON object when it listens, instead of text"),
    POV_OPTIONS_HEADING("Faults:"),
    POV_NUMBER(options, sim.refuse, "refuse", "P", 0, 1, "share of questions that it says it cannot tell"),
    POV_WHOLE(options, latency_ms, "latency", "MS", 0, 600000, "before each answer"),
    POV_WHOLE(options, word_delay_ms, "word-delay", "MS", 0, 600000,
              "after each word of an answer that is asked for as an event stream"),
    POV_CHOICE(options, refusal, "refuse-all", "HOW", refusal_names,
               "answers nothing, as servers do without a key, credit, quota, ..."),
    POV_FLAG(options, sim.calls_tools, "call-tools", "calls a tool instead of answering"),
    POV_NUMBER(options, fail_429, "fail-429", "P", 0, 1,
               "share of requests answered with 429 Too Many Requests"),
    POV_NUMBER(options, hang, "hang", "P", 0, 1, "share of requests never answered"),
    POV_NUMBER(options, broken, "broken", "P", 0, 1, "share of requests answered with half a JSON object"),
    POV_OPTIONS_END,
};

const pov_command pov_command_vlm_sim = {
    .name = "vlm-sim",
    .summary = "a simulated vision-language model behind a server, for tests",
    .run = run,
    .usage = "[--truth PATH] [--bias NAME] [FAULTS] [--port N]",
    .about = "A SIMULATED vision-language model behind an OpenAI-compatible server, for demos and tests. It "
             "does not look at images: it recognises them by their bytes and answers from their known truth, "
             "through a bias of your choice. It calls itself \"pov-vlm-sim (simulated)\" in "
             "every answer. It runs until Ctrl-C.",
    .options = option_table,
    .examples = "pov vlm-sim --truth images/ --port 8000\n"
                "pov vlm-sim --truth truth.jsonl --bias addressee-blind --latency 200",
    .exits = "0 after Ctrl-C; 1 no port to be had or the truths are not as they should be",
};

/** Shared by the server's threads; the lock guards the truths. */
typedef struct {
    const options *options;
    pthread_rwlock_t lock;
    pov_vlm_truths *truths;
    struct stat read; /* as the file was then */
    atomic_uint_fast64_t requests;
} service;

/* ---- options ---- */

/* A folder's own file of truths. */
static int find_truth(options *o)
{
    struct stat about;
    if (!o->truth)
        return POV_GO_ON;
    const bool folder = stat(o->truth, &about) == 0 && S_ISDIR(about.st_mode);
    const int len = snprintf(o->path, sizeof o->path, "%s%s", o->truth, folder ? "/" POV_VLM_TRUTH_FILE : "");
    return len < (int)sizeof o->path ? POV_GO_ON : pov_cli_usage("vlm-sim", "--truth: the path is too long");
}

/* ---- truths ---- */

static pov_status load_truth(service *s)
{
    pov_vlm_truths *truths;
    struct stat about = {0};
    const char *path = s->options->path;
    if (path[0] == '\0')
        return pov_vlm_truths_parse(&s->truths, "", "", 0);
    stat(path, &about);
    POV_TRY(pov_vlm_truths_read(&truths, path));
    pov_vlm_truths_destroy(&s->truths);
    s->truths = truths;
    s->read = about;
    return pov_ok();
}

/** Is the file another than it was when last read? */
static bool has_changed(service *s)
{
    struct stat about;
    if (s->options->path[0] == '\0' || stat(s->options->path, &about) != 0)
        return false;
    pthread_rwlock_rdlock(&s->lock);
    const bool changed = about.st_size != s->read.st_size || about.st_ino != s->read.st_ino ||
                         about.st_mtim.tv_sec != s->read.st_mtim.tv_sec ||
                         about.st_mtim.tv_nsec != s->read.st_mtim.tv_nsec;
    pthread_rwlock_unlock(&s->lock);
    return changed;
}

static void load_again(service *s)
{
    if (!has_changed(s))
        return;
    pthread_rwlock_wrlock(&s->lock);
    const pov_status status = load_truth(s);
    pthread_rwlock_unlock(&s->lock);
    if (status.code != POV_OK)
        pov_cli_warn("%s; going on with what was known", status.message);
}

/* ---- answering ---- */

/** A random fraction that depends on the seed and the request's number only. */
static double draw_lot(const service *s, uint64_t number)
{
    return pov_random_fraction(pov_random_mix(s->options->sim.seed + (number + 1) * POV_RANDOM_STEP));
}

/* One event after the other. */
static void send_events(void *user, pov_http_writer *writer, const char *events)
{
    const service *s = user;
    while (*events) {
        const char *end = strstr(events, "\n\n");
        const size_t len = end ? (size_t)(end + 2 - events) : strlen(events);
        if (!pov_http_write(writer, events, len))
            return;
        events += len;
        usleep((useconds_t)s->options->word_delay_ms * 1000);
    }
}

static void answer_request(service *s, pov_http_reply *reply, const pov_http_request *request)
{
    pov_vlm_chat_request chat;
    pov_vlm_sim_answer found;
    const pov_status status = pov_vlm_chat_read(&chat, request->body, request->body_len);
    if (status.code != POV_OK) {
        reply->status = 400;
        reply->body = pov_vlm_chat_write_error(status.message);
        return;
    }
    if (s->options->no_logprobs)
        chat.likely_wanted = 0;
    load_again(s);
    pthread_rwlock_rdlock(&s->lock);
    pov_vlm_sim_answer_find(&found, &s->options->sim, s->truths, &chat);
    reply->body = chat.streams ? pov_vlm_chat_write_stream(&chat, &found) : pov_vlm_chat_write(&chat, &found);
    pthread_rwlock_unlock(&s->lock);
    reply->status = reply->body ? 200 : 500;
    if (!chat.streams || !reply->body)
        return;
    reply->content_type = "text/event-stream";
    reply->stream = send_events;
}

static void misbehave_or_answer(service *s, pov_http_reply *reply, const pov_http_request *request)
{
    const options *o = s->options;
    const double drawn = draw_lot(s, s->requests++);
    const double hang = o->fail_429 + o->hang, broken = hang + o->broken;
    if (o->latency_ms > 0)
        usleep((useconds_t)o->latency_ms * 1000);
    if (o->refusal > 0) {
        const char *more = refusals[o->refusal].headers;
        char headers[100];
        snprintf(headers, sizeof headers, "X-Pov-Simulated: true\r\n%s", more);
        reply->status = refusals[o->refusal].status;
        reply->own_headers = strdup(headers);
        reply->headers = NULL;
        reply->body = strdup(refusals[o->refusal].body);
        POV_REQUIRE_MEMORY(reply->own_headers && reply->body);
        return;
    }
    if (drawn < o->fail_429) {
        reply->status = 429;
        reply->body = pov_vlm_chat_write_error("too many requests (simulated)");
        return;
    }
    reply->hang = drawn < hang;
    if (reply->hang)
        return;
    answer_request(s, reply, request);
    if (drawn < broken && reply->body)
        reply->body[strlen(reply->body) / 2] = '\0';
}

static void handle_request(void *user, pov_http_reply *reply, const pov_http_request *request)
{
    reply->headers = "X-Pov-Simulated: true\r\n";
    if (strcmp(request->method, "GET") == 0 && strcmp(request->path, "/v1/models") == 0) {
        reply->status = 200;
        reply->body = pov_vlm_chat_write_models();
    } else if (strcmp(request->method, "POST") == 0 && strcmp(request->path, "/v1/chat/completions") == 0) {
        misbehave_or_answer(user, reply, request);
    } else {
        reply->status = 404;
        reply->body =
            pov_vlm_chat_write_error("a simulated server with /v1/models and /v1/chat/completions only");
    }
}

/* ---- service ---- */

static void announce_server(const service *s, int port)
{
    const int known = pov_vlm_truths_len(s->truths);
    if (s->options->json)
        printf("{\"url\":\"http://127.0.0.1:%d/v1\",\"model\":\"" POV_VLM_SIM_MODEL
               "\",\"simulated\":true,\"bias\":\"%s\",\"answers_known\":%d}\n",
               port, POV_VLM_BIAS_NAMES[s->options->sim.bias], known);
    else
        printf(POV_VLM_SIM_MODEL " at http://127.0.0.1:%d/v1, bias: %s, answers known: %d\n", port,
               POV_VLM_BIAS_NAMES[s->options->sim.bias], known);
    fflush(stdout);
}

static pov_status serve_requests(service *s)
{
    pov_http_server *server;
    pov_http_server_config config = POV_HTTP_SERVER_CONFIG_DEFAULT;
    config.port = s->options->port;
    POV_TRY(load_truth(s));
    POV_TRY(pov_http_server_new(&server, handle_request, s, &config));
    announce_server(s, pov_http_server_port(server));
    while (!pov_cli_stop_requested())
        usleep(50000);
    pov_http_server_destroy(&server);
    return pov_ok();
}

static int run(int argc, char **argv)
{
    options o = {.sim = POV_VLM_SIM_CONFIG_DEFAULT};
    service s = {.options = &o};
    pov_words words;
    POV_OR_EXIT(pov_command_read(&o, &words, &pov_command_vlm_sim, argc, argv));
    POV_OR_EXIT(find_truth(&o));
    pov_cli_catch_signals();
    pthread_rwlock_init(&s.lock, NULL);
    const pov_status status = serve_requests(&s);
    pov_vlm_truths_destroy(&s.truths);
    pthread_rwlock_destroy(&s.lock);
    return pov_cli_exit(status);
}
