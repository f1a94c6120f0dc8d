/** The clocks, read in one place. */
#ifndef POV_FIRMWARE_CLOCK_H
#define POV_FIRMWARE_CLOCK_H

#include <stdint.h>
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

/** Now, in UTC: 2026-11-20T09:30:00Z. */
static inline void pov_clock_date(char text[32])
{
    const time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

#endif
