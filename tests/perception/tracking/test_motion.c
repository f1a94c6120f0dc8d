#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/geometry/linalg.h"
#include "perception/tracking/motion.h"
#include "tests/support/near.h"
#include "tests/support/random.h"

#include <math.h>
#include <string.h>

/* The oracle is simulation: things that move as each model says, errors drawn from the claimed covariance, half of whose
 * variance is the same in all images. Normalised errors squared of RUNS runs of three coordinates are chi-square. */
#ifdef POV_SANITIZED
enum { RUNS = 40, IMAGES = 240 };
#else
enum { RUNS = 120, IMAGES = 240 };
#endif
static const double interval_s = 1.0 / 30;
static const double claimed[9] = {4e-6, 1e-6, 0, 1e-6, 2e-6, 0, 0, 0, 1e-6};
static const pov_motion_params things = POV_MOTION_OF_THINGS;

/* 99 % of the means of so many chi-squares of three degrees of freedom, each divided by three. */
static double half_interval(int runs)
{
    return 2.576 * sqrt(2.0 / (3 * runs));
}

typedef struct {
    test_random random;
    double lasting_share;
    double at[3], velocity[3], lasting[3], angle_rad, rate_rad_s;
    pov_motion_model model;
    pov_motion motion;
    int image;
} thing;

static void draw(test_random *random, double error[3], double share)
{
    double L[9], unit[3];
    assert_true(pov_cholesky(L, claimed, 3));
    for (int i = 0; i < 3; i++)
        unit[i] = sqrt(share) * test_random_normal(random);
    for (int i = 0; i < 3; i++) {
        error[i] = 0;
        for (int k = 0; k <= i; k++)
            error[i] += L[3 * i + k] * unit[k];
    }
}

static void start(thing *t, test_random random, double lasting_share)
{
    *t = (thing){.random = random, .lasting_share = lasting_share};
    draw(&t->random, t->lasting, lasting_share);
    for (int i = 0; i < 3; i++)
        t->at[i] = test_random_between(&t->random, -0.1, 0.1);
}

static void set_free(thing *t)
{
    t->model = POV_MOVING_FREELY;
    for (int i = 0; i < 3; i++)
        t->velocity[i] = things.speed_std[1] * test_random_normal(&t->random);
}

static void rest(thing *t)
{
    t->model = POV_AT_REST;
    memset(t->velocity, 0, sizeof t->velocity);
}

/* Ornstein & Uhlenbeck in a hundred small steps an image. */
static void wander(thing *t)
{
    const double step_s = interval_s / 100, kick = things.speed_std[1] * sqrt(2 * step_s / things.speed_s);
    for (int step = 0; step < 100; step++)
        for (int i = 0; i < 3; i++) {
            t->at[i] += step_s * t->velocity[i];
            t->velocity[i] +=
                -step_s / things.speed_s * t->velocity[i] + kick * test_random_normal(&t->random);
        }
}

static void go_round(thing *t)
{
    double turn = t->rate_rad_s * interval_s, x = t->at[0], y = t->at[1];
    t->at[0] = cos(turn) * x - sin(turn) * y;
    t->at[1] = sin(turn) * x + cos(turn) * y;
    t->velocity[0] = -t->rate_rad_s * t->at[1];
    t->velocity[1] = t->rate_rad_s * t->at[0];
}

static pov_carrier carrier_of(const thing *t)
{
    double turn = t->rate_rad_s * interval_s, c = cos(turn), s = sin(turn), rate = t->rate_rad_s;
    return (pov_carrier){
        .map = {c, -s, 0, s, c, 0, 0, 0, 1}, .rate = {0, -rate, 0, rate, 0, 0, 0, 0, 0}, .turn_rad = turn};
}

