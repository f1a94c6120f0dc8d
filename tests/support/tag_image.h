/** Images of printed tags seen through a real lens: an oracle that shares no code with the tag detector.
 *  Each pixel's rays are cut with the tags' planes and look up libapriltag's own drawing of the tag. */
#pragma once

#include "perception/geometry/camera.h"
#include "perception/geometry/tag.h"

#include <stdint.h>

/** Grey values as the sensor's linear response gives them; a pixel is the mean of `samples_per_side` squared
 * rays. */
typedef struct {
    double background, black, white;
    double noise_std; /* of each pixel, in 8-bit steps; the same in all three channels; by `seed` */
    uint64_t seed;
    int samples_per_side;
} test_tag_look;
#define TEST_TAG_LOOK_DEFAULT                                                                                \
    {                                                                                                        \
        .background = 120, .black = 30, .white = 220, .noise_std = 1, .seed = 1, .samples_per_side = 4       \
    }

/** What a camera looks at. Large: not for the stack of a thread. */
typedef struct {
    pov_tag_map map; /* tag36h11 only; poses' covariances are not looked at */
    pov_camera camera;
    pov_transform T_table_camera;
} test_tag_scene;

/** Twelve tags of 80 mm lying on a table, ids 0 to 11, before a slightly distorted 1280x720 camera. */
void test_tag_scene_twelve(test_tag_scene *scene);

/** Draws into `rgb` (height_px rows of width_px RGB, stride 3 * width_px). Each tag has a white margin of one
 * cell; of tags that overlap the nearer hides the other; the back of a tag is not drawn. */
void test_tag_image_draw(uint8_t *rgb, const test_tag_scene *scene, const test_tag_look *look);

/** Where corner i of the scene's tag `index` falls; NaN where the camera cannot see it. */
pov_vec2 test_tag_corner_px(const test_tag_scene *scene, int index, int i);
