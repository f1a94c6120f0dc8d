/* Objects enrolled on a simulated turntable, then found on a simulated table: against the simulator's truth. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "calib/object_carve.h"
#include "firmware/simulate/simulator.h"
#include "perception/objects/object_finder.h"
#include "tests/support/folder.h"
#include "tests/support/near.h"

#include <math.h>

enum { STOPS = 36, DUCK = 0, CAR = 1, KINDS = 2, FIRST_SCENE = 2 };
#ifdef POV_SANITIZED
enum { SCENES = 1, TURNED = 1 };
#else
enum { SCENES = 4, TURNED = 4 };
#endif
static const double deg = POV_PI / 180;

#define CAMERA                                                                                               \
    "camera: {size_px: [400, 300], field_of_view_deg: 34, position_m: [0.75, 0.1, 0.7], look_at_m: [0, 0, "  \
    "0.02]}\n"                                                                                               \
    "surface: {size_m: [2, 2], color: \"#c9a678\", look: wood}\n"
#define TURNTABLE                                                                                            \
    "turntable: {position_m: [0, 0], radius_m: 0.2, height_m: 0.01, color: \"#4f9a52\"}\n"                   \
    "motion: {steps: 36, period_s: 20}\n"
#define DUCK_IS "class: rubber duck, size_m: 0.1"
#define CAR_IS  "class: car, size_m: 0.14, color: red"

typedef struct {
    test_path folder;
    pov_portraits *portraits[KINDS];
    pov_object_finder *finder;
    pov_camera camera;
    int64_t now_ns; /* of the next image */
} bench;

static pov_simulator *simulate(const test_path *folder, const char *world)
{
    pov_simulator *simulator;
    const test_path path = test_file_new(folder, "world.yaml", world, strlen(world));
    const pov_simulator_config config = {.world = path.path, .threads = 2};
    const pov_status status = pov_simulator_new(&simulator, &config);
    if (status.code != POV_OK)
        fail_msg("%s", status.message);
    return simulator;
}

static uint8_t *copy_of(pov_image *image, const int at[4])
{
    uint8_t *pixels = malloc(3 * (size_t)at[2] * (size_t)at[3]);
    assert_non_null(pixels);
    for (int y = 0; y < at[3]; y++)
        memcpy(pixels + 3 * (size_t)y * (size_t)at[2],
               image->pixels + (size_t)(at[1] + y) * (size_t)image->stride_bytes + 3 * (size_t)at[0],
               3 * (size_t)at[2]);
    image->pixels = pixels;
    image->width_px = at[2];
    image->height_px = at[3];
    image->stride_bytes = 3 * at[2];
    return pixels;
}

static pov_turn_shot shoot(pov_simulator *simulator, int index, const pov_turn_stage *stage)
{
    pov_turn_shot shot;
    assert_int_equal(pov_simulator_take(simulator, &shot.image, index).code, POV_OK);
    const pov_simulator_truth truth = pov_simulator_truth_of(simulator);
    shot.angle_rad = truth.turn_rad;
    shot.camera = truth.world->camera.lens;
    shot.T_table_camera = pov_world_T_table_camera(truth.world);
    int at[4] = {0, 0, shot.image.width_px, shot.image.height_px};
    if (stage)
        pov_turn_room(at, &shot.camera, &shot.T_table_camera, stage);
    assert_true(at[2] > 0);
    (void)copy_of(&shot.image, at);
    shot.camera.cx_px -= at[0];
    shot.camera.cy_px -= at[1];
    shot.camera.width_px = at[2];
    shot.camera.height_px = at[3];
    return shot;
}

