#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "protocol/links/keys.h"
#include "protocol/links/requester.h"
#include "protocol/links/responder.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zmq.h>

enum { CONNECTIONS = 8, PATIENCE_MS = 60000 };

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

static pov_responder *responder_here(void)
{
    pov_responder *responder;
    assert_ok(pov_responder_new(&responder, "tcp://127.0.0.1:*", NULL, CONNECTIONS));
    return responder;
}

/* ---- plain TCP: https://rfc.zeromq.org/spec/23 ---- */

/* The answer to ours: 64 bytes of greeting, and READY, of which only the end is waited for. */
static void receive_handshake(int peer)
{
    char bytes[256];
    size_t got = 0;
    while (got < 64 || got < 66 + (size_t)bytes[65]) {
        const ssize_t len = recv(peer, bytes + got, sizeof bytes - got, 0);
        if (len <= 0)
            return; /* turned away */
        got += (size_t)len;
    }
}

static int connect_plainly(const pov_responder *responder)
{
    static const char ready[] = "\x04\x1c\x05READY\x0bSocket-Type\0\0\0\x06"
                                "DEALER";
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    address.sin_port = htons((uint16_t)atoi(strrchr(pov_responder_endpoint(responder), ':') + 1));
    char greeting[64] = "\xff\0\0\0\0\0\0\0\0\x7f\x03";
    memcpy(greeting + 12, "NULL", 4);
    const int peer = socket(AF_INET, SOCK_STREAM, 0);
    if (peer < 0 || connect(peer, (struct sockaddr *)&address, sizeof address) != 0 ||
        write(peer, greeting, sizeof greeting) != sizeof greeting ||
        write(peer, ready, sizeof ready - 1) != sizeof ready - 1)
        abort();
    receive_handshake(peer);
    return peer;
}

static void send_text(int peer, const char *text)
{
    char bytes[64] = {0, (char)strlen(text)};
    const size_t len = 2 + strlen(text);
    assert_true(len <= sizeof bytes);
    memcpy(bytes + 2, text, len - 2);
    assert_int_equal(send(peer, bytes, len, MSG_NOSIGNAL), len);
}

/* -------- memory -------- */

/* In a process of its own: parts of a message, of so many bytes each, until the connection ends, or 512 MB have gone. */
static pid_t start_endless(const pov_responder *responder, size_t size)
{
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid > 0)
        return pid;
    signal(SIGPIPE, SIG_IGN);
    const int peer = connect_plainly(responder);
    static uint8_t many[1 << 16];
    const size_t frame = size + (size < 256 ? 2 : 9), len = sizeof many / frame;
    for (size_t i = 0; i < len; i++) {
        uint8_t *at = many + i * frame;
        at[0] = size < 256 ? 1 : 3;
        for (size_t b = 1; b < (size < 256 ? 2 : 9); b++)
            at[b] = size < 256 ? (uint8_t)size : (uint8_t)(size >> 8 * (8 - b));
    }
    for (int64_t sent = 0; sent < 512 << 20; sent += (int64_t)(len * frame))
        if (send(peer, many, len * frame, MSG_NOSIGNAL) != (ssize_t)(len * frame))
            _exit(0);
    _exit(1);
}

static void a_taken_endpoint_is_named_with_its_use(void **state)
{
    (void)state;
    pov_responder *first = responder_here(), *second = NULL;
    const char *taken = pov_responder_endpoint(first);
    const pov_status status = pov_responder_new(&second, taken, NULL, CONNECTIONS);
    assert_int_equal(status.code, POV_ERROR);
    assert_null(second);
    assert_non_null(strstr(status.message, "cannot answer questions on "));
    assert_non_null(strstr(status.message, taken));
    pov_responder_destroy(&first);
}

static void a_message_without_an_end_is_cut_off_before_it_takes_memory(void **state)
{
    (void)state;
    static const size_t sizes[] = {60000, 1000, 100, 1};
    static pov_asked asked;
    pov_responder *responder = responder_here();
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const pid_t hostile = start_endless(responder, sizes[i]);
        int how;
        while (waitpid(hostile, &how, WNOHANG) == 0)
            assert_int_equal(pov_responder_next(responder, &asked, 10).code, POV_TIMEOUT);
        assert_int_equal(how, 0);
    }
    getrusage(RUSAGE_SELF, &after);
    assert_true(IS_SANITIZED || after.ru_maxrss - before.ru_maxrss < 16 * 1024);
    pov_responder_destroy(&responder);
}

/* -------- peers -------- */

static void await_answer(pov_responder *responder, int asker, int questions_at_most)
{
    static pov_asked asked;
    struct pollfd answered = {.fd = asker, .events = POLLIN};
    char bytes[256];
    int questions = 0;
    for (int i = 0; i < PATIENCE_MS / 10 && poll(&answered, 1, 0) == 0; i++)
        if (pov_responder_next(responder, &asked, 10).code == POV_OK) {
            pov_responder_reply(responder, &asked, "there", 5);
            poll(NULL, 0, 5);
            assert_true(++questions <= questions_at_most);
        }
    assert_true(recv(asker, bytes, sizeof bytes, 0) > 0);
}

