#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "protocol/links/publisher.h"
#include "protocol/links/subscriber.h"
#include "protocol/observation/message.h"
#include "tests/support/reserved_port.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

enum { PATIENCE_MS = 120000 };

/* Its memory is the sanitizer\'s. */
#ifdef POV_SANITIZED
enum { IS_SANITIZED = true };
#else
enum { IS_SANITIZED = false };
#endif

static void assert_ok(pov_status status)
{
    if (status.code != POV_OK)
        fail_msg("%s", status.message);
}

static pov_publisher *publisher_on(const char *endpoint, int queue_capacity)
{
    pov_publisher_config config = POV_PUBLISHER_DEFAULT;
    config.endpoint = endpoint;
    config.queue_capacity = queue_capacity;
    pov_publisher *publisher;
    assert_ok(pov_publisher_new(&publisher, &config));
    return publisher;
}

static pov_subscriber *subscriber_to(pov_publisher *publisher, const char *topic)
{
    pov_subscriber *subscriber;
    assert_ok(pov_subscriber_new(
        &subscriber,
        &(pov_subscriber_config){.endpoint = pov_publisher_endpoint(publisher), .topic = topic}));
    return subscriber;
}

static void wait_for_subscriptions(pov_publisher *publisher, uint32_t count)
{
    for (int i = 0; i < PATIENCE_MS; i++) {
        pov_publisher_poll(publisher);
        if (pov_publisher_statistics_of(publisher).subscriptions == count)
            return;
        poll(NULL, 0, 1);
    }
    fail_msg("%u subscriptions instead of %u", pov_publisher_statistics_of(publisher).subscriptions, count);
}

static void publish_number(pov_publisher *publisher, const char *topic, uint32_t number)
{
    pov_publisher_publish(publisher, topic, (const uint8_t *)&number, sizeof number);
}

/* A subscription that is counted may still be that of one who has gone: what is published then comes to nobody. */
static void publish_until_it_comes(pov_publisher *publisher, pov_subscriber *subscriber, const char *topic)
{
    const uint8_t *bytes;
    size_t length;
    for (int i = 0; i < PATIENCE_MS / 10; i++) {
        publish_number(publisher, topic, 1);
        pov_publisher_poll(publisher);
        const pov_status status = pov_subscriber_next(subscriber, &bytes, &length, 10);
        if (status.code == POV_OK)
            return;
        assert_int_equal(status.code, POV_TIMEOUT);
    }
    fail_msg("nothing came");
}

static uint32_t next_number(pov_publisher *publisher, pov_subscriber *subscriber)
{
    const uint8_t *bytes;
    size_t length;
    uint32_t number;
    for (int i = 0; i < PATIENCE_MS / 10; i++) {
        pov_publisher_poll(publisher);
        pov_status status = pov_subscriber_next(subscriber, &bytes, &length, 10);
        if (status.code == POV_TIMEOUT)
            continue;
        assert_ok(status);
        assert_int_equal(length, sizeof number);
        memcpy(&number, bytes, sizeof number);
        return number;
    }
    fail_msg("nothing came");
    return 0;
}

static void assert_nothing_comes(pov_subscriber *subscriber)
{
    const uint8_t *bytes;
    size_t length;
    assert_int_equal(pov_subscriber_next(subscriber, &bytes, &length, 50).code, POV_TIMEOUT);
}

static void a_subscriber_that_reads_gets_all_in_order_over(const char *endpoint)
{
    pov_publisher *publisher = publisher_on(endpoint, 64);
    pov_subscriber *subscriber = subscriber_to(publisher, "observation");
    wait_for_subscriptions(publisher, 1);
    for (uint32_t i = 0; i < 500; i++) {
        publish_number(publisher, "observation", i);
        assert_int_equal(next_number(publisher, subscriber), i);
    }
    assert_int_equal(pov_publisher_statistics_of(publisher).sent, 500);
    assert_int_equal(pov_publisher_statistics_of(publisher).lost, 0);
    pov_subscriber_destroy(&subscriber);
    wait_for_subscriptions(publisher, 0);
    pov_publisher_destroy(&publisher);
}

static void a_subscriber_that_reads_gets_all_over_tcp(void **state)
{
    (void)state;
    a_subscriber_that_reads_gets_all_in_order_over("tcp://127.0.0.1:*");
}