static pov_portraits *enrol(const test_path *folder, const char *thing)
{
    static const pov_turn_stage stage = {{0, 0, 0.01}, 0.19, 0.19};
    char world[2000];
    pov_turn_shot shots[STOPS];
    pov_object_stand stand;
    pov_portraits *portraits = malloc(sizeof *portraits);
    snprintf(world, sizeof world,
             CAMERA TURNTABLE "things:\n  - {id: far, class: pen, position_m: [-0.9, 0.9]}\n");
    pov_simulator *simulator = simulate(folder, world);
    pov_turn_shots turn = {STOPS, shots, shoot(simulator, 0, NULL)};
    pov_simulator_destroy(&simulator);
    snprintf(world, sizeof world,
             CAMERA TURNTABLE
             "things:\n  - {id: it, %s, position_m: [0.004, -0.006], on: turntable, front_deg: 0}\n",
             thing);
    simulator = simulate(folder, world);
    for (int i = 0; i < STOPS; i++)
        shots[i] = shoot(simulator, i, &stage);
    pov_simulator_destroy(&simulator);
    pov_status status = pov_object_carve(portraits, &stand, &turn, &stage);
    if (status.code == POV_OK)
        status = pov_portraits_try(portraits, &turn, &stand);
    if (status.code != POV_OK)
        fail_msg("%s", status.message);
    assert_near(stand.T_table_object.t_m.x, 0.004, 0.003);
    assert_near(stand.T_table_object.t_m.y, -0.006, 0.003);
    portraits->has_front = true;
    portraits->front_rad = atan2(0.1, 0.75); /* then the camera is where it looks to */
    for (int i = 0; i < STOPS; i++)
        free((void *)(uintptr_t)shots[i].image.pixels);
    free((void *)(uintptr_t)turn.empty.image.pixels);
    return portraits;
}

static int enrol_both(void **state)
{
    bench *b = calloc(1, sizeof *b);
    b->folder = test_folder_new();
    b->portraits[DUCK] = enrol(&b->folder, DUCK_IS);
    b->portraits[CAR] = enrol(&b->folder, CAR_IS);
    *state = b;
    return 0;
}

static int release(void **state)
{
    bench *b = *state;
    pov_object_finder_destroy(&b->finder);
    test_folder_remove(&b->folder);
    free(b->portraits[DUCK]);
    free(b->portraits[CAR]);
    free(b);
    return 0;
}

/* The truth of each kind stays with the simulator. */
static pov_object_findings look(bench *b, pov_simulator **simulator, const char *things)
{
    char world[4000];
    pov_object_findings findings;
    snprintf(world, sizeof world, CAMERA "%s", things);
    *simulator = simulate(&b->folder, world);
    pov_image image;
    assert_int_equal(pov_simulator_take(*simulator, &image, 0).code, POV_OK);
    const pov_world *truth = pov_simulator_truth_of(*simulator).world;
    if (!b->finder) {
        const pov_object_finder_config config = {
            .kind_len = KINDS,
            .kinds = {{.portraits = b->portraits[DUCK], .stands_on_std_m = 0.001},
                      {.portraits = b->portraits[CAR], .stands_on_std_m = 0.001}}};
        assert_int_equal(pov_object_finder_new(&b->finder, &config, &truth->camera.lens).code, POV_OK);
    }
    const pov_pose pose = pov_pose_exact(pov_world_T_table_camera(truth));
    image.mid_exposure_ns = b->now_ns;
    assert_int_equal(pov_object_finder_run(b->finder, &findings, &image, &pose, NULL).code, POV_OK);
    assert_int_equal(findings.len, KINDS);
    return findings;
}

static double heading_error(const pov_heading *heading, double yaw_rad)
{
    assert_true(heading->len > 0);
    return fabs(remainder(heading->mode[0].yaw_rad - yaw_rad, 2 * POV_PI));
}

static void is_where_it_is(const pov_object_finding *finding, const pov_simulator *simulator,
                           const char *name)
{
    const pov_scene *scene = pov_simulator_truth_of(simulator).scene;
    const pov_entity *truth = &scene->entities[pov_scene_find(scene, name)];
    assert_true(finding->found);
    assert_true(finding->p_none < 0.05);
    assert_near(finding->position.mean_m.x, truth->position.mean_m.x, 0.004);
    assert_near(finding->position.mean_m.y, truth->position.mean_m.y, 0.004);
    assert_true(heading_error(&finding->heading, truth->heading.mode[0].yaw_rad) < 4 * deg);
}

