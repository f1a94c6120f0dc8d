/* Oracle: Monte-Carlo over whole scenes, every entity's position, velocity and heading drawn again. */
#include "perception/relations/relation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/noisy_scene.h"

static const pov_judging judging = POV_JUDGING_DEFAULT;

/* By rejection (no table, no normal approximation). */
static double drawn_yaw(test_random *random, const pov_heading *heading)
{
    const pov_heading_mode *mode = &heading->mode[0];
    if (heading->len == 2 && test_random_between(random, 0, 1) > mode->weight)
        mode = &heading->mode[1];
    double reach_rad = fmin(POV_PI, 7 / sqrt(mode->kappa));
    for (;;) {
        double off_rad = test_random_between(random, -reach_rad, reach_rad);
        if (test_random_between(random, 0, 1) < exp(mode->kappa * (cos(off_rad) - 1)))
            return mode->yaw_rad + off_rad;
    }
}

/* As test_random_entity correlates them. */
static pov_vec3 drawn_velocity(test_random *random, const pov_entity *entity)
{
    const double std = sqrt(entity->velocity_cov_m2_s2[0][0]), x = test_random_normal(random),
                 y = test_random_normal(random), z = test_random_normal(random);
    return pov_vec3_add(entity->velocity_m_s, (pov_vec3){std * x, std * (0.5 * x + sqrt(0.75) * y), std * z});
}

static void draw_scene(pov_scene *drawn, const pov_scene *scene, test_random *random)
{
    double camera_error[6];
    for (int k = 0; k < 6; k++)
        camera_error[k] = sqrt(scene->camera_pose_cov[k][k]) * test_random_normal(random);
    for (int i = 0; i < scene->len; i++) {
        pov_entity *entity = &drawn->entities[i];
        const pov_position *position = &scene->entities[i].position;
        double error[3];
        for (int j = 0; j < 3; j++) {
            error[j] = sqrt(position->own_cov_m2[j][j]) * test_random_normal(random);
            for (int k = 0; k < 6; k++)
                error[j] += position->per_camera_pose[j][k] * camera_error[k];
        }
        entity->position.mean_m = pov_vec3_add(position->mean_m, (pov_vec3){error[0], error[1], error[2]});
        if (entity->has_velocity)
            entity->velocity_m_s = drawn_velocity(random, &scene->entities[i]);
        if (entity->heading.len > 0)
            entity->heading = pov_heading_single(drawn_yaw(random, &scene->entities[i].heading), 1e12);
    }
}

static pov_query random_query(test_random *random, const pov_relation_info *relation)
{
    pov_query query = {.relation = relation,
                       .referent = TEST_THING,
                       .relatum_len = relation->relata_min,
                       .relatum = {TEST_PLACE, TEST_OTHER, TEST_THIRD},
                       .perspective = POV_INTRINSIC,
                       .viewer = POV_ID_NONE,
                       .convention = POV_NO_CONVENTION,
                       .axis = POV_HEADING};
    if (relation->frame == POV_FRAME_NONE ||
        (relation->frame == POV_FRAME_AXES && test_random_u64(random) % 3 == 0))
        return query;
    bool woman = test_random_u64(random) % 2;
    query.perspective = woman ? POV_ADDRESSEE : POV_EGOCENTRIC;
    query.viewer = woman ? TEST_WOMAN : TEST_CAMERA;
    query.convention = (pov_convention)(test_random_u64(random) % POV_CONVENTION_COUNT);
    query.axis = test_random_u64(random) % 2 ? POV_HEADING : POV_SIGHT_LINE;
    return query;
}