static void a_subscriber_that_reads_gets_all_over_tcp6(void **state)
{
    (void)state;
    pov_publisher_config config = POV_PUBLISHER_DEFAULT;
    config.endpoint = "tcp://[::1]:*";
    pov_publisher *publisher;
    if (pov_publisher_new(&publisher, &config).code != POV_OK) {
        print_message("skipped: no IPv6 here\n");
        skip();
    }
    pov_publisher_destroy(&publisher);
    a_subscriber_that_reads_gets_all_in_order_over("tcp://[::1]:*");
}

static void a_subscriber_that_reads_gets_all_over_ipc(void **state)
{
    (void)state;
    a_subscriber_that_reads_gets_all_in_order_over("ipc://*");
}

static void topics_are_prefixes_and_each_subscription_gets_its_own(void **state)
{
    (void)state;
    pov_publisher *publisher = publisher_on("tcp://127.0.0.1:*", 64);
    static const char *const topics[] = {"", "obs", "observation", "health", "observations"};
    static const int expected[][4] = {{1, 2, 3, -1}, {1, 3, -1}, {1, 3, -1}, {2, -1}, {-1}};
    pov_subscriber *subscribers[5];
    for (int i = 0; i < 5; i++)
        subscribers[i] = subscriber_to(publisher, topics[i]);
    wait_for_subscriptions(publisher, 5);
    publish_number(publisher, "observation", 1);
    publish_number(publisher, "health", 2);
    publish_number(publisher, "observation", 3);
    for (int i = 0; i < 5; i++) {
        for (int j = 0; expected[i][j] >= 0; j++)
            assert_int_equal(next_number(publisher, subscribers[i]), expected[i][j]);
        assert_nothing_comes(subscribers[i]);
        pov_subscriber_destroy(&subscribers[i]);
    }
    pov_publisher_destroy(&publisher);
}

/* Raw bytes of SUB's own socket: what a subscriber in another language sees. */
static void an_address_begins_with_what_was_asked_and_ends_with_the_topic(void **state)
{
    (void)state;
    pov_publisher *publisher = publisher_on("tcp://127.0.0.1:*", 64);
    void *context = zmq_ctx_new(), *socket = zmq_socket(context, ZMQ_SUB);
    assert_int_equal(zmq_setsockopt(socket, ZMQ_SUBSCRIBE, "obs", 3), 0);
    assert_int_equal(zmq_connect(socket, pov_publisher_endpoint(publisher)), 0);
    wait_for_subscriptions(publisher, 1);
    publish_number(publisher, "observation", 7);
    char address[100] = "";
    assert_true(zmq_recv(socket, address, sizeof address - 1, 0) > 0);
    assert_memory_equal(address, "obs\x1f", 4);
    assert_string_equal(strrchr(address, '\x1f') + 1, "observation");
    assert_int_equal(zmq_setsockopt(socket, ZMQ_UNSUBSCRIBE, "obs", 3), 0);
    wait_for_subscriptions(publisher, 0);
    zmq_close(socket);
    zmq_ctx_term(context);
    pov_publisher_destroy(&publisher);
}

/* Health messages of 200 kB (field 15, unknown to readers, is padding): a few fill the kernel's buffers. */
enum { BULKY = 200000 };
static uint8_t *bulky_message(size_t *length)
{
    static const uint8_t start[] = {0x08, POV_SCHEMA_VERSION, 0x2a, 0x00, 0x7a, 0xc0, 0x9a,
                                    0x0c}; /* 200000 as a varint */
    uint8_t *bytes = calloc(1, sizeof start + BULKY);
    memcpy(bytes, start, sizeof start);
    *length = sizeof start + BULKY;
    return bytes;
}

/* Until what was received and what is told to be lost are all that were sent. */
static void read_all(pov_publisher *publisher, pov_subscriber *subscriber, uint64_t *received, uint64_t *lost,
                     uint64_t sent)
{
    pov_codec *codec;
    assert_ok(pov_codec_new(&codec));
    const uint8_t *bytes;
    size_t length;
    *received = *lost = 0;
    for (int idle = 0; idle < PATIENCE_MS / 10 && *received + *lost < sent;) {
        pov_publisher_poll(publisher);
        pov_status status = pov_subscriber_next(subscriber, &bytes, &length, 10);
        idle = status.code == POV_TIMEOUT ? idle + 1 : 0;
        if (status.code == POV_TIMEOUT)
            continue;
        pov_message message = {.observation = NULL};
        assert_ok(pov_codec_decode(codec, &message, bytes, length));
        (*received)++;
        *lost += message.lost;
    }
    assert_int_equal(*received + *lost, sent);
    assert_nothing_comes(subscriber);
    pov_codec_destroy(&codec);
}

