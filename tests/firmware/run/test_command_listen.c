#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "firmware/commands.h"
#include "protocol/links/publisher.h"
#include "protocol/observation/message.h"
#include "tests/support/random_observation.h"

#include <cJSON.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_MS = 120000, ARGUMENTS_MAX = 12 };

static pov_observation observation;
static pov_codec *codec;

typedef struct {
    pid_t child;
    FILE *out, *err;
} run;

/* `pov listen ARGUMENTS` in a process of its own; what it prints goes to files. */
static run start(const char *const arguments[])
{
    run self = {.out = tmpfile(), .err = tmpfile()};
    char *argv[ARGUMENTS_MAX] = {(char *)"listen"};
    int argc = 1;
    for (; arguments[argc - 1] != NULL; argc++)
        argv[argc] = (char *)arguments[argc - 1];
    fflush(NULL);
    self.child = fork();
    if (self.child == 0) {
        dup2(fileno(self.out), STDOUT_FILENO);
        dup2(fileno(self.err), STDERR_FILENO);
        int status = pov_command_listen.run(argc, argv);
        fflush(NULL);
        _exit(status);
    }
    return self;
}

static void take_text(char *text, size_t capacity, FILE *file)
{
    rewind(file);
    size_t length = fread(text, 1, capacity - 1, file);
    text[length] = '\0';
    fclose(file);
}

static char out[1 << 20], err[4096];

/* Exit status; what was printed is in out and err. */
static int finish(const run *self)
{
    int status;
    waitpid(self->child, &status, 0);
    take_text(out, sizeof out, self->out);
    take_text(err, sizeof err, self->err);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* A publisher has threads, and a process is best forked before there are any: it opens after the listener starts. */
static char endpoint[64];

static pov_publisher *open_publisher(void)
{
    pov_publisher_config config = POV_PUBLISHER_DEFAULT;
    config.endpoint = endpoint;
    pov_publisher *publisher;
    assert_int_equal(pov_publisher_new(&publisher, &config).code, POV_OK);
    return publisher;
}

static void wait_for_subscription(pov_publisher *publisher)
{
    for (int i = 0; i < PATIENCE_MS && pov_publisher_statistics_of(publisher).subscriptions == 0; i++) {
        pov_publisher_poll(publisher);
        poll(NULL, 0, 1);
    }
    assert_int_equal(pov_publisher_statistics_of(publisher).subscriptions, 1);
}

static void publish_observation(pov_publisher *publisher, uint64_t lost)
{
    static uint8_t copy[1 << 20];
    const uint8_t *bytes;
    size_t length;
    pov_status status = pov_codec_encode_observation(codec, &bytes, &length, &observation);
    assert_string_equal(status.message, "");
    memcpy(copy, bytes, length);
    length += pov_message_encode_lost(copy + length, lost);
    pov_publisher_publish(publisher, POV_TOPIC_OBSERVATION, copy, length);
}

static void publish_health(pov_publisher *publisher)
{
    const uint8_t *bytes;
    size_t length;
    pov_health health = {.images_processed = 12345, .rate_hz = 29.5};
    assert_int_equal(pov_codec_encode_health(codec, &bytes, &length, &health).code, POV_OK);
    pov_publisher_publish(publisher, POV_TOPIC_HEALTH, bytes, length);
}

static char folder[] = "/tmp/pov-listen-XXXXXX";

static int make_observation(void **state)
{
    (void)state;
    if (mkdtemp(folder) == NULL)
        return -1;
    snprintf(endpoint, sizeof endpoint, "ipc://%s/wire", folder);
    test_random random = {31};
    test_random_observation(&random, &observation, 3, 3);
    strcpy(observation.image.name, "one.png");
    static const char *const names[] = {"cup", "car", "ann"};
    static const pov_verdict verdicts[] = {POV_TRUE, POV_FALSE, POV_ABSTAIN};
    static const pov_relation relations[] = {POV_LEFT_OF, POV_RIGHT_OF, POV_BEHIND};
    for (int i = 0; i < 3; i++) {
        strcpy(observation.scene.entities[i].name, names[i]);
        observation.judgments[i] = (pov_judgment){
            .query = {.referent = 0,
                      .relatum = {1},
                      .relatum_len = 1,
                      .viewer = 2,
                      .relation = pov_relation_info_of(relations[i]),
                      .convention = POV_REFLECTED},
            .belief = {.p = 0.5, .p_std = 0.5, .verdict = verdicts[i]},
            .theta_rad = POV_PI / 2,
        };
    }
    return pov_codec_new(&codec).code == POV_OK ? 0 : -1;
}

static int close_codec(void **state)
{
    (void)state;
    pov_codec_destroy(&codec);
    rmdir(folder);
    return 0;
}

static void text_shows_what_holds_marks_abstentions_and_warns_of_loss(void **state)
{
    (void)state;
    run self = start((const char *[]){"--connect", endpoint, "--count", "1", NULL});
    pov_publisher *publisher = open_publisher();
    wait_for_subscription(publisher);
    publish_health(publisher); /* not asked for */
    publish_observation(publisher, 7);
    assert_int_equal(finish(&self), 0);
    assert_non_null(strstr(out, "one.png"));
    assert_non_null(strstr(out, "cup to car:"));
    assert_non_null(strstr(out, " left_of"));
    assert_null(strstr(out, "right_of"));
    assert_non_null(strstr(out, "?behind"));
    assert_non_null(strstr(err, "7 messages lost"));
    pov_publisher_destroy(&publisher);
}

static void json_has_one_object_a_line(void **state)
{
    (void)state;
    run self =
        start((const char *[]){"--connect", endpoint, "--json", "--topic", "all", "--count", "2", NULL});
    pov_publisher *publisher = open_publisher();
    wait_for_subscription(publisher);
    publish_observation(publisher, 0);
    publish_health(publisher);
    assert_int_equal(finish(&self), 0);
    assert_string_equal(err, "");
    char *second = strchr(out, '\n') + 1;
    second[-1] = '\0';
    cJSON *first_object = cJSON_Parse(out), *second_object = cJSON_Parse(second);
    assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(first_object, "judgments")), 3);
    const cJSON *health = cJSON_GetObjectItem(second_object, "health");
    assert_true(cJSON_GetNumberValue(cJSON_GetObjectItem(health, "images_processed")) == 12345);
    cJSON_Delete(first_object);
    cJSON_Delete(second_object);
    pov_publisher_destroy(&publisher);
}

