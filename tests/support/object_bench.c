#include "tests/support/object_bench.h"

#include "perception/carving/object_carve.h"
#include "tests/support/near.h"

#include <math.h>

enum { STOPS = 36 };
static const double deg = POV_PI / 180;

#define TURNTABLE                                                                                            \
    "turntable: {position_m: [0, 0], radius_m: 0.2, height_m: 0.01, color: \"#4f9a52\"}\n"                   \
    "motion: {steps: 36, period_s: 20}\n"

pov_simulator *object_bench_simulate(const test_path *folder, const char *world)
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
    pov_simulator *simulator = object_bench_simulate(folder, world);
    pov_turn_shots turn = {STOPS, shots, shoot(simulator, 0, NULL)};
    pov_simulator_destroy(&simulator);
    snprintf(world, sizeof world,
             CAMERA TURNTABLE
             "things:\n  - {id: it, %s, position_m: [0.004, -0.006], on: turntable, front_deg: 0}\n",
             thing);
    simulator = object_bench_simulate(folder, world);
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

int object_bench_set_up(void **state)
{
    object_bench *b = calloc(1, sizeof *b);
    b->folder = test_folder_new();
    b->portraits[DUCK] = enrol(&b->folder, DUCK_IS);
    b->portraits[CAR] = enrol(&b->folder, CAR_IS);
    *state = b;
    return 0;
}

int object_bench_tear_down(void **state)
{
    object_bench *b = *state;
    pov_object_finder_destroy(&b->finder);
    test_folder_remove(&b->folder);
    free(b->portraits[DUCK]);
    free(b->portraits[CAR]);
    free(b);
    return 0;
}

pov_object_findings object_bench_look(object_bench *b, pov_simulator **simulator, const char *things)
{
    char world[4000];
    snprintf(world, sizeof world, CAMERA "%s", things);
    *simulator = object_bench_simulate(&b->folder, world);
    return object_bench_look_again(b, *simulator);
}

pov_object_findings object_bench_look_again(object_bench *b, pov_simulator *simulator)
{
    pov_object_findings findings;
    pov_image image;
    assert_int_equal(pov_simulator_take(simulator, &image, 0).code, POV_OK);
    const pov_world *truth = pov_simulator_truth_of(simulator).world;
    if (!b->finder) {
        const pov_object_finder_config config = {
            .kind_len = KINDS,
            .kinds = {{.portraits = b->portraits[DUCK], .stands_on_std_m = 0.001},
                      {.portraits = b->portraits[CAR], .stands_on_std_m = 0.001}}};
        assert_int_equal(pov_object_finder_new(&b->finder, &config, &truth->camera.lens).code, POV_OK);
    }
    const pov_pose pose = pov_pose_exact(pov_world_T_table_camera(truth));
    image.mid_exposure_ns = b->now_ns;
    assert_int_equal(pov_object_finder_run(b->finder, &findings, &image, &pose, NULL, b->memory).code,
                     POV_OK);
    if (b->memory)
        pov_object_finder_remember(b->finder, &image, b->memory);
    assert_int_equal(findings.len, KINDS);
    return findings;
}

double object_bench_heading_error(const pov_heading *heading, double yaw_rad)
{
    assert_true(heading->len > 0);
    return fabs(remainder(heading->mode[0].yaw_rad - yaw_rad, 2 * POV_PI));
}

void object_bench_expect(const pov_object_finding *finding, const pov_simulator *simulator, const char *name)
{
    const pov_scene *scene = pov_simulator_truth_of(simulator).scene;
    const pov_entity *truth = &scene->entities[pov_scene_find(scene, name)];
    assert_true(finding->found);
    assert_true(finding->p_none < 0.05);
    assert_near(finding->position.mean_m.x, truth->position.mean_m.x, 0.004);
    assert_near(finding->position.mean_m.y, truth->position.mean_m.y, 0.004);
    assert_true(object_bench_heading_error(&finding->heading, truth->heading.mode[0].yaw_rad) < 4 * deg);
}
