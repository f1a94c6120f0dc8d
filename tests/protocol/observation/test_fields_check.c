#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/relations/relation_panel.h"
#include "protocol/observation/message.h"
#include "tests/support/near.h"
#include "tests/support/random_scene.h"

#include <stdio.h>

static pov_observation observation;
static pov_scene *const scene = &observation.scene;
static pov_occlusion *occlusion;
static pov_relation_panel *panel;
static test_random randoms;

static int set_up(void **state)
{
    (void)state;
    pov_judging config = POV_JUDGING_DEFAULT;
    for (int i = 0; i < pov_relation_registry_len(); i++)
        config.other[i] = pov_relation_registry_at(i)->projective == POV_RELATION_COUNT;
    assert_int_equal(pov_occlusion_new(&occlusion).code, POV_OK);
    return pov_relation_panel_new(&panel, &config).code == POV_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    pov_occlusion_destroy(&occlusion);
    pov_relation_panel_destroy(&panel);
    return 0;
}

static double one_of(const double *numbers, int len)
{
    return numbers[test_random_index(&randoms, len)];
}

/* None, anything, a little, sure; one front or several. */
static pov_heading any_heading(void)
{
    static const double kappas[] = {0, 1e-9, 0.3, 3, 60, 1e6, 1e12};
    pov_heading heading = {.len = test_random_index(&randoms, POV_HEADING_MODES_MAX + 1)};
    for (int i = 0; i < heading.len; i++)
        heading.mode[i] = (pov_heading_mode){1.0 / heading.len, pov_angle_wrap(i * POV_PI / 2),
                                             one_of(kappas, sizeof kappas / sizeof *kappas)};
    return heading;
}

/* On a coarse grid, so that things coincide, touch, stand on one another and are inside one another. */
static void add_any_entity(int index)
{
    static const double places_m[] = {-1, 0, 0, 0.5, 1, 1000}, sizes_m[] = {0, 0.1, 0.1, 1, 3},
                        stds_m[] = {0, 0, 1e-9, 0.01, 0.5, 1e3};
    char name[8];
    snprintf(name, sizeof name, "e%d", index);
    pov_entity entity = pov_entity_named(name, "thing");
    entity.placed = test_random_index(&randoms, 8) > 0;
    if (entity.placed)
        entity.position.mean_m = (pov_vec3){one_of(places_m, 6), one_of(places_m, 6), one_of(places_m, 4)};
    for (int i = 0; i < 3; i++) {
        entity.position.own_cov_m2[i][i] = pow(one_of(stds_m, 6), 2);
        entity.position.per_camera_pose[i][3 + i] = test_random_index(&randoms, 2);
    }
    entity.size_m = (pov_vec3){one_of(sizes_m, 5), one_of(sizes_m, 5), one_of(sizes_m, 5)};
    entity.shape = (pov_shape)test_random_index(&randoms, POV_SHAPE_MESH);
    entity.heading = any_heading();
    entity.addressee = test_random_index(&randoms, 2);
    entity.can_see = test_random_index(&randoms, 2);
    entity.field = (pov_field_of_view){.half_horizontal_rad = test_random_between(&randoms, 0.01, POV_PI),
                                       .half_vertical_rad = test_random_between(&randoms, 0.01, POV_PI),
                                       .far_m = INFINITY};
    pov_id id;
    assert_int_equal(pov_scene_add(scene, &id, &entity).code, POV_OK);
}

static void add_any_camera(void)
{
    static const double turn_stds[] = {0, 1e-4, 0.1, 3};
    const pov_vec3 straight_down[] = {{0, 0, -1}, {0.1, 0, -1}, {1, 1, -1}, {1, 0, 0}, {0, 0.01, 1}};
    const pov_vec3 axis = straight_down[test_random_index(&randoms, 5)], eye_m = {0.5, 0.5, 1};
    const pov_vec3 up = axis.x == 0 && axis.y == 0 ? (pov_vec3){0, 1, 0} : (pov_vec3){0, 0, 1};
    pov_pose pose = pov_pose_exact(pov_transform_look_at(eye_m, pov_vec3_add(eye_m, axis), up));
    for (int i = 0; i < 6; i++)
        pose.cov[i][i] = pow(one_of(turn_stds, 4), 2);
    assert_int_equal(pov_scene_add_camera(scene, &pose).code, POV_OK);
}

