#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pov.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { BALL, CAR, WOMAN, CAMERA, LEN };

static const double eye_m[3] = {0, -2, 1.2}, middle_m[3] = {0, 0, 0.1};
static const pov_field everything = {
    .half_horizontal_rad = PI / 2, .half_vertical_rad = PI / 3, .far_m = INFINITY, .eye_m = {0.1, 0, 0.7}};

static pov_entity body(double x_m, double y_m, double z_m, double side_m)
{
    return (pov_entity){.placed = 1, .position_m = {x_m, y_m, z_m}, .size_m = {side_m, side_m, side_m}};
}

static void assert_ok(pov_status status)
{
    assert_string_equal(status.message, "");
    assert_int_equal(status.code, POV_OK);
}

static void assert_refused(pov_status status, const char *words)
{
    assert_int_equal(status.code, POV_ERROR);
    if (!strstr(status.message, words))
        fail_msg("\"%s\" does not say \"%s\"", status.message, words);
}

/* A ball east of a car that looks west; a woman who looks east at both; a camera in the south; north is +y. */
static pov_scene *made_scene(void)
{
    pov_scene *scene;
    pov_entity ball = body(0.4, 0.1, 0.1, 0.2), car = body(-0.1, 0, 0.15, 0.3),
               woman = body(-1.5, 0.4, 0.8, 0.3);
    int16_t id;
    car.size_m[0] = 0.8;
    car.has_front = woman.has_front = 1;
    car.yaw_rad = PI;
    car.kappa = woman.kappa = pov_kappa_from_std(0.05);
    woman.size_m[2] = 1.6;
    woman.addressee = 1;
    assert_ok(pov_scene_new(&scene));
    assert_ok(pov_entity_add(scene, &id, "ball", "toy", &ball));
    assert_int_equal(id, BALL);
    assert_ok(pov_entity_add(scene, &id, "car", "car", &car));
    assert_ok(pov_entity_add(scene, NULL, "woman", "person", &woman));
    assert_ok(pov_entity_set_field(scene, WOMAN, &everything));
    assert_ok(pov_scene_set_camera(scene, eye_m, middle_m, NULL));
    assert_ok(pov_scene_set_north(scene, PI / 2));
    return scene;
}

/* Records have bytes between fields that mean nothing. */
static void assert_same(const pov_judgment *a, const pov_judgment *b, int len)
{
    for (int i = 0; i < len; i++)
        assert_memory_equal(&a[i], &b[i], offsetof(pov_judgment, verdict) + 1);
}

static pov_judgment behind_by_own_front(void)
{
    return (pov_judgment){.relation = (int16_t)pov_relation_find("behind"),
                          .referent = BALL,
                          .viewer = -1,
                          .relatum_len = 1,
                          .relata = {CAR},
                          .perspective = POV_INTRINSIC,
                          .convention = POV_NO_CONVENTION,
                          .axis = POV_HEADING};
}

static void the_values_of_the_header_have_the_names_of_the_program(void **state)
{
    (void)state;
    static const struct {
        int word, value;
        const char *name;
    } wanted[] = {{POV_PERSPECTIVES, POV_EGOCENTRIC, "egocentric"},
                  {POV_PERSPECTIVES, POV_ADDRESSEE, "addressee"},
                  {POV_PERSPECTIVES, POV_INTRINSIC, "intrinsic"},
                  {POV_PERSPECTIVES, POV_ABSOLUTE, "absolute"},
                  {POV_CONVENTIONS, POV_TRANSLATED, "translated"},
                  {POV_CONVENTIONS, POV_ROTATED, "rotated"},
                  {POV_CONVENTIONS, POV_REFLECTED, "reflected"},
                  {POV_CONVENTIONS, POV_NO_CONVENTION, NULL},
                  {POV_AXES, POV_SIGHT_LINE, "sight_line"},
                  {POV_AXES, POV_HEADING, "heading"},
                  {POV_ACCEPTANCES, POV_HEMISPHERE, "hemisphere"},
                  {POV_ACCEPTANCES, POV_COSINE, "cosine"},
                  {POV_ACCEPTANCES, POV_TEMPLATE, "template"},
                  {POV_CONTAINMENTS, POV_EXTERNAL, "external"},
                  {POV_CONTAINMENTS, POV_INTERNAL, "internal"},
                  {POV_DOUBTS, POV_DOUBT_NONE, NULL},
                  {POV_DOUBTS, POV_DOUBT_POSES, "poses"},
                  {POV_DOUBTS, POV_DOUBT_CALIBRATION, "calibration"},
                  {POV_VERDICTS, POV_FALSE, "false"},
                  {POV_VERDICTS, POV_TRUE, "true"},
                  {POV_VERDICTS, POV_ABSTAIN, "abstain"},
                  {POV_VERDICTS, POV_VERDICT_UNDEFINED, "undefined"},
                  {POV_CAUSES, POV_CAUSE_NONE, "none"},
                  {POV_CAUSES, POV_CAUSE_OUT_OF_VIEW, "out_of_view"},
                  {POV_CAUSES, POV_CAUSE_BEHIND, "behind"},
                  {POV_CAUSES, POV_CAUSE_HIDDEN, "hidden"},
                  {POV_CAUSES, POV_CAUSE_TOO_SMALL, "too_small"},
                  {POV_CAUSES, POV_CAUSE_TOO_NEAR, "too_near"},
                  {POV_CAUSES, POV_CAUSE_TOO_FAR, "too_far"},
                  {POV_CAUSES, POV_CAUSE_UNKNOWN_GAZE, "unknown_gaze"},
                  {POV_CAUSES, POV_CAUSE_NOT_PLACED, "not_placed"},
                  {POV_CAUSES, POV_CAUSE_NOT_A_VIEWER, "not_a_viewer"},
                  {POV_CAUSES, POV_CAUSE_NO_BODY, "no_body"}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        const char *name = pov_name(wanted[i].word, wanted[i].value);
        if (wanted[i].name)
            assert_string_equal(name, wanted[i].name);
        else
            assert_null(name);
    }
    for (int word = -2; word < 12; word++)
        for (int value = -1; value < 2000; value += 1999)
            assert_null(pov_name(word, value < 0 ? value : 1998));
}

