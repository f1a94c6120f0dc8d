#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "sim/worlds/sight_truth.h"
#include "tests/support/near.h"
#include "tests/support/random.h"
#include "tests/support/shapes.h"
#include "tests/support/sphere_caps.h"
#include "tests/support/visible_scene.h"

#include <stdio.h>

enum { BODIES_MAX = 10 };

static pov_renderer *renderer;
static pov_occlusion *occlusion;

static int set_up(void **state)
{
    (void)state;
    return pov_renderer_new(&renderer).code == POV_OK && pov_occlusion_new(&occlusion).code == POV_OK ? 0
                                                                                                      : -1;
}

static int tear_down(void **state)
{
    (void)state;
    pov_renderer_destroy(&renderer);
    pov_occlusion_destroy(&occlusion);
    return 0;
}

static pov_gaze from_origin(void)
{
    return (pov_gaze){{0, 0, 0}, pov_rot_identity()};
}

static double truth_of(const pov_instance *instances, int len, int target, const pov_field_of_view *field)
{
    const pov_sight_question question = {instances, len, POV_INSTANCE_NONE, target, from_origin(), field};
    double fraction;
    assert_int_equal(pov_renderer_set(renderer, instances, len, &POV_LIGHTING_DEFAULT).code, POV_OK);
    assert_int_equal(pov_sight_truth(renderer, &fraction, &question).code, POV_OK);
    return fraction;
}

static void a_ball_hides_the_lens_of_the_ball_behind_it_that_geometry_says(void **state)
{
    (void)state;
    pov_model *far_ball = test_sphere_new(0.6, 128, 96, 0xffffff),
              *near_ball = test_sphere_new(0.2, 128, 96, 0xffffff);
    for (int i = 0; i < 12; i++) {
        const double apart_rad = 0.03 * i, a = asin(0.6 / 3), b = asin(0.2 / 1.5);
        const pov_instance instances[] = {
            {far_ball, {pov_rot_identity(), {3, 0, 0}}, 4},
            {near_ball, {pov_rot_identity(), {1.5 * cos(apart_rad), 1.5 * sin(apart_rad), 0}}, 7}};
        const double hidden = cap_overlap(a, b, apart_rad) / (2 * POV_PI * (1 - cos(a)));
        assert_near(truth_of(instances, 2, 0, NULL), 1 - hidden, 0.003);
        assert_near(truth_of(instances, 2, 1, NULL), 1, 0);
    }
    pov_model_destroy(&far_ball);
    pov_model_destroy(&near_ball);
}

static void a_field_of_view_cuts_a_ball_in_half(void **state)
{
    (void)state;
    pov_model *ball = test_sphere_new(0.4, 128, 96, 0xffffff);
    const pov_instance instance = {ball, {pov_rot_identity(), {3 * cos(0.5), 3 * sin(0.5), 0}}, 1};
    pov_field_of_view field = {
        .shape = POV_FIELD_FRUSTUM, .half_horizontal_rad = 0.5, .half_vertical_rad = 0.5, .far_m = INFINITY};
    assert_near(truth_of(&instance, 1, 0, &field), 0.5, 0.003);
    field.far_m = 2;
    assert_near(truth_of(&instance, 1, 0, &field), 0, 0);
    pov_model_destroy(&ball);
}

/* ---- against perception/visibility ---- */

typedef struct {
    pov_scene scene;
    pov_model *models[BODIES_MAX];
    pov_mesh meshes[BODIES_MAX];
    pov_instance instances[BODIES_MAX];
    int len;
} random_world;

static pov_rot random_turn(test_random *random)
{
    return pov_rot_exp(
        (pov_vec3){test_random_normal(random), test_random_normal(random), test_random_normal(random)});
}

/** A box, a ball, or a mesh: a box stretched and turned. */
static pov_mesh mesh_of(const pov_model *model)
{
    const pov_model_parts parts = pov_model_read(model);
    return (pov_mesh){.vertex_len = parts.vertex_len,
                      .triangle_len = parts.triangle_len,
                      .vertices_m = parts.positions_m,
                      .triangles = parts.triangles};
}

