#include "perception/papers/sphere_tasks.h"
#include "perception/relations/relation.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/near.h"

/* A desk 2 x 1 m, its top at 0.7 m, seen from -y; on it a laptop near its far edge, two cups, a man behind the desk who
 * faces the camera. */
typedef struct {
    pov_scene scene;
    pov_id camera, desk, laptop, cup, mug, man;
} office;

static pov_id add(pov_scene *scene, const char *name, const char *class_name, pov_vec3 centre_m,
                  pov_vec3 size_m)
{
    pov_id id;
    pov_entity entity = pov_entity_named(name, class_name);
    entity.placed = true;
    entity.position.mean_m = centre_m;
    entity.size_m = size_m;
    assert_int_equal(pov_scene_add(scene, &id, &entity).code, POV_OK);
    return id;
}

static void furnish(office *o)
{
    pov_scene_clear(&o->scene);
    pov_pose pose = pov_pose_exact(
        pov_transform_look_at((pov_vec3){0, -3, 1.2}, (pov_vec3){0, 0, 0.7}, (pov_vec3){0, 0, 1}));
    assert_int_equal(pov_scene_add_camera(&o->scene, &pose).code, POV_OK);
    o->camera = o->scene.camera;
    o->desk = add(&o->scene, "desk", "desk", (pov_vec3){0, 0, 0.35}, (pov_vec3){2, 1, 0.7});
    o->laptop = add(&o->scene, "laptop", "laptop", (pov_vec3){0, 0.3, 0.8}, (pov_vec3){0.4, 0.3, 0.2});
    o->cup = add(&o->scene, "cup", "cup", (pov_vec3){-0.5, 0, 0.75}, (pov_vec3){0.1, 0.1, 0.1});
    o->mug = add(&o->scene, "mug", "cup", (pov_vec3){0.5, -0.3, 0.75}, (pov_vec3){0.1, 0.1, 0.1});
    o->man = add(&o->scene, "man", "person", (pov_vec3){0, 1.2, 0.9}, (pov_vec3){0.3, 0.5, 1.8});
    o->scene.entities[o->man].heading = pov_heading_single(-POV_PI / 2, INFINITY);
}

static const pov_counted cups = {"cup", NULL}, buses = {"bus", NULL};

static void set_noise(office *o, pov_id id, double std_m)
{
    for (int i = 0; i < 3; i++)
        o->scene.entities[id].position.own_cov_m2[i][i] = std_m * std_m;
}

/* The man faces us: what is on our left is on his right. */
static void left_is_whose_left_is_asked(void **state)
{
    (void)state;
    static office o;
    pov_choice choice;
    furnish(&o);
    assert_int_equal(pov_sphere_position_egocentric(&choice, &o.scene, POV_LEFT_OR_RIGHT, o.man, o.cup),
                     POV_OK);
    assert_near(choice.p[0], 0, 0);
    assert_int_equal(pov_sphere_position_allocentric(&choice, &o.scene, POV_LEFT_OR_RIGHT, o.cup, o.man),
                     POV_OK);
    assert_near(choice.p[0], 1, 0);
    assert_int_equal(pov_sphere_position_egocentric(&choice, &o.scene, POV_FRONT_OR_BEHIND, o.man, o.cup),
                     POV_OK);
    assert_near(choice.p[0], 1, 0);
    assert_int_equal(pov_sphere_position_allocentric(&choice, &o.scene, POV_FRONT_OR_BEHIND, o.man, o.desk),
                     POV_OK);
    assert_near(choice.p[1], 1, 0);
    assert_int_equal(pov_sphere_position_allocentric(&choice, &o.scene, POV_ABOVE_OR_BELOW, o.cup, o.desk),
                     POV_OK);
    assert_near(choice.p[0], 1, 0);
    assert_int_equal(pov_sphere_position_egocentric(&choice, &o.scene, POV_LEFT_OR_RIGHT, o.cup, o.man),
                     POV_UNDEFINED);
    assert_true(isnan(choice.p[0]));
}

