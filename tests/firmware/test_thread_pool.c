#include "firmware/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

enum { PIECES = 200 };

typedef struct {
    atomic_int done[PIECES], at_work[POV_WORKERS_MAX], together;
} pieces;

static void do_piece(void *context, int index, int worker)
{
    pieces *p = context;
    if (worker < 0 || worker >= POV_WORKERS_MAX || atomic_fetch_add(&p->at_work[worker], 1) != 0)
        atomic_fetch_add(&p->together, 1);
    atomic_fetch_add(&p->done[index], 1);
    if (worker >= 0 && worker < POV_WORKERS_MAX)
        atomic_fetch_sub(&p->at_work[worker], 1);
}

static void assert_all_done_once(pieces *p, int len)
{
    for (int i = 0; i < PIECES; i++)
        assert_int_equal(atomic_load(&p->done[i]), i < len);
    assert_int_equal(atomic_load(&p->together), 0);
}

static void every_piece_is_done_once_and_a_worker_does_one_at_a_time(void **state)
{
    (void)state;
    for (int workers = 1; workers <= POV_WORKERS_MAX; workers++) {
        pov_thread_pool *pool;
        assert_int_equal(pov_thread_pool_new(&pool, workers).code, POV_OK);
        assert_in_range(pov_workers_len(pov_thread_pool_workers(pool)), 1, workers);
        for (int round = 0; round < 300; round++) {
            pieces p = {.together = 0};
            const int len = round % 7 == 0 ? PIECES : round % 7 - 1;
            pov_tasks_run(pov_thread_pool_workers(pool), do_piece, &p, len);
            assert_all_done_once(&p, len);
        }
        pov_thread_pool_destroy(&pool);
        assert_null(pool);
    }
}

static void *call_often(void *workers)
{
    for (int round = 0; round < 300; round++) {
        pieces p = {.together = 0};
        pov_tasks_run(workers, do_piece, &p, PIECES);
        for (int i = 0; i < PIECES; i++)
            if (atomic_load(&p.done[i]) != 1)
                return workers;
    }
    return NULL;
}

static void two_callers_at_once_both_have_their_pieces_done(void **state)
{
    (void)state;
    pov_thread_pool *pool;
    pthread_t other;
    void *failed;
    assert_int_equal(pov_thread_pool_new(&pool, 3).code, POV_OK);
    assert_int_equal(pthread_create(&other, NULL, call_often, (void *)pov_thread_pool_workers(pool)), 0);
    assert_null(call_often((void *)pov_thread_pool_workers(pool)));
    pthread_join(other, &failed);
    assert_null(failed);
    pov_thread_pool_destroy(&pool);
}

/* The caller waits in its piece until a helper has come to another one. */
typedef struct {
    atomic_int processor[2]; /* of the caller, of a helper; -1: not yet */
} meeting;

static void meet(void *context, int index, int worker)
{
    meeting *m = context;
    (void)index;
    atomic_store(&m->processor[worker > 0], sched_getcpu());
    while (atomic_load(&m->processor[worker == 0]) < 0)
        sched_yield();
}

static void helpers_leave_the_callers_processor_alone(void **state)
{
    pov_thread_pool *pool;
    cpu_set_t allowed, only;
    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    if (CPU_COUNT(&allowed) < 2)
        skip();
    assert_int_equal(pov_thread_pool_new(&pool, 2).code, POV_OK);
    assert_int_equal(pov_workers_len(pov_thread_pool_workers(pool)), 2);
    for (int processor = 0; processor < CPU_SETSIZE; processor++) {
        if (!CPU_ISSET(processor, &allowed))
            continue;
        CPU_ZERO(&only);
        CPU_SET(processor, &only);
        assert_int_equal(sched_setaffinity(0, sizeof only, &only), 0);
        for (int round = 0; round < 50; round++) {
            meeting m = {{-1, -1}};
            usleep(2000); /* all sleep, as between images */
            pov_tasks_run(pov_thread_pool_workers(pool), meet, &m, 2);
            assert_int_equal(atomic_load(&m.processor[0]), processor);
            assert_int_not_equal(atomic_load(&m.processor[1]), processor);
        }
    }
    assert_int_equal(sched_setaffinity(0, sizeof allowed, &allowed), 0);
    pov_thread_pool_destroy(&pool);
}

static void without_workers_pieces_are_done_in_order(void **state)
{
    (void)state;
    pieces p = {.together = 0};
    pov_tasks_run(NULL, do_piece, &p, 5);
    assert_all_done_once(&p, 5);
    assert_int_equal(pov_workers_len(NULL), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_piece_is_done_once_and_a_worker_does_one_at_a_time),
        cmocka_unit_test(two_callers_at_once_both_have_their_pieces_done),
        cmocka_unit_test(helpers_leave_the_callers_processor_alone),
        cmocka_unit_test(without_workers_pieces_are_done_in_order),
    };
    return cmocka_run_group_tests_name("thread_pool", tests, NULL, NULL);
}
