#include "compare/vlm/vlm_gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/near.h"

static const pov_vlm_pauses pauses = {1000, 16000};

static void load_is_spread_by_the_share_of_free_places(void **state)
{
    (void)state;
    pov_vlm_gate gates[2] = {{.places = 2}, {.places = 6}};
    int taken[2] = {0};
    for (int i = 0; i < 8; i++) {
        const int chosen = pov_vlm_gate_choose(gates, 2, -1, 0);
        assert_in_range(chosen, 0, 1);
        pov_vlm_gate_enter(&gates[chosen]);
        taken[chosen]++;
    }
    assert_int_equal(taken[0], 2);
    assert_int_equal(taken[1], 6);
    assert_int_equal(pov_vlm_gate_choose(gates, 2, -1, 0), -1);
    pov_vlm_gate_leave(&gates[0]);
    assert_int_equal(pov_vlm_gate_choose(gates, 2, -1, 0), 0);
}

static void a_question_that_failed_goes_elsewhere_if_it_can(void **state)
{
    (void)state;
    pov_vlm_gate gates[3] = {{.places = 4}, {.places = 4, .under_way = 3}, {.places = 1, .under_way = 1}};
    assert_int_equal(pov_vlm_gate_choose(gates, 3, -1, 0), 0);
    assert_int_equal(pov_vlm_gate_choose(gates, 3, 0, 0), 1);
    gates[1].under_way = 4;
    assert_int_equal(pov_vlm_gate_choose(gates, 3, 0, 0), 0);
}

static void a_server_is_left_in_peace_for_as_long_as_it_asked_up_to_a_bound(void **state)
{
    (void)state;
    pov_vlm_gate gate = {.places = 4};
    pov_vlm_gate_failed(&gate, &pauses, 5000, 100);
    assert_int_equal(pov_vlm_gate_choose(&gate, 1, -1, 5099), -1);
    assert_int_equal(pov_vlm_gate_choose(&gate, 1, -1, 5100), 0);
    pov_vlm_gate_failed(&gate, &pauses, INT64_C(1) << 60, 0);
    assert_int_equal(pov_vlm_gate_choose(&gate, 1, -1, 15999), -1);
    assert_int_equal(pov_vlm_gate_choose(&gate, 1, -1, 16000), 0);
}

static void a_dead_server_is_probed_now_and_then_while_another_lives(void **state)
{
    (void)state;
    pov_vlm_gate gates[2] = {{.places = 4}, {.places = 4, .under_way = 4}};
    for (int i = 0; i < 4; i++)
        pov_vlm_gate_failed(&gates[0], &pauses, 0, 0);
    assert_int_equal(pov_vlm_gate_choose(gates, 2, -1, 1999), -1); /* doubted twice: 2 x first */
    assert_int_equal(pov_vlm_gate_choose(gates, 2, 0, 2000), -1);  /* not what it has just failed */
    assert_int_equal(pov_vlm_gate_choose(gates, 2, -1, 2000), 0);
    pov_vlm_gate_enter(&gates[0]);
    assert_int_equal(pov_vlm_gate_choose(gates, 2, -1, 2000), -1); /* one at a time */
    pov_vlm_gate_succeeded(&gates[0]);
    assert_int_equal(pov_vlm_gate_choose(gates, 2, -1, 2000), 0);
}

static void if_all_servers_fail_each_is_as_good_as_the_other(void **state)
{
    (void)state;
    pov_vlm_gate gates[2] = {{.places = 4}, {.places = 4}};
    for (int i = 0; i < 6; i++)
        pov_vlm_gate_failed(&gates[i % 2], &pauses, 0, 0);
    assert_int_equal(pov_vlm_gate_choose(gates, 2, 0, 0), 1);
    assert_int_equal(pov_vlm_gate_choose(gates, 1, 0, 0), 0);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(load_is_spread_by_the_share_of_free_places),
        cmocka_unit_test(a_question_that_failed_goes_elsewhere_if_it_can),
        cmocka_unit_test(a_server_is_left_in_peace_for_as_long_as_it_asked_up_to_a_bound),
        cmocka_unit_test(a_dead_server_is_probed_now_and_then_while_another_lives),
        cmocka_unit_test(if_all_servers_fail_each_is_as_good_as_the_other),
        cmocka_unit_test(pauses_double_up_to_a_bound_and_are_uniform_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