/* There is no sight line on the ground then: the top of the image tells. */
static void right_above_the_relatum_the_cameras_heading_counts(void **state)
{
    (void)state;
    static office o;
    pov_choice choice;
    const pov_pose pose =
        pov_pose_exact(pov_transform_look_at((pov_vec3){0, 0, 3}, (pov_vec3){0, 0, 0}, (pov_vec3){-1, 0, 0}));
    pov_scene_clear(&o.scene);
    assert_int_equal(pov_scene_add_camera(&o.scene, &pose).code, POV_OK);
    o.desk = add(&o.scene, "desk", "desk", (pov_vec3){0, 0, 0.35}, (pov_vec3){2, 1, 0.7});
    o.cup = add(&o.scene, "cup", "cup", (pov_vec3){-0.3, 0.5, 0.75}, (pov_vec3){0.1, 0.1, 0.1});
    assert_int_equal(pov_sphere_position_allocentric(&choice, &o.scene, POV_LEFT_OR_RIGHT, o.cup, o.desk),
                     POV_OK);
    assert_near(choice.p[1], 1, 0);
    assert_int_equal(pov_sphere_position_allocentric(&choice, &o.scene, POV_FRONT_OR_BEHIND, o.cup, o.desk),
                     POV_OK);
    assert_near(choice.p[1], 1, 0);
}

/* One deviation from the boundary: P is the normal distribution's 0.8413. */
static void noise_gives_the_normal_probability(void **state)
{
    (void)state;
    static office o;
    pov_choice choice;
    furnish(&o);
    set_noise(&o, o.cup, 0.5);
    assert_int_equal(pov_sphere_position_egocentric(&choice, &o.scene, POV_LEFT_OR_RIGHT, o.man, o.cup),
                     POV_OK);
    assert_near(choice.p[1], 0.8413, 0.03);
    assert_near(choice.p[0] + choice.p[1], 1, 1e-12);
}

static void things_of_a_class_are_counted_where_asked(void **state)
{
    (void)state;
    static office o;
    pov_count count;
    furnish(&o);
    pov_sphere_count(&count, &o.scene, &cups);
    assert_int_equal(count.likeliest, 2);
    pov_sphere_count(&count, &o.scene, &buses);
    assert_int_equal(count.likeliest, 0);
    assert_near(count.p[0], 1, 0);
    assert_int_equal(
        pov_sphere_count_positioned(&count, &o.scene, &cups, POV_LEFT_OR_RIGHT, true, o.camera, o.laptop),
        POV_OK);
    assert_int_equal(count.likeliest, 1);
    assert_int_equal(
        pov_sphere_count_positioned(&count, &o.scene, &cups, POV_FRONT_OR_BEHIND, true, o.man, o.man),
        POV_OK);
    assert_int_equal(count.likeliest, 2);
    assert_int_equal(pov_sphere_count_distant(&count, &o.scene, &cups, o.man, o.laptop, true), POV_OK);
    assert_int_equal(count.likeliest, 2);
    assert_int_equal(pov_sphere_count_distant(&count, &o.scene, &cups, o.camera, o.laptop, true), POV_OK);
    assert_int_equal(count.likeliest, 0);
}

/* Two cups, each to the left with its own probability: 1/2 and 0.1587; independent, so the counts multiply. */
static void uncertain_counts_have_a_distribution(void **state)
{
    (void)state;
    static office o;
    pov_count count;
    furnish(&o);
    o.scene.entities[o.cup].position.mean_m.x = 0;
    set_noise(&o, o.cup, 0.1);
    set_noise(&o, o.mug, 0.5);
    assert_int_equal(
        pov_sphere_count_positioned(&count, &o.scene, &cups, POV_LEFT_OR_RIGHT, true, o.man, o.man),
        POV_OK); /* his left is +x */
    assert_int_equal(count.len, 3);
    assert_near(count.p[0], 0.5 * 0.1587, 0.03);
    assert_near(count.p[2], 0.5 * 0.8413, 0.03);
    assert_near(count.p[0] + count.p[1] + count.p[2], 1, 1e-9);
}

/* The mug beside the image or behind the laptop with 0.7, the cup with 0.1: P of 0, 1, 2 by hand. */
static void only_what_is_in_the_image_is_counted(void **state)
{
    (void)state;
    static office o;
    pov_count count;
    furnish(&o);
    double p_in_image[POV_ENTITY_MAX] = {0};
    p_in_image[o.cup] = 0.9;
    p_in_image[o.mug] = 0.3;
    const pov_counted seen = {"cup", p_in_image};
    pov_sphere_count(&count, &o.scene, &seen);
    assert_int_equal(count.len, 3);
    assert_near(count.p[0], 0.1 * 0.7, 1e-12);
    assert_near(count.p[1], 0.9 * 0.7 + 0.1 * 0.3, 1e-12);
    assert_near(count.p[2], 0.9 * 0.3, 1e-12);
    assert_int_equal(count.likeliest, 1);
    assert_int_equal(
        pov_sphere_count_positioned(&count, &o.scene, &seen, POV_LEFT_OR_RIGHT, true, o.camera, o.laptop),
        POV_OK);
    assert_near(count.p[1], 0.9, 1e-9); /* the cup */
    assert_int_equal(pov_sphere_count_distant(&count, &o.scene, &seen, o.man, o.laptop, true), POV_OK);
    assert_near(count.p[2], 0.9 * 0.3, 1e-9);
}

