/** Two objects enrolled on a simulated turntable, and a simulated table to look at: set_up and tear_down of a cmocka group. */
#pragma once

#include "firmware/simulate/simulator.h"
#include "perception/objects/object_finder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/support/folder.h"

enum { DUCK = 0, CAR = 1, KINDS = 2 };

#define CAMERA                                                                                               \
    "camera: {size_px: [400, 300], field_of_view_deg: 34, position_m: [0.75, 0.1, 0.7], look_at_m: [0, 0, "  \
    "0.02]}\n"                                                                                               \
    "surface: {size_m: [2, 2], color: \"#c9a678\", look: wood}\n"
#define DUCK_IS "class: rubber duck, size_m: 0.1"
#define CAR_IS  "class: car, size_m: 0.14, color: red"

typedef struct {
    test_path folder;
    pov_portraits *portraits[KINDS];
    pov_object_finder *finder; /* made by the first look */
    pov_memory *memory;        /* NULL: each image stands alone */
    int64_t now_ns;            /* of the next image */
} object_bench;

/* Things on the table, a line each. */
#define BOTH                                                                                                 \
    "things:\n"                                                                                              \
    "  - {id: duck, " DUCK_IS ", position_m: [0.07, 0.12], front_deg: 200}\n"                                \
    "  - {id: car, " CAR_IS ", position_m: [-0.1, -0.06], front_deg: 70}\n"                                  \
    "  - {id: ball, class: red ball, position_m: [0.1, -0.14], size_m: 0.07}\n"                              \
    "  - {id: mug, class: mug, position_m: [-0.16, 0.12], size_m: 0.08}\n"

int object_bench_set_up(void **state);
int object_bench_tear_down(void **state);

/* A world file's text. */
pov_simulator *object_bench_simulate(const test_path *folder, const char *world);

/* Looks for both among `things`, in one more image. The truth of each kind stays with the simulator. */
pov_object_findings object_bench_look(object_bench *b, pov_simulator **simulator, const char *things);

/* Looks once more at what the simulator shows. */
pov_object_findings object_bench_look_again(object_bench *b, pov_simulator *simulator);

/* The error of the heading's likeliest mode. */
double object_bench_heading_error(const pov_heading *heading, double yaw_rad);

/* Asserts that it is found at its true place, facing the right way. */
void object_bench_expect(const pov_object_finding *finding, const pov_simulator *simulator, const char *name);
