#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/cast/scene_tracker.h"
#include "perception/relations/pair_judge.h"
#include "tests/support/near.h"
#include "tests/support/random.h"
#include "tests/support/tracking_score.h"

#include <math.h>
#include <string.h>

static const int64_t interval_ns = 33333333;

/* -------- a world of balls that look alike -------- */

/* Forty seconds of what `./dev bench tracker` runs for five minutes. */
static void balls_that_look_alike_keep_their_ids(void **state)
{
    (void)state;
    tracking_score sum = {0};
    for (uint64_t seed = 1; seed <= 3; seed++) {
        tracked_world_config config = TRACKED_WORLD_DEFAULT;
        tracking_score score;
        config.seed = seed;
        config.move_every_s = 2;
        tracking_score_run(&score, &config, 40);
        tracking_score_add(&sum, &score);
    }
    assert_int_equal(sum.swaps, 0);
    assert_true(sum.moves > 20 && sum.hidings > 20);
    for (int i = 0; i <= TRACKING_CHANGED_BEFORE; i++) {
        const tracking_tally *tally = &sum.tally[i];
        assert_true(tally->errors > 10);
        assert_true(tally->nees / tally->images < 1 + 1.5 * tracking_score_half_interval(tally));
        assert_true(tally->nees / tally->images > 0.6);
    }
    tracking_tally seen = tracking_score_seen(&sum);
    assert_true(seen.velocity_nees / seen.images < 4); /* the hands move more often than is expected */
}

/* -------- one thing -------- */

typedef struct {
    pov_scene_tracker *tracker;
    pov_scene scene;
    pov_cast cast;
    test_random random;
    int64_t now_ns;
    pov_id renamed[POV_ENTITY_MAX];
} stage;

static void expect(stage *s, const char *name, const pov_found_by *found_by, int count)
{
    pov_cast_member *member = &s->cast.members[s->cast.len++];
    member->entity = pov_entity_named(name, name);
    member->found_by = found_by;
    member->count = count;
}

static void open_stage(stage *s)
{
    s->random = (test_random){1};
    assert_int_equal(pov_scene_tracker_new(&s->tracker, &s->cast).code, POV_OK);
}

static void close_stage(stage *s)
{
    pov_scene_tracker_destroy(&s->tracker);
}

static void begin_image(stage *s)
{
    pov_pose pose = pov_pose_exact(
        pov_transform_look_at((pov_vec3){0, -1, 0.7}, (pov_vec3){0, 0, 0}, (pov_vec3){0, 0, 1}));
    pov_scene_clear(&s->scene);
    assert_int_equal(pov_scene_add_camera(&s->scene, &pose).code, POV_OK);
}

static pov_id find(stage *s, const char *name, pov_vec3 at_m, double std_m)
{
    pov_entity entity = pov_entity_named(name, name);
    pov_id id;
    entity.seen = entity.placed = true;
    entity.position.mean_m = at_m;
    for (int i = 0; i < 3; i++)
        entity.position.own_cov_m2[i][i] = std_m * std_m;
    assert_int_equal(pov_scene_add(&s->scene, &id, &entity).code, POV_OK);
    return id;
}

static pov_id miss(stage *s, const char *name)
{
    pov_entity entity = pov_entity_named(name, name);
    pov_id id;
    assert_int_equal(pov_scene_add(&s->scene, &id, &entity).code, POV_OK);
    return id;
}

static void end_image(stage *s)
{
    s->now_ns += interval_ns;
    pov_scene_moment moment = {.now_ns = s->now_ns, .camera_still = true};
    pov_scene_tracker_run(s->tracker, &s->scene, s->renamed, &moment);
}

static const pov_entity *entity_of(const stage *s, const char *name)
{
    pov_id id = pov_scene_find(&s->scene, name);
    assert_int_not_equal(id, POV_ID_NONE);
    return &s->scene.entities[id];
}

static pov_vec3 noisy(stage *s, pov_vec3 at_m, double std_m)
{
    return (pov_vec3){at_m.x + std_m * test_random_normal(&s->random),
                      at_m.y + std_m * test_random_normal(&s->random), at_m.z};
}

