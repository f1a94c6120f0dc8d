#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/cast/cast.h"
#include "perception/tags/tag_pose.h"
#include "tests/support/near.h"
#include "tests/support/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static pov_cast cast;
static pov_scene scene;
static pov_findings findings;

static pov_camera camera_of_500_px(void)
{
    return (pov_camera){.lens = POV_LENS_BROWN_CONRADY,
                        .width_px = 640,
                        .height_px = 480,
                        .fx_px = 500,
                        .fy_px = 500,
                        .cx_px = 320,
                        .cy_px = 240};
}

static pov_pose camera_pose(void)
{
    return pov_pose_exact(
        pov_transform_look_at((pov_vec3){1, -1, 1.2}, (pov_vec3){0, 0, 0}, (pov_vec3){0, 0, 1}));
}

static int start_empty(void **state)
{
    (void)state;
    memset(&cast, 0, sizeof cast);
    memset(&findings, 0, sizeof findings);
    return 0;
}

static void expect_balls(const char *name, int count)
{
    pov_cast_member *member = &cast.members[cast.len++];
    member->entity = pov_entity_named(name, "ball");
    member->found_by = &pov_found_by_ball;
    member->count = count;
}

static void find_ball(double x, double y, double z)
{
    findings.balls.balls[findings.balls.len++] = (pov_ball){.pos_camera_m = {x, y, z}};
}

static void build(const pov_pose *T_table_camera)
{
    pov_camera camera = camera_of_500_px();
    assert_int_equal(pov_cast_build_scene(&cast, &scene, &findings, &camera, T_table_camera).code, POV_OK);
}

/* Findings of a finder that has no type of its own. */
static void things_become_entities_of_the_member_that_names_their_kind(void **state)
{
    (void)state;
    static const pov_found_by by_smell = {.name = "smell"}, by_sound = {.name = "sound"};
    for (int i = 0; i < 2; i++) {
        pov_cast_member *member = &cast.members[cast.len++];
        member->entity = pov_entity_named(i ? "rose" : "lily", "flower");
        member->found_by = &by_smell;
        member->count = i ? 2 : 1;
        member->kind = i;
    }
    const pov_found_thing things[] = {{.found_by = &by_smell,
                                       .kind = 1,
                                       .placed = true,
                                       .position = {.mean_m = {0.3, 0, 0}},
                                       .middle_px = 300},
                                      {.found_by = &by_sound, .kind = 1, .placed = true, .middle_px = 10},
                                      {.found_by = &by_smell,
                                       .kind = 1,
                                       .placed = true,
                                       .position = {.mean_m = {0.1, 0, 0}},
                                       .heading = pov_heading_single(1, 100),
                                       .middle_px = 100},
                                      {.found_by = &by_smell, .kind = 1, .placed = true, .middle_px = 500}};
    findings.thing_len = 4;
    memcpy(findings.things, things, sizeof things);
    pov_pose pose = camera_pose();
    build(&pose);
    assert_int_equal(scene.len, 4); /* the camera, the lily that was not found, two roses */
    assert_false(scene.entities[pov_scene_find(&scene, "lily")].seen);
    const pov_entity *left = &scene.entities[pov_scene_find(&scene, "rose_1")],
                     *right = &scene.entities[pov_scene_find(&scene, "rose_2")];
    assert_near(left->position.mean_m.x, 0.1, 0);
    assert_near(right->position.mean_m.x, 0.3, 0);
    assert_true(left->seen && left->placed && left->heading.len == 1);
    assert_near(left->R_table_box.m[1][0], sin(1), 1e-12);
}

static void balls_of_a_kind_are_numbered_from_left_to_right(void **state)
{
    (void)state;
    expect_balls("ball", 4);
    find_ball(0.3, 0, 1);
    find_ball(-0.3, 0, 2);
    find_ball(0.1, 0, 1);
    pov_pose pose = camera_pose();
    build(&pose);
    assert_int_equal(scene.len, 4); /* the camera, and three of the four at most */
    const int expected[3] = {pov_scene_find(&scene, "ball_3"), pov_scene_find(&scene, "ball_1"),
                             pov_scene_find(&scene, "ball_2")};
    for (int i = 0; i < 3; i++)
        assert_int_equal(findings.ball_entity[i], expected[i]);
}