static void next_image(thing *t, bool on_disc)
{
    double found[3];
    if (t->image > 0 && t->model == POV_MOVING_FREELY)
        wander(t);
    if (t->image > 0 && t->model == POV_CARRIED)
        go_round(t);
    draw(&t->random, found, 1 - t->lasting_share);
    for (int i = 0; i < 3; i++)
        found[i] += t->at[i] + t->lasting[i];
    pov_carrier carrier = carrier_of(t);
    if (t->image++ == 0) {
        pov_motion_start(&t->motion, &things, 3, found, claimed);
        return;
    }
    pov_motion_predict(&t->motion, interval_s, on_disc ? &carrier : NULL);
    pov_motion_update(&t->motion, found, claimed);
}

static double nees(const double *mean, const double *truth, const double *cov)
{
    double L[9], error[3], solved[3], sum = 0;
    for (int i = 0; i < 3; i++)
        error[i] = mean[i] - truth[i];
    assert_true(pov_cholesky(L, cov, 3));
    pov_cholesky_solve(solved, L, error, 3);
    for (int i = 0; i < 3; i++)
        sum += error[i] * solved[i] / 3;
    return sum;
}

typedef struct {
    double place[IMAGES], velocity[IMAGES];
} nees_means;

static void take(nees_means *means, const thing *t, int image)
{
    pov_motion_estimate estimate;
    pov_motion_estimate_of(&estimate, &t->motion);
    means->place[image] += nees(estimate.mean, t->at, estimate.cov) / RUNS;
    means->velocity[image] += nees(estimate.velocity, t->velocity, estimate.velocity_cov) / RUNS;
}

static double mean_of(const double *values, int from, int to)
{
    double sum = 0;
    for (int i = from; i < to; i++)
        sum += values[i] / (to - from);
    return sum;
}

static void a_thing_at_rest_has_an_honest_place_that_never_shrinks_to_nothing(void **state)
{
    (void)state;
    nees_means means = {0};
    double width = half_interval(RUNS), least_m2 = 1;
    for (int run = 0; run < RUNS; run++) {
        thing t;
        start(&t, (test_random){(uint64_t)run}, 0.5);
        for (int image = 0; image < IMAGES; image++) {
            next_image(&t, false);
            take(&means, &t, image);
        }
        pov_motion_estimate estimate;
        pov_motion_estimate_of(&estimate, &t.motion);
        least_m2 = fmin(least_m2, estimate.cov[0]);
        assert_int_equal(pov_motion_likeliest(&t.motion), POV_AT_REST);
    }
    for (int image = 0; image < IMAGES; image++)
        assert_true(means.place[image] < 1 + width);
    assert_near(means.place[IMAGES - 1], 1, width);
    assert_true(least_m2 > 0.2 * claimed[0]);
}

/* Whatever the share that lasts, the covariance may be too wide for what is not known, never too narrow. */
static void whatever_part_of_the_error_lasts_a_resting_place_is_not_told_too_well(void **state)
{
    (void)state;
    double width = half_interval(RUNS);
    for (int share = 0; share <= 4; share++) {
        nees_means means = {0};
        for (int run = 0; run < RUNS; run++) {
            thing t;
            start(&t, (test_random){(uint64_t)(1000 + run)}, share / 4.0);
            for (int image = 0; image < IMAGES; image++) {
                next_image(&t, false);
                take(&means, &t, image);
            }
        }
        assert_true(mean_of(means.place, 0, IMAGES) < 1 + width);
        assert_true(mean_of(means.place, 0, 30) < 1 + 1.5 * width);
    }
}

/* It has rested before, as things do. */
static void what_moves_freely_has_an_honest_place_and_velocity(void **state)
{
    (void)state;
    nees_means means = {0};
    double width = half_interval(RUNS);
    for (int run = 0; run < RUNS; run++) {
        thing t;
        start(&t, (test_random){(uint64_t)(2000 + run)}, 0.5);
        for (int image = 0; image < IMAGES; image++) {
            if (image == 90)
                set_free(&t);
            next_image(&t, false);
            take(&means, &t, image);
        }
    }
    for (int image = 100; image < IMAGES; image += 10)
        assert_near(means.place[image], 1, 1.4 * width);
    assert_near(mean_of(means.place, 100, IMAGES), 1, width);
    assert_true(mean_of(means.velocity, 100, IMAGES) < 1.6);
}