#define BOTH                                                                                                 \
    "things:\n"                                                                                              \
    "  - {id: duck, " DUCK_IS ", position_m: [0.07, 0.12], front_deg: 200}\n"                                \
    "  - {id: car, " CAR_IS ", position_m: [-0.1, -0.06], front_deg: 70}\n"                                  \
    "  - {id: ball, class: red ball, position_m: [0.1, -0.14], size_m: 0.07}\n"                              \
    "  - {id: mug, class: mug, position_m: [-0.16, 0.12], size_m: 0.08}\n"

static void a_turn_tells_an_objects_size(void **state)
{
    const bench *b = *state;
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
    const pov_object_findings findings = look(*state, &simulator, BOTH);
    is_where_it_is(&findings.findings[DUCK], simulator, "duck");
    is_where_it_is(&findings.findings[CAR], simulator, "car");
    assert_true(findings.findings[DUCK].fraction_visible > 0.8);
    assert_true(findings.findings[DUCK].p_kind[DUCK] > 0.95 && findings.findings[CAR].p_kind[CAR] > 0.95);
    assert_near(findings.findings[CAR].size_m.x, 0.14, 0.008);
    pov_simulator_destroy(&simulator);
}

static void other_light_changes_little(void **state)
{
    pov_simulator *simulator;
    const pov_object_findings findings =
        look(*state, &simulator,
             "lighting: {lamp_m: [-1, -1.3, 2], lamp_strength: 0.55, lamp_color: \"#ffe8d0\", ambient: 0.4}\n"
             "sensor: {preset: noisy}\n" BOTH);
    is_where_it_is(&findings.findings[DUCK], simulator, "duck");
    is_where_it_is(&findings.findings[CAR], simulator, "car");
    pov_simulator_destroy(&simulator);
}

