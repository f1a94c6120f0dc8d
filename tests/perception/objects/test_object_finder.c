/* Objects enrolled on a simulated turntable, then found on a simulated table: against the simulator's truth. */
#include "tests/support/object_bench.h"

#include "tests/support/near.h"

#include <math.h>

static const double deg = POV_PI / 180;

enum { FIRST_SCENE = 2 };
#ifdef POV_SANITIZED
enum { SCENES = 1 };
#else
enum { SCENES = 4 };
#endif

static void a_turn_tells_an_objects_size(void **state)
{
    const object_bench *b = *state;
    /* 0.1 x 0.081 x 0.090 and 0.14 x 0.061 x 0.044; from above one sees no flat top but what may stand on it */
    assert_near(b->portraits[DUCK]->height_m, 0.097, 0.015);
    assert_near(b->portraits[CAR]->height_m, 0.054, 0.015);
    assert_near(b->portraits[CAR]->radius_m, 0.075, 0.008);
    assert_true(b->portraits[DUCK]->error_m < 1.5e-3 && b->portraits[CAR]->error_m < 1.5e-3);
    assert_true(b->portraits[DUCK]->error_rad < 1 * deg && b->portraits[CAR]->error_rad < 1 * deg);
}

static void objects_are_found_where_they_are(void **state)
{
    pov_simulator *simulator;
    const pov_object_findings findings = object_bench_look(*state, &simulator, BOTH);
    object_bench_expect(&findings.findings[DUCK], simulator, "duck");
    object_bench_expect(&findings.findings[CAR], simulator, "car");
    assert_true(findings.findings[DUCK].fraction_visible > 0.8);
    assert_true(findings.findings[DUCK].p_kind[DUCK] > 0.95 && findings.findings[CAR].p_kind[CAR] > 0.95);
    assert_near(findings.findings[CAR].size_m.x, 0.14, 0.008);
    pov_simulator_destroy(&simulator);
}

static void other_light_changes_little(void **state)
{
    pov_simulator *simulator;
    const pov_object_findings findings = object_bench_look(
        *state, &simulator,
        "lighting: {lamp_m: [-1, -1.3, 2], lamp_strength: 0.55, lamp_color: \"#ffe8d0\", ambient: 0.4}\n"
        "sensor: {preset: noisy}\n" BOTH);
    object_bench_expect(&findings.findings[DUCK], simulator, "duck");
    object_bench_expect(&findings.findings[CAR], simulator, "car");
    pov_simulator_destroy(&simulator);
}

static void what_is_partly_hidden_is_found_and_said_to_be(void **state)
{
    pov_simulator *simulator;
    double visible;
    const pov_object_findings findings = object_bench_look(
        *state, &simulator,
        BOTH "  - {id: before, class: box, position_m: [0.14, 0.12], size_m: [0.02, 0.08, 0.1]}\n");
    object_bench_expect(&findings.findings[DUCK], simulator, "duck");
    const pov_scene *scene = pov_simulator_truth_of(simulator).scene;
    assert_int_equal(
        pov_simulator_fraction_visible(simulator, &visible, scene->camera, pov_scene_find(scene, "duck"))
            .code,
        POV_OK);
    assert_true(visible < 0.75);
    assert_near(findings.findings[DUCK].fraction_visible, visible, 0.25);
    pov_simulator_destroy(&simulator);
}

static void what_is_half_hidden_is_told_from_what_has_its_colour(void **state)
{
    pov_simulator *simulator;
    double visible;
    const pov_object_findings findings = object_bench_look(
        *state, &simulator,
        "things:\n"
        "  - {id: duck, " DUCK_IS ", position_m: [0.02, 0.1], front_deg: 120}\n"
        "  - {id: car, " CAR_IS ", position_m: [-0.1, -0.08], front_deg: 70}\n"
        "  - {id: banana, class: banana, position_m: [0.12, -0.1], size_m: 0.12}\n"
        "  - {id: apple, class: apple, position_m: [-0.15, 0.12], size_m: 0.09}\n"
        "  - {id: before, class: box, position_m: [0.085, 0.12], size_m: [0.02, 0.09, 0.12], color: "
        "\"#804020\"}\n");
    object_bench_expect(&findings.findings[DUCK], simulator, "duck");
    object_bench_expect(&findings.findings[CAR], simulator, "car");
    const pov_scene *scene = pov_simulator_truth_of(simulator).scene;
    assert_int_equal(
        pov_simulator_fraction_visible(simulator, &visible, scene->camera, pov_scene_find(scene, "duck"))
            .code,
        POV_OK);
    assert_true(visible < 0.6);
    assert_near(findings.findings[DUCK].fraction_visible, visible, 0.25);
    pov_simulator_destroy(&simulator);
}