static void what_a_table_carries_goes_with_it(void **state)
{
    (void)state;
    nees_means means = {0};
    double width = half_interval(RUNS), carried = 0;
    for (int run = 0; run < RUNS; run++) {
        thing t;
        start(&t, (test_random){(uint64_t)(3000 + run)}, 0.5);
        t.model = POV_CARRIED;
        for (int image = 0; image < IMAGES; image++) {
            t.rate_rad_s = image < 90 ? 0 : 0.6;
            next_image(&t, true);
            take(&means, &t, image);
        }
        carried += pov_motion_probability(&t.motion, POV_CARRIED) / RUNS;
    }
    assert_true(carried > 0.97);
    assert_true(mean_of(means.place, 100, IMAGES) >
                0.6); /* it does not know that what lasts stays the same */
    for (int image = 100; image < IMAGES; image += 10)
        assert_true(means.place[image] < 1 + width);
}

static void through_changes_of_the_way_it_moves_the_place_stays_honest(void **state)
{
    (void)state;
    nees_means means = {0};
    double width = half_interval(RUNS);
    for (int run = 0; run < RUNS; run++) {
        thing t;
        start(&t, (test_random){(uint64_t)(4000 + run)}, 0.5);
        for (int image = 0; image < IMAGES; image++) {
            if (image == 90)
                set_free(&t);
            if (image == 150)
                rest(&t);
            next_image(&t, false);
            take(&means, &t, image);
        }
        assert_int_equal(pov_motion_likeliest(&t.motion), POV_AT_REST);
    }
    for (int image = 0; image < IMAGES; image++)
        assert_true(means.place[image] < 1 + (image == 90 ? 3 : 1.4) * width);
    assert_near(mean_of(means.place, 91, 150), 1, width);
}

static void what_is_put_down_is_at_once_where_it_is(void **state)
{
    (void)state;
    thing t;
    start(&t, (test_random){7}, 0);
    for (int image = 0; image < 60; image++) {
        for (int i = 0; i < 3 && image < 30; i++)
            t.at[i] += 0.4 * interval_s; /* at 0.7 m/s, then it stops dead */
        next_image(&t, false);
    }
    pov_motion_estimate estimate;
    pov_motion_estimate_of(&estimate, &t.motion);
    for (int i = 0; i < 3; i++)
        assert_near(estimate.mean[i], t.at[i], 4 * sqrt(claimed[4 * i] / 25));
    assert_int_equal(pov_motion_likeliest(&t.motion), POV_AT_REST);
}

static void what_is_hidden_grows_uncertain_but_is_likeliest_where_it_was(void **state)
{
    (void)state;
    double fall = 0;
    for (int run = 0; run < RUNS; run++) {
        thing t;
        start(&t, (test_random){(uint64_t)(6000 + run)}, 0.5);
        for (int image = 0; image < 60; image++)
            next_image(&t, false);
        pov_motion_estimate before, after;
        pov_motion_estimate_of(&before, &t.motion);
        double there = pov_motion_log_likelihood(&t.motion, before.mean, claimed, 3), last_m2 = before.cov[0];
        for (int image = 0; image < 90; image++) {
            pov_motion_predict(&t.motion, interval_s, NULL);
            pov_motion_estimate_of(&after, &t.motion);
            assert_true(after.cov[0] > last_m2);
            last_m2 = after.cov[0];
        }
        assert_true(last_m2 > pow(0.02, 2) && last_m2 < pow(0.2, 2));
        assert_near(after.mean[0], before.mean[0], 1e-3);
        fall += (there - pov_motion_log_likelihood(&t.motion, before.mean, claimed, 3)) / RUNS;
        double away[3] = {before.mean[0] + 0.1, before.mean[1], before.mean[2]};
        assert_true(pov_motion_log_likelihood(&t.motion, away, claimed, 3) > there - 20);
    }
    assert_near(fall, 0, 0.3);
}

