#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/image/grey.h"
#include "perception/tags/tag_follower.h"
#include "perception/tags/tag_print.h"
#include "tests/support/tag_canvas.h"
#include "tests/support/tag_video.h"

#include <apriltag/apriltag.h>
#include <apriltag/tag36h11.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

enum { TAGS = 12 };

static pov_memory *memory; /* of the follower at work */

static pov_tag_follower *follower_of(const pov_tag_detector_config *detector)
{
    pov_tag_follower *follower;
    assert_int_equal(pov_tag_follower_new(&follower, detector).code, POV_OK);
    assert_int_equal(pov_memory_new(&memory, &pov_tag_memory).code, POV_OK);
    return follower;
}

static pov_tag_follower *follower_new(void)
{
    const pov_tag_detector_config detector = POV_TAG_DETECTOR_DEFAULT;
    return follower_of(&detector);
}

static void follower_free(pov_tag_follower *follower)
{
    pov_tag_follower_destroy(&follower);
    pov_memory_destroy(&memory);
}

static const pov_tags *follow(pov_tag_follower *follower, const pov_image *image)
{
    static pov_tags tags;
    assert_int_equal(pov_tag_follower_run(follower, &tags, image, memory).code, POV_OK);
    assert_int_equal(pov_tag_follower_remember(follower, image, memory).code, POV_OK);
    return &tags;
}

/* Squared distance of all corners from where they truly are; adds to their number. */
static double corners_off(int *len, const pov_tags *tags, const test_tag_scene *scene)
{
    double sum = 0;
    for (int i = 0; i < tags->len; i++) {
        for (int k = 0; k < 4; k++) {
            const pov_vec2 truth = test_tag_corner_px(scene, tags->tags[i].id, k);
            const double off_px =
                hypot(tags->tags[i].corner_px[k].x - truth.x, tags->tags[i].corner_px[k].y - truth.y);
            assert_true(off_px < 1);
            sum += off_px * off_px;
            (*len)++;
        }
    }
    return sum;
}

/* The same of libapriltag's own corners, searching the whole image; counts its tags. */
static double libapriltag_off(int *corner_len, apriltag_detector_t *detector, const pov_image *image,
                              const test_tag_scene *scene)
{
    double sum = 0;
    uint8_t *grey = malloc((size_t)image->width_px * (size_t)image->height_px);
    pov_grey_from_rgb(grey, image, (pov_rectangle){0, 0, image->width_px, image->height_px});
    image_u8_t wrapped = {image->width_px, image->height_px, image->width_px, grey};
    zarray_t *found = apriltag_detector_detect(detector, &wrapped);
    for (int i = 0; i < zarray_size(found); i++) {
        apriltag_detection_t *one;
        zarray_get(found, i, &one);
        for (int k = 0; k < 4; k++) {
            const pov_vec2 truth = test_tag_corner_px(scene, one->id, k);
            const double off_px = hypot(one->p[k][0] - 0.5 - truth.x, one->p[k][1] - 0.5 - truth.y);
            sum += off_px * off_px;
            (*corner_len)++;
        }
    }
    apriltag_detections_destroy(found);
    free(grey);
    return sum;
}

static void a_moving_camera_s_tags_are_followed_as_accurately_as_searched(void **state)
{
    (void)state;
    tag_video video = tag_video_new(10, 2, 0.04, 24);
    pov_tag_follower *follower = follower_new();
    apriltag_family_t *family = tag36h11_create();
    apriltag_detector_t *peer = apriltag_detector_create();
    apriltag_detector_add_family(peer, family);
    peer->quad_decimate = 1;
    int len = 0, peer_len = 0, matched = 0, whole = 0;
    double off = 0, peer_off = 0;
    for (int i = 0; i < video.len; i++) {
        const pov_image image = tag_video_image(&video, i, i);
        off += corners_off(&len, follow(follower, &image), &video.scenes[i]);
        peer_off += libapriltag_off(&peer_len, peer, &image, &video.scenes[i]);
        const pov_tag_follower_account account = pov_tag_follower_account_of(follower);
        matched += account.matched;
        whole += account.whole_image;
    }
    assert_int_equal(len, 4 * TAGS * video.len);
    assert_true(peer_len <= len);
    assert_true(sqrt(off / len) <= sqrt(peer_off / peer_len));
    assert_int_equal(whole, 1);
    assert_true(matched >= 0.9 * TAGS * (video.len - 1));
    apriltag_detector_destroy(peer);
    tag36h11_destroy(family);
    follower_free(follower);
    tag_video_free(&video);
}