static void nearer_is_between_surfaces(void **state)
{
    (void)state;
    static office o;
    pov_choice choice;
    furnish(&o);
    assert_int_equal(pov_sphere_nearer(&choice, &o.scene, o.cup, o.mug, o.camera), POV_OK);
    assert_near(choice.p[1], 1, 0); /* the mug stands 0.3 m nearer */
    assert_int_equal(pov_sphere_nearer(&choice, &o.scene, o.desk, o.laptop, o.cup), POV_OK);
    assert_near(choice.p[0], 1, 0); /* the cup touches the desk, however far its centre */
}

static void size_is_true_size_whatever_the_distance(void **state)
{
    (void)state;
    static office o;
    pov_choice choice;
    furnish(&o);
    assert_int_equal(pov_sphere_compare(&choice, &o.scene, POV_EXTENT_SIZE, o.cup, o.mug), POV_OK);
    assert_near(choice.p[2], 1, 0);
    assert_int_equal(pov_sphere_compare(&choice, &o.scene, POV_EXTENT_SIZE, o.laptop, o.man), POV_OK);
    assert_near(choice.p[1], 1, 0);
    assert_int_equal(pov_sphere_compare_by_distance(&choice, &o.scene, POV_EXTENT_SIZE, o.laptop, o.man),
                     POV_OK);
    assert_near(choice.p[1], 1, 0); /* the farther */
    assert_int_equal(pov_sphere_compare_by_distance(&choice, &o.scene, POV_EXTENT_SIZE, o.man, o.laptop),
                     POV_OK);
    assert_near(choice.p[1], 1, 0);
    assert_int_equal(pov_sphere_compare(&choice, &o.scene, POV_EXTENT_SIZE, o.camera, o.man), POV_UNDEFINED);
}

/* An oven has the larger volume, a broom the larger diagonal. "bigger_than" and "which is bigger" agree. */
static void bigger_is_more_volume_everywhere(void **state)
{
    (void)state;
    static office o;
    pov_choice choice;
    furnish(&o);
    const pov_judging how = POV_JUDGING_DEFAULT;
    pov_id oven = add(&o.scene, "oven", "oven", (pov_vec3){3, 0, 0.3}, (pov_vec3){0.6, 0.5, 0.6});
    pov_id broom = add(&o.scene, "broom", "broom", (pov_vec3){4, 0, 0.7}, (pov_vec3){0.1, 0.1, 1.4});
    assert_int_equal(pov_sphere_compare(&choice, &o.scene, POV_EXTENT_SIZE, broom, oven), POV_OK);
    assert_near(choice.p[1], 1, 0);
    pov_judgment answer;
    const pov_query question = {.relation = pov_relation_lookup("bigger than"),
                                .referent = oven,
                                .relatum_len = 1,
                                .relatum = {broom},
                                .viewer = POV_ID_NONE};
    assert_int_equal(pov_relation_evaluate(&answer, &o.scene, &question, &how), POV_OK);
    assert_int_equal(answer.belief.verdict, POV_TRUE);
    /* A cube's edges by 9 % and 12 %: similar, and not. */
    pov_id small = add(&o.scene, "small", "box", (pov_vec3){5, 0, 0}, (pov_vec3){1, 1, 1});
    pov_id large = add(&o.scene, "large", "box", (pov_vec3){7, 0, 0}, (pov_vec3){1.09, 1.09, 1.09});
    assert_int_equal(pov_sphere_compare(&choice, &o.scene, POV_EXTENT_SIZE, small, large), POV_OK);
    assert_near(choice.p[2], 1, 0);
    o.scene.entities[large].size_m = (pov_vec3){1.12, 1.12, 1.12};
    assert_int_equal(pov_sphere_compare(&choice, &o.scene, POV_EXTENT_SIZE, small, large), POV_OK);
    assert_near(choice.p[1], 1, 0);
}

/* An eye at height h sees over a wall: behind a wall of height w at distance d, a thing of depth t hides if it is lower
 * than where the ray over the wall's top comes down at the thing's far side. */
