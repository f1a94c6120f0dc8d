#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/geometry/geom.h"
#include "perception/relations/expectation/template_fit.h"
#include "tests/support/near.h"
#include "tests/support/random.h"

static const double deg = POV_PI / 180;
static const pov_template truth = {0.5, 0.12, 1.45, 0.11, 0.55, 1.6};

static int rate(pov_rating *ratings, double noise, double wild_share, bool with_distance, uint64_t seed)
{
    test_random random = {seed};
    int len = 0;
    pov_template regions = truth;
    if (!with_distance)
        regions.reach_m = INFINITY;
    for (int person = 0; person < 20; person++)
        for (int angle = -180; angle < 180; angle += 15) {
            double distance = test_random_between(&random, 0.2, 2);
            double rating =
                pov_template_evaluate(&regions, angle * deg, distance) + noise * test_random_normal(&random);
            if (test_random_between(&random, 0, 1) < wild_share)
                rating = test_random_between(&random, 0, 1);
            ratings[len++] = (pov_rating){angle * deg, distance, fmin(1, fmax(0, rating))};
        }
    return len;
}

static void ratings_without_noise_give_the_template_back(void **state)
{
    (void)state;
    static pov_rating ratings[1000];
    pov_template_fit fit;
    int len = rate(ratings, 0, 0, true, 1);
    assert_int_equal(pov_template_fit_ratings(&fit, ratings, len, true).code, POV_OK);
    assert_near(fit.regions.good_edge_rad, truth.good_edge_rad, 1e-3);
    assert_near(fit.regions.acceptable_edge_rad, truth.acceptable_edge_rad, 1e-3);
    assert_near(fit.regions.acceptable_level, truth.acceptable_level, 1e-3);
    assert_near(fit.regions.reach_m, truth.reach_m, 5e-3);
    assert_true(fit.residual_rms < 1e-4);
}

static void wild_ratings_hardly_move_it_and_standard_errors_say_how_far_off_it_is(void **state)
{
    (void)state;
    static pov_rating ratings[1000];
    enum { TRIALS = 30 };
    int within = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        pov_template_fit fit;
        int len = rate(ratings, 0.05, 0.05, false, 10 + (uint64_t)trial);
        assert_int_equal(pov_template_fit_ratings(&fit, ratings, len, false).code, POV_OK);
        assert_near(fit.regions.acceptable_edge_rad, truth.acceptable_edge_rad, 0.05);
        assert_near(fit.regions.acceptable_level, truth.acceptable_level, 0.05);
        assert_true(fit.outlier_len > 5 && fit.outlier_len < 60);
        within += fabs(fit.regions.acceptable_edge_rad - truth.acceptable_edge_rad) < 2 * fit.std[2];
    }
    assert_true(within >= TRIALS * 8 / 10);
}

static void ratings_that_say_nothing_are_refused(void **state)
{
    (void)state;
    pov_rating ratings[20];
    pov_template_fit fit;
    for (int i = 0; i < 20; i++)
        ratings[i] = (pov_rating){i * 9 * deg, 0, 0.5};
    assert_int_equal(pov_template_fit_ratings(&fit, ratings, 20, false).code, POV_ERROR);
    assert_int_equal(pov_template_fit_ratings(&fit, ratings, 5, false).code, POV_ERROR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ratings_without_noise_give_the_template_back),
        cmocka_unit_test(wild_ratings_hardly_move_it_and_standard_errors_say_how_far_off_it_is),
        cmocka_unit_test(ratings_that_say_nothing_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
