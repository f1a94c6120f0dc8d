#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/people/person_place.h"
#include "tests/support/near.h"
#include "tests/support/random.h"

#include <math.h>

static const pov_person_build build = {.height_m = 1.7, .height_std_m = 0.1, .stands_on_m = -0.7};
static const pov_vec3 true_foot_m = {-1.5, 0.4, -0.7};

static pov_camera camera(void)
{
    return (pov_camera){.lens = POV_LENS_BROWN_CONRADY,
                        .width_px = 1280,
                        .height_px = 720,
                        .fx_px = 700,
                        .fy_px = 700,
                        .cx_px = 639.5,
                        .cy_px = 359.5};
}

static pov_pose pose(void)
{
    return pov_pose_exact(
        pov_transform_look_at((pov_vec3){2, -0.5, 0.9}, (pov_vec3){-1.5, 0.3, 0.2}, (pov_vec3){0, 0, 1}));
}

static pov_vec2 pixel_of(const pov_transform *T_table_camera, double height_m)
{
    const pov_camera c = camera();
    const pov_vec3 at_m = {true_foot_m.x, true_foot_m.y, true_foot_m.z + height_m};
    pov_vec2 pixel;
    assert_int_equal(pov_camera_project(&c, &pixel, NULL,
                                        pov_transform_apply(pov_transform_inverse(*T_table_camera), at_m)),
                     POV_OK);
    return pixel;
}

/* Seen exactly, by a camera that stands somewhere else than is believed perhaps. */
static pov_person seen(const pov_transform *T_table_camera, double height_m)
{
    const pov_vec2 sole = pixel_of(T_table_camera, 0), crown = pixel_of(T_table_camera, height_m);
    return (pov_person){.has_body = true, .body = {sole.x - 50, crown.y, crown.x + 50, sole.y}};
}

static void someone_of_the_expected_height_is_where_he_stands(void **state)
{
    (void)state;
    const pov_pose T = pose();
    const pov_camera c = camera();
    const pov_person person = seen(&T.T, 1.7);
    pov_entity entity = pov_entity_named("anna", "woman");
    assert_int_equal(pov_person_place(&entity, &person, &build, &c, &T), POV_OK);
    assert_near(entity.position.mean_m.x, true_foot_m.x, 0.02); /* the axis leans a pixel in the image */
    assert_near(entity.position.mean_m.y, true_foot_m.y, 0.02);
    assert_near(entity.position.mean_m.z, -0.7 + 0.85, 0.02);
}

/* Boxes off by what detectors are off, people as tall as people are: 95 % within the 95 % ellipse. */
static void the_covariance_covers_boxes_that_are_off_and_people_of_other_heights(void **state)
{
    (void)state;
    const pov_pose T = pose();
    const pov_camera c = camera();
    test_random random = {5};
    int trials = 0, covered = 0;
    for (int i = 0; i < 2000; i++) {
        pov_person person = seen(&T.T, 1.7 + 0.1 * test_random_normal(&random));
        double tall_px = person.body.bottom_px - person.body.top_px, aside_px = 0.05 * tall_px;
        double shift_px = aside_px * test_random_normal(&random) / sqrt(2);
        person.body.left_px += shift_px;
        person.body.right_px += shift_px;
        person.body.top_px += 0.05 * tall_px * test_random_normal(&random);
        person.body.bottom_px += 0.06 * tall_px * test_random_normal(&random);
        pov_entity entity = pov_entity_named("anna", "woman");
        if (pov_person_place(&entity, &person, &build, &c, &T) != POV_OK)
            continue;
        double(*S)[3] = entity.position.own_cov_m2;
        double dx = entity.position.mean_m.x - true_foot_m.x, dy = entity.position.mean_m.y - true_foot_m.y;
        double det = S[0][0] * S[1][1] - S[0][1] * S[1][0];
        trials++;
        covered += (dx * dx * S[1][1] - 2 * dx * dy * S[0][1] + dy * dy * S[0][0]) / det < 5.99;
    }
    assert_true(trials > 1900);
    assert_near((double)covered / trials, 0.955, 0.03);
}

