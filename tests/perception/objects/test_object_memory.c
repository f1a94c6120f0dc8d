/* What is remembered of an object, by hand-worked numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "perception/objects/object_memory.h"
#include "tests/support/near.h"

#include <math.h>

static const int64_t s = 1000000000;
static const object_model model = {.radius_m = 0.05};

static object_fit fit_at(double x_m, double evidence)
{
    return (object_fit){.place = {.x_m = x_m}, .evidence = evidence};
}

static object_memory found_once(double evidence)
{
    object_memory memory = {0};
    const object_fit fit = fit_at(0, evidence);
    pov_object_memory_found(&memory, &model, &fit, 10 * s);
    return memory;
}

static void nothing_is_known_before_the_first_image(void **state)
{
    (void)state;
    const object_memory memory = {0};
    const object_fit fit = fit_at(0, 0);
    assert_false(pov_object_memory_is_home(&memory, &model, &fit.place));
    assert_near(pov_object_memory_prior(&memory, &model, &fit, 0), 0, 0);
}

static void home_reaches_as_far_as_the_objects_radius(void **state)
{
    (void)state;
    const object_memory memory = found_once(40);
    const object_fit near = fit_at(0.049, 0), far = fit_at(0.051, 0);
    assert_true(pov_object_memory_is_home(&memory, &model, &near.place));
    assert_false(pov_object_memory_is_home(&memory, &model, &far.place));
    assert_near(pov_object_memory_prior(&memory, &model, &far, 10 * s), 0, 0);
}

/* Objects are taken elsewhere once in 60 s: 6 s later the odds of that are 1 to 10. */
static void the_prior_fades_with_time(void **state)
{
    (void)state;
    const object_memory memory = found_once(100);
    const object_fit covered = fit_at(0, -5);
    assert_near(pov_object_memory_prior(&memory, &model, &covered, 16 * s), OBJECT_EVIDENCE_LEAST + log(10),
                1e-12);
    assert_near(pov_object_memory_prior(&memory, &model, &covered, 70 * s), OBJECT_EVIDENCE_LEAST, 1e-12);
    assert_near(pov_object_memory_prior(&memory, &model, &covered, (int64_t)1e6 * s), 0, 1e-12);
    assert_near(pov_object_memory_stay(&memory, &model, &covered, 16 * s), 3, 1e-12);
}

static void the_past_look_counts_once(void **state)
{
    (void)state;
    const object_memory memory = found_once(12);
    const object_fit half_covered = fit_at(0, 7), clear = fit_at(0, 13);
    assert_near(pov_object_memory_prior(&memory, &model, &half_covered, 11 * s), 12 - 7, 1e-12);
    assert_near(pov_object_memory_prior(&memory, &model, &clear, 11 * s), 0, 0);
}

static void home_keeps_the_best_evidence_until_the_object_is_found_elsewhere(void **state)
{
    (void)state;
    object_memory memory = found_once(40);
    const object_fit covered = fit_at(0.01, 20), elsewhere = fit_at(0.3, 15);
    pov_object_memory_found(&memory, &model, &covered, 11 * s);
    assert_near(memory.home_evidence, 40, 0);
    pov_object_memory_found(&memory, &model, &elsewhere, 12 * s);
    assert_near(memory.home_evidence, 15, 0);
    assert_true(memory.was_found && pov_object_memory_is_home(&memory, &model, &elsewhere.place));
}

static void home_is_forgotten_only_when_it_is_seen_empty(void **state)
{
    (void)state;
    object_memory memory = found_once(40);
    const object_fit doubtful = fit_at(0, -8), empty = fit_at(0, -10);
    pov_object_memory_missed(&memory, NULL);
    assert_true(!memory.was_found && memory.has_home);
    pov_object_memory_missed(&memory, &doubtful);
    assert_true(memory.has_home);
    pov_object_memory_missed(&memory, &empty);
    assert_false(memory.has_home);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_known_before_the_first_image),
        cmocka_unit_test(home_reaches_as_far_as_the_objects_radius),
        cmocka_unit_test(the_prior_fades_with_time),
        cmocka_unit_test(the_past_look_counts_once),
        cmocka_unit_test(home_keeps_the_best_evidence_until_the_object_is_found_elsewhere),
        cmocka_unit_test(home_is_forgotten_only_when_it_is_seen_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
