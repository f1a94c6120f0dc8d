/** One beginning for the sources of several cameras, which their threads share: image i of each was then exposed at one time. */
#pragma once

#include "firmware/clock.h"

#include <stdatomic.h>

/** All zero: nobody was asked for an image yet. */
typedef struct {
    _Atomic int64_t monotonic_ns, unix_ns;
} pov_shared_start;

/** The beginning by both clocks: now, if nobody began before. start NULL: it is the caller's own. */
static inline void pov_shared_start_take(pov_shared_start *start, int64_t *monotonic_ns, int64_t *unix_ns)
{
    int64_t none = 0;
    *monotonic_ns = pov_clock_monotonic_ns();
    *unix_ns = pov_clock_unix_ns();
    if (!start)
        return;
    if (atomic_compare_exchange_strong(&start->monotonic_ns, &none, *monotonic_ns))
        atomic_store(&start->unix_ns, *unix_ns);
    while (atomic_load(&start->unix_ns) == 0)
        continue; /* the other thread is between the two lines above */
    *monotonic_ns = atomic_load(&start->monotonic_ns);
    *unix_ns = atomic_load(&start->unix_ns);
}
