/* To be preloaded: the program sees CLOCK_REALTIME an hour ahead of the kernel's, as if the clock had been stepped back since. A wait
 * until a time of that clock takes an hour. */
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { STEP_S = 3600 };

int clock_gettime(clockid_t clock, struct timespec *now)
{
    const int failed = (int)syscall(SYS_clock_gettime, clock, now);
    if (!failed && clock == CLOCK_REALTIME)
        now->tv_sec += STEP_S;
    return failed;
}