/* How often the verdict of "cup is left of box", for the camera, is another than in the image before. */
static int count_flips(double abstain_margin, double at_deviations, bool tracked)
{
    stage s = {.cast = {.len = 0}};
    const double std_m = 0.002;
    int flips = 0;
    pov_verdict last = POV_VERDICT_COUNT;
    expect(&s, "cup", &pov_found_by_ball, 1);
    expect(&s, "box", NULL, 1);
    open_stage(&s);
    for (int image = 0; image < 300; image++) {
        begin_image(&s);
        pov_vec3 cup_m = {-at_deviations * std_m, 0.2, 0};
        find(&s, "cup", noisy(&s, cup_m, std_m), std_m);
        pov_entity box = pov_entity_named("box", "box");
        box.placed = true;
        box.position.mean_m = (pov_vec3){0, 0, 0};
        assert_int_equal(pov_scene_add(&s.scene, &(pov_id){0}, &box).code, POV_OK);
        if (tracked)
            end_image(&s);
        pov_judging judging = POV_JUDGING_DEFAULT;
        judging.abstain_margin = abstain_margin;
        pov_query query = {.referent = pov_scene_find(&s.scene, "cup"),
                           .relatum = {pov_scene_find(&s.scene, "box")},
                           .relatum_len = 1,
                           .viewer = s.scene.camera,
                           .relation = pov_relation_info_of(POV_LEFT_OF),
                           .perspective = POV_EGOCENTRIC,
                           .convention = POV_REFLECTED,
                           .axis = POV_SIGHT_LINE};
        pov_judgment judgment;
        assert_int_equal(pov_relation_evaluate(&judgment, &s.scene, &query, &judging), POV_OK);
        flips += image > 30 && judgment.belief.verdict != last;
        last = judgment.belief.verdict;
    }
    close_stage(&s);
    return flips;
}

static void a_thing_at_rest_near_a_boundary_does_not_flip_image_by_image(void **state)
{
    (void)state;
    /* by half a deviation: of the boundary itself, and of where the default begins to abstain */
    assert_true(count_flips(0, 0.5, false) > 50);
    assert_true(count_flips(0, 0.5, true) <= 1);
    assert_true(count_flips(0.49865, 3.5, false) > 30);
    assert_true(count_flips(0.49865, 3.5, true) <= 3);
}

static void a_hidden_thing_stays_where_it_was_and_is_lost_at_last(void **state)
{
    (void)state;
    stage s = {.cast = {.len = 0}};
    expect(&s, "cup", &pov_found_by_ball, 1);
    open_stage(&s);
    for (int image = 0; image < 60; image++) {
        begin_image(&s);
        find(&s, "cup", noisy(&s, (pov_vec3){0.1, 0.2, 0.05}, 0.001), 0.001);
        end_image(&s);
    }
    const pov_entity *cup = entity_of(&s, "cup");
    assert_true(cup->seen && cup->has_velocity && cup->track.tracked);
    assert_near(cup->track.age_s, 59 / 30.0, 1e-6);
    assert_near(cup->track.hidden_s, 0, 0);
    assert_near(pov_vec3_norm(cup->velocity_m_s), 0, 0.005);
    for (int image = 0; image < 60; image++) {
        begin_image(&s);
        miss(&s, "cup");
        end_image(&s);
    }
    cup = entity_of(&s, "cup");
    assert_true(cup->placed && !cup->seen && !cup->track.lost);
    assert_near(cup->track.hidden_s, 2, 1e-6);
    assert_near(cup->position.mean_m.x, 0.1, 0.002);
    assert_true(cup->position.own_cov_m2[0][0] > pow(0.005, 2));
    for (int image = 0; image < 400; image++) {
        begin_image(&s);
        miss(&s, "cup");
        end_image(&s);
    }
    cup = entity_of(&s, "cup");
    assert_true(cup->track.lost && !cup->placed && !cup->has_velocity);
    begin_image(&s);
    find(&s, "cup", (pov_vec3){-0.3, 0, 0.05}, 0.001);
    end_image(&s);
    cup = entity_of(&s, "cup");
    assert_true(cup->seen && cup->placed && !cup->track.lost);
    assert_near(cup->position.mean_m.x, -0.3, 1e-9);
    assert_near(cup->track.age_s, 520 / 30.0, 1e-5);
    close_stage(&s);
}

static void what_shows_up_once_is_forgotten(void **state)
{
    (void)state;
    stage s = {.cast = {.len = 0}};
    expect(&s, "ball", &pov_found_by_ball, 3);
    open_stage(&s);
    for (int image = 0; image < 20; image++) {
        begin_image(&s);
        find(&s, "ball_1", noisy(&s, (pov_vec3){0.1, 0.2, 0.05}, 0.001), 0.001);
        if (image == 10)
            find(&s, "ball_2", (pov_vec3){0.3, 0.2, 0.05}, 0.001);
        end_image(&s);
        assert_int_equal(pov_scene_find(&s.scene, "ball_2") != POV_ID_NONE, image == 10);
    }
    close_stage(&s);
}

