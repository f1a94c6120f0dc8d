#include "firmware/run/image_turns.h"

#include "firmware/clock.h"

#include <time.h>

static const int64_t turn_max_ns = 20000000; /* chosen */

void pov_image_turns_open(pov_image_turns *turns)
{
    pthread_condattr_t monotonic;
    pthread_mutex_init(&turns->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&turns->judged, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

void pov_image_turns_close(pov_image_turns *turns)
{
    pthread_cond_destroy(&turns->judged);
    pthread_mutex_destroy(&turns->lock);
}

void pov_image_turns_begin(pov_image_turns *turns, int64_t begun_ns)
{
    const int64_t since_ns = begun_ns - turns->searched_ns,
                  worked_ns = pov_clock_ns(CLOCK_THREAD_CPUTIME_ID) - turns->searched_cpu_ns;
    turns->idle_ns = turns->searched_ns > 0 ? since_ns - worked_ns : 0;
    turns->begun_ns = begun_ns;
}

void pov_image_turns_wait(pov_image_turns *turns)
{
    const int64_t until_ns =
        pov_clock_monotonic_ns() + (turns->idle_ns < turn_max_ns ? turns->idle_ns : turn_max_ns);
    const struct timespec until = {until_ns / 1000000000, until_ns % 1000000000};
    int failed = 0;
    pthread_mutex_lock(&turns->lock);
    while (turns->judged_ns < turns->begun_ns && failed == 0)
        failed = pthread_cond_timedwait(&turns->judged, &turns->lock, &until);
    pthread_mutex_unlock(&turns->lock);
}

void pov_image_turns_searched(pov_image_turns *turns)
{
    turns->searched_ns = pov_clock_monotonic_ns();
    turns->searched_cpu_ns = pov_clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

void pov_image_turns_judged(pov_image_turns *turns, int64_t begun_ns)
{
    pthread_mutex_lock(&turns->lock);
    turns->judged_ns = begun_ns;
    pthread_cond_signal(&turns->judged);
    pthread_mutex_unlock(&turns->lock);
}
