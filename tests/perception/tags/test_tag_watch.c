#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/tags/tag_fit.h"
#include "perception/tags/tag_watch.h"
#include "tests/support/near.h"
#include "tests/support/tag_rig.h"

#include <string.h>

static const double deg = POV_PI / 180;

typedef struct {
    pov_tag_map map, world; /* where tags are held to be, and are */
    pov_tag_watch watch;
    pov_moved_tag moved;
    pov_tags tags;
    pov_camera_pose pose;
    test_random random;
} table;

static table t;

static void set_up(int tag_len, uint64_t seed)
{
    memset(&t.watch, 0, sizeof t.watch);
    t.random = (test_random){seed};
    rig_make_map(&t.map, tag_len, 0.04, &t.random);
    t.world = t.map;
}

/** As pov_camera_pose_estimate, from a start that is known: tags beyond its sieve are left out. */
static bool estimate(pov_transform T_table_camera)
{
    static pov_tag_sighting sightings[POV_TAG_MAX];
    t.pose.T_table_camera = pov_pose_exact(T_table_camera);
    for (int i = 0; i < t.tags.len; i++)
        sightings[i] = (pov_tag_sighting){&t.tags.tags[i],
                                          pov_tag_map_find(&t.map, POV_TAG36H11, t.tags.tags[i].id), true};
    for (int round = 0; round < 2; round++) {
        if (!pov_tag_fit(&t.pose.T_table_camera, &rig_camera, sightings, t.tags.len))
            return false;
        for (int i = 0; i < t.tags.len; i++) {
            sightings[i].used =
                pov_tag_misfit_of(&rig_camera, &sightings[i], &t.pose.T_table_camera, false).distance2 <
                31.83;
            t.pose.outcome[i] = sightings[i].used ? POV_TAG_USED : POV_TAG_REJECTED;
        }
    }
    return true;
}

/** Images until a tag is named, at most `images`; 0 if none is. */
static int watch(pov_transform (*look)(int image), int images, double noise_px)
{
    for (int i = 1; i <= images; i++) {
        const pov_transform T_table_camera = look(i);
        rig_photograph(&t.tags, &rig_camera, T_table_camera, &t.world, noise_px, &t.random);
        for (int k = 0; k < t.tags.len; k++)
            t.tags.tags[k].corner_std_px = noise_px;
        if (t.tags.len >= 4 && estimate(T_table_camera) &&
            pov_tag_watch_update(&t.watch, &t.moved, &rig_camera, &t.tags, &t.pose, &t.map))
            return i;
    }
    return 0;
}

static pov_transform from_all_around(int image)
{
    (void)image;
    return rig_look(0.5, &t.random);
}

static pov_transform standing_still(int image)
{
    (void)image;
    return pov_transform_look_at((pov_vec3){0.05, -0.35, 0.4}, (pov_vec3){0.1, 0.05, 0}, (pov_vec3){0, 0, 1});
}

static void nudge(int k, pov_vec3 turn_rad, pov_vec3 push_m)
{
    pov_transform *T = &t.world.tags[k].T_table_tag.T;
    T->R = pov_rot_mul(pov_rot_exp(turn_rad), T->R);
    T->t_m = pov_vec3_add(T->t_m, push_m);
}

static void a_tag_that_was_pushed_by_five_millimetres_is_named_within_five_images(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        set_up(14, seed);
        nudge(0, (pov_vec3){0, 0, 0}, (pov_vec3){0.004, 0.003, 0});
        const int images = watch(seed % 2 ? standing_still : from_all_around, 40, 0.3);
        assert_int_equal(t.moved.id, 10);
        assert_true(images >= 1 && images <= 12); /* it is not in all of them */
        assert_true(t.moved.images <= 5);
        assert_near(t.moved.moved_m, 0.005, 4 * t.moved.moved_std_m);
        assert_true(t.moved.moved_std_m < 0.01); /* depth is told poorly by one image */
    }
}

