#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "protocol/links/zmtp_watch.h"

#include <stdio.h>
#include <string.h>

/* Bytes by the letter of RFC 23, https://rfc.zeromq.org/spec/23. */
static size_t write_greeting(uint8_t *bytes, const char *mechanism)
{
    memset(bytes, 0, 64);
    bytes[0] = 0xff;
    bytes[9] = 0x7f;
    bytes[10] = 3;
    memcpy(bytes + 12, mechanism, strlen(mechanism));
    return 64;
}

static const uint8_t ready[] = "\x04\x19\x05READY\x0bSocket-Type\0\0\0\x03SUB";

static uint64_t cost_of(const char *mechanism, const void *frames, size_t len, size_t piece)
{
    uint8_t bytes[4096];
    uint64_t cost = 0;
    pov_zmtp_watch watch = {0};
    size_t all = write_greeting(bytes, mechanism);
    memcpy(bytes + all, ready, sizeof ready - 1);
    all += sizeof ready - 1;
    memcpy(bytes + all, frames, len);
    all += len;
    for (size_t at = 0; at < all; at += piece)
        assert_true(pov_zmtp_watch_pass(&watch, &cost, bytes + at, all - at < piece ? all - at : piece));
    return cost;
}

/* However the bytes are cut. */
#define ASSERT_COST(MECHANISM, FRAMES, COST)                                                                 \
    for (size_t piece = 1; piece < 300; piece++)                                                             \
    assert_int_equal(cost_of(MECHANISM, FRAMES, sizeof(FRAMES) - 1, piece), COST)

static void frames_cost_their_bodies_and_what_libzmq_needs(void **state)
{
    (void)state;
    ASSERT_COST("NULL", "", 0);
    ASSERT_COST("NULL", "\x00\x05hello", 5 + 64);
    ASSERT_COST("NULL", "\x01\x05hello\x01\x00\x00\x01x", 5 + 0 + 1 + 3 * 64);
    ASSERT_COST("NULL", "\x03\0\0\0\0\0\0\0\x05hello", 5 + 64);
    ASSERT_COST("NULL", "\x02\0\0\0\0\xc0\0\0\0some of 3 GiB", (UINT64_C(3) << 30) + 64);
}

static void handshakes_and_heartbeats_cost_nothing_and_subscriptions_do(void **state)
{
    (void)state;
    ASSERT_COST("NULL", "\x04\x07\x04PING\0\0", 0);
    ASSERT_COST("NULL",
                "\x04\x05\x04PONG\x04\x05\x05"
                "ERROR",
                0);
    ASSERT_COST("NULL",
                "\x04\x0e\x09SUBSCRIBEtest\x04\x0b\x06"
                "CANCELtest",
                14 + 11 + 2 * 64);
    ASSERT_COST("CURVE", "\x04\x0a\x08INITIATE\x01", 0);
    ASSERT_COST("CURVE", "\x04\x09\x07MESSAGE\x01\x00\x09\x07MESSAGE\x01", 2 * (9 + 64));
}

static void a_frame_of_any_size_costs_no_less_than_nothing(void **state)
{
    (void)state;
    ASSERT_COST("NULL", "\x02\xff\xff\xff\xff\xff\xff\xff\xffx", UINT64_MAX);
    ASSERT_COST("NULL", "\x00\x01x\x02\xff\xff\xff\xff\xff\xff\xff\xffx", UINT64_MAX);
}

static void what_is_not_zmtp_3_is_told(void **state)
{
    (void)state;
    static const char *const others[] = {"GET / HTTP/1.1\r\n", "\x01\x00", "\xff\0\0\0\0\0\0\0\x01\x7e"};
    for (size_t i = 0; i < 3; i++) {
        pov_zmtp_watch watch = {0};
        uint64_t cost = 0;
        assert_false(pov_zmtp_watch_pass(&watch, &cost, (const uint8_t *)others[i], i == 2 ? 10 : 2));
    }
    uint8_t old[64];
    pov_zmtp_watch watch = {0};
    uint64_t cost = 0;
    write_greeting(old, "NULL");
    old[10] = 1; /* ZMTP 2 */
    assert_false(pov_zmtp_watch_pass(&watch, &cost, old, sizeof old));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_cost_their_bodies_and_what_libzmq_needs),
        cmocka_unit_test(handshakes_and_heartbeats_cost_nothing_and_subscriptions_do),
        cmocka_unit_test(a_frame_of_any_size_costs_no_less_than_nothing),
        cmocka_unit_test(what_is_not_zmtp_3_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
