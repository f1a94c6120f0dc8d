#include "perception/papers/vpt.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/near.h"

#define DEG(angle) ((angle)*POV_PI / 180)

enum { NORTH, EAST, SOUTH, WEST };
enum { FRONT, RIGHT, BACK, LEFT };

typedef struct {
    pov_scene scene;
    pov_occlusion *occlusion;
    pov_id figure, object;
    pov_vpt_answers answers;
} fixture;

static int set_up(void **state)
{
    static fixture f;
    *state = &f;
    return pov_occlusion_new(&f.occlusion).code == POV_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    pov_occlusion_destroy(&((fixture *)*state)->occlusion);
    return 0;
}

static pov_id add(pov_scene *scene, pov_entity entity, pov_vec3 centre_m, double size_m)
{
    pov_id id;
    entity.placed = true;
    entity.position.mean_m = centre_m;
    entity.size_m = (pov_vec3){size_m, size_m, size_m};
    assert_int_equal(pov_scene_add(scene, &id, &entity).code, POV_OK);
    return id;
}

/* A figure at the origin and an object 1 m away, both by azimuth about +x; the camera looks along +y: the image's top is
 * +y, east is +x. */
static void place(fixture *f, double faces_deg, double object_deg, double eye_height_m)
{
    pov_entity figure = pov_entity_named("figure", "figure");
    figure.heading = pov_heading_single(DEG(faces_deg), 1e4);
    figure.R_table_box = pov_rot_yaw(DEG(faces_deg));
    figure.can_see = true;
    figure.field =
        (pov_field_of_view){.half_horizontal_rad = DEG(60), .half_vertical_rad = DEG(45), .far_m = INFINITY};
    pov_scene_clear(&f->scene);
    pov_vec3 target = {0, 0, 0}, eye = {0, eye_height_m > 2 ? 0 : -3, eye_height_m};
    pov_vec3 up = eye_height_m > 2 ? (pov_vec3){0, 1, 0} : (pov_vec3){0, 0, 1};
    pov_pose pose = pov_pose_exact(pov_transform_look_at(eye, target, up));
    assert_int_equal(pov_scene_add_camera(&f->scene, &pose).code, POV_OK);
    f->figure = add(&f->scene, figure, (pov_vec3){0, 0, 0.1}, 0.2);
    f->object = add(&f->scene, pov_entity_named("dog", "dog"),
                    (pov_vec3){cos(DEG(object_deg)), sin(DEG(object_deg)), 0.1}, 0.2);
}

static const pov_vpt_answers *ask(fixture *f)
{
    const pov_vpt_options options = POV_VPT_OPTIONS_DEFAULT;
    assert_int_equal(pov_occlusion_update(f->occlusion, &f->scene).code, POV_OK);
    pov_vpt_answer(&f->answers, f->occlusion, f->figure, f->object, &options);
    return &f->answers;
}

static void assert_counts(const fixture *f, int objects, int figures)
{
    const pov_seeing seeing = POV_SEEING_DEFAULT;
    pov_vpt_count objects_there, figures_there;
    pov_vpt_count_all(&objects_there, &figures_there, f->occlusion, &seeing);
    assert_int_equal(objects_there.number, objects);
    assert_int_equal(figures_there.number, figures);
    assert_near(objects_there.p, 1, 1e-9);
}

static void assert_gold(const pov_vpt_direction *direction, int a, int b)
{
    assert_true(direction->defined);
    for (int i = 0; i < POV_VPT_DIRECTIONS; i++)
        assert_int_equal(direction->gold[i], i == a || i == b);
    assert_true(direction->p_gold > 0.5);
}