static void one_that_does_not_read_loses_its_oldest_and_is_told_how_many(void **state)
{
    (void)state;
    enum { SENT = 400 };
    pov_publisher *publisher = publisher_on("tcp://127.0.0.1:*", 16);
    pov_subscriber *slow = subscriber_to(publisher, "health"), *other = subscriber_to(publisher, "other");
    wait_for_subscriptions(publisher, 2);
    size_t length;
    uint8_t *bytes = bulky_message(&length);
    for (uint32_t i = 0; i < SENT; i++) {
        pov_publisher_publish(publisher, "health", bytes, length);
        publish_number(publisher, "other", i);
        assert_int_equal(next_number(publisher, other), i);
    }
    pov_publisher_statistics before = pov_publisher_statistics_of(publisher);
    assert_true(before.lost > 100);
    uint64_t received, lost;
    read_all(publisher, slow, &received, &lost, SENT);
    assert_int_equal(lost, before.lost);
    assert_int_equal(pov_publisher_statistics_of(publisher).sent, received + SENT);
    free(bytes);
    pov_subscriber_destroy(&slow);
    pov_subscriber_destroy(&other);
    pov_publisher_destroy(&publisher);
}

static void what_waits_is_bounded_in_bytes_and_shared(void **state)
{
    (void)state;
    enum { SENT = 800, SLOW = 5 }; /* 160 MB each, if all were kept */
    pov_publisher *publisher = publisher_on("ipc://*", 1000);
    pov_subscriber *slow[SLOW];
    for (int i = 0; i < SLOW; i++)
        slow[i] = subscriber_to(publisher, "");
    wait_for_subscriptions(publisher, SLOW);
    size_t length;
    uint8_t *bytes = bulky_message(&length);
    for (uint32_t i = 0; i < SENT; i++)
        pov_publisher_publish(publisher, "health", bytes, length);
    for (int i = 0; i < SLOW; i++) {
        uint64_t received, lost;
        read_all(publisher, slow[i], &received, &lost, SENT);
        assert_true(lost > 300 && received > 64000000 / BULKY);
        pov_subscriber_destroy(&slow[i]);
    }
    free(bytes);
    pov_publisher_destroy(&publisher);
}

/* A process that subscribes to what it reads from a pipe, and never reads messages. Forked while there are no other
 * threads: a lock that one of them held would stay locked in the child. */
static pid_t fork_subscriber(int *endpoint_end)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        char endpoint[256] = "";
        pov_subscriber *subscriber;
        if (read(ends[0], endpoint, sizeof endpoint - 1) <= 0 ||
            pov_subscriber_new(&subscriber, &(pov_subscriber_config){.endpoint = endpoint, .topic = ""})
                    .code != POV_OK)
            _exit(1);
        for (;;)
            pause();
    }
    close(ends[0]);
    *endpoint_end = ends[1];
    return child;
}

static void a_killed_subscriber_is_forgotten_over(const char *endpoint)
{
    int endpoint_end;
    pid_t child = fork_subscriber(&endpoint_end);
    pov_publisher *publisher = publisher_on(endpoint, 16);
    pov_subscriber *stays = subscriber_to(publisher, "health");
    const char *bound = pov_publisher_endpoint(publisher);
    assert_int_equal(write(endpoint_end, bound, strlen(bound)), strlen(bound));
    wait_for_subscriptions(publisher, 2);
    size_t length;
    uint8_t *bytes = bulky_message(&length);
    for (int j = 0; j < 100; j++)
        pov_publisher_publish(publisher, "observation", bytes, length); /* its queue is full when it dies */
    free(bytes);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    wait_for_subscriptions(publisher, 1);
    publish_number(publisher, "health", 5);
    assert_int_equal(next_number(publisher, stays), 5);
    close(endpoint_end);
    pov_subscriber_destroy(&stays);
    pov_publisher_destroy(&publisher);
}

static void a_killed_subscriber_is_forgotten(void **state)
{
    (void)state;
    a_killed_subscriber_is_forgotten_over("tcp://127.0.0.1:*");
    a_killed_subscriber_is_forgotten_over("ipc://*");
}

