#include "compare/statistics/tally.h"
#include "tests/support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/near.h"

static void errors_are_those_worked_out_by_hand(void **state)
{
    (void)state;
    pov_calibration calibration = {0};
    assert_true(isnan(pov_calibration_brier(&calibration)));
    assert_true(isnan(pov_calibration_error(&calibration)));
    pov_calibration_add(&calibration, 0.9, true);
    pov_calibration_add(&calibration, 1, false);
    pov_calibration_add(&calibration, 0.2, false);
    pov_calibration_add(&calibration, 0, false);
    pov_calibration_add(&calibration, NAN, true);
    assert_int_equal(calibration.n, 4);
    assert_int_equal(calibration.unscored, 1);
    assert_int_equal(calibration.bin[9].n, 2); /* 0.9 and 1 */
    assert_int_equal(calibration.bin[2].n, 1); /* an edge belongs to the upper bin */
    assert_near(pov_calibration_brier(&calibration), (0.01 + 1 + 0.04 + 0) / 4, 1e-15);
    assert_near(pov_calibration_error(&calibration), (2 * (0.95 - 0.5) + 0.2 + 0) / 4, 1e-15);
}

static void who_is_right_as_often_as_said_has_no_error(void **state)
{
    (void)state;
    enum { CASES = 200000 };
    pov_calibration honest = {0}, sure = {0};
    test_random random = {1};
    for (int i = 0; i < CASES; i++) {
        double p = test_random_between(&random, 0, 1);
        bool truth = test_random_between(&random, 0, 1) < p;
        pov_calibration_add(&honest, p, truth);
        pov_calibration_add(&sure, p > 0.5, truth);
    }
    assert_near(pov_calibration_error(&honest), 0, 0.005);
    assert_near(pov_calibration_brier(&honest), 1.0 / 6, 0.002); /* the integral of p (1 - p) */
    assert_near(pov_calibration_error(&sure), 0.25, 0.005);      /* right three times in four */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_those_worked_out_by_hand),
        cmocka_unit_test(who_is_right_as_often_as_said_has_no_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
