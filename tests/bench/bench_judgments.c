/* Judgments of pairs in every frame, against the same in plain Python and in numpy; and how the cost grows. */
#include "perception/relations/pair_judge.h"
#include "tests/bench/bench.h"
#include "tests/support/judgment_peer.h"

#include <stdio.h>
#include <stdlib.h>

enum { SCENES = 100 };

typedef struct {
    pov_scene scenes[SCENES];
    pov_judgment judgments[TEST_JUDGMENTS_A_SCENE];
    test_judgment_peer *peer;
} scenes_work;

static void *prepare_scenes(bool uncertain)
{
    scenes_work *work = calloc(1, sizeof *work);
    POV_REQUIRE(work);
    for (int i = 0; i < SCENES; i++)
        test_judgment_scene(&work->scenes[i], TEST_JUDGMENT_OBJECTS, uncertain, (uint64_t)i);
    work->peer = test_judgment_peer_new(work->scenes, SCENES);
    if (!work->peer) {
        fprintf(stderr, "pov_bench: judgments need python3-numpy and python3-scipy\n");
        exit(1);
    }
    return work;
}

static void *prepare_exact(void)
{
    return prepare_scenes(false);
}

static void *prepare_uncertain(void)
{
    return prepare_scenes(true);
}

static void judge_scenes(void *void_work)
{
    scenes_work *work = void_work;
    for (int i = 0; i < SCENES; i++)
        POV_REQUIRE(test_judge_scene(work->judgments, TEST_JUDGMENTS_A_SCENE, &work->scenes[i]) ==
                    TEST_JUDGMENTS_A_SCENE);
}

static void loop_exact(void *work)
{
    test_judgment_peer_ask(((scenes_work *)work)->peer, "loop exact");
}

static void loop_uncertain(void *work)
{
    test_judgment_peer_ask(((scenes_work *)work)->peer, "loop uncertain");
}

static void batch_exact(void *work)
{
    test_judgment_peer_ask(((scenes_work *)work)->peer, "batch exact");
}

static void batch_uncertain(void *work)
{
    test_judgment_peer_ask(((scenes_work *)work)->peer, "batch uncertain");
}

static void finish_scenes(void *void_work)
{
    scenes_work *work = void_work;
    test_judgment_peer_destroy(&work->peer);
    free(work);
}

#define JUDGMENTS_BENCH(NAME, WHAT, PREPARE, PEER_NAME, PEER)                                                \
    {                                                                                                        \
        .name = NAME, .what = WHAT, .unit = "judgment", .units_per_run = SCENES * TEST_JUDGMENTS_A_SCENE,    \
        .prepare = PREPARE, .run = judge_scenes, .peer_name = PEER_NAME, .run_peer = PEER,                   \
        .finish = finish_scenes                                                                              \
    }

const pov_bench BENCH_JUDGMENTS[POV_BENCH_JUDGMENTS] = {
    JUDGMENTS_BENCH("judgments_loop_exact", "without noise", prepare_exact, "a plain Python loop",
                    loop_exact),
    JUDGMENTS_BENCH("judgments_batch_exact", "without noise", prepare_exact, "a numpy batch", batch_exact),
    JUDGMENTS_BENCH("judgments_loop", "under noise", prepare_uncertain, "a plain Python loop",
                    loop_uncertain),
    JUDGMENTS_BENCH("judgments_batch", "under noise", prepare_uncertain, "a numpy batch", batch_uncertain),
};

/* ---- how the cost grows ---- */

/* The room of one pair suffices for a scene of any size. */
typedef struct {
    pov_scene scene;
    int objects;
    pov_pair_judge judge;
    pov_judgment judgments[TEST_JUDGMENTS_A_PAIR];
} large_work;

static void *prepare_large(int objects, bool uncertain)
{
    large_work *work = calloc(1, sizeof *work);
    POV_REQUIRE(work);
    work->objects = objects;
    test_judgment_scene(&work->scene, objects, uncertain, 1);
    return work;
}

static void *prepare_2(void)
{
    return prepare_large(2, true);
}

static void *prepare_20(void)
{
    return prepare_large(20, true);
}

static void *prepare_200(void)
{
    return prepare_large(200, true);
}

static void *prepare_200_exact(void)
{
    return prepare_large(200, false);
}

static void judge_large(void *void_work)
{
    large_work *work = void_work;
    const pov_judging judging = POV_JUDGING_DEFAULT;
    pov_pair_judge_prepare(&work->judge, &work->scene, &judging);
    for (pov_id relatum = 0; relatum < work->objects; relatum++)
        for (pov_id referent = 0; referent < work->objects; referent++)
            POV_REQUIRE(referent == relatum ||
                        pov_pair_judge_run(&work->judge, work->judgments, TEST_JUDGMENTS_A_PAIR, referent,
                                           relatum) == TEST_JUDGMENTS_A_PAIR);
}

static void finish_large(void *void_work)
{
    free(void_work);
}

#define SCENE_BENCH(NAME, OBJECTS, WHAT, PREPARE)                                                            \
    {                                                                                                        \
        .name = NAME, .what = WHAT, .unit = "scene of " #OBJECTS, .units_per_run = 1, .prepare = PREPARE,    \
        .run = judge_large, .finish = finish_large                                                           \
    }

const pov_bench BENCH_JUDGMENT_SCENES[POV_BENCH_JUDGMENT_SCENES] = {
    SCENE_BENCH("judgments_of_2", 2, "112 judgments under noise", prepare_2),
    SCENE_BENCH("judgments_of_20", 20, "21 280 judgments under noise", prepare_20),
    SCENE_BENCH("judgments_of_200", 200, "2 228 800 judgments under noise", prepare_200),
    SCENE_BENCH("judgments_of_200_exact", 200, "2 228 800 judgments without noise", prepare_200_exact),
};
