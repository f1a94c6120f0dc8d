#include "firmware/cli.h"
#include "firmware/commands.h"
#include "firmware/station/observation_text.h"
#include "protocol/json.h"
#include "protocol/message.h"
#include "protocol/publisher.h"
#include "protocol/subscriber.h"

#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* How long a signal may go unnoticed. */
enum { SLICE_MS = 200 };

typedef struct {
    const char *endpoint, *topic;
    bool json, help;
    uint64_t count;   /* 0: no end */
    double timeout_s; /* INFINITY: none */
} listen_options;

typedef struct {
    pov_subscriber *subscriber;
    pov_codec *codec;
    pov_observation *observation;
} listener;

static const char help[] =
    "Usage: pov listen [--connect ENDPOINT] [--topic TOPIC] [--json] [--count N] [--timeout S]\n"
    "Prints what a running pov publishes.\n"
    "\n"
    "  --connect ENDPOINT   where it publishes (tcp://127.0.0.1:5570)\n"
    "  --topic TOPIC        observation, scene, health or all (observation)\n"
    "  --json               one JSON object a line (docs/JSON.md) instead of text\n"
    "  --count N            stop after N messages\n"
    "  --timeout S          give up when nothing has come for S seconds\n"
    "  --help               this text\n"
    "\n"
    "Messages that came faster than they were taken are counted in a warning.\n"
    "\n"
    "Examples: pov listen\n"
    "          pov listen --connect tcp://robot:5570 --topic health\n"
    "          pov listen --json --count 1 --timeout 10\n"
    "Exit codes: 0 after N messages or Ctrl-C, 1 nothing came in time or it was not from pov, 2 wrong "
    "usage.\n";

/* "all" is every topic's prefix; NULL: no such topic. */
static const char *topic_named(const char *name)
{
    static const char *const topics[] = {POV_TOPIC_OBSERVATION, POV_TOPIC_SCENE, POV_TOPIC_HEALTH};
    for (size_t i = 0; i < sizeof topics / sizeof *topics; i++)
        if (strcmp(name, topics[i]) == 0)
            return topics[i];
    return strcmp(name, "all") == 0 ? "" : NULL;
}

static bool parse_count(uint64_t *count, const char *text)
{
    char *end;
    *count = strtoull(text, &end, 10);
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && *count > 0;
}

static bool parse_seconds(double *seconds, const char *text)
{
    char *end;
    *seconds = strtod(text, &end);
    return end != text && *end == '\0' && *seconds > 0;
}

static int take_option(listen_options *options, int option)
{
    switch (option) {
    case 'c':
        options->endpoint = optarg;
        return POV_EXIT_OK;
    case 't':
        options->topic = topic_named(optarg);
        return options->topic != NULL
                   ? POV_EXIT_OK
                   : pov_cli_usage("listen", "no topic '%s'; there are observation, scene, health and all",
                                   optarg);
    case 'j':
        options->json = true;
        return POV_EXIT_OK;
    case 'n':
        return parse_count(&options->count, optarg)
                   ? POV_EXIT_OK
                   : pov_cli_usage("listen", "--count '%s' is not a whole number above 0", optarg);
    case 's':
        return parse_seconds(&options->timeout_s, optarg)
                   ? POV_EXIT_OK
                   : pov_cli_usage("listen", "--timeout '%s' is not a number of seconds above 0", optarg);
    case 'h':
        options->help = true;
        return POV_EXIT_OK;
    default:
        return pov_cli_usage("listen", "see above"); /* getopt_long has said what */
    }
}

static int parse_options(listen_options *options, int argc, char **argv)
{
    static const struct option known[] = {
        {"connect", required_argument, NULL, 'c'},
        {"topic", required_argument, NULL, 't'},
        {"json", no_argument, NULL, 'j'},
        {"count", required_argument, NULL, 'n'},
        {"timeout", required_argument, NULL, 's'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    const pov_publisher_config publisher = POV_PUBLISHER_DEFAULT;
    *options = (listen_options){
        .endpoint = publisher.endpoint, .topic = POV_TOPIC_OBSERVATION, .timeout_s = INFINITY};
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        int result = take_option(options, option);
        if (result != POV_EXIT_OK)
            return result;
    }
    return optind == argc ? POV_EXIT_OK : pov_cli_usage("listen", "takes no argument '%s'", argv[optind]);
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* POV_END: asked to stop. */
static pov_status receive(listener *self, pov_message *message, const listen_options *options)
{
    const uint8_t *bytes;
    size_t length;
    for (double start_s = now_s(); now_s() - start_s < options->timeout_s;) {
        if (pov_cli_stop_requested())
            return pov_status_of(POV_END);
        double left_ms = 1e3 * (options->timeout_s - (now_s() - start_s));
        int slice_ms = left_ms < SLICE_MS ? (int)ceil(fmax(left_ms, 0)) : SLICE_MS;
        pov_status status = pov_subscriber_next(self->subscriber, &bytes, &length, slice_ms);
        if (status.code == POV_TIMEOUT)
            continue;
        POV_TRY(status);
        return pov_codec_decode(self->codec, message, bytes, length);
    }
    return pov_error(
        "nothing came from %s in %g s: is pov running there, does it publish on this endpoint, and does "
        "a firewall let it through?",
        options->endpoint, options->timeout_s);
}

static pov_status print_json(const pov_message *message)
{
    return message->kind == POV_MESSAGE_HEALTH ? pov_json_write_health(stdout, &message->health)
                                               : pov_json_write_observation(stdout, message->observation);
}

static pov_status print_text(const pov_message *message)
{
    if (message->kind == POV_MESSAGE_HEALTH)
        pov_text_health(stdout, &message->health);
    else
        pov_text_observation(stdout, message->observation);
    return fflush(stdout) == 0 ? pov_ok() : pov_error("cannot write to standard output");
}

static pov_status listen_to_all(listener *self, const listen_options *options)
{
    pov_message message = {.observation = self->observation};
    for (uint64_t i = 0; options->count == 0 || i < options->count; i++) {
        POV_TRY(receive(self, &message, options));
        if (message.lost > 0)
            pov_cli_warn("%" PRIu64 " messages lost here: they came faster than they were taken",
                         message.lost);
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
    return pov_subscriber_new(&self->subscriber, options->endpoint, options->topic);
}

static void close_listener(listener *self)
{
    pov_subscriber_destroy(&self->subscriber);
    pov_codec_destroy(&self->codec);
    free(self->observation);
}

int pov_command_listen(int argc, char **argv)
{
    listen_options options;
    int result = parse_options(&options, argc, argv);
    if (result != POV_EXIT_OK)
        return result;
    if (options.help) {
        fputs(help, stdout);
        return POV_EXIT_OK;
    }
    pov_cli_catch_signals();
    listener self = {.subscriber = NULL};
    pov_status status = open_listener(&self, &options);
    if (status.code == POV_OK)
        status = listen_to_all(&self, &options);
    close_listener(&self);
    return status.code == POV_OK || status.code == POV_END ? POV_EXIT_OK : pov_cli_fail(status);
}
