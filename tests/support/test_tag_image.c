#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/near.h"
#include "tests/support/tag_image.h"

#include <apriltag/apriltag.h>
#include <apriltag/tag36h11.h>
#include <stdlib.h>

enum { WIDTH_PX = 1280, HEIGHT_PX = 720 };

static uint8_t rgb[WIDTH_PX * HEIGHT_PX * 3], grey[WIDTH_PX * HEIGHT_PX];
static test_tag_scene scene;

static zarray_t *detect(apriltag_detector_t *detector)
{
    image_u8_t image = {.width = WIDTH_PX, .height = HEIGHT_PX, .stride = WIDTH_PX, .buf = grey};
    for (int i = 0; i < WIDTH_PX * HEIGHT_PX; i++)
        grey[i] = rgb[3 * i];
    return apriltag_detector_detect(detector, &image);
}

/** libapriltag has a pixel's centre at (0.5, 0.5), and its corners begin at the lower left as one reads the
 * tag. */
static void libapriltag_finds_each_tag_where_its_corners_project(void **state)
{
    (void)state;
    const test_tag_look look = TEST_TAG_LOOK_DEFAULT;
    test_tag_scene_twelve(&scene);
    test_tag_image_draw(rgb, &scene, &look);
    apriltag_family_t *family = tag36h11_create();
    apriltag_detector_t *detector = apriltag_detector_create();
    apriltag_detector_add_family(detector, family);
    detector->quad_decimate = 1;
    zarray_t *found = detect(detector);
    assert_int_equal(zarray_size(found), 12);
    bool seen[12] = {false};
    for (int i = 0; i < 12; i++) {
        apriltag_detection_t *detection;
        zarray_get(found, i, &detection);
        assert_in_range(detection->id, 0, 11);
        assert_false(seen[detection->id]);
        assert_int_equal(detection->hamming, 0);
        seen[detection->id] = true;
        for (int corner = 0; corner < 4; corner++) {
            const pov_vec2 expected = test_tag_corner_px(&scene, detection->id, corner);
            assert_near(detection->p[corner][0] - 0.5, expected.x, 0.45);
            assert_near(detection->p[corner][1] - 0.5, expected.y, 0.45);
        }
    }
    apriltag_detections_destroy(found);
    apriltag_detector_destroy(detector);
    tag36h11_destroy(family);
}

static void the_back_of_a_tag_shows_nothing(void **state)
{
    (void)state;
    test_tag_look look = TEST_TAG_LOOK_DEFAULT;
    look.noise_std = 0;
    test_tag_scene_twelve(&scene);
    for (int i = 0; i < scene.map.len; i++)
        scene.map.tags[i].T_table_tag.T.R = pov_rot_exp((pov_vec3){POV_PI, 0, 0});
    test_tag_image_draw(rgb, &scene, &look);
    for (size_t i = 0; i < sizeof rgb; i++)
        assert_int_equal(rgb[i], 120);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(libapriltag_finds_each_tag_where_its_corners_project),
        cmocka_unit_test(the_back_of_a_tag_shows_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
