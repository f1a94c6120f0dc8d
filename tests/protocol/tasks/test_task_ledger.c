#include "protocol/tasks/task_ledger.h"
#include "tests/support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { TASKS = 8, WORKERS = 3, LEASE = 100, LEASES = 4 };

static pov_task_ledger *new_ledger(void)
{
    pov_task_ledger *ledger;
    const pov_task_ledger_config config = {
        .task_max = TASKS, .worker_max = WORKERS, .lease_ns = LEASE, .lease_max = LEASES};
    assert_int_equal(pov_task_ledger_new(&ledger, &config).code, POV_OK);
    return ledger;
}

static void report(pov_task_ledger *ledger, char name, int capacity, int64_t now)
{
    pov_task_ledger_report(ledger, &name, 1, capacity, NULL, 0, now);
}

static char assign(pov_task_ledger *ledger, int *slot, int64_t now)
{
    int worker;
    size_t len;
    if (!pov_task_ledger_assign(ledger, slot, &worker, now))
        return '-';
    return *(const char *)pov_task_ledger_identity(ledger, &len, worker);
}

static void more_workers_take_more_load_by_their_capacity(void **state)
{
    (void)state;
    pov_task_ledger *ledger = new_ledger();
    int taken[256] = {0}, slot;
    for (uint64_t ticket = 0; ticket < TASKS; ticket++)
        assert_true(pov_task_ledger_put(ledger, ticket) >= 0);
    assert_int_equal(pov_task_ledger_put(ledger, 99), -1);
    assert_int_equal(assign(ledger, &slot, 0), '-');
    report(ledger, 'a', 1, 0);
    report(ledger, 'b', 3, 0);
    for (char who; (who = assign(ledger, &slot, 0)) != '-';)
        taken[(int)who]++;
    assert_int_equal(taken['a'], 1);
    assert_int_equal(taken['b'], 3);
    report(ledger, 'c', 9, 0);
    for (char who; (who = assign(ledger, &slot, 0)) != '-';)
        taken[(int)who]++;
    assert_int_equal(taken['c'], TASKS - 4);
    pov_task_ledger_destroy(&ledger);
}

static void a_task_of_a_silent_worker_goes_to_another_before_those_that_wait(void **state)
{
    (void)state;
    pov_task_ledger *ledger = new_ledger();
    int first, slot;
    pov_task_ledger_put(ledger, 7);
    pov_task_ledger_put(ledger, 8);
    report(ledger, 'a', 1, 0);
    assert_int_equal(assign(ledger, &first, 0), 'a');
    report(ledger, 'b', 1, 50);
    pov_task_ledger_expire(ledger, LEASE - 1);
    assert_int_equal(pov_task_ledger_counts(ledger).leased, 1);
    pov_task_ledger_expire(ledger, LEASE);
    assert_int_equal(pov_task_ledger_counts(ledger).workers, 1);
    assert_int_equal(assign(ledger, &slot, LEASE), 'b');
    assert_int_equal(slot, first);
    assert_true(pov_task_ledger_answer(ledger, &slot, 7)); /* whoever it was */
    assert_false(pov_task_ledger_answer(ledger, &slot, 7));
    assert_int_equal(pov_task_ledger_counts(ledger).repeated, 1);
    pov_task_ledger_destroy(&ledger);
}

static void reports_renew_leases_on_what_is_held_only(void **state)
{
    (void)state;
    pov_task_ledger *ledger = new_ledger();
    int slot;
    const uint64_t held = 7;
    pov_task_ledger_put(ledger, 7);
    pov_task_ledger_put(ledger, 8);
    report(ledger, 'a', 2, 0);
    assign(ledger, &slot, 0);
    assign(ledger, &slot, 0);
    pov_task_ledger_report(ledger, "a", 1, 2, &held, 1, 90);
    pov_task_ledger_expire(ledger, LEASE);
    assert_int_equal(pov_task_ledger_counts(ledger).leased, 1);
    pov_task_ledger_expire(ledger, 90 + LEASE);
    assert_int_equal(pov_task_ledger_counts(ledger).leased, 0);
    pov_task_ledger_report(ledger, "a", 1, 2, &held, 1, 300); /* late, and nobody else has it */
    assert_int_equal(pov_task_ledger_counts(ledger).leased, 1);
    pov_task_ledger_destroy(&ledger);
}

