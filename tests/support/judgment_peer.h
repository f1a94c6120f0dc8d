/** Scenes full of judgments, and the same judgments made by tests/bench/judgments_numpy.py in a process of its own. */
#pragma once

#include "perception/relations/relation.h"

enum {
    TEST_JUDGMENT_OBJECTS = 4,
    TEST_JUDGMENTS_A_PAIR =
        2 * 2 * 12 + 4 + 4, /* two viewers by sight line and heading; intrinsic; absolute */
    TEST_JUDGMENTS_A_SCENE = TEST_JUDGMENT_OBJECTS * (TEST_JUDGMENT_OBJECTS - 1) * TEST_JUDGMENTS_A_PAIR
};

/** A camera, a woman and `objects` things with fronts; the same for equal seeds. Without noise, or with centimetres of
 *  their own error, the camera pose's error shared by all, and headings from sure to vague. */
void test_judgment_scene(pov_scene *scene, int objects, bool uncertain, uint64_t seed);
/** Judges every pair of objects in every frame; returns how many judgments. */
int test_judge_scene(pov_judgment *judgments, int capacity, const pov_scene *scene);

typedef struct test_judgment_peer test_judgment_peer;

/** Starts Python on these scenes; NULL if there is no Python with numpy and scipy. */
test_judgment_peer *test_judgment_peer_new(const pov_scene *scenes, int len);
void test_judgment_peer_destroy(test_judgment_peer **peer);
/** Judges all scenes: "loop exact", "loop uncertain", "batch exact" or "batch uncertain". */
void test_judgment_peer_ask(test_judgment_peer *peer, const char *command);
/** The last answer's theta, theta_std, p and p_internal of each judgment, in the order of test_judge_scene. */
void test_judgment_peer_read(test_judgment_peer *peer, double (*answers)[4], int len);
