#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/tags/tag_detector.h"
#include "tests/support/near.h"
#include "tests/support/random.h"
#include "tests/support/tag_canvas.h"

#include <apriltag/apriltag.h>
#include <apriltag/tag16h5.h>
#include <apriltag/tag25h9.h>
#include <apriltag/tag36h10.h>
#include <apriltag/tag36h11.h>
#include <apriltag/tagCircle21h7.h>
#include <apriltag/tagCircle49h12.h>
#include <apriltag/tagCustom48h12.h>
#include <apriltag/tagStandard41h12.h>
#include <apriltag/tagStandard52h13.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <turbojpeg.h>

static apriltag_family_t *(*const family_makers[POV_TAG_FAMILY_COUNT])(void) = {
    tag36h11_create,       tag36h10_create,         tag25h9_create,
    tag16h5_create,        tagCircle21h7_create,    tagCircle49h12_create,
    tagCustom48h12_create, tagStandard41h12_create, tagStandard52h13_create};
static void (*const family_breakers[POV_TAG_FAMILY_COUNT])(apriltag_family_t *) = {
    tag36h11_destroy,       tag36h10_destroy,         tag25h9_destroy,
    tag16h5_destroy,        tagCircle21h7_destroy,    tagCircle49h12_destroy,
    tagCustom48h12_destroy, tagStandard41h12_destroy, tagStandard52h13_destroy};

static pov_tag_detector *detector_with(pov_tag_detector_config config)
{
    pov_tag_detector *detector;
    pov_status status = pov_tag_detector_new(&detector, &config);

    assert_string_equal(status.message, "");
    return detector;
}

static pov_tag_detector *default_detector(void)
{
    return detector_with((pov_tag_detector_config)POV_TAG_DETECTOR_DEFAULT);
}

static const pov_tags *detect(pov_tag_detector *detector, const pov_image *image)
{
    static pov_tags tags;
    pov_status status = pov_tag_detector_run(detector, &tags, image);

    assert_int_equal(status.code, POV_OK);
    return &tags;
}

/** The tag's frame has y up and z toward the reader: turned half about x it is upright before the camera. */
static pov_transform facing(pov_vec3 turn_rad, pov_vec3 pos_m)
{
    return (pov_transform){pov_rot_mul(pov_rot_exp(turn_rad), pov_rot_exp((pov_vec3){POV_PI, 0, 0})), pos_m};
}

/** A black square of pixels 60..139 ends half a pixel outside of the centres of its outermost pixels. */
static void pixel_centres_are_whole_numbers(void **state)
{
    (void)state;
    static test_canvas c;
    apriltag_family_t *family = tag36h11_create();
    image_u8_t *print = apriltag_to_image(family, 7);
    pov_tag_detector *detector = default_detector();

    test_canvas_clear(&c, WHITE);
    for (int y = 60; y < 140; y++)
        for (int x = 60; x < 140; x++)
            c.grey[y][x] =
                print->buf[(1 + (y - 60) / 10) * print->stride + 1 + (x - 60) / 10] ? WHITE : BLACK;
    pov_image image = test_canvas_shoot(&c, 0, NULL);
    const pov_tags *tags = detect(detector, &image);
    const double expected[4][2] = {{59.5, 139.5}, {139.5, 139.5}, {139.5, 59.5}, {59.5, 59.5}};
    assert_int_equal(tags->len, 1);
    for (int i = 0; i < 4; i++) {
        assert_near(tags->tags[0].corner_px[i].x, expected[i][0], 0.05);
        assert_near(tags->tags[0].corner_px[i].y, expected[i][1], 0.05);
    }
    pov_tag_detector_destroy(&detector);
    test_print_destroy(print);
    tag36h11_destroy(family);
}

static double corner_error2(const pov_tag *tag, const test_sight *s, int i)
{
    pov_vec3 p = pov_transform_apply(s->T_camera_tag, pov_tag_corner(s->edge_m, i));
    double dx = tag->corner_px[i].x - (s->f_px * p.x / p.z + s->cx_px);
    double dy = tag->corner_px[i].y - (s->f_px * p.y / p.z + s->cy_px);

    return dx * dx + dy * dy;
}

/** What corners are measured on: edges of `least_px` to `most_px`, tilted either way, 0.7 px of blur. */
typedef struct {
    pov_tag_family family;
    double least_px, most_px, tilt_rad, noise;
    int trial_len;
} corner_trial;