static void the_registry_is_walked_through_by_index(void **state)
{
    (void)state;
    pov_relation_entry entry;
    int len = 0, directions = 0;
    for (; pov_relation_at(&entry, len).code == POV_OK; len++) {
        assert_int_equal(pov_relation_find(entry.name), len);
        assert_string_equal(pov_name(POV_RELATIONS, len), entry.name);
        directions += entry.is_direction;
    }
    assert_in_range(len, 60, POV_REGISTRY_MAX);
    assert_int_equal(directions, 8);
    assert_int_equal(pov_relation_at(&entry, -1).code, POV_END);
    assert_string_equal(entry.name, "");
    assert_int_equal(pov_relation_find("in front of"), pov_relation_find("in_front_of"));
    const int alike = pov_relation_find("behnid");
    assert_true(alike < 0);
    assert_string_equal(pov_name(POV_RELATIONS, -1 - alike), "behind");
}

/* The car looks along -x; from it the ball lies 0.5 m along +x and 0.1 m along y. */
static void a_query_is_judged(void **state)
{
    (void)state;
    pov_scene *scene = made_scene();
    pov_judgment judgment = behind_by_own_front();
    assert_ok(pov_judge_query(scene, &judgment, NULL));
    assert_float_equal(fabs(judgment.theta_rad), atan2(0.1, 0.5), 1e-9);
    assert_int_equal(judgment.verdict, POV_TRUE);
    judgment = behind_by_own_front();
    judgment.relata[0] = BALL;
    judgment.referent = CAR;
    assert_int_equal(pov_judge_query(scene, &judgment, NULL).code, POV_UNDEFINED); /* a ball has no front */
    assert_true(isnan(judgment.p));
    assert_int_equal(judgment.verdict, POV_VERDICT_UNDEFINED);
    pov_scene_destroy(&scene);
    assert_null(scene);
    pov_scene_destroy(&scene);
}

