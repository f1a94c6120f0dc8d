#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "perception/geometry/least_squares.h"
#include "perception/geometry/linalg.h"
#include "tests/support/near.h"

#include <math.h>
#include <string.h>

static void hubers_cost_is_quadratic_within_the_bound_and_linear_beyond(void **state)
{
    (void)state;
    double weight;
    assert_near(pov_huber(&weight, 9, 4), 9, 0); /* distance 3 */
    assert_near(weight, 1, 0);
    assert_near(pov_huber(&weight, 100, 4), 4 * (2 * 10 - 4), 1e-12); /* distance 10 */
    assert_near(weight, 0.4, 1e-15);
}

static void hubers_weight_is_its_costs_derivative(void **state)
{
    (void)state;
    for (double d2 = 0.5; d2 < 100; d2 *= 1.7) {
        double weight, unused;
        (void)pov_huber(&weight, d2, 3);
        const double slope =
            (pov_huber(&unused, d2 * (1 + 1e-6), 3) - pov_huber(&unused, d2 * (1 - 1e-6), 3)) / (2e-6 * d2);
        assert_near(weight, slope, 1e-7);
    }
}

/* By hand: L = [[2, 0], [1, 3]], so L^-1 = [[1/2, 0], [-1/6, 1/3]]. */
static void whitening_divides_by_the_factor(void **state)
{
    (void)state;
    const double L[4] = {2, 0, 1, 3};
    double rows[6] = {4, 6, -2, 5, 0, 1}; /* columns (4, 5), (6, 0), (-2, 1) */
    static const double expected[6] = {2, 3, -1, 1, -1, 2.0 / 3};
    pov_whiten(rows, L, 2, 3);
    for (int i = 0; i < 6; i++)
        assert_near(rows[i], expected[i], 1e-15);
    assert_near(pov_squares(rows, 3), 14, 1e-14);
}

/* By hand: A = [[4, 2], [2, 10]] = L L^T of the factor above; (4, 5) whitens to (2, 1). */
static void a_distance_is_the_length_of_the_whitened_difference(void **state)
{
    (void)state;
    const double A[4] = {4, 2, 2, 10}, singular[4] = {1, 1, 1, 1}, x[2] = {4, 5};
    assert_near(pov_distance2(x, A, 2), 5, 1e-14);
    assert_true(isinf(pov_distance2(x, singular, 2)));
}

/* A line through (0, 1), (1, 3), (2, 4) of weights 1, 1, 4: by hand, 6 a + 9 b = 20 and 9 a + 17 b = 35. */
static void a_weighted_line_is_that_of_pencil_and_paper(void **state)
{
    (void)state;
    const double J[6] = {1, 0, 1, 1, 1, 2}, y[3] = {1, 3, 4};
    double information[4] = {0}, gradient[2] = {0};
    const pov_normal sum = {information, gradient, 2};
    pov_normal_add(&sum, J, y, 2, 1);
    pov_normal_add(&sum, J + 4, y + 2, 1, 4);
    assert_true(pov_normal_step(gradient, information, gradient, 2, 0));
    assert_near(gradient[0], 25.0 / 21, 1e-14);
    assert_near(gradient[1], 10.0 / 7, 1e-14);
}

static void damping_divides_the_step_of_one_unknown(void **state)
{
    (void)state;
    double step, information = 2, gradient = 6;
    assert_true(pov_normal_step(&step, &information, &gradient, 1, 0.5));
    assert_near(step, 2, 1e-15);
    information = 0;
    assert_false(pov_normal_step(&step, &information, &gradient, 1, 0.5));
}