static void a_tag_that_was_turned_by_one_degree_is_named(void **state)
{
    (void)state;
    int most = 0;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        set_up(14, 20 + seed);
        nudge(0, seed % 2 ? (pov_vec3){0, 0, 1.0 * deg} : (pov_vec3){1.0 * deg, 0, 0}, (pov_vec3){0, 0, 0});
        const int images = watch(from_all_around, 400, 0.1);
        print_message("about %s: named after %d images, by %.2f +- %.2f deg\n", seed % 2 ? "z" : "x",
                      t.moved.images, t.moved.turned_rad / deg, t.moved.turned_std_rad / deg);
        assert_true(images > 0);
        assert_int_equal(t.moved.id, 10);
        assert_near(t.moved.turned_rad, 1.0 * deg, 4 * t.moved.turned_std_rad);
        most = t.moved.images > most ? t.moved.images : most;
    }
    assert_true(most <= 100);
}

static void thousands_of_images_of_noise_name_nobody(void **state)
{
    (void)state;
    set_up(10, 3);
    assert_int_equal(watch(from_all_around, 1500, 0.3), 0);
    set_up(10, 4);
    assert_int_equal(watch(standing_still, 700, 0.3), 0);
    assert_int_equal(pov_tag_watch_list(&t.watch, &t.moved, &t.map, 1), 0);
}

/** Errors in an image's own edges, as JPEG makes them: while nothing moves they are the same in every image. */
static void watch_with_lasting_error(double error_px, double said_px)
{
    set_up(12, 5);
    for (int i = 0; i < 400; i++) {
        rig_photograph(&t.tags, &rig_camera, standing_still(i), &t.world, 0.05, &t.random);
        for (int k = 0; k < 4; k++)
            t.tags.tags[0].corner_px[k].x += error_px * (k == 1 || k == 2 ? 1 : -1); /* wider */
        for (int k = 0; k < t.tags.len; k++)
            t.tags.tags[k].corner_std_px = k == 0 ? said_px : 0.05;
        assert_true(estimate(standing_still(i)));
        assert_false(pov_tag_watch_update(&t.watch, &t.moved, &rig_camera, &t.tags, &t.pose, &t.map));
    }
}

/** Nor does what a lens or a printer does average out. */
static void a_lasting_error_of_a_tenth_of_a_pixel_or_as_said_is_no_movement(void **state)
{
    (void)state;
    watch_with_lasting_error(0.1, 0.05);
    watch_with_lasting_error(0.4, 0.4);
}

static void a_tag_within_what_the_map_is_unsure_of_has_not_moved(void **state)
{
    (void)state;
    set_up(14, 6);
    for (int i = 0; i < 3; i++)
        t.map.tags[0].T_table_tag.cov[3 + i][3 + i] = pow(0.003, 2);
    nudge(0, (pov_vec3){0, 0, 0}, (pov_vec3){0.004, 0.003, 0});
    assert_int_equal(watch(from_all_around, 200, 0.2), 0);
}

/** The first named does not take the others with it, and a second one is named, too. */
static void two_tags_that_moved_are_both_named_and_no_other(void **state)
{
    (void)state;
    set_up(14, 7);
    nudge(0, (pov_vec3){0, 0, 0}, (pov_vec3){0.008, 0, 0});
    nudge(4, (pov_vec3){0, 0, 0}, (pov_vec3){0, 0.005, 0});
    assert_true(watch(from_all_around, 100, 0.3) > 0);
    assert_int_equal(t.moved.id, 10);
    assert_true(watch(from_all_around, 100, 0.3) > 0);
    assert_int_equal(t.moved.id, 14);
    assert_int_equal(watch(from_all_around, 300, 0.3), 0);
    pov_moved_tag list[4];
    assert_int_equal(pov_tag_watch_list(&t.watch, list, &t.map, 4), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tag_that_was_pushed_by_five_millimetres_is_named_within_five_images),
        cmocka_unit_test(a_tag_that_was_turned_by_one_degree_is_named),
        cmocka_unit_test(thousands_of_images_of_noise_name_nobody),
        cmocka_unit_test(a_lasting_error_of_a_tenth_of_a_pixel_or_as_said_is_no_movement),
        cmocka_unit_test(a_tag_within_what_the_map_is_unsure_of_has_not_moved),
        cmocka_unit_test(two_tags_that_moved_are_both_named_and_no_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
