#include "calib/tags/tag_map_file.h"

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

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/folder.h"
#include "tests/support/near.h"

#define TOP "family: tag36h11\nedge_m: 0.08\ntags:\n"

static pov_status parse(pov_tag_map *map, const char *text)
{
    return pov_tag_map_parse(map, "map.yaml", text, strlen(text));
}

static pov_tag_map parse_well(const char *text)
{
    pov_tag_map map;
    pov_status status = parse(&map, text);
    assert_string_equal(status.message, "");
    assert_int_equal(status.code, POV_OK);
    return map;
}

static void assert_refused(const char *text, const char *message)
{
    pov_tag_map map = {.len = 3};
    pov_status status = parse(&map, text);
    assert_string_equal(status.message, message);
    assert_int_equal(status.code, POV_ERROR);
    assert_int_equal(map.len, 0);
}

static void assert_axes(pov_rot R, pov_vec3 x, pov_vec3 y, pov_vec3 z)
{
    const pov_vec3 axes[3] = {x, y, z};
    for (int column = 0; column < 3; column++) {
        assert_near(R.m[0][column], axes[column].x, 1e-12);
        assert_near(R.m[1][column], axes[column].y, 1e-12);
        assert_near(R.m[2][column], axes[column].z, 1e-12);
    }
}

/* The rotation of a tag at the origin, given by one line such as "yaw_deg: 90". */
static pov_rot rotation_of(const char *line)
{
    char text[300];
    snprintf(text, sizeof text, TOP "  - id: 0\n    position_m: [0, 0, 0]\n    %s\n", line);
    return parse_well(text).tags[0].T_table_tag.T.R;
}

static void a_map_is_read(void **state)
{
    (void)state;
    pov_tag_map map = parse_well(TOP "  - {id: 3, position_m: [0.1, -0.2, 0.3], yaw_deg: 0}\n"
                                     "  - id: 29\n"
                                     "    family: tag16h5\n"
                                     "    edge_m: 0.15\n"
                                     "    position_m: [1, 2, 3]\n"
                                     "    rotation: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]\n"
                                     "    position_std_m: 0.002\n"
                                     "    rotation_std_deg: 1.8\n");
    assert_int_equal(map.len, 2);
    const pov_tag_map_entry *first = &map.tags[0], *second = &map.tags[1];
    assert_int_equal(first->family, POV_TAG36H11);
    assert_int_equal(first->id, 3);
    assert_true(first->edge_m == 0.08);
    assert_true(first->T_table_tag.T.t_m.x == 0.1 && first->T_table_tag.T.t_m.y == -0.2);
    assert_true(first->T_table_tag.T.t_m.z == 0.3);
    assert_int_equal(second->family, POV_TAG16H5);
    assert_int_equal(second->id, 29);
    assert_true(second->edge_m == 0.15);
    for (int i = 0; i < 6; i++)
        for (int k = 0; k < 6; k++) {
            /* (1.8 deg = pi / 100)^2 and (2 mm)^2 */
            double variance = i < 3 ? 9.869604401089358e-4 : 4e-6;
            assert_true(first->T_table_tag.cov[i][k] == 0);
            assert_near(second->T_table_tag.cov[i][k], i == k ? variance : 0, 1e-18);
        }
}

/* Lying face up: z up; the reading direction x turns counter-clockwise from the table's x. */
static void a_flat_tag_is_turned_about_z(void **state)
{
    (void)state;
    const pov_vec3 px = {1, 0, 0}, py = {0, 1, 0}, pz = {0, 0, 1}, nx = {-1, 0, 0}, ny = {0, -1, 0};
    assert_axes(rotation_of("yaw_deg: 0"), px, py, pz);
    assert_axes(rotation_of("yaw_deg: 90"), py, nx, pz);
    assert_axes(rotation_of("yaw_deg: 180"), nx, ny, pz);
    assert_axes(rotation_of("yaw_deg: -90"), ny, px, pz);
    const double half = 0.5, root = 0.8660254037844386; /* cos 60, sin 60 */
    assert_axes(rotation_of("yaw_deg: 60"), (pov_vec3){half, root, 0}, (pov_vec3){-root, half, 0}, pz);
}

/* Upright: z out of the face to its yaw; y up; x to the right of one who stands before it and reads. A reader
 * of a face toward +x stands at +x and looks along -x: right of that is +y. */
