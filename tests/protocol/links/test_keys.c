#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "protocol/links/keys.h"
#include "protocol/links/publisher.h"
#include "protocol/links/subscriber.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zmq.h>

enum { PATIENCE_MS = 60000 };

typedef struct {
    char root[64], robot[80], laptop[80], stranger[80];
} machines;

static void assert_ok(pov_status status)
{
    if (status.code != POV_OK)
        fail_msg("%s", status.message);
}

static void assert_error(pov_status status, const char *part)
{
    assert_int_equal(status.code, POV_ERROR);
    if (!strstr(status.message, part))
        fail_msg("'%s' does not say '%s'", status.message, part);
}

static void make_machine(char folder[80], const machines *m, const char *name)
{
    pov_key made;
    snprintf(folder, 80, "%s/%s", m->root, name);
    assert_ok(pov_key_make(&made, folder, name));
}

static void introduce(const char *from, const char *to)
{
    char path[128];
    pov_key key;
    snprintf(path, sizeof path, "%s/self.key", from);
    assert_ok(pov_key_read(&key, path));
    assert_ok(pov_peer_allow(&key, to));
}

/* The robot allows the laptop; laptop and stranger know the robot. */
static int set_up(void **state)
{
    machines *m = calloc(1, sizeof *m);
    strcpy(m->root, "/tmp/pov-keys-XXXXXX");
    assert_non_null(mkdtemp(m->root));
    make_machine(m->robot, m, "robot");
    make_machine(m->laptop, m, "laptop");
    make_machine(m->stranger, m, "stranger");
    introduce(m->laptop, m->robot);
    introduce(m->robot, m->laptop);
    introduce(m->robot, m->stranger);
    *state = m;
    return 0;
}

static int tear_down(void **state)
{
    machines *m = *state;
    char command[96];
    snprintf(command, sizeof command, "rm -r '%s'", m->root);
    const int code = system(command);
    free(m);
    return code;
}

/* -------- files -------- */

