#include "firmware/sweep/sweep_stop.h"

#include "perception/geometry/geom.h"
#include "tests/support/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/near.h"

static const double deg = POV_PI / 180;

static pov_observed_turntable at(double angle_deg, double std_deg)
{
    const double turn = fmod(angle_deg, 360);
    return (pov_observed_turntable){
        .known = true, .angle_rad = (turn < 0 ? turn + 360 : turn) * deg, .std_rad = std_deg * deg};
}

static double slip_deg(pov_sweep_slip *slip, double commanded_deg, double measured_deg, double std_deg)
{
    const pov_observed_turntable measured = at(measured_deg, std_deg);
    return pov_sweep_slip_of(slip, commanded_deg * deg, &measured) / deg;
}

static void two_zeros_apart_and_a_whole_turn_are_no_slip(void **state)
{
    (void)state;
    pov_sweep_slip slip = {0};
    test_random random = {7};
    for (int stop = 0; stop <= 36; stop++)
        assert_near(
            slip_deg(&slip, 10.0 * stop, 10.0 * stop + 213 + 0.03 * test_random_normal(&random), 0.03), 0, 0);
}

static void a_slip_is_told_once_where_it_came_and_with_its_sign(void **state)
{
    (void)state;
    pov_sweep_slip slip = {0};
    for (int stop = 0; stop < 36; stop++) {
        const double slipped = stop < 12 ? 0 : stop < 24 ? -0.7 : 1.1;
        const double expected = stop == 12 ? -0.7 : stop == 24 ? 1.8 : 0;
        assert_near(slip_deg(&slip, 10.0 * stop, 10.0 * stop + 355 + slipped, 0.05), expected, 1e-9);
    }
}

static void an_angle_hardly_known_slips_not(void **state)
{
    (void)state;
    pov_sweep_slip slip = {0};
    assert_near(slip_deg(&slip, 0, 0, 0.4), 0, 0);
    assert_near(slip_deg(&slip, 10, 11, 0.4), 0, 0);
    assert_near(slip_deg(&slip, 20, 24, 0.4), 4, 1e-9);
}

static void what_is_not_known_is_passed_over(void **state)
{
    (void)state;
    pov_sweep_slip slip = {0};
    const pov_observed_turntable unknown = {.known = false, .angle_rad = NAN, .std_rad = NAN};
    assert_near(slip_deg(&slip, 0, 50, 0.05), 0, 0);
    assert_near(pov_sweep_slip_of(&slip, 1, &unknown), 0, 0);
    assert_near(slip_deg(&slip, NAN, 80, 0.05), 0, 0);
    assert_near(slip_deg(&slip, 20, 71, 0.05), 1, 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_zeros_apart_and_a_whole_turn_are_no_slip),
        cmocka_unit_test(a_slip_is_told_once_where_it_came_and_with_its_sign),
        cmocka_unit_test(an_angle_hardly_known_slips_not),
        cmocka_unit_test(what_is_not_known_is_passed_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
