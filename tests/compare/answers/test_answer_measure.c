/* Answers as models write them, with the length that a person reads in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compare/answers/answer_measure.h"
#include "compare/scores/number_score.h"
#include "tests/support/near.h"

#include <math.h>
#include <stdlib.h>

static void lengths_are_read_as_people_write_them(void **state)
{
    (void)state;
    static const struct {
        const char *answer;
        double metres;
    } cases[] = {
        {"about 30 cm", 0.3},
        {"one foot", 0.3048},
        {"0.3 meters", 0.3},
        {"30", 0.3}, /* asked for in centimetres */
        {"1,5 m", 1.5},
        {"a metre and a half", 1.5},
        {"one and a half metres", 1.5},
        {"12 in", 0.3048},
        {"12 in.", 0.3048},
        {"5'3\"", 1.6002},
        {"5\xe2\x80\xb2 3\xe2\x80\xb3", 1.6002},
        {"5 ft 3 in", 1.6002},
        {"between 20 and 30 cm", 0.25},
        {"20-30 cm", 0.25},
        {"20 to 30 centimeters", 0.25},
        {"20 cm to 30 cm", 0.25},
        {"0.5 m - 1 m", 0.75},
        {"2\xe2\x80\x93"
         "3 feet",
         0.762},
        {"1,200 mm", 1.2},
        {"1,250.5 mm", 1.2505},
        {"0,125 m", 0.125},
        {"half a meter", 0.5},
        {"a quarter of a mile", 402.336},
        {"I see 3 in the box, 2 m from it", 2},
        {"5 ft 3 in tall", 1.6002},
        {"1/2 inch", 0.0127},
        {"1 1/2 inches", 0.0381},
        {"2\xc2\xbd inches", 0.0635},
        {"twenty-five centimetres", 0.25},
        {"two hundred and fifty millimeters", 0.25},
        {"1 m 20 cm", 1.2},
        {"1 metre and 20 centimetres", 1.2},
        {"The ball is roughly **45cm** from the car.", 0.45},
        {"~3.2 m", 3.2},
        {"Approximately 1.8 meters (about 6 feet).", 1.8},
        {"There are 2 boxes; the distance is 4 m.", 4},
        {"box2 is 3 m away", 3},
        {"<think>maybe 7 m</think>2 m", 2},
        {"Explanation: 3 m or 4 m.\nAnswer: 5 m", 5},
        {".5 m", 0.5},
        {"30\xc2\xa0"
         "cm",
         0.3},
        {"a three-foot gap", 0.9144},
        {"3 yards", 2.7432},
        {"0", 0},
        {"a foot", 0.3048},
        {"7", 0.07},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double length_m = NAN;
        const pov_answer_kind kind = pov_answer_length(&length_m, cases[i].answer, 0.01);
        if (kind != POV_ANSWER_GIVEN || !(fabs(length_m - cases[i].metres) < 1e-9))
            fail_msg("%s: %s, %g m, not %g m", cases[i].answer, pov_answer_kind_name(kind), length_m,
                     cases[i].metres);
    }
}

static void what_says_no_length_has_none(void **state)
{
    (void)state;
    double length_m;
    assert_int_equal(pov_answer_length(&length_m, "It is close to the car.", 1), POV_ANSWER_UNCLEAR);
    assert_true(isnan(length_m));
    assert_int_equal(pov_answer_length(&length_m, "", 1), POV_ANSWER_MISSING);
    assert_int_equal(pov_answer_length(&length_m, "I'm sorry, I cannot tell.", 1), POV_ANSWER_REFUSED);
}

static void things_are_counted_without_a_unit(void **state)
{
    (void)state;
    double number;
    assert_int_equal(pov_answer_quantity(&number, "There are seven of them."), POV_ANSWER_GIVEN);
    assert_near(number, 7, 0);
    assert_int_equal(pov_answer_quantity(&number, "3 to 5"), POV_ANSWER_GIVEN);
    assert_near(number, 4, 0);
}

/* By the definition, in whole percents. */
static void mean_relative_accuracy_counts_thresholds(void **state)
{
    (void)state;
    for (int percent = 0; percent <= 250; percent++) {
        int passed = 0;
        for (int t = 50; t <= 95; t += 5)
            passed += abs(percent - 100) <= 100 - t;
        assert_near(pov_mra(percent * 0.02, 2), passed / 10.0, 1e-12);
    }
    assert_near(pov_mra(0, 0), 1, 0);
    assert_near(pov_mra(1, 0), 0, 0);
}

static void a_model_that_is_a_fifth_too_long_has_seven_tenths(void **state)
{
    (void)state;
    pov_grade grade;
    assert_int_equal(pov_number_grade(&grade, "1.2 m", 100, "cm").code, POV_OK);
    assert_near(grade.score, 0.7, 1e-12);
    assert_int_equal(pov_number_grade(&grade, "four feet", 4, "feet").code, POV_OK);
    assert_near(grade.score, 1, 0);
    assert_int_equal(pov_number_grade(&grade, "5", 4, "").code, POV_OK);
    assert_near(grade.score, 0.6, 1e-12);
    assert_int_equal(pov_number_grade(&grade, "5", 4, "kg").code, POV_ERROR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_are_read_as_people_write_them),
        cmocka_unit_test(what_says_no_length_has_none),
        cmocka_unit_test(things_are_counted_without_a_unit),
        cmocka_unit_test(mean_relative_accuracy_counts_thresholds),
        cmocka_unit_test(a_model_that_is_a_fifth_too_long_has_seven_tenths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
