/* How many questions an adaptive sweep needs, of simulated models whose thresholds are known. */
#include "firmware/sweep/sweep_adaptive.h"

#include "perception/geometry/geom.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/random.h"

static const char *const columns[] = {
    "{\"prompt\": \"cam\", \"relation\": \"left\", \"scene\": \"ball/car\"}",
    "{\"prompt\": \"cam\", \"relation\": \"right\", \"scene\": \"ball/car\"}",
    "{\"prompt\": \"add\", \"relation\": \"front\", \"scene\": \"ball/car\"}",
    "{\"prompt\": \"add\", \"relation\": \"behind\", \"scene\": \"ball/car\"}"};
enum { CURVES = sizeof columns / sizeof *columns };

/** Says yes between two angles, to a normal's slope, and sometimes anything; in words, or by its probability with noise. */
typedef struct {
    double to_yes_deg[CURVES], to_no_deg[CURVES], slope_deg, lapse, noise;
    bool in_words;
} model;

static double apart_deg(double a, double b)
{
    return fabs(remainder(a - b, 360));
}

static double answer(const model *m, int curve, double phi_deg, test_random *random)
{
    const double arc_deg = fmod(m->to_no_deg[curve] - m->to_yes_deg[curve] + 360, 360);
    const double inside_deg = arc_deg / 2 - apart_deg(phi_deg, m->to_yes_deg[curve] + arc_deg / 2);
    const double p = m->lapse / 2 + (1 - m->lapse) * 0.5 * erfc(-inside_deg / m->slope_deg / sqrt(2));
    if (m->in_words)
        return test_random_between(random, 0, 1) < p ? 1 : 0;
    return fmin(fmax(p + m->noise * test_random_normal(random), 0),
                1); /* of a sure model a server lists one word only */
}

static void ask(pov_answer_curves *curves, const model *m, int curve, double phi_deg, test_random *random)
{
    const pov_comparison comparison = {.model = "m",
                                       .columns = columns[curve],
                                       .language = "en",
                                       .reading = m->in_words ? "text" : "tokens",
                                       .status = POV_COMPARISON_ANSWERED,
                                       .angle_rad = pov_angle_wrap(phi_deg * POV_DEG),
                                       .p = answer(m, curve, phi_deg, random)};
    assert_non_null(pov_answer_curves_take(curves, &comparison));
}

static model random_model(test_random *random, bool in_words, double slope_deg)
{
    model m = {.slope_deg = slope_deg, .lapse = 0.02, .noise = 0.05, .in_words = in_words};
    for (int i = 0; i < CURVES; i++) {
        m.to_yes_deg[i] = test_random_between(random, 0, 360);
        m.to_no_deg[i] = m.to_yes_deg[i] + test_random_between(random, 150, 210);
    }
    return m;
}

/* The mean deviation of all flips; INFINITY: not all are known. */
static double mean_std_deg(pov_answer_curves *curves)
{
    double sum_deg = 0;
    for (int i = 0; i < curves->len; i++) {
        const pov_flips *flips = pov_answer_curve_flips(&curves->curves[i]);
        sum_deg += flips ? (flips->to_yes_std_deg + flips->to_no_std_deg) / 2 : INFINITY;
    }
    return sum_deg / curves->len;
}

static double grid_std_deg(const model *m, test_random *random)
{
    pov_answer_curves curves = {.len = 0};
    for (int phi_deg = 0; phi_deg < 360; phi_deg += 10)
        for (int i = 0; i < CURVES; i++)
            ask(&curves, m, i, phi_deg, random);
    const double std_deg = mean_std_deg(&curves);
    pov_answer_curves_free(&curves);
    return std_deg;
}

/* Answers until all is known as well; *within: flips within two deviations of the truth. */
static int adaptive_len(const model *m, double std_deg, test_random *random, int *within)
{
    pov_answer_curves curves = {.len = 0};
    pov_adaptive_choice choice;
    pov_adaptive_state state;
    int len = 0;
    for (int phi_deg = 0; phi_deg < 360; phi_deg += 60)
        for (int i = 0; i < CURVES; i++, len++)
            ask(&curves, m, i, phi_deg, random);
    while (pov_adaptive_next(&choice, &state, &curves, "m", std_deg)) {
        for (int k = 0; k < choice.len; k++, len++)
            ask(&curves, m, (int)(choice.curves[k] - curves.curves), choice.phi_deg, random);
        free(choice.curves);
    }
    free(choice.curves);
    assert_int_equal(state.curves, CURVES);
    for (int i = 0; i < CURVES; i++) {
        const pov_flips *flips = pov_answer_curve_flips(&curves.curves[i]);
        *within += flips && apart_deg(flips->to_yes_deg, m->to_yes_deg[i]) < 2 * flips->to_yes_std_deg;
        *within += flips && apart_deg(flips->to_no_deg, m->to_no_deg[i]) < 2 * flips->to_no_std_deg;
    }
    pov_answer_curves_free(&curves);
    return len;
}

static void compare_with_grid(bool in_words, double slope_deg, double share_max)
{
    enum { ROUNDS = 8 };
    test_random random = {3};
    int asked = 0, within = 0;
    for (int round = 0; round < ROUNDS; round++) {
        const model m = random_model(&random, in_words, slope_deg);
        asked += adaptive_len(&m, grid_std_deg(&m, &random), &random, &within);
    }
    const double share = (double)asked / (ROUNDS * CURVES * POV_CURVE_SAMPLES),
                 covered = (double)within / (ROUNDS * CURVES * 2);
    print_message(
        "%s, slope %g deg: %.0f %% of the grid's questions, %.0f %% of flips within two deviations\n",
        in_words ? "words" : "probabilities", slope_deg, 100 * share, 100 * covered);
    assert_true(share <= share_max && covered >= 0.9);
}

static void the_same_precision_takes_fewer_questions_than_a_grid(void **state)
{
    (void)state;
    compare_with_grid(true, 3, 0.75);
    compare_with_grid(true, 15, 0.9);
    compare_with_grid(false, 3, 0.42);
    compare_with_grid(false, 15, 0.62);
}

static void who_does_not_flip_is_not_asked_for_ever(void **state)
{
    (void)state;
    pov_answer_curves curves = {.len = 0};
    pov_adaptive_choice choice;
    pov_adaptive_state progress;
    test_random random = {1};
    const model always = {.slope_deg = 1, .to_yes_deg = {0}, .to_no_deg = {0}, .in_words = true};
    int len = 0;
    assert_false(pov_adaptive_next(&choice, &progress, &curves, "m", 5));
    free(choice.curves);
    ask(&curves, &always, 0, 0, &random);
    while (pov_adaptive_next(&choice, &progress, &curves, "m", 5)) {
        assert_true(++len <= POV_ADAPTIVE_ANSWERS_MAX);
        ask(&curves, &always, 0, choice.phi_deg, &random);
        free(choice.curves);
    }
    free(choice.curves);
    assert_true(progress.without == 1 && progress.known == 0 && len == POV_ADAPTIVE_ANSWERS_MAX - 1);
    pov_answer_curves_free(&curves);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_precision_takes_fewer_questions_than_a_grid),
        cmocka_unit_test(who_does_not_flip_is_not_asked_for_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
