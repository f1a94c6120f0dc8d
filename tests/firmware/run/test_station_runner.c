#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "firmware/picture/image_file.h"
#include "tests/support/folder.h"
#include "tests/support/tag_image.h"

#include <cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The program, on photographs of twelve tags whose places are known. */
enum { MOVED = 5, UNLISTED = 7, TEXT_CAPACITY = 1 << 18 };

static test_path folder, pictures;
static test_tag_scene scene;
static uint8_t rgb[3 * 1280 * 720];
static char out[TEXT_CAPACITY], err[TEXT_CAPACITY];

static void write_text(const char *name, const char *text)
{
    test_file_new(&folder, name, text, strlen(text));
}

static void write_picture(const char *name, int width_px)
{
    pov_image image = {.pixels = rgb, .width_px = width_px, .height_px = 720, .stride_bytes = 3 * 1280};
    pov_status status = pov_image_file_write_png(test_path_in(&pictures, name).path, &image);
    assert_string_equal(status.message, "");
}

static void write_calibration(void)
{
    char text[1000];
    const pov_camera *c = &scene.camera;
    snprintf(text, sizeof text,
             "image_width: %d\nimage_height: %d\ncamera_name: test\n"
             "camera_matrix: {rows: 3, cols: 3, data: [%.9g, 0, %.9g, 0, %.9g, %.9g, 0, 0, 1]}\n"
             "distortion_model: plumb_bob\n"
             "distortion_coefficients: {rows: 1, cols: 5, data: [%.9g, %.9g, %.9g, %.9g, %.9g]}\n",
             c->width_px, c->height_px, c->fx_px, c->cx_px, c->fy_px, c->cy_px, c->distortion[0],
             c->distortion[1], c->distortion[2], c->distortion[3], c->distortion[4]);
    write_text("camera.yaml", text);
}

/* Tag MOVED is entered 6 cm from where it lies, UNLISTED is not entered. */
static void write_map(void)
{
    char text[4000] = "family: tag36h11\nedge_m: 0.08\ntags:\n";
    for (int i = 0; i < scene.map.len; i++) {
        const pov_tag_map_entry *tag = &scene.map.tags[i];
        pov_vec3 pos_m = tag->T_table_tag.T.t_m;
        if (tag->id != UNLISTED)
            snprintf(text + strlen(text), sizeof text - strlen(text),
                     "  - {id: %d, position_m: [%.9g, %.9g, 0], yaw_deg: %.9g}\n", tag->id,
                     pos_m.x + (tag->id == MOVED ? 0.06 : 0), pos_m.y, 0.1 * tag->id * 180 / POV_PI);
    }
    write_text("map.yaml", text);
}

static int set_up(void **state)
{
    (void)state;
    const test_tag_look look = TEST_TAG_LOOK_DEFAULT;
    folder = test_folder_new();
    pictures = test_folder_new();
    test_tag_scene_twelve(&scene);
    test_tag_image_draw(rgb, &scene, &look);
    write_picture("a.png", 1280);
    write_picture("b.png", 1280);
    write_calibration();
    write_map();
    write_text("mapped.yaml", "camera: {calibration: camera.yaml}\ntags: {map: map.yaml}\n");
    write_text("guessed.yaml", "camera: {field_of_view_deg: 60}\ntags: {families: [tag36h11]}\n");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    test_folder_remove(&folder);
    test_folder_remove(&pictures);
    return 0;
}

static void take_file(char *text, const char *name)
{
    FILE *file = fopen(test_path_in(&folder, name).path, "r");
    assert_non_null(file);
    text[fread(text, 1, TEXT_CAPACITY - 1, file)] = '\0';
    fclose(file);
}

static int exit_status_of(const char *station, const char *options)
{
    char command[2000];
    snprintf(command, sizeof command, "'%s' run '%s/%s' --images '%s' --no-publish %s >'%s/out' 2>'%s/err'",
             getenv("POV"), folder.path, station, pictures.path, options, folder.path, folder.path);
    const int status = system(command);
    assert_true(WIFEXITED(status));
    take_file(out, "out");
    take_file(err, "err");
    return WEXITSTATUS(status);
}

static void run(const char *station, const char *options)
{
    assert_int_equal(exit_status_of(station, options), 0);
}

static int count_of(const char *text, const char *word)
{
    int count = 0;
    for (; (text = strstr(text, word)); text++)
        count++;
    return count;
}

static const char *expected_outcome(int id, bool has_map)
{
    return !has_map ? "seen" : id == MOVED ? "rejected" : id == UNLISTED ? "not_in_map" : "used";
}

