/* Oracle: a clock of the test's own, which others interrupt. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <time.h>

enum { READ_NS = 500, INTERRUPTED_NS = 50000000 };
static const int64_t boot_unix_ns = 1700000000123456789;

static int64_t since_boot_ns;
static int readings, interrupted_every;

/* Every reading takes a while, some a long one. */
static int test_clock_gettime(clockid_t clock, struct timespec *now)
{
    const int64_t ns = since_boot_ns + (clock == CLOCK_REALTIME ? boot_unix_ns : 0);
    *now = (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    since_boot_ns += ++readings % interrupted_every == 0 ? INTERRUPTED_NS : READ_NS;
    return 0;
}

#define clock_gettime test_clock_gettime
#include "firmware/clock.h"

/* At each place of a pair of readings in turn. At most every fourth: three are read without an interruption then. */
static void an_interruption_between_two_clocks_moves_no_stamp(void **state)
{
    (void)state;
    const int64_t stamp_ns = 42000000000;
    for (interrupted_every = 4; interrupted_every < 20; interrupted_every++)
        for (int i = 0; i < 100; i++) {
            const int64_t off_ns = pov_clock_unix_at_ns(CLOCK_MONOTONIC, stamp_ns) - stamp_ns - boot_unix_ns;
            assert_in_range(off_ns + READ_NS, 0, 2 * READ_NS);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interruption_between_two_clocks_moves_no_stamp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