/* The cast numbers from left to right again in each image; names stay with the things. */
static void two_that_change_sides_keep_their_names(void **state)
{
    (void)state;
    stage s = {.cast = {.len = 0}};
    expect(&s, "ball", &pov_found_by_ball, 2);
    open_stage(&s);
    for (int image = 0; image <= 60; image++) {
        double x = 0.2 - 0.4 * image / 60;
        begin_image(&s);
        pov_vec3 goes = {x, 0.2, 0.05}, comes = {-x, 0, 0.05};
        pov_id left = find(&s, "ball_1", x < 0 ? goes : comes, 0.001);
        pov_id right = find(&s, "ball_2", x < 0 ? comes : goes, 0.001);
        end_image(&s);
        assert_near(entity_of(&s, "ball_2")->position.mean_m.y, 0.2, 0.01);
        assert_near(entity_of(&s, "ball_1")->position.mean_m.y, 0, 0.01);
        pov_id first = pov_scene_find(&s.scene, "ball_1"), second = pov_scene_find(&s.scene, "ball_2");
        assert_int_equal(s.renamed[left], x < 0 ? second : first);
        assert_int_equal(s.renamed[right], x < 0 ? first : second);
    }
    assert_near(entity_of(&s, "ball_2")->velocity_m_s.x, -0.2, 0.05);
    close_stage(&s);
}

/* -------- what an eye on the move tells -------- */

static void while_the_camera_moves_places_are_those_of_the_image(void **state)
{
    (void)state;
    stage s = {.cast = {.len = 0}};
    expect(&s, "cup", &pov_found_by_tag, 1);
    open_stage(&s);
    for (int image = 0; image < 20; image++) {
        begin_image(&s);
        pov_vec3 at_m = noisy(&s, (pov_vec3){0.1, 0.2, 0.05}, 0.001);
        find(&s, "cup", at_m, 0.001);
        s.now_ns += interval_ns;
        pov_scene_moment moment = {.now_ns = s.now_ns, .camera_still = false};
        pov_scene_tracker_run(s.tracker, &s.scene, s.renamed, &moment);
        assert_near(entity_of(&s, "cup")->position.mean_m.x, at_m.x, 0);
        assert_near(entity_of(&s, "cup")->position.own_cov_m2[0][0], 1e-6, 1e-12);
    }
    close_stage(&s);
}

static void time_that_goes_back_begins_again(void **state)
{
    (void)state;
    stage s = {.cast = {.len = 0}};
    expect(&s, "cup", &pov_found_by_ball, 1);
    open_stage(&s);
    for (int image = 0; image < 20; image++) {
        if (image == 10)
            s.now_ns -= 2000000000;
        begin_image(&s);
        find(&s, "cup", (pov_vec3){0.1, 0.2, 0.05}, 0.001);
        end_image(&s);
    }
    assert_near(entity_of(&s, "cup")->track.age_s, 9 / 30.0, 1e-6);
    close_stage(&s);
}

/* Where the line of sight to something at a height meets the table, on which it is thought to stand. */
static pov_vec3 seen_on_table(pov_vec3 at_m)
{
    const pov_vec3 eye_m = {0, -1, 0.7};
    const double share = eye_m.z / (eye_m.z - at_m.z);
    return pov_vec3_add(eye_m, pov_vec3_scale(pov_vec3_sub(at_m, eye_m), share));
}

static void what_is_moved_by_hand_may_be_lifted_and_what_rests_stands(void **state)
{
    (void)state;
    stage s = {0};
    expect(&s, "mug", &pov_found_by_enrolled, 1);
    open_stage(&s);
    const double lifted_m = 0.06, std_m = 0.002;
    for (int i = 0; i < 120; i++) {
        const bool moves = i >= 90;
        const pov_vec3 at_m = {moves ? 0.3 * (i - 90) / 30 : 0, 0.1, moves ? lifted_m : 0};
        begin_image(&s);
        find(&s, "mug", seen_on_table(at_m), std_m);
        end_image(&s);
        const pov_entity *mug = &s.scene.entities[pov_scene_find(&s.scene, "mug")];
        const double off_m[3] = {mug->position.mean_m.x - at_m.x, mug->position.mean_m.y - at_m.y,
                                 mug->position.mean_m.z - at_m.z};
        for (int k = 0; k < 3; k++) {
            const double var_m2 = mug->position.own_cov_m2[k][k];
            if (i > 95)
                assert_true(off_m[k] * off_m[k] < 4 * var_m2);
            if (i == 89)
                assert_true(var_m2 < 4 * std_m * std_m);
        }
    }
    close_stage(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_that_look_alike_keep_their_ids),
        cmocka_unit_test(a_thing_at_rest_near_a_boundary_does_not_flip_image_by_image),
        cmocka_unit_test(a_hidden_thing_stays_where_it_was_and_is_lost_at_last),
        cmocka_unit_test(what_shows_up_once_is_forgotten),
        cmocka_unit_test(two_that_change_sides_keep_their_names),
        cmocka_unit_test(while_the_camera_moves_places_are_those_of_the_image),
        cmocka_unit_test(time_that_goes_back_begins_again),
        cmocka_unit_test(what_is_moved_by_hand_may_be_lifted_and_what_rests_stands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
