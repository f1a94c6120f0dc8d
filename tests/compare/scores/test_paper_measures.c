#include "compare/scores/paper_measures.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "perception/geometry/random.h"
#include "tests/support/near.h"

static void every_order_of_options_comes_as_often(void **state)
{
    (void)state;
    enum { QUESTIONS = 6000 };
    int seen[27] = {0}, orders = 0;
    for (uint64_t question = 0; question < QUESTIONS; question++) {
        int order[3];
        pov_sphere_shuffle(order, 3, question, question % POV_SPHERE_RUNS);
        assert_int_equal(order[0] + order[1] + order[2], 3);
        assert_int_equal(order[0] * order[1] * order[2], 0);
        seen[order[0] * 9 + order[1] * 3 + order[2]]++;
    }
    for (int i = 0; i < 27; i++)
        if (seen[i]) {
            orders++;
            assert_near(seen[i], QUESTIONS / 6.0, 4 * sqrt(QUESTIONS * 5 / 36.0));
        }
    assert_int_equal(orders, 6);
}

static void a_run_is_the_same_every_time_and_runs_differ(void **state)
{
    (void)state;
    int first[8], again[8], differ = 0;
    for (uint64_t run = 0; run < POV_SPHERE_RUNS; run++) {
        int other[8];
        pov_sphere_shuffle(first, 8, 42, run);
        pov_sphere_shuffle(again, 8, 42, run);
        assert_memory_equal(first, again, sizeof first);
        pov_sphere_shuffle(other, 8, 42, run + 1);
        differ += memcmp(first, other, sizeof first) != 0;
    }
    assert_true(differ >= POV_SPHERE_RUNS - 1);
}

/* A guesser's accuracy is the chance that is printed beside it. */
static void guessing_is_right_as_often_as_chance_says(void **state)
{
    (void)state;
    enum { QUESTIONS = 20000 };
    static const char *const options[3] = {"the closer object", "the farther object", "similar size"};
    uint64_t random = 1;
    double right = 0, chance = 0;
    for (int i = 0; i < QUESTIONS; i++) {
        pov_grade grade = pov_sphere_grade(options[pov_random_next(&random) % 3], options, 3,
                                           (int)(pov_random_next(&random) % 3), false);
        assert_int_equal(grade.kind, POV_ANSWER_GIVEN);
        right += grade.score;
        chance += grade.chance;
    }
    assert_near(right / QUESTIONS, chance / QUESTIONS, 4 * sqrt(2.0 / 9 / QUESTIONS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_order_of_options_comes_as_often),
        cmocka_unit_test(a_run_is_the_same_every_time_and_runs_differ),
        cmocka_unit_test(guessing_is_right_as_often_as_chance_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
