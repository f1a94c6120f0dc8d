#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/random.h"
#include "tests/support/sphere_caps.h"
#include "tests/support/visible_scene.h"

#include "perception/visibility/visibility_field.h"

#include <string.h>

/* P(sees) against Monte-Carlo over worlds whose every error is drawn, occluders' too, and each world judged
 * as if it were exact. Draws are few enough to stay quick: their own standard deviation is up to sqrt(0.25 /
 * DRAWS) = 0.005. */
enum { DRAWS = 4000 };
static const double tolerance = 0.02 + 0.008;

static pov_occlusion *occlusion;
static test_random randoms;

static int set_up(void **state)
{
    (void)state;
    randoms.state = 5;
    return pov_occlusion_new(&occlusion).code == POV_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    pov_occlusion_destroy(&occlusion);
    return 0;
}

/* Best & Fisher 1979's rejection sampler; a normal where it is concentrated. */
static double von_mises(double mean, double kappa)
{
    if (kappa > 1e4)
        return mean + test_random_normal(&randoms) / sqrt(kappa);
    const double a = 1 + sqrt(1 + 4 * kappa * kappa), b = (a - sqrt(2 * a)) / (2 * kappa),
                 r = (1 + b * b) / (2 * b);
    for (;;) {
        const double z = cos(POV_PI * test_random_between(&randoms, 0, 1)), f = (1 + r * z) / (r + z);
        const double c = kappa * (r - f), u = test_random_between(&randoms, 1e-300, 1);
        if (c * (2 - c) > u || log(c / u) + 1 >= c)
            return mean + (test_random_between(&randoms, -1, 1) < 0 ? -1 : 1) * acos(fmin(1, fmax(-1, f)));
    }
}

static double draw_yaw(const pov_heading *heading)
{
    double u = test_random_between(&randoms, 0, 1);
    int i = 0;
    while (i + 1 < heading->len && u > heading->mode[i].weight)
        u -= heading->mode[i++].weight;
    return von_mises(heading->mode[i].yaw_rad, heading->mode[i].kappa);
}

/* What is left of a heading's error besides the camera's, which turns the front by its rotation about z; a position goes with
 * it along y only. */
static double draw_tied_yaw(double *own_error_y_m, const pov_entity *entity, const double camera[6],
                            const double camera_var[6])
{
    const double *ties = entity->heading_ties.per_camera_pose,
                 with_m = entity->heading_ties.with_position_m[1];
    const double variance = 1 / entity->heading.mode[0].kappa - ties[2] * ties[2] * camera_var[2];
    const double own = sqrt(variance) * test_random_normal(&randoms);
    const double rest_m2 = entity->position.own_cov_m2[1][1] - with_m * with_m / variance;
    *own_error_y_m = with_m / variance * own + sqrt(rest_m2) * test_random_normal(&randoms);
    return entity->heading.mode[0].yaw_rad + own + ties[2] * camera[2];
}

/* Own errors along the table's axes, independent; the camera pose's too: so that drawing needs no factor. */
static void draw_world(pov_scene *drawn, const pov_scene *scene)
{
    double camera[6], camera_var[6];
    *drawn = *scene;
    for (int k = 0; k < 6; k++) {
        camera_var[k] = scene->camera_pose_cov[k][k];
        camera[k] = sqrt(camera_var[k]) * test_random_normal(&randoms);
    }
    for (int i = 0; i < scene->len; i++) {
        pov_position *position = &drawn->entities[i].position;
        const bool tied = i != scene->camera && scene->entities[i].heading_ties.per_camera_pose[2] != 0;
        double error[3], tied_y_m = 0, tied_yaw_rad = 0;
        if (tied)
            tied_yaw_rad = draw_tied_yaw(&tied_y_m, &scene->entities[i], camera, camera_var);
        for (int k = 0; k < 3; k++) {
            error[k] = sqrt(position->own_cov_m2[k][k]) * test_random_normal(&randoms);
            error[k] = tied && k == 1 ? tied_y_m : error[k];
            for (int l = 0; l < 6; l++)
                error[k] += position->per_camera_pose[k][l] * camera[l];
        }
        position->mean_m = pov_vec3_add(position->mean_m, (pov_vec3){error[0], error[1], error[2]});
        memset(position->own_cov_m2, 0, sizeof position->own_cov_m2);
        if (drawn->entities[i].heading.len > 0)
            drawn->entities[i].heading = pov_heading_single(
                tied ? tied_yaw_rad : draw_yaw(&scene->entities[i].heading), pov_kappa_from_std(0));
        drawn->entities[i].heading_ties = (pov_heading_ties){{0}, {0}};
    }
    memset(drawn->camera_pose_cov, 0, sizeof drawn->camera_pose_cov);
    if (scene->camera != POV_ID_NONE) {
        pov_entity *e = &drawn->entities[scene->camera];
        e->R_table_box =
            pov_rot_mul(pov_rot_exp((pov_vec3){camera[0], camera[1], camera[2]}), e->R_table_box);
    }
}