static void what_hides_behind_a_wall_follows_from_similar_triangles(void **state)
{
    (void)state;
    static pov_scene scene;
    pov_choice choice;
    pov_scene_clear(&scene);
    pov_id eye = add(&scene, "eye", "eye", (pov_vec3){-4, 0, 2}, (pov_vec3){0.1, 0.1, 0.1});
    pov_id wall = add(&scene, "wall", "wall", (pov_vec3){0, 0, 0.5}, (pov_vec3){0.2, 3, 1});
    /* over the wall's near top edge, at x = -0.1, and its far one at 0.1, which comes down faster: 1 m in 4.1 m */
    double depth_m = 0.5, far_side_m = 0.1 + depth_m;
    double highest_m =
        2 - (far_side_m + 4) / 3.9; /* the near edge governs: a ray just over it still meets the top */
    double governed_m = fmax(highest_m, 2 - (far_side_m + 4) / 4.1);
    assert_int_equal(
        pov_sphere_could_hide(&choice, &scene, eye, wall, (pov_vec3){depth_m, 0.5, governed_m - 0.01}),
        POV_OK);
    assert_near(choice.p[0], 1, 0);
    assert_int_equal(
        pov_sphere_could_hide(&choice, &scene, eye, wall, (pov_vec3){depth_m, depth_m, governed_m + 0.01}),
        POV_OK);
    assert_near(choice.p[0], 0, 0);
    assert_int_equal(pov_sphere_could_hide(&choice, &scene, eye, wall, (pov_vec3){0.1, 3.3, 0.1}), POV_OK);
    assert_near(choice.p[0], 1, 0); /* turned end on only: the wall's shadow is 3.15 m wide there */
    assert_int_equal(pov_sphere_could_hide(&choice, &scene, eye, wall, (pov_vec3){4, 4, 0.1}), POV_OK);
    assert_near(choice.p[0], 0, 0);
    assert_int_equal(pov_sphere_could_hide(&choice, &scene, eye, eye, (pov_vec3){1, 1, 1}), POV_UNDEFINED);
}

/* The desk carries laptop, cup and mug: it is at no side of them, nor they of it. */
static void what_carries_a_thing_is_not_beside_it(void **state)
{
    (void)state;
    static office o;
    pov_choice choice;
    pov_count count;
    const pov_counted desks = {"desk", NULL};
    furnish(&o);
    for (int first = 0; first < 2; first++) {
        assert_int_equal(
            pov_sphere_count_positioned(&count, &o.scene, &desks, POV_LEFT_OR_RIGHT, first, o.camera, o.cup),
            POV_OK);
        assert_int_equal(count.likeliest, 0);
        assert_int_equal(count.len, 1); /* there is no desk that could be */
        assert_int_equal(pov_sphere_count_positioned(&count, &o.scene, &cups, POV_FRONT_OR_BEHIND, first,
                                                     o.camera, o.desk),
                         POV_OK);
        assert_int_equal(count.likeliest, 0);
    }
    assert_int_equal(pov_sphere_position_allocentric(&choice, &o.scene, POV_LEFT_OR_RIGHT, o.desk, o.cup),
                     POV_UNDEFINED);
    assert_int_equal(pov_sphere_position_allocentric(&choice, &o.scene, POV_FRONT_OR_BEHIND, o.cup, o.desk),
                     POV_UNDEFINED);
    assert_true(isnan(choice.p[0]));
    /* A second desk beside it counts. */
    add(&o.scene, "other desk", "desk", (pov_vec3){2.5, 0, 0.35}, (pov_vec3){2, 1, 0.7});
    assert_int_equal(
        pov_sphere_count_positioned(&count, &o.scene, &desks, POV_LEFT_OR_RIGHT, false, o.camera, o.cup),
        POV_OK);
    assert_int_equal(count.likeliest, 1);
}

static void of_things_side_by_side_neither_is_above(void **state)
{
    (void)state;
    static office o;
    pov_choice choice;
    pov_count count;
    const pov_counted desks = {"desk", NULL};
    furnish(&o);
    assert_int_equal(pov_sphere_position_allocentric(&choice, &o.scene, POV_ABOVE_OR_BELOW, o.cup, o.laptop),
                     POV_UNDEFINED);
    assert_int_equal(pov_sphere_position_egocentric(&choice, &o.scene, POV_ABOVE_OR_BELOW, o.man, o.desk),
                     POV_UNDEFINED);
    assert_int_equal(pov_sphere_position_allocentric(&choice, &o.scene, POV_ABOVE_OR_BELOW, o.desk, o.cup),
                     POV_OK);
    assert_near(choice.p[1], 1, 1e-3);
    assert_int_equal(
        pov_sphere_count_positioned(&count, &o.scene, &cups, POV_ABOVE_OR_BELOW, true, o.camera, o.desk),
        POV_OK);
    assert_int_equal(count.likeliest, 2);
    assert_int_equal(
        pov_sphere_count_positioned(&count, &o.scene, &desks, POV_ABOVE_OR_BELOW, false, o.camera, o.laptop),
        POV_OK);
    assert_int_equal(count.likeliest, 1);
    assert_int_equal(
        pov_sphere_count_positioned(&count, &o.scene, &cups, POV_ABOVE_OR_BELOW, true, o.camera, o.laptop),
        POV_OK);
    assert_int_equal(count.likeliest, 0);
}

