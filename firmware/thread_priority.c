#include "firmware/thread_priority.h"

#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    NICENESS =
        10, /* chosen: the thread gets about a tenth of a processor that it shares with one that judges */
    SLICE_NS = 100000, /* the shortest that Linux takes (kernel/sched/syscalls.c) */
    POLICY_OTHER = 0,
    RESET_ON_FORK = 1 /* threads that it starts have the system's own slice */
};

/* sched_setattr(2)'s, of its first version; the C library has no declaration. */
typedef struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t niceness;
    uint32_t priority;
    uint64_t runtime_ns, deadline_ns,
        period_ns; /* runtime: of POLICY_OTHER, the time slice; 0: the system's own */
} attributes;

static int set_attributes(int niceness, uint64_t flags, uint64_t slice_ns)
{
    const attributes wanted = {.size = sizeof wanted,
                               .policy = POLICY_OTHER,
                               .flags = flags,
                               .niceness = niceness,
                               .runtime_ns = slice_ns};
    return (int)syscall(SYS_sched_setattr, 0, &wanted, 0);
}

void pov_thread_goes_first(void)
{
    (void)set_attributes(getpriority(PRIO_PROCESS, 0), RESET_ON_FORK, SLICE_NS);
}

void pov_thread_works_behind(void)
{
    const int now = getpriority(PRIO_PROCESS, 0), niceness = now > NICENESS ? now : NICENESS;
    if (set_attributes(niceness, 0, 0) != 0)
        (void)setpriority(PRIO_PROCESS, 0, niceness);
}