static void an_interrupt_ends_it_with_success(void **state)
{
    (void)state;
    run self = start((const char *[]){"--connect", endpoint, NULL});
    pov_publisher *publisher = open_publisher();
    wait_for_subscription(publisher);
    kill(self.child, SIGINT);
    assert_int_equal(finish(&self), 0);
    pov_publisher_destroy(&publisher);
}

static void silence_ends_it_with_the_endpoint_named(void **state)
{
    (void)state;
    run self = start((const char *[]){"--connect", "tcp://127.0.0.1:1", "--timeout", "0.05", NULL});
    assert_int_equal(finish(&self), 1);
    assert_non_null(strstr(err, "tcp://127.0.0.1:1"));
    assert_non_null(strstr(err, "is pov running"));
}

static void bytes_of_someone_else_are_skipped_with_warnings_that_become_rare(void **state)
{
    (void)state;
    run self = start((const char *[]){"--connect", endpoint, "--count", "1", NULL});
    pov_publisher *publisher = open_publisher();
    wait_for_subscription(publisher);
    for (int i = 0; i < 5; i++)
        pov_publisher_publish(publisher, "observation", (const uint8_t *)"hello", 5);
    publish_observation(publisher, 0);
    assert_int_equal(finish(&self), 0);
    assert_non_null(strstr(out, "one.png"));
    assert_non_null(strstr(err, "not a protobuf Envelope"));
    assert_non_null(strstr(err, "skipped 1 message that"));
    assert_non_null(strstr(err, "skipped 4 messages that"));
    assert_null(strstr(err, "skipped 5"));
    pov_publisher_destroy(&publisher);
}

static void wrong_usage_is_named_and_help_shows_examples(void **state)
{
    (void)state;
    static const struct {
        const char *arguments[3];
        const char *named;
    } wrong[] = {
        {{"--topic", "weather", NULL}, "not 'weather'"},
        {{"--count", "0", NULL}, "--count: takes a whole number of at least 1, not '0'"},
        {{"--count", "-3", NULL}, "not '-3'"},
        {{"--timeout", "soon", NULL}, "--timeout: takes a number"},
        {{"extra", NULL}, "'extra'"},
        {{"--nonsense", NULL}, "nonsense"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        run self = start(wrong[i].arguments);
        assert_int_equal(finish(&self), 2);
        assert_non_null(strstr(err, wrong[i].named));
        assert_string_equal(out, "");
    }
    run nonsense = start((const char *[]){"--connect", "nonsense", NULL});
    assert_int_equal(finish(&nonsense), 1);
    assert_non_null(strstr(err, "'nonsense' is not an endpoint"));
    run help = start((const char *[]){"--help", NULL});
    assert_int_equal(finish(&help), 0);
    assert_non_null(strstr(out, "pov listen --json --count 1"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_shows_what_holds_marks_abstentions_and_warns_of_loss),
        cmocka_unit_test(json_has_one_object_a_line),
        cmocka_unit_test(an_interrupt_ends_it_with_success),
        cmocka_unit_test(silence_ends_it_with_the_endpoint_named),
        cmocka_unit_test(bytes_of_someone_else_are_skipped_with_warnings_that_become_rare),
        cmocka_unit_test(wrong_usage_is_named_and_help_shows_examples),
    };
    return cmocka_run_group_tests(tests, make_observation, close_codec);
}