static void fifty_subscribers_come_get_all_and_go(void **state)
{
    (void)state;
    enum { COUNT = 50 };
    pov_publisher *publisher = publisher_on("tcp://127.0.0.1:*", 64);
    pov_subscriber *subscribers[COUNT];
    for (int i = 0; i < COUNT; i++)
        subscribers[i] = subscriber_to(publisher, i % 2 == 0 ? "" : "observation");
    wait_for_subscriptions(publisher, COUNT);
    for (uint32_t i = 0; i < 60; i++)
        publish_number(publisher, "observation", i);
    for (int i = 0; i < COUNT; i++)
        for (uint32_t j = 0; j < 60; j++)
            assert_int_equal(next_number(publisher, subscribers[i]), j);
    for (int i = 0; i < COUNT; i++)
        pov_subscriber_destroy(&subscribers[i]);
    wait_for_subscriptions(publisher, 0);
    pov_publisher_destroy(&publisher);
}

static void connections_that_come_and_go_at_once_leave_nothing_behind(void **state)
{
    (void)state;
    pov_publisher *publisher = publisher_on("tcp://127.0.0.1:*", 4);
    for (int i = 0; i < 100; i++) {
        pov_subscriber *brief = subscriber_to(publisher, i % 2 == 0 ? "" : "health");
        poll(NULL, 0, i % 5);
        pov_subscriber_destroy(&brief); /* its descriptor is free for the next */
        if (i % 10 == 9)
            publish_number(publisher, "health", (uint32_t)i);
    }
    pov_subscriber *stays = subscriber_to(publisher, "health");
    publish_until_it_comes(publisher, stays, "health");
    wait_for_subscriptions(publisher, 1);
    pov_subscriber_destroy(&stays);
    wait_for_subscriptions(publisher, 0);
    pov_publisher_destroy(&publisher);
}

static void subscriptions_beyond_the_bound_are_refused_and_counted(void **state)
{
    (void)state;
    pov_publisher_config config = POV_PUBLISHER_DEFAULT;
    config.endpoint = "tcp://127.0.0.1:*";
    config.subscriptions_max = 2;
    pov_publisher *publisher;
    assert_ok(pov_publisher_new(&publisher, &config));
    pov_subscriber *subscribers[3];
    for (int i = 0; i < 3; i++)
        subscribers[i] = subscriber_to(publisher, "");
    for (int i = 0; i < PATIENCE_MS && pov_publisher_statistics_of(publisher).refused == 0; i++) {
        pov_publisher_poll(publisher);
        poll(NULL, 0, 1);
    }
    assert_int_equal(pov_publisher_statistics_of(publisher).refused, 1);
    assert_int_equal(pov_publisher_statistics_of(publisher).subscriptions, 2);
    for (int i = 0; i < 3; i++)
        pov_subscriber_destroy(&subscribers[i]);
    pov_publisher_destroy(&publisher);
}

/* ---- hostile peers, over plain TCP: https://rfc.zeromq.org/spec/23 ---- */

static int connect_plainly(const pov_publisher *publisher)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    address.sin_port = htons((uint16_t)atoi(strrchr(pov_publisher_endpoint(publisher), ':') + 1));
    const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(descriptor >= 0);
    assert_int_equal(connect(descriptor, (struct sockaddr *)&address, sizeof address), 0);
    return descriptor;
}

static int connect_to_path(const pov_publisher *publisher)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s",
             pov_publisher_endpoint(publisher) + strlen("ipc://"));
    const int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_true(descriptor >= 0);
    assert_int_equal(connect(descriptor, (struct sockaddr *)&address, sizeof address), 0);
    return descriptor;
}

static bool write_handshake(int descriptor)
{
    static const char ready[] = "\x04\x19\x05READY\x0bSocket-Type\x00\x00\x00\x03SUB";
    char greeting[64] = "\xff\0\0\0\0\0\0\0\0\x7f\x03";
    memcpy(greeting + 12, "NULL", 4);
    return send(descriptor, greeting, sizeof greeting, MSG_NOSIGNAL) == sizeof greeting &&
           send(descriptor, ready, sizeof ready - 1, MSG_NOSIGNAL) == sizeof ready - 1;
}

static void shake_hands(int descriptor)
{
    char theirs[64];
    assert_true(write_handshake(descriptor));
    assert_int_equal(recv(descriptor, theirs, sizeof theirs, MSG_WAITALL), sizeof theirs);
}

