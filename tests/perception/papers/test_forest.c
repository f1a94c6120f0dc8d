#include "perception/papers/forest.h"

#include <cJSON.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/near.h"

#define DEG(angle) ((angle)*POV_PI / 180)

/* Optional data: ../shared/golden/forest.json (or $POV_SHARED). NULL: not there. */
static cJSON *read_golden(void)
{
    const char *shared = getenv("POV_SHARED"), *source = getenv("POV_SOURCE");
    char path[600];
    if (shared)
        snprintf(path, sizeof path, "%s/golden/forest.json", shared);
    else
        snprintf(path, sizeof path, "%s/../shared/golden/forest.json", source ? source : ".");
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    static char text[1 << 20];
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return cJSON_Parse(text);
}

static int index_of(const char *word, const char *const words[], int count)
{
    for (int i = 0; i < count; i++)
        if (strcmp(word, words[i]) == 0)
            return i;
    fail_msg("'%s' is not known", word);
    return -1;
}

static const char *text_of(const cJSON *row, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(row, key));
    assert_non_null(text);
    return text;
}

static void every_published_row_follows_from_geometry(void **state)
{
    (void)state;
    static const char *const frames[] = {"external relative", "external intrinsic", "internal intrinsic",
                                         "internal relative"};
    static const char *const facings[] = {"front", "left", "back", "right"};
    static const char *const relations[] = {"left", "right", "front", "back"};
    cJSON *golden = read_golden(), *row;
    if (!golden) {
        print_message("skipped: ../shared not found\n");
        skip();
    }
    int rows = 0;
    cJSON_ArrayForEach(row, cJSON_GetObjectItem(golden, "truth_table"))
    {
        bool has_front = strcmp(text_of(row, "relatum_dir"), "nan") != 0;
        pov_facing facing =
            has_front ? (pov_facing)index_of(text_of(row, "relatum_dir"), facings, 4) : POV_FACES_TOWARD;
        bool asks_camera = strcmp(text_of(row, "question"), "camera") == 0;
        pov_relation answer;
        pov_code code =
            pov_forest_convert(&answer, (pov_relation)index_of(text_of(row, "relation"), relations, 4),
                               (pov_forest_frame)index_of(text_of(row, "for"), frames, 4),
                               asks_camera ? POV_ASK_CAMERA : POV_ASK_RELATUM, has_front ? &facing : NULL);
        assert_int_equal(code, POV_OK);
        assert_string_equal(relations[answer], text_of(row, "answer"));
        rows++;
    }
    assert_int_equal(rows, 136);
    cJSON_Delete(golden);
}

/* FRAMES: "the map is its own inverse, and is the same for external and internal frames". */
static void converting_there_and_back_changes_nothing(void **state)
{
    (void)state;
    for (int facing = 0; facing < POV_FACING_COUNT; facing++)
        for (int relation = POV_LEFT_OF; relation <= POV_BEHIND; relation++) {
            pov_facing way = (pov_facing)facing;
            pov_relation there, internal, back;
            assert_int_equal(pov_forest_convert(&there, (pov_relation)relation, POV_EXTERNAL_RELATIVE,
                                                POV_ASK_RELATUM, &way),
                             POV_OK);
            assert_int_equal(pov_forest_convert(&internal, (pov_relation)relation, POV_INTERNAL_RELATIVE,
                                                POV_ASK_RELATUM, &way),
                             POV_OK);
            assert_int_equal(pov_forest_convert(&back, there, POV_EXTERNAL_INTRINSIC, POV_ASK_CAMERA, &way),
                             POV_OK);
            assert_int_equal(back, relation);
            assert_int_equal(internal, there);
        }
}

static void a_relatum_without_a_front_has_no_words_of_its_own(void **state)
{
    (void)state;
    pov_relation answer;
    assert_int_equal(pov_forest_convert(&answer, POV_LEFT_OF, POV_EXTERNAL_RELATIVE, POV_ASK_RELATUM, NULL),
                     POV_UNDEFINED);
    assert_int_equal(pov_forest_convert(&answer, POV_LEFT_OF, POV_EXTERNAL_INTRINSIC, POV_ASK_CAMERA, NULL),
                     POV_UNDEFINED);
    assert_int_equal(pov_forest_convert(&answer, POV_LEFT_OF, POV_EXTERNAL_RELATIVE, POV_ASK_CAMERA, NULL),
                     POV_OK);
    assert_int_equal(answer, POV_LEFT_OF);
}

