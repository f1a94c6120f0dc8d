#include "firmware/thread_pool.h"

#include "firmware/thread_priority.h"

#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

/* A helper: worker 1 and up. */
typedef struct {
    pov_thread_pool *pool;
    int worker;
    pthread_t thread;
} helper;

struct pov_thread_pool {
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
    pov_thread_pool *pool = self->pool;
    pov_thread_goes_first();
    pthread_mutex_lock(&pool->lock);
    while (!pool->stops) {
        if (pool->next == pool->len) {
            pthread_cond_wait(&pool->begun, &pool->lock);
            continue;
        }
        const int piece = pool->next++;
        pool->busy++;
        pthread_mutex_unlock(&pool->lock);
        pool->task(pool->context, piece, self->worker);
        pthread_mutex_lock(&pool->lock);
        if (--pool->busy == 0)
            pthread_cond_signal(&pool->ended);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* Linux may wake a helper on the caller's own processor though another one is idle (seen with 6.18), where the two then take
 * turns. */
static void keep_helpers_off(pov_thread_pool *pool, int processor)
{
    cpu_set_t others = pool->allowed;
    if (processor < 0 || processor >= CPU_SETSIZE || processor == pool->kept_off)
        return;
    CPU_CLR(processor, &others);
    for (int i = 0; CPU_COUNT(&others) > 0 && i < pool->helper_len; i++)
        (void)pthread_setaffinity_np(pool->helpers[i].thread, sizeof others, &others);
    pool->kept_off = processor;
}

/* False if the pool is at another caller's work. */
static bool take_thread_pool(pov_thread_pool *pool, pov_task *task, void *context, int len)
{
    pthread_mutex_lock(&pool->lock);
    const bool takes = !pool->is_taken;
    if (takes) {
        pool->is_taken = true;
        pool->task = task;
        pool->context = context;
        pool->next = 0;
        pool->len = len;
        keep_helpers_off(pool, sched_getcpu());
        pthread_cond_broadcast(&pool->begun);
    }
    pthread_mutex_unlock(&pool->lock);
    return takes;
}

static void run_thread_pool(void *self, pov_task *task, void *context, int len)
{
    pov_thread_pool *pool = self;
    if (!take_thread_pool(pool, task, context, len)) {
        for (int i = 0; i < len; i++)
            task(context, i, 0);
        return;
    }
    pthread_mutex_lock(&pool->lock);
    while (pool->next < pool->len) {
        const int piece = pool->next++;
        pthread_mutex_unlock(&pool->lock);
        task(context, piece, 0);
        pthread_mutex_lock(&pool->lock);
    }
    while (pool->busy > 0)
        pthread_cond_wait(&pool->ended, &pool->lock);
    pool->next = pool->len = 0;
    pool->is_taken = false;
    pthread_mutex_unlock(&pool->lock);
}

pov_status pov_thread_pool_new(pov_thread_pool **pool, int workers)
{
    pov_thread_pool *c = *pool = calloc(1, sizeof *c);
    if (!c)
        return pov_error("out of memory for threads");
    const long processors = workers > 0 ? workers : sysconf(_SC_NPROCESSORS_ONLN);
    const int wanted = processors > POV_WORKERS_MAX ? POV_WORKERS_MAX : (int)processors;
    c->workers = (pov_workers){run_thread_pool, c, 1};
    c->kept_off = -1;
    if (sched_getaffinity(0, sizeof c->allowed, &c->allowed) != 0)
        CPU_ZERO(&c->allowed);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->begun, NULL);
    pthread_cond_init(&c->ended, NULL);
    while (c->helper_len < wanted - 1) {
        helper *h = &c->helpers[c->helper_len];
        *h = (helper){.pool = c, .worker = c->helper_len + 1};
        if (pthread_create(&h->thread, NULL, help, h) != 0)
            break;
        c->helper_len++;
    }
    c->workers.len = 1 + c->helper_len;
    return pov_ok();
}

void pov_thread_pool_destroy(pov_thread_pool **pool)
{
    pov_thread_pool *c = *pool;
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
    *pool = NULL;
}

const pov_workers *pov_thread_pool_workers(const pov_thread_pool *pool)
{
    return pool->helper_len > 0 ? &pool->workers : NULL;
}
