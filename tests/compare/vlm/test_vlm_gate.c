#include "compare/vlm/vlm_gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/near.h"

static const pov_vlm_pauses pauses = {1000, 16000};

/** The server with the largest share of its window free; -1: none has any. */
static int choose(const pov_vlm_gate *gates, int len, int last, int64_t now_ns)
{
    int best = -1;
    double best_share = 0;
    for (int i = 0; i < len; i++) {
        const double share = pov_vlm_gate_share(gates, len, i, last, now_ns);
        if (share > best_share) {
            best = i;
            best_share = share;
        }
    }
    return best;
}

static void load_is_spread_by_the_share_of_free_places(void **state)
{
    (void)state;
    pov_vlm_gate gates[2] = {{.places = 2}, {.places = 6, .window = 6}};
    int taken[2] = {0};
    for (int i = 0; i < 8; i++) {
        const int chosen = choose(gates, 2, -1, 0);
        assert_in_range(chosen, 0, 1);
        pov_vlm_gate_enter(&gates[chosen]);
        taken[chosen]++;
    }
    assert_int_equal(taken[0], 2);
    assert_int_equal(taken[1], 6);
    assert_int_equal(choose(gates, 2, -1, 0), -1);
    pov_vlm_gate_leave(&gates[0]);
    assert_int_equal(choose(gates, 2, -1, 0), 0);
}

static void a_question_that_failed_goes_elsewhere_if_it_can(void **state)
{
    (void)state;
    pov_vlm_gate gates[3] = {{.places = 4}, {.places = 4, .under_way = 3}, {.places = 1, .under_way = 1}};
    assert_int_equal(choose(gates, 3, -1, 0), 0);
    assert_int_equal(choose(gates, 3, 0, 0), 1);
    gates[1].under_way = 4;
    assert_int_equal(choose(gates, 3, 0, 0), 0);
}

static void a_server_is_left_in_peace_for_as_long_as_it_asked(void **state)
{
    (void)state;
    pov_vlm_gate gate = {.places = 4};
    pov_vlm_gate_failed(&gate, &pauses, 5000, 100);
    assert_int_equal(choose(&gate, 1, -1, 5099), -1);
    assert_int_equal(choose(&gate, 1, -1, 5100), 0);
    pov_vlm_gate_failed(&gate, &pauses, 160000, 0); /* longer than the longest pause of our own */
    assert_int_equal(choose(&gate, 1, -1, 159999), -1);
    assert_int_equal(choose(&gate, 1, -1, 160000), 0);
}

static void a_dead_server_is_probed_now_and_then_while_another_lives(void **state)
{
    (void)state;
    pov_vlm_gate gates[2] = {{.places = 4}, {.places = 4, .under_way = 4}};
    for (int i = 0; i < 4; i++)
        pov_vlm_gate_failed(&gates[0], &pauses, 0, 0);
    assert_int_equal(choose(gates, 2, -1, 1999), -1); /* doubted twice: 2 x first */
    assert_int_equal(choose(gates, 2, 0, 2000), -1);  /* not what it has just failed */
    assert_int_equal(choose(gates, 2, -1, 2000), 0);
    pov_vlm_gate_enter(&gates[0]);
    assert_int_equal(choose(gates, 2, -1, 2000), -1); /* one at a time */
    pov_vlm_gate_succeeded(&gates[0]);
    assert_int_equal(choose(gates, 2, -1, 2000), 0);
}

static void if_all_servers_fail_each_is_as_good_as_the_other(void **state)
{
    (void)state;
    pov_vlm_gate gates[2] = {{.places = 4}, {.places = 4}};
    for (int i = 0; i < 6; i++)
        pov_vlm_gate_failed(&gates[i % 2], &pauses, 0, 0);
    assert_int_equal(choose(gates, 2, 0, 0), 1);
    assert_int_equal(choose(gates, 1, 0, 0), 0);
}

/* Uniform on [0, doubled]: mean half of it, variance a twelfth of its square. */
static void pauses_double_up_to_a_bound_and_are_uniform_below(void **state)
{
    (void)state;
    enum { DRAWS = 20000 };
    uint64_t random = 3;
    for (int attempts = 1; attempts < 8; attempts++) {
        const double most = fmin(1000 * pow(2, attempts - 1), 16000);
        double sum = 0, squares = 0;
        for (int i = 0; i < DRAWS; i++) {
            const double pause = (double)pov_vlm_pause_ns(&pauses, attempts, &random);
            assert_true(pause >= 0 && pause <= most);
            sum += pause;
            squares += pause * pause;
        }
        const double mean = sum / DRAWS;
        assert_near(mean / most, 0.5, 0.01);
        assert_near((squares / DRAWS - mean * mean) / (most * most), 1.0 / 12, 0.003);
    }
}

/* ---- a simulated server: it works on so many questions at a time and refuses, or queues, the others ---- */

typedef struct {
    int at_once;    /* questions that it works on; each then takes SERVICE ticks */
    bool refuses;   /* those beyond; else they wait in a queue */
    int late_ticks; /* answers that took longer are late */
} simulated;

typedef struct {
    int answered, refused, slowest_ticks;
} outcome;

enum { SERVICE = 100, PLACES = 64, TICKS = 200000 };