/* A grey cloth over everything right of a column. */
static void cover_from(tag_video *video, int image, int x_px)
{
    for (int y = 0; y < video->height_px; y++)
        memset(video->rgb[image] + 3 * ((size_t)y * (size_t)video->width_px + (size_t)x_px), 120,
               3 * (size_t)(video->width_px - x_px));
}

/* Black about white as well as white about black. */
static void tags_of_every_family_are_followed(void **state)
{
    (void)state;
    static test_canvas canvas;
    test_random random = {3};
    for (int family = 0; family < POV_TAG_FAMILY_COUNT; family++) {
        pov_tag_detector_config config = POV_TAG_DETECTOR_DEFAULT;
        config.family[POV_TAG36H11] = false;
        config.family[family] = true;
        config.max_bits_corrected = 0;
        pov_tag_follower *follower = follower_of(&config);
        apriltag_family_t *table = pov_tag_family_create((pov_tag_family)family);
        image_u8_t *print = apriltag_to_image(table, 5);
        test_canvas_clear(&canvas, GROUND);
        test_canvas_stamp(&canvas, print, 85, 85, 6);
        for (int time = 0; time < 2; time++) {
            pov_image image = test_canvas_shoot(&canvas, 2, &random);
            image.mid_exposure_ns = time * INT64_C(33333333);
            assert_int_equal(follow(follower, &image)->len, 1);
            assert_int_equal(pov_tag_follower_account_of(follower).matched, time);
        }
        test_print_destroy(print);
        pov_tag_family_destroy((pov_tag_family)family, table);
        follower_free(follower);
    }
}

static size_t allocated_bytes(void)
{
    const struct mallinfo2 all = mallinfo2(); /* zero under sanitizers */
    return all.uordblks + all.hblkhd;
}

/* libapriltag's table for two misread bits is 36 MB. */
static void a_follower_is_small(void **state)
{
    (void)state;
    const size_t before = allocated_bytes();
    pov_tag_follower *follower = follower_new();
    assert_true(allocated_bytes() - before < 3000000);
    follower_free(follower);
}

static void a_leap_of_the_camera_loses_nothing(void **state)
{
    (void)state;
    tag_video video = tag_video_new(4, 2, 0.12, 4); /* a quarter of a turn between images */
    pov_tag_follower *follower = follower_new();
    int len = 0;
    for (int i = 0; i < video.len; i++) {
        const pov_image image = tag_video_image(&video, i, i);
        (void)corners_off(&len, follow(follower, &image), &video.scenes[i]);
    }
    assert_int_equal(len, 4 * TAGS * video.len);
    follower_free(follower);
    tag_video_free(&video);
}

static void tags_that_come_into_view_are_found_within_half_a_second(void **state)
{
    (void)state;
    tag_video video = tag_video_new(2, 2, 0, 1);
    cover_from(&video, 0, video.width_px / 2);
    pov_tag_follower *follower = follower_new();
    pov_image image = tag_video_image(&video, 0, 0);
    const int seen = follow(follower, &image)->len;
    assert_true(seen > 0 && seen < TAGS);
    int time = 1;
    do {
        image = tag_video_image(&video, 1, time);
        time++;
    } while (follow(follower, &image)->len < TAGS &&
             time <= 16); /* 15 parts; what is found is seen in the next image */
    assert_true(time <= 16);
    assert_false(pov_tag_follower_account_of(follower).whole_image);
    follower_free(follower);
    tag_video_free(&video);
}