static void the_place_moves_with_the_cameras_pose_as_it_says(void **state)
{
    (void)state;
    const pov_pose T = pose();
    const pov_camera c = camera();
    const pov_person person = seen(&T.T, 1.72);
    pov_entity here = pov_entity_named("anna", "woman"), there = here;
    assert_int_equal(pov_person_place(&here, &person, &build, &c, &T), POV_OK);
    for (int k = 0; k < 6; k++) {
        double error[6] = {0};
        error[k] = 1e-4;
        const pov_pose moved = pov_pose_exact(pov_transform_plus(T.T, error));
        assert_int_equal(pov_person_place(&there, &person, &build, &c, &moved), POV_OK);
        const pov_vec3 d = pov_vec3_sub(there.position.mean_m, here.position.mean_m);
        assert_near(d.x / 1e-4, here.position.per_camera_pose[0][k], 0.2); /* Gauss-Newton's: first order */
        assert_near(d.y / 1e-4, here.position.per_camera_pose[1][k], 0.2);
        assert_near(d.z / 1e-4, here.position.per_camera_pose[2][k], 0.2);
    }
}

static void a_body_far_too_small_for_its_place_is_nobody(void **state)
{
    (void)state;
    const pov_pose T = pose();
    const pov_camera c = camera();
    const pov_person person = seen(&T.T, 0.9);
    pov_entity entity = pov_entity_named("anna", "woman");
    assert_int_equal(pov_person_place(&entity, &person, &build, &c, &T), POV_UNDEFINED);
    assert_false(entity.placed);
}

/* The distance by a face alone is as unsure as faces are of different sizes. */
static void a_face_alone_tells_the_direction_well_and_the_distance_badly(void **state)
{
    (void)state;
    const pov_pose T = pose();
    const pov_camera c = camera();
    const pov_vec2 eyes = pixel_of(&T.T, 0.92 * 1.7);
    const double far_m = pov_vec3_norm(pov_vec3_sub((pov_vec3){-1.5, 0.4, -0.7 + 1.564}, T.T.t_m));
    const double half_px = 0.5 * 700 * 0.108 * 1.7 / far_m;
    const pov_person person = {
        .has_face = true,
        .frontal = true,
        .face = {eyes.x - half_px, eyes.y - half_px, eyes.x + half_px, eyes.y + half_px}};
    pov_entity entity = pov_entity_named("anna", "woman");
    assert_int_equal(pov_person_place(&entity, &person, &build, &c, &T), POV_OK);
    assert_near(entity.position.mean_m.x, true_foot_m.x, 0.1);
    assert_near(entity.position.mean_m.y, true_foot_m.y, 0.05);
    assert_true(sqrt(entity.position.own_cov_m2[0][0]) > 0.15 * far_m);
    assert_true(sqrt(entity.position.own_cov_m2[1][1]) < 0.1 * far_m);
}

/* The box about a standing body, a cylinder of this radius, as a camera that is given sees it. */
static pov_person boxed(const pov_camera *c, const pov_transform *T_table_camera, pov_vec3 foot_m,
                        double tall_m)
{
    static const double radius_m = 0.2;
    pov_person person = {.has_body = true, .is_cut = true, .body = {1e9, 1e9, -1e9, -1e9}};
    for (int i = 0; i < 64; i++) {
        const double angle = 2 * POV_PI * (i / 2) / 32;
        const pov_vec3 at_m = {foot_m.x + radius_m * cos(angle), foot_m.y + radius_m * sin(angle),
                               foot_m.z + (i % 2 ? tall_m : 0)};
        pov_vec2 pixel;
        assert_int_equal(
            pov_camera_project(c, &pixel, NULL,
                               pov_transform_apply(pov_transform_inverse(*T_table_camera), at_m)),
            POV_OK);
        person.body.left_px = fmin(person.body.left_px, pixel.x);
        person.body.right_px = fmax(person.body.right_px, pixel.x);
        person.body.top_px = fmin(person.body.top_px, pixel.y);
        person.body.bottom_px = fmax(person.body.bottom_px, pixel.y);
    }
    return person;
}