typedef struct {
    pov_vlm_gate gate;
    int len, started[PLACES], begun[PLACES], round[PLACES]; /* in the order they came; begun -1: it waits */
    outcome outcome;
} simulation;

static void end_question(simulation *s, int i, int tick, bool is_refused, bool is_late)
{
    pov_vlm_gate_adapt(&s->gate, s->round[i], is_refused || is_late);
    pov_vlm_gate_leave(&s->gate);
    if (tick > TICKS / 2) {
        s->outcome.refused += is_refused;
        s->outcome.answered += !is_refused;
        if (tick - s->started[i] > s->outcome.slowest_ticks)
            s->outcome.slowest_ticks = tick - s->started[i];
    }
    s->len--;
    for (int k = i; k < s->len; k++) {
        s->started[k] = s->started[k + 1];
        s->begun[k] = s->begun[k + 1];
        s->round[k] = s->round[k + 1];
    }
}

/** Asks without end; counts the second half of the time. */
static outcome ask_for_long(const simulated *server)
{
    simulation s = {.gate = {.places = PLACES}};
    for (int tick = 0; tick < TICKS; tick++) {
        int begun = 0;
        for (int i = s.len - 1; i >= 0; i--)
            if (s.begun[i] >= 0 && tick - s.begun[i] >= SERVICE)
                end_question(&s, i, tick, false, tick - s.started[i] > server->late_ticks);
        for (; choose(&s.gate, 1, -1, tick) == 0; s.len++) {
            s.started[s.len] = tick;
            s.begun[s.len] = -1;
            s.round[s.len] = pov_vlm_gate_enter(&s.gate);
        }
        for (int i = 0; i < s.len; i++) {
            if (s.begun[i] < 0 && begun < server->at_once)
                s.begun[i] = tick;
            begun += s.begun[i] >= 0;
        }
        for (int i = s.len - 1; i >= 0 && server->refuses; i--)
            if (s.begun[i] < 0)
                end_question(&s, i, tick, true, false);
    }
    return s.outcome;
}

static void a_server_that_refuses_is_kept_busy_and_seldom_refuses(void **state)
{
    (void)state;
    for (int at_once = 1; at_once <= 50; at_once += 7) {
        const outcome o = ask_for_long(&(simulated){at_once, true, 10 * SERVICE});
        const double possible = (double)at_once * (TICKS / 2) / SERVICE;
        assert_true(o.answered > 0.7 * possible);
        assert_true(at_once == 1 || o.refused < 0.02 * o.answered);
    }
}

static void a_server_that_queues_is_kept_busy_and_not_late_for_long(void **state)
{
    (void)state;
    for (int at_once = 1; at_once <= 8; at_once++) {
        const outcome o = ask_for_long(&(simulated){at_once, false, 5 * SERVICE});
        const double possible = (double)at_once * (TICKS / 2) / SERVICE;
        assert_true(o.answered > 0.98 * possible);
        assert_true(o.slowest_ticks < 7 * SERVICE); /* late is 5; the time limit would be 10 */
    }
}

static void a_server_that_bears_all_soon_gets_all_that_it_may(void **state)
{
    (void)state;
    pov_vlm_gate gate = {.places = PLACES};
    int answers = 0;
    for (; pov_vlm_gate_window(&gate) < PLACES && answers < 1000; answers++) {
        while (choose(&gate, 1, -1, 0) == 0)
            pov_vlm_gate_enter(&gate);
        pov_vlm_gate_adapt(&gate, 0, false);
        pov_vlm_gate_leave(&gate);
    }
    assert_in_range(answers, 60, 61);
}

static void a_burst_of_refusals_halves_the_window_once(void **state)
{
    (void)state;
    pov_vlm_gate gate = {.places = PLACES, .window = 32};
    int rounds[32];
    for (int i = 0; i < 32; i++)
        rounds[i] = pov_vlm_gate_enter(&gate);
    for (int i = 0; i < 32; i++) {
        pov_vlm_gate_adapt(&gate, rounds[i], true);
        pov_vlm_gate_leave(&gate);
    }
    assert_int_equal(pov_vlm_gate_window(&gate), 16);
    for (int i = 0; i < 10; i++) { /* there is always one */
        pov_vlm_gate_adapt(&gate, pov_vlm_gate_enter(&gate), true);
        pov_vlm_gate_leave(&gate);
    }
    assert_int_equal(pov_vlm_gate_window(&gate), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(load_is_spread_by_the_share_of_free_places),
        cmocka_unit_test(a_question_that_failed_goes_elsewhere_if_it_can),
        cmocka_unit_test(a_server_is_left_in_peace_for_as_long_as_it_asked),
        cmocka_unit_test(a_dead_server_is_probed_now_and_then_while_another_lives),
        cmocka_unit_test(if_all_servers_fail_each_is_as_good_as_the_other),
        cmocka_unit_test(a_server_that_refuses_is_kept_busy_and_seldom_refuses),
        cmocka_unit_test(a_server_that_queues_is_kept_busy_and_not_late_for_long),
        cmocka_unit_test(a_server_that_bears_all_soon_gets_all_that_it_may),
        cmocka_unit_test(a_burst_of_refusals_halves_the_window_once),
        cmocka_unit_test(pauses_double_up_to_a_bound_and_are_uniform_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
