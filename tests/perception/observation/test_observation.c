#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/observation/observation.h"
#include "tests/support/near.h"
#include "tests/support/random.h"

#include <math.h>
#include <string.h>

static pov_observation likelier, other;

static void two_worlds(void)
{
    memset(&likelier, 0, sizeof likelier);
    likelier.scene.len = 3;
    likelier.scene.camera = 0;
    for (int i = 0; i < 3; i++) {
        likelier.scene.entities[i] =
            pov_entity_named((const char *const[]){"camera", "duck", "car"}[i], "thing");
        likelier.scene.entities[i].placed = true;
    }
    likelier.judgment_len = likelier.directed_len = 1;
    likelier.judgments[0] = (pov_judgment){.query = {.relation = pov_relation_info_of(POV_LEFT_OF),
                                                     .referent = 1,
                                                     .relatum = {2},
                                                     .relatum_len = 1},
                                           .belief = {0.9, 0.1, POV_TRUE}};
    other = likelier;
}

static void what_holds_for_both_poses_holds(void **state)
{
    (void)state;
    two_worlds();
    other.judgments[0].belief.p = 0.7;
    pov_observation_mix(&likelier, &other, 0.6);
    assert_int_equal(likelier.judgments[0].belief.verdict, POV_TRUE);
    assert_near(likelier.judgments[0].belief.p, 0.6 * 0.9 + 0.4 * 0.7, 1e-12);
}

static void what_holds_for_one_pose_only_abstains(void **state)
{
    (void)state;
    const pov_verdict verdicts[] = {POV_FALSE, POV_ABSTAIN, POV_VERDICT_UNDEFINED};
    for (int i = 0; i < 3; i++) {
        two_worlds();
        other.judgments[0].belief = (pov_belief){i == 2 ? NAN : 0.2, i == 2 ? NAN : 0.1, verdicts[i]};
        pov_observation_mix(&likelier, &other, 0.99);
        assert_int_equal(likelier.judgments[0].belief.verdict, POV_ABSTAIN);
        assert_true(likelier.judgments[0].belief.p < 0.9);
    }
}

/** Drawn from one Gaussian or the other. */
static void the_spread_is_that_of_draws_from_either_world(void **state)
{
    (void)state;
    enum { DRAWS = 200000 };
    test_random random = {1};
    double sum = 0, squares = 0;
    two_worlds();
    likelier.judgments[0].belief = (pov_belief){0.8, 0.05, POV_TRUE};
    other.judgments[0].belief = (pov_belief){0.3, 0.1, POV_FALSE};
    for (int i = 0; i < DRAWS; i++) {
        const bool first = test_random_between(&random, 0, 1) < 0.7;
        const double p = (first ? 0.8 : 0.3) + (first ? 0.05 : 0.1) * test_random_normal(&random);
        sum += p;
        squares += p * p;
    }
    pov_observation_mix(&likelier, &other, 0.7);
    const double mean = sum / DRAWS;
    assert_near(likelier.judgments[0].belief.p, mean, 2e-3);
    assert_near(likelier.judgments[0].belief.p_std, sqrt(squares / DRAWS - mean * mean), 2e-3);
}

static void everything_abstains_where_the_worlds_are_not_of_the_same_things(void **state)
{
    (void)state;
    two_worlds();
    other.scene.len = 2;
    likelier.judgment_len = other.judgment_len = 2;
    likelier.judgments[1] = (pov_judgment){.query = pov_query_of_pair(pov_relation_lookup("near"), 1, 2),
                                           .belief = {1, 0, POV_TRUE}};
    other.judgments[1] = likelier.judgments[1];
    pov_observation_mix(&likelier, &other, 0.9);
    assert_int_equal(likelier.judgments[0].belief.verdict, POV_ABSTAIN);
    assert_int_equal(likelier.judgments[1].belief.verdict, POV_ABSTAIN);
}

static void sights_and_directions_are_mixed_and_orders_taken_out(void **state)
{
    (void)state;
    two_worlds();
    likelier.sight_len = 1;
    likelier.sights[0] = (pov_visibility){.viewer = 0, .target = 1, .sees = {1, 0, POV_TRUE}};
    likelier.direction_len = likelier.view_len = 1;
    likelier.directions[0] = (pov_observed_direction){
        0, 1, {.p = {0.9, 0.1}, .p_quarter = {1}, .side = POV_SIDE_FRONT, .verdict = POV_TRUE}};
    other = likelier;
    other.sights[0].sees = (pov_belief){0, 0, POV_FALSE};
    other.sights[0].cause = POV_CAUSE_HIDDEN;
    other.directions[0].side = (pov_side_judgment){
        .p = {0, 1}, .p_quarter = {0, 1}, .side = POV_SIDE_FRONT_LEFT, .verdict = POV_TRUE};
    pov_observation_mix(&likelier, &other, 0.55);
    assert_int_equal(likelier.sights[0].sees.verdict, POV_ABSTAIN);
    assert_int_equal(likelier.sights[0].cause, POV_CAUSE_HIDDEN);
    assert_near(likelier.sights[0].sees.p, 0.55, 1e-12);
    assert_int_equal(likelier.directions[0].side.verdict, POV_ABSTAIN);
    assert_int_equal(likelier.directions[0].side.side, POV_SIDE_FRONT_LEFT);
    assert_near(likelier.directions[0].side.p[0], 0.55 * 0.9, 1e-12);
    assert_int_equal(likelier.view_len, 0);
}

/** About the likelier: the other lies where its covariance says. */
static void one_covariance_reaches_to_the_other_pose(void **state)
{
    (void)state;
    pov_pose_candidate candidates[2] = {{0.75, pov_pose_exact(pov_transform_identity())},
                                        {0.25, pov_pose_exact(pov_transform_identity())}};
    candidates[0].T_table_camera.cov[3][3] = 0.04;
    candidates[1].T_table_camera.T.t_m = (pov_vec3){2, 1, 0};
    const pov_pose pose = pov_pose_reaching(candidates);
    assert_near(pose.T.t_m.x, 0, 0);
    assert_near(pose.cov[3][3], 0.75 * 0.04 + 0.25 * 4, 1e-12);
    assert_near(pose.cov[3][4], 0.25 * 2, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_holds_for_both_poses_holds),
        cmocka_unit_test(what_holds_for_one_pose_only_abstains),
        cmocka_unit_test(the_spread_is_that_of_draws_from_either_world),
        cmocka_unit_test(everything_abstains_where_the_worlds_are_not_of_the_same_things),
        cmocka_unit_test(sights_and_directions_are_mixed_and_orders_taken_out),
        cmocka_unit_test(one_covariance_reaches_to_the_other_pose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