static double off_m(const pov_entity *entity, pov_vec3 foot_m)
{
    return hypot(entity->position.mean_m.x - foot_m.x, entity->position.mean_m.y - foot_m.y);
}

/* Seen steeply from above, a person at the image's side leans: crown and soles are not one above the other. */
static void someone_who_leans_in_the_image_is_placed(void **state)
{
    (void)state;
    const pov_camera c = camera();
    const pov_pose T =
        pov_pose_exact(pov_transform_look_at((pov_vec3){4, 0, 4}, (pov_vec3){0, 0, 0}, (pov_vec3){0, 0, 1}));
    for (int side = -1; side <= 1; side += 2) {
        const pov_vec3 foot_m = {0.3, 2.5 * side, -0.7};
        const pov_person person = boxed(&c, &T.T, foot_m, 1.7);
        pov_entity entity = pov_entity_named("anna", "woman");
        assert_int_equal(pov_person_place(&entity, &person, &build, &c, &T), POV_OK);
        assert_true(off_m(&entity, foot_m) < 0.2);
    }
}

/* Boxes as a network finds them: of every fifth person a table before the legs hides 40 to 60 %, at 95 %. */
static void the_covariance_covers_people_whose_legs_may_be_hidden(void **state)
{
    (void)state;
    const pov_pose T = pose();
    const pov_camera c = camera();
    test_random random = {11};
    int trials[2] = {0, 0}, covered[2] = {0, 0};
    for (int i = 0; i < 3000; i++) {
        const bool is_hidden = i % 5 == 0;
        const pov_vec2 sole = pixel_of(&T.T, 0),
                       crown = pixel_of(&T.T, 1.7 + 0.1 * test_random_normal(&random));
        const double tall_px = sole.y - crown.y;
        const double shown_px = (is_hidden ? test_random_between(&random, 0.4, 0.6) : 1) * tall_px;
        const double sole_off_px = is_hidden ? 0 : 0.06 * tall_px * test_random_normal(&random);
        const double wide_px = (0.26 + 0.08 * test_random_normal(&random)) * tall_px;
        const double middle_px = crown.x + 0.03 * shown_px * test_random_normal(&random);
        pov_person person = {.has_body = true, .is_cut = true};
        person.body =
            (pov_pixel_box){middle_px - wide_px / 2, crown.y + 0.05 * shown_px * test_random_normal(&random),
                            middle_px + wide_px / 2, crown.y + shown_px + sole_off_px};
        pov_entity entity = pov_entity_named("anna", "woman");
        if (pov_person_place(&entity, &person, &build, &c, &T) != POV_OK)
            continue;
        double(*S)[3] = entity.position.own_cov_m2;
        double dx = entity.position.mean_m.x - true_foot_m.x, dy = entity.position.mean_m.y - true_foot_m.y;
        double det = S[0][0] * S[1][1] - S[0][1] * S[1][0];
        trials[is_hidden]++;
        covered[is_hidden] += (dx * dx * S[1][1] - 2 * dx * dy * S[0][1] + dy * dy * S[0][0]) / det < 5.99;
    }
    print_message("within the 95 %% ellipse: %d of %d, with hidden legs %d of %d\n", covered[0], trials[0],
                  covered[1], trials[1]);
    assert_true(trials[0] > 2200 && trials[1] > 550);
    assert_true(covered[0] + covered[1] > 0.93 * (trials[0] + trials[1]));
    assert_true(covered[1] > 0.7 * trials[1]);
}