/* Scene `i` of several, all unlike. Something stands before both objects, which are there or not, and things in their colours about. */
static void set_scene(char *world, size_t capacity, int i, bool are_there)
{
    static const char *const colours[] = {"#804020", "#303030", "#e0e0e0", "#2060a0", "#70a040"};
    const double turn = 137.5 * i * deg, side = i % 2 ? 1 : -1;
    const pov_vec2 duck_m = {0.03 + 0.05 * cos(turn), side * (0.11 + 0.03 * sin(turn))},
                   car_m = {-0.09 + 0.05 * sin(turn), side * (-0.1 + 0.03 * cos(turn))};
    const int there = snprintf(
        world, capacity,
        "things:\n"
        "  - {id: banana, class: banana, position_m: [0.16, %.3f], size_m: 0.11, yaw_deg: %d}\n"
        "  - {id: apple, class: apple, position_m: [-0.2, %.3f], size_m: 0.08}\n"
        "  - {id: bus, class: bus, position_m: [0.12, %.3f], size_m: 0.1, yaw_deg: %d, color: \"#c82020\"}\n"
        "  - {id: by_duck, class: box, position_m: [%.4f, %.4f], size_m: [0.02, %.3f, 0.122], color: "
        "\"%s\"}\n"
        "  - {id: by_car, class: box, position_m: [%.4f, %.4f], size_m: [0.02, %.3f, 0.092], color: "
        "\"%s\"}\n",
        -side * 0.2, 40 * i, side * 0.21, side * 0.24, 70 * i % 360, duck_m.x + 0.068,
        duck_m.y + 0.012 * sin(turn), 0.1 + 0.01 * cos(2 * turn), colours[i % 5], car_m.x + 0.09,
        car_m.y + 0.012 * cos(turn), 0.115 + 0.02 * sin(2 * turn), colours[(i + 2) % 5]);
    if (are_there)
        snprintf(world + there, capacity - (size_t)there,
                 "  - {id: duck, " DUCK_IS ", position_m: [%.4f, %.4f], front_deg: %d}\n"
                 "  - {id: car, " CAR_IS ", position_m: [%.4f, %.4f], front_deg: %d}\n",
                 duck_m.x, duck_m.y, 75 * i % 360, car_m.x, car_m.y, (30 + 110 * i) % 360);
}

static bool is_right(const pov_object_finding *finding, const pov_scene *scene, const char *name)
{
    const pov_entity *truth = &scene->entities[pov_scene_find(scene, name)];
    if (!finding->found)
        return false;
    assert_near(finding->position.mean_m.x, truth->position.mean_m.x, 0.012);
    assert_near(finding->position.mean_m.y, truth->position.mean_m.y, 0.012);
    return true;
}

static double hidden_share(pov_simulator *simulator, const char *name)
{
    double visible;
    const pov_scene *scene = pov_simulator_truth_of(simulator).scene;
    assert_int_equal(
        pov_simulator_fraction_visible(simulator, &visible, scene->camera, pov_scene_find(scene, name)).code,
        POV_OK);
    return 1 - visible;
}

static void what_is_half_hidden_is_found_and_what_is_absent_is_not(void **state)
{
    static const char *const names[KINDS] = {"duck", "car"};
    object_bench *b = *state;
    int half_hidden = 0, found = 0;
    for (int i = FIRST_SCENE; i < FIRST_SCENE + SCENES; i++)
        for (int are_there = 0; are_there < 2; are_there++) {
            char world[2000];
            pov_simulator *simulator;
            set_scene(world, sizeof world, i, are_there);
            const pov_object_findings findings = object_bench_look(b, &simulator, world);
            for (int kind = 0; kind < KINDS; kind++) {
                if (!are_there) {
                    assert_false(findings.findings[kind].found);
                    continue;
                }
                const double hidden = hidden_share(simulator, names[kind]);
                const bool right =
                    is_right(&findings.findings[kind], pov_simulator_truth_of(simulator).scene, names[kind]);
                if (hidden > 0.4 && hidden < 0.85) {
                    half_hidden++;
                    found += right;
                }
            }
            pov_simulator_destroy(&simulator);
        }
    assert_int_equal(half_hidden, KINDS * SCENES);
    assert_int_equal(found, half_hidden);
}

