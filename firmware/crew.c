#include "firmware/crew.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

/* A helper: worker 1 and up. */
typedef struct {
    pov_crew *crew;
    int worker;
    pthread_t thread;
} helper;

struct pov_crew {
    pov_workers workers;
    int helper_len;
    helper helpers[POV_WORKERS_MAX - 1];
    cpu_set_t allowed;    /* processors; none: not known */
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t begun, ended;
    bool stops, is_taken;
    pov_task *task;
    void *context;
    int next, len, busy; /* pieces; helpers at one */
    int kept_off;        /* the processor that no helper may use; -1: none */
};

static void *help(void *argument)
{
    const helper *self = argument;
    pov_crew *crew = self->crew;
    pthread_mutex_lock(&crew->lock);
    while (!crew->stops) {
        if (crew->next == crew->len) {
            pthread_cond_wait(&crew->begun, &crew->lock);
            continue;
        }
        const int piece = crew->next++;
        crew->busy++;
        pthread_mutex_unlock(&crew->lock);
        crew->task(crew->context, piece, self->worker);
        pthread_mutex_lock(&crew->lock);
        if (--crew->busy == 0)
            pthread_cond_signal(&crew->ended);
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

/* Linux may wake a helper on the caller's own processor though another one is idle (seen with 6.18), where the two then take
 * turns. */
static void keep_helpers_off(pov_crew *crew, int processor)
{
    cpu_set_t others = crew->allowed;
    if (processor < 0 || processor >= CPU_SETSIZE || processor == crew->kept_off)
        return;
    CPU_CLR(processor, &others);
    for (int i = 0; CPU_COUNT(&others) > 0 && i < crew->helper_len; i++)
        (void)pthread_setaffinity_np(crew->helpers[i].thread, sizeof others, &others);
    crew->kept_off = processor;
}

/* False if the crew is at another caller's work. */
static bool take_crew(pov_crew *crew, pov_task *task, void *context, int len)
{
    pthread_mutex_lock(&crew->lock);
    const bool takes = !crew->is_taken;
    if (takes) {
        crew->is_taken = true;
        crew->task = task;
        crew->context = context;
        crew->next = 0;
        crew->len = len;
        keep_helpers_off(crew, sched_getcpu());
        pthread_cond_broadcast(&crew->begun);
    }
    pthread_mutex_unlock(&crew->lock);
    return takes;
}

static void run_crew(void *self, pov_task *task, void *context, int len)
{
    pov_crew *crew = self;
    if (!take_crew(crew, task, context, len)) {
        for (int i = 0; i < len; i++)
            task(context, i, 0);
        return;
    }
    pthread_mutex_lock(&crew->lock);
    while (crew->next < crew->len) {
        const int piece = crew->next++;
        pthread_mutex_unlock(&crew->lock);
        task(context, piece, 0);
        pthread_mutex_lock(&crew->lock);
    }
    while (crew->busy > 0)
        pthread_cond_wait(&crew->ended, &crew->lock);
    crew->next = crew->len = 0;
    crew->is_taken = false;
    pthread_mutex_unlock(&crew->lock);
}

pov_status pov_crew_new(pov_crew **crew, int workers)
{
    pov_crew *c = *crew = calloc(1, sizeof *c);
    if (!c)
        return pov_error("out of memory for threads");
    const long processors = workers > 0 ? workers : sysconf(_SC_NPROCESSORS_ONLN);
    const int wanted = processors > POV_WORKERS_MAX ? POV_WORKERS_MAX : (int)processors;
    c->workers = (pov_workers){run_crew, c, 1};
    c->kept_off = -1;
    if (sched_getaffinity(0, sizeof c->allowed, &c->allowed) != 0)
        CPU_ZERO(&c->allowed);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->begun, NULL);
    pthread_cond_init(&c->ended, NULL);
    while (c->helper_len < wanted - 1) {
        helper *h = &c->helpers[c->helper_len];
        *h = (helper){.crew = c, .worker = c->helper_len + 1};
        if (pthread_create(&h->thread, NULL, help, h) != 0)
            break;
        c->helper_len++;
    }
    c->workers.len = 1 + c->helper_len;
    return pov_ok();
}

void pov_crew_destroy(pov_crew **crew)
{
    pov_crew *c = *crew;
    if (!c)
        return;
    pthread_mutex_lock(&c->lock);
    c->stops = true;
    pthread_cond_broadcast(&c->begun);
    pthread_mutex_unlock(&c->lock);
    for (int i = 0; i < c->helper_len; i++)
        pthread_join(c->helpers[i].thread, NULL);
    pthread_cond_destroy(&c->ended);
    pthread_cond_destroy(&c->begun);
    pthread_mutex_destroy(&c->lock);
    free(c);
    *crew = NULL;
}

const pov_workers *pov_crew_workers(const pov_crew *crew)
{
    return crew->helper_len > 0 ? &crew->workers : NULL;
}