static void check_against_drawn(const pov_scene *scene, const pov_query *query, int samples,
                                test_random *random, double *worst)
{
    pov_judgment answer, one;
    pov_scene drawn = test_made_exact(scene);
    double sum = 0, squares = 0;
    int defined = 0;
    if (pov_relation_evaluate(&answer, scene, query, &judging) != POV_OK)
        return;
    for (int i = 0; i < samples; i++) {
        draw_scene(&drawn, scene, random);
        if (pov_relation_evaluate(&one, &drawn, query, &judging) != POV_OK)
            continue;
        defined++;
        sum += one.belief.p;
        squares += one.belief.p * one.belief.p;
    }
    assert_true(defined > samples / 3);
    double mean = sum / defined, std = sqrt(fmax(0, squares / defined - mean * mean));
    double sampling = 4 * std / sqrt(defined);
    *worst = fmax(*worst, fabs(answer.belief.p - mean) - sampling);
    if (fabs(answer.belief.p - mean) > 0.005 + sampling)
        print_error("%s: %g, drawn %g +- %g\n", query->relation->name, answer.belief.p, mean, sampling / 4);
    assert_true(fabs(answer.belief.p - mean) <= 0.005 + sampling);
    /* Of the variance: the deviation of a truth that is seldom other than 0 is the root of next to nothing. */
    if (fabs(answer.belief.p_std * answer.belief.p_std - std * std) > 0.005 + sampling)
        print_error("%s: deviation %g, drawn %g\n", query->relation->name, answer.belief.p_std, std);
    assert_true(fabs(answer.belief.p_std * answer.belief.p_std - std * std) <= 0.005 + sampling);
}

static void expectations_agree_with_drawn_scenes(void **state)
{
    (void)state;
    test_random random = {1};
    const char *rounds = getenv("POV_ROUNDS"), *many = getenv("POV_SAMPLES");
    pov_scene scene;
    double worst = -INFINITY;
    for (int round = 0; round < (rounds ? atoi(rounds) : 2); round++)
        for (int i = 0; i < pov_relation_registry_len(); i++) {
            const pov_relation_info *relation = pov_relation_registry_at(i);
            if (relation->projective != POV_RELATION_COUNT)
                continue;
            test_noisy_scene(&scene, &random);
            pov_query query = random_query(&random, relation);
            check_against_drawn(&scene, &query, many ? atoi(many) : 2000, &random, &worst);
        }
    print_message("worst departure beyond four standard errors: %g\n", worst);
}

/* The quadrature of graded relations, given a direction to judge by its cosine, against the exact expectation. */
static void frames_are_those_of_directions(void **state)
{
    (void)state;
    test_random random = {2};
    pov_scene scene;
    int compared = 0;
    for (int i = 0; i < 300; i++) {
        test_noisy_scene(&scene, &random);
        pov_relation_info by_points = *pov_relation_info_of((pov_relation)(i % (POV_BEHIND + 1)));
        pov_query query = random_query(&random, pov_relation_info_of(by_points.projective));
        pov_judgment expected, actual;
        query.acceptance = POV_COSINE;
        pov_code code = pov_relation_evaluate(&expected, &scene, &query, &judging);
        by_points.projective = POV_RELATION_COUNT;
        query.relation = &by_points;
        if (code != POV_OK)
            continue;
        assert_int_equal(pov_relation_evaluate(&actual, &scene, &query, &judging), POV_OK);
        assert_near(actual.belief.p, expected.belief.p, 0.005);
        assert_near(actual.belief.p_std, expected.belief.p_std, 0.01);
        compared++;
    }
    assert_true(compared > 150);
}

