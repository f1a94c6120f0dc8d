#include "compare/statistics/bootstrap.h"
#include "tests/support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

enum { UNITS = 400 };

static pov_bootstrap *bootstrap_of(int resamples, uint64_t seed)
{
    pov_bootstrap_options options = POV_BOOTSTRAP_DEFAULT;
    pov_bootstrap *bootstrap;
    options.resamples = resamples;
    options.seed = seed;
    bootstrap = pov_bootstrap_new(UNITS, &options);
    return bootstrap;
}

static pov_sample sample_of(const double *values, int columns, int len)
{
    return (pov_sample){.values = values, .columns = columns, .stride = len, .units = len, .strata = 1};
}

/* The mean of many is normal: its interval is 1.96 standard errors to either side. */
static void intervals_of_many_are_those_of_the_normal_distribution(void **state)
{
    (void)state;
    test_random random = {1};
    double values[UNITS], sum = 0, sum2 = 0;
    pov_estimate estimate;
    pov_bootstrap *bootstrap = bootstrap_of(20000, 1);
    for (int i = 0; i < UNITS; i++) {
        values[i] = test_random_normal(&random);
        sum += values[i];
        sum2 += values[i] * values[i];
    }
    double mean = sum / UNITS, error = sqrt((sum2 / UNITS - mean * mean) / UNITS);
    pov_sample sample = sample_of(values, 1, UNITS);
    pov_bootstrap_means(bootstrap, &estimate, NULL, &sample);
    assert_near(estimate.mean, mean, 1e-12);
    assert_near(estimate.low, mean - 1.96 * error, 0.1 * error);
    assert_near(estimate.high, mean + 1.96 * error, 0.1 * error);
    assert_int_equal(estimate.n, UNITS);
    pov_bootstrap_destroy(&bootstrap);
}

/* Of 0 and 1, drawn twice: the mean is 0, 1/2 or 1 with 1/4, 1/2, 1/4. */
static void intervals_of_two_are_the_binomials(void **state)
{
    (void)state;
    const double values[2] = {0, 1};
    const double levels[2] = {0.45, 0.55}, low[2] = {0.5, 0}, high[2] = {0.5, 1};
    for (int i = 0; i < 2; i++) {
        pov_bootstrap_options options = {.resamples = 20000, .level = levels[i], .seed = 3};
        pov_bootstrap *bootstrap;
        pov_estimate estimate;
        pov_sample sample = sample_of(values, 1, 2);
        bootstrap = pov_bootstrap_new(2, &options);
        pov_bootstrap_means(bootstrap, &estimate, NULL, &sample);
        assert_near(estimate.low, low[i], 0);
        assert_near(estimate.high, high[i], 0);
        pov_bootstrap_destroy(&bootstrap);
    }
}

/* 95 % intervals hold the true mean 95 times in 100. */
static void intervals_hold_the_truth_as_often_as_they_say(void **state)
{
    (void)state;
    enum { TRIALS = 1500, LEN = 60 };
    test_random random = {5};
    int held = 0;
    pov_bootstrap *bootstrap = bootstrap_of(400, 1);
    for (int t = 0; t < TRIALS; t++) {
        double values[LEN];
        pov_estimate estimate;
        pov_sample sample = sample_of(values, 1, LEN);
        for (int i = 0; i < LEN; i++)
            values[i] = test_random_between(&random, 0, 1);
        pov_bootstrap_means(bootstrap, &estimate, NULL, &sample);
        held += estimate.low <= 0.5 && 0.5 <= estimate.high;
    }
    assert_near((double)held / TRIALS, 0.945, 0.02);
    pov_bootstrap_destroy(&bootstrap);
}

static void columns_are_paired(void **state)
{
    (void)state;
    test_random random = {2};
    double values[2 * UNITS];
    pov_estimate estimates[2], difference;
    pov_bootstrap *bootstrap = bootstrap_of(2000, 1);
    for (int i = 0; i < UNITS; i++) {
        values[i] = test_random_normal(&random);
        values[UNITS + i] = values[i] + 0.01;
    }
    pov_sample sample = sample_of(values, 2, UNITS);
    pov_bootstrap_means(bootstrap, estimates, NULL, &sample);
    difference = pov_bootstrap_difference(bootstrap, estimates, 1, 0);
    assert_near(difference.low, 0.01, 1e-12);
    assert_near(difference.high, 0.01, 1e-12);
    assert_true(estimates[0].high > estimates[1].low);
    pov_bootstrap_destroy(&bootstrap);
}

static void strata_count_alike_however_large(void **state)
{
    (void)state;
    const double values[3][4] = {{1, 1, 1, 1}, {NAN, NAN, NAN, NAN}, {0, NAN, NAN, NAN}};
    pov_estimate overall, by_stratum[3];
    pov_bootstrap *bootstrap = bootstrap_of(200, 1);
    pov_sample sample = {.values = values[0], .columns = 1, .stride = 12, .units = 4, .strata = 3};
    pov_bootstrap_means(bootstrap, &overall, by_stratum, &sample);
    assert_near(overall.mean, 0.5, 0); /* the empty one does not count */
    assert_near(by_stratum[0].mean, 1, 0);
    assert_true(isnan(by_stratum[1].mean));
    assert_near(by_stratum[2].mean, 0, 0);
    assert_true(isnan(by_stratum[2].low)); /* one unit has no spread */
    assert_int_equal(overall.n, 4);
    assert_int_equal(by_stratum[2].n, 1);
    pov_bootstrap_destroy(&bootstrap);
}

/* Two scenes, four relations: each is drawn twice with 1/4, both with 1/2, whatever the relations say. Were the relations drawn by
 *  themselves, their mean would hardly ever be that of one scene. */