/** RMS distance of corners from where they were rendered, in the order of the tag's own frame. */
static double corner_rms_px(const corner_trial *t)
{
    static test_canvas c;
    apriltag_family_t *family = family_makers[t->family]();
    pov_tag_detector_config config = POV_TAG_DETECTOR_DEFAULT;
    config.family[POV_TAG36H11] = false;
    config.family[t->family] = true;
    pov_tag_detector *detector = detector_with(config);
    test_random random = {11};
    double sum = 0;

    for (int trial = 0; trial < t->trial_len; trial++) {
        int id = (int)test_random_between(&random, 0, family->ncodes);
        image_u8_t *print = apriltag_to_image(family, id);
        test_sight s = {.print = print,
                        .cells = family->width_at_border,
                        .edge_m = 0.1,
                        .f_px = 500,
                        .cx_px = 119,
                        .cy_px = 121,
                        .blur_px = 0.7};
        pov_vec3 turn = {test_random_between(&random, -t->tilt_rad, t->tilt_rad),
                         test_random_between(&random, -t->tilt_rad, t->tilt_rad), 0};
        double z_m = 50 / test_random_between(&random, t->least_px, t->most_px);
        s.T_camera_tag = facing(turn, (pov_vec3){test_random_between(&random, -0.05, 0.05) * z_m,
                                                 test_random_between(&random, -0.05, 0.05) * z_m, z_m});
        s.T_camera_tag.R = pov_rot_mul(s.T_camera_tag.R, pov_rot_yaw(test_random_between(&random, -3, 3)));
        test_canvas_clear(&c, GROUND);
        test_canvas_draw(&c, &s);
        pov_image image = test_canvas_shoot(&c, t->noise, &random);
        const pov_tags *tags = detect(detector, &image);
        assert_int_equal(tags->len, 1);
        assert_int_equal(tags->tags[0].id, id);
        for (int i = 0; i < 4; i++)
            sum += corner_error2(&tags->tags[0], &s, i);
        test_print_destroy(print);
    }
    pov_tag_detector_destroy(&detector);
    family_breakers[t->family](family);
    return sqrt(sum / (4 * t->trial_len));
}

static void corners_of_clean_renders_are_within_a_tenth_of_a_pixel(void **state)
{
    (void)state;
    double clean_px = corner_rms_px(&(corner_trial){POV_TAG36H11, 25, 80, 0.7, 0, 25}),
           noisy_px = corner_rms_px(&(corner_trial){POV_TAG36H11, 25, 80, 0.7, 4, 25});

    print_message("corner RMS %.3f px clean, %.3f px with noise of 4 grey levels\n", clean_px, noisy_px);
    assert_true(clean_px < 0.1);
    assert_true(noisy_px < 0.12);
}

/** The corners of a small tag come from its whole print. libapriltag's own are 0.2 px off and must not leak in. */
static void corners_of_small_tags_are_no_worse(void **state)
{
    (void)state;
    static const corner_trial trials[] = {{POV_TAG36H11, 19, 24, 0.3, 0, 40},
                                          {POV_TAG_CIRCLE49H12, 14, 18, 0.3, 0, 40},
                                          {POV_TAG_STANDARD41H12, 14, 18, 0.3, 0, 40},
                                          {POV_TAG_STANDARD52H13, 14, 18, 0.3, 0, 40}};

    for (size_t i = 0; i < sizeof trials / sizeof *trials; i++) {
        const double off_px = corner_rms_px(&trials[i]);
        print_message("%s: corner RMS %.3f px\n", pov_tag_family_name(trials[i].family), off_px);
        assert_true(off_px < 0.03);
    }
}

