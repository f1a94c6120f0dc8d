#include "firmware/clock.h"
#include "firmware/commands.h"
#include "firmware/keys/door.h"
#include "firmware/recording/moment.h"
#include "protocol/links/publisher.h"
#include "protocol/observation/json.h"
#include "protocol/observation/message.h"
#include "protocol/recording/recording.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { POLL_MS = 20, DRAIN_MS = 2000 };

typedef struct {
    const char *publish, *keys;
    double rate, from_s;
    bool loop, repair, json, insecure;
    int wait;
} replay_options;

static int run(int argc, char **argv);

static const pov_option option_table[] = {
    POV_NUMBER(replay_options, rate, "rate", "TIMES", 0.001, 1e6, "so many times as fast as it was",
               .without = "json repair"),
    POV_TAKEN(replay_options, from_s, "from", "[HH:]MM:SS", pov_moment_take,
              "begin so long after the recording's beginning", .without = "repair"),
    POV_FLAG(replay_options, loop, "loop", "begin again when it ends", .without = "json repair"),
    POV_TEXT(replay_options, publish, "publish", "ENDPOINT", "publish here", .without = "json repair"),
    POV_PATH(replay_options, keys, "keys", "DIR", "the keys of those who may listen from other machines",
             .without = "json repair"),
    POV_FLAG(replay_options, insecure, "insecure", "anyone who can reach the endpoint may listen",
             .without = "json repair"),
    POV_WHOLE(replay_options, wait, "wait", "N", 0, 1000, "wait for N subscribers before the first message",
              .without = "json repair"),
    POV_FLAG(replay_options, json, "json",
             "print the recorded observations, one JSON object a line, at once, and publish nothing",
             .without = "repair"),
    POV_FLAG(replay_options, repair, "repair",
             "give a recording whose end is missing (kill -9, a power cut) its index, and do nothing else"),
    POV_OPTIONS_END,
};

const pov_command pov_command_replay = {
    .name = "replay",
    .summary = "publish a recording as it was",
    .run = run,
    .usage = "FILE.mcap [OPTIONS]",
    .about = "Publishes the messages of a recording (docs/RECORDING.md) over ZeroMQ as they were, byte for "
             "byte, at the pace they "
             "came. 'pov run --images FILE.mcap' judges its images again instead.",
    .options = option_table,
    .words = {.min = 1, .max = 1, .wanted = "expected one recording"},
    .examples = "pov replay monday.mcap\n"
                "pov replay monday.mcap --from 1:30 --rate 2 --loop\n"
                "pov replay monday.mcap --json > monday.jsonl\n"
                "pov replay monday.mcap --repair",
    .exits = "0 done (also when stopped); 1 the recording is damaged or cannot be read, or nothing can be "
             "published",
};

typedef struct {
    pov_recording *recording;
    pov_publisher *publisher;
    pov_codec *codec;
    pov_observation *observation;
    const replay_options *options;
    int64_t first_ns;  /* of the round: the log time that is due at start_ns */
    int64_t start_ns;  /* monotonic */
    uint64_t messages; /* in all rounds */
} player;

static void serve_subscribers(player *self)
{
    pov_publisher_poll(self->publisher);
    const char *news = pov_publisher_news(self->publisher);
    if (news)
        pov_cli_warn("publish: skipped keys of peers: %s", news);
}

/* Serves subscribers meanwhile. False: asked to stop. */
static bool wait_until(player *self, int64_t due_ns)
{
    for (;;) {
        serve_subscribers(self);
        const int64_t left_ns = due_ns - pov_clock_monotonic_ns();
        if (pov_cli_stop_requested())
            return false;
        if (left_ns <= 0)
            return true;
        const int64_t slice_ns = left_ns < POLL_MS * INT64_C(1000000) ? left_ns : POLL_MS * INT64_C(1000000);
        nanosleep(&(struct timespec){.tv_nsec = (long)slice_ns}, NULL);
    }
}

static pov_status print_message(player *self, const pov_recorded_event *event)
{
    pov_message message = {.observation = self->observation};
    if (event->topic != POV_RECORDED_OBSERVATION)
        return pov_ok();
    const pov_status status =
        pov_codec_decode(self->codec, &message, event->message.bytes, event->message.len);
    if (status.code != POV_OK) {
        pov_recording_note_damage(self->recording, &event->message, &status);
        return pov_ok();
    }
    self->messages++;
    return pov_json_write_observation(stdout, message.observation);
}

