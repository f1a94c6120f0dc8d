#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/relations/frame_summary.h"
#include "tests/support/comfort_scene.h"
#include "tests/support/near.h"

#include <stdlib.h>

static const pov_judging judging = {.abstain_margin = 0.4, .regions = POV_TEMPLATE_DEFAULT};

static void moving_the_referent_by_the_flip_distance_reaches_the_boundary(void **state)
{
    (void)state;
    static pov_scene scene;
    for (int phi = 5; phi < 360; phi += 10)
        for (int relation = 0; relation < 4; relation++) {
            comfort_scene(&scene, phi, 90);
            pov_query query = comfort_query(relation, POV_EGOCENTRIC, POV_REFLECTED);
            pov_judgment here, there;
            assert_int_equal(pov_relation_evaluate(&here, &scene, &query, &judging), POV_OK);
            assert_near(pov_judgment_flip_angle_rad(&here), POV_PI / 2 - fabs(here.theta_rad), 1e-12);
            /* nowhere nearer by a little, somewhere at the distance: a circle of it about the referent touches */
            const pov_vec3 at = scene.entities[REFERENT].position.mean_m;
            for (int k = 0; k < 2; k++) {
                bool flips = false;
                for (int turn = 0; turn < 360; turn++) {
                    double r = here.flip_distance_m * (k ? 1.001 : 0.999);
                    place(&scene.entities[REFERENT], at.x + r * cos(turn * deg), at.y + r * sin(turn * deg));
                    assert_int_equal(pov_relation_evaluate(&there, &scene, &query, &judging), POV_OK);
                    flips |= there.belief.verdict != here.belief.verdict;
                }
                assert_int_equal(flips, k);
            }
        }
}

static void inside_the_box_is_internal_with_its_probability(void **state)
{
    (void)state;
    static pov_scene scene;
    const struct {
        double x_m, std_m, p;
    } cases[] = {{0.5, 0, 1}, {1.5, 0, 0}, {1, 0.1, 0.5}, {0.8, 0.1, 0.97725}, {1.1, 0.1, 0.15866}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        comfort_scene(&scene, 0, 90);
        pov_entity *car = &scene.entities[RELATUM], *ball = &scene.entities[REFERENT];
        car->size_m = (pov_vec3){2, 8, 8};
        place(ball, cases[i].x_m, 0.05);
        ball->position.own_cov_m2[0][0] = cases[i].std_m * cases[i].std_m;
        pov_query query = comfort_query(POV_LEFT_OF, POV_EGOCENTRIC, POV_REFLECTED);
        pov_judgment judgment;
        assert_int_equal(pov_relation_evaluate(&judgment, &scene, &query, &judging), POV_OK);
        assert_near(judgment.p_internal, cases[i].p, 1e-4);
        if (cases[i].p != 0.5)
            assert_int_equal(judgment.containment, cases[i].p > 0.5 ? POV_INTERNAL : POV_EXTERNAL);
    }
}

static void a_summary_says_where_the_frames_disagree(void **state)
{
    (void)state;
    static pov_scene scene;
    static pov_judgment judgments[200];
    static pov_frame_summary summary;
    const pov_judging by_default = POV_JUDGING_DEFAULT;
    comfort_scene(&scene, 30, 90);
    int len = pov_relation_evaluate_pair(judgments, 200, &scene, REFERENT, RELATUM, &by_default);
    pov_frame_summarise(&summary, judgments, len);
    const pov_relation_summary *front = &summary.relation[POV_IN_FRONT_OF];
    assert_int_equal(front->len[POV_TRUE] + front->len[POV_FALSE], 13);
    assert_false(front->frame_independent); /* translated and reflected disagree */
    for (int i = 0; i < front->len[POV_TRUE]; i++) {
        assert_int_equal(judgments[front->judgment[POV_TRUE][i]].query.relation->projective, POV_IN_FRONT_OF);
        assert_int_equal(judgments[front->judgment[POV_TRUE][i]].belief.verdict, POV_TRUE);
    }
    judgments[0].query.relation = pov_relation_info_of(POV_NORTH_OF);
    judgments[0].belief.verdict = POV_TRUE;
    pov_frame_summarise(&summary, judgments, 1);
    assert_true(summary.relation[POV_NORTH_OF].frame_independent);
}

static void noise_moves_a_probability_toward_a_half(void **state)
{
    (void)state;
    static pov_scene scene;
    for (int phi = 5; phi < 360; phi += 10) {
        double last = 0.5 + 1e-9;
        for (int step = 6; step >= 0; step--) {
            comfort_scene(&scene, phi, 90);
            double std = step == 0 ? 0 : 0.02 * pow(2, step - 1);
            for (int i = 0; i < 2; i++)
                scene.entities[REFERENT].position.own_cov_m2[i][i] = std * std;
            pov_query query = comfort_query(POV_IN_FRONT_OF, POV_EGOCENTRIC, POV_REFLECTED);
            pov_judgment judgment;
            assert_int_equal(pov_relation_evaluate(&judgment, &scene, &query, &judging), POV_OK);
            double sure = fabs(judgment.belief.p - 0.5);
            assert_true(step == 6 || sure >= last - 1e-6);
            last = sure;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moving_the_referent_by_the_flip_distance_reaches_the_boundary),
        cmocka_unit_test(inside_the_box_is_internal_with_its_probability),
        cmocka_unit_test(a_summary_says_where_the_frames_disagree),
        cmocka_unit_test(noise_moves_a_probability_toward_a_half),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
