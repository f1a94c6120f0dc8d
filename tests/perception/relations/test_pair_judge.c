#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/relations/pair_judge.h"
#include "tests/support/judgment_peer.h"
#include "tests/support/same_observation.h"

#include <string.h>

/* test_relation and test_relation_numpy test the values of judgments; this test finds lost and mixed-up ones. */

enum { PAIR_MAX = 3 * TEST_JUDGMENTS_A_PAIR };

static const pov_judging everything = {.relation = {true, true, true, true, true, true, true, true},
                                       .axis = {true, true},
                                       .acceptance = {true, true, true},
                                       .abstain_margin = 0.4,
                                       .regions = POV_TEMPLATE_DEFAULT};

static void a_scene_of_200_is_judged_completely_in_the_room_of_one_pair(void **state)
{
    (void)state;
    enum { OBJECTS = 200 };
    static pov_scene scene;
    static pov_pair_judge judge;
    const pov_judging by_default = POV_JUDGING_DEFAULT;
    pov_judgment judgments[TEST_JUDGMENTS_A_PAIR];
    int len = 0;
    test_judgment_scene(&scene, OBJECTS, false, 1);
    pov_pair_judge_prepare(&judge, &scene, &by_default);
    for (pov_id relatum = 0; relatum < OBJECTS; relatum++)
        for (pov_id referent = 0; referent < OBJECTS; referent++) {
            if (referent == relatum)
                continue;
            assert_int_equal(pov_pair_judge_run(&judge, judgments, TEST_JUDGMENTS_A_PAIR, referent, relatum),
                             TEST_JUDGMENTS_A_PAIR);
            for (int i = 0; i < TEST_JUDGMENTS_A_PAIR; i++)
                len += judgments[i].query.referent == referent && judgments[i].query.relatum[0] == relatum;
        }
    assert_int_equal(len, 2228800);
}

/* A viewer over an object, an object out of sight, one without a front, and noise that differs from one to the next. */
static void spoil(pov_scene *scene)
{
    scene->entities[TEST_JUDGMENT_OBJECTS].position.mean_m = scene->entities[0].position.mean_m;
    scene->entities[1].placed = false;
    scene->entities[2].heading.len = 0;
    memset(scene->entities[3].position.own_cov_m2, 0, sizeof scene->entities[3].position.own_cov_m2);
    scene->entities[3].heading = pov_heading_single(7, 1e12);
}

static void each_judgment_is_what_its_query_alone_evaluates_to(void **state)
{
    (void)state;
    static pov_scene scene;
    static pov_pair_judge judge;
    static pov_judgment judgments[PAIR_MAX];
    for (unsigned seed = 0; seed < 4; seed++) {
        test_judgment_scene(&scene, TEST_JUDGMENT_OBJECTS, seed % 2, seed);
        if (seed >= 2)
            spoil(&scene);
        pov_pair_judge_prepare(&judge, &scene, &everything);
        for (pov_id referent = 0; referent < scene.len;
             referent++) /* so that the relatum changes each time */
            for (pov_id relatum = 0; relatum < scene.len; relatum++) {
                int len = pov_pair_judge_run(&judge, judgments, PAIR_MAX, referent, relatum);
                for (int i = 0; i < len; i++) {
                    pov_judgment alone;
                    (void)pov_relation_evaluate(&alone, &scene, &judgments[i].query, &everything);
                    if (referent != relatum)
                        assert_same_judgment(&judgments[i], &alone);
                    else
                        assert_int_equal(judgments[i].belief.verdict, POV_VERDICT_UNDEFINED);
                }
            }
    }
}

static void what_finds_no_room_is_counted_and_nothing_written(void **state)
{
    (void)state;
    static pov_scene scene;
    static pov_pair_judge judge;
    static pov_judgment judgments[PAIR_MAX], few[PAIR_MAX];
    test_judgment_scene(&scene, TEST_JUDGMENT_OBJECTS, false, 1);
    pov_pair_judge_prepare(&judge, &scene, &everything);
    assert_int_equal(pov_pair_judge_run(&judge, judgments, PAIR_MAX, 0, 1), PAIR_MAX);
    for (int capacity = 0; capacity <= PAIR_MAX; capacity += 7) {
        memset(few, 0xee, sizeof few);
        assert_int_equal(pov_pair_judge_run(&judge, few, capacity, 0, 1), PAIR_MAX);
        for (int i = 0; i < capacity; i++)
            assert_same_judgment(&few[i], &judgments[i]);
        for (size_t i = sizeof *few * (size_t)capacity; i < sizeof few; i++)
            assert_int_equal(((const unsigned char *)few)[i], 0xee);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scene_of_200_is_judged_completely_in_the_room_of_one_pair),
        cmocka_unit_test(each_judgment_is_what_its_query_alone_evaluates_to),
        cmocka_unit_test(what_finds_no_room_is_counted_and_nothing_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