/* A fisheye lens sees what is to the side, and behind. */
static void balls_beside_and_behind_the_camera_are_numbered_from_left_to_right(void **state)
{
    (void)state;
    expect_balls("red", 4);
    find_ball(0.5, 0, -0.2);
    find_ball(0.1, 0, 1);
    find_ball(-1, 0, 0);
    find_ball(1, 0, 0.1);
    build(NULL);
    static const int numbers[] = {4, 2, 1, 3};
    for (int i = 0; i < 4; i++) {
        char name[8];
        snprintf(name, sizeof name, "red_%d", numbers[i]);
        assert_string_equal(scene.entities[findings.ball_entity[i]].name, name);
    }
}

static void a_single_ball_that_is_missing_is_there_but_neither_seen_nor_placed(void **state)
{
    (void)state;
    expect_balls("ball", 1);
    build(NULL);
    const pov_entity *missing = &scene.entities[pov_scene_find(&scene, "ball")];
    assert_false(missing->seen || missing->placed);
}

static void more_balls_than_expected_become_nothing(void **state)
{
    (void)state;
    expect_balls("ball", 1);
    find_ball(0.1, 0, 1);
    find_ball(0.2, 0, 1);
    build(NULL);
    assert_int_equal(findings.ball_entity[0], pov_scene_find(&scene, "ball"));
    assert_int_equal(findings.ball_entity[1], POV_ID_NONE);
}

static void objects_of_one_make_are_numbered_from_left_to_right(void **state)
{
    (void)state;
    pov_cast_member *member = &cast.members[cast.len++];
    member->entity = pov_entity_named("mug", "mug");
    member->found_by = &pov_found_by_enrolled;
    member->kind = 1;
    member->count = 3;
    findings.objects.len = 5;
    /* the camera, at (1, -1), looks at the origin: its right is along (1, 1) */
    const double along[5] = {0.9, 0.2, 0, -0.3, 0};
    for (int i = 0; i < 5; i++)
        findings.objects.findings[i] =
            (pov_object_finding){.found = i != 2, .position = {.mean_m = {along[i], along[i], 0}}};
    pov_pose pose = camera_pose();
    build(&pose);
    assert_int_equal(scene.len, 3); /* the camera, and those two of three that were found */
    assert_near(scene.entities[pov_scene_find(&scene, "mug_1")].position.mean_m.x, -0.3, 0);
    assert_near(scene.entities[pov_scene_find(&scene, "mug_2")].position.mean_m.x, 0.2, 0);
}

static void find_person_at(double left_px, double score)
{
    findings.people.people.persons[findings.people.people.len++] = (pov_person){
        .has_body = true, .is_cut = true, .body = {left_px, 100, left_px + 80, 400}, .score = score};
}

static void people_are_numbered_from_left_to_right_of_those_seen_best(void **state)
{
    (void)state;
    pov_cast_member *member = &cast.members[cast.len++];
    member->entity = pov_entity_named("anna", "person");
    member->found_by = &pov_found_by_person;
    member->count = 2;
    find_person_at(400, 0.9); /* best first */
    find_person_at(50, 0.8);
    find_person_at(200, 0.4);
    build(NULL);
    assert_int_equal(scene.len, 2);
    const pov_entity *left = &scene.entities[pov_scene_find(&scene, "anna_1")];
    const pov_entity *right = &scene.entities[pov_scene_find(&scene, "anna_2")];
    assert_true(left->seen && left->has_image_box && !left->placed);
    assert_near(left->image_box.left_px, 50, 0);
    assert_near(right->image_box.left_px, 400, 0);
}

/* Half a metre for each second, one standard deviation. */
static void someone_seen_a_while_ago_may_have_walked(void **state)
{
    (void)state;
    pov_cast_member *member = &cast.members[cast.len++];
    member->entity = pov_entity_named("anna", "person");
    member->found_by = &pov_found_by_person;
    member->person = (pov_person_build){.height_m = 1.1, .height_std_m = 0.2, .stands_on_m = -0.5};
    find_person_at(280, 0.9);
    findings.people.has_pose = true;
    findings.people.T_table_camera = camera_pose();
    const pov_pose elsewhere = pov_pose_exact(pov_transform_identity());
    double variance_m2[2];
    for (int i = 0; i < 2; i++) {
        const pov_pose pose = camera_pose();
        findings.people.age_s = 2 * i;
        build(i ? &elsewhere : &pose); /* an older look has its own pose */
        const pov_entity *anna = &scene.entities[pov_scene_find(&scene, "anna")];
        assert_true(anna->placed);
        assert_near(anna->look_age_s, 2 * i, 0);
        variance_m2[i] = anna->position.own_cov_m2[0][0];
    }
    assert_near(variance_m2[1] - variance_m2[0], 1, 1e-9);
}