static void an_upright_tag_faces_its_yaw(void **state)
{
    (void)state;
    const pov_vec3 px = {1, 0, 0}, py = {0, 1, 0}, pz = {0, 0, 1}, nx = {-1, 0, 0}, ny = {0, -1, 0};
    assert_axes(rotation_of("faces_deg: 0"), py, pz, px);
    assert_axes(rotation_of("faces_deg: 90"), nx, pz, py);
    assert_axes(rotation_of("faces_deg: 180"), ny, pz, nx);
    assert_axes(rotation_of("faces_deg: 270"), px, pz, ny);
    const double half = 0.5, root = 0.8660254037844386; /* sin 30, cos 30 */
    assert_axes(rotation_of("faces_deg: 30"), (pov_vec3){-half, root, 0}, pz, (pov_vec3){root, half, 0});
}

static void a_rotation_matrix_has_the_tags_axes_as_columns(void **state)
{
    (void)state;
    const pov_vec3 px = {1, 0, 0}, py = {0, 1, 0}, pz = {0, 0, 1};
    assert_axes(rotation_of("rotation: [[0, 0, 1], [1, 0, 0], [0, 1, 0]]"), py, pz, px);
}

static void a_tag_needs_exactly_one_rotation(void **state)
{
    (void)state;
    assert_refused(
        TOP "  - {id: 1, position_m: [0, 0, 0]}\n",
        "map.yaml:4: tags[0]: gives none of rotation, yaw_deg (lies face up) and faces_deg (stands "
        "upright); give exactly one");
    assert_refused(
        TOP "  - {id: 1, position_m: [0, 0, 0], yaw_deg: 0, faces_deg: 0}\n",
        "map.yaml:4: tags[0]: gives more than one of rotation, yaw_deg (lies face up) and faces_deg (stands "
        "upright); give exactly one");
}

static void a_tag_listed_twice_is_named_with_both_lines(void **state)
{
    (void)state;
    assert_refused(
        TOP "  - {id: 1, position_m: [0, 0, 0], yaw_deg: 0}\n"
            "  - {id: 2, position_m: [1, 0, 0], yaw_deg: 0}\n"
            "  - {id: 1, position_m: [2, 0, 0], yaw_deg: 0}\n",
        "map.yaml:6: tags[2]: tag36h11 tag 1 is listed already on line 4; a tag can be in one place only");
    pov_tag_map map = parse_well(TOP "  - {id: 1, position_m: [0, 0, 0], yaw_deg: 0}\n"
                                     "  - {id: 1, family: tag25h9, position_m: [1, 0, 0], yaw_deg: 0}\n");
    assert_int_equal(map.len, 2);
}

static void families_and_edges_are_needed_somewhere(void **state)
{
    (void)state;
    assert_refused(
        "edge_m: 0.1\ntags:\n  - {id: 1, position_m: [0, 0, 0], yaw_deg: 0}\n",
        "map.yaml:3: tags[0]: has no family; give it here, or once for all tags at the top of the file");
    assert_refused(
        "family: tag16h5\ntags:\n  - {id: 1, position_m: [0, 0, 0], yaw_deg: 0}\n",
        "map.yaml:3: tags[0]: has no edge_m; give it here, or once for all tags at the top of the file");
    assert_int_equal(
        parse_well("tags:\n  - {id: 1, family: tag16h5, edge_m: 1, position_m: [0, 0, 0], yaw_deg: 0}\n").len,
        1);
    assert_refused(
        "family: tag36h12\n",
        "map.yaml:1: family: expected one of tag36h11, tag36h10, tag25h9, tag16h5, tagCircle21h7, "
        "tagCircle49h12, tagCustom48h12, tagStandard41h12, tagStandard52h13; got \"tag36h12\", did you "
        "mean \"tag36h11\"?");
    assert_refused("family: tag16h5\nedge_m: 0\ntags: []\n",
                   "map.yaml:2: edge_m: expected a number between 0.001 and 100, got 0");
}

static void wrong_lists_and_values_are_named(void **state)
{
    (void)state;
    assert_refused("family: tag16h5\ntags: []\n", "map.yaml:2: tags: lists no tag; give at least one");
    assert_refused("family: tag16h5\n", "map.yaml:1: the key \"tags\" is missing; it gives the list of tags");
    assert_refused("family: tag16h5\ntag: []\n", "map.yaml:2: unknown key \"tag\"; did you mean \"tags\"?");
    assert_refused(
        TOP "  - {id: 1, position_m: [0, .nan, 0], yaw_deg: 0}\n",
        "map.yaml:4: tags[0].position_m[1]: expected a finite number between -10000 and 10000, got .nan; "
        "write e.g. 0.6");
    assert_refused(
        TOP "  - {id: 1, position_m: [0, 0, 0], yaw: 0}\n",
        "map.yaml:4: tags[0]: gives none of rotation, yaw_deg (lies face up) and faces_deg (stands "
        "upright); give exactly one");
    assert_refused(TOP "  - {id: 1, position_m: [0, 0, 0], yaw_deg: 0, position_sdt_m: 1}\n",
                   "map.yaml:4: unknown key \"tags[0].position_sdt_m\"; did you mean \"position_std_m\"?");
}