static void without_noise_it_is_the_predicate_itself(void **state)
{
    (void)state;
    test_random random = {3};
    pov_scene scene;
    test_noisy_scene(&scene, &random);
    scene = test_made_exact(&scene);
    for (int i = 0; i < scene.len; i++)
        scene.entities[i].heading.len = 0;
    pov_situation situation = {.relatum_len = 1};
    pov_body *bodies[] = {&situation.referent, &situation.relatum[0]};
    for (int i = 0; i < 2; i++) {
        const pov_entity *entity = &scene.entities[i];
        bodies[i]->box =
            (pov_box){entity->position.mean_m, pov_vec3_scale(entity->size_m, 0.5), entity->R_table_box};
        bodies[i]->has_velocity = entity->has_velocity;
        bodies[i]->velocity_m_s = entity->velocity_m_s;
    }
    for (int i = 0; i < pov_relation_registry_len(); i++) {
        const pov_relation_info *relation = pov_relation_registry_at(i);
        pov_judgment answer;
        pov_query query = random_query(&random, relation);
        if (relation->frame != POV_FRAME_NONE || relation->relata_min > 1)
            continue;
        double truth = pov_relation_truth(relation, &situation, &judging.params);
        assert_int_equal(pov_relation_evaluate(&answer, &scene, &query, &judging),
                         isnan(truth) ? POV_UNDEFINED : POV_OK);
        if (!isnan(truth))
            assert_near(answer.belief.p, truth, 1e-12);
    }
}