static pov_visibility monte_carlo(const pov_scene *scene, pov_id viewer, pov_id target)
{
    static pov_scene drawn;
    pov_seeing seeing = POV_SEEING_DEFAULT;
    seeing.rays = 256;
    pov_visibility mean = {0}, one;
    for (int i = 0; i < DRAWS; i++) {
        draw_world(&drawn, scene);
        assert_int_equal(pov_occlusion_update(occlusion, &drawn).code, POV_OK);
        assert_int_equal(pov_visibility_evaluate(occlusion, &one, viewer, target, &seeing), POV_OK);
        mean.sees.p += one.sees.p / DRAWS;
        mean.fraction_expected += one.fraction_visible / DRAWS;
    }
    return mean;
}

static void compare(const pov_scene *scene, pov_id viewer, pov_id target, double allowed)
{
    const pov_visibility judged = test_look(occlusion, scene, viewer, target);
    const pov_visibility drawn = monte_carlo(scene, viewer, target);
    print_message("P %.3f, drawn %.3f (%+.3f); fraction %.3f, drawn %.3f (%+.3f)\n", judged.sees.p,
                  drawn.sees.p, judged.sees.p - drawn.sees.p, judged.fraction_expected,
                  drawn.fraction_expected, judged.fraction_expected - drawn.fraction_expected);
    assert_near(judged.sees.p, drawn.sees.p, allowed);
    assert_near(judged.fraction_expected, drawn.fraction_expected, allowed);
    assert_near(judged.sees.p_std, sqrt(judged.sees.p * (1 - judged.sees.p)), 1e-12);
}

static void spread(pov_entity *entity, double x_m, double y_m, double z_m)
{
    const double std[3] = {x_m, y_m, z_m};
    for (int k = 0; k < 3; k++)
        entity->position.own_cov_m2[k][k] = std[k] * std[k];
}

static pov_field_of_view human(void)
{
    return (pov_field_of_view){
        .shape = POV_FIELD_CONE, .half_horizontal_rad = 1.4, .half_vertical_rad = 1, .far_m = INFINITY};
}

static void one_occluder_and_every_position_uncertain(void **state)
{
    (void)state;
    static pov_scene scene;
    for (int i = 0; i < 6; i++) {
        pov_scene_clear(&scene);
        const pov_id eye = test_add_eye(&scene, "eye", (pov_vec3){-2, 0.1, 0.2}, 0, human());
        const pov_id ball = test_add_sphere(&scene, "ball", (pov_vec3){1, 0.05 * i, 0}, 0.15);
        const pov_id box =
            test_add_box(&scene, "box", (pov_vec3){0, -0.02 * i, 0}, (pov_vec3){0.2, 0.3, 0.4});
        spread(&scene.entities[eye], 0.02, 0.05, 0.03);
        spread(&scene.entities[ball], 0.05, 0.04, 0.02);
        spread(&scene.entities[box], 0.01, 0.03, 0.05);
        compare(&scene, eye, ball, tolerance);
    }
}