/* FoREST, section 2: cow ER EI, car ER EI II IR, box ER IR, pen ER. */
static void frames_apply_by_case(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        pov_relatum_case relatum;
        bool applies[POV_FOREST_FRAME_COUNT]; /* ER EI II IR */
    } cases[] = {{"cow", {true, false}, {true, true, false, false}},
                 {"car", {true, true}, {true, true, true, true}},
                 {"box", {false, true}, {true, false, false, true}},
                 {"pen", {false, false}, {true, false, false, false}}};
    for (int i = 0; i < 4; i++) {
        assert_string_equal(pov_relatum_case_name(cases[i].relatum), cases[i].name);
        for (int frame = 0; frame < POV_FOREST_FRAME_COUNT; frame++)
            assert_int_equal(pov_forest_frame_applies((pov_forest_frame)frame, cases[i].relatum),
                             cases[i].applies[frame]);
    }
}

static void cow_before_camera(pov_scene *scene, double yaw_rad, double kappa)
{
    pov_id id;
    pov_entity cow = pov_entity_named("cow", "cow");
    cow.placed = true;
    cow.position.mean_m = (pov_vec3){0, 0, 0};
    cow.heading = pov_heading_single(yaw_rad, kappa);
    pov_scene_clear(scene);
    pov_pose pose =
        pov_pose_exact(pov_transform_look_at((pov_vec3){0, -3, 1}, (pov_vec3){0, 0, 0}, (pov_vec3){0, 0, 1}));
    assert_int_equal(pov_scene_add_camera(scene, &pose).code, POV_OK);
    assert_int_equal(pov_scene_add(scene, &id, &cow).code, POV_OK);
}

/* The camera is at yaw -90; the bins turn clockwise. */
static void facing_bins_are_the_papers(void **state)
{
    (void)state;
    static const struct {
        double angle_deg;
        pov_facing facing;
    } cases[] = {
        {0, POV_FACES_TOWARD},  {-39, POV_FACES_TOWARD}, {39, POV_FACES_TOWARD}, {41, POV_FACES_LEFT},
        {139, POV_FACES_LEFT},  {141, POV_FACES_AWAY},   {180, POV_FACES_AWAY},  {-180, POV_FACES_AWAY},
        {219, POV_FACES_AWAY},  {221, POV_FACES_RIGHT},  {270, POV_FACES_RIGHT}, {-90, POV_FACES_RIGHT},
        {319, POV_FACES_RIGHT}, {321, POV_FACES_TOWARD}, {-41, POV_FACES_RIGHT}, {360, POV_FACES_TOWARD}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static pov_scene scene;
        double p[POV_FACING_COUNT];
        cow_before_camera(&scene, DEG(-90 - cases[i].angle_deg), INFINITY);
        assert_int_equal(pov_facing_in_scene(p, &scene, 1), POV_OK);
        assert_near(p[cases[i].facing], 1, 1e-9);
    }
}

/* The camera looks along +y: its left is -x. */
static void a_cow_faces_where_its_front_points(void **state)
{
    (void)state;
    static pov_scene scene;
    const double yaws_deg[] = {-90, 180, 90, 0};
    for (int facing = 0; facing < POV_FACING_COUNT; facing++) {
        double p[POV_FACING_COUNT];
        cow_before_camera(&scene, DEG(yaws_deg[facing]), INFINITY);
        assert_int_equal(pov_facing_in_scene(p, &scene, 1), POV_OK);
        for (int i = 0; i < POV_FACING_COUNT; i++)
            assert_near(p[i], i == facing, 1e-9);
    }
}

/* On the edge between two bins the odds are even; with no idea they go by the bins' widths. */
static void an_unsure_cow_faces_by_chance(void **state)
{
    (void)state;
    static pov_scene scene;
    double p[POV_FACING_COUNT];
    cow_before_camera(&scene, DEG(-90 - 40), 400);
    assert_int_equal(pov_facing_in_scene(p, &scene, 1), POV_OK);
    assert_near(p[POV_FACES_TOWARD], 0.5, 2e-3);
    assert_near(p[POV_FACES_LEFT], 0.5, 2e-3);
    cow_before_camera(&scene, 0, 0);
    assert_int_equal(pov_facing_in_scene(p, &scene, 1), POV_OK);
    const double widths_deg[] = {80, 100, 80, 100};
    for (int i = 0; i < POV_FACING_COUNT; i++)
        assert_near(p[i], widths_deg[i] / 360, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_published_row_follows_from_geometry),
        cmocka_unit_test(converting_there_and_back_changes_nothing),
        cmocka_unit_test(a_relatum_without_a_front_has_no_words_of_its_own),
        cmocka_unit_test(frames_apply_by_case),
        cmocka_unit_test(facing_bins_are_the_papers),
        cmocka_unit_test(a_cow_faces_where_its_front_points),
        cmocka_unit_test(an_unsure_cow_faces_by_chance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