static void every_family_is_found_and_named(void **state)
{
    (void)state;
    static test_canvas c;
    pov_tag_detector_config config = POV_TAG_DETECTOR_DEFAULT;

    for (int f = 0; f < POV_TAG_FAMILY_COUNT; f++)
        config.family[f] = true;
    pov_tag_detector *detector = detector_with(config);
    for (int f = 0; f < POV_TAG_FAMILY_COUNT; f++) {
        apriltag_family_t *family = family_makers[f]();
        image_u8_t *print = apriltag_to_image(family, 3);
        test_sight s = {.print = print,
                        .cells = family->width_at_border,
                        .edge_m = 0.1,
                        .f_px = 500,
                        .cx_px = 120,
                        .cy_px = 120,
                        .blur_px = 0.7,
                        .T_camera_tag = facing((pov_vec3){0.3, 0.2, 0}, (pov_vec3){0, 0, 0.6})};
        test_canvas_clear(&c, WHITE);
        test_canvas_draw(&c, &s);
        pov_image image = test_canvas_shoot(&c, 0, NULL);
        const pov_tags *tags = detect(detector, &image);
        assert_int_equal(tags->len, 1);
        assert_int_equal(tags->tags[0].family, f);
        assert_int_equal(tags->tags[0].id, 3);
        assert_string_equal(pov_tag_family_name(tags->tags[0].family), family->name);
        for (int i = 0; i < 4; i++)
            assert_near(sqrt(corner_error2(&tags->tags[0], &s, i)), 0, 0.2);
        test_print_destroy(print);
        family_breakers[f](family);
    }
    pov_tag_detector_destroy(&detector);
}

static void copies_of_one_id_are_all_kept_and_sorted(void **state)
{
    (void)state;
    static test_canvas c;
    apriltag_family_t *family = tag36h11_create();
    image_u8_t *five = apriltag_to_image(family, 5), *two = apriltag_to_image(family, 2);
    pov_tag_detector *detector = default_detector();

    test_canvas_clear(&c, GROUND);
    test_canvas_stamp(&c, five, 140, 10, 6);
    test_canvas_stamp(&c, two, 150, 120, 4);
    test_canvas_stamp(&c, five, 10, 100, 5);
    test_canvas_stamp(&c, five, 70, 100, 5);
    pov_image image = test_canvas_shoot(&c, 0, NULL);
    const pov_tags *tags = detect(detector, &image);
    assert_int_equal(tags->len, 4);
    assert_false(tags->truncated);
    assert_int_equal(tags->tags[0].id, 2);
    for (int i = 1; i < 4; i++)
        assert_int_equal(tags->tags[i].id, 5);
    assert_near(tags->tags[1].corner_px[0].x, 14.5, 0.2);
    assert_near(tags->tags[2].corner_px[0].x, 74.5, 0.2);
    assert_near(tags->tags[3].corner_px[0].x, 145.5, 0.2);
    pov_tag_detector_destroy(&detector);
    test_print_destroy(five);
    test_print_destroy(two);
    tag36h11_destroy(family);
}

/** Its bits, read on the coarser grids of the small families, make one of their codes now and then. */
static void one_square_is_one_tag_whatever_families_are_sought(void **state)
{
    (void)state;
    static test_canvas c;
    apriltag_family_t *family = tag36h11_create();
    pov_tag_detector_config config = POV_TAG_DETECTOR_DEFAULT;

    config.family[POV_TAG36H10] = config.family[POV_TAG25H9] = config.family[POV_TAG16H5] = true;
    pov_tag_detector *detector = detector_with(config);
    test_canvas_clear(&c, WHITE);
    for (int id = 0; id < (int)family->ncodes; id++) {
        image_u8_t *print = apriltag_to_image(family, id);
        test_canvas_stamp(&c, print, 10, 10, 6);
        pov_image image = test_canvas_shoot(&c, 0, NULL);
        image.width_px = image.height_px = 80;
        const pov_tags *tags = detect(detector, &image);
        assert_int_equal(tags->len, 1);
        assert_int_equal(tags->tags[0].family, POV_TAG36H11);
        assert_int_equal(tags->tags[0].id, id);
        test_print_destroy(print);
    }
    pov_tag_detector_destroy(&detector);
    tag36h11_destroy(family);
}

/** Squares of random bits within a border: what a careless reader takes for tags. */
static void random_patterns_in_squares_are_no_tags(void **state)
{
    (void)state;
    static test_canvas c;
    pov_tag_detector *detector = default_detector();
    test_random random = {5};
    uint8_t bits[100];
    image_u8_t print = {10, 10, 10, bits};

    for (int round = 0; round < 60; round++) {
        test_canvas_clear(&c, WHITE);
        for (int place = 0; place < 9; place++) {
            for (int i = 0; i < 100; i++) {
                int x = i % 10, y = i / 10;
                bool quiet = x == 0 || y == 0 || x == 9 || y == 9,
                     border = x == 1 || y == 1 || x == 8 || y == 8;
                bits[i] = quiet || (!border && test_random_u64(&random) & 1);
            }
            test_canvas_stamp(&c, &print, 80 * (place % 3), 80 * (place / 3), 7);
        }
        pov_image image = test_canvas_shoot(&c, 3, &random);
        assert_int_equal(detect(detector, &image)->len, 0);
    }
    pov_tag_detector_destroy(&detector);
}