static void gaze_uncertain_with_two_modes(void **state)
{
    (void)state;
    static pov_scene scene;
    for (int i = 0; i < 6; i++) {
        pov_scene_clear(&scene);
        pov_field_of_view field = human();
        field.half_horizontal_rad = 0.5 + 0.15 * i;
        const pov_id eye = test_add_eye(&scene, "eye", (pov_vec3){0, 0, 0}, 0, field);
        const pov_id ball = test_add_sphere(&scene, "ball", (pov_vec3){2, 1.5, 0}, 0.3);
        scene.entities[eye].heading = (pov_heading){2, {{0.7, 0, 1 + 6 * i * i}, {0.3, POV_PI, 3}}};
        spread(&scene.entities[ball], 0.1, 0.1, 0);
        compare(&scene, eye, ball, tolerance);
    }
}

static void see_through_camera(pov_entity *entity, pov_vec3 eye_m)
{
    const pov_vec3 d = pov_vec3_sub(entity->position.mean_m, eye_m);
    const double turn[3][3] = {{0, d.z, -d.y}, {-d.z, 0, d.x}, {d.y, -d.x, 0}};
    for (int k = 0; k < 3; k++) {
        memcpy(entity->position.per_camera_pose[k], turn[k], sizeof turn[k]);
        entity->position.per_camera_pose[k][3 + k] = 1;
    }
}

/* A viewer that carries a tag, and a ball at the edge of its field: the camera's error turns both alike; its own yaw's error
 * goes with its place. */
static void a_viewer_s_gaze_errs_with_what_it_looks_at(void **state)
{
    (void)state;
    static pov_scene scene;
    for (int i = 0; i < 6; i++) {
        pov_scene_clear(&scene);
        pov_pose pose = pov_pose_exact(
            pov_transform_look_at((pov_vec3){-2, -1, 1}, (pov_vec3){0, 0.6, 0}, (pov_vec3){0, 0, 1}));
        for (int k = 0; k < 6; k++)
            pose.cov[k][k] = k < 3 ? 0.05 * 0.05 : 0.02 * 0.02;
        assert_int_equal(pov_scene_add_camera(&scene, &pose).code, POV_OK);
        pov_field_of_view narrow = human();
        narrow.half_horizontal_rad = 0.5;
        const pov_id eye = test_add_eye(&scene, "eye", (pov_vec3){0, 0, 0.1}, 0, narrow);
        const pov_id ball = test_add_sphere(&scene, "ball", (pov_vec3){1, 0.5 + 0.03 * i, 0}, 0.05);
        pov_entity *viewer = &scene.entities[eye];
        see_through_camera(viewer, pose.T.t_m);
        see_through_camera(&scene.entities[ball], pose.T.t_m);
        spread(viewer, 0.01, 0.03, 0.01);
        viewer->heading.mode[0].kappa = 1 / (0.05 * 0.05 + 0.03 * 0.03);
        viewer->heading_ties.per_camera_pose[2] = 1;
        viewer->heading_ties.with_position_m[1] = (i % 2 ? 0.8 : -0.8) * 0.03 * 0.03;
        compare(&scene, eye, ball, tolerance);
    }
}