/* In a process of its own, subscribes to one topic without pause, for as long as the connection lives. */
static pid_t start_repeater(const pov_publisher *publisher)
{
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid > 0)
        return pid;
    static const char subscription[] = "\x00\x07\x01health";
    char many[900];
    signal(SIGPIPE, SIG_IGN);
    const int descriptor = connect_plainly(publisher);
    shake_hands(descriptor);
    for (size_t i = 0; i < sizeof many / (sizeof subscription - 1); i++)
        memcpy(many + i * (sizeof subscription - 1), subscription, sizeof subscription - 1);
    for (;;)
        if (write(descriptor, many, sizeof many) != sizeof many)
            _exit(0);
}

static void a_peer_that_subscribes_without_pause_is_cut_off(void **state)
{
    (void)state;
    pov_publisher *publisher = publisher_on("tcp://127.0.0.1:*", 16);
    pov_subscriber *good = subscriber_to(publisher, "observation");
    struct rusage before, after;
    wait_for_subscriptions(publisher, 1);
    getrusage(RUSAGE_SELF, &before);
    const pid_t hostile = start_repeater(publisher);
    uint32_t number = 0;
    while (pov_publisher_statistics_of(publisher).refused == 0) {
        publish_number(publisher, "observation", ++number);
        assert_int_equal(next_number(publisher, good), number);
    }
    int how;
    while (waitpid(hostile, &how, WNOHANG) == 0) /* it ends when its connection does */
        pov_publisher_poll(publisher);
    wait_for_subscriptions(publisher, 1);
    getrusage(RUSAGE_SELF, &after);
    assert_true(after.ru_maxrss - before.ru_maxrss < 64 * 1024);
    publish_number(publisher, "observation", ++number);
    assert_int_equal(next_number(publisher, good), number);
    pov_subscriber_destroy(&good);
    pov_publisher_destroy(&publisher);
}

/* In a process of its own, subscribes to ever new topics of 200 characters, and comes back whenever it is cut off. */
static pid_t start_collector(const pov_publisher *publisher, int number)
{
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid > 0)
        return pid;
    enum { TOPIC_BYTES = 200, MANY = 64 };
    static uint8_t many[MANY][2 + 1 + TOPIC_BYTES];
    signal(SIGPIPE, SIG_IGN);
    for (unsigned count = 0;;) {
        const int descriptor = connect_plainly(publisher);
        char theirs[64];
        if (write_handshake(descriptor) && recv(descriptor, theirs, sizeof theirs, MSG_WAITALL) > 0)
            do {
                for (int i = 0; i < MANY; i++) {
                    many[i][1] = 1 + TOPIC_BYTES;
                    many[i][2] = 1;
                    memset(&many[i][3], 'x', TOPIC_BYTES);
                    snprintf((char *)&many[i][3], TOPIC_BYTES, "%d-%u-", number, count++);
                }
            } while (send(descriptor, many, sizeof many, MSG_NOSIGNAL) == sizeof many);
        close(descriptor);
    }
}

static void ever_new_topics_of_peers_that_come_back_take_no_memory(void **state)
{
    (void)state;
    /* Sanitized, four on two processors leave the publisher none. */
    enum { COLLECTORS = IS_SANITIZED ? 1 : 4, POLLS = IS_SANITIZED ? 20 : 80, POLL_MS = 50 };
    pov_publisher *publisher = publisher_on("tcp://127.0.0.1:*", 16);
    struct rusage before, after;
    pid_t collectors[COLLECTORS];
    getrusage(RUSAGE_SELF, &before);
    for (int i = 0; i < COLLECTORS; i++)
        collectors[i] = start_collector(publisher, i);
    for (int i = 0; i < POLLS; i++) {
        pov_publisher_poll(publisher);
        poll(NULL, 0, POLL_MS);
    }
    pov_subscriber *good = subscriber_to(publisher, "observation"); /* amid them */
    const uint8_t *bytes;
    size_t length;
    uint32_t number = 0;
    do {
        publish_number(publisher, "observation", ++number);
        assert_true(number < PATIENCE_MS / 10);
    } while (pov_subscriber_next(good, &bytes, &length, 10).code != POV_OK);
    getrusage(RUSAGE_SELF, &after);
    for (int i = 0; i < COLLECTORS; i++) {
        kill(collectors[i], SIGKILL);
        waitpid(collectors[i], NULL, 0);
    }
    assert_true(pov_publisher_statistics_of(publisher).refused > 0);
    assert_true(IS_SANITIZED || after.ru_maxrss - before.ru_maxrss < 48 * 1024);
    wait_for_subscriptions(publisher, 1);
    pov_subscriber_destroy(&good);
    pov_publisher_destroy(&publisher);
}

