/** Whose turn it is: the thread that prepares images, or the one that judges them. */
#pragma once

#include <pthread.h>
#include <stdint.h>

/** Lets the search ahead wait for the judgments of its image: on two processors it would delay them by a fifth. It waits no longer
 * than its thread last stood idle, so that no image comes later for it. */
typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t judged;
    int64_t judged_ns;         /* pov_prepared's begun_ns of the newest image that was judged */
    int64_t begun_ns, idle_ns; /* of the thread that prepares: its image, and how long it waited for it */
    int64_t searched_ns, searched_cpu_ns; /* clocks when it had searched the one before */
} pov_image_turns;

void pov_image_turns_open(pov_image_turns *turns);
void pov_image_turns_close(pov_image_turns *turns);

/** An image is prepared from now on. */
void pov_image_turns_begin(pov_image_turns *turns, int64_t begun_ns);
/** Before the search ahead: waits for the judgments of that image. */
void pov_image_turns_wait(pov_image_turns *turns);
void pov_image_turns_searched(pov_image_turns *turns);
/** The image whose preparation began then was judged. */
void pov_image_turns_judged(pov_image_turns *turns, int64_t begun_ns);