static void make_any_scene(void)
{
    pov_scene_clear(scene);
    if (test_random_index(&randoms, 4) > 0)
        add_any_camera();
    for (int i = 0, len = 2 + test_random_index(&randoms, 4); i < len; i++)
        add_any_entity(i);
    scene->has_north = test_random_index(&randoms, 2);
    scene->north_yaw_rad = scene->has_north ? 1 : NAN;
}

static void judge_pair(pov_id referent, pov_id relatum)
{
    const pov_judging judging = {.relation = {true, true, true, true, true, true, true, true},
                                 .axis = {true, true},
                                 .acceptance = {true, true, true},
                                 .abstain_margin = 0.4,
                                 .regions = POV_TEMPLATE_DEFAULT};
    const pov_seeing seeing = POV_SEEING_DEFAULT;
    const int room = POV_DIRECTED_MAX - observation.directed_len;
    const int len = pov_relation_evaluate_pair(observation.judgments + observation.directed_len, room, scene,
                                               referent, relatum, &judging);
    observation.directed_len += len < room ? len : room;
    observation.judgment_len = observation.directed_len;
    pov_observed_direction *direction = &observation.directions[observation.direction_len++];
    *direction = (pov_observed_direction){.viewer = referent, .target = relatum};
    (void)pov_layout_side(&direction->side, scene, referent, relatum, 0.4);
    (void)pov_visibility_evaluate(occlusion, &observation.sights[observation.sight_len++], referent, relatum,
                                  &seeing);
}

static void judge_other_relations(pov_id referent, pov_id relatum)
{
    pov_judgment_list list = {observation.judgments, POV_JUDGMENT_MAX, observation.judgment_len, false};
    pov_relation_panel_pair(panel, &list, scene, referent, relatum);
    observation.judgment_len = list.len;
}

/* Coinciding, huge, flat, of no size, unsure beyond all measure, seen from within: what is judged can be published. */
static void whatever_is_judged_is_well_formed(void **state)
{
    (void)state;
    enum { SCENES = 16 };
    randoms.state = 3;
    pov_layout layout = POV_LAYOUT_DEFAULT;
    for (int round = 0; round < SCENES; round++) {
        observation.image = (pov_image_header){.width_px = 1, .height_px = 1, .T_table_camera.T.t_m.x = NAN};
        observation.judgment_len = observation.directed_len = observation.sight_len =
            observation.direction_len = observation.view_len = 0;
        make_any_scene();
        assert_int_equal(pov_occlusion_update(occlusion, scene).code, POV_OK);
        for (pov_id a = 0; a < scene->len; a++)
            for (pov_id b = 0; b < scene->len; b++)
                if (a != b)
                    judge_pair(a, b);
        for (pov_id a = 0; a < scene->len; a++)
            for (pov_id b = 0; b < scene->len; b++)
                if (a != b)
                    judge_other_relations(a, b);
        layout.half_angle_rad = round % 2 ? POV_PI : POV_PI / 2;
        for (pov_id viewer = 0; viewer < scene->len; viewer++) {
            pov_observed_view *view = &observation.views[observation.view_len++];
            view->viewer = viewer;
            (void)pov_layout_left_to_right(&view->left_to_right, scene, viewer, &layout);
            (void)pov_layout_near_to_far(&view->near_to_far, scene, viewer, &layout);
        }
        const pov_status status = pov_observation_check(&observation);
        if (status.code != POV_OK)
            fail_msg("scene %d: %s", round, status.message);
    }
}

/* A person whose face is too small to be seen may look anywhere. */
static void an_angle_that_nobody_knows_has_the_deviation_of_an_even_one(void **state)
{
    (void)state;
    const pov_judging judging = POV_JUDGING_DEFAULT;
    static const char *const names[] = {"person", "ball"};
    pov_scene_clear(scene);
    for (int i = 0; i < 2; i++) {
        pov_id id;
        pov_entity entity = pov_entity_named(names[i], names[i]);
        entity.placed = true;
        entity.position.mean_m = (pov_vec3){i, 0, 0};
        entity.heading = i == 0 ? pov_heading_single(0, 0) : (pov_heading){0};
        assert_int_equal(pov_scene_add(scene, &id, &entity).code, POV_OK);
    }
    const int len =
        pov_relation_evaluate_pair(observation.judgments, POV_DIRECTED_MAX, scene, 1, 0, &judging);
    assert_int_equal(len, 4);
    for (int i = 0; i < len; i++)
        assert_near(observation.judgments[i].theta_std_rad, 1.8138, 1e-4); /* pi / sqrt(3) */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_is_judged_is_well_formed),
        cmocka_unit_test(an_angle_that_nobody_knows_has_the_deviation_of_an_even_one),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