static void faint_tags_are_dropped(void **state)
{
    (void)state;
    static test_canvas c;
    apriltag_family_t *family = tag36h11_create();
    image_u8_t *print = apriltag_to_image(family, 5);
    pov_tag_detector *detector = default_detector();

    test_canvas_clear(&c, WHITE);
    test_canvas_stamp(&c, print, 20, 20, 8);
    for (int i = 0; i < SIDE_PX * SIDE_PX; i++)
        c.grey[i / SIDE_PX][i % SIDE_PX] = 100 + 0.05 * c.grey[i / SIDE_PX][i % SIDE_PX];
    pov_image image = test_canvas_shoot(&c, 0, NULL);
    assert_int_equal(detect(detector, &image)->len, 0);
    pov_tag_detector_destroy(&detector);
    pov_tag_detector_config config = POV_TAG_DETECTOR_DEFAULT;
    config.min_decision_margin = 2;
    detector = detector_with(config);
    assert_int_equal(detect(detector, &image)->len, 1);
    pov_tag_detector_destroy(&detector);
    test_print_destroy(print);
    tag36h11_destroy(family);
}

/** A twentieth of the contrast is dropped (above); a sixth, read without a mended bit, is not. */
static void tags_in_the_dark_are_found(void **state)
{
    (void)state;
    static test_canvas c;
    apriltag_family_t *family = tag36h11_create();
    image_u8_t *print = apriltag_to_image(family, 5);
    pov_tag_detector *detector = default_detector();
    test_random random = {3};

    test_canvas_clear(&c, WHITE);
    test_canvas_stamp(&c, print, 20, 20, 8);
    for (int i = 0; i < SIDE_PX * SIDE_PX; i++)
        c.grey[i / SIDE_PX][i % SIDE_PX] = 0.16 * c.grey[i / SIDE_PX][i % SIDE_PX];
    pov_image image = test_canvas_shoot(&c, 1, &random);
    assert_int_equal(detect(detector, &image)->len, 1);
    pov_tag_detector_destroy(&detector);
    test_print_destroy(print);
    tag36h11_destroy(family);
}

static void images_of_any_size_are_taken(void **state)
{
    (void)state;
    static test_canvas c;
    const int sides[] = {1, 2, 15, 16, 17, 33, 1, SIDE_PX, 20};

    test_canvas_clear(&c, WHITE);
    pov_image image = test_canvas_shoot(&c, 0, NULL);
    for (int decimate = 1; decimate <= 3; decimate++) {
        pov_tag_detector_config config = POV_TAG_DETECTOR_DEFAULT;
        config.decimate = decimate;
        pov_tag_detector *detector = detector_with(config);
        for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
            image.width_px = sides[i];
            image.height_px = sides[(i + decimate) % (sizeof sides / sizeof *sides)];
            assert_int_equal(detect(detector, &image)->len, 0);
        }
        pov_tag_detector_destroy(&detector);
    }
}

static void a_senseless_configuration_is_refused_by_name(void **state)
{
    (void)state;
    pov_tag_detector_config good = POV_TAG_DETECTOR_DEFAULT, bad[5];
    const char *const names[] = {"family", "decimate", "max_bits_corrected", "min_decision_margin",
                                 "corner_std_px"};
    pov_tag_detector *detector;

    for (int i = 0; i < 5; i++)
        bad[i] = good;
    bad[0].family[POV_TAG36H11] = false;
    bad[1].decimate = NAN;
    bad[2].max_bits_corrected = 3;
    bad[3].min_decision_margin = -1;
    bad[4].corner_std_px = 0;
    for (int i = 0; i < 5; i++) {
        pov_status status = pov_tag_detector_new(&detector, &bad[i]);
        assert_int_equal(status.code, POV_ERROR);
        assert_non_null(strstr(status.message, names[i]));
        assert_null(detector);
    }
    pov_tag_detector_destroy(&detector);
}

static void path_of(char *path, size_t capacity, const char *name)
{
    const char *shared = getenv("POV_SHARED"), *source = getenv("POV_SOURCE");

    if (shared)
        snprintf(path, capacity, "%s/data/tags/%s", shared, name);
    else
        snprintf(path, capacity, "%s/../shared/data/tags/%s", source ? source : ".", name);
}

