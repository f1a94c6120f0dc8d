/* Oracle: Monte-Carlo over whole scenes, every entity's position and heading drawn anew. */
#include "perception/relation_judge.h"
#include "tests/support/random_situation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

static const pov_relation_judging judging = POV_RELATION_JUDGING_DEFAULT;

enum { THING, PLACE, OTHER, THIRD, WOMAN, CAMERA };

static pov_entity random_entity(test_random *random, const char *name, double noise_m)
{
    pov_entity entity = pov_entity_named(name, "thing");
    pov_vec3 size = test_random_vector(random, 0.2);
    entity.placed = true;
    entity.position.mean_m = test_random_vector(random, 0.4);
    entity.size_m = (pov_vec3){0.1 + fabs(size.x), 0.1 + fabs(size.y), 0.1 + fabs(size.z)};
    entity.R_table_box = pov_rot_exp(test_random_vector(random, 2));
    for (int i = 0; i < 3; i++) {
        entity.position.own_cov_m2[i][i] = noise_m * noise_m;
        for (int k = 0; k < 6; k++)
            entity.position.per_camera_pose[i][k] = test_random_between(random, -1, 1);
    }
    entity.has_velocity = test_random_u64(random) % 2;
    if (entity.has_velocity)
        entity.velocity_m_s = test_random_vector(random, 0.3);
    return entity;
}

/* One, or two of opposite directions. */
static pov_heading random_heading(test_random *random)
{
    double yaw_rad = test_random_between(random, -3, 3), share = test_random_between(random, 0.3, 0.9);
    double kappa = exp(test_random_between(random, 0, 7));
    pov_heading heading = pov_heading_single(yaw_rad, kappa);
    if (test_random_u64(random) % 2) {
        heading.len = 2;
        heading.mode[0].weight = share;
        heading.mode[1] = (pov_heading_mode){1 - share, pov_angle_wrap(yaw_rad + POV_PI), kappa};
    }
    return heading;
}

static void random_scene(pov_scene *scene, test_random *random)
{
    static const char *const names[] = {"thing", "place", "other", "third", "woman", "camera"};
    double noise_m = exp(test_random_between(random, log(0.002), log(0.08)));
    pov_scene_clear(scene);
    for (int i = 0; i <= CAMERA; i++) {
        pov_entity entity = random_entity(random, names[i], noise_m);
        if (i >= WOMAN)
            entity.position.mean_m =
                pov_vec3_add(entity.position.mean_m, (pov_vec3){i == WOMAN ? -2 : 2, 0.5, 0});
        if (i >= WOMAN || test_random_u64(random) % 2)
            entity.heading = random_heading(random);
        entity.addressee = i == WOMAN;
        assert_int_equal(pov_scene_add(scene, &(pov_id){0}, &entity).code, POV_OK);
    }
    scene->camera = CAMERA;
    for (int k = 0; k < 6; k++)
        scene->camera_pose_cov[k][k] = noise_m * noise_m / 4;
    scene->has_north = true;
    scene->north_yaw_rad = test_random_between(random, -3, 3);
}

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
        if (entity->heading.len > 0)
            entity->heading = pov_heading_single(drawn_yaw(random, &scene->entities[i].heading), 1e12);
    }
}

/* The same scene, as if nothing in it were uncertain. */
static pov_scene made_exact(const pov_scene *scene)
{
    pov_scene exact = *scene;
    memset(exact.camera_pose_cov, 0, sizeof exact.camera_pose_cov);
    for (int i = 0; i < exact.len; i++)
        memset(exact.entities[i].position.own_cov_m2, 0, sizeof exact.entities[i].position.own_cov_m2);
    return exact;
}

static pov_relation_question random_question(test_random *random, const pov_relation_info *relation)
{
    pov_relation_question question = {.relation = relation,
                                      .referent = THING,
                                      .relatum_len = relation->relata_min,
                                      .relatum = {PLACE, OTHER, THIRD},
                                      .perspective = POV_INTRINSIC,
                                      .viewer = POV_ID_NONE,
                                      .convention = POV_NO_CONVENTION,
                                      .axis = POV_HEADING};
    if (relation->frame == POV_FRAME_NONE ||
        (relation->frame == POV_FRAME_AXES && test_random_u64(random) % 3 == 0))
        return question;
    bool woman = test_random_u64(random) % 2;
    question.perspective = woman ? POV_ADDRESSEE : POV_EGOCENTRIC;
    question.viewer = woman ? WOMAN : CAMERA;
    question.convention = (pov_convention)(test_random_u64(random) % POV_CONVENTION_COUNT);
    question.axis = test_random_u64(random) % 2 ? POV_HEADING : POV_SIGHT_LINE;
    return question;
}

static void check_against_drawn(const pov_scene *scene, const pov_relation_question *question, int samples,
                                test_random *random, double *worst)
{
    pov_relation_answer answer, one;
    pov_scene drawn = made_exact(scene);
    double sum = 0, squares = 0;
    int defined = 0;
    if (pov_relation_judge(&answer, scene, question, &judging) != POV_OK)
        return;
    for (int i = 0; i < samples; i++) {
        draw_scene(&drawn, scene, random);
        if (pov_relation_judge(&one, &drawn, question, &judging) != POV_OK)
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
        print_error("%s: %g, drawn %g +- %g\n", question->relation->name, answer.belief.p, mean,
                    sampling / 4);
    assert_true(fabs(answer.belief.p - mean) <= 0.005 + sampling);
    /* Of the variance: the deviation of a truth that is seldom other than 0 is the root of next to nothing. */
    if (fabs(answer.belief.p_std * answer.belief.p_std - std * std) > 0.005 + sampling)
        print_error("%s: deviation %g, drawn %g\n", question->relation->name, answer.belief.p_std, std);
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
            random_scene(&scene, &random);
            pov_relation_question question = random_question(&random, relation);
            check_against_drawn(&scene, &question, many ? atoi(many) : 4000, &random, &worst);
        }
    print_message("worst departure beyond four standard errors: %g\n", worst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expectations_agree_with_drawn_scenes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