static void tags_that_are_covered_are_not_seen(void **state)
{
    (void)state;
    tag_video video = tag_video_new(2, 2, 0, 1);
    cover_from(&video, 1, video.width_px * 2 / 3);
    pov_tag_follower *follower = follower_new();
    pov_image image = tag_video_image(&video, 0, 0);
    assert_int_equal(follow(follower, &image)->len, TAGS);
    for (int time = 1; time < 8; time++) {
        image = tag_video_image(&video, 1, time);
        const pov_tags *tags = follow(follower, &image);
        assert_in_range(tags->len, 6, TAGS - 3);
        for (int i = 0; i < tags->len; i++)
            for (int k = 0; k < 4; k++)
                assert_true(tags->tags[i].corner_px[k].x < video.width_px * 2 / 3);
    }
    follower_free(follower);
    tag_video_free(&video);
}

static void images_of_another_size_begin_again(void **state)
{
    (void)state;
    tag_video large = tag_video_new(1, 2, 0, 1), small = tag_video_new(1, 3, 0, 1);
    pov_tag_follower *follower = follower_new();
    pov_image image = tag_video_image(&large, 0, 0);
    assert_int_equal(follow(follower, &image)->len, TAGS);
    image = tag_video_image(&small, 0, 1);
    assert_int_equal(follow(follower, &image)->len, TAGS);
    assert_true(pov_tag_follower_account_of(follower).whole_image);
    follower_free(follower);
    tag_video_free(&large);
    tag_video_free(&small);
}

/* 3 x 3 prints of one tag side by side, each at its place: every square once. */
static void assert_nine_squares(const pov_tags *tags, const int x0, const int pitch_px, const int edge_px)
{
    int seen[9] = {0};
    assert_int_equal(tags->len, 9);
    for (int i = 0; i < tags->len; i++) {
        const pov_vec2 at = pov_tag_middle(tags->tags[i].corner_px);
        const int column = (int)floor((at.x - x0) / pitch_px), row = (int)floor((at.y - x0) / pitch_px);
        assert_in_range(column, 0, 2);
        assert_in_range(row, 0, 2);
        assert_true(hypot(at.x - (x0 + (column + 0.5) * pitch_px), at.y - (x0 + (row + 0.5) * pitch_px)) <
                    0.1 * edge_px);
        seen[3 * row + column]++;
    }
    for (int i = 0; i < 9; i++)
        assert_int_equal(seen[i], 1);
}

/* `step_px`: how far all of them move in each image. */
static void follow_equal_tags(int step_px)
{
    enum { CELL_PX = 6 };
    static test_canvas canvas;
    test_random random = {5};
    pov_tag_follower *follower = follower_new();
    apriltag_family_t *table = pov_tag_family_create(POV_TAG36H11);
    image_u8_t *print = apriltag_to_image(table, 0);
    const int pitch_px = CELL_PX * print->width + 2, edge_px = CELL_PX * 8;
    for (int time = 0; time < 8; time++) {
        const int x0 = 5 + step_px * time;
        test_canvas_clear(&canvas, GROUND);
        for (int i = 0; i < 9; i++)
            test_canvas_stamp(&canvas, print, x0 + i % 3 * pitch_px, x0 + i / 3 * pitch_px, CELL_PX);
        pov_image image = test_canvas_shoot(&canvas, step_px ? 2 : 0, &random);
        image.mid_exposure_ns = time * INT64_C(33333333);
        image.sequence = (uint32_t)time;
        assert_nine_squares(follow(follower, &image), x0, pitch_px, edge_px);
        assert_int_equal(pov_tag_follower_account_of(follower).whole_image, time == 0);
        assert_int_equal(pov_tag_follower_account_of(follower).matched, time == 0 ? 0 : 9);
    }
    test_print_destroy(print);
    pov_tag_family_destroy(POV_TAG36H11, table);
    follower_free(follower);
}

static void near_tags_of_one_id_are_all_followed(void **state)
{
    (void)state;
    follow_equal_tags(0);
    follow_equal_tags(5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(near_tags_of_one_id_are_all_followed),
        cmocka_unit_test(a_moving_camera_s_tags_are_followed_as_accurately_as_searched),
        cmocka_unit_test(tags_of_every_family_are_followed),
        cmocka_unit_test(a_leap_of_the_camera_loses_nothing),
        cmocka_unit_test(a_follower_is_small),
        cmocka_unit_test(tags_that_come_into_view_are_found_within_half_a_second),
        cmocka_unit_test(tags_that_are_covered_are_not_seen),
        cmocka_unit_test(images_of_another_size_begin_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