static void a_secret_key_is_for_its_user_alone(void **state)
{
    const machines *m = *state;
    char path[128];
    struct stat facts;
    pov_key own;
    snprintf(path, sizeof path, "%s/self.key_secret", m->robot);
    assert_int_equal(stat(path, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0600);
    assert_int_equal(stat(m->robot, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0700);
    assert_ok(pov_key_read_own(&own, m->robot));
    assert_int_equal(chmod(path, 0640), 0);
    assert_error(pov_key_read_own(&own, m->robot), "chmod 600");
    assert_string_equal(own.secret_key, "");
    assert_int_equal(chmod(path, 0600), 0);
}

static void the_public_file_is_of_the_secret_key_and_has_no_secret(void **state)
{
    const machines *m = *state;
    char path[128], derived[POV_KEY_CAPACITY];
    pov_key own, copy;
    assert_ok(pov_key_read_own(&own, m->robot));
    snprintf(path, sizeof path, "%s/self.key", m->robot);
    assert_ok(pov_key_read(&copy, path));
    assert_int_equal(zmq_curve_public(derived, own.secret_key), 0); /* libzmq's own arithmetic */
    assert_string_equal(copy.public_key, derived);
    assert_string_equal(copy.secret_key, "");
    assert_string_equal(copy.name, "robot");
}

static void what_is_no_key_is_refused_by_name(void **state)
{
    (void)state;
    pov_key key;
    assert_error(pov_key_parse(&key, "a.key", "hello\n"), "a.key: no line of it is public-key");
    assert_error(pov_key_parse(&key, "a.key", "public-key = \"short\"\n"), "public-key");
    assert_error(
        pov_key_parse(&key, "a.key",
                      "name = \"../x\"\npublic-key = \"Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID\"\n"),
        "'../x'");
    assert_ok(pov_key_parse(&key, "a.key",
                            "public-key = 'Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID'")); /* RFC 32's form */
    assert_string_equal(key.name, "");
}

static void nothing_is_overwritten(void **state)
{
    const machines *m = *state;
    pov_key key;
    assert_error(pov_key_make(&key, m->robot, "other"), "has a key already");
    assert_ok(pov_key_read_own(&key, m->stranger));
    strcpy(key.name, "laptop");
    assert_error(pov_peer_allow(&key, m->robot), "has another key");
    assert_error(pov_peer_remove(m->robot, "nobody"), "lists the peers");
    assert_error(pov_peer_remove(m->robot, "../robot/self"), "not a peer's name");
}

/* -------- connections -------- */

static pov_publisher *publish_to_so_many(const machines *m, int connections_max)
{
    pov_publisher_config config = POV_PUBLISHER_DEFAULT;
    config.connections_max = connections_max;
    config.endpoint = "tcp://127.0.0.1:*";
    config.keys = m->robot;
    pov_publisher *publisher;
    assert_ok(pov_publisher_new(&publisher, &config));
    return publisher;
}

static pov_publisher *publish_with_keys(const machines *m)
{
    const pov_publisher_config usual = POV_PUBLISHER_DEFAULT;
    return publish_to_so_many(m, usual.connections_max);
}

static pov_subscriber *subscribe_as(const char *keys, pov_publisher *publisher)
{
    pov_subscriber *subscriber;
    assert_ok(pov_subscriber_new(
        &subscriber,
        &(pov_subscriber_config){.endpoint = pov_publisher_endpoint(publisher), .topic = "", .keys = keys}));
    return subscriber;
}

static void wait_for_subscriptions(pov_publisher *publisher, uint32_t count)
{
    for (int i = 0; i < PATIENCE_MS && pov_publisher_statistics_of(publisher).subscriptions != count; i++) {
        pov_publisher_poll(publisher);
        poll(NULL, 0, 1);
    }
    assert_int_equal(pov_publisher_statistics_of(publisher).subscriptions, count);
}

static pov_status receive(pov_publisher *publisher, pov_subscriber *subscriber, int patience_ms)
{
    const uint8_t *bytes;
    size_t length;
    pov_status status = pov_status_of(POV_TIMEOUT);
    for (int i = 0; i < patience_ms / 10 && status.code == POV_TIMEOUT; i++) {
        pov_publisher_publish(publisher, "health", (const uint8_t *)"secret", 6);
        status = pov_subscriber_next(subscriber, &bytes, &length, 10);
    }
    if (status.code == POV_OK)
        assert_memory_equal(bytes, "secret", 6);
    return status;
}

static void an_allowed_peer_gets_messages(void **state)
{
    pov_publisher *publisher = publish_with_keys(*state);
    pov_subscriber *subscriber = subscribe_as(((machines *)*state)->laptop, publisher);
    wait_for_subscriptions(publisher, 1);
    assert_ok(receive(publisher, subscriber, PATIENCE_MS));
    assert_int_equal(pov_publisher_statistics_of(publisher).refused, 0);
    pov_subscriber_destroy(&subscriber);
    pov_publisher_destroy(&publisher);
}

/* A key counts, not its connections. */
static void all_connections_of_a_key_share_its_topics(void **state)
{
    enum { TOPICS = 32 };
    const machines *m = *state;
    pov_publisher *publisher = publish_with_keys(m);
    introduce(m->stranger, m->robot);
    pov_subscriber *subscribers[TOPICS + 1], *other;
    for (int i = 0; i <= TOPICS; i++)
        subscribers[i] = subscribe_as(m->laptop, publisher);
    for (int i = 0; i < PATIENCE_MS && pov_publisher_statistics_of(publisher).refused == 0; i++) {
        pov_publisher_poll(publisher);
        poll(NULL, 0, 1);
    }
    wait_for_subscriptions(publisher, TOPICS);
    assert_int_equal(pov_publisher_statistics_of(publisher).refused, 1);
    other = subscribe_as(m->stranger, publisher);
    wait_for_subscriptions(publisher, TOPICS + 1);
    assert_ok(receive(publisher, other, PATIENCE_MS));
    for (int i = 0; i <= TOPICS; i++)
        pov_subscriber_destroy(&subscribers[i]);
    pov_subscriber_destroy(&other);
    pov_publisher_destroy(&publisher);
}

/* They are of one address, and would fill the places of it. */
static void many_connections_of_one_key_do_not_keep_another_out(void **state)
{
    enum { PLACES = 32, GREEDY = 40 };
    const machines *m = *state;
    pov_publisher *publisher = publish_to_so_many(m, PLACES);
    introduce(m->stranger, m->robot);
    pov_subscriber *greedy[GREEDY], *other;
    for (int i = 0; i < GREEDY; i++)
        greedy[i] = subscribe_as(m->laptop, publisher);
    for (int i = 0; i < PATIENCE_MS && pov_publisher_statistics_of(publisher).refused == 0; i++) {
        pov_publisher_poll(publisher);
        poll(NULL, 0, 1);
    }
    other = subscribe_as(m->stranger, publisher);
    assert_ok(receive(publisher, other, PATIENCE_MS));
    for (int i = 0; i < GREEDY; i++)
        pov_subscriber_destroy(&greedy[i]);
    pov_subscriber_destroy(&other);
    pov_publisher_destroy(&publisher);
}

static void others_get_nothing_and_are_told(void **state)
{
    const machines *m = *state;
    pov_publisher *publisher = publish_with_keys(m);
    pov_subscriber *stranger = subscribe_as(m->stranger, publisher), *plain = subscribe_as(NULL, publisher);
    assert_error(receive(publisher, stranger, PATIENCE_MS), "does not allow this machine's key");
    assert_error(receive(publisher, plain, PATIENCE_MS), "--server NAME");
    assert_int_equal(pov_publisher_statistics_of(publisher).subscriptions, 0);
    assert_true(pov_publisher_statistics_of(publisher).refused >= 1);
    pov_subscriber_destroy(&stranger);
    pov_subscriber_destroy(&plain);
    pov_publisher_destroy(&publisher);
}

static void a_publisher_with_another_key_is_not_taken_for_the_one_known(void **state)
{
    machines impostor = *(machines *)*state;
    strcpy(impostor.robot, impostor.stranger);
    pov_publisher *publisher = publish_with_keys(&impostor);
    pov_subscriber *subscriber = subscribe_as(impostor.laptop, publisher);
    assert_error(receive(publisher, subscriber, PATIENCE_MS), "its key is not the one");
    pov_subscriber_destroy(&subscriber);
    pov_publisher_destroy(&publisher);
}

static void allowing_and_removing_take_effect_while_it_runs(void **state)
{
    const machines *m = *state;
    pov_publisher *publisher = publish_with_keys(m);
    introduce(m->stranger, m->robot);
    pov_subscriber *subscriber = subscribe_as(m->stranger, publisher);
    wait_for_subscriptions(publisher, 1);
    assert_ok(receive(publisher, subscriber, PATIENCE_MS));
    assert_ok(pov_peer_remove(m->robot, "stranger"));
    wait_for_subscriptions(publisher, 0);
    pov_subscriber_destroy(&subscriber);
    subscriber = subscribe_as(m->stranger, publisher);
    assert_error(receive(publisher, subscriber, PATIENCE_MS), "does not allow");
    pov_subscriber_destroy(&subscriber);
    pov_publisher_destroy(&publisher);
}

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static const char *wait_for_news(pov_publisher *publisher)
{
    for (int i = 0; i < PATIENCE_MS; i++) {
        const char *news = pov_publisher_news(publisher);
        if (news)
            return news;
        pov_publisher_poll(publisher);
        poll(NULL, 0, 1);
    }
    fail_msg("no news of the keys");
    return "";
}

/* As a copy over a slow network comes: first its name, then its bytes, which do not change the folder's time. */
static void a_key_that_arrives_late_locks_nobody_out_for_good(void **state)
{
    const machines *m = *state;
    char late[128];
    pov_publisher *publisher = publish_with_keys(m);
    pov_subscriber *subscriber = subscribe_as(m->laptop, publisher);
    assert_ok(receive(publisher, subscriber, PATIENCE_MS));
    snprintf(late, sizeof late, "%s/peers/late.key", m->robot);
    write_text(late, "");
    assert_non_null(strstr(wait_for_news(publisher), "late.key: is empty"));
    assert_ok(receive(publisher, subscriber, PATIENCE_MS));
    assert_int_equal(pov_publisher_statistics_of(publisher).subscriptions, 1); /* it was not cut off */
    pov_subscriber_destroy(&subscriber);
    char command[256];
    snprintf(command, sizeof command, "cat '%s/self.key' > '%s'", m->stranger, late);
    assert_int_equal(system(command), 0);
    for (int i = 0; i < 64; i++) /* more polls than until it looks again */
        pov_publisher_poll(publisher);
    subscriber = subscribe_as(m->stranger, publisher);
    assert_ok(receive(publisher, subscriber, PATIENCE_MS));
    assert_null(pov_publisher_news(publisher));
    pov_subscriber_destroy(&subscriber);
    pov_publisher_destroy(&publisher);
}

static void what_is_no_key_among_the_peers_locks_nobody_out_and_is_named(void **state)
{
    const machines *m = *state;
    char path[160];
    static const char *const names[] = {"half.key", "folder.key", "zero.key",
                                        "pipe.key", "lost.key",   "my laptop.key"};
    snprintf(path, sizeof path, "%s/peers/half.key", m->robot);
    write_text(path,
               "#   pov: a ZeroMQ CURVE public key\nmetadata\n    name = \"half\"\ncurve\n    public-k");
    snprintf(path, sizeof path, "%s/peers/my laptop.key", m->robot);
    write_text(path, "public-key = 'Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID'\n");
    snprintf(path, sizeof path, "%s/peers/folder.key", m->robot);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(path, sizeof path, "%s/peers/pipe.key", m->robot);
    assert_int_equal(mkfifo(path, 0600), 0);
    snprintf(path, sizeof path, "%s/peers/zero.key", m->robot);
    assert_int_equal(symlink("/dev/zero", path), 0);
    snprintf(path, sizeof path, "%s/peers/lost.key", m->robot);
    assert_int_equal(symlink("/nowhere", path), 0);
    pov_publisher *publisher = publish_with_keys(m);
    const char *news = wait_for_news(publisher);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strstr(news, names[i]))
            fail_msg("'%s' does not name %s", news, names[i]);
    assert_null(pov_publisher_news(publisher)); /* once */
    pov_subscriber *subscriber = subscribe_as(m->laptop, publisher);
    assert_ok(receive(publisher, subscriber, PATIENCE_MS));
    pov_subscriber_destroy(&subscriber);
    pov_publisher_destroy(&publisher);
}

static void a_key_asked_for_by_name_that_cannot_be_read_is_named(void **state)
{
    const machines *m = *state;
    char path[160];
    pov_key peer;
    snprintf(path, sizeof path, "%s/peers/other.key", m->laptop);
    write_text(path, "");
    assert_ok(pov_peer_find(&peer, m->laptop, "robot"));
    assert_error(pov_peer_find(&peer, m->laptop, "other"), "other.key: is empty");
}

static void write_pair(const char *folder, const char *public_key, const char *secret_key)
{
    char path[128], text[256];
    snprintf(path, sizeof path, "%s/self.key_secret", folder);
    snprintf(text, sizeof text, "name = \"robot\"\npublic-key = \"%s\"\nsecret-key = \"%s\"\n", public_key,
             secret_key);
    write_text(path, text);
}

static void a_secret_key_of_another_public_key_is_refused(void **state)
{
    const machines *m = *state;
    pov_key robot, stranger, read;
    assert_ok(pov_key_read_own(&robot, m->robot));
    assert_ok(pov_key_read_own(&stranger, m->stranger));
    write_pair(m->robot, robot.public_key, stranger.secret_key);
    assert_error(pov_key_read_own(&read, m->robot), "does not belong to its public key");
    assert_string_equal(read.secret_key, "");
    write_pair(m->robot, stranger.public_key, stranger.secret_key); /* a pair, and not that of self.key */
    assert_error(pov_key_read_own(&read, m->robot), "is not the public key of");
    write_pair(m->robot, robot.public_key, robot.secret_key);
    assert_ok(pov_key_read_own(&read, m->robot));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_secret_key_is_for_its_user_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_public_file_is_of_the_secret_key_and_has_no_secret, set_up,
                                        tear_down),
        cmocka_unit_test(what_is_no_key_is_refused_by_name),
        cmocka_unit_test_setup_teardown(nothing_is_overwritten, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_allowed_peer_gets_messages, set_up, tear_down),
        cmocka_unit_test_setup_teardown(all_connections_of_a_key_share_its_topics, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_connections_of_one_key_do_not_keep_another_out, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(others_get_nothing_and_are_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_publisher_with_another_key_is_not_taken_for_the_one_known, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(allowing_and_removing_take_effect_while_it_runs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_key_that_arrives_late_locks_nobody_out_for_good, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_no_key_among_the_peers_locks_nobody_out_and_is_named, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_key_asked_for_by_name_that_cannot_be_read_is_named, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_secret_key_of_another_public_key_is_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
