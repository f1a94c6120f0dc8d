#include "config/setup/setup_steps.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Walks all fields of all steps. */
static void each_field(void (*look)(pov_setup_step_id step, const pov_setup_field *field))
{
    for (int step = 0; step < POV_SETUP_STEP_COUNT; step++)
        for (const pov_setup_field *field = POV_SETUP_STEPS[step].fields; field->name; field++)
            look((pov_setup_step_id)step, field);
}

static void look_at_preset(pov_setup_step_id step, const pov_setup_field *field)
{
    pov_setup_answers answers = {.len = 0};
    assert_int_equal(pov_setup_answer_set(&answers, step, field->name, field->preset).code, POV_OK);
}

static void every_preset_is_a_right_answer(void **state)
{
    (void)state;
    each_field(look_at_preset);
}

/* "how=board|images": a field before it, and a value of its choices. */
static void look_at_condition(pov_setup_step_id step, const pov_setup_field *field)
{
    char other[64], value[64];
    if (!field->shown)
        return;
    const size_t len = strcspn(field->shown, "=");
    snprintf(other, sizeof other, "%.*s", (int)len, field->shown);
    const pov_setup_field *on = pov_setup_field_find(step, other);
    assert_non_null(on);
    assert_true(on < field);
    for (const char *at = field->shown + len; *at; at += strcspn(at, "|")) {
        pov_setup_answers answers = {.len = 0};
        snprintf(value, sizeof value, "%.*s", (int)strcspn(at + 1, "|"), at + 1);
        assert_int_equal(pov_setup_answer_set(&answers, step, other, value).code, POV_OK);
        assert_true(pov_setup_field_is_shown(field, step, &answers));
        at++;
    }
}

static void every_condition_names_a_choice_of_a_field_before(void **state)
{
    (void)state;
    each_field(look_at_condition);
}

static void a_field_is_asked_only_where_it_matters(void **state)
{
    (void)state;
    pov_setup_answers answers = {.len = 0};
    const pov_setup_field *path = pov_setup_field_find(POV_SETUP_CAMERA, "path");
    assert_false(pov_setup_field_is_shown(path, POV_SETUP_CAMERA, &answers));
    assert_int_equal(pov_setup_answer_set(&answers, POV_SETUP_CAMERA, "source", "folder").code, POV_OK);
    assert_true(pov_setup_field_is_shown(path, POV_SETUP_CAMERA, &answers));
}

static void a_wrong_answer_names_step_field_and_what_it_takes(void **state)
{
    (void)state;
    static const struct {
        pov_setup_step_id step;
        const char *name, *value, *words;
    } wrong[] = {
        {POV_SETUP_CAMERA, "source", "webcam", "camera: source takes one of libcamera="},
        {POV_SETUP_LENS, "field_of_view_deg", "200",
         "lens: field_of_view_deg takes a number from 1 to 170, not '200'"},
        {POV_SETUP_LENS, "field_of_view_deg", "", "lens: field_of_view_deg takes a number"},
        {POV_SETUP_LENS, "field_of_view_deg", "nan", "lens: field_of_view_deg takes a number"},
        {POV_SETUP_THINGS, "at", "320", "things: at takes a column and a row"},
        {POV_SETUP_THINGS, "at", "3 nan", "things: at takes a column and a row"},
        {POV_SETUP_THINGS, "colour", "red", "things has no 'colour'"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        pov_setup_answers answers = {.len = 0};
        const pov_status status =
            pov_setup_answer_set(&answers, wrong[i].step, wrong[i].name, wrong[i].value);
        assert_int_equal(status.code, POV_ERROR);
        assert_non_null(strstr(status.message, wrong[i].words));
        assert_int_equal(answers.len, 0);
    }
}

static void words_of_the_command_line_become_answers(void **state)
{
    (void)state;
    pov_setup_answers answers = {.len = 0};
    double point_px[2];
    assert_int_equal(pov_setup_answers_parse(&answers, POV_SETUP_THINGS,
                                             "id=ball,found_by=ball,at=320 240.5,diameter_mm=70")
                         .code,
                     POV_OK);
    assert_string_equal(pov_setup_answer(&answers, POV_SETUP_THINGS, "id"), "ball");
    assert_true(pov_setup_point(point_px, &answers, POV_SETUP_THINGS, "at"));
    assert_true(point_px[0] == 320 && point_px[1] == 240.5);
    assert_true(pov_setup_number(&answers, POV_SETUP_THINGS, "diameter_mm") == 70);
    assert_true(isnan(pov_setup_number(&answers, POV_SETUP_THINGS, "front_deg")));
    assert_int_equal(pov_setup_answers_parse(&answers, POV_SETUP_THINGS, "ball").code, POV_ERROR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_preset_is_a_right_answer),
        cmocka_unit_test(every_condition_names_a_choice_of_a_field_before),
        cmocka_unit_test(a_field_is_asked_only_where_it_matters),
        cmocka_unit_test(a_wrong_answer_names_step_field_and_what_it_takes),
        cmocka_unit_test(words_of_the_command_line_become_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