static void what_is_partly_hidden_is_found_and_said_to_be(void **state)
{
    pov_simulator *simulator;
    double visible;
    const pov_object_findings findings =
        look(*state, &simulator,
             BOTH "  - {id: before, class: box, position_m: [0.14, 0.12], size_m: [0.02, 0.08, 0.1]}\n");
    is_where_it_is(&findings.findings[DUCK], simulator, "duck");
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
    const pov_object_findings findings =
        look(*state, &simulator,
             "things:\n"
             "  - {id: duck, " DUCK_IS ", position_m: [0.02, 0.1], front_deg: 120}\n"
             "  - {id: car, " CAR_IS ", position_m: [-0.1, -0.08], front_deg: 70}\n"
             "  - {id: banana, class: banana, position_m: [0.12, -0.1], size_m: 0.12}\n"
             "  - {id: apple, class: apple, position_m: [-0.15, 0.12], size_m: 0.09}\n"
             "  - {id: before, class: box, position_m: [0.085, 0.12], size_m: [0.02, 0.09, 0.12], color: "
             "\"#804020\"}\n");
    is_where_it_is(&findings.findings[DUCK], simulator, "duck");
    is_where_it_is(&findings.findings[CAR], simulator, "car");
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
    bench *b = *state;
    int half_hidden = 0, found = 0;
    for (int i = FIRST_SCENE; i < FIRST_SCENE + SCENES; i++)
        for (int are_there = 0; are_there < 2; are_there++) {
            char world[2000];
            pov_simulator *simulator;
            set_scene(world, sizeof world, i, are_there);
            if (b->finder)
                pov_object_finder_forget(b->finder);
            const pov_object_findings findings = look(b, &simulator, world);
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
    bench *b = *state;
    pov_simulator *simulator;
    pov_image image;
    pov_object_findings findings = look(b, &simulator, BOTH);
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
    assert_int_equal(pov_object_finder_run(b->finder, &findings, &image, &pose, &others).code, POV_OK);
    assert_false(findings.findings[DUCK].found);
    assert_true(findings.findings[CAR].found);
    pov_simulator_destroy(&simulator);
}

static void what_has_moved_is_found_again_and_what_is_gone_is_not(void **state)
{
    pov_simulator *simulator;
    pov_object_findings findings = look(*state, &simulator, BOTH);
    pov_simulator_destroy(&simulator);
    findings = look(*state, &simulator,
                    "things:\n  - {id: duck, " DUCK_IS ", position_m: [-0.05, -0.1], front_deg: 20}\n"
                    "  - {id: ball, class: red ball, position_m: [0.1, -0.14], size_m: 0.07}\n");
    is_where_it_is(&findings.findings[DUCK], simulator, "duck");
    assert_false(findings.findings[CAR].found);
    assert_true(findings.findings[CAR].p_none > 0.5);
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
    bench *b = *state, alike = *b;
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
        simulator = simulate(&b->folder, world);
        assert_int_equal(pov_simulator_take(simulator, &image, 0).code, POV_OK);
        const pov_simulator_truth truth = pov_simulator_truth_of(simulator);
        const pov_pose pose = pov_pose_exact(pov_world_T_table_camera(truth.world));
        if (there == 2)
            assert_int_equal(pov_object_finder_new(&alike.finder, &config, &truth.world->camera.lens).code,
                             POV_OK);
        assert_int_equal(pov_object_finder_run(alike.finder, &findings, &image, &pose, NULL).code, POV_OK);
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

/* It is set down by something that hides half of it, and goes away then. */
static void what_was_moved_faces_the_right_way_once_it_shows(void **state)
{
    enum { HIDDEN_IMAGES = 3, IMAGES = 20 };
    static const char *const hand =
        "  - {id: hand, class: box, position_m: [0.06, -0.07], size_m: [0.02, 0.11, 0.1]}\n";
    bench *b = *state;
    int right = 0;
    for (int turn = 0; turn < TURNED; turn++) {
        const int turn_deg = 20 + 85 * turn;
        pov_simulator *simulator;
        char world[2000];
        double off_rad = POV_PI;
        pov_object_finder_forget(b->finder);
        (void)look(b, &simulator, BOTH);
        pov_simulator_destroy(&simulator);
        for (int i = 0; i < IMAGES; i++) {
            snprintf(world, sizeof world,
                     "things:\n  - {id: duck, " DUCK_IS ", position_m: [0, -0.07], front_deg: %d}\n%s",
                     turn_deg, i < HIDDEN_IMAGES ? hand : "");
            const pov_object_findings findings = look(b, &simulator, world);
            const pov_scene *scene = pov_simulator_truth_of(simulator).scene;
            if (findings.findings[DUCK].found)
                off_rad =
                    heading_error(&findings.findings[DUCK].heading,
                                  scene->entities[pov_scene_find(scene, "duck")].heading.mode[0].yaw_rad);
            pov_simulator_destroy(&simulator);
        }
        right += off_rad < 4 * deg;
    }
    assert_int_equal(right, TURNED);
}

static pov_object_findings look_once(bench *b, const char *things, int64_t now_ns)
{
    pov_simulator *simulator;
    b->now_ns = now_ns;
    const pov_object_findings findings = look(b, &simulator, things);
    pov_simulator_destroy(&simulator);
    return findings;
}

#define DUCK_UNDER_LID                                                                                       \
    "things:\n"                                                                                              \
    "  - {id: duck, " DUCK_IS ", position_m: [-0.05, -0.12], front_deg: 200}\n"                              \
    "  - {id: lid, class: box, position_m: [0.037, -0.096], yaw_deg: 15.4, size_m: [0.02, 0.2, 0.2]}\n"
#define HINT_OF_A_DUCK                                                                                       \
    "  - {id: other, " DUCK_IS ", position_m: [0.02, 0.1], front_deg: 200}\n"                                \
    "  - {id: before, class: box, position_m: [0.1, 0.116], size_m: [0.02, 0.12, 0.15], color: "             \
    "\"#305080\"}\n"

/* A thing that was in full view a moment ago is under the lid that is there now, rather than where a little of its like shows. */
static void what_is_covered_is_not_where_something_looks_a_little_like_it(void **state)
{
    static const int64_t s = 1000000000;
    static const char *const in_view =
        "things:\n  - {id: duck, " DUCK_IS ", position_m: [-0.05, -0.12], front_deg: 200}\n";
    bench *b = *state;
    pov_object_finder_forget(b->finder);
    assert_true(look_once(b, DUCK_UNDER_LID HINT_OF_A_DUCK, 0).findings[DUCK].found);
    pov_object_finder_forget(b->finder);
    assert_true(look_once(b, in_view, 0).findings[DUCK].found);
    assert_false(look_once(b, DUCK_UNDER_LID, s / 5).findings[DUCK].found);
    assert_false(look_once(b, DUCK_UNDER_LID HINT_OF_A_DUCK, 2 * s / 5).findings[DUCK].found);
    bool is_seen_to_be_gone = false; /* of what is nowhere a part of the table is searched in each image */
    for (int i = 3; i < 8; i++)
        is_seen_to_be_gone |= look_once(b, "things:\n" HINT_OF_A_DUCK, i * s / 5).findings[DUCK].found;
    assert_true(is_seen_to_be_gone);
    pov_object_finder_forget(b->finder);
}

/* A box is pushed before it, and on. */
static void what_was_found_is_followed_while_more_of_it_is_hidden(void **state)
{
    enum { STEPS = 7 };
    bench *b = *state;
    int found[2] = {0, 0};
    for (int is_followed = 0; is_followed < 2; is_followed++) {
        pov_object_finder_forget(b->finder);
        for (int i = 0; i < STEPS; i++) {
            char world[1000];
            snprintf(world, sizeof world,
                     "things:\n  - {id: duck, " DUCK_IS ", position_m: [0.02, 0.1], front_deg: 200}\n"
                     "  - {id: box, class: box, position_m: [0.1, %.3f], size_m: [0.02, 0.12, 0.15], color: "
                     "\"#305080\"}\n",
                     0.132 - 0.008 * i);
            if (!is_followed)
                pov_object_finder_forget(b->finder);
            found[is_followed] += look_once(b, world, i * (int64_t)200000000).findings[DUCK].found;
        }
    }
    assert_true(found[true] > found[false]);
    assert_int_equal(found[true], STEPS);
    pov_object_finder_forget(b->finder);
}

static void without_the_cameras_place_nothing_is_found(void **state)
{
    bench *b = *state;
    pov_simulator *simulator;
    pov_object_findings findings = look(b, &simulator, BOTH);
    pov_image image;
    assert_int_equal(pov_simulator_take(simulator, &image, 0).code, POV_OK);
    assert_int_equal(pov_object_finder_run(b->finder, &findings, &image, NULL, NULL).code, POV_OK);
    assert_false(findings.findings[DUCK].found || findings.findings[CAR].found);
    image.width_px /= 2;
    assert_int_equal(pov_object_finder_run(b->finder, &findings, &image, NULL, NULL).code, POV_SKIPPED);
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
        cmocka_unit_test(what_has_moved_is_found_again_and_what_is_gone_is_not),
        cmocka_unit_test(what_was_moved_faces_the_right_way_once_it_shows),
        cmocka_unit_test(what_is_covered_is_not_where_something_looks_a_little_like_it),
        cmocka_unit_test(what_was_found_is_followed_while_more_of_it_is_hidden),
        cmocka_unit_test(of_one_make_as_many_are_found_as_there_are),
        cmocka_unit_test(without_the_cameras_place_nothing_is_found),
    };
    return cmocka_run_group_tests(tests, enrol_both, release);
}