static void add_body(random_world *world, test_random *random, pov_shape shape, pov_vec3 at_m)
{
    char name[POV_NAME_CAPACITY];
    snprintf(name, sizeof name, "body %d", world->len);
    const double size_m = test_random_between(random, 0.1, 0.8);
    pov_vec3 box_m = {size_m, size_m * test_random_between(random, 0.2, 1),
                      size_m * test_random_between(random, 0.2, 1)};
    if (shape == POV_SHAPE_SPHERE)
        box_m.y = box_m.z = box_m.x;
    const int i = world->len++;
    if (shape == POV_SHAPE_BOX)
        world->models[i] = test_box_new(box_m, 0xffffff);
    else if (shape == POV_SHAPE_SPHERE)
        world->models[i] = test_sphere_new(box_m.x / 2, 48, 32, 0xffffff);
    else
        world->models[i] = test_sphere_new(box_m.x / 2, 16, 12, 0xffffff);
    if (shape == POV_SHAPE_MESH)
        pov_model_fit(world->models[i], box_m);
    pov_entity entity = test_body(name, shape, at_m, box_m);
    entity.R_table_box = random_turn(random);
    world->meshes[i] = mesh_of(world->models[i]);
    entity.mesh = shape == POV_SHAPE_MESH ? &world->meshes[i] : NULL;
    test_add(&world->scene, &entity);
    world->instances[i] = (pov_instance){world->models[i], {entity.R_table_box, at_m}, i};
}

/** Bodies about a line of sight from the origin along x, the target last and farthest. */
static void make_world(random_world *world, test_random *random)
{
    static const pov_shape SHAPES[] = {POV_SHAPE_BOX, POV_SHAPE_SPHERE, POV_SHAPE_MESH};
    pov_scene_clear(&world->scene);
    world->len = 0;
    const int bodies = 2 + (int)test_random_between(random, 0, BODIES_MAX - 2);
    for (int i = 0; i < bodies; i++) {
        const bool is_target = i == bodies - 1;
        const double x_m = is_target ? 3 : test_random_between(random, 0.8, 3.5);
        const double spread_m = is_target ? 0.3 : 0.25 * x_m;
        add_body(
            world, random, SHAPES[(int)test_random_between(random, 0, 3)],
            (pov_vec3){x_m, spread_m * test_random_normal(random), spread_m * test_random_normal(random)});
    }
}

static pov_field_of_view random_field(test_random *random)
{
    pov_field_of_view field = test_all_around();
    if (test_random_between(random, 0, 1) < 0.5)
        return field;
    field.shape = test_random_between(random, 0, 1) < 0.5 ? POV_FIELD_CONE : POV_FIELD_FRUSTUM;
    field.half_horizontal_rad = test_random_between(random, 0.05, 0.8);
    field.half_vertical_rad = test_random_between(random, 0.05, 0.8);
    return field;
}

static void visible_fractions_are_those_of_perception_in_hundreds_of_scenes(void **state)
{
    (void)state;
    enum { WORLDS = 400 };
    static random_world world;
    test_random random = {20};
    int far_off = 0, partly = 0;
    double worst = 0;
    for (int round = 0; round < WORLDS; round++) {
        make_world(&world, &random);
        const pov_field_of_view field = random_field(&random);
        const int target = world.len - 1;
        const pov_id eye = test_add_eye(&world.scene, "eye", (pov_vec3){0, 0, 0}, 0, field);
        const double perceived = test_look(occlusion, &world.scene, eye, target).fraction_visible;
        const double truth = truth_of(world.instances, world.len, target, &field);
        far_off += !(fabs(perceived - truth) <= 0.02);
        partly += truth > 0.05 && truth < 0.95;
        worst = fmax(worst, fabs(perceived - truth));
        for (int i = 0; i < world.len; i++)
            pov_model_destroy(&world.models[i]);
    }
    print_message("%d of %d differ by more than 0.02, at most %.4f; %d are seen in part\n", far_off, WORLDS,
                  worst, partly);
    assert_true(partly > WORLDS / 4);
    assert_true(far_off <= WORLDS / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_ball_hides_the_lens_of_the_ball_behind_it_that_geometry_says,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_field_of_view_cuts_a_ball_in_half, set_up, tear_down),
        cmocka_unit_test_setup_teardown(visible_fractions_are_those_of_perception_in_hundreds_of_scenes,
                                        set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
