/** How far another machine's clock is from this one's, by the messages that come from there. Pure.
 *
 *  A message's way takes a while, more or less; the shortest of the last seconds are the best look at the clocks (Mills 1991, RFC 1305). What
 *  the shortest way takes is between nothing and the connection's round trip: half of that is taken, and its width is in the deviation. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { POV_CLOCK_SECONDS = 16 };

typedef struct {
    int len;
    int64_t second[POV_CLOCK_SECONDS];   /* of this machine's monotonic clock, the newest last */
    int64_t least_ns[POV_CLOCK_SECONDS]; /* received less sent, the least in that second */
} pov_clock_window;

/** A message came: now_ns by the monotonic clock; took_ns: received by this machine's clock, less sent by the other's. */
void pov_clock_window_add(pov_clock_window *window, int64_t now_ns, int64_t took_ns);

typedef struct {
    bool is_known;
    int64_t add_ns; /* to the other's times, to have them by this machine's clock */
    double std_s;
} pov_clock_offset;
pov_clock_offset pov_clock_window_offset(const pov_clock_window *window, double round_trip_s);
