/* Oracle: each query judged alone, which test_relation_judge.c checks against drawn scenes. */
#include "perception/relations/relation_panel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/judge_all.h"
#include "tests/support/near.h"
#include "tests/support/noisy_scene.h"

enum { CAPACITY = 1000 };

static const pov_judging judging = POV_JUDGING_DEFAULT;
static pov_judgment answers[CAPACITY], fewer[CAPACITY];

static pov_relation_panel *panel_of_all(void)
{
    pov_judging config = POV_JUDGING_DEFAULT;
    pov_relation_panel *panel;
    for (int i = 0; i < pov_relation_registry_len(); i++)
        config.other[i] = pov_relation_registry_at(i)->projective == POV_RELATION_COUNT;
    assert_int_equal(pov_relation_panel_new(&panel, &config).code, POV_OK);
    return panel;
}

static int judge(pov_relation_panel *panel, const pov_scene *scene)
{
    pov_judgment_list list = {.judgments = answers, .capacity = CAPACITY};
    pov_relation_panel_pair(panel, &list, scene, TEST_THING, TEST_PLACE);
    pov_relation_panel_among(panel, &list, scene, TEST_THING);
    assert_false(list.truncated);
    return list.len;
}

/* Verdicts may differ only for a tail near the margin. */
static void check_against_single(const pov_scene *scene, const pov_judgment *answer, double *worst,
                                 int *other_verdicts)
{
    pov_judgment single;
    (void)pov_relation_evaluate(&single, scene, &answer->query, &judging);
    assert_int_equal(isnan(single.belief.p), isnan(answer->belief.p));
    if (isnan(single.belief.p)) {
        assert_int_equal(answer->belief.verdict, POV_VERDICT_UNDEFINED);
        return;
    }
    double difference = fabs(single.belief.p - answer->belief.p);
    *worst = fmax(*worst, difference);
    assert_near(pow(answer->belief.p_std, 2), pow(single.belief.p_std, 2), 0.02);
    *other_verdicts += single.belief.verdict != answer->belief.verdict;
}

static void judge_many(bool hurried, double within, int one_verdict_in)
{
    test_random random = {1};
    pov_relation_panel *panel = panel_of_all();
    pov_relation_panel_hurry(panel, hurried);
    const char *many = getenv("POV_SCENES");
    int scenes = many ? atoi(many) : 6, asked = 0, other_verdicts = 0;
    double worst = 0;
    for (int s = 0; s < scenes; s++) {
        pov_scene scene;
        test_noisy_scene(&scene, &random);
        if (s % 3 == 0)
            for (int i = 0; i < scene.len; i++)
                scene.entities[i].has_velocity = false;
        int len = judge(panel, &scene);
        for (int i = 0; i < len; i++)
            check_against_single(&scene, &answers[i], &worst, &other_verdicts);
        asked += len;
    }
    print_message("p differs by %g at most; %d of %d verdicts differ\n", worst, other_verdicts, asked);
    assert_true(worst < within);
    assert_true(other_verdicts <= asked / one_verdict_in);
    pov_relation_panel_destroy(&panel);
}

static void together_relations_are_judged_as_each_is_alone(void **state)
{
    (void)state;
    judge_many(false, 0.015, 200);
}

static void in_a_hurry_they_are_nearly_so(void **state)
{
    (void)state;
    judge_many(true, 0.04, 100);
}

static void all_that_one_by_one_would_be_asked_is(void **state)
{
    (void)state;
    test_random random = {2};
    pov_scene scene;
    pov_relation_panel *panel = panel_of_all();
    test_noisy_scene(&scene, &random);
    int len = judge(panel, &scene), missing = 0, expected = 0,
        alone = test_judge_all(fewer, CAPACITY, &scene, TEST_THING, TEST_PLACE, &judging);
    for (int i = 0; i < pov_relation_registry_len(); i++) {
        /* camera, woman, and the relatum's front */
        static const int frames[POV_FRAME_COUNT] = {
            [POV_FRAME_NONE] = 1, [POV_FRAME_AXES] = 3, [POV_FRAME_NORTH] = 1, [POV_FRAME_VIEWER] = 2};
        const pov_relation_info *relation = pov_relation_registry_at(i);
        expected += relation->relata_min == 1 ? frames[relation->frame] : 0;
    }
    assert_int_equal(alone, expected);
    for (int i = 0; i < alone; i++) {
        bool found = fewer[i].query.relation->projective != POV_RELATION_COUNT;
        for (int k = 0; k < len; k++)
            found |= answers[k].query.relation == fewer[i].query.relation &&
                     answers[k].query.perspective == fewer[i].query.perspective &&
                     answers[k].query.viewer == fewer[i].query.viewer;
        missing += !found;
    }
    assert_int_equal(missing, 0);
    int between = 0, nearer = 0, among = 0;
    for (int k = 0; k < len; k++) {
        between += answers[k].query.relation == pov_relation_lookup("between");
        nearer += answers[k].query.relation == pov_relation_lookup("nearer_to");
        among += answers[k].query.relation == pov_relation_lookup("among");
    }
    assert_int_equal(between, 3); /* other, third, woman */
    assert_int_equal(nearer, 3);
    assert_int_equal(among, 1);
    pov_judgment_list list = {.judgments = answers, .capacity = CAPACITY};
    pov_relation_panel_pair(panel, &list, &scene, TEST_THING, TEST_THIRD);
    for (int k = 0; k < list.len; k++)
        assert_false(answers[k].query.relation == pov_relation_lookup("between") &&
                     answers[k].query.relatum[1] < TEST_THIRD);
    pov_relation_panel_destroy(&panel);
}

static void a_list_that_is_full_says_so(void **state)
{
    (void)state;
    test_random random = {3};
    pov_scene scene;
    pov_relation_panel *panel = panel_of_all();
    test_noisy_scene(&scene, &random);
    judge(panel, &scene);
    pov_judgment_list list = {.judgments = fewer, .capacity = 10};
    pov_relation_panel_pair(panel, &list, &scene, TEST_THING, TEST_PLACE);
    assert_int_equal(list.len, 10);
    assert_true(list.truncated);
    for (int i = 0; i < 10; i++)
        assert_true(fewer[i].query.relation == answers[i].query.relation &&
                    (fewer[i].belief.p == answers[i].belief.p || isnan(answers[i].belief.p)));
    pov_relation_panel_destroy(&panel);
    assert_null(panel);
}

static void what_is_not_placed_is_undefined(void **state)
{
    (void)state;
    test_random random = {4};
    pov_scene scene;
    pov_relation_panel *panel = panel_of_all();
    test_noisy_scene(&scene, &random);
    scene.entities[TEST_PLACE].placed = false;
    pov_judgment_list list = {.judgments = answers, .capacity = CAPACITY};
    pov_relation_panel_pair(panel, &list, &scene, TEST_THING, TEST_PLACE);
    assert_true(list.len > 50);
    for (int i = 0; i < list.len; i++)
        assert_true(answers[i].belief.verdict == POV_VERDICT_UNDEFINED && isnan(answers[i].belief.p));
    pov_relation_panel_destroy(&panel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(together_relations_are_judged_as_each_is_alone),
        cmocka_unit_test(in_a_hurry_they_are_nearly_so),
        cmocka_unit_test(all_that_one_by_one_would_be_asked_is),
        cmocka_unit_test(a_list_that_is_full_says_so),
        cmocka_unit_test(what_is_not_placed_is_undefined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
