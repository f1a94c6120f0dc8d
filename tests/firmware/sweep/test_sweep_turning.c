/* Which images of a table that turns on count: exhaustive search over the whole turn is the oracle. */
#include "firmware/sweep/sweep_turning.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/random.h"

enum { STOPS = 36, IMAGES_MAX = 4000 };

static double apart_deg(double a, double b)
{
    return fabs(remainder(a - b, 360));
}

typedef struct {
    bool taken[STOPS];
    int image[STOPS]; /* that was kept last for each */
    int kept;         /* the image in the one room that there is */
    int too_blurred;
} turn;

static void look_at_all(turn *t, pov_turning_rule *rule, const double phi_deg[], double moved_px, int len)
{
    pov_turning turning = {.stop = -1};
    rule->taken = t->taken;
    for (int i = 0; i < len; i++) {
        const pov_turning_image image = {phi_deg[i], i ? moved_px : NAN, i * INT64_C(33333333)};
        const pov_turning_choice choice = pov_turning_look(&turning, rule, &image);
        if (choice.taken >= 0) {
            assert_false(t->taken[choice.taken]);
            t->taken[choice.taken] = true;
            t->image[choice.taken] = t->kept;
        }
        if (choice.keep)
            t->kept = i;
        t->too_blurred += choice.too_blurred >= 0;
    }
    const int last = pov_turning_end(&turning);
    if (last >= 0) {
        t->taken[last] = true;
        t->image[last] = t->kept;
    }
    assert_int_equal(pov_turning_end(&turning), -1);
}

static void the_nearest_image_counts_for_each_stop(void **state)
{
    (void)state;
    static double phi_deg[IMAGES_MAX];
    pov_turning_rule rule = {
        .stop_len = STOPS, .tolerance_deg = 2, .exposure_s = 0.01, .speed_deg_s = NAN, .blur_max_px = 3};
    test_random random = {7};
    for (int round = 0; round < 200; round++) {
        turn t = {.kept = -1};
        int len = 0;
        const double speed_deg = test_random_between(&random, 0.05, 3);
        for (double at = test_random_between(&random, 0, 360), end = at + 360; at < end && len < IMAGES_MAX;
             len++) {
            phi_deg[len] = fmod(at, 360);
            at += speed_deg * test_random_between(&random, 0.5, 1.5);
        }
        look_at_all(&t, &rule, phi_deg, 1, len);
        for (int stop = 0; stop < STOPS; stop++) {
            double best_deg = INFINITY;
            for (int i = 0; i < len; i++)
                best_deg = fmin(best_deg, apart_deg(phi_deg[i], 10.0 * stop));
            const bool is_first =
                apart_deg(phi_deg[0], 10.0 * stop) < 5; /* met twice, at both ends of the turn */
            assert_int_equal(t.taken[stop], best_deg <= 2);
            if (t.taken[stop] && !is_first)
                assert_true(apart_deg(phi_deg[t.image[stop]], 10.0 * stop) == best_deg);
        }
    }
}

static void what_is_too_blurred_does_not_count_and_is_told(void **state)
{
    (void)state;
    double phi_deg[720];
    pov_turning_rule rule = {
        .stop_len = STOPS, .tolerance_deg = 2, .exposure_s = 0.02, .speed_deg_s = NAN, .blur_max_px = 3};
    for (int i = 0; i < 720; i++)
        phi_deg[i] = 5 + 0.5 * i;
    for (int fast = 0; fast < 2;
         fast++) { /* 30 images a second: 4 or 6 px each are 120 or 180 px/s, 2.4 or 3.6 px of blur */
        turn t = {.kept = -1};
        look_at_all(&t, &rule, phi_deg, fast ? 6 : 4, 720);
        for (int stop = 0; stop < STOPS; stop++)
            assert_int_equal(t.taken[stop], !fast);
        assert_int_equal(t.too_blurred > 0, fast);
    }
}

static void of_images_without_times_the_speed_is_told(void **state)
{
    (void)state;
    const bool taken[STOPS] = {false};
    const pov_turning_rule rule = {.stop_len = STOPS,
                                   .taken = taken,
                                   .tolerance_deg = 2,
                                   .exposure_s = 0.01,
                                   .speed_deg_s = 12,
                                   .blur_max_px = 3};
    pov_turning turning = {.stop = -1};
    (void)pov_turning_look(&turning, &rule, &(pov_turning_image){359, NAN, 0});
    const pov_turning_choice choice = pov_turning_look(&turning, &rule, &(pov_turning_image){1, 5, 0});
    assert_true(fabs(choice.blur_px - 5.0 / 2 * 12 * 0.01) < 1e-12); /* 2.5 px for each degree */
}

static void a_hand_that_wavers_takes_each_stop_once(void **state)
{
    (void)state;
    double phi_deg[400];
    pov_turning_rule rule = {
        .stop_len = STOPS, .tolerance_deg = 2, .exposure_s = NAN, .speed_deg_s = NAN, .blur_max_px = 3};
    turn t = {.kept = -1};
    for (int i = 0; i < 400; i++)
        phi_deg[i] = 20 + 15 * sin(i * 0.1); /* 5 to 35 degrees, back and forth; NaN: not seen for a moment */
    phi_deg[100] = NAN;
    look_at_all(&t, &rule, phi_deg, 1, 400);
    for (int stop = 0; stop < STOPS; stop++)
        assert_int_equal(t.taken[stop], stop >= 1 && stop <= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_image_counts_for_each_stop),
        cmocka_unit_test(what_is_too_blurred_does_not_count_and_is_told),
        cmocka_unit_test(of_images_without_times_the_speed_is_told),
        cmocka_unit_test(a_hand_that_wavers_takes_each_stop_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