static void what_a_query_asks_wrongly_is_named(void **state)
{
    (void)state;
    pov_scene *scene = made_scene();
    pov_judgment judgment;
    pov_choice choice;
    static const struct {
        size_t at;
        const char *field;
    } fields[] = {{offsetof(pov_judgment, perspective), "perspective"},
                  {offsetof(pov_judgment, convention), "convention"},
                  {offsetof(pov_judgment, axis), "axis"},
                  {offsetof(pov_judgment, acceptance), "acceptance"},
                  {offsetof(pov_judgment, relatum_len), "relatum_len"}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        for (int wrong = -1; wrong <= 127; wrong += 128) {
            judgment = behind_by_own_front();
            ((int8_t *)&judgment)[fields[i].at] = (int8_t)wrong;
            assert_refused(pov_judge_query(scene, &judgment, NULL), fields[i].field);
        }
    for (int wrong = -2; wrong <= 1000; wrong += 1002) {
        judgment = behind_by_own_front();
        judgment.relation = (int16_t)wrong;
        assert_refused(pov_judge_query(scene, &judgment, NULL), "relation: ");
        judgment = behind_by_own_front();
        judgment.referent = (int16_t)wrong;
        assert_refused(pov_judge_query(scene, &judgment, NULL), "referent: the scene has no entity");
        judgment = behind_by_own_front();
        judgment.viewer = (int16_t)wrong;
        assert_refused(pov_judge_query(scene, &judgment, NULL), "viewer: the scene has no entity");
        judgment = behind_by_own_front();
        judgment.relata[0] = (int16_t)wrong;
        assert_refused(pov_judge_query(scene, &judgment, NULL), "relata: the scene has no entity");
    }
    const double margins[] = {0.5, -0.1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        pov_choice_usual(&choice);
        choice.abstain_margin = margins[i];
        judgment = behind_by_own_front();
        assert_refused(pov_judge_query(scene, &judgment, &choice), "abstain_margin");
    }
    pov_choice_usual(&choice);
    choice.good_fall_rad = 0;
    assert_refused(pov_judge_query(scene, &judgment, &choice), "fall");
    pov_scene_destroy(&scene);
}

/* Without errors a template is its own value: the good region ends at 0.5236 rad, the ball is 0.197 rad off; narrowed, it is not. */
static void the_regions_of_a_template_are_the_callers(void **state)
{
    (void)state;
    pov_scene *scene = made_scene();
    pov_judgment wide = behind_by_own_front(), narrow = behind_by_own_front();
    pov_choice choice;
    wide.acceptance = narrow.acceptance = POV_TEMPLATE;
    pov_choice_usual(&choice);
    assert_ok(pov_judge_query(scene, &wide, &choice));
    assert_true(wide.p > 0.9);
    choice.good_edge_rad = 0.01;
    choice.acceptable_edge_rad = 0.02;
    choice.good_fall_rad = choice.acceptable_fall_rad = 0.001;
    assert_ok(pov_judge_query(scene, &narrow, &choice));
    assert_true(narrow.p < 0.1);
    pov_scene_destroy(&scene);
}

static void entities_are_read_as_they_were_added(void **state)
{
    (void)state;
    pov_scene *scene;
    pov_entity added = body(1, 2, 3, 0.5), read[3];
    added.position_cov_m2[0] = 0.01;
    added.has_front = added.has_velocity = added.addressee = 1;
    added.yaw_rad = 0.3;
    added.kappa = 40;
    added.velocity_m_s[1] = 0.2;
    added.shape = POV_SHAPE_CAPSULE;
    added.rotation[1] = added.rotation[5] = added.rotation[6] = 1; /* x -> z, y -> x, z -> y */
    const pov_entity nothing = {0};
    assert_ok(pov_scene_new(&scene));
    assert_int_equal(pov_scene_len(scene), 0);
    pov_scene_entities(scene, NULL);
    assert_ok(pov_entity_add(scene, NULL, "Zo\xc3\xab", "person", &added));
    assert_ok(pov_entity_add(scene, NULL, "nothing", "", &nothing));
    assert_int_equal(pov_scene_len(scene), 2);
    pov_scene_entities(scene, read);
    added.velocity_cov_m2_s2[0] = 0;
    assert_memory_equal(read[0].position_m, added.position_m, sizeof added.position_m);
    assert_memory_equal(read[0].position_cov_m2, added.position_cov_m2, sizeof added.position_cov_m2);
    assert_memory_equal(read[0].size_m, added.size_m, sizeof added.size_m);
    assert_memory_equal(read[0].velocity_m_s, added.velocity_m_s, sizeof added.velocity_m_s);
    for (int i = 0; i < 9; i++)
        assert_float_equal(read[0].rotation[i], added.rotation[i], 1e-12);
    assert_float_equal(read[0].yaw_rad, 0.3, 1e-15);
    assert_float_equal(read[0].kappa, 40, 0);
    assert_int_equal(read[0].shape, POV_SHAPE_CAPSULE);
    assert_true(read[0].placed && read[0].has_front && read[0].has_velocity && read[0].addressee &&
                !read[0].can_see);
    assert_true(!read[1].placed && !read[1].has_front && isnan(read[1].position_m[0]) &&
                isnan(read[1].yaw_rad) && isnan(read[1].velocity_m_s[0]) && read[1].size_m[0] == 0);
    assert_int_equal(pov_entity_find(scene, "Zo\xc3\xab"), 0);
    assert_int_equal(pov_entity_find(scene, "nobody"), -1);
    assert_string_equal(pov_entity_class(scene, 0), "person");
    for (int wrong = -1; wrong < 300; wrong += 299) {
        assert_string_equal(pov_entity_name(scene, wrong < 0 ? wrong : 2), "");
        assert_string_equal(pov_entity_class(scene, wrong < 0 ? wrong : 2), "");
    }
    assert_true(isnan(pov_scene_north(scene)));
    pov_scene_destroy(&scene);
}

static void an_entity_that_is_wrong_is_not_added_and_the_message_names_the_field(void **state)
{
    (void)state;
    pov_scene *scene = made_scene();
    const pov_entity good = body(0, 0, 0, 1);
    int16_t id = 7;
    pov_entity wrong[14];
    const char *words[14] = {"position_m",      "position_m", "position_cov_m2", "position_cov_m2",
                             "position_cov_m2", "size_m",     "size_m",          "rotation",
                             "yaw_rad",         "kappa",      "velocity_m_s",    "velocity_cov_m2_s2",
                             "shape_doubt",     "shape: 3"};
    for (int i = 0; i < 14; i++)
        wrong[i] = good;
    wrong[0].position_m[1] = NAN;
    wrong[1].position_m[2] = 1e5;
    wrong[2].position_cov_m2[0] = -1;
    wrong[3].position_cov_m2[1] = 0.5; /* not symmetric */
    wrong[4].position_cov_m2[8] = INFINITY;
    wrong[5].size_m[0] = -0.1;
    wrong[6].size_m[1] = NAN;
    wrong[7].rotation[0] = wrong[7].rotation[4] = 1, wrong[7].rotation[8] = -1; /* left-handed */
    wrong[8].has_front = 1, wrong[8].yaw_rad = INFINITY;
    wrong[9].has_front = 1, wrong[9].kappa = -1;
    wrong[10].has_velocity = 1, wrong[10].velocity_m_s[0] = NAN;
    wrong[11].has_velocity = 1, wrong[11].velocity_cov_m2_s2[4] = -1;
    wrong[12].shape_doubt = 0.5;
    wrong[13].shape = POV_SHAPE_MESH;
    for (int i = 0; i < 14; i++) {
        assert_refused(pov_entity_add(scene, &id, "new", "thing", &wrong[i]), words[i]);
        assert_int_equal(id, -1);
    }
    assert_refused(pov_entity_add(scene, &id, "ball", "toy", &good), "'ball'");
    assert_refused(pov_entity_add(scene, &id, "", "toy", &good), "empty");
    assert_refused(pov_entity_add(scene, &id, "a\nb", "toy", &good), "control");
    assert_refused(pov_entity_add(scene, &id, "0123456789012345678901234567890x", "toy", &good),
                   "longer than 31");
    assert_refused(pov_entity_add(scene, &id, "a", "0123456789012345678901234567890x", &good),
                   "longer than 31");
    assert_int_equal(pov_scene_len(scene), LEN);
    char name[4] = "aaa";
    while (pov_scene_len(scene) < 256) {
        name[0] = (char)('a' + pov_scene_len(scene) % 16);
        name[1] = (char)('a' + pov_scene_len(scene) / 16);
        assert_ok(pov_entity_add(scene, NULL, name, "toy", &good));
    }
    assert_refused(pov_entity_add(scene, NULL, "one more", "toy", &good), "256");
    pov_scene_destroy(&scene);
}

static void ids_and_numbers_that_are_wrong_change_nothing(void **state)
{
    (void)state;
    pov_scene *scene = made_scene();
    const pov_field field = everything;
    const pov_front front = {1, 0, 10}, weightless = {0, 0, 10}, nowhere = {1, NAN, 10};
    const double per_pose[18] = {0}, wrong_pose[18] = {NAN}, cov[36] = {-1}, up_m[3] = {0, -2, 5},
                 nan_m[3] = {NAN, 0, 0};
    pov_entity before[LEN], after[LEN];
    pov_scene_entities(scene, before);
    for (int wrong = -1; wrong <= LEN; wrong += LEN + 1) {
        assert_refused(pov_entity_set_field(scene, wrong, &field), "no entity");
        assert_refused(pov_entity_set_fronts(scene, wrong, &front, 1), "no entity");
        assert_refused(pov_entity_tie_to_camera(scene, wrong, per_pose, NULL), "no entity");
    }
    pov_field wrong_fields[6] = {field, field, field, field, field, field};
    const char *words[6] = {"shape", "half_", "half_", "far_m", "far_m", "eye_m"};
    wrong_fields[0].shape = 2;
    wrong_fields[1].half_horizontal_rad = 0;
    wrong_fields[2].shape = POV_FIELD_FRUSTUM, wrong_fields[2].half_vertical_rad = PI / 2;
    wrong_fields[3].near_m = 2, wrong_fields[3].far_m = 1;
    wrong_fields[4].far_m = NAN;
    wrong_fields[5].eye_m[2] = INFINITY;
    for (int i = 0; i < 6; i++)
        assert_refused(pov_entity_set_field(scene, BALL, &wrong_fields[i]), words[i]);
    assert_refused(pov_entity_set_fronts(scene, CAMERA, &front, 1), "camera");
    assert_refused(pov_entity_set_fronts(scene, BALL, &front, 5), "fronts: 5");
    assert_refused(pov_entity_set_fronts(scene, BALL, &front, -1), "fronts: -1");
    assert_refused(pov_entity_set_fronts(scene, BALL, &weightless, 1), "weights");
    assert_refused(pov_entity_set_fronts(scene, BALL, &nowhere, 1), "yaw_rad");
    assert_refused(pov_entity_tie_to_camera(scene, CAMERA, per_pose, NULL), "camera");
    assert_refused(pov_entity_tie_to_camera(scene, BALL, wrong_pose, NULL), "per_camera_pose");
    assert_refused(pov_scene_set_camera(scene, eye_m, eye_m, NULL), "look_at_m");
    assert_refused(pov_scene_set_camera(scene, eye_m, up_m, NULL), "look_at_m");
    assert_refused(pov_scene_set_camera(scene, nan_m, eye_m, NULL), "position_m");
    assert_refused(pov_scene_set_camera(scene, eye_m, middle_m, cov), "cov");
    assert_refused(pov_scene_set_north(scene, INFINITY), "north");
    const int16_t nobody = 77, camera = CAMERA, ball = BALL;
    const double at_m[3] = {0, 0, 0}, yaw_rad = 0, far_m[3] = {0, 1e9, 0};
    assert_refused(pov_scene_move(scene, &nobody, 1, at_m, NULL), "entity 77");
    assert_refused(pov_scene_move(scene, &camera, 1, at_m, NULL), "camera");
    assert_refused(pov_scene_move(scene, &ball, 1, NULL, &yaw_rad), "'ball' has 0 fronts");
    assert_refused(pov_scene_move(scene, &ball, 1, far_m, NULL), "'ball'");
    assert_true(isnan(pov_kappa_from_std(-1)) && isnan(pov_kappa_from_std(NAN)));
    pov_scene_entities(scene, after);
    for (int i = 0; i < LEN; i++)
        assert_memory_equal(after[i].position_m, before[i].position_m,
                            sizeof *after - offsetof(pov_entity, position_m));
    pov_scene_destroy(&scene);
}

static void a_mesh_of_wrong_indices_is_refused_and_a_right_one_hides(void **state)
{
    (void)state;
    pov_scene *scene = made_scene();
    pov_visibility seen;
    pov_visibilities room = {&seen, 1, 0};
    /* a wall across the car's box, seen by the woman face on: as a box, the low car hides nothing of a ball high above */
    float vertices_m[4][3] = {{0, -2, -2}, {0, 2, -2}, {0, 2, 2}, {0, -2, 2}};
    uint32_t triangles[2][3] = {{0, 1, 2}, {0, 2, 4}};
    const pov_triangles wall = {(const float(*)[3])vertices_m, (const uint32_t(*)[3])triangles, 4, 2};
    const double high_m[3] = {0.4, 0.4, 1.5};
    const int16_t ball = BALL;
    assert_refused(pov_entity_set_mesh(scene, CAR, &wall), "triangle 1 names vertex 4 of 4");
    assert_refused(pov_entity_set_mesh(scene, 99, &wall), "no entity 99");
    assert_refused(pov_entity_set_mesh(scene, CAR, &(pov_triangles){wall.vertices_m, wall.triangles, 4, 0}),
                   "0 triangles");
    assert_ok(pov_scene_move(scene, &ball, 1, high_m, NULL));
    assert_ok(pov_look(scene, &room, WOMAN, BALL, NULL));
    assert_float_equal(seen.fraction_visible, 1, 0.005);
    triangles[1][2] = 3;
    vertices_m[2][1] = NAN;
    assert_refused(pov_entity_set_mesh(scene, CAR, &wall), "vertex 2");
    vertices_m[2][1] = 2;
    assert_ok(pov_entity_set_mesh(scene, CAR, &wall));
    memset(vertices_m, 0, sizeof vertices_m); /* it was copied */
    assert_ok(pov_look(scene, &room, WOMAN, BALL, NULL));
    assert_float_equal(seen.fraction_visible, 0, 0.005);
    assert_int_equal(seen.occluder[0], CAR);
    pov_scene_destroy(&scene);
}

static void pairs_that_name_nobody_or_one_twice_are_refused(void **state)
{
    (void)state;
    pov_scene *scene = made_scene();
    pov_judgment list[256];
    pov_judgments room = {list, 256, 0};
    const pov_pair wrong[] = {{-1, 1, {CAR}},    {LEN, 1, {CAR}},       {BALL, 0, {0}},  {BALL, 9, {CAR}},
                              {BALL, 1, {BALL}}, {BALL, 2, {CAR, CAR}}, {BALL, 1, {77}}, {BALL, -1, {CAR}}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        room.len = 9;
        assert_refused(pov_judge_pairs(scene, &room, &(pov_pairs){&wrong[i], 1}, NULL), "pairs: ");
        assert_int_equal(room.len, 0);
    }
    pov_choice choice;
    pov_choice_usual(&choice);
    choice.abstain_margin = 0.6;
    const pov_pair pair = {BALL, 1, {CAR}};
    assert_refused(pov_judge_pairs(scene, &room, &(pov_pairs){&pair, 1}, &choice), "abstain_margin");
    pov_scene_destroy(&scene);
}

static void too_little_room_is_told_by_the_length_and_the_same_comes_with_more(void **state)
{
    (void)state;
    pov_scene *scene = made_scene();
    const pov_pair pairs[2] = {{BALL, 1, {CAR}}, {CAR, 1, {BALL}}};
    pov_judgment few[3], many[512];
    pov_judgments room = {few, 3, 0}, none = {NULL, 0, 0}, all = {many, 512, 0};
    assert_ok(pov_judge_pairs(scene, &all, &(pov_pairs){pairs, 2}, NULL));
    assert_in_range(all.len, 60, 512);
    assert_ok(pov_judge_pairs(scene, &room, &(pov_pairs){pairs, 2}, NULL));
    assert_ok(pov_judge_pairs(scene, &none, &(pov_pairs){pairs, 2}, NULL));
    assert_int_equal(room.len, all.len);
    assert_int_equal(none.len, all.len);
    assert_same(few, many, 3);
    /* entities that come later are judged as well */
    const pov_entity box = body(1, 1, 0.1, 0.2);
    for (int i = 0; i < 5; i++) {
        char name[2] = {(char)('a' + i), 0};
        pov_entity viewer = box;
        viewer.position_m[0] += i;
        viewer.addressee = viewer.has_front = 1;
        viewer.kappa = 100;
        assert_ok(pov_entity_add(scene, NULL, name, "person", &viewer));
    }
    assert_ok(pov_judge_pairs(scene, &all, &(pov_pairs){pairs, 1}, NULL));
    pov_choice directions;
    pov_choice_usual(&directions);
    memset(directions.relation, 0, sizeof directions.relation);
    for (int i = 0; i < 4; i++)
        directions.relation[pov_relation_find(
            ((const char *[]){"left_of", "right_of", "in_front_of", "behind"})[i])] = 1;
    assert_ok(pov_judge_pairs(scene, &all, &(pov_pairs){pairs, 1}, &directions));
    assert_int_equal(all.len,
                     4 * (3 * 7 + 1)); /* seven viewers in three conventions, and the car's own front */
    pov_scene_destroy(&scene);
}

static void a_batch_leaves_the_scene_as_it_was_also_after_an_error(void **state)
{
    (void)state;
    pov_scene *scene = made_scene();
    pov_judgment judged[512], first[256], again[256];
    pov_judgments room = {judged, 512, 0}, one = {first, 256, 0}, two = {again, 256, 0};
    const pov_pair pair = {BALL, 1, {CAR}};
    const pov_pairs pairs = {&pair, 1};
    const int16_t ball = BALL;
    double at_m[2][3] = {{-1, 0, 0.1}, {0, 1, 0.1}};
    const pov_batch batch = {.len = 2, .ids = &ball, .id_len = 1, .positions_m = &at_m[0][0]};
    assert_ok(pov_judge_pairs(scene, &one, &pairs, NULL));
    assert_ok(pov_judge_batch(scene, &room, &pairs, NULL, &batch));
    assert_int_equal(room.len, 2 * one.len);
    assert_true(judged[0].theta_rad != judged[one.len].theta_rad);
    room.capacity = 2 * one.len - 1;
    assert_refused(pov_judge_batch(scene, &room, &pairs, NULL, &batch), "room for");
    assert_int_equal(room.len, 2 * one.len);
    room.capacity = 512;
    at_m[1][2] = NAN;
    assert_refused(pov_judge_batch(scene, &room, &pairs, NULL, &batch),
                   "scene 1 of the batch: positions_m: the place of 'ball' is not finite");
    assert_refused(pov_judge_batch(scene, &room, &pairs, NULL, &(pov_batch){.len = -1}), "less than 0");
    assert_ok(pov_judge_pairs(scene, &two, &pairs, NULL));
    assert_int_equal(one.len, two.len);
    assert_same(first, again, one.len);
    /* each scene of the batch as if it had been moved */
    at_m[1][2] = 0.1;
    assert_ok(pov_judge_batch(scene, &room, &pairs, NULL, &batch));
    assert_ok(pov_scene_move(scene, &ball, 1, at_m[1], NULL));
    assert_ok(pov_judge_pairs(scene, &two, &pairs, NULL));
    assert_same(&judged[one.len], again, one.len);
    pov_scene_destroy(&scene);
}

static void a_box_turns_with_its_front(void **state)
{
    (void)state;
    pov_scene *scene = made_scene();
    pov_entity read[LEN];
    const int16_t car = CAR;
    const double yaw_rad = PI / 2;
    assert_ok(pov_scene_move(scene, &car, 1, NULL, &yaw_rad));
    pov_scene_entities(scene, read);
    assert_float_equal(read[CAR].yaw_rad, PI / 2, 1e-12);
    assert_float_equal(read[CAR].rotation[3], 1, 1e-12); /* its x axis is the table's y */
    pov_scene_destroy(&scene);
}

static void errors_that_a_camera_shares_cancel_in_what_is_relative(void **state)
{
    (void)state;
    pov_scene *scene;
    double cov[36] = {0}, per_pose[18] = {0};
    pov_entity read[3];
    for (int i = 3; i < 6; i++)
        cov[7 * i] = 0.2 * 0.2; /* the camera's position is known to 20 cm */
    for (int i = 0; i < 3; i++)
        per_pose[6 * i + 3 + i] = 1;
    pov_judgment judgment[2];
    for (int tied = 0; tied < 2; tied++) {
        const pov_entity left = body(0, 0, 0.1, 0.05), right = body(0.2, 0.02, 0.1, 0.05);
        assert_ok(pov_scene_new(&scene));
        assert_ok(pov_entity_add(scene, NULL, "a", "toy", &left));
        assert_ok(pov_entity_add(scene, NULL, "b", "toy", &right));
        assert_refused(pov_entity_tie_to_camera(scene, 0, per_pose, NULL), "no camera");
        assert_ok(pov_scene_set_camera(scene, eye_m, middle_m, cov));
        if (tied) {
            assert_ok(pov_entity_tie_to_camera(scene, 0, per_pose, NULL));
            assert_ok(pov_entity_tie_to_camera(scene, 1, per_pose, NULL));
            pov_scene_entities(scene, read);
            assert_float_equal(read[0].position_cov_m2[0], 0.04, 1e-12);
        }
        judgment[tied] = (pov_judgment){.relation = (int16_t)pov_relation_find("left_of"),
                                        .referent = 0,
                                        .viewer = 2,
                                        .relata = {1},
                                        .relatum_len = 1,
                                        .perspective = POV_EGOCENTRIC,
                                        .convention = POV_REFLECTED,
                                        .axis = POV_HEADING};
        assert_ok(pov_judge_query(scene, &judgment[tied], NULL));
        pov_scene_destroy(&scene);
    }
    assert_int_equal(judgment[1].verdict, POV_TRUE);
    assert_float_equal(judgment[0].p, judgment[1].p, 0.01);
}

static void the_camera_moves_and_keeps_its_field(void **state)
{
    (void)state;
    pov_scene *scene = made_scene();
    const double west_m[3] = {-3, 0, 0.3};
    pov_visibility seen;
    pov_visibilities room = {&seen, 1, 0};
    pov_entity read[LEN];
    const pov_field field = {
        .half_horizontal_rad = 0.5, .half_vertical_rad = 0.4, .far_m = 100, .shape = POV_FIELD_FRUSTUM};
    assert_ok(pov_entity_set_field(scene, CAMERA, &field));
    assert_ok(pov_look(scene, &room, CAMERA, BALL, NULL));
    assert_int_equal(seen.verdict, POV_TRUE);
    assert_ok(pov_scene_set_camera(scene, west_m, middle_m, NULL));
    assert_int_equal(pov_scene_len(scene), LEN);
    pov_scene_entities(scene, read);
    assert_float_equal(read[CAMERA].position_m[0], -3, 0);
    assert_true(read[CAMERA].can_see);
    assert_ok(pov_look(scene, &room, CAMERA, BALL, NULL));
    assert_int_equal(seen.occluder[0], CAR); /* now between the two */
    assert_ok(pov_entity_set_field(scene, CAMERA, NULL));
    assert_ok(pov_look(scene, &room, CAMERA, BALL, NULL));
    assert_int_equal(seen.cause, POV_CAUSE_NOT_A_VIEWER);
    pov_scene_destroy(&scene);
}

static void looks_are_told_and_wrong_thresholds_refused(void **state)
{
    (void)state;
    pov_scene *scene = made_scene();
    pov_visibility seen[8];
    pov_visibilities room = {seen, 8, 0};
    pov_seeing seeing;
    assert_ok(pov_look(scene, &room, -1, BALL, NULL));
    assert_int_equal(room.len, 1); /* the camera of this scene has no field of view */
    assert_int_equal(seen[0].viewer, WOMAN);
    assert_int_equal(seen[0].occluder[0], CAR);
    assert_int_equal(seen[0].occluder[7], -1);
    assert_ok(pov_look(scene, &room, -1, -1, NULL));
    assert_int_equal(room.len, 2);
    for (int wrong = -2; wrong <= LEN; wrong += LEN + 2) {
        assert_refused(pov_look(scene, &room, wrong, BALL, NULL), "no entity");
        assert_refused(pov_look(scene, &room, WOMAN, wrong, NULL), "no entity");
        assert_int_equal(room.len, 0);
    }
    pov_seeing_usual(&seeing);
    seeing.rays = 0;
    assert_refused(pov_look(scene, &room, WOMAN, BALL, &seeing), "rays");
    pov_seeing_usual(&seeing);
    seeing.min_fraction = NAN;
    assert_refused(pov_look(scene, &room, WOMAN, BALL, &seeing), "min_fraction");
    pov_seeing_usual(&seeing);
    seeing.min_fraction = 1;
    seeing.ample_size_rad = 10;
    seeing.rays = 1 << 16;
    assert_ok(pov_look(scene, &room, WOMAN, BALL, &seeing));
    assert_int_equal(seen[0].verdict, POV_FALSE); /* not all of it is seen */
    pov_scene_destroy(&scene);
}

/* -------- whatever the numbers are -------- */

static uint32_t dice = 1;

/* Numerical Recipes' linear congruential generator. */
static int rolled(int sides)
{
    dice = 1664525 * dice + 1013904223;
    return (int)((dice >> 8) % (unsigned)sides);
}

static double number(void)
{
    static const double odd[] = {0,     1,   -1,        NAN,  INFINITY,           -INFINITY,         1e-300,
                                 1e300, 1e4, 1.00001e4, 1e-9, 3.1415926535897931, 1.5707963267948966};
    return rolled(20) > 0 ? (rolled(2001) - 1000) / 500.0 : odd[rolled(sizeof odd / sizeof *odd)];
}

static void fill(double *numbers, int len)
{
    const int zeros = rolled(8);
    for (int i = 0; i < len; i++)
        numbers[i] = zeros ? 0 : number();
}

static pov_entity any_entity(void)
{
    pov_entity e = {.placed = (int8_t)rolled(2),
                    .has_front = (int8_t)rolled(2),
                    .has_velocity = (int8_t)rolled(2),
                    .addressee = (int8_t)rolled(2),
                    .shape = (int8_t)(rolled(8) ? rolled(3) : rolled(6) - 1)};
    fill(e.position_cov_m2, 9);
    fill(e.rotation, 9);
    fill(e.velocity_cov_m2_s2, 9);
    for (int i = 0; i < 3; i++) {
        e.position_m[i] = number();
        e.size_m[i] = fabs(number());
        e.velocity_m_s[i] = number();
    }
    e.shape_doubt = rolled(6) ? 0 : number();
    e.yaw_rad = number();
    e.kappa = fabs(number());
    return e;
}

static bool is_share(double p)
{
    return isnan(p) || (p >= 0 && p <= 1);
}

static void judge_anything(pov_scene *scene)
{
    static pov_judgment list[512];
    static pov_visibility seen[256];
    pov_judgments judged = {list, rolled(513), 0};
    pov_visibilities looked = {seen, rolled(257), 0};
    pov_pair pair = {.referent = (int16_t)(rolled(12) - 1), .relatum_len = (int16_t)rolled(4)};
    pov_choice choice;
    pov_seeing seeing;
    pov_judgment query = {.relation = (int16_t)(rolled(100) - 1),
                          .referent = (int16_t)(rolled(12) - 1),
                          .viewer = (int16_t)(rolled(12) - 1),
                          .relatum_len = (int8_t)rolled(4),
                          .perspective = (int8_t)rolled(5),
                          .convention = (int8_t)rolled(5),
                          .axis = (int8_t)rolled(3),
                          .acceptance = (int8_t)rolled(4)};
    for (int i = 0; i < 8; i++)
        query.relata[i] = pair.relata[i] = (int16_t)(rolled(12) - 1);
    pov_choice_usual(&choice);
    choice.abstain_margin = rolled(4) ? 0.4 : number();
    choice.good_edge_rad = rolled(4) ? choice.good_edge_rad : number();
    choice.reach_m = rolled(4) ? choice.reach_m : number();
    (void)!pov_judge_query(scene, &query, rolled(2) ? &choice : NULL).code;
    const pov_status status =
        pov_judge_pairs(scene, &judged, &(pov_pairs){&pair, 1}, rolled(2) ? &choice : NULL);
    assert_true(status.code == POV_OK || judged.len == 0);
    for (int i = 0; i < judged.len && i < judged.capacity; i++)
        assert_true(is_share(list[i].p) && list[i].verdict >= 0 && list[i].verdict <= POV_VERDICT_UNDEFINED);
    pov_seeing_usual(&seeing);
    seeing.rays = rolled(4) ? 64 : rolled(1 << 17) - 1;
    seeing.rays_per_node = 16;
    seeing.min_fraction = rolled(4) ? 0.2 : number();
    (void)!pov_look(scene, &looked, rolled(12) - 2, rolled(12) - 2, &seeing).code;
    for (int i = 0; i < looked.len && i < looked.capacity; i++)
        assert_true(is_share(seen[i].p) && is_share(seen[i].fraction_visible));
}

/* Every function gets what a careless caller may give it: it answers or refuses. */
static void no_number_and_no_id_ends_the_process(void **state)
{
    (void)state;
    int added = 0, refused = 0;
    for (int round = 0; round < 400; round++) {
        pov_scene *scene;
        assert_ok(pov_scene_new(&scene));
        for (int step = 0; step < 14; step++) {
            double numbers[42];
            int16_t ids[3] = {(int16_t)(rolled(12) - 1), (int16_t)(rolled(12) - 1),
                              (int16_t)(rolled(12) - 1)};
            char name[8] = {(char)('a' + rolled(12)), (char)(rolled(6) ? 0 : rolled(256)), 0};
            const pov_entity entity = any_entity();
            const pov_field field = {number(),
                                     number(),
                                     rolled(2) ? 0 : number(),
                                     rolled(2) ? 9 : number(),
                                     {number(), number(), number()},
                                     rolled(3)};
            const pov_front fronts[2] = {{number(), number(), number()}, {number(), number(), number()}};
            for (int i = 0; i < 42; i++)
                numbers[i] = number();
            fill(&numbers[6], 36);
            const int code = pov_entity_add(scene, &ids[0], name, "thing", &entity).code;
            added += code == POV_OK;
            refused += code != POV_OK;
            (void)!pov_entity_set_field(scene, rolled(12) - 1, &field).code;
            (void)!pov_entity_set_fronts(scene, rolled(12) - 1, fronts, rolled(3)).code;
            (void)!pov_scene_set_camera(scene, numbers, &numbers[3], rolled(2) ? &numbers[6] : NULL).code;
            (void)!pov_entity_tie_to_camera(scene, rolled(12) - 1, &numbers[6],
                                            rolled(2) ? &numbers[24] : NULL)
                .code;
            (void)!pov_scene_set_north(scene, number()).code;
            (void)!pov_scene_move(scene, ids, rolled(4), rolled(2) ? numbers : NULL,
                                  rolled(2) ? numbers : NULL)
                .code;
        }
        for (int step = 0; step < 4; step++)
            judge_anything(scene);
        pov_scene_destroy(&scene);
    }
    assert_in_range(added, 500, 6000);
    assert_in_range(refused, 500, 6000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_values_of_the_header_have_the_names_of_the_program),
        cmocka_unit_test(the_registry_is_walked_through_by_index),
        cmocka_unit_test(a_query_is_judged),
        cmocka_unit_test(what_a_query_asks_wrongly_is_named),
        cmocka_unit_test(the_regions_of_a_template_are_the_callers),
        cmocka_unit_test(entities_are_read_as_they_were_added),
        cmocka_unit_test(an_entity_that_is_wrong_is_not_added_and_the_message_names_the_field),
        cmocka_unit_test(ids_and_numbers_that_are_wrong_change_nothing),
        cmocka_unit_test(a_mesh_of_wrong_indices_is_refused_and_a_right_one_hides),
        cmocka_unit_test(pairs_that_name_nobody_or_one_twice_are_refused),
        cmocka_unit_test(too_little_room_is_told_by_the_length_and_the_same_comes_with_more),
        cmocka_unit_test(a_batch_leaves_the_scene_as_it_was_also_after_an_error),
        cmocka_unit_test(a_box_turns_with_its_front),
        cmocka_unit_test(errors_that_a_camera_shares_cancel_in_what_is_relative),
        cmocka_unit_test(the_camera_moves_and_keeps_its_field),
        cmocka_unit_test(looks_are_told_and_wrong_thresholds_refused),
        cmocka_unit_test(no_number_and_no_id_ends_the_process),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