/* The paper's four positions by two orientations, worked by hand. The same from the side and from above. */
static void all_seven_are_answered_in_both_views(void **state)
{
    static const struct {
        double faces_deg, object_deg;
        int where[2], facing[2], sees, for_figure[2];
    } cases[] = {
        {0, 0, {EAST, EAST}, {EAST, EAST}, 1, {FRONT, FRONT}},
        {180, 0, {EAST, EAST}, {WEST, WEST}, 0, {BACK, BACK}},
        {90, 180, {WEST, WEST}, {NORTH, NORTH}, 0, {LEFT, LEFT}},
        {90, 45, {NORTH, EAST}, {NORTH, NORTH}, 1, {FRONT, RIGHT}},
        {-90, -90, {SOUTH, SOUTH}, {SOUTH, SOUTH}, 1, {FRONT, FRONT}},
        {-45, 135, {NORTH, WEST}, {SOUTH, EAST}, 0, {BACK, BACK}},
        {0, -135, {SOUTH, WEST}, {EAST, EAST}, 0, {BACK, RIGHT}},
    };
    fixture *f = *state;
    for (int view = 0; view < 2; view++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            place(f, cases[i].faces_deg, cases[i].object_deg, view ? 4 : 1);
            const pov_vpt_answers *a = ask(f);
            assert_counts(f, 1, 1);
            assert_near(a->p_same_surface, 1, 1e-9);
            assert_gold(&a->where, cases[i].where[0], cases[i].where[1]);
            assert_gold(&a->facing, cases[i].facing[0], cases[i].facing[1]);
            assert_int_equal(a->sees.sees.verdict, cases[i].sees ? POV_TRUE : POV_FALSE);
            assert_gold(&a->for_figure, cases[i].for_figure[0], cases[i].for_figure[1]);
        }
}

/* FRAMES: "two-part answers when within 22.5 degrees of a diagonal". */
static void two_part_answers_begin_22_5_degrees_from_a_diagonal(void **state)
{
    fixture *f = *state;
    place(f, 0, 20, 1);
    assert_gold(&ask(f)->for_figure, FRONT, FRONT);
    place(f, 0, 25, 1);
    assert_gold(&ask(f)->for_figure, FRONT, LEFT);
    place(f, 0, 65, 1);
    assert_gold(&ask(f)->for_figure, FRONT, LEFT);
    place(f, 0, 70, 1);
    assert_gold(&ask(f)->for_figure, LEFT, LEFT);
}

static void an_unsure_front_shares_its_probability(void **state)
{
    fixture *f = *state;
    place(f, 0, 0, 1);
    f->scene.entities[f->figure].heading = (pov_heading){2, {{0.6, 0, 1e6}, {0.4, POV_PI, 1e6}}};
    const pov_vpt_answers *a = ask(f);
    assert_near(a->for_figure.p[0], 0.6, 1e-3);
    assert_near(a->for_figure.p[4], 0.4, 1e-3);
    assert_near(a->facing.p[2], 0.6, 1e-3); /* east */
    assert_near(a->facing.p[6], 0.4, 1e-3); /* west */
    assert_gold(&a->where, EAST, EAST);
    assert_near(a->where.p_gold, 1, 1e-9);
}

static void without_a_front_only_places_are_known(void **state)
{
    fixture *f = *state;
    place(f, 0, 90, 1);
    f->scene.entities[f->figure].heading.len = 0;
    const pov_vpt_answers *a = ask(f);
    assert_true(a->where.defined && !a->facing.defined && !a->for_figure.defined);
    assert_true(isnan(a->facing.p[0]) && isnan(a->for_figure.p_gold));
    assert_int_equal(a->sees.sees.verdict, POV_VERDICT_UNDEFINED);
}

static void a_wall_hides_and_a_shelf_is_another_surface(void **state)
{
    fixture *f = *state;
    place(f, 0, 0, 1);
    (void)add(&f->scene, pov_entity_named("wall", "wall"), (pov_vec3){0.5, 0, 0.2}, 0.4);
    const pov_vpt_answers *a = ask(f);
    assert_counts(f, 2, 1);
    assert_int_equal(a->sees.sees.verdict, POV_FALSE);
    assert_int_equal(a->sees.cause, POV_CAUSE_HIDDEN);
    place(f, 0, 0, 1);
    (void)add(&f->scene, pov_entity_named("shelf", "shelf"), (pov_vec3){1, 0, 0.15}, 0.3);
    f->scene.entities[f->object].position.mean_m.z = 0.4;
    assert_near(ask(f)->p_same_surface, 0, 1e-9);
    assert_counts(f, 1, 1); /* the shelf carries the dog */
}

