#include "firmware/commands.h"
#include "firmware/comparison/comparison_log.h"
#include "firmware/keys/door.h"
#include "firmware/outputs/observation_text.h"
#include "protocol/links/publisher.h"
#include "protocol/observation/fields_document.h"
#include "protocol/observation/json.h"
#include "protocol/observation/message.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Longest delay until a signal is noticed. */
enum { SLICE_MS = 200 };

typedef struct {
    const char *endpoint;
    pov_door_client client;
    int topic;
    const char *log;
    int fields;
    bool json;
    uint64_t count;   /* 0: no end */
    double timeout_s; /* INFINITY: none */
} listen_options;

typedef struct {
    pov_subscriber *subscriber;
    pov_codec *codec;
    pov_observation *observation;
    pov_comparison_log *log; /* NULL: none */
    uint64_t undecodable;
} listener;

/* The topic "all" is every topic's prefix. */
static const char *const topic_prefixes[] = {POV_TOPIC_OBSERVATION, POV_TOPIC_SCENE, POV_TOPIC_HEALTH,
                                             POV_TOPIC_ASK,         POV_TOPIC_VLM,   ""};
POV_NAMES(topic_names, POV_TOPIC_OBSERVATION, POV_TOPIC_SCENE, POV_TOPIC_HEALTH, POV_TOPIC_ASK, POV_TOPIC_VLM,
          "all")

POV_NAMES(field_forms, "json", "wire", "none")

static int run(int argc, char **argv);

static const pov_option option_table[] = {
    POV_TEXT(listen_options, endpoint, "connect", "ENDPOINT", "where it publishes"),
    POV_DOOR_CLIENT_OPTIONS(listen_options, client),
    POV_CHOICE(listen_options, topic, "topic", "TOPIC", topic_names, "the messages to print"),
    POV_PATH(listen_options, log, "log", "DIR",
             "of the topic vlm: keep a log there, which 'pov report' and 'pov compare' read as a sweep's",
             .without = "fields"),
    POV_FLAG(listen_options, json, "json", "one JSON object a line (docs/JSON.md) instead of text"),
    POV_CHOICE(listen_options, fields, "fields", "FORM", field_forms,
               "print the fields of JSON, or of messages on the wire, as tables, and listen to nothing"),
    POV_COUNT(listen_options, count, "count", "N", 1, INFINITY, "stop after N messages", .without = "fields"),
    POV_NUMBER(listen_options, timeout_s, "timeout", "S", 0.001, INFINITY,
               "give up when nothing has come for S seconds", .without = "fields"),
    POV_OPTIONS_END,
};

const pov_command pov_command_listen = {
    .name = "listen",
    .summary = "print the messages of a running station",
    .run = run,
    .usage = "[OPTIONS]",
    .about = "Prints the messages that a running pov publishes.",
    .words = {.wanted = "an endpoint goes after --connect: pov listen --connect tcp://robot:5570"},
    .options = option_table,
    .notes = "Messages that came faster than they were taken are counted in a warning.",
    .examples = "pov listen\n"
                "pov listen --connect tcp://robot:5570 --server robot --topic health\n"
                "pov listen --topic vlm --log elsewhere\n"
                "pov listen --json --count 1 --timeout 10\n"
                "pov listen --fields json",
    .exits = "0 after N messages or Ctrl-C; 1 nothing that can be decoded came in time",
};

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A warning for the first, second, fourth, eighth ... message that cannot be decoded. */
static void skip_message(listener *self, const pov_status *fault)
{
    self->undecodable++;
    if ((self->undecodable & (self->undecodable - 1)) == 0)
        pov_cli_warn("skipped %" PRIu64 " message%s that no pov of this version sends: %s", self->undecodable,
                     self->undecodable == 1 ? "" : "s", fault->message);
}

