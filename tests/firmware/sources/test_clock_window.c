#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "firmware/sources/clock_window.h"

#include <math.h>
#include <stdlib.h>

static const int64_t ms = 1000000, second = 1000000000;

/* Messages at 15/s whose way takes base and now and then more, by a clock that is ahead by so much. */
static void send(pov_clock_window *window, int64_t *now_ns, int seconds, int64_t ahead_ns, int64_t base_ns)
{
    for (int i = 0; i < 15 * seconds; i++) {
        *now_ns += second / 15;
        const int64_t queued_ns = i % 7 == 0 ? 0 : (int64_t)(i * 37 % 40) * ms;
        pov_clock_window_add(window, *now_ns, base_ns + queued_ns - ahead_ns);
    }
}

static void the_shortest_ways_tell_the_offset_within_its_deviation(void **state)
{
    (void)state;
    for (int64_t ahead_ns = -3600 * second; ahead_ns <= 3600 * second; ahead_ns += 1800 * second) {
        pov_clock_window window = {0};
        int64_t now_ns = 5 * second;
        send(&window, &now_ns, 20, ahead_ns, 2 * ms);
        const pov_clock_offset offset = pov_clock_window_offset(&window, 0.004);
        assert_true(offset.is_known);
        assert_true(llabs(offset.add_ns + ahead_ns) <= (int64_t)(2 * 1e9 * offset.std_s));
        assert_true(offset.std_s < 0.005);
    }
}

static void a_clock_that_is_set_is_followed_within_seconds(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        pov_clock_window window = {0};
        int64_t now_ns = second;
        send(&window, &now_ns, 20, 0, ms);
        send(&window, &now_ns, 5, sign * 2 * second, ms);
        assert_true(llabs(pov_clock_window_offset(&window, 0).add_ns + sign * 2 * second) < 5 * ms);
    }
}

static void a_queue_of_two_seconds_is_no_step(void **state)
{
    (void)state;
    pov_clock_window window = {0};
    int64_t now_ns = second;
    send(&window, &now_ns, 10, 0, ms);
    send(&window, &now_ns, 2, 0, 300 * ms);
    assert_true(llabs(pov_clock_window_offset(&window, 0).add_ns) < 5 * ms);
}

static void nothing_is_known_of_no_messages(void **state)
{
    (void)state;
    const pov_clock_window window = {0};
    assert_false(pov_clock_window_offset(&window, 0).is_known);
    assert_true(isnan(pov_clock_window_offset(&window, 0).std_s));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_shortest_ways_tell_the_offset_within_its_deviation),
        cmocka_unit_test(a_clock_that_is_set_is_followed_within_seconds),
        cmocka_unit_test(a_queue_of_two_seconds_is_no_step),
        cmocka_unit_test(nothing_is_known_of_no_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