/* As many as may come from one address ask without end, and read nothing; then they go. */
static void requests_of_peers_that_have_gone_hold_nobody_up(void **state)
{
    (void)state;
    enum { GREEDY = CONNECTIONS / 2, EACH = 200 };
    pov_responder *responder = responder_here();
    int peers[GREEDY];
    for (int i = 0; i < GREEDY; i++) {
        peers[i] = connect_plainly(responder);
        for (int j = 0; j < EACH; j++)
            send_text(peers[i], "where is the mug?");
    }
    poll(NULL, 0, 300);
    for (int i = 0; i < GREEDY; i++)
        close(peers[i]);
    const int asker = connect_plainly(responder);
    send_text(asker, "and the cup?");
    poll(NULL, 0, 300);
    await_answer(responder, asker, 1);
    close(asker);
    pov_responder_destroy(&responder);
}

/* The others hold all the places of their address, and stay. */
static void one_address_is_not_held_back_as_a_whole(void **state)
{
    (void)state;
    pov_responder *responder = responder_here();
    static pov_asked asked;
    int peers[CONNECTIONS];
    for (int i = 0; i < CONNECTIONS; i++) {
        peers[i] = connect_plainly(responder);
        assert_int_equal(pov_responder_next(responder, &asked, 20).code, POV_TIMEOUT);
    }
    const int asker = connect_plainly(responder);
    send_text(asker, "where is the cup?");
    await_answer(responder, asker, 1);
    close(asker);
    for (int i = 0; i < CONNECTIONS; i++)
        close(peers[i]);
    pov_responder_destroy(&responder);
}

/* -------- with keys: parts of messages are encrypted -------- */

static void introduce(const char *from, const char *to)
{
    char path[128];
    pov_key key;
    snprintf(path, sizeof path, "%s/self.key", from);
    assert_ok(pov_key_read(&key, path));
    assert_ok(pov_peer_allow(&key, to));
}

/* A DEALER socket of libzmq, in a process of its own: parts of a message, until it has sent so many. */
static pid_t start_endless_with_keys(const char *endpoint, const char *robot, const char *laptop)
{
    char path[128];
    pov_key own, server;
    assert_ok(pov_key_read_own(&own, laptop));
    snprintf(path, sizeof path, "%s/self.key", robot);
    assert_ok(pov_key_read(&server, path));
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid > 0)
        return pid;
    enum { PARTS = 2000, PART_BYTES = 60000 };
    static char part[PART_BYTES];
    void *socket = zmq_socket(zmq_ctx_new(), ZMQ_DEALER);
    zmq_setsockopt(socket, ZMQ_CURVE_SERVERKEY, server.public_key, POV_KEY_CAPACITY);
    zmq_setsockopt(socket, ZMQ_CURVE_PUBLICKEY, own.public_key, POV_KEY_CAPACITY);
    zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, own.secret_key, POV_KEY_CAPACITY);
    if (zmq_connect(socket, endpoint) != 0)
        _exit(1);
    for (int i = 0; i < PARTS; i++)
        zmq_send(socket, part, sizeof part, ZMQ_SNDMORE);
    zmq_send(socket, part, sizeof part, 0);
    sleep(2);
    _exit(0);
}

static void with_keys_too_a_message_of_many_parts_is_cut_off(void **state)
{
    (void)state;
    char root[] = "/tmp/pov-responder-XXXXXX", robot[64], laptop[64], command[64];
    static pov_asked asked;
    pov_key made;
    pov_responder *responder;
    struct rusage before, after;
    assert_non_null(mkdtemp(root));
    snprintf(robot, sizeof robot, "%s/robot", root);
    snprintf(laptop, sizeof laptop, "%s/laptop", root);
    assert_ok(pov_key_make(&made, robot, "robot"));
    assert_ok(pov_key_make(&made, laptop, "laptop"));
    introduce(laptop, robot);
    introduce(robot, laptop);
    assert_ok(pov_responder_new(&responder, "tcp://127.0.0.1:*", robot, CONNECTIONS));
    getrusage(RUSAGE_SELF, &before);
    const pid_t hostile = start_endless_with_keys(pov_responder_endpoint(responder), robot, laptop);
    int how;
    while (waitpid(hostile, &how, WNOHANG) == 0)
        assert_int_equal(pov_responder_next(responder, &asked, 10).code, POV_TIMEOUT);
    getrusage(RUSAGE_SELF, &after);
    assert_int_equal(how, 0);
    assert_true(IS_SANITIZED || after.ru_maxrss - before.ru_maxrss < 16 * 1024);

    const pid_t asker = fork(); /* one who means well is answered */
    if (asker == 0) {
        const pov_subscriber_config config = {.endpoint = pov_responder_endpoint(responder), .keys = laptop};
        pov_requester *requester;
        const char *reply;
        _exit(pov_requester_new(&requester, &config).code == POV_OK &&
                      pov_requester_ask(requester, &reply, "where?", PATIENCE_MS).code == POV_OK
                  ? 0
                  : 1);
    }
    while (waitpid(asker, &how, WNOHANG) == 0)
        if (pov_responder_next(responder, &asked, 10).code == POV_OK)
            pov_responder_reply(responder, &asked, "there", 5);
    assert_int_equal(how, 0);
    pov_responder_destroy(&responder);
    snprintf(command, sizeof command, "rm -r '%s'", root);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_taken_endpoint_is_named_with_its_use),
        cmocka_unit_test(a_message_without_an_end_is_cut_off_before_it_takes_memory),
        cmocka_unit_test(requests_of_peers_that_have_gone_hold_nobody_up),
        cmocka_unit_test(one_address_is_not_held_back_as_a_whole),
        cmocka_unit_test(with_keys_too_a_message_of_many_parts_is_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