static void without_a_camera_pose_things_are_seen_but_not_placed(void **state)
{
    (void)state;
    expect_balls("ball", 1);
    find_ball(0, 0, 1);
    build(NULL);
    assert_int_equal(scene.camera, POV_ID_NONE);
    assert_true(scene.entities[0].seen);
    assert_false(scene.entities[0].placed);
}

/* The image of a tag lying on the table at (0.1, 0.2), read from the direction yaw. */
static void see_tag(double yaw_rad, int id, double edge_m)
{
    pov_camera camera = camera_of_500_px();
    pov_transform T_table_tag = {pov_rot_yaw(yaw_rad), {0.1, 0.2, 0}};
    pov_transform T_camera_tag = pov_transform_mul(pov_transform_inverse(camera_pose().T), T_table_tag);
    pov_tag *tag = &findings.tags.tags[findings.tags.len++];
    *tag = (pov_tag){.family = POV_TAG36H11, .id = id, .corner_std_px = 0.2, .decision_margin = 50};
    for (int i = 0; i < 4; i++)
        assert_int_equal(pov_camera_project(&camera, &tag->corner_px[i], NULL,
                                            pov_transform_apply(T_camera_tag, pov_tag_corner(edge_m, i))),
                         POV_OK);
}

static void an_entity_that_carries_a_tag_is_where_its_box_is_and_faces_as_its_box_does(void **state)
{
    (void)state;
    const double yaw = 2.1, edge_m = 0.1;
    pov_cast_member *member = &cast.members[cast.len++];
    *member =
        (pov_cast_member){.entity = pov_entity_named("robot", "robot"),
                          .found_by = &pov_found_by_tag,
                          .tag_family = POV_TAG36H11,
                          .tag_id = 7,
                          .tag_edge_m = edge_m,
                          .T_tag_entity = pov_pose_exact((pov_transform){pov_rot_yaw(0.4), {0.05, 0, -0.1}})};
    member->entity.heading = pov_heading_single(0, 0);
    see_tag(yaw + 1, 3, edge_m);
    see_tag(yaw, 7, edge_m);
    pov_pose pose = camera_pose();
    build(&pose);
    const pov_entity *robot = &scene.entities[pov_scene_find(&scene, "robot")];
    assert_true(robot->seen && robot->placed);
    assert_near(robot->position.mean_m.x, 0.1 + 0.05 * cos(yaw), 1e-6);
    assert_near(robot->position.mean_m.y, 0.2 + 0.05 * sin(yaw), 1e-6);
    assert_near(robot->position.mean_m.z, -0.1, 1e-6);
    assert_true(robot->heading.len >= 1);
    double weight = 0;
    for (int i = 0; i < robot->heading.len; i++)
        weight += robot->heading.mode[i].weight;
    assert_near(weight, 1, 1e-9);
    assert_near(cos(robot->heading.mode[0].yaw_rad - (yaw + 0.4)), 1, 1e-9);
}

/* Seen first as it lies, then carried so that its box's x axis points straight up. */
static void a_front_that_points_straight_up_is_no_heading(void **state)
{
    (void)state;
    pov_cast_member *member = &cast.members[cast.len++];
    *member = (pov_cast_member){.entity = pov_entity_named("robot", "robot"),
                                .found_by = &pov_found_by_tag,
                                .tag_family = POV_TAG36H11,
                                .tag_id = 7,
                                .tag_edge_m = 0.1,
                                .T_tag_entity = pov_pose_exact(pov_transform_identity())};
    member->entity.heading = pov_heading_single(0, 0);
    see_tag(0.3, 7, 0.1);
    pov_pose pose = camera_pose();
    build(&pose);
    const pov_entity *robot = &scene.entities[pov_scene_find(&scene, "robot")];
    assert_true(robot->heading.len > 0);
    const pov_rot upright = {{{0, 0, -1}, {0, 1, 0}, {1, 0, 0}}};
    member->T_tag_entity.T.R = pov_rot_mul(pov_rot_transpose(robot->R_table_box), upright);
    build(&pose);
    assert_near(robot->R_table_box.m[2][0], 1, 1e-12);
    assert_true(robot->placed);
    assert_int_equal(robot->heading.len, 0);
}

