/* Evidence for a painted box: where it was painted, elsewhere, behind a screen. */
#include "perception/objects/object_memory.h"
#include "perception/objects/object_verdict.h"
#include "tests/support/painted_view.h"

static const painted_scene plain = {.gain = 1};
static const object_place truth = {.x_m = 0.03, .y_m = -0.05, .yaw_rad = 0.7};

static object_fit judged(const painted_view *v, const object_place *place)
{
    object_votes *votes;
    object_fit fit = {.place = *place};
    assert_int_equal(pov_object_votes_new(&votes).code, POV_OK);
    pov_object_judge(votes, &fit, &v->view, v->model);
    pov_object_votes_destroy(&votes);
    return fit;
}

static void evidence_is_strong_at_the_truth_and_none_elsewhere(void **state)
{
    (void)state;
    painted_view *v = painted_view_new(&truth, plain);
    object_place off = truth, back = truth;
    off.y_m += 0.15;
    back.yaw_rad += POV_PI;
    const object_fit there = judged(v, &truth);
    assert_true(there.evidence > 2 * OBJECT_EVIDENCE_LEAST);
    assert_true(there.visible > 0.95);
    assert_true(judged(v, &off).evidence < 0);
    assert_true(judged(v, &back).evidence < there.evidence - OBJECT_EVIDENCE_LEAST);
    painted_view_destroy(v);
}

static void a_screen_hides_the_half_that_it_stands_before(void **state)
{
    (void)state;
    const painted_scene screened = {
        .gain = 1, .screen_x_m = 0.15, .screen_y_m = -0.15, .screen_width_m = 0.22};
    painted_view *v =
        painted_view_new(&truth, screened); /* from y = -0.26 to -0.04 m at 0.15 m before the origin */
    const object_fit fit = judged(v, &truth);
    assert_true(fit.evidence > 0);
    assert_in_range((int)(100 * fit.visible), 35, 75);
    painted_view_destroy(v);
}

static void claimed_pixels_are_no_evidence(void **state)
{
    (void)state;
    painted_view *v = painted_view_new(&truth, plain);
    const pov_vec2 all[4] = {
        {0, 0}, {PAINTED_WIDTH_PX, 0}, {PAINTED_WIDTH_PX, PAINTED_HEIGHT_PX}, {0, PAINTED_HEIGHT_PX}};
    pov_object_claims_add_other(&v->claims, all, 0.1);
    assert_true(judged(v, &truth).evidence < OBJECT_EVIDENCE_LEAST);
    pov_object_claims_clear(&v->claims);
    assert_true(judged(v, &truth).evidence > OBJECT_EVIDENCE_LEAST);
    painted_view_destroy(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evidence_is_strong_at_the_truth_and_none_elsewhere),
        cmocka_unit_test(a_screen_hides_the_half_that_it_stands_before),
        cmocka_unit_test(claimed_pixels_are_no_evidence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
