/* Where answers flip: estimated from simulated models of known thresholds. */
#include "compare/statistics/flip.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/random.h"

static double apart_deg(double a, double b)
{
    return fabs(remainder(a - b, 360));
}

/* P(yes) of a model that says yes between two angles, by its own formula: a normal's slope at each, and lapses. */
static double answer(double phi_deg, double to_yes_deg, double to_no_deg, double slope_deg, double lapse)
{
    const double middle_deg = to_yes_deg + fmod(to_no_deg - to_yes_deg + 360, 360) / 2;
    const double half_deg = fmod(to_no_deg - to_yes_deg + 360, 360) / 2;
    const double inside_deg = half_deg - apart_deg(phi_deg, middle_deg);
    return lapse / 2 + (1 - lapse) * 0.5 * erfc(-inside_deg / slope_deg / sqrt(2));
}

static void known_thresholds_lie_within_their_deviations(void **state)
{
    (void)state;
    pov_flip_grid *grid = pov_flip_grid_new();
    test_random random = {11};
    int within = 0, known = 0;
    for (int round = 0; round < 300; round++) {
        pov_flip *flip = pov_flip_new();
        const double to_yes_deg = test_random_between(&random, 0, 360),
                     arc_deg = test_random_between(&random, 100, 260),
                     to_no_deg = fmod(to_yes_deg + arc_deg, 360),
                     slope_deg = test_random_between(&random, 2, 30),
                     lapse = test_random_between(&random, 0, 0.2);
        for (int phi_deg = 0; phi_deg < 360; phi_deg += 10) {
            const double p = answer(phi_deg, to_yes_deg, to_no_deg, slope_deg, lapse);
            pov_flip_add(flip, grid, phi_deg, test_random_between(&random, 0, 1) < p ? 1 : 0, true);
        }
        pov_flips flips;
        if (pov_flip_find(&flips, flip)) {
            known++;
            within += (apart_deg(flips.to_yes_deg, to_yes_deg) < 2 * flips.to_yes_std_deg) +
                      (apart_deg(flips.to_no_deg, to_no_deg) < 2 * flips.to_no_std_deg);
            assert_true(flips.to_yes_std_deg >= 2 && flips.to_yes_std_deg < 30);
        }
        pov_flip_destroy(&flip);
    }
    assert_true(known > 280);
    assert_in_range(within, 0.92 * 2 * known,
                    0.99 * 2 * known); /* 95 %, were the model of answers the same */
    pov_flip_grid_destroy(&grid);
}

static void more_answers_make_it_surer(void **state)
{
    (void)state;
    pov_flip_grid *grid = pov_flip_grid_new();
    pov_flip *flip = pov_flip_new();
    double before_deg = 1000;
    for (int step_deg = 90; step_deg >= 5; step_deg /= 2) {
        pov_flips flips;
        for (int phi_deg = step_deg / 2; phi_deg < 360; phi_deg += step_deg)
            pov_flip_add(flip, grid, phi_deg, answer(phi_deg, 90, 270, 8, 0.02), false);
        (void)pov_flip_find(&flips, flip);
        assert_true(flips.to_yes_std_deg <= before_deg);
        before_deg = flips.to_yes_std_deg;
    }
    assert_true(before_deg < 5);
    pov_flip_destroy(&flip);
    pov_flip_grid_destroy(&grid);
}

static void sure_probabilities_tell_more_than_words(void **state)
{
    (void)state;
    pov_flip_grid *grid = pov_flip_grid_new();
    pov_flips flips[2];
    for (int in_words = 0; in_words < 2; in_words++) {
        pov_flip *flip = pov_flip_new();
        for (int phi_deg = 0; phi_deg < 360; phi_deg += 10)
            pov_flip_add(flip, grid, phi_deg, phi_deg > 90 && phi_deg < 270, in_words);
        assert_true(pov_flip_find(&flips[in_words], flip));
        pov_flip_destroy(&flip);
    }
    assert_true(flips[0].to_yes_std_deg < 0.8 * flips[1].to_yes_std_deg &&
                flips[0].width_deg < flips[1].width_deg);
    pov_flip_grid_destroy(&grid);
}

static void who_always_says_the_same_flips_nowhere(void **state)
{
    (void)state;
    pov_flip_grid *grid = pov_flip_grid_new();
    pov_flips flips;
    test_random random = {5};
    for (int kind = 0; kind < 8;
         kind++) { /* always yes, always no, never sure, by chance; by probabilities, in words */
        pov_flip *flip = pov_flip_new();
        assert_false(pov_flip_find(&flips, flip));
        for (int phi_deg = 0; phi_deg < 360; phi_deg += 10)
            pov_flip_add(flip, grid, phi_deg,
                         kind % 4 == 0   ? 1
                         : kind % 4 == 1 ? 0
                         : kind % 4 == 2 ? 0.5
                                         : test_random_between(&random, 0, 1) < 0.5,
                         kind >= 4);
        assert_false(pov_flip_find(&flips, flip));
        pov_flip_destroy(&flip);
    }
    pov_flip_grid_destroy(&grid);
}

static void what_tells_most_lies_where_it_flips(void **state)
{
    (void)state;
    pov_flip_grid *grid = pov_flip_grid_new();
    pov_flip *flip = pov_flip_new();
    double gains[72];
    pov_flip_gains(gains, 72, flip, grid);
    for (int k = 1; k < 72; k++) /* nothing is known: each angle tells as much */
        assert_true(fabs(gains[k] - gains[0]) < 1e-3);
    for (int phi_deg = 0; phi_deg < 360; phi_deg += 20)
        pov_flip_add(flip, grid, phi_deg, answer(phi_deg, 90, 270, 4, 0) > 0.5, true);
    pov_flip_gains(gains, 72, flip, grid);
    int best = 0;
    for (int k = 0; k < 72; k++)
        best = gains[k] > gains[best] ? k : best;
    assert_true(apart_deg(5 * best, 90) <= 10 || apart_deg(5 * best, 270) <= 10);
    assert_true(gains[36] < 0.2 * gains[best]); /* in the middle of yes */
    pov_flip_destroy(&flip);
    pov_flip_grid_destroy(&grid);
}

static void a_known_curve_crosses_where_it_is_interpolated(void **state)
{
    (void)state;
    double p[36];
    pov_flips flips;
    for (int i = 0; i < 36; i++)
        p[i] = 0.5 + 0.5 * sin((10 * i - 33) * 3.14159265358979 / 180);
    p[4] = NAN; /* 33 degrees lies in the gap */
    assert_true(pov_flip_cross(&flips, p, 36));
    assert_true(apart_deg(flips.to_yes_deg, 33) < 0.2 && apart_deg(flips.to_no_deg, 213) < 0.1);
    for (int i = 2; i < 9; i++)
        p[i] = NAN;
    assert_false(pov_flip_cross(&flips, p, 36));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_thresholds_lie_within_their_deviations),
        cmocka_unit_test(more_answers_make_it_surer),
        cmocka_unit_test(sure_probabilities_tell_more_than_words),
        cmocka_unit_test(who_always_says_the_same_flips_nowhere),
        cmocka_unit_test(what_tells_most_lies_where_it_flips),
        cmocka_unit_test(a_known_curve_crosses_where_it_is_interpolated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
