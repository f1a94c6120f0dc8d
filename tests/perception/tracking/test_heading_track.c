#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/tracking/heading_track.h"
#include "tests/support/near.h"
#include "tests/support/random.h"

#include <math.h>

static const double interval_s = 1.0 / 30, deg = POV_PI / 180;

static pov_heading two_modes(double yaw_rad, double mirrored_rad, double weight, double std_rad)
{
    double kappa = pov_kappa_from_std(std_rad);
    return (pov_heading){.len = 2,
                         .mode = {{weight, pov_angle_wrap(yaw_rad), kappa},
                                  {1 - weight, pov_angle_wrap(mirrored_rad), kappa}}};
}

static void see(pov_heading_track *track, const pov_heading *heading, double sight_rad,
                const pov_carrier *carrier)
{
    if (track->len > 0)
        pov_heading_track_predict(track, interval_s, carrier);
    pov_heading_track_update(track, heading, sight_rad);
}

static pov_heading told(const pov_heading_track *track)
{
    pov_heading heading;
    double rate, std;
    assert_true(pov_heading_track_estimate(track, &heading, &rate, &std));
    return heading;
}

/* Weights of an image's two modes scatter about even, and the modes come in any order. */
static void modes_that_look_alike_stay_two_and_keep_their_places(void **state)
{
    (void)state;
    test_random random = {3};
    pov_heading_track track = {0};
    pov_heading first;
    for (int image = 0; image < 300; image++) {
        double weight = 0.5 + 0.2 * (test_random_between(&random, -1, 1));
        pov_heading heading = two_modes(0.5 + 0.02 * test_random_normal(&random),
                                        -1.2 + 0.02 * test_random_normal(&random), weight, 0.02);
        if (test_random_u64(&random) % 2) {
            pov_heading_mode swapped = heading.mode[0];
            heading.mode[0] = heading.mode[1];
            heading.mode[1] = swapped;
        }
        see(&track, &heading, 0, NULL);
        if (image == 0)
            first = told(&track);
    }
    pov_heading last = told(&track);
    assert_int_equal(last.len, 2);
    for (int i = 0; i < 2; i++) {
        assert_near(last.mode[i].yaw_rad, first.mode[i].yaw_rad, 0.1);
        assert_near(last.mode[i].weight, 0.5, 0.06);
    }
}

/* The same image again is no new evidence. */
static void a_thing_at_rest_is_never_surer_than_its_images_say(void **state)
{
    (void)state;
    pov_heading_track track = {0};
    pov_heading heading = two_modes(0.5, -1.2, 0.7, 0.02);
    for (int image = 0; image < 300; image++)
        see(&track, &heading, 0, NULL);
    assert_near(told(&track).mode[0].weight, 0.7, 1e-6);
}

/* Seen from another side each mode's image is another; the true one fits all of them. */
static void turning_it_tells_which_mode_is_true(void **state)
{
    (void)state;
    pov_heading_track track = {0};
    for (int image = 0; image < 300; image++) {
        double turned = image * 0.3 * deg;
        pov_carrier carrier = {
            .map = {1}, .shift = {0.3 * deg}, .rate_shift = {9 * deg}, .turn_rad = 0.3 * deg};
        pov_heading heading = two_modes(0.5 + turned, -1.2 + turned, 0.6, 0.02);
        see(&track, &heading, 0, &carrier);
    }
    pov_heading last = told(&track);
    assert_near(pov_angle_wrap(last.mode[0].yaw_rad - 0.5 - 299 * 0.3 * deg), 0, 0.02);
    assert_true(last.mode[0].weight > 0.95); /* nine looks of odds 1.5 */
    assert_true(last.mode[0].weight < 0.99);
}

static void an_image_that_says_nothing_changes_nothing(void **state)
{
    (void)state;
    pov_heading_track track = {0};
    pov_heading vague = pov_heading_single(0, 0), heading = two_modes(0.5, -1.2, 0.7, 0.02);
    pov_heading_track_update(&track, &vague, 0);
    assert_int_equal(track.len, 0);
    see(&track, &heading, 0, NULL);
    for (int image = 0; image < 10; image++)
        see(&track, &vague, 0, NULL);
    assert_near(told(&track).mode[0].weight, 0.7, 1e-9);
    assert_near(told(&track).mode[0].yaw_rad, 0.5, 1e-9);
}

/* By more than its errors from the first image on. */
static void a_thing_that_begins_to_turn_keeps_its_one_mode(void **state)
{
    (void)state;
    pov_heading_track track = {0};
    double rate, std, yaw_rad = 0;
    pov_heading heading;
    for (int image = 0; image < 60; image++) {
        yaw_rad += image < 30 ? 0 : 0.1;
        heading = pov_heading_single(pov_angle_wrap(yaw_rad), pov_kappa_from_std(0.005));
        see(&track, &heading, 0, NULL);
        assert_true(pov_heading_track_estimate(&track, &heading, &rate, &std));
        assert_int_equal(heading.len, 1);
        assert_near(pov_angle_wrap(heading.mode[0].yaw_rad - yaw_rad), 0, 0.02);
    }
    assert_near(rate, 3, 4 * std);
}

static void a_thing_turned_by_hand_is_followed_through_pi(void **state)
{
    (void)state;
    test_random random = {4};
    pov_heading_track track = {0};
    double rate, std, yaw_rad = 2.5;
    pov_heading heading;
    for (int image = 0; image < 60; image++) {
        yaw_rad += 1.5 * interval_s;
        heading = pov_heading_single(pov_angle_wrap(yaw_rad + 0.02 * test_random_normal(&random)),
                                     pov_kappa_from_std(0.02));
        see(&track, &heading, 0, NULL);
    }
    assert_true(pov_heading_track_estimate(&track, &heading, &rate, &std));
    assert_int_equal(heading.len, 1);
    assert_near(pov_angle_wrap(heading.mode[0].yaw_rad - yaw_rad), 0, 0.06);
    assert_near(rate, 1.5, 4 * std);
    assert_true(std < 1);
}

/* For a while two turns were likely; it has been turned since, and for seconds nothing has shown the likelier one. */
static void a_turn_that_nothing_shows_any_more_gives_way(void **state)
{
    (void)state;
    pov_heading_track track = {0};
    const pov_heading turned = pov_heading_single(1.7, pov_kappa_from_std(0.03));
    for (int image = 0; image < 120; image++) {
        const pov_heading both = two_modes(0, 1.7, 0.95, 0.03);
        see(&track, &both, 0.3 * (image / 10), NULL); /* from many sides */
    }
    const pov_heading first = told(&track);
    assert_near(pov_heading_heaviest(&first)->yaw_rad, 0, 0.05);
    for (int image = 0; image < 300; image++)
        see(&track, &turned, 3.3, NULL); /* from one */
    const pov_heading last = told(&track);
    assert_near(pov_heading_heaviest(&last)->yaw_rad, 1.7, 0.03);
    assert_true(pov_heading_heaviest(&last)->weight > 0.9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_that_look_alike_stay_two_and_keep_their_places),
        cmocka_unit_test(a_thing_at_rest_is_never_surer_than_its_images_say),
        cmocka_unit_test(turning_it_tells_which_mode_is_true),
        cmocka_unit_test(an_image_that_says_nothing_changes_nothing),
        cmocka_unit_test(a_thing_that_begins_to_turn_keeps_its_one_mode),
        cmocka_unit_test(a_thing_turned_by_hand_is_followed_through_pi),
        cmocka_unit_test(a_turn_that_nothing_shows_any_more_gives_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
