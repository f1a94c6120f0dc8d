#include "config/yaml/yaml_edit.h"
#include "config/yaml/yaml_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_edit(const char *before, const char *path, const char *value, const char *after)
{
    char *text = strdup(before);
    pov_yaml_file *file;
    assert_non_null(text);
    const pov_status status = pov_yaml_edit(&text, path, value);
    assert_string_equal(status.message, "");
    assert_string_equal(text, after);
    assert_int_equal(pov_yaml_parse(&file, "edited", text, strlen(text)).code, POV_OK);
    pov_yaml_close(&file);
    free(text);
}

static const char station[] = "# The lab's table.\n"
                              "about: größe # with an umlaut\n"
                              "\n"
                              "camera: # on a tripod\n"
                              "  source: folder    # or libcamera\n"
                              "  folder: {path: images, rate_hz: 5} # five\n"
                              "\n"
                              "# Things\n"
                              "cast:\n"
                              "  # first\n"
                              "  - id: ball   # red\n"
                              "    class: ball\n"
                              "    ball: {color: red}\n"
                              "  - {id: car, class: car} # flow\n"
                              "track: true\n";

static char *replace_once(const char *text, const char *old, const char *by)
{
    const char *at = strstr(text, old);
    assert_non_null(at);
    char *made = calloc(1, strlen(text) + strlen(by) + 1);
    assert_non_null(made);
    memcpy(made, text, (size_t)(at - text));
    strcat(made, by);
    strcat(made, at + strlen(old));
    return made;
}

static void assert_only(const char *path, const char *value, const char *old, const char *by)
{
    char *after = replace_once(station, old, by);
    assert_edit(station, path, value, after);
    free(after);
}

static void a_value_changes_and_all_else_stays(void **state)
{
    (void)state;
    assert_only("camera.source", "libcamera", "source: folder ", "source: libcamera ");
    assert_only("camera.folder.rate_hz", "10", "rate_hz: 5", "rate_hz: 10");
    assert_only("cast.ball.ball.color", "\"#ff0000\"", "color: red", "color: \"#ff0000\"");
    assert_only("cast.car.class", "truck", "class: car", "class: truck");
    assert_only("about", "\"a\"", "größe", "\"a\"");
    assert_only("track", "false", "track: true", "track: false");
}

static void a_missing_key_is_added_in_the_style_around_it(void **state)
{
    (void)state;
    assert_only("camera.calibration", "camera.yaml", "# five\n", "# five\n  calibration: camera.yaml\n");
    assert_only("camera.folder.loop", "true", "rate_hz: 5", "rate_hz: 5, loop: true");
    assert_only("cast.ball.addressee", "true", "{color: red}\n", "{color: red}\n    addressee: true\n");
    assert_only("cast.car.tag.id", "3", "class: car}", "class: car, tag: {id: 3}}");
    assert_only("camera.pose.position_m", "[0, 0, 1]", "# five\n",
                "# five\n  pose:\n    position_m: [0, 0, 1]\n");
    assert_only("cast.anna.class", "person", "# flow\n", "# flow\n  - id: anna\n    class: person\n");
    assert_edit("a: 1", "b.c", "2", "a: 1\nb:\n  c: 2");
    assert_edit("a: 1\n", "cast.ball.class", "ball", "a: 1\ncast:\n  - id: ball\n    class: ball\n");
    assert_edit("a: 1\ncast: []\n", "cast.x", "", "a: 1\ncast: [{id: x}]\n");
    assert_edit("a: 1\ncast:\nb: 2\n", "cast.x.y", "3", "a: 1\ncast:\n  - id: x\n    y: 3\nb: 2\n");
    assert_edit("a: {}\n", "a.b", "1", "a: {b: 1}\n");
}

static void an_entry_goes_with_its_line(void **state)
{
    (void)state;
    assert_only("camera.folder", NULL, "  folder: {path: images, rate_hz: 5} # five\n", "");
    assert_only("camera.folder.path", NULL, "path: images, ", "");
    assert_only("camera.folder.rate_hz", NULL, ", rate_hz: 5", "");
    assert_only("cast.ball.class", NULL, "    class: ball\n", "");
    assert_only("cast.car", NULL, "  - {id: car, class: car} # flow\n", "");
    assert_only("none.at.all", NULL, "track", "track");
    assert_edit("a: 1\nb:\n  c: 2\nd: 3\n", "b.c", NULL, "a: 1\nd: 3\n");
    assert_edit("cast:\n  - id: x\n    y: 1\n  - id: z\n", "cast.x", NULL, "cast:\n  - id: z\n");
}

static void a_text_that_cannot_be_edited_stays(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        {"a: [1", "a"}, {"- 1\n", "a"}, {"a: &x 1\nb: *x\n", "a"}, {"a: 1\n", "a.b"}, {"", "a"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *text = strdup(texts[i][0]);
        assert_int_equal(pov_yaml_edit(&text, texts[i][1], "2").code, POV_ERROR);
        assert_string_equal(text, texts[i][0]);
        free(text);
    }
}

static void what_was_set_is_read_back(void **state)
{
    (void)state;
    static const char *const words[] = {"plain", "a: b # c", "\"quoted\" \\ back", "größe", ""};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char *text = strdup(station), *quoted = pov_yaml_quote(words[i]), read[64] = "?";
        pov_yaml_file *file;
        assert_int_equal(pov_yaml_edit(&text, "camera.folder.path", quoted).code, POV_OK);
        assert_true(pov_yaml_has(text, "camera.folder.path"));
        assert_false(pov_yaml_has(text, "camera.folder.other"));
        assert_true(pov_yaml_has(text, "cast.car"));
        assert_int_equal(pov_yaml_parse(&file, "edited", text, strlen(text)).code, POV_OK);
        pov_yaml_node camera = pov_yaml_get(pov_yaml_root(file), "camera");
        pov_yaml_copy_string(read, sizeof read, pov_yaml_get(pov_yaml_get(camera, "folder"), "path"));
        assert_string_equal(read, words[i]);
        pov_yaml_close(&file);
        free(quoted);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_changes_and_all_else_stays),
        cmocka_unit_test(a_missing_key_is_added_in_the_style_around_it),
        cmocka_unit_test(an_entry_goes_with_its_line),
        cmocka_unit_test(a_text_that_cannot_be_edited_stays),
        cmocka_unit_test(what_was_set_is_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