static void where_something_else_is_known_to_be_nothing_is_found(void **state)
{
    object_bench *b = *state;
    pov_simulator *simulator;
    pov_image image;
    pov_object_findings findings = object_bench_look(b, &simulator, BOTH);
    assert_true(findings.findings[DUCK].found);
    const pov_vec3 duck_m = findings.findings[DUCK].position.mean_m;
    assert_int_equal(pov_simulator_take(simulator, &image, 0).code, POV_OK);
    const pov_world *truth = pov_simulator_truth_of(simulator).world;
    const pov_pose pose = pov_pose_exact(pov_world_T_table_camera(truth));
    const pov_vec3 seen_m = pov_transform_apply(pov_transform_inverse(pose.T), duck_m);
    pov_vec2 at_px;
    assert_int_equal(pov_camera_project(&truth->camera.lens, &at_px, NULL, seen_m), POV_OK);
    const double half_px = 45;
    pov_object_others others = {1,
                                {{{{at_px.x - half_px, at_px.y - half_px},
                                   {at_px.x + half_px, at_px.y - half_px},
                                   {at_px.x + half_px, at_px.y + half_px},
                                   {at_px.x - half_px, at_px.y + half_px}},
                                  seen_m.z + 0.2}}};
    assert_int_equal(pov_object_finder_run(b->finder, &findings, &image, &pose, &others, NULL).code, POV_OK);
    assert_false(findings.findings[DUCK].found);
    assert_true(findings.findings[CAR].found);
    pov_simulator_destroy(&simulator);
}

static bool is_at(const pov_object_finding *finding, const pov_scene *scene, const char *name)
{
    const pov_vec3 *at_m = &scene->entities[pov_scene_find(scene, name)].position.mean_m;
    return finding->found &&
           hypot(finding->position.mean_m.x - at_m->x, finding->position.mean_m.y - at_m->y) < 0.004;
}

static void of_one_make_as_many_are_found_as_there_are(void **state)
{
    object_bench *b = *state, alike = *b;
    pov_simulator *simulator;
    const char *two = BOTH "  - {id: other, " DUCK_IS ", position_m: [0.02, -0.02], front_deg: 80}\n";
    char world[4000];
    pov_image image;
    pov_object_findings findings;
    const pov_object_finder_config config = {
        .kind_len = 3,
        .kinds = {{.portraits = b->portraits[DUCK], .stands_on_std_m = 0.001},
                  {.portraits = b->portraits[DUCK], .stands_on_std_m = 0.001, .is_another = true},
                  {.portraits = b->portraits[CAR], .stands_on_std_m = 0.001}}};
    for (int there = 2; there > 0; there--) {
        snprintf(world, sizeof world, CAMERA "%s", there == 2 ? two : BOTH);
        simulator = object_bench_simulate(&b->folder, world);
        assert_int_equal(pov_simulator_take(simulator, &image, 0).code, POV_OK);
        const pov_simulator_truth truth = pov_simulator_truth_of(simulator);
        const pov_pose pose = pov_pose_exact(pov_world_T_table_camera(truth.world));
        if (there == 2)
            assert_int_equal(pov_object_finder_new(&alike.finder, &config, &truth.world->camera.lens).code,
                             POV_OK);
        assert_int_equal(pov_object_finder_run(alike.finder, &findings, &image, &pose, NULL, NULL).code,
                         POV_OK);
        int at[2] = {0, 0};
        for (int i = 0; i < 2; i++) {
            at[0] += is_at(&findings.findings[i], truth.scene, "duck");
            at[1] += there == 2 && is_at(&findings.findings[i], truth.scene, "other");
        }
        assert_int_equal(at[0], 1);
        assert_int_equal(at[1], there - 1);
        assert_int_equal(findings.findings[0].found + findings.findings[1].found, there);
        assert_true(is_at(&findings.findings[2], truth.scene, "car"));
        pov_simulator_destroy(&simulator);
    }
    pov_object_finder_destroy(&alike.finder);
}

static void without_the_cameras_place_nothing_is_found(void **state)
{
    object_bench *b = *state;
    pov_simulator *simulator;
    pov_object_findings findings = object_bench_look(b, &simulator, BOTH);
    pov_image image;
    assert_int_equal(pov_simulator_take(simulator, &image, 0).code, POV_OK);
    assert_int_equal(pov_object_finder_run(b->finder, &findings, &image, NULL, NULL, NULL).code, POV_OK);
    assert_false(findings.findings[DUCK].found || findings.findings[CAR].found);
    image.width_px /= 2;
    assert_int_equal(pov_object_finder_run(b->finder, &findings, &image, NULL, NULL, NULL).code, POV_SKIPPED);
    pov_simulator_destroy(&simulator);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_turn_tells_an_objects_size),
        cmocka_unit_test(objects_are_found_where_they_are),
        cmocka_unit_test(other_light_changes_little),
        cmocka_unit_test(what_is_partly_hidden_is_found_and_said_to_be),
        cmocka_unit_test(what_is_half_hidden_is_told_from_what_has_its_colour),
        cmocka_unit_test(what_is_half_hidden_is_found_and_what_is_absent_is_not),
        cmocka_unit_test(where_something_else_is_known_to_be_nothing_is_found),
        cmocka_unit_test(of_one_make_as_many_are_found_as_there_are),
        cmocka_unit_test(without_the_cameras_place_nothing_is_found),
    };
    return cmocka_run_group_tests(tests, object_bench_set_up, object_bench_tear_down);
}