static void ends_at_the_rim_of_the_image_tell_nothing(void **state)
{
    (void)state;
    const pov_camera c = camera();
    const pov_pose near = pov_pose_exact(
        pov_transform_look_at((pov_vec3){2, 0, 0.9}, (pov_vec3){0, 0, 0.5}, (pov_vec3){0, 0, 1}));
    const pov_vec3 foot_m = {0.4, 0.1, -0.7};
    pov_person person = boxed(&c, &near.T, foot_m, 1.7);
    pov_entity entity = pov_entity_named("anna", "woman");
    assert_true(person.body.bottom_px > c.height_px); /* the legs are below the image */
    person.body.bottom_px = c.height_px - 0.5;
    assert_int_equal(pov_person_place(&entity, &person, &build, &c, &near), POV_OK);
    const double std_m = sqrt(entity.position.own_cov_m2[0][0] + entity.position.own_cov_m2[1][1]);
    print_message("off by %.2f m, says %.2f\n", off_m(&entity, foot_m), std_m);
    assert_true(off_m(&entity, foot_m) < 2 * std_m && std_m < 0.8);
}

/* Sitting on a chair, or a child: whole in view, the face as large as one at that distance. */
static void who_sits_or_is_small_is_placed_by_feet_and_face(void **state)
{
    (void)state;
    const pov_pose T = pose();
    const pov_camera c = camera();
    const double crown_m[] = {1.33, 1.1};
    for (int with_face = 0; with_face < 2; with_face++)
        for (int i = 0; i < 2; i++) {
            pov_person person = boxed(&c, &T.T, true_foot_m, crown_m[i]);
            const pov_vec2 face = pixel_of(&T.T, crown_m[i] - 0.13);
            const double far_m = pov_vec3_norm(pov_vec3_sub(
                             (pov_vec3){true_foot_m.x, true_foot_m.y, true_foot_m.z + crown_m[i] - 0.13},
                             T.T.t_m)),
                         half_px = 0.5 * 700 * 0.108 * 1.7 / far_m;
            person.has_face = person.face_by_network = with_face;
            person.face_score = 0.9;
            person.face =
                (pov_pixel_box){face.x - half_px, face.y - half_px, face.x + half_px, face.y + half_px};
            pov_entity entity = pov_entity_named("anna", "woman");
            assert_int_equal(pov_person_place(&entity, &person, &build, &c, &T), POV_OK);
            const double std_m = sqrt(entity.position.own_cov_m2[0][0] + entity.position.own_cov_m2[1][1]);
            print_message("crown at %.2f m%s: off by %.2f m, says %.2f\n", crown_m[i],
                          with_face ? ", with a face" : "", off_m(&entity, true_foot_m), std_m);
            assert_true(off_m(&entity, true_foot_m) < 2 * std_m);
            assert_true(off_m(&entity, true_foot_m) < (with_face ? 0.25 : 1.2));
        }
}

/* Of a network's face: as sure as its score. A body may be turned from the head. */
static void a_heading_is_as_sure_as_the_face_and_a_body_less_than_the_head(void **state)
{
    (void)state;
    const pov_pose T = pose();
    const pov_camera c = camera();
    for (int by_network = 0; by_network < 2; by_network++) {
        pov_person person = boxed(&c, &T.T, true_foot_m, 1.7);
        const pov_vec2 eyes = pixel_of(&T.T, 0.92 * 1.7);
        person.has_face = true;
        person.face = (pov_pixel_box){eyes.x - 17, eyes.y - 17, eyes.x + 17, eyes.y + 17};
        person.frontal = !by_network;
        person.face_by_network = person.has_head = by_network;
        person.head = (pov_head_pose){.yaw_std_rad = 0.15, .mm_px = 5, .front = {0, 0, -1}};
        person.face_score = 0.6;
        pov_entity entity = pov_entity_named("anna", "woman");
        assert_int_equal(pov_person_place(&entity, &person, &build, &c, &T), POV_OK);
        assert_near(entity.heading.mode[0].weight, by_network ? 0.6 : 0.9, 1e-12);
        assert_near(entity.head_heading.mode[0].weight, by_network ? 0.6 : 0.9, 1e-12);
        assert_near(entity.head_heading.mode[0].kappa, pov_kappa_from_std(by_network ? 0.15 : 22 * POV_DEG),
                    1e-9);
        assert_near(entity.heading.mode[0].kappa,
                    pov_kappa_from_std(hypot(by_network ? 0.15 : 22 * POV_DEG, 35 * POV_DEG)), 1e-9);
    }
}