/* An error of the camera's pose moves what is seen as the Jacobian says: finite differences. */
static void positions_move_with_the_cameras_pose_as_their_jacobian_says(void **state)
{
    (void)state;
    pov_cast_member *member = &cast.members[cast.len++];
    *member = (pov_cast_member){.entity = pov_entity_named("robot", "robot"),
                                .found_by = &pov_found_by_tag,
                                .tag_family = POV_TAG36H11,
                                .tag_id = 7,
                                .tag_edge_m = 0.1,
                                .T_tag_entity = pov_pose_exact(pov_transform_identity())};
    see_tag(0.3, 7, 0.1);
    pov_pose pose = camera_pose();
    build(&pose);
    const pov_position at = scene.entities[pov_scene_find(&scene, "robot")].position;
    for (int k = 0; k < 6; k++) {
        const double step = 1e-6;
        double error[6] = {0};
        error[k] = step;
        pov_pose moved = pov_pose_exact(pov_transform_plus(pose.T, error));
        build(&moved);
        pov_vec3 change =
            pov_vec3_sub(scene.entities[pov_scene_find(&scene, "robot")].position.mean_m, at.mean_m);
        assert_near(change.x / step, at.per_camera_pose[0][k], 1e-4);
        assert_near(change.y / step, at.per_camera_pose[1][k], 1e-4);
        assert_near(change.z / step, at.per_camera_pose[2][k], 1e-4);
    }
}

/* On a boom: where it is errs with where it faces. */
static void carry_on_a_boom(void)
{
    pov_cast_member *member = &cast.members[cast.len++];
    *member = (pov_cast_member){.entity = pov_entity_named("robot", "robot"),
                                .found_by = &pov_found_by_tag,
                                .tag_family = POV_TAG36H11,
                                .tag_id = 7,
                                .tag_edge_m = 0.1,
                                .T_tag_entity =
                                    pov_pose_exact((pov_transform){pov_rot_yaw(0.4), {0.3, 0.1, 0.05}})};
    member->entity.heading = pov_heading_single(0, 0);
}

static const pov_entity *robot_of(const pov_pose *T_table_camera)
{
    build(T_table_camera);
    return &scene.entities[pov_scene_find(&scene, "robot")];
}

/* By finite differences. */
static void a_front_turns_with_the_cameras_pose_as_its_ties_say(void **state)
{
    (void)state;
    carry_on_a_boom();
    see_tag(0.3, 7, 0.1);
    pov_pose pose = camera_pose();
    const pov_entity at = *robot_of(&pose);
    for (int k = 0; k < 6; k++) {
        const double step = 1e-6;
        double error[6] = {0};
        error[k] = step;
        const pov_pose moved = pov_pose_exact(pov_transform_plus(pose.T, error));
        const double turned =
            pov_angle_wrap(robot_of(&moved)->heading.mode[0].yaw_rad - at.heading.mode[0].yaw_rad);
        assert_near(turned / step, at.heading_ties.per_camera_pose[k], 1e-4);
    }
}

/* The tag is looked at again and again, its corners drawn again. */
static void a_front_errs_with_its_place_as_its_ties_say(void **state)
{
    (void)state;
    enum { SAMPLES = 4000 };
    const double std_px = 0.03;
    carry_on_a_boom();
    see_tag(0.3, 7, 0.1);
    pov_tag *tag = &findings.tags.tags[0];
    const pov_tag seen = *tag;
    tag->corner_std_px = std_px;
    pov_pose pose = camera_pose();
    const pov_entity at = *robot_of(&pose);
    double sum[3] = {0}, squares[3] = {0}, yaw_square = 0;
    test_random random = {5};
    for (int i = 0; i < SAMPLES; i++) {
        for (int k = 0; k < 4; k++) {
            tag->corner_px[k].x = seen.corner_px[k].x + std_px * test_random_normal(&random);
            tag->corner_px[k].y = seen.corner_px[k].y + std_px * test_random_normal(&random);
        }
        const pov_entity *here = robot_of(&pose);
        const double yaw = pov_angle_wrap(here->heading.mode[0].yaw_rad - at.heading.mode[0].yaw_rad);
        const pov_vec3 d = pov_vec3_sub(here->position.mean_m, at.position.mean_m);
        const double off[3] = {d.x, d.y, d.z};
        for (int k = 0; k < 3; k++) {
            sum[k] += yaw * off[k] / SAMPLES;
            squares[k] += off[k] * off[k] / SAMPLES;
        }
        yaw_square += yaw * yaw / SAMPLES;
    }
    assert_near(at.heading.mode[0].kappa * yaw_square, 1, 0.1);
    double most = 0;
    for (int k = 0; k < 3; k++) {
        const double scale = sqrt(yaw_square * squares[k]);
        assert_near(at.heading_ties.with_position_m[k] / scale, sum[k] / scale, 0.06);
        most = fmax(most, fabs(sum[k]) / scale);
    }
    assert_true(most > 0.15); /* they do go together */
}