static void a_map_has_room_for_256_tags(void **state)
{
    (void)state;
    static char text[40000];
    for (int count = POV_TAG_MAP_MAX; count <= POV_TAG_MAP_MAX + 1; count++) {
        strcpy(text, TOP);
        for (int i = 0, length = (int)strlen(text); i < count; i++)
            length += snprintf(text + length, sizeof text - (size_t)length,
                               "  - {id: %d, position_m: [%d, 0, 0], yaw_deg: 0}\n", i, i);
        if (count > POV_TAG_MAP_MAX)
            assert_refused(text, "map.yaml:3: tags: lists 257 tags; at most 256 are taken");
        else
            assert_int_equal(parse_well(text).len, POV_TAG_MAP_MAX);
    }
}

/* libapriltag's own families say how many tags they have. */
static void ids_are_within_their_family(void **state)
{
    (void)state;
    apriltag_family_t *(*const create[])(void) = {
        tag36h11_create,       tag36h10_create,         tag25h9_create,
        tag16h5_create,        tagCircle21h7_create,    tagCircle49h12_create,
        tagCustom48h12_create, tagStandard41h12_create, tagStandard52h13_create};
    void (*const destroy[])(apriltag_family_t *) = {
        tag36h11_destroy,       tag36h10_destroy,         tag25h9_destroy,
        tag16h5_destroy,        tagCircle21h7_destroy,    tagCircle49h12_destroy,
        tagCustom48h12_destroy, tagStandard41h12_destroy, tagStandard52h13_destroy};
    for (size_t i = 0; i < sizeof create / sizeof *create; i++) {
        apriltag_family_t *family = create[i]();
        for (unsigned extra = 0; extra <= 1; extra++) {
            char text[200], message[200];
            unsigned id = family->ncodes - 1 + extra;
            snprintf(text, sizeof text,
                     "edge_m: 1\ntags:\n- {id: %u, family: %s, position_m: [0, 0, 0], yaw_deg: 0}\n", id,
                     family->name);
            snprintf(message, sizeof message,
                     "map.yaml:3: tags[0].id: expected a whole number between 0 and %u, got %u",
                     family->ncodes - 1, id);
            if (extra)
                assert_refused(text, message);
            else
                assert_int_equal(parse_well(text).tags[0].id, (int)id);
        }
        destroy[i](family);
    }
}

static void files_are_read_from_disk(void **state)
{
    (void)state;
    static const char text[] = TOP "  - {id: 7, position_m: [0, 0, 0], faces_deg: 0}\n";
    const test_path folder = test_folder_new();
    const test_path path = test_file_new(&folder, "map.yaml", text, sizeof text - 1);
    pov_tag_map map;
    assert_int_equal(pov_tag_map_read(&map, path.path).code, POV_OK);
    assert_int_equal(map.len, 1);
    assert_int_equal(map.tags[0].id, 7);
    remove(path.path);
    assert_int_equal(pov_tag_map_read(&map, path.path).code, POV_ERROR);
    assert_int_equal(map.len, 0);
    test_folder_remove(&folder);
}

/** Written as pov_tag_map_write does, read back. */
static void a_covariance_comes_back_as_it_was(void **state)
{
    (void)state;
    char *text = NULL;
    size_t length = 0;
    pov_tag_map map = {.len = 1, .tags = {{.family = POV_TAG36H11, .id = 5, .edge_m = 0.03}}}, back;
    pov_pose *pose = &map.tags[0].T_table_tag;
    pose->T = pov_transform_identity();
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            pose->cov[i][j] = (i == j ? 2.0 : 0.25) * (i < 3 ? 1e-3 : 1e-4) * (j < 3 ? 1e-3 : 1e-4);
    FILE *stream = open_memstream(&text, &length);
    pov_tag_map_write(stream, &map, "a test");
    fclose(stream);
    assert_string_equal(pov_tag_map_parse(&back, "map.yaml", text, length).message, "");
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            assert_near(back.tags[0].T_table_tag.cov[i][j], pose->cov[i][j], 1e-9 * fabs(pose->cov[i][j]));
    free(text);
}