/* The camera looks along +y: a board across its way is a metre wide, one along it as wide as it is thick. */
static void height_and_width_are_compared_too(void **state)
{
    (void)state;
    static office o;
    pov_choice choice;
    furnish(&o);
    pov_id board = add(&o.scene, "board", "board", (pov_vec3){0, 1, 0.5}, (pov_vec3){1, 0.05, 0.4});
    pov_id post = add(&o.scene, "post", "post", (pov_vec3){0, 3, 1}, (pov_vec3){0.3, 0.3, 2});
    assert_int_equal(pov_sphere_compare(&choice, &o.scene, POV_EXTENT_HEIGHT, board, post), POV_OK);
    assert_near(choice.p[1], 1, 0);
    assert_int_equal(pov_sphere_compare(&choice, &o.scene, POV_EXTENT_HEIGHT, post, o.man), POV_OK);
    assert_near(choice.p[0], 1, 0); /* 2 and 1.8 m: 10.5 % of the mean */
    o.scene.entities[post].size_m.z = 1.95;
    assert_int_equal(pov_sphere_compare(&choice, &o.scene, POV_EXTENT_HEIGHT, post, o.man), POV_OK);
    assert_near(choice.p[2], 1, 0);
    assert_int_equal(pov_sphere_compare(&choice, &o.scene, POV_EXTENT_WIDTH, board, post), POV_OK);
    assert_near(choice.p[0], 1, 0);
    o.scene.entities[board].R_table_box = pov_rot_yaw(POV_PI / 2);
    assert_int_equal(pov_sphere_compare(&choice, &o.scene, POV_EXTENT_WIDTH, board, post), POV_OK);
    assert_near(choice.p[1], 1, 0);
    assert_int_equal(pov_sphere_compare_by_distance(&choice, &o.scene, POV_EXTENT_WIDTH, board, post),
                     POV_OK);
    assert_near(choice.p[1], 1, 0);                                     /* the farther */
    assert_true(pov_sphere_are_equidistant(&o.scene, o.cup, o.laptop)); /* 3.08 and 3.32 m */
    assert_false(pov_sphere_are_equidistant(&o.scene, o.cup, o.man));   /* 3.08 and 4.2 m */
    o.scene.camera = POV_ID_NONE;
    assert_int_equal(pov_sphere_compare(&choice, &o.scene, POV_EXTENT_WIDTH, board, post), POV_UNDEFINED);
}

/* The eye is at half the wall's height, 4 m before it: the shadow's top rises by 0.5 m in 4.1 m behind the far edge. */
static void what_is_higher_than_its_hider_hides_farther_behind(void **state)
{
    (void)state;
    static pov_scene scene;
    pov_choice choice;
    pov_scene_clear(&scene);
    pov_id eye = add(&scene, "eye", "eye", (pov_vec3){-4, 0, 0.5}, (pov_vec3){0.1, 0.1, 0.1});
    pov_id wall = add(&scene, "wall", "wall", (pov_vec3){0, 0, 0.5}, (pov_vec3){0.2, 3, 1});
    const pov_vec3 higher = {0.4, 0.4, 1.05}; /* from 0.41 m behind it, within its reach of 1.5 m */
    assert_int_equal(pov_sphere_could_hide(&choice, &scene, eye, wall, higher), POV_OK);
    assert_near(choice.p[0], 1, 0);
    const pov_vec3 too_high = {0.4, 0.4, 1.3}; /* 2.5 m behind it */
    assert_int_equal(pov_sphere_could_hide(&choice, &scene, eye, wall, too_high), POV_OK);
    assert_near(choice.p[0], 0, 0);
    /* With a second wall 0.3 m behind the first there is room for what is 0.25 m deep, not for 0.4 m. */
    pov_id second = add(&scene, "second", "wall", (pov_vec3){2.4, 0, 0.5}, (pov_vec3){4, 6, 1});
    assert_int_equal(pov_sphere_could_hide(&choice, &scene, eye, wall, (pov_vec3){0.25, 0.25, 0.3}), POV_OK);
    assert_near(choice.p[0], 1, 0);
    assert_int_equal(pov_sphere_could_hide(&choice, &scene, eye, wall, (pov_vec3){0.4, 0.4, 0.3}), POV_OK);
    assert_near(choice.p[0], 0, 0);
    /* An obstacle right behind the wall leaves the place beside it free. */
    scene.entities[second].size_m.y = 1;
    assert_int_equal(pov_sphere_could_hide(&choice, &scene, eye, wall, (pov_vec3){0.4, 0.4, 0.3}), POV_OK);
    assert_near(choice.p[0], 1, 0);
}