/* POV_END: asked to stop. */
static pov_status receive_message(listener *self, pov_message *message, const listen_options *options)
{
    const uint8_t *bytes;
    size_t length;
    bool looks = self->log != NULL; /* whether more waits already, before it writes what came */
    for (double start_s = now_s(); now_s() - start_s < options->timeout_s;) {
        if (pov_cli_stop_requested())
            return pov_status_of(POV_END);
        double left_ms = 1e3 * (options->timeout_s - (now_s() - start_s));
        int slice_ms = left_ms < SLICE_MS ? (int)ceil(fmax(left_ms, 0)) : SLICE_MS;
        pov_status status = pov_subscriber_next(self->subscriber, &bytes, &length, looks ? 0 : slice_ms);
        if (status.code == POV_TIMEOUT) {
            if (looks)
                POV_TRY(pov_comparison_log_keep(self->log));
            looks = false;
            continue;
        }
        if (status.code == POV_SKIPPED) {
            skip_message(self, &status);
            continue;
        }
        POV_TRY(status);
        status = pov_codec_decode(self->codec, message, bytes, length);
        if (status.code == POV_OK)
            return status;
        skip_message(self, &status);
    }
    return pov_error(
        "nothing came from %s in %g s: is pov running there, does it publish on this endpoint, and does "
        "a firewall let it through?",
        options->endpoint, options->timeout_s);
}

static pov_status print_json(const pov_message *message)
{
    if (message->kind == POV_MESSAGE_EXCHANGE)
        return pov_json_write_exchange(stdout, &message->exchange);
    if (message->kind == POV_MESSAGE_COMPARISON)
        return pov_json_write_comparison(stdout, &message->comparison);
    return message->kind == POV_MESSAGE_HEALTH ? pov_json_write_health(stdout, &message->health)
                                               : pov_json_write_observation(stdout, message->observation);
}

static pov_status print_text(const pov_message *message)
{
    if (message->kind == POV_MESSAGE_EXCHANGE)
        pov_text_exchange(stdout, &message->exchange);
    else if (message->kind == POV_MESSAGE_COMPARISON)
        pov_text_comparison(stdout, &message->comparison);
    else if (message->kind == POV_MESSAGE_HEALTH)
        pov_text_health(stdout, &message->health);
    else
        pov_text_observation(stdout, message->observation);
    if (fflush(stdout) == 0)
        return pov_ok();
    return errno == EPIPE ? pov_status_of(POV_END)
                          : pov_error("cannot write to standard output: %s", strerror(errno));
}

static pov_status listen_to_all(listener *self, const listen_options *options)
{
    pov_message message = {.observation = self->observation};
    for (uint64_t i = 0; options->count == 0 || i < options->count; i++) {
        POV_TRY(receive_message(self, &message, options));
        if (message.lost > 0)
            pov_cli_warn("%" PRIu64 " messages lost here: they came faster than they were taken",
                         message.lost);
        if (self->log && message.kind == POV_MESSAGE_COMPARISON)
            POV_TRY(pov_comparison_log_add(self->log, &message.comparison));
        POV_TRY(options->json ? print_json(&message) : print_text(&message));
    }
    return pov_ok();
}

static pov_status open_listener(listener *self, const listen_options *options)
{
    self->observation = calloc(1, sizeof *self->observation);
    if (self->observation == NULL)
        return pov_error("out of memory");
    POV_TRY(pov_codec_new(&self->codec));
    if (options->log)
        POV_TRY(pov_comparison_log_new(&self->log, options->log));
    return pov_door_subscribe(&self->subscriber, &options->client, options->endpoint,
                              topic_prefixes[options->topic]);
}

static void close_listener(listener *self)
{
    pov_subscriber_destroy(&self->subscriber);
    pov_comparison_log_destroy(&self->log);
    pov_codec_destroy(&self->codec);
    free(self->observation);
}

static int run(int argc, char **argv)
{
    const pov_publisher_config publisher = POV_PUBLISHER_DEFAULT;
    listen_options options = {
        .endpoint = publisher.endpoint, .timeout_s = INFINITY, .fields = POV_FIELDS_FORMS};
    pov_words words;
    POV_OR_EXIT(pov_command_read(&options, &words, &pov_command_listen, argc, argv));
    if (options.fields != POV_FIELDS_FORMS) {
        pov_fields_document(stdout, (pov_fields_form)options.fields);
        return POV_EXIT_OK;
    }
    if (options.log && strcmp(topic_prefixes[options.topic], POV_TOPIC_VLM) != 0 &&
        *topic_prefixes[options.topic])
        return pov_cli_usage("listen", "--log keeps what the topic vlm tells: add --topic vlm");
    pov_cli_catch_signals();
    listener self = {.subscriber = NULL};
    pov_status status = open_listener(&self, &options);
    POV_THEN(status, listen_to_all(&self, &options));
    if (self.log) {
        const pov_status kept = pov_comparison_log_keep(self.log);
        status = kept.code == POV_OK ? status : kept;
    }
    close_listener(&self);
    return status.code == POV_OK || status.code == POV_END ? POV_EXIT_OK : pov_cli_fail(status);
}