static void near_a_threshold_it_abstains_and_far_from_it_it_does_not(void **state)
{
    (void)state;
    pov_scene scene;
    test_random random = {4};
    test_noisy_scene(&scene, &random);
    scene = test_made_exact(&scene);
    pov_judgment answer;
    pov_query query = {.relation = pov_relation_lookup("higher_than"),
                       .referent = TEST_THING,
                       .relatum_len = 1,
                       .relatum = {TEST_PLACE},
                       .viewer = POV_ID_NONE};
    for (int i = 0; i < 3; i++)
        scene.entities[TEST_THING].position.own_cov_m2[i][i] = 0.01 * 0.01;
    double height_m = scene.entities[TEST_PLACE].position.mean_m.z;
    const struct {
        double above_m;
        pov_verdict verdict;
    } cases[] = {
        {0, POV_ABSTAIN}, {0.02, POV_ABSTAIN}, {-0.02, POV_ABSTAIN}, {0.05, POV_TRUE}, {-0.05, POV_FALSE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene.entities[TEST_THING].position.mean_m.z = height_m + cases[i].above_m;
        assert_int_equal(pov_relation_evaluate(&answer, &scene, &query, &judging), POV_OK);
        assert_int_equal(answer.belief.verdict, cases[i].verdict);
    }
}

/* A box of a kind that no table names: what is inside may be in it or not. A verdict is sure only where those worlds cannot change it. */
static void a_sure_verdict_does_not_rest_on_leaving_undefined_worlds_out(void **state)
{
    (void)state;
    static const struct {
        double x_m, std_m;
        pov_code code;
        pov_verdict verdict;
    } cases[] = {
        {0, 0, POV_UNDEFINED, POV_VERDICT_UNDEFINED},
        {0.9, 0, POV_OK, POV_FALSE},
        {0.9, 0.05, POV_OK, POV_FALSE},    /* eight deviations outside */
        {0.53, 0.05, POV_OK, POV_ABSTAIN}, /* inside with probability 0.27 */
        {0.60, 0.05, POV_OK, POV_ABSTAIN}, /* 0.02 */
        {0.43, 0.05, POV_UNDEFINED, POV_VERDICT_UNDEFINED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pov_scene scene = {.camera = POV_ID_NONE};
        pov_entity thing = pov_entity_named("thing", "gizmo"), ball = pov_entity_named("ball", "ball");
        pov_id box_id, ball_id;
        thing.placed = ball.placed = true;
        thing.position.mean_m = (pov_vec3){0, 0, 0.5};
        thing.size_m = (pov_vec3){1, 1, 1};
        thing.R_table_box = ball.R_table_box = pov_rot_yaw(0);
        ball.position.mean_m = (pov_vec3){cases[i].x_m, 0, 0.5};
        ball.position.own_cov_m2[0][0] = cases[i].std_m * cases[i].std_m;
        ball.size_m = (pov_vec3){0.02, 0.02, 0.02};
        assert_int_equal(pov_scene_add(&scene, &box_id, &thing).code, POV_OK);
        assert_int_equal(pov_scene_add(&scene, &ball_id, &ball).code, POV_OK);
        const pov_query query = pov_query_of_pair(pov_relation_lookup("within"), ball_id, box_id);
        pov_judgment answer;
        assert_int_equal(pov_relation_evaluate(&answer, &scene, &query, &judging), cases[i].code);
        assert_int_equal(answer.belief.verdict, cases[i].verdict);
    }
}

static void what_cannot_be_answered_is_undefined(void **state)
{
    (void)state;
    test_random random = {5};
    pov_scene scene;
    test_noisy_scene(&scene, &random);
    pov_judgment answer;
    const pov_query near = {.relation = pov_relation_lookup("near"),
                            .referent = TEST_THING,
                            .relatum_len = 1,
                            .relatum = {TEST_PLACE},
                            .viewer = POV_ID_NONE};
    pov_query query = near;
    query.relatum_len = 0;
    assert_int_equal(pov_relation_evaluate(&answer, &scene, &query, &judging), POV_UNDEFINED);
    query = near;
    query.relatum[0] = TEST_THING;
    assert_int_equal(pov_relation_evaluate(&answer, &scene, &query, &judging), POV_UNDEFINED);
    query.relatum[0] = scene.len;
    assert_int_equal(pov_relation_evaluate(&answer, &scene, &query, &judging), POV_UNDEFINED);
    query = near;
    query.relation = pov_relation_lookup("between");
    assert_int_equal(pov_relation_evaluate(&answer, &scene, &query, &judging), POV_UNDEFINED);
    query.relation = pov_relation_lookup("beyond");
    assert_int_equal(pov_relation_evaluate(&answer, &scene, &query, &judging), POV_UNDEFINED);
    query.relation = pov_relation_lookup("consists of");
    assert_int_equal(pov_relation_evaluate(&answer, &scene, &query, &judging), POV_UNDEFINED);
    scene.entities[TEST_PLACE].size_m.x = NAN;
    assert_int_equal(pov_relation_evaluate(&answer, &scene, &near, &judging), POV_UNDEFINED);
    scene.entities[TEST_PLACE].placed = false;
    assert_int_equal(pov_relation_evaluate(&answer, &scene, &near, &judging), POV_UNDEFINED);
    assert_true(isnan(answer.belief.p) && isnan(answer.belief.p_std));
    assert_int_equal(answer.belief.verdict, POV_VERDICT_UNDEFINED);
}

/* As for the eight of relation.h, which agree on when a sight line is one: beyond one standard deviation. */
static void a_viewer_is_over_the_relatum_within_one_deviation(void **state)
{
    (void)state;
    test_random random = {8};
    pov_scene scene;
    test_noisy_scene(&scene, &random);
    memset(scene.camera_pose_cov, 0, sizeof scene.camera_pose_cov);
    pov_entity *woman = &scene.entities[TEST_WOMAN], *place = &scene.entities[TEST_PLACE];
    memset(place->position.own_cov_m2, 0, sizeof place->position.own_cov_m2);
    memset(woman->position.own_cov_m2, 0, sizeof woman->position.own_cov_m2);
    woman->position.own_cov_m2[0][0] = woman->position.own_cov_m2[1][1] = 0.01;
    woman->heading.len = 0;
    pov_query query = {.referent = TEST_THING,
                       .relatum_len = 1,
                       .relatum = {TEST_PLACE},
                       .perspective = POV_ADDRESSEE,
                       .viewer = TEST_WOMAN,
                       .convention = POV_REFLECTED,
                       .axis = POV_SIGHT_LINE};
    static const char *const names[] = {"left_of", "at_the_left_side_of"};
    for (int i = 0; i < 2; i++)
        for (double away_m = 0.05; away_m < 0.2; away_m += 0.02) {
            pov_judgment answer;
            woman->position.mean_m = place->position.mean_m;
            woman->position.mean_m.x += away_m;
            query.relation = pov_relation_lookup(names[i]);
            (void)pov_relation_evaluate(&answer, &scene, &query, &judging);
            assert_int_equal(answer.belief.verdict == POV_VERDICT_UNDEFINED, away_m < 0.1);
        }
}

/* The front and the thing that it looks past turn together with the camera's pose: as if nothing erred. The truth of an exact
 * scene and, of a front that errs alone, the mean of exact scenes about it are the oracle. */
static void what_errs_with_the_camera_turns_nothing_against_it(void **state)
{
    (void)state;
    enum { DRAWN = 400 };
    const double std_rad = POV_PI / 30; /* narrow: wider fronts are drawn by themselves */
    test_random random = {12};
    pov_scene scene;
    pov_judgment exact, tied, alone;
    test_noisy_scene(&scene, &random);
    scene = test_made_exact(&scene);
    pov_entity *woman = &scene.entities[TEST_WOMAN], *thing = &scene.entities[TEST_THING];
    woman->heading = pov_heading_single(0, 1e12);
    woman->position.mean_m = (pov_vec3){0, 0, 0.9};
    thing->position.mean_m = (pov_vec3){2 * cos(POV_PI * 52 / 180), 2 * sin(POV_PI * 52 / 180), 0.9};
    thing->size_m = (pov_vec3){0.05, 0.05, 0.05};
    const pov_query query = {.relation = pov_relation_lookup("facing"),
                             .referent = TEST_WOMAN,
                             .relatum_len = 1,
                             .relatum = {TEST_THING},
                             .perspective = POV_INTRINSIC,
                             .viewer = POV_ID_NONE,
                             .convention = POV_NO_CONVENTION,
                             .axis = POV_HEADING};
    assert_int_equal(pov_relation_evaluate(&exact, &scene, &query, &judging), POV_OK);
    double mean = 0;
    for (int i = 0; i < DRAWN; i++) {
        pov_judgment one;
        woman->heading = pov_heading_single(std_rad * test_random_normal(&random), 1e12);
        assert_int_equal(pov_relation_evaluate(&one, &scene, &query, &judging), POV_OK);
        mean += one.belief.p / DRAWN;
    }
    woman->heading = pov_heading_single(0, pov_kappa_from_std(std_rad));
    scene.camera_pose_cov[2][2] = std_rad * std_rad;
    for (int i = 0; i < 2; i++) {
        pov_entity *e = i ? thing : woman;
        e->position.per_camera_pose[0][2] = -e->position.mean_m.y;
        e->position.per_camera_pose[1][2] = e->position.mean_m.x;
    }
    woman->heading_ties.per_camera_pose[2] = 1;
    assert_int_equal(pov_relation_evaluate(&tied, &scene, &query, &judging), POV_OK);
    memset(&scene.camera_pose_cov, 0, sizeof scene.camera_pose_cov);
    woman->heading_ties.per_camera_pose[2] = 0;
    assert_int_equal(pov_relation_evaluate(&alone, &scene, &query, &judging), POV_OK);
    print_message("exact %g, with the camera %g, alone %g, drawn %g\n", exact.belief.p, tied.belief.p,
                  alone.belief.p, mean);
    assert_near(tied.belief.p, exact.belief.p, 0.02); /* arcs are taken for chords */
    assert_near(alone.belief.p, mean, 0.05);
    assert_true(alone.belief.p > exact.belief.p + 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expectations_agree_with_drawn_scenes),
        cmocka_unit_test(frames_are_those_of_directions),
        cmocka_unit_test(without_noise_it_is_the_predicate_itself),
        cmocka_unit_test(near_a_threshold_it_abstains_and_far_from_it_it_does_not),
        cmocka_unit_test(a_sure_verdict_does_not_rest_on_leaving_undefined_worlds_out),
        cmocka_unit_test(what_cannot_be_answered_is_undefined),
        cmocka_unit_test(a_viewer_is_over_the_relatum_within_one_deviation),
        cmocka_unit_test(what_errs_with_the_camera_turns_nothing_against_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
