/* The documented Python subscriber, as a reader would run it, against a publisher. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "protocol/links/publisher.h"
#include "protocol/observation/message.h"
#include "tests/support/random_observation.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_MS = 120000 };

static pov_observation observation;

static bool can_run(const char *command)
{
    return system(command) == 0;
}

/* The reading end of what the child prints. */
static int start_subscriber(pid_t *child, const char *folder, const char *endpoint)
{
    char script[4096];
    snprintf(script, sizeof script, "%s/docs/examples/subscribe.py", getenv("POV_SOURCE"));
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    setenv("PYTHONPATH", folder, 1);
    *child = fork();
    if (*child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execl("/usr/bin/python3", "/usr/bin/python3", script, endpoint, (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    return ends[0];
}

static void publish_when_it_listens(pov_publisher *publisher)
{
    pov_codec *codec;
    const uint8_t *bytes;
    size_t length;
    for (int i = 0; i < PATIENCE_MS && pov_publisher_statistics_of(publisher).subscriptions == 0; i++) {
        pov_publisher_poll(publisher);
        poll(NULL, 0, 1);
    }
    assert_int_equal(pov_codec_new(&codec).code, POV_OK);
    pov_status status = pov_codec_encode_observation(codec, &bytes, &length, &observation);
    assert_string_equal(status.message, "");
    pov_publisher_publish(publisher, POV_TOPIC_OBSERVATION, bytes, length);
    pov_codec_destroy(&codec);
}

static void make_observation(void)
{
    test_random random = {21};
    test_random_observation(&random, &observation, 3, 3);
    static const char *const names[] = {"red_ball", "b\xc3\xa4r", "camera"};
    for (int i = 0; i < 3; i++) {
        strcpy(observation.scene.entities[i].name, names[i]);
        observation.judgments[i].query = (pov_query){.referent = 0,
                                                     .relatum = {1},
                                                     .relatum_len = 1,
                                                     .relation = pov_relation_info_of(POV_IN_FRONT_OF),
                                                     .perspective = POV_INTRINSIC,
                                                     .viewer = POV_ID_NONE,
                                                     .convention = POV_NO_CONVENTION,
                                                     .axis = POV_HEADING};
        observation.judgments[i].belief =
            (pov_belief){.p = 0.25 * i, .verdict = i == 2 ? POV_TRUE : POV_FALSE};
        observation.judgments[i].theta_rad = observation.judgments[i].theta_std_rad = 0;
    }
    strcpy(observation.image.name, "image \xe6\x9c\xba.png");
    observation.image.capture_ns = INT64_C(1764000000123456789);
}

static void the_documented_python_subscriber_reads_an_observation(void **state)
{
    (void)state;
    if (getenv("POV_SOURCE") == NULL || !can_run("/usr/bin/python3 -c 'import zmq, google.protobuf' "
                                                 "2>/dev/null && command -v protoc >/dev/null")) {
        print_message("skipped: needs python3-zmq, python3-protobuf, protobuf-compiler and POV_SOURCE\n");
        skip();
    }
    char folder[] = "/tmp/pov-python-XXXXXX", command[4200];
    assert_non_null(mkdtemp(folder));
    snprintf(command, sizeof command, "cd '%s' && protoc --python_out=%s -I protocol protocol/pov.proto",
             getenv("POV_SOURCE"), folder);
    assert_true(can_run(command));
    make_observation();
    pov_publisher_config config = POV_PUBLISHER_DEFAULT;
    config.endpoint = "tcp://127.0.0.1:*";
    pov_publisher *publisher;
    assert_int_equal(pov_publisher_new(&publisher, &config).code, POV_OK);
    pid_t child;
    FILE *output = fdopen(start_subscriber(&child, folder, pov_publisher_endpoint(publisher)), "r");
    publish_when_it_listens(publisher);
    char header[256] = "", judgment[256] = "";
    assert_non_null(fgets(header, sizeof header, output));
    assert_non_null(fgets(judgment, sizeof judgment, output));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_string_equal(header, "image \xe6\x9c\xba.png at 1764000000123456789 ns, 0 lost before it\n");
    assert_string_equal(judgment, "  red_ball in_front_of b\xc3\xa4r: intrinsic none heading p 0.500\n");
    fclose(output);
    pov_publisher_destroy(&publisher);
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    assert_true(can_run(command));
}

static void read_source(char *text, size_t capacity, const char *path)
{
    char whole_path[4096];
    snprintf(whole_path, sizeof whole_path, "%s/%s", getenv("POV_SOURCE"), path);
    FILE *file = fopen(whole_path, "r");
    assert_non_null(file);
    text[fread(text, 1, capacity - 1, file)] = '\0';
    fclose(file);
}

static void the_document_shows_this_subscriber(void **state)
{
    (void)state;
    static char document[1 << 16], script[1 << 12];
    if (getenv("POV_SOURCE") == NULL)
        skip();
    read_source(document, sizeof document, "docs/WIRE.md");
    read_source(script, sizeof script, "docs/examples/subscribe.py");
    assert_true(strlen(script) > 100);
    assert_non_null(strstr(document, script));
    int lines = 0;
    for (const char *c = script; *c != '\0'; c++)
        lines += *c == '\n';
    assert_in_range(lines, 1, 25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_documented_python_subscriber_reads_an_observation),
        cmocka_unit_test(the_document_shows_this_subscriber),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