/* Seen through one camera, errors are shared; the camera itself is the viewer, or a person that it sees. */
static void the_camera_s_error_moves_all_it_sees(void **state)
{
    (void)state;
    static pov_scene scene;
    for (int i = 0; i < 6; i++) {
        pov_scene_clear(&scene);
        pov_pose pose = pov_pose_exact(
            pov_transform_look_at((pov_vec3){-2, -1, 1}, (pov_vec3){0, 0.6, 0}, (pov_vec3){0, 0, 1}));
        for (int k = 0; k < 6; k++)
            pose.cov[k][k] = k < 3 ? 0.03 * 0.03 : 0.05 * 0.05;
        assert_int_equal(pov_scene_add_camera(&scene, &pose).code, POV_OK);
        pov_entity *camera = &scene.entities[scene.camera];
        camera->can_see = true;
        camera->field = (pov_field_of_view){.shape = POV_FIELD_FRUSTUM,
                                            .half_horizontal_rad = 0.35,
                                            .half_vertical_rad = 0.25,
                                            .far_m = INFINITY};
        const pov_id ball = test_add_sphere(&scene, "ball", (pov_vec3){1, -0.25 + 0.08 * i, 0}, 0.15);
        const pov_id box = test_add_box(&scene, "box", (pov_vec3){0.2, -0.3, 0.1}, (pov_vec3){0.2, 0.3, 0.4});
        const pov_id eye = test_add_eye(&scene, "eye", (pov_vec3){-1, -0.6, 0.2}, 0.3, human());
        for (pov_id id = ball; id <= box; id++) {
            see_through_camera(&scene.entities[id], pose.T.t_m); /* they turn and move with the camera */
            spread(&scene.entities[id], 0.02, 0.02, 0.02);
        }
        compare(&scene, scene.camera, ball, tolerance);
        compare(&scene, eye, ball, tolerance);
    }
}

/* Two bodies with errors of their own leave a gap. */
static void two_occluders_with_errors_of_their_own(void **state)
{
    (void)state;
    static pov_scene scene;
    for (int i = 0; i < 4; i++) {
        pov_scene_clear(&scene);
        const pov_id eye = test_add_eye(&scene, "eye", (pov_vec3){-2, 0, 0}, 0, human());
        const pov_id ball = test_add_sphere(&scene, "ball", (pov_vec3){1, 0, 0}, 0.2);
        const pov_id left =
            test_add_box(&scene, "left", (pov_vec3){0, 0.15 + 0.02 * i, 0}, (pov_vec3){0.1, 0.2, 0.6});
        const pov_id right =
            test_add_box(&scene, "right", (pov_vec3){0, -0.16, 0}, (pov_vec3){0.1, 0.2, 0.6});
        spread(&scene.entities[ball], 0.03, 0.03, 0.03);
        spread(&scene.entities[left], 0.02, 0.02, 0.02);
        spread(&scene.entities[right], 0.02, 0.02, 0.02);
        compare(&scene, eye, ball, tolerance);
    }
}

/* ---- a ball behind a ball: each drawn world has an exact answer ---- */

static pov_vec3 drawn(const pov_position *position)
{
    pov_vec3 p = position->mean_m;
    p.x += sqrt(position->own_cov_m2[0][0]) * test_random_normal(&randoms);
    p.y += sqrt(position->own_cov_m2[1][1]) * test_random_normal(&randoms);
    p.z += sqrt(position->own_cov_m2[2][2]) * test_random_normal(&randoms);
    return p;
}

/* The visible share of the ball 1 past the ball 2 for an eye 0 in one drawn world, and the ball's solid angle. */
static double drawn_share(const pov_scene *scene, double *whole_sr)
{
    const pov_vec3 eye_m = drawn(&scene->entities[0].position);
    const pov_vec3 target = pov_vec3_sub(drawn(&scene->entities[1].position), eye_m);
    const pov_vec3 front = pov_vec3_sub(drawn(&scene->entities[2].position), eye_m);
    const double a = asin(scene->entities[1].size_m.x / 2 / pov_vec3_norm(target));
    const double b = asin(scene->entities[2].size_m.x / 2 / pov_vec3_norm(front));
    const double between = clamped_acos(pov_vec3_dot(pov_vec3_unit(target), pov_vec3_unit(front)));
    *whole_sr = 2 * POV_PI * (1 - cos(a));
    return 1 - cap_overlap(a, b, between) / *whole_sr;
}