static void what_is_out_of_the_image_is_not_counted(void **state)
{
    fixture *f = *state;
    place(f, 0, 90, 1);
    (void)add(&f->scene, pov_entity_named("tree", "tree"), (pov_vec3){30, 40, 0.5}, 1);
    (void)ask(f);
    assert_counts(f, 2, 1); /* nobody said how much the camera sees */
    pov_entity *camera = &f->scene.entities[f->scene.camera];
    camera->can_see = true;
    camera->field = (pov_field_of_view){.shape = POV_FIELD_FRUSTUM,
                                        .half_horizontal_rad = DEG(30),
                                        .half_vertical_rad = DEG(25),
                                        .far_m = INFINITY};
    (void)ask(f);
    assert_counts(f, 1, 1);
}

/* The image, from 3 m away at the figures' height, shows the front of the screen and nothing of the dog behind it. */
static void what_the_image_does_not_show_is_not_counted(void **state)
{
    fixture *f = *state;
    place(f, 0, 60, 0.2);
    pov_entity *camera = &f->scene.entities[f->scene.camera];
    camera->can_see = true;
    camera->field = (pov_field_of_view){.shape = POV_FIELD_FRUSTUM,
                                        .half_horizontal_rad = DEG(40),
                                        .half_vertical_rad = DEG(40),
                                        .far_m = INFINITY};
    (void)ask(f);
    assert_counts(f, 1, 1);
    (void)add(&f->scene, pov_entity_named("screen", "screen"), (pov_vec3){0.4, 0.45, 0.2}, 0.6);
    (void)ask(f);
    assert_counts(f, 1, 1); /* the screen for the dog */
}

/* What the camera saw turns about it with its pose's error, the figure's front, the object and the image's north alike. */
static void see_through_camera(fixture *f, double std_rad)
{
    f->scene.camera_pose_cov[2][2] = std_rad * std_rad;
    const pov_vec3 camera_m = f->scene.entities[f->scene.camera].position.mean_m;
    f->scene.entities[f->scene.camera].heading.mode[0].kappa = pov_kappa_from_std(std_rad);
    f->scene.entities[f->figure].heading.mode[0].kappa = pov_kappa_from_std(hypot(std_rad, 0.001));
    for (pov_id id = f->figure; id <= f->object; id++) {
        pov_entity *e = &f->scene.entities[id];
        const pov_vec3 d = pov_vec3_sub(e->position.mean_m, camera_m);
        e->position.per_camera_pose[0][2] = -d.y;
        e->position.per_camera_pose[1][2] = d.x;
    }
    f->scene.entities[f->figure].heading_ties.per_camera_pose[2] = 1;
}

static void the_camera_s_error_turns_nothing_against_another(void **state)
{
    fixture *f = *state;
    place(f, 15, 31, 1); /* the object is 16 degrees off the figure's front: two part answers begin at 22.5 */
    see_through_camera(f, DEG(7));
    const pov_vpt_answers *a = ask(f);
    assert_near(a->for_figure.p[0], 1, 1e-3);
    assert_near(a->facing.p[2], 1, 1e-3);
    assert_near(a->where.p[1], 1, 1e-3);
    f->scene.entities[f->figure].heading_ties.per_camera_pose[2] =
        0; /* now its front errs by itself, by as much */
    a = ask(f);
    assert_true(a->for_figure.p[0] < 0.9 && a->facing.p[2] < 0.95);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_seven_are_answered_in_both_views),
        cmocka_unit_test(two_part_answers_begin_22_5_degrees_from_a_diagonal),
        cmocka_unit_test(an_unsure_front_shares_its_probability),
        cmocka_unit_test(the_camera_s_error_turns_nothing_against_another),
        cmocka_unit_test(without_a_front_only_places_are_known),
        cmocka_unit_test(a_wall_hides_and_a_shelf_is_another_surface),
        cmocka_unit_test(what_is_out_of_the_image_is_not_counted),
        cmocka_unit_test(what_the_image_does_not_show_is_not_counted),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
