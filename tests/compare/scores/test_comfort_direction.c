/* Whether answers tell a direction at all: answerers who do, and who do not. */
#include "compare/scores/comfort_score.h"
#include "tests/support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { VARIANTS = 3, RELATIONS = 4, CURVES = VARIANTS * RELATIONS, TRIALS = 200 };

static const pov_reading conventions[] = {
    {POV_EGOCENTRIC, POV_TRANSLATED}, {POV_EGOCENTRIC, POV_ROTATED}, {POV_EGOCENTRIC, POV_REFLECTED}};
/* phi at which left, right, front, behind hold best for the camera, reflected: FRAMES of the paper, Figure 2 */
static const double best_phi_deg[RELATIONS] = {270, 90, 0, 180};

/* Yes or no, right for the camera, but for a share of answers that are a coin's. */
static double coin_at_times(test_random *random, int relation, int i, double share)
{
    const double theta_deg = 10.0 * i - best_phi_deg[relation];
    if (test_random_between(random, 0, 1) < share)
        return test_random_between(random, 0, 1) < 0.5 ? 0 : 1;
    return cos(theta_deg * 3.14159265358979 / 180) > 1e-9 ? 1 : 0;
}

/* How many of TRIALS such models are said to tell a direction. */
static int told(double share_of_coin, int variants)
{
    const pov_comfort_options options = POV_COMFORT_OPTIONS_DEFAULT;
    pov_comfort_scorer *scorer;
    test_random random = {11};
    int sum = 0;
    scorer = pov_comfort_scorer_new(CURVES, &options);
    for (int t = 0; t < TRIALS; t++) {
        pov_comfort_curve curves[CURVES];
        pov_preference preference;
        for (int c = 0; c < RELATIONS * variants; c++) {
            const int relation = c / variants;
            curves[c] = (pov_comfort_curve){.variant = c % variants,
                                            .relation = (pov_relation)relation,
                                            .facings = {90, NAN},
                                            .curve = {.repeat = NAN}};
            for (int i = 0; i < POV_CURVE_SAMPLES; i++)
                curves[c].curve.p[i] = coin_at_times(&random, relation, i, share_of_coin);
        }
        pov_comfort_prefer(scorer, &preference, curves, RELATIONS * variants, conventions, 3);
        sum += pov_preference_verdict(&preference) != POV_PREFERS_AIMLESS;
    }
    pov_comfort_scorer_destroy(&scorer);
    return sum;
}

static void coins_tell_no_direction(void **state)
{
    (void)state;
    assert_in_range(told(1, VARIANTS), 0, 20);
    assert_in_range(told(1, 1), 0, 20); /* 5 % of 200, and three deviations of a binomial */
}

static void right_answers_tell_one_though_half_are_a_coins(void **state)
{
    (void)state;
    assert_int_equal(told(0, VARIANTS), TRIALS);
    assert_int_equal(told(0, 1), TRIALS);
    assert_in_range(told(0.5, VARIANTS), TRIALS * 95 / 100, TRIALS);
}

static void one_answer_all_around_tells_none(void **state)
{
    (void)state;
    const pov_comfort_options options = POV_COMFORT_OPTIONS_DEFAULT;
    pov_comfort_scorer *scorer;
    pov_comfort_curve curves[RELATIONS];
    pov_preference preference;
    scorer = pov_comfort_scorer_new(RELATIONS, &options);
    for (int r = 0; r < RELATIONS; r++) {
        curves[r] =
            (pov_comfort_curve){.relation = (pov_relation)r, .facings = {90, NAN}, .curve = {.repeat = NAN}};
        for (int i = 0; i < POV_CURVE_SAMPLES; i++)
            curves[r].curve.p[i] = 0.7;
    }
    pov_comfort_prefer(scorer, &preference, curves, RELATIONS, conventions, 3);
    assert_int_equal(pov_preference_verdict(&preference), POV_PREFERS_AIMLESS);
    pov_comfort_scorer_destroy(&scorer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coins_tell_no_direction),
        cmocka_unit_test(right_answers_tell_one_though_half_are_a_coins),
        cmocka_unit_test(one_answer_all_around_tells_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