/* Minimum jerk (Flash & Hogan 1985): a hand's move begins slowly. */
static void begin_by_hand(thing *t, double since_s)
{
    const double length_s = 1.4, way_m = 0.3, share = since_s / length_s;
    t->velocity[0] = way_m * 30 * pow(share * (1 - share), 2) / length_s;
    t->at[0] += interval_s * t->velocity[0];
}

static void a_hand_is_noticed_within_a_quarter_of_a_second(void **state)
{
    (void)state;
    nees_means means = {0};
    int noticed = 0;
    for (int run = 0; run < RUNS; run++) {
        thing t;
        start(&t, (test_random){(uint64_t)(7000 + run)}, 0.5);
        for (int image = 0; image < 120; image++) {
            if (image > 90)
                begin_by_hand(&t, (image - 90) * interval_s);
            next_image(&t, false);
            take(&means, &t, image);
            noticed += image == 97 && pov_motion_likeliest(&t.motion) == POV_MOVING_FREELY;
        }
    }
    assert_true(noticed > 0.85 * RUNS);
    assert_true(mean_of(means.velocity, 98, 120) < 1.5);
}

static void what_rests_is_hardly_ever_told_to_move(void **state)
{
    (void)state;
    int told = 0, images = 0;
    for (int run = 0; run < RUNS; run++) {
        thing t;
        start(&t, (test_random){(uint64_t)(8000 + run)}, 0.5);
        for (int image = 0; image < IMAGES; image++) {
            next_image(&t, false);
            told += image >= 60 && pov_motion_likeliest(&t.motion) != POV_AT_REST;
            images += image >= 60;
        }
    }
    assert_true(told < 1e-3 * images);
}

/** As a hand may push it, or a table turn that nobody measures. */
static void what_moves_slowly_is_not_told_too_well(void **state)
{
    (void)state;
    static const struct {
        double speed_m_s, velocity_nees_max;
    } cases[] = {{0.01, 2}, {0.03, 1}};
    for (int k = 0; k < 2; k++) {
        nees_means means = {0};
        for (int run = 0; run < RUNS; run++) {
            thing t;
            start(&t, (test_random){(uint64_t)(5000 + run)}, 0.5);
            for (int image = 0; image < IMAGES; image++) {
                if (image >= 90) {
                    t.velocity[0] = cases[k].speed_m_s;
                    t.at[0] += cases[k].speed_m_s * interval_s;
                }
                next_image(&t, false);
                take(&means, &t, image);
            }
        }
        double place = mean_of(means.place, 105, IMAGES), velocity = mean_of(means.velocity, 105, IMAGES);
        print_message("%.0f mm/s: NEES of place %.2f, of velocity %.2f\n", 1e3 * cases[k].speed_m_s, place,
                      velocity);
        assert_true(place < 1.3 && velocity < cases[k].velocity_nees_max);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thing_at_rest_has_an_honest_place_that_never_shrinks_to_nothing),
        cmocka_unit_test(whatever_part_of_the_error_lasts_a_resting_place_is_not_told_too_well),
        cmocka_unit_test(what_moves_freely_has_an_honest_place_and_velocity),
        cmocka_unit_test(what_a_table_carries_goes_with_it),
        cmocka_unit_test(through_changes_of_the_way_it_moves_the_place_stays_honest),
        cmocka_unit_test(what_is_put_down_is_at_once_where_it_is),
        cmocka_unit_test(a_hand_is_noticed_within_a_quarter_of_a_second),
        cmocka_unit_test(what_rests_is_hardly_ever_told_to_move),
        cmocka_unit_test(what_moves_slowly_is_not_told_too_well),
        cmocka_unit_test(what_is_hidden_grows_uncertain_but_is_likeliest_where_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