static double density(const pov_heading *heading, double yaw_rad)
{
    double sum = 0;
    for (int i = 0; i < heading->len; i++) {
        const pov_heading_mode *m = &heading->mode[i];
        double norm = 0;
        for (int k = 0; k < 3600; k++)
            norm += exp(m->kappa * (cos(2 * POV_PI * k / 3600) - 1)) * 2 * POV_PI / 3600;
        sum += m->weight * exp(m->kappa * (cos(yaw_rad - m->yaw_rad) - 1)) / norm;
    }
    return sum;
}

static void a_profile_that_looks_right_in_the_image_faces_counter_clockwise_of_the_camera(void **state)
{
    (void)state;
    const pov_person person = {.has_face = true, .looks_right = true, .face_resolved = true};
    const pov_heading heading = pov_person_heading(&person, 1.0);
    assert_true(density(&heading, 1.0 + 1.1) > 5 * density(&heading, 1.0 - 1.1));
    assert_true(density(&heading, 1.0 - 1.1) > 0.01); /* never excluded */
}

static void every_heading_is_a_mixture_that_excludes_nothing(void **state)
{
    (void)state;
    for (int bits = 0; bits < 16; bits++) {
        const pov_person person = {
            .frontal = bits & 1, .looks_left = bits & 2, .looks_right = bits & 4, .face_resolved = bits & 8};
        const pov_heading heading = pov_person_heading(&person, -2.0);
        double sum = 0;
        for (int i = 0; i < heading.len; i++)
            sum += heading.mode[i].weight;
        assert_near(sum, 1, 1e-12);
        for (int k = 0; k < 36; k++)
            assert_true(density(&heading, k * POV_PI / 18) > 0.09 / (2 * POV_PI));
    }
}

static void no_face_where_one_would_show_is_rather_a_back(void **state)
{
    (void)state;
    const pov_person far = {.has_body = true}, near = {.has_body = true, .face_resolved = true};
    const pov_heading unknown = pov_person_heading(&far, 0.3), back = pov_person_heading(&near, 0.3);
    assert_near(density(&unknown, 0.3), density(&unknown, 0.3 + POV_PI), 1e-9);
    assert_true(density(&back, 0.3 + POV_PI) > 2 * density(&back, 0.3));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(someone_of_the_expected_height_is_where_he_stands),
        cmocka_unit_test(the_covariance_covers_boxes_that_are_off_and_people_of_other_heights),
        cmocka_unit_test(the_place_moves_with_the_cameras_pose_as_it_says),
        cmocka_unit_test(a_body_far_too_small_for_its_place_is_nobody),
        cmocka_unit_test(who_sits_or_is_small_is_placed_by_feet_and_face),
        cmocka_unit_test(a_heading_is_as_sure_as_the_face_and_a_body_less_than_the_head),
        cmocka_unit_test(someone_who_leans_in_the_image_is_placed),
        cmocka_unit_test(the_covariance_covers_people_whose_legs_may_be_hidden),
        cmocka_unit_test(ends_at_the_rim_of_the_image_tell_nothing),
        cmocka_unit_test(a_face_alone_tells_the_direction_well_and_the_distance_badly),
        cmocka_unit_test(a_profile_that_looks_right_in_the_image_faces_counter_clockwise_of_the_camera),
        cmocka_unit_test(every_heading_is_a_mixture_that_excludes_nothing),
        cmocka_unit_test(no_face_where_one_would_show_is_rather_a_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