static void idle_connections_beyond_the_bound_are_closed(void **state)
{
    (void)state;
    enum { BOUND = 8, IDLE = 20 };
    pov_publisher_config config = POV_PUBLISHER_DEFAULT;
    config.endpoint = "tcp://127.0.0.1:*";
    config.connections_max = BOUND;
    pov_publisher *publisher;
    assert_ok(pov_publisher_new(&publisher, &config));
    int idle[IDLE], closed = 0;
    for (int i = 0; i < IDLE; i++)
        idle[i] = connect_plainly(publisher);
    for (int i = 0; i < PATIENCE_MS && pov_publisher_statistics_of(publisher).refused < IDLE - BOUND / 2;
         i++) {
        pov_publisher_poll(publisher);
        poll(NULL, 0, 1);
    }
    for (int i = 0; i < IDLE; i++) {
        char byte[64];
        ssize_t len;
        while ((len = recv(idle[i], byte, sizeof byte, MSG_DONTWAIT)) > 0)
            ;
        closed += len == 0;
        close(idle[i]);
    }
    assert_int_equal(closed, IDLE - BOUND / 2); /* one address has half of the room */
    pov_subscriber *good = subscriber_to(publisher, "");
    wait_for_subscriptions(publisher, 1);
    pov_subscriber_destroy(&good);
    pov_publisher_destroy(&publisher);
}

static int count_descriptors(void)
{
    int count = 0;
    for (int descriptor = 0; descriptor < 4096; descriptor++)
        count += fcntl(descriptor, F_GETFD) >= 0;
    return count;
}

/* In a process of its own: connects so often, then waits until all but so many connections are closed. */
static pid_t start_flood(int (*open)(const pov_publisher *), const pov_publisher *publisher, int len,
                         int left)
{
    enum { FLOOD_MAX = 256 };
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid > 0)
        return pid;
    struct pollfd peers[FLOOD_MAX];
    for (int i = 0; i < len; i++)
        peers[i] = (struct pollfd){.fd = open(publisher), .events = POLLRDHUP};
    for (int there = len; there > left;) {
        poll(peers, (nfds_t)len, PATIENCE_MS);
        for (int i = 0; i < len; i++)
            if (peers[i].revents & (POLLRDHUP | POLLHUP | POLLERR)) {
                close(peers[i].fd);
                peers[i].fd = -1;
                there--;
            }
    }
    _exit(0);
}

static void floods_are_bounded_between_two_polls(const char *endpoint, int (*open)(const pov_publisher *),
                                                 int room)
{
    enum { FLOOD = 200, ROUNDS = 3 };
    pov_publisher_config config = POV_PUBLISHER_DEFAULT;
    config.endpoint = endpoint;
    config.connections_max = 16;
    pov_publisher *publisher;
    assert_ok(pov_publisher_new(&publisher, &config));
    const int before = count_descriptors();
    for (int round = 0; round < ROUNDS; round++) {
        int most = 0, how;
        const pid_t flood = start_flood(open, publisher, FLOOD, room);
        while (waitpid(flood, &how, WNOHANG) == 0) { /* without a poll */
            const int now = count_descriptors();
            most = now > most ? now : most;
        }
        assert_int_equal(how, 0);
        assert_true(most <=
                    before + room + 1 + 4); /* one is looked at before it is closed, four are told to leave */
        for (int i = 0; i < PATIENCE_MS && count_descriptors() > before; i++) {
            pov_publisher_poll(publisher);
            poll(NULL, 0, 1);
        }
        pov_publisher_poll(publisher);
        assert_int_equal(pov_publisher_statistics_of(publisher).refused, (round + 1) * (FLOOD - room));
    }
    pov_subscriber *good = subscriber_to(publisher, "");
    wait_for_subscriptions(publisher, 1);
    pov_subscriber_destroy(&good);
    pov_publisher_destroy(&publisher);
}

static void a_flood_takes_no_descriptors_between_two_polls(void **state)
{
    (void)state;
    floods_are_bounded_between_two_polls("tcp://127.0.0.1:*", connect_plainly, 8);
    floods_are_bounded_between_two_polls("ipc://*", connect_to_path, 16);
}