/* A small square that fits two poses about as well: the place covers both. */
static void a_place_that_may_be_another_covers_both(void **state)
{
    (void)state;
    carry_on_a_boom();
    see_tag(0.3, 7, 0.1);
    findings.tags.tags[0].corner_std_px = 1;
    pov_pose pose = camera_pose();
    const pov_camera camera = camera_of_500_px();
    const pov_entity *robot = robot_of(&pose);
    pov_tag_poses poses;
    assert_int_equal(pov_tag_pose_estimate(&poses, &camera, &findings.tags.tags[0], 0.1), POV_OK);
    assert_int_equal(poses.len, 2);
    assert_true(poses.probability[1] > 0.05);
    pov_vec3 at_m[2];
    for (int i = 0; i < 2; i++)
        at_m[i] = pov_transform_mul(pov_transform_mul(pose.T, poses.T_camera_tag[i].T),
                                    cast.members[0].T_tag_entity.T)
                      .t_m;
    const pov_vec3 apart = pov_vec3_sub(at_m[1], at_m[0]);
    const pov_vec3 mean = pov_vec3_add(at_m[0], pov_vec3_scale(apart, poses.probability[1]));
    assert_near(pov_vec3_norm(pov_vec3_sub(robot->position.mean_m, mean)), 0, 1e-9);
    const double d[3] = {apart.x, apart.y, apart.z}, length2 = pov_vec3_dot(apart, apart);
    double along_m2 = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            along_m2 += d[i] * robot->position.own_cov_m2[i][j] * d[j] / length2;
    assert_true(along_m2 > poses.probability[0] * poses.probability[1] * length2);
    assert_true(sqrt(length2) > 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(things_become_entities_of_the_member_that_names_their_kind, start_empty),
        cmocka_unit_test_setup(balls_of_a_kind_are_numbered_from_left_to_right, start_empty),
        cmocka_unit_test_setup(balls_beside_and_behind_the_camera_are_numbered_from_left_to_right,
                               start_empty),
        cmocka_unit_test_setup(a_single_ball_that_is_missing_is_there_but_neither_seen_nor_placed,
                               start_empty),
        cmocka_unit_test_setup(more_balls_than_expected_become_nothing, start_empty),
        cmocka_unit_test_setup(objects_of_one_make_are_numbered_from_left_to_right, start_empty),
        cmocka_unit_test_setup(people_are_numbered_from_left_to_right_of_those_seen_best, start_empty),
        cmocka_unit_test_setup(someone_seen_a_while_ago_may_have_walked, start_empty),
        cmocka_unit_test_setup(without_a_camera_pose_things_are_seen_but_not_placed, start_empty),
        cmocka_unit_test_setup(an_entity_that_carries_a_tag_is_where_its_box_is_and_faces_as_its_box_does,
                               start_empty),
        cmocka_unit_test_setup(a_front_that_points_straight_up_is_no_heading, start_empty),
        cmocka_unit_test_setup(positions_move_with_the_cameras_pose_as_their_jacobian_says, start_empty),
        cmocka_unit_test_setup(a_front_turns_with_the_cameras_pose_as_its_ties_say, start_empty),
        cmocka_unit_test_setup(a_front_errs_with_its_place_as_its_ties_say, start_empty),
        cmocka_unit_test_setup(a_place_that_may_be_another_covers_both, start_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