static void random_balls(pov_scene *scene)
{
    pov_scene_clear(scene);
    const double far_m = test_random_between(&randoms, 2, 4),
                 near_m = test_random_between(&randoms, 0.8, 1.6);
    const double r_far = test_random_between(&randoms, 0.1, 0.3),
                 r_near = test_random_between(&randoms, 0.05, 0.3);
    const double off = test_random_between(&randoms, 0, 1.3 * (r_far / far_m + r_near / near_m));
    const double turn = test_random_between(&randoms, 0, 6.28),
                 std = test_random_between(&randoms, 0.002, 0.06);
    test_add_eye(scene, "eye", (pov_vec3){0, 0, 0}, 0, test_all_around());
    test_add_sphere(scene, "ball", (pov_vec3){far_m, 0, 0}, r_far);
    test_add_sphere(scene, "front", (pov_vec3){near_m, near_m * off * cos(turn), near_m * off * sin(turn)},
                    r_near);
    for (int id = 0; id < 3; id++)
        spread(&scene->entities[id], std * test_random_between(&randoms, 0.3, 1),
               std * test_random_between(&randoms, 0.3, 1), std * test_random_between(&randoms, 0.3, 1));
}

static void a_ball_behind_a_ball_is_seen_as_often_as_in_100000_exact_worlds(void **state)
{
    (void)state;
    enum { SCENES = 24, WORLDS = 100000 };
    static pov_scene scene;
    const double ample_sr = 4 * POV_PI * pow(sin(20 * POV_PI / 180 / 4), 2);
    double square = 0;
    for (int i = 0; i < SCENES; i++) {
        double p = 0, fraction = 0;
        random_balls(&scene);
        const pov_visibility judged = test_look(occlusion, &scene, 0, 1);
        for (int world = 0; world < WORLDS; world++) {
            double whole_sr;
            const double share = drawn_share(&scene, &whole_sr);
            fraction += share / WORLDS;
            p += (share * whole_sr >= fmin(0.2 * whole_sr, ample_sr)) / (double)WORLDS;
        }
        assert_near(judged.sees.p, p, 0.025);
        assert_near(judged.fraction_expected, fraction, 0.01);
        square += (judged.sees.p - p) * (judged.sees.p - p) / SCENES;
    }
    print_message("P: rms %.4f\n", sqrt(square));
    assert_true(sqrt(square) < 0.006);
}

/* Noise that only turns the gaze: closed form of the von Mises' normal limit. */
static void a_small_target_at_the_field_s_border(void **state)
{
    (void)state;
    static pov_scene scene;
    for (int i = -4; i <= 4; i++) {
        pov_scene_clear(&scene);
        const double std = 0.1, off = 0.8 + 0.05 * i;
        pov_field_of_view field = {
            .shape = POV_FIELD_CONE, .half_horizontal_rad = 0.8, .half_vertical_rad = 0.8, .far_m = INFINITY};
        const pov_id eye = test_add_eye(&scene, "eye", (pov_vec3){0, 0, 0}, 0.5, field);
        const pov_id ball =
            test_add_sphere(&scene, "ball", (pov_vec3){4 * cos(0.5 + off), 4 * sin(0.5 + off), 0}, 0.02);
        scene.entities[eye].heading = pov_heading_single(0.5, pov_kappa_from_std(std));
        const pov_visibility judged = test_look(occlusion, &scene, eye, ball);
        assert_near(judged.sees.p, 0.5 * erfc((off - 0.8) / (std * sqrt(2))), 0.02);
        assert_int_equal(judged.sees.verdict, fabs(judged.sees.p - 0.5) <= 0.45 ? POV_ABSTAIN
                                              : judged.sees.p > 0.5             ? POV_TRUE
                                                                                : POV_FALSE);
    }
}

