/** The clocks, read in one place. */
#pragma once

#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/timex.h>
#include <time.h>

static inline int64_t pov_clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/** For durations: never set back. */
static inline int64_t pov_clock_monotonic_ns(void)
{
    return pov_clock_ns(CLOCK_MONOTONIC);
}

/** Since the UNIX epoch. */
static inline int64_t pov_clock_unix_ns(void)
{
    return pov_clock_ns(CLOCK_REALTIME);
}

/** The UNIX time when `clock` showed `stamp_ns`. Both clocks are read at once, as nearly as that can be done: a process
 *  that is interrupted between the readings reads them again, up to eight times, and takes the tightest. */
static inline int64_t pov_clock_unix_at_ns(clockid_t clock, int64_t stamp_ns)
{
    enum { READINGS = 8, TIGHT_NS = 2000 }; /* chosen; two readings take 50 ns, of an emulated machine 1000 */
    int64_t tightest_ns = INT64_MAX, ahead_ns = 0;
    for (int i = 0; i < READINGS && tightest_ns > TIGHT_NS; i++) {
        const int64_t before_ns = pov_clock_ns(clock), unix_ns = pov_clock_unix_ns();
        const int64_t took_ns = pov_clock_ns(clock) - before_ns;
        if (took_ns < tightest_ns) {
            tightest_ns = took_ns;
            ahead_ns = unix_ns - before_ns - took_ns / 2;
        }
    }
    return stamp_ns + ahead_ns;
}

/** A condition whose timed waits go by the monotonic clock: setting the clock back does not stretch them. */
static inline void pov_clock_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &clock);
    pthread_condattr_destroy(&clock);
}

/** Until when such a wait lasts. */
static inline struct timespec pov_clock_deadline(int timeout_ms)
{
    const int64_t at_ns = pov_clock_monotonic_ns() + timeout_ms * INT64_C(1000000);
    return (struct timespec){.tv_sec = at_ns / 1000000000, .tv_nsec = at_ns % 1000000000};
}

/** How far this machine's UNIX time may be off, as NTP, PTP (phc2sys) or chrony tell the kernel; NaN: it does not say, or
 *  nothing synchronises it. */
static inline double pov_clock_error_s(void)
{
    struct timex state = {.modes = 0};
    const int told = adjtimex(&state); /* a service may be forbidden to ask */
    if (told < 0 || told == TIME_ERROR || (state.status & STA_UNSYNC))
        return NAN;
    return 1e-6 * (double)state.esterror;
}

/** Now, in UTC: 2026-11-20T09:30:00Z. */
static inline void pov_clock_date(char text[32])
{
    const time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc);
}