/* All twelve once, corners where the scene has them. */
static void check_tags(const cJSON *line, bool has_map)
{
    const cJSON *tags = cJSON_GetObjectItem(line, "tags");
    assert_int_equal(cJSON_GetArraySize(tags), scene.map.len);
    for (int i = 0; i < scene.map.len; i++) { /* sorted by id */
        const cJSON *tag = cJSON_GetArrayItem(tags, i), *corners = cJSON_GetObjectItem(tag, "corners_px");
        assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(tag, "family")), "tag36h11");
        assert_int_equal(cJSON_GetObjectItem(tag, "id")->valueint, i);
        assert_string_equal(cJSON_GetStringValue(cJSON_GetObjectItem(tag, "fate")),
                            expected_outcome(i, has_map));
        for (int k = 0; k < 4; k++) {
            pov_vec2 truth = test_tag_corner_px(&scene, i, k);
            const cJSON *corner = cJSON_GetArrayItem(corners, k);
            assert_true(hypot(cJSON_GetArrayItem(corner, 0)->valuedouble - truth.x,
                              cJSON_GetArrayItem(corner, 1)->valuedouble - truth.y) < 0.5);
        }
    }
}

static int check_lines(bool has_map)
{
    int count = 0;
    for (char *line = strtok(out, "\n"); line; line = strtok(NULL, "\n"), count++) {
        cJSON *root = cJSON_Parse(line);
        check_tags(root, has_map);
        cJSON_Delete(root);
    }
    return count;
}

static void a_tag_that_was_moved_is_named_in_json_and_warned_of_once(void **state)
{
    (void)state;
    run("mapped.yaml", "--json");
    assert_int_equal(check_lines(true), 2);
    assert_int_equal(count_of(err, "warning"), 1);
    assert_int_equal(count_of(err, "a.png: tag36h11 5 is not where the tag map says"), 1);
}

static void text_counts_tags_and_names_those_that_nothing_came_of(void **state)
{
    (void)state;
    run("mapped.yaml", "");
    assert_int_equal(
        count_of(out, "tags: 12 seen, 10 used, 1 not in map (tag36h11 7), 1 rejected (tag36h11 5)\n"), 2);
    run("guessed.yaml", "");
    assert_int_equal(count_of(out, "tags: 12 seen (tag36h11 0, tag36h11 1, "), 2);
}

static void a_guessed_camera_takes_images_of_any_size(void **state)
{
    (void)state;
    char annotate[TEST_PATH_CAPACITY + 20];
    write_picture("c.png", 1180);
    write_picture("d.png", 1280);
    snprintf(annotate, sizeof annotate, "--json --annotate '%s'", folder.path);
    run("guessed.yaml", annotate);
    assert_non_null(strstr(out, "\"name\":\"c.png\""));
    assert_non_null(strstr(out, "\"width_px\":1180"));
    assert_int_equal(check_lines(false), 4);
    assert_int_equal(count_of(err, "warning"), 0);
    for (const char *name = "abcd"; *name; name++)
        assert_int_equal(access(test_path_in(&folder, (char[]){*name, '.', 'p', 'n', 'g', 0}).path, R_OK), 0);
}

static void a_full_disk_costs_annotated_images_but_no_judgment(void **state)
{
    (void)state;
    char annotate[TEST_PATH_CAPACITY + 20];
    test_path full = test_folder_new();
    for (const char *name = "abcd"; *name; name++)
        assert_int_equal(
            symlink("/dev/full", test_path_in(&full, (char[]){*name, '.', 'p', 'n', 'g', 0}).path), 0);
    snprintf(annotate, sizeof annotate, "--json --annotate '%s'", full.path);
    assert_int_equal(exit_status_of("guessed.yaml", annotate), 1);
    assert_int_equal(check_lines(false), 4);
    assert_int_equal(count_of(err, "warning: "), 1);
    assert_non_null(
        strstr(err, "a.png: cannot be written: No space left on device; images go on being judged"));
    assert_non_null(strstr(err, "4 of 4 annotated images could not be written"));
    test_folder_remove(&full);
}

static void images_faster_than_can_be_judged_are_warned_of_once(void **state)
{
    (void)state;
    /* c.png is of another size, which is told, and ends with 1 */
    assert_int_equal(exit_status_of("mapped.yaml", "--loop --rate 1000 --count 50 --quiet"), 1);
    assert_int_equal(count_of(err, "images come at 1000.0/s, but this station judges up to "), 1);
    assert_int_equal(count_of(err, " images of 1280 x "), 1);
    assert_int_equal(count_of(err, "most time goes to tags"), 1);
    assert_int_equal(
        count_of(err, "To keep up: use fewer or larger tags, with tags: {decimate: 2}; or take "), 1);
    assert_int_equal(exit_status_of("mapped.yaml", "--loop --rate 1000 --count 3 --quiet"), 1);
    assert_int_equal(count_of(err, "images come at"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tag_that_was_moved_is_named_in_json_and_warned_of_once),
        cmocka_unit_test(text_counts_tags_and_names_those_that_nothing_came_of),
        cmocka_unit_test(a_guessed_camera_takes_images_of_any_size),
        cmocka_unit_test(images_faster_than_can_be_judged_are_warned_of_once),
        cmocka_unit_test(a_full_disk_costs_annotated_images_but_no_judgment),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