/* POV_END: asked to stop. */
static pov_status play_message(player *self, const pov_recorded_event *event)
{
    if (self->options->json)
        return print_message(self, event);
    if (event->topic > POV_RECORDED_ASK && event->topic != POV_RECORDED_VLM)
        return pov_ok();
    if (self->first_ns == INT64_MIN) {
        self->first_ns = event->message.log_ns;
        self->start_ns = pov_clock_monotonic_ns();
    }
    const double since_ns = ((double)event->message.log_ns - (double)self->first_ns) / self->options->rate;
    if (!wait_until(self, self->start_ns + (int64_t)fmax(0, fmin(since_ns, 1e18))))
        return pov_status_of(POV_END);
    pov_publisher_publish(self->publisher, pov_recorded_topic(event->topic), event->message.bytes,
                          event->message.len);
    self->messages++;
    return pov_ok();
}

static pov_status play_round(player *self)
{
    pov_mcap_reader *reader = pov_recording_reader(self->recording);
    self->first_ns = INT64_MIN;
    pov_recording_seek(self->recording, self->options->from_s > 0
                                            ? pov_mcap_reader_contents(reader)->first_ns +
                                                  (int64_t)(1e9 * self->options->from_s)
                                            : INT64_MIN);
    while (!pov_cli_stop_requested()) {
        pov_recorded_event event;
        const pov_status status = pov_recording_next(self->recording, &event);
        if (status.code == POV_END)
            return pov_ok();
        if (status.code == POV_SKIPPED)
            continue;
        POV_TRY(status);
        POV_TRY(play_message(self, &event));
    }
    return pov_status_of(POV_END);
}

static pov_status open_publisher(player *self)
{
    const replay_options *options = self->options;
    pov_publisher_config config = POV_PUBLISHER_DEFAULT;
    pov_door door;
    if (options->publish)
        config.endpoint = options->publish;
    POV_TRY(pov_door_choose(&door, &(pov_door_config){.endpoint = config.endpoint,
                                                      .keys = options->keys ? options->keys : "",
                                                      .insecure = options->insecure}));
    config.keys = door.keys[0] ? door.keys : NULL;
    POV_TRY(pov_publisher_new(&self->publisher, &config));
    fprintf(stderr, "publishes on %s to %s\n", pov_publisher_endpoint(self->publisher), door.who);
    while (!pov_cli_stop_requested() &&
           (int)pov_publisher_statistics_of(self->publisher).subscriptions < options->wait) {
        serve_subscribers(self);
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    return pov_ok();
}

static pov_status play_all(player *self, const char *path)
{
    self->observation = calloc(1, sizeof *self->observation);
    if (!self->observation)
        return pov_error("replay: out of memory");
    POV_TRY(pov_codec_new(&self->codec));
    POV_TRY(pov_recording_open(&self->recording, path));
    if (!self->options->json)
        POV_TRY(open_publisher(self));
    pov_status status;
    uint64_t before;
    do {
        before = self->messages;
        status = play_round(self);
    } while (status.code == POV_OK && self->options->loop && self->messages > before);
    const pov_status damage = pov_recording_damage(self->recording);
    if (status.code == POV_OK && self->messages == 0 && damage.code == POV_OK)
        return pov_error("%s: holds no %s%s", path,
                         self->options->json ? "observation" : "message of pov's wire",
                         self->options->from_s > 0 ? " after that time" : "");
    if (self->publisher)
        (void)pov_publisher_drain(self->publisher, DRAIN_MS);
    POV_THEN(status, damage);
    return status.code == POV_END ? pov_ok() : status;
}

static pov_status repair(const char *path)
{
    uint64_t cut;
    const pov_status status = pov_recording_repair(&cut, path);
    if (status.code == POV_OK)
        printf("%s: has an index now; %" PRIu64 " bytes of a cut record were removed from its end\n", path,
               cut);
    if (status.code == POV_END)
        printf("%s: has an index already\n", path);
    return status.code == POV_END ? pov_ok() : status;
}

static int run(int argc, char **argv)
{
    replay_options options = {.rate = 1};
    pov_words words;
    POV_OR_EXIT(pov_command_read(&options, &words, &pov_command_replay, argc, argv));
    pov_cli_catch_signals();
    player self = {.options = &options};
    const pov_status status = options.repair ? repair(words.word[0]) : play_all(&self, words.word[0]);
    if (self.publisher && status.code == POV_OK)
        fprintf(stderr, "%" PRIu64 " messages published\n", self.messages);
    pov_publisher_destroy(&self.publisher);
    pov_recording_close(&self.recording);
    pov_codec_destroy(&self.codec);
    free(self.observation);
    return pov_cli_exit(status);
}