/* Between two polls a peer subscribes to much and goes; the next one that comes would get its descriptor. */
static void a_subscriber_is_not_taken_for_one_that_has_gone(void **state)
{
    (void)state;
    enum { TOPICS = 40 }; /* more than one peer may have */
    pov_publisher *publisher = publisher_on("tcp://127.0.0.1:*", 16);
    const int gone = connect_plainly(publisher);
    shake_hands(gone);
    for (char i = 0; i < TOPICS; i++) {
        const char request[] = {0, 2, 1, (char)('!' + i)};
        assert_int_equal(write(gone, request, sizeof request), sizeof request);
    }
    poll(NULL, 0, 100);
    const int before = count_descriptors();
    close(gone);
    poll(NULL, 0, 100);
    pov_subscriber *subscriber = subscriber_to(publisher, "observation");
    poll(NULL, 0, 300);
    assert_true(count_descriptors() >= before);
    wait_for_subscriptions(publisher, 1);
    publish_number(publisher, "observation", 7);
    assert_int_equal(next_number(publisher, subscriber), 7);
    pov_subscriber_destroy(&subscriber);
    pov_publisher_destroy(&publisher);
}

static void one_peer_does_not_take_all_subscriptions(void **state)
{
    (void)state;
    enum { TOPICS = 100 };
    pov_publisher *publisher = publisher_on("tcp://127.0.0.1:*", 16);
    const int greedy = connect_plainly(publisher);
    shake_hands(greedy);
    for (char i = 0; i < TOPICS; i++) {
        const char request[] = {0, 2, 1, (char)('!' + i)};
        assert_int_equal(write(greedy, request, sizeof request), sizeof request);
    }
    for (int i = 0; i < PATIENCE_MS && pov_publisher_statistics_of(publisher).refused < TOPICS - 32; i++) {
        pov_publisher_poll(publisher);
        poll(NULL, 0, 1);
    }
    assert_int_equal(pov_publisher_statistics_of(publisher).subscriptions, 32);
    close(greedy);
    pov_publisher_destroy(&publisher);
}

static void a_subscriber_finds_a_publisher_that_comes_back(void **state)
{
    (void)state;
    test_reserved_port port = test_port_reserve();
    pov_publisher *publisher = publisher_on(port.endpoint, 16);
    pov_subscriber *subscriber = subscriber_to(publisher, "");
    wait_for_subscriptions(publisher, 1);
    pov_publisher_destroy(&publisher);
    publisher = publisher_on(port.endpoint, 16);
    const uint8_t *bytes;
    size_t length;
    for (int i = 0; pov_publisher_statistics_of(publisher).subscriptions == 0 && i < PATIENCE_MS / 10; i++) {
        pov_publisher_poll(publisher);
        /* A socket subscribes again while it is asked for messages. */
        assert_int_equal(pov_subscriber_next(subscriber, &bytes, &length, 10).code, POV_TIMEOUT);
    }
    publish_number(publisher, "observation", 9);
    assert_int_equal(next_number(publisher, subscriber), 9);
    pov_subscriber_destroy(&subscriber);
    pov_publisher_destroy(&publisher);
    test_port_give_back(&port);
}

static void draining_delivers_what_is_queued_before_closing(void **state)
{
    (void)state;
    pov_publisher *publisher = publisher_on("tcp://127.0.0.1:*", 64);
    pov_subscriber *subscriber = subscriber_to(publisher, "");
    wait_for_subscriptions(publisher, 1);
    for (uint32_t i = 0; i < 60; i++)
        publish_number(publisher, "observation", i);
    assert_int_equal(pov_publisher_drain(publisher, PATIENCE_MS), 0);
    pov_publisher_destroy(&publisher);
    const uint8_t *bytes;
    size_t length;
    for (uint32_t i = 0; i < 60; i++) {
        assert_ok(pov_subscriber_next(subscriber, &bytes, &length, PATIENCE_MS));
        assert_memory_equal(bytes, &i, sizeof i);
    }
    pov_subscriber_destroy(&subscriber);
}

/* Its kernel takes some; the rest waits at the publisher. */
static void a_subscriber_that_takes_nothing_does_not_hold_up_the_end(void **state)
{
    (void)state;
    enum { BYTES = 1 << 20, MESSAGES = 64, DRAIN_MS = 20000 };
    static uint8_t bytes[BYTES];
    pov_publisher *publisher = publisher_on("tcp://127.0.0.1:*", MESSAGES);
    const int idle = connect_plainly(publisher);
    struct timespec before, after;
    shake_hands(idle);
    assert_int_equal(write(idle, (const char[]){0, 1, 1}, 3), 3);
    wait_for_subscriptions(publisher, 1);
    for (int i = 0; i < MESSAGES; i++)
        pov_publisher_publish(publisher, "observation", bytes, BYTES);
    clock_gettime(CLOCK_MONOTONIC, &before);
    assert_true(pov_publisher_drain(publisher, DRAIN_MS) > 0);
    pov_publisher_destroy(&publisher);
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert_true(after.tv_sec - before.tv_sec < DRAIN_MS / 4000); /* the machine may be busy */
    close(idle);
}