/* Rosenbrock's function as residuals: 10 (y - x^2) and 1 - x, least at (1, 1). */
static double rosenbrock(double information[4], double gradient[2], const double x[2])
{
    const double prediction[2] = {-10 * (x[1] - x[0] * x[0]), x[0] - 1};
    const double residual[2] = {-prediction[0], -prediction[1]}, J[4] = {20 * x[0], -10, 1, 0};
    memset(information, 0, 4 * sizeof *information);
    memset(gradient, 0, 2 * sizeof *gradient);
    pov_normal_add(&(pov_normal){information, gradient, 2}, J, residual, 2, 1);
    return pov_squares(residual, 2);
}

static void a_descent_finds_the_bottom_of_a_bent_valley(void **state)
{
    (void)state;
    double x[2] = {-1.2, 1}, information[4], gradient[2], step[2], lowest = INFINITY;
    pov_descent d = pov_descent_from(rosenbrock(information, gradient, x), 1e-3, 100);
    while (pov_descent_continues(&d)) {
        double there[4], downhill[2];
        assert_true(pov_normal_step(step, information, gradient, 2, d.damping));
        const double trial[2] = {x[0] + step[0], x[1] + step[1]};
        if (!pov_descent_accepts(&d, rosenbrock(there, downhill, trial)))
            continue;
        assert_true(d.cost <= lowest);
        lowest = d.cost;
        memcpy(x, trial, sizeof x);
        memcpy(information, there, sizeof there);
        memcpy(gradient, downhill, sizeof downhill);
    }
    assert_near(x[0], 1, 1e-7);
    assert_near(x[1], 1, 1e-7);
}

static void a_rejected_trial_raises_the_damping_and_keeps_the_cost(void **state)
{
    (void)state;
    pov_descent d = pov_descent_from(5, 1e-3, 10);
    assert_false(pov_descent_accepts(&d, 6));
    assert_false(pov_descent_accepts(&d, NAN));
    assert_near(d.damping, 0.1, 1e-15);
    assert_near(d.cost, 5, 0);
    assert_true(pov_descent_accepts(&d, 4));
    assert_near(d.damping, 0.01, 1e-16);
    assert_near(d.cost, 4, 0);
}

static void a_descent_ends_by_trials_by_gain_and_by_damping(void **state)
{
    (void)state;
    int trials = 0;
    for (pov_descent d = pov_descent_from(5, 1e-3, 3); pov_descent_continues(&d); trials++)
        (void)pov_descent_accepts(&d, d.cost / 2);
    assert_int_equal(trials, 3);
    pov_descent small_gain = pov_descent_from(5, 1e-3, 10);
    small_gain.gain_min = 0.01;
    assert_true(pov_descent_accepts(&small_gain, 4.9));
    assert_true(pov_descent_continues(&small_gain));
    assert_true(pov_descent_accepts(&small_gain, 4.89));
    assert_false(pov_descent_continues(&small_gain));
    trials = 0;
    for (pov_descent d = pov_descent_from(5, 1e-3, 1000); pov_descent_continues(&d); trials++)
        (void)pov_descent_accepts(&d, INFINITY);
    assert_in_range(trials, 15, 16); /* from 1e-3 to 1e12 by tens */
    const pov_descent perfect = pov_descent_from(0, 1e-3, 10),
                      impossible = pov_descent_from(INFINITY, 1e-3, 10);
    assert_false(pov_descent_continues(&perfect));
    assert_false(pov_descent_continues(&impossible));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hubers_cost_is_quadratic_within_the_bound_and_linear_beyond),
        cmocka_unit_test(hubers_weight_is_its_costs_derivative),
        cmocka_unit_test(whitening_divides_by_the_factor),
        cmocka_unit_test(a_distance_is_the_length_of_the_whitened_difference),
        cmocka_unit_test(a_weighted_line_is_that_of_pencil_and_paper),
        cmocka_unit_test(damping_divides_the_step_of_one_unknown),
        cmocka_unit_test(a_descent_finds_the_bottom_of_a_bent_valley),
        cmocka_unit_test(a_rejected_trial_raises_the_damping_and_keeps_the_cost),
        cmocka_unit_test(a_descent_ends_by_trials_by_gain_and_by_damping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