static void a_unit_is_drawn_with_all_its_strata(void **state)
{
    (void)state;
    const double values[4][2] = {{0.1, 0.9}, {0.2, 1}, {0, 1}, {0.1, 0.7}};
    pov_estimate overall, by_stratum[4];
    pov_bootstrap *bootstrap = bootstrap_of(20000, 1);
    pov_sample sample = {.values = values[0], .columns = 1, .stride = 8, .units = 2, .strata = 4};
    pov_bootstrap_means(bootstrap, &overall, by_stratum, &sample);
    assert_int_equal(overall.n, 2);
    assert_near(overall.mean, 0.5, 1e-12);
    assert_near(overall.low, 0.1, 1e-12);
    assert_near(overall.high, 0.9, 1e-12);
    for (int s = 0; s < 4; s++) {
        assert_near(by_stratum[s].low, values[s][0], 1e-12);
        assert_near(by_stratum[s].high, values[s][1], 1e-12);
    }
    pov_bootstrap_destroy(&bootstrap);
}

static void a_single_unit_has_no_interval_however_many_strata(void **state)
{
    (void)state;
    const double values[4] = {0.1, 0.9, 0.5, 0.5};
    pov_estimate overall;
    pov_bootstrap *bootstrap = bootstrap_of(200, 1);
    pov_sample sample = {.values = values, .columns = 1, .stride = 4, .units = 1, .strata = 4};
    pov_bootstrap_means(bootstrap, &overall, NULL, &sample);
    assert_near(overall.mean, 0.5, 1e-12);
    assert_int_equal(overall.n, 1);
    assert_true(isnan(overall.low) && isnan(overall.high));
    pov_bootstrap_destroy(&bootstrap);
}

static void what_is_not_scored_is_left_out(void **state)
{
    (void)state;
    double values[UNITS], half[UNITS / 2];
    test_random random = {9};
    pov_estimate with_gaps, without;
    pov_bootstrap *bootstrap = bootstrap_of(20000, 1);
    for (int i = 0; i < UNITS; i++) {
        values[i] = i % 2 ? NAN : test_random_normal(&random);
        half[i / 2] = i % 2 ? half[i / 2] : values[i];
    }
    pov_sample gaps = sample_of(values, 1, UNITS), plain = sample_of(half, 1, UNITS / 2);
    pov_bootstrap_means(bootstrap, &with_gaps, NULL, &gaps);
    pov_bootstrap_means(bootstrap, &without, NULL, &plain);
    assert_int_equal(with_gaps.n, UNITS / 2);
    assert_near(with_gaps.mean, without.mean, 1e-12);
    assert_near(with_gaps.low, without.low, 0.02);
    assert_near(with_gaps.high, without.high, 0.02);
    pov_bootstrap_destroy(&bootstrap);
}

/* Any draw from equal values gives that value; other columns and strata do not change it. */
static void equal_values_have_no_spread(void **state)
{
    (void)state;
    const double values[2][6] = {{0.1, 0.1, 0.1, 0.1, 0.1, 0.1}, {0.1, 0.1, 0.1, 0, 1, 1}};
    pov_estimate overall[2], by[4];
    pov_bootstrap *bootstrap = bootstrap_of(2000, 1);
    pov_sample sample = {.values = values[0], .columns = 2, .stride = 6, .units = 3, .strata = 2};
    pov_bootstrap_means(bootstrap, overall, by, &sample);
    for (int i = 0; i < 3; i++) { /* both columns of the first stratum, the first of the second */
        assert_near(by[i].low, 0.1, 1e-12);
        assert_near(by[i].high, 0.1, 1e-12);
        assert_int_equal(by[i].n, 3);
    }
    assert_near(by[3].low, 0, 0); /* all three drawn from one unit: 1/27, and 8/27 */
    assert_near(by[3].high, 1, 0);
    assert_near(overall[0].low, 0.1, 1e-12);
    assert_near(overall[1].low, 0.05, 1e-12);
    assert_near(overall[1].high, 0.55, 1e-12);
    pov_bootstrap_destroy(&bootstrap);
}

static void a_seed_gives_the_same_numbers(void **state)
{
    (void)state;
    double values[UNITS];
    test_random random = {4};
    pov_estimate estimates[3];
    const uint64_t seeds[3] = {1, 1, 2};
    for (int i = 0; i < UNITS; i++)
        values[i] = test_random_normal(&random);
    for (int i = 0; i < 3; i++) {
        pov_bootstrap *bootstrap = bootstrap_of(500, seeds[i]);
        pov_sample sample = sample_of(values, 1, UNITS);
        pov_bootstrap_means(bootstrap, &estimates[i], NULL, &sample);
        pov_bootstrap_destroy(&bootstrap);
    }
    assert_near(estimates[0].low, estimates[1].low, 0);
    assert_near(estimates[0].high, estimates[1].high, 0);
    assert_true(estimates[0].low != estimates[2].low);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_of_many_are_those_of_the_normal_distribution),
        cmocka_unit_test(intervals_of_two_are_the_binomials),
        cmocka_unit_test(intervals_hold_the_truth_as_often_as_they_say),
        cmocka_unit_test(columns_are_paired),
        cmocka_unit_test(strata_count_alike_however_large),
        cmocka_unit_test(a_unit_is_drawn_with_all_its_strata),
        cmocka_unit_test(a_single_unit_has_no_interval_however_many_strata),
        cmocka_unit_test(what_is_not_scored_is_left_out),
        cmocka_unit_test(equal_values_have_no_spread),
        cmocka_unit_test(a_seed_gives_the_same_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