static void a_socket_file_is_in_use_until_its_publisher_closes(void **state)
{
    (void)state;
    char folder[] = "/tmp/pov-publisher-XXXXXX", endpoint[64];
    assert_non_null(mkdtemp(folder));
    snprintf(endpoint, sizeof endpoint, "ipc://%s/wire", folder);
    pov_publisher *publisher = publisher_on(endpoint, 4), *second;
    pov_publisher_config config = POV_PUBLISHER_DEFAULT;
    config.endpoint = endpoint;
    assert_int_equal(pov_publisher_new(&second, &config).code, POV_ERROR);
    pov_subscriber *subscriber = subscriber_to(publisher, ""); /* the first still listens there */
    wait_for_subscriptions(publisher, 1);
    pov_subscriber_destroy(&subscriber);
    pov_publisher_destroy(&publisher);
    assert_int_equal(rmdir(folder), 0); /* nothing left in it */
}

static void assert_refuses(const char *endpoint, const char *named)
{
    pov_publisher_config config = POV_PUBLISHER_DEFAULT;
    config.endpoint = endpoint;
    pov_publisher *publisher;
    pov_status status = pov_publisher_new(&publisher, &config);
    assert_int_equal(status.code, POV_ERROR);
    assert_null(publisher);
    if (strstr(status.message, endpoint) == NULL || strstr(status.message, named) == NULL)
        fail_msg("'%s' names not '%s'", status.message, named);
}

static void endpoints_that_cannot_be_bound_are_explained(void **state)
{
    (void)state;
    static const char *const endpoints[] = {"tcp://127.0.0.1:*", "ipc://*"};
    for (int i = 0; i < 2; i++) {
        pov_publisher *first = publisher_on(endpoints[i], 4);
        assert_refuses(pov_publisher_endpoint(first), "in use");
        pov_publisher_destroy(&first);
    }
    assert_refuses("nonsense", "write one like");
    assert_refuses("tcp://", "write one like");
    assert_refuses("tcp://127.0.0.1:notaport", "malformed");
    assert_refuses("tcp://192.0.2.1:5570", "no such address");
    assert_refuses("ipc:///nowhere/at/all", "choose");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_subscriber_that_reads_gets_all_over_tcp),
        cmocka_unit_test(a_subscriber_that_reads_gets_all_over_tcp6),
        cmocka_unit_test(a_subscriber_that_reads_gets_all_over_ipc),
        cmocka_unit_test(topics_are_prefixes_and_each_subscription_gets_its_own),
        cmocka_unit_test(an_address_begins_with_what_was_asked_and_ends_with_the_topic),
        cmocka_unit_test(one_that_does_not_read_loses_its_oldest_and_is_told_how_many),
        cmocka_unit_test(what_waits_is_bounded_in_bytes_and_shared),
        cmocka_unit_test(a_killed_subscriber_is_forgotten),
        cmocka_unit_test(fifty_subscribers_come_get_all_and_go),
        cmocka_unit_test(connections_that_come_and_go_at_once_leave_nothing_behind),
        cmocka_unit_test(subscriptions_beyond_the_bound_are_refused_and_counted),
        cmocka_unit_test(a_peer_that_subscribes_without_pause_is_cut_off),
        cmocka_unit_test(ever_new_topics_of_peers_that_come_back_take_no_memory),
        cmocka_unit_test(idle_connections_beyond_the_bound_are_closed),
        cmocka_unit_test(a_flood_takes_no_descriptors_between_two_polls),
        cmocka_unit_test(a_subscriber_is_not_taken_for_one_that_has_gone),
        cmocka_unit_test(one_peer_does_not_take_all_subscriptions),
        cmocka_unit_test(a_subscriber_finds_a_publisher_that_comes_back),
        cmocka_unit_test(draining_delivers_what_is_queued_before_closing),
        cmocka_unit_test(a_subscriber_that_takes_nothing_does_not_hold_up_the_end),
        cmocka_unit_test(a_socket_file_is_in_use_until_its_publisher_closes),
        cmocka_unit_test(endpoints_that_cannot_be_bound_are_explained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