#define PANELS "panels:\n  - {id: wall, position_std_m: 0.01, rotation_std_deg: 1}\n"

/* A tag 0.4 m from the panel's middle: a tilt of one degree moves it by 7 mm. */
static void tags_on_a_panel_have_its_error_besides_their_own(void **state)
{
    (void)state;
    const double tilt = POV_PI / 180;
    const pov_tag_map map =
        parse_well(PANELS TOP "  - {id: 7, panel: wall, position_m: [0, 0, 0], yaw_deg: 0}\n"
                              "  - {id: 8, panel: wall, position_m: [0.8, 0, 0], yaw_deg: 0, "
                              "position_std_m: 0.002}\n"
                              "  - {id: 9, position_m: [1, 0, 0], yaw_deg: 0}\n");
    for (int i = 0; i < 2; i++) {
        const double(*cov)[6] = map.tags[i].T_table_tag.cov;
        assert_near(map.tags[i].panel.middle_m.x, 0.4, 1e-12);
        assert_near(cov[0][0], tilt * tilt, 1e-12);
        assert_near(cov[3][3], 1e-4 + i * 4e-6, 1e-12);
        assert_near(cov[4][4], 1e-4 + i * 4e-6 + pow(0.4 * tilt, 2), 1e-12);
        assert_near(cov[1][5], (i ? -1 : 1) * 0.4 * tilt * tilt, 1e-12); /* about y: what is at +x sinks */
    }
    assert_near(map.tags[2].T_table_tag.cov[3][3], 0, 0);
    char *text = NULL;
    size_t length = 0;
    pov_tag_map back;
    FILE *stream = open_memstream(&text, &length);
    pov_tag_map_write(stream, &map, "a test");
    fclose(stream);
    assert_string_equal(pov_tag_map_parse(&back, "map.yaml", text, length).message, "");
    for (int i = 0; i < 3; i++) {
        assert_string_equal(back.tags[i].panel.name, map.tags[i].panel.name);
        for (int k = 0; k < 36; k++)
            assert_near(back.tags[i].T_table_tag.cov[k / 6][k % 6], map.tags[i].T_table_tag.cov[k / 6][k % 6],
                        1e-10);
    }
    free(text);
}

static void wrong_panels_are_named(void **state)
{
    (void)state;
    assert_refused(TOP "  - {id: 7, panel: wall, position_m: [0, 0, 0], yaw_deg: 0}\n",
                   "map.yaml:4: tags[0].panel: 'wall' is not listed in `panels`");
    assert_refused(PANELS "  - {id: wall}\n" TOP "  - {id: 7, position_m: [0, 0, 0], yaw_deg: 0}\n",
                   "map.yaml:3: panels[1]: duplicate panel id 'wall'; ids must be unique");
}

#define VARIANCES "[1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, "

static void what_is_no_covariance_is_refused(void **state)
{
    (void)state;
    assert_refused(TOP "  - {id: 7, position_m: [0, 0, 0], yaw_deg: 0, covariance: " VARIANCES "-1]}\n",
                   "map.yaml:4: tags[0].covariance: is not a covariance: it has a negative eigenvalue; give "
                   "position_std_m and "
                   "rotation_std_deg instead");
    assert_refused(TOP
                   "  - {id: 7, position_m: [0, 0, 0], yaw_deg: 0, position_std_m: 1, covariance: " VARIANCES
                   "1]}\n",
                   "map.yaml:4: tags[0].covariance: says all; leave out position_std_m and rotation_std_deg");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_covariance_comes_back_as_it_was),
        cmocka_unit_test(tags_on_a_panel_have_its_error_besides_their_own),
        cmocka_unit_test(wrong_panels_are_named),
        cmocka_unit_test(what_is_no_covariance_is_refused),
        cmocka_unit_test(a_map_is_read),
        cmocka_unit_test(a_flat_tag_is_turned_about_z),
        cmocka_unit_test(an_upright_tag_faces_its_yaw),
        cmocka_unit_test(a_rotation_matrix_has_the_tags_axes_as_columns),
        cmocka_unit_test(a_tag_needs_exactly_one_rotation),
        cmocka_unit_test(a_tag_listed_twice_is_named_with_both_lines),
        cmocka_unit_test(families_and_edges_are_needed_somewhere),
        cmocka_unit_test(wrong_lists_and_values_are_named),
        cmocka_unit_test(a_map_has_room_for_256_tags),
        cmocka_unit_test(ids_are_within_their_family),
        cmocka_unit_test(files_are_read_from_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