/* A viewer who turns carries her eye along: P by the integral over the heading, of a target that is nearly a point. */
static void an_eye_turns_with_its_body(void **state)
{
    (void)state;
    static pov_scene scene;
    const double ahead_m = 0.3, half_rad = 0.5, std = 0.35;
    for (int i = -2; i <= 2; i++) {
        const pov_vec3 at = {cos(0.6 + 0.1 * i), sin(0.6 + 0.1 * i), 0};
        double seen = 0, all = 0;
        for (double turn = -6 * std; turn < 6 * std; turn += 1e-4) {
            const double to = atan2(at.y - ahead_m * sin(turn), at.x - ahead_m * cos(turn));
            const double density = exp(-0.5 * turn * turn / (std * std));
            all += density;
            seen += fabs(remainder(to - turn, 2 * POV_PI)) < half_rad ? density : 0;
        }
        pov_scene_clear(&scene);
        pov_field_of_view field = {.shape = POV_FIELD_CONE,
                                   .half_horizontal_rad = half_rad,
                                   .half_vertical_rad = half_rad,
                                   .far_m = INFINITY,
                                   .eye_m = {ahead_m, 0, 0}};
        const pov_id eye = test_add_eye(&scene, "eye", (pov_vec3){0, 0, 0}, 0, field);
        const pov_id ball = test_add_sphere(&scene, "ball", at, 0.004);
        scene.entities[eye].heading = pov_heading_single(0, pov_kappa_from_std(std));
        const pov_visibility judged = test_look(occlusion, &scene, eye, ball);
        print_message("P %.3f, by the integral %.3f\n", judged.sees.p, seen / all);
        assert_near(judged.sees.p, seen / all, 0.015);
    }
}

static void without_any_idea_of_the_gaze_the_field_s_share_counts(void **state)
{
    (void)state;
    static pov_scene scene;
    pov_scene_clear(&scene);
    pov_field_of_view field = {.shape = POV_FIELD_CONE,
                               .half_horizontal_rad = POV_PI / 3,
                               .half_vertical_rad = 0.8,
                               .far_m = INFINITY};
    const pov_id eye = test_add_eye(&scene, "eye", (pov_vec3){0, 0, 0}, 0, field);
    const pov_id ball = test_add_sphere(&scene, "ball", (pov_vec3){-4, 1, 0}, 0.02);
    scene.entities[eye].heading = pov_heading_single(0, 0);
    pov_visibility judged = test_look(occlusion, &scene, eye, ball);
    assert_near(judged.sees.p, 1.0 / 3, 0.02);
    assert_near(judged.fraction_visible, 1.0 / 3, 0.02);
    assert_int_equal(judged.sees.verdict, POV_ABSTAIN);
    assert_int_equal(judged.cause, POV_CAUSE_UNKNOWN_GAZE);
    test_add_box(&scene, "wall", (pov_vec3){-2, 0.5, 0}, (pov_vec3){0.1, 1, 1});
    judged = test_look(occlusion, &scene, eye, ball);
    assert_int_equal(judged.sees.verdict, POV_FALSE);
    assert_near(judged.occluders[0].share, 1, 0);
}

static void more_noise_moves_the_answer_toward_not_knowing(void **state)
{
    (void)state;
    static pov_scene scene;
    double last = 1;
    for (int i = 0; i < 6; i++) {
        pov_scene_clear(&scene);
        const pov_id eye = test_add_eye(&scene, "eye", (pov_vec3){-2, 0, 0}, 0, human());
        const pov_id ball = test_add_sphere(&scene, "ball", (pov_vec3){1, 0.3, 0}, 0.15);
        test_add_box(&scene, "box", (pov_vec3){0, -0.2, 0}, (pov_vec3){0.2, 0.3, 0.4});
        spread(&scene.entities[ball], 0, 0.1 * i, 0);
        const double p = test_look(occlusion, &scene, eye, ball).sees.p;
        assert_true(p <= last);
        last = p;
    }
    assert_true(last < 0.9 && last > 0.5);
}

int main(void)
{
#define EACH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        EACH(one_occluder_and_every_position_uncertain),
        EACH(gaze_uncertain_with_two_modes),
        EACH(the_camera_s_error_moves_all_it_sees),
        EACH(a_viewer_s_gaze_errs_with_what_it_looks_at),
        EACH(two_occluders_with_errors_of_their_own),
        EACH(a_ball_behind_a_ball_is_seen_as_often_as_in_100000_exact_worlds),
        EACH(a_small_target_at_the_field_s_border),
        EACH(an_eye_turns_with_its_body),
        EACH(without_any_idea_of_the_gaze_the_field_s_share_counts),
        EACH(more_noise_moves_the_answer_toward_not_knowing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