/* On the desk, seen from low down: the laptop's lid is 0.45 m from the far edge, or right at it. */
static void nothing_hides_in_mid_air_behind_the_edge_of_a_table(void **state)
{
    (void)state;
    static office o;
    pov_choice choice;
    furnish(&o);
    o.scene.entities[o.laptop].size_m = (pov_vec3){0.4, 0.05, 0.2};
    o.scene.entities[o.laptop].position.mean_m = (pov_vec3){0, 0, 0.8};
    const pov_vec3 size_m = {0.1, 0.1, 0.1};
    assert_int_equal(pov_sphere_could_hide(&choice, &o.scene, o.camera, o.laptop, size_m), POV_OK);
    assert_near(choice.p[0], 1, 0);
    o.scene.entities[o.laptop].position.mean_m.y = 0.47;
    assert_int_equal(pov_sphere_could_hide(&choice, &o.scene, o.camera, o.laptop, size_m), POV_OK);
    assert_near(choice.p[0], 0, 0);
}

static double room(const office *o, pov_id viewer, pov_move side, pov_id id, pov_id relatum)
{
    pov_choice choice;
    assert_int_equal(pov_sphere_could_stand(&choice, &o->scene, viewer, side, id, relatum), POV_OK);
    assert_near(choice.p[0] + choice.p[1], 1, 1e-12);
    return choice.p[0];
}

/* The laptop stands 0.05 m from the far edge of the desk, which is 2 m wide. */
static void there_is_room_where_nothing_stands_and_something_carries(void **state)
{
    (void)state;
    static office o;
    pov_choice choice;
    furnish(&o);
    assert_near(room(&o, o.camera, POV_MOVE_LEFT, o.mug, o.laptop), 1, 0);
    assert_near(room(&o, o.camera, POV_MOVE_CLOSER, o.mug, o.laptop), 1, 0);
    assert_near(room(&o, o.camera, POV_MOVE_AWAY, o.mug, o.laptop), 0, 0);
    /* Books to the left of the laptop, 0.05 m from it, as long as the desk is deep. */
    o.scene.entities[o.cup].position.mean_m = (pov_vec3){0.9, -0.4, 0.75};
    pov_id books = add(&o.scene, "books", "books", (pov_vec3){-0.55, 0, 0.8}, (pov_vec3){0.6, 1, 0.2});
    assert_near(room(&o, o.camera, POV_MOVE_LEFT, o.mug, o.laptop), 0, 0);
    assert_near(room(&o, o.camera, POV_MOVE_RIGHT, o.mug, o.laptop), 1, 0);
    assert_near(room(&o, o.man, POV_MOVE_LEFT, o.mug, o.laptop), 1,
                0); /* he sits across: his left is our right */
    assert_near(room(&o, o.camera, POV_MOVE_LEFT, books, o.laptop), 1, 0); /* they are there */
    /* By his own front, the man has the wall to his right, the camera's left. */
    add(&o.scene, "wall", "wall", (pov_vec3){-0.5, 1.2, 1}, (pov_vec3){0.2, 2, 2});
    pov_id woman = add(&o.scene, "woman", "person", (pov_vec3){3, 3, 0.9}, (pov_vec3){0.3, 0.5, 1.8});
    assert_near(room(&o, o.man, POV_MOVE_RIGHT, woman, o.man), 0, 0);
    assert_near(room(&o, o.man, POV_MOVE_LEFT, woman, o.man), 1, 0);
    assert_int_equal(pov_sphere_could_stand(&choice, &o.scene, woman, POV_MOVE_LEFT, o.man, woman),
                     POV_UNDEFINED);
    assert_int_equal(pov_sphere_could_stand(&choice, &o.scene, o.camera, POV_MOVE_LEFT, o.cup, o.cup),
                     POV_UNDEFINED);
}