static void who_leaves_gives_back(void **state)
{
    (void)state;
    pov_task_ledger *ledger = new_ledger();
    int slot;
    pov_task_ledger_put(ledger, 7);
    report(ledger, 'a', 1, 0);
    assign(ledger, &slot, 0);
    report(ledger, 'a', 0, 1);
    const pov_task_counts counts = pov_task_ledger_counts(ledger);
    assert_int_equal(counts.workers * 100 + counts.leased * 10 + counts.waiting, 1);
    pov_task_ledger_destroy(&ledger);
}

static void a_task_that_no_worker_survives_is_given_up(void **state)
{
    (void)state;
    pov_task_ledger *ledger = new_ledger();
    int slot;
    uint64_t ticket;
    pov_task_ledger_put(ledger, 7);
    for (int i = 0; i < LEASES; i++) {
        assert_false(pov_task_ledger_give_up(ledger, &slot, &ticket));
        report(ledger, 'a', 1, i * LEASE);
        assert_int_equal(assign(ledger, &slot, i * LEASE), 'a');
        pov_task_ledger_expire(ledger, (i + 1) * LEASE);
    }
    report(ledger, 'a', 1, 1000);
    assert_int_equal(assign(ledger, &slot, 1000), '-');
    assert_true(pov_task_ledger_give_up(ledger, &slot, &ticket));
    assert_int_equal(ticket, 7);
    assert_false(pov_task_ledger_answer(ledger, &slot, 7));
    pov_task_ledger_destroy(&ledger);
}

/* A thousand tasks, workers that come, go, stall and answer twice: checked against plain bookkeeping of who has answered. */
static void whatever_workers_do_each_task_is_answered_exactly_once(void **state)
{
    (void)state;
    enum { ALL = 1000, HELD_MAX = 64 };
    pov_task_ledger *ledger = new_ledger();
    test_random random = {11};
    static int answers[ALL];
    uint64_t held[HELD_MAX], next = 0, tickets[TASKS] = {0};
    size_t held_len = 0;
    int done = 0, slot, worker;
    for (int64_t now = 0; done < ALL; now += 10) {
        assert_true(now < 10000000);
        while (next < ALL && (slot = pov_task_ledger_put(ledger, next)) >= 0)
            tickets[slot] = next++;
        for (int k = 0; k < WORKERS; k++)
            if (test_random_between(&random, 0, 1) < 0.3)
                report(ledger, (char)('a' + k), test_random_between(&random, 0, 1) < 0.1 ? 0 : 2, now);
        while (pov_task_ledger_assign(ledger, &slot, &worker, now))
            if (held_len < HELD_MAX && test_random_between(&random, 0, 1) < 0.9)
                held[held_len++] = tickets[slot];
        if (held_len > 0 && test_random_between(&random, 0, 1) < 0.7) {
            const size_t i = test_random_u64(&random) % held_len;
            if (pov_task_ledger_answer(ledger, &slot, held[i])) {
                answers[held[i]]++;
                done++;
            }
            if (test_random_between(&random, 0, 1) < 0.8)
                held[i] = held[--held_len];
        }
        uint64_t ticket;
        while (pov_task_ledger_give_up(ledger, &slot, &ticket)) {
            answers[ticket]++;
            done++;
        }
        pov_task_ledger_expire(ledger, now);
        const pov_task_counts counts = pov_task_ledger_counts(ledger);
        assert_int_equal(counts.waiting + counts.leased, (int)next - done);
    }
    for (int i = 0; i < ALL; i++)
        assert_int_equal(answers[i], 1);
    pov_task_ledger_destroy(&ledger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_workers_take_more_load_by_their_capacity),
        cmocka_unit_test(a_task_of_a_silent_worker_goes_to_another_before_those_that_wait),
        cmocka_unit_test(reports_renew_leases_on_what_is_held_only),
        cmocka_unit_test(who_leaves_gives_back),
        cmocka_unit_test(a_task_that_no_worker_survives_is_given_up),
        cmocka_unit_test(whatever_workers_do_each_task_is_answered_exactly_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
