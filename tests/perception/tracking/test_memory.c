/* What is remembered between images, by hand-worked numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "perception/tracking/memory.h"
#include "tests/support/near.h"

static const int64_t ms = 1000000;
static const pov_memory_shape shape = {3, sizeof(int), sizeof(double)};

static pov_memory *memory_new(void)
{
    pov_memory *memory;
    assert_int_equal(pov_memory_new(&memory, &shape).code, POV_OK);
    return memory;
}

static void a_thing_that_goes_on_as_before_is_predicted(void **state)
{
    (void)state;
    pov_memory *memory = memory_new();
    double at[2];
    pov_memory_begin(memory, 0, 0);
    pov_memory_see(memory, pov_memory_add(memory, NULL), (const double[]){1, 2}, 2);
    pov_memory_end(memory);
    pov_memory_begin(memory, 10 * ms, 1);
    pov_memory_predict(at, memory, &memory->expected[0], 2);
    assert_true(at[0] == 1 && at[1] == 2); /* once seen, it has no rate */
    pov_memory_see(memory, pov_memory_add(memory, &memory->expected[0]), (const double[]){1.5, 2}, 2);
    pov_memory_end(memory);
    pov_memory_begin(memory, 40 * ms, 4);
    pov_memory_predict(at, memory, &memory->expected[0], 2);
    assert_near(at[0], 3, 1e-12);
    assert_near(at[1], 2, 1e-12);
    pov_memory_destroy(&memory);
}

static void a_missing_thing_keeps_its_place_its_rate_and_its_note(void **state)
{
    (void)state;
    pov_memory *memory = memory_new();
    double at;
    pov_memory_begin(memory, 0, 0);
    pov_memory_see(memory, pov_memory_add(memory, NULL), (const double[]){0}, 1);
    pov_memory_end(memory);
    for (int i = 1; i < 3; i++) {
        pov_memory_begin(memory, i * 10 * ms, (uint32_t)i);
        pov_expected *thing = pov_memory_add(memory, &memory->expected[0]);
        if (i == 1) {
            pov_memory_see(memory, thing, (const double[]){1}, 1);
            *(int *)thing->note = 7;
        } else
            thing->missed++;
        pov_memory_end(memory);
    }
    pov_memory_begin(memory, 30 * ms, 3);
    pov_memory_predict(&at, memory, &memory->expected[0], 1);
    assert_near(at, 3, 1e-12);
    assert_int_equal(memory->expected[0].missed, 1);
    assert_int_equal(*(const int *)memory->expected[0].note, 7);
    pov_memory_see(memory, &memory->expected[0], &at, 1);
    assert_int_equal(memory->expected[0].missed, 0);
    pov_memory_destroy(&memory);
}

static void only_what_an_image_adds_is_expected_in_the_next(void **state)
{
    (void)state;
    pov_memory *memory = memory_new();
    pov_memory_begin(memory, 0, 0);
    for (int i = 0; i < shape.things_max; i++)
        *(int *)pov_memory_add(memory, NULL)->note = i;
    assert_null(pov_memory_add(memory, NULL));
    pov_memory_end(memory);
    assert_int_equal(memory->len, 3);
    pov_memory_begin(memory, ms, 1);
    (void)pov_memory_add(memory, &memory->expected[2]);
    assert_int_equal(*(int *)pov_memory_add(memory, NULL)->note, 0); /* a new thing's note is blank */
    pov_memory_end(memory);
    assert_int_equal(memory->len, 2);
    assert_int_equal(*(const int *)memory->expected[0].note, 2);
    *(double *)memory->schedule = 0.5;
    pov_memory_clear(memory);
    assert_true(memory->len == 0 && memory->images == 0 && *(const double *)memory->schedule == 0);
    pov_memory_destroy(&memory);
}

static void lost_images_do_not_lengthen_the_period(void **state)
{
    (void)state;
    pov_memory *memory = memory_new();
    pov_memory_begin(memory, 0, UINT32_MAX - 1);
    pov_memory_begin(memory, 10 * ms, UINT32_MAX);
    assert_int_equal(memory->period_ns, 10 * ms);
    pov_memory_begin(memory, 50 * ms, 3); /* the number went round */
    assert_int_equal(memory->period_ns, 10 * ms);
    pov_memory_begin(memory, 80 * ms, 3); /* a source that does not count */
    assert_int_equal(memory->period_ns, 30 * ms);
    pov_memory_destroy(&memory);
}

static void turns_rotate_among_those_that_want_one(void **state)
{
    (void)state;
    pov_memory *memory = memory_new();
    static const bool wants[] = {true, false, true};
    int turns[3] = {0};
    pov_memory_begin(memory, 0, 0);
    for (int i = 0; i < 3; i++)
        pov_memory_expect(memory)->wants_turn = wants[i];
    for (int image = 0; image < 6; image++) {
        int given = 0;
        pov_memory_give_turns(memory, 1);
        for (int i = 0; i < 3; i++) {
            turns[i] += memory->expected[i].has_turn;
            given += memory->expected[i].has_turn;
        }
        assert_int_equal(given, 1);
        pov_memory_keep(memory);
    }
    assert_true(turns[0] == 3 && turns[1] == 0 && turns[2] == 3);
    pov_memory_give_turns(memory, 5);
    assert_true(memory->expected[0].has_turn && memory->expected[2].has_turn &&
                !memory->expected[1].has_turn);
    assert_int_equal(memory->images, 6);
    pov_memory_destroy(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thing_that_goes_on_as_before_is_predicted),
        cmocka_unit_test(a_missing_thing_keeps_its_place_its_rate_and_its_note),
        cmocka_unit_test(only_what_an_image_adds_is_expected_in_the_next),
        cmocka_unit_test(lost_images_do_not_lengthen_the_period),
        cmocka_unit_test(turns_rotate_among_those_that_want_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