/** Decoded JPEG; pixels to be freed. */
static pov_image photograph(const char *name)
{
    char path[1000];
    static uint8_t bytes[1 << 20];
    pov_image image = {.pixels = NULL};
    int subsampling, colours;

    path_of(path, sizeof path, name);
    FILE *file = fopen(path, "rb");
    if (!file) {
        print_message("skipped: ../shared not found\n");
        skip();
    }
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    tjhandle jpeg = tjInitDecompress();
    assert_int_equal(
        tjDecompressHeader3(jpeg, bytes, length, &image.width_px, &image.height_px, &subsampling, &colours),
        0);
    image.stride_bytes = 3 * image.width_px;
    uint8_t *pixels = malloc((size_t)image.stride_bytes * (size_t)image.height_px);
    assert_int_equal(tjDecompress2(jpeg, bytes, length, pixels, image.width_px, image.stride_bytes,
                                   image.height_px, TJPF_RGB, 0),
                     0);
    tjDestroy(jpeg);
    image.pixels = pixels;
    return image;
}

/** Listed corners, made with libapriltag: pixel centres at (0.5, 0.5), its order is ours. Returns how many. */
static int list_of(pov_tag *listed, int capacity, const char *name)
{
    char path[1000];
    int len = 0;

    path_of(path, sizeof path, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (; len < capacity; len++) {
        pov_vec2 *p = listed[len].corner_px;
        if (fscanf(file, "%d, (%lf %lf), (%lf %lf), (%lf %lf), (%lf %lf)", &listed[len].id, &p[0].x, &p[0].y,
                   &p[1].x, &p[1].y, &p[2].x, &p[2].y, &p[3].x, &p[3].y) != 9)
            break;
        for (int i = 0; i < 4; i++)
            p[i] = (pov_vec2){p[i].x - 0.5, p[i].y - 0.5};
    }
    fclose(file);
    return len;
}

static double squared_distance(const pov_tag *a, const pov_tag *b)
{
    double sum = 0;

    for (int i = 0; i < 4; i++)
        sum += pow(a->corner_px[i].x - b->corner_px[i].x, 2) + pow(a->corner_px[i].y - b->corner_px[i].y, 2);
    return 0.25 * sum;
}

/** All listed tags are found, and nothing else. The list tells which tags there are, not where their corners are exactly: its
 *  corners are libapriltag's, 0.2 px off and more (tests/program/test_photographs.py). */
static void check_photograph(const char *photo, const char *list, int expected_len)
{
    pov_image image = photograph(photo);
    pov_tag listed[100];
    int listed_len = list_of(listed, 100, list);
    pov_tag_detector *detector = default_detector();
    const pov_tags *tags = detect(detector, &image);

    assert_int_equal(listed_len, expected_len);
    assert_int_equal(tags->len, expected_len);
    for (int i = 0; i < listed_len; i++) {
        double best = INFINITY;
        for (int j = 0; j < tags->len; j++) {
            if (tags->tags[j].id == listed[i].id)
                best = fmin(best, squared_distance(&tags->tags[j], &listed[i]));
        }
        assert_true(sqrt(best) < 1.5);
    }
    pov_tag_detector_destroy(&detector);
    free((void *)(uintptr_t)image.pixels);
}

static void all_listed_tags_of_the_photographs_are_found(void **state)
{
    (void)state;
    check_photograph("33369213973_9d9bb4cc96_c.jpg", "33369213973_9d9bb4cc96_c.txt", 12);
    check_photograph("34085369442_304b6bafd9_c.jpg", "34085369442_304b6bafd9_c.txt", 25);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pixel_centres_are_whole_numbers),
        cmocka_unit_test(corners_of_clean_renders_are_within_a_tenth_of_a_pixel),
        cmocka_unit_test(corners_of_small_tags_are_no_worse),
        cmocka_unit_test(every_family_is_found_and_named),
        cmocka_unit_test(copies_of_one_id_are_all_kept_and_sorted),
        cmocka_unit_test(one_square_is_one_tag_whatever_families_are_sought),
        cmocka_unit_test(random_patterns_in_squares_are_no_tags),
        cmocka_unit_test(faint_tags_are_dropped),
        cmocka_unit_test(tags_in_the_dark_are_found),
        cmocka_unit_test(images_of_any_size_are_taken),
        cmocka_unit_test(a_senseless_configuration_is_refused_by_name),
        cmocka_unit_test(all_listed_tags_of_the_photographs_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