/* The cups are 0.4 m apart, surface to surface. */
static void between_two_there_is_room_for_what_is_no_larger_than_the_gap(void **state)
{
    (void)state;
    static office o;
    pov_choice choice;
    furnish(&o);
    o.scene.entities[o.cup].position.mean_m = (pov_vec3){-0.25, 0, 0.75};
    o.scene.entities[o.mug].position.mean_m = (pov_vec3){0.25, 0, 0.75};
    o.scene.entities[o.laptop].position.mean_m.x = 0.8;
    pov_id box = add(&o.scene, "box", "box", (pov_vec3){5, 5, 0.2}, (pov_vec3){0.39, 0.39, 0.3});
    assert_int_equal(pov_sphere_could_stand_between(&choice, &o.scene, box, o.cup, o.mug), POV_OK);
    assert_near(choice.p[0], 1, 0);
    o.scene.entities[box].size_m = (pov_vec3){0.41, 0.41, 0.3};
    assert_int_equal(pov_sphere_could_stand_between(&choice, &o.scene, box, o.cup, o.mug), POV_OK);
    assert_near(choice.p[0], 0, 0);
    o.scene.entities[box].size_m = (pov_vec3){0.7, 0.1, 0.3}; /* across */
    assert_int_equal(pov_sphere_could_stand_between(&choice, &o.scene, box, o.cup, o.mug), POV_OK);
    assert_near(choice.p[0], 1, 0);
    /* As large as the gap but for the clearance of 2 mm on each side, which one of the cups' errors decides: even odds. */
    o.scene.entities[box].size_m = (pov_vec3){0.4, 0.4, 0.3};
    o.scene.entities[o.mug].position.mean_m.x += -0.002;
    o.scene.entities[o.mug].position.own_cov_m2[0][0] = 1e-4;
    assert_int_equal(pov_sphere_could_stand_between(&choice, &o.scene, box, o.cup, o.mug), POV_OK);
    assert_near(choice.p[0], 0.5, 0.06);
    pov_id in_the_way = add(&o.scene, "pen", "pen", (pov_vec3){0, 0, 0.71}, (pov_vec3){0.02, 0.9, 0.02});
    o.scene.entities[o.mug].position.own_cov_m2[0][0] = 0;
    o.scene.entities[box].size_m = (pov_vec3){0.3, 0.3, 0.3};
    assert_int_equal(pov_sphere_could_stand_between(&choice, &o.scene, box, o.cup, o.mug), POV_OK);
    assert_near(choice.p[0], 0, 0);
    assert_int_equal(pov_sphere_could_stand_between(&choice, &o.scene, in_the_way, o.cup, o.mug), POV_OK);
    assert_near(choice.p[0], 1, 0);
}

static double can_move(const office *o, pov_move_answer *answer, pov_id id, pov_id viewer, pov_move move)
{
    const pov_moving moving = POV_MOVING_DEFAULT;
    assert_int_equal(pov_sphere_can_move(answer, &o->scene, id, viewer, move, 1, &moving), POV_OK);
    return answer->possible.p[0];
}

/* SPHERE's own example: the laptop at the edge of the desk cannot be moved further back. */
static void a_laptop_at_the_edge_cannot_be_moved_back(void **state)
{
    (void)state;
    static office o;
    pov_move_answer answer;
    furnish(&o);
    assert_near(can_move(&o, &answer, o.laptop, o.camera, POV_MOVE_AWAY), 0, 0);
    assert_near(answer.p_falls, 1, 0);
    assert_near(answer.p_hits, 0, 0);
    assert_near(answer.distance_m, 0.3, 1e-9);
    assert_near(can_move(&o, &answer, o.laptop, o.camera, POV_MOVE_CLOSER), 1, 0);
    assert_near(can_move(&o, &answer, o.laptop, o.camera, POV_MOVE_LEFT), 1, 0);
}

static void what_stands_in_the_way_is_named(void **state)
{
    (void)state;
    static office o;
    pov_move_answer answer;
    furnish(&o);
    o.scene.entities[o.mug].position.mean_m = (pov_vec3){0.25, 0.3, 0.75};
    assert_near(can_move(&o, &answer, o.laptop, o.camera, POV_MOVE_RIGHT), 0, 0);
    assert_int_equal(answer.obstacle, o.mug);
    assert_near(can_move(&o, &answer, o.laptop, o.camera, POV_MOVE_LEFT), 1,
                0);                                                           /* away from what it touches */
    assert_near(can_move(&o, &answer, o.laptop, o.man, POV_MOVE_LEFT), 0, 0); /* his left is our right */
    /* it would jump over a thin board at its start and end: the sweep does not */
    furnish(&o);
    o.scene.entities[o.mug].position.mean_m = (pov_vec3){0.41, 0.3, 0.75};
    o.scene.entities[o.mug].size_m = (pov_vec3){0.002, 0.1, 0.1};
    assert_near(can_move(&o, &answer, o.laptop, o.camera, POV_MOVE_RIGHT), 0, 0);
    assert_int_equal(answer.obstacle, o.mug);
}

