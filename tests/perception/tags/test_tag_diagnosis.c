#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perception/tags/tag_diagnosis.h"
#include "tests/support/tag_image.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 1280, HEIGHT = 720 };

static test_tag_scene scene;
static uint8_t rgb[WIDTH * HEIGHT * 3], changed[WIDTH * HEIGHT * 3];

/* Twelve tags, one lying, the next standing, the next leaning: no rotation is its own transpose. */
static void draw_scene(void)
{
    const test_tag_look look = TEST_TAG_LOOK_DEFAULT;
    test_tag_scene_twelve(&scene);
    for (int i = 0; i < scene.map.len; i++) {
        const pov_vec3 turn = {0.15 * (i % 4), 0.2 * (i % 3 - 1), 0.3 * i};
        scene.map.tags[i].T_table_tag.T.R = pov_rot_exp(turn);
    }
    test_tag_image_draw(rgb, &scene, &look);
}

static pov_image image_of(bool is_mirrored, bool is_inverted)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            for (int c = 0; c < 3; c++) {
                const uint8_t value = rgb[3 * (y * WIDTH + (is_mirrored ? WIDTH - 1 - x : x)) + c];
                changed[3 * (y * WIDTH + x) + c] = is_inverted ? (uint8_t)(255 - value) : value;
            }
    return (pov_image){.pixels = changed, .width_px = WIDTH, .height_px = HEIGHT, .stride_bytes = 3 * WIDTH};
}

static void mirrored_and_inverted_images_are_told_apart(void **state)
{
    (void)state;
    static const pov_tag_trouble expected[] = {POV_TAGS_UNEXPLAINED, POV_TAGS_MIRRORED, POV_TAGS_INVERTED,
                                               POV_TAGS_MIRRORED_AND_INVERTED};
    const pov_tag_detector_config config = POV_TAG_DETECTOR_DEFAULT;
    draw_scene();
    for (int i = 1; i < 4; i++) {
        const pov_image image = image_of(i & 1, i & 2);
        pov_tag_diagnosis diagnosis;
        assert_int_equal(pov_tag_diagnose(&diagnosis, &config, &scene.map, &image).code, POV_OK);
        assert_int_equal(diagnosis.trouble, expected[i]);
        assert_in_range(diagnosis.len, scene.map.len - 2, scene.map.len);
    }
}

static void an_image_without_tags_stays_unexplained(void **state)
{
    (void)state;
    const pov_tag_detector_config config = POV_TAG_DETECTOR_DEFAULT;
    pov_tag_diagnosis diagnosis;
    const pov_image image = image_of(false, false);
    memset(changed, 110, sizeof changed);
    assert_int_equal(pov_tag_diagnose(&diagnosis, &config, &scene.map, &image).code, POV_OK);
    assert_int_equal(diagnosis.trouble, POV_TAGS_UNEXPLAINED);
    assert_int_equal(diagnosis.len, 0);
}

static pov_map_mistake mistake_of(const pov_tag_map *map)
{
    static pov_tags tags;
    const pov_tag_detector_config config = POV_TAG_DETECTOR_DEFAULT;
    const pov_image image = {
        .pixels = rgb, .width_px = WIDTH, .height_px = HEIGHT, .stride_bytes = 3 * WIDTH};
    pov_tag_detector *detector;
    assert_int_equal(pov_tag_detector_new(&detector, &config).code, POV_OK);
    assert_int_equal(pov_tag_detector_run(detector, &tags, &image).code, POV_OK);
    pov_tag_detector_destroy(&detector);
    assert_in_range(tags.len, scene.map.len - 2, scene.map.len);
    return pov_tag_map_find_mistake(map, &tags, &scene.camera);
}

static void a_map_s_mistake_is_named(void **state)
{
    (void)state;
    draw_scene();
    pov_tag_map *map = malloc(sizeof *map);
    assert_non_null(map);
    assert_int_equal(mistake_of(&scene.map), POV_MAP_UNEXPLAINED);
    *map = scene.map;
    for (int i = 0; i < map->len; i++)
        map->tags[i].T_table_tag.T.R = pov_rot_transpose(map->tags[i].T_table_tag.T.R);
    assert_int_equal(mistake_of(map), POV_MAP_ROTATIONS_TRANSPOSED);
    *map = scene.map;
    for (int i = 0; i < map->len; i++)
        map->tags[i].T_table_tag.T.t_m = pov_vec3_scale(map->tags[i].T_table_tag.T.t_m, 1000);
    assert_int_equal(mistake_of(map), POV_MAP_POSITIONS_IN_MM);
    *map = scene.map;
    for (int i = 0; i < map->len; i++)
        map->tags[i].edge_m *= 1000;
    assert_int_equal(mistake_of(map), POV_MAP_EDGES_IN_MM);
    *map = scene.map; /* one moved tag is not a mistake of the whole */
    map->tags[3].T_table_tag.T.t_m.x += 0.1;
    assert_int_equal(mistake_of(map), POV_MAP_UNEXPLAINED);
    free(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mirrored_and_inverted_images_are_told_apart),
        cmocka_unit_test(an_image_without_tags_stays_unexplained),
        cmocka_unit_test(a_map_s_mistake_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