/* The gap to the obstacle is the move's length, with an error: even odds. */
static void an_uncertain_gap_gives_even_odds(void **state)
{
    (void)state;
    static office o;
    pov_move_answer answer;
    const pov_moving moving = {.clearance_m = 0, .overhang_share = 1};
    furnish(&o);
    o.scene.entities[o.mug].position.mean_m = (pov_vec3){0.65, 0.3, 0.75};
    o.scene.entities[o.mug].position.own_cov_m2[0][0] = 1e-4;
    assert_int_equal(pov_sphere_can_move(&answer, &o.scene, o.laptop, o.camera, POV_MOVE_RIGHT, 1, &moving),
                     POV_OK);
    assert_near(answer.possible.p[0], 0.5, 0.04);
    assert_near(answer.p_hits, 0.5, 0.04);
}

static void nothing_moves_that_is_nowhere(void **state)
{
    (void)state;
    static office o;
    pov_move_answer answer;
    const pov_moving moving = POV_MOVING_DEFAULT;
    furnish(&o);
    assert_int_equal(pov_sphere_can_move(&answer, &o.scene, o.cup, o.cup, POV_MOVE_LEFT, 1, &moving),
                     POV_UNDEFINED);
    o.scene.entities[o.cup].placed = false;
    assert_int_equal(pov_sphere_can_move(&answer, &o.scene, o.cup, o.camera, POV_MOVE_LEFT, 1, &moving),
                     POV_UNDEFINED);
    assert_true(isnan(answer.possible.p[0]) && isnan(answer.p_hits));
}

static void a_tie_counts_half_for_each(void **state)
{
    (void)state;
    static office o;
    pov_choice choice;
    pov_count count;
    furnish(&o);
    o.scene.entities[o.mug].position.mean_m =
        (pov_vec3){0.5, 0, 0.75}; /* as far from the laptop as the cup */
    assert_int_equal(pov_sphere_nearer(&choice, &o.scene, o.cup, o.mug, o.laptop), POV_OK);
    assert_near(choice.p[0], 0.5, 1e-12);
    assert_near(choice.p[1], 0.5, 1e-12);
    o.scene.entities[o.mug].position.mean_m = (pov_vec3){0, -0.3, 0.75}; /* straight before the laptop */
    assert_int_equal(pov_sphere_position_allocentric(&choice, &o.scene, POV_LEFT_OR_RIGHT, o.mug, o.laptop),
                     POV_OK);
    assert_near(choice.p[0], 0.5, 1e-12);
    assert_int_equal(
        pov_sphere_count_positioned(&count, &o.scene, &cups, POV_LEFT_OR_RIGHT, false, o.camera, o.laptop),
        POV_OK);
    assert_near(count.p[0], 0.5, 1e-12); /* the mug alone may be on the right */
    assert_near(count.p[1], 0.5, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(left_is_whose_left_is_asked),
        cmocka_unit_test(a_tie_counts_half_for_each),
        cmocka_unit_test(right_above_the_relatum_the_cameras_heading_counts),
        cmocka_unit_test(noise_gives_the_normal_probability),
        cmocka_unit_test(things_of_a_class_are_counted_where_asked),
        cmocka_unit_test(uncertain_counts_have_a_distribution),
        cmocka_unit_test(only_what_is_in_the_image_is_counted),
        cmocka_unit_test(nearer_is_between_surfaces),
        cmocka_unit_test(size_is_true_size_whatever_the_distance),
        cmocka_unit_test(bigger_is_more_volume_everywhere),
        cmocka_unit_test(what_hides_behind_a_wall_follows_from_similar_triangles),
        cmocka_unit_test(what_carries_a_thing_is_not_beside_it),
        cmocka_unit_test(of_things_side_by_side_neither_is_above),
        cmocka_unit_test(height_and_width_are_compared_too),
        cmocka_unit_test(what_is_higher_than_its_hider_hides_farther_behind),
        cmocka_unit_test(nothing_hides_in_mid_air_behind_the_edge_of_a_table),
        cmocka_unit_test(there_is_room_where_nothing_stands_and_something_carries),
        cmocka_unit_test(between_two_there_is_room_for_what_is_no_larger_than_the_gap),
        cmocka_unit_test(a_laptop_at_the_edge_cannot_be_moved_back),
        cmocka_unit_test(what_stands_in_the_way_is_named),
        cmocka_unit_test(an_uncertain_gap_gives_even_odds),
        cmocka_unit_test(nothing_moves_that_is_nowhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
