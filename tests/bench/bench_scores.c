/* COMFORT's 57 600 answers about cars: from the file's bytes to all tables, and the measures against numpy and scipy. */
#include "compare/scores/comfort_data.h"
#include "perception/status.h"
#include "tests/bench/bench.h"
#include "tests/support/python_peer.h"
#include "tests/support/random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CASES = 57600, SCENES = 10, VARIANTS = 5, PROMPTS = 4, RELATIONS = 4, INTERVALS_RESAMPLES = 1000 };

typedef struct {
    char path[40];
    char *text;
    size_t length;
    pov_comfort_data *data;
    pov_comfort_tables tables[PROMPTS];
    test_python_peer *peer;
} scores_work;

/* ---- answers: the camera's reflected cosine, with noise ---- */

static void write_curve(FILE *file, test_random *random, const char *key, int relation)
{
    static const char *const names[RELATIONS] = {"left", "right", "front", "behind"};
    static const int direction_deg[RELATIONS] = {270, 90, 0, 180};
    for (int phi_deg = 0; phi_deg < 360; phi_deg += POV_CURVE_STEP_DEG) {
        double p = 0.5 + 0.35 * (2 * pov_reference_cosine(phi_deg - direction_deg[relation]) - 1) +
                   test_random_between(random, -0.14, 0.14);
        fprintf(file, "%s,%s,%d,%.6f\n", key, names[relation], phi_deg, p);
    }
}

static void write_answers(FILE *file)
{
    test_random random = {1};
    fputs("scene,relatum_facing,variant,prompt,relation,phi_deg,p_yes\n", file);
    for (int scene = 0; scene < SCENES; scene++)
        for (int left = 0; left < 2; left++)
            for (int variant = 0; variant < VARIANTS; variant++)
                for (int prompt = 0; prompt < PROMPTS; prompt++)
                    for (int relation = 0; relation < RELATIONS; relation++) {
                        char key[80];
                        snprintf(key, sizeof key, "scene %d,%s,%d,%s", scene, left ? "left" : "right",
                                 variant, pov_prompt_name((pov_prompt)prompt));
                        write_curve(file, &random, key, relation);
                    }
}

static void parse(scores_work *work)
{
    pov_table *table;
    POV_REQUIRE(pov_table_parse(&table, work->path, work->text, work->length).code == POV_OK);
    POV_REQUIRE(pov_table_len(table) == CASES);
    POV_REQUIRE(pov_comfort_data_new(&work->data, table, &POV_YES_NO_ENGLISH).code == POV_OK);
    pov_table_destroy(&table);
}

static void *prepare(void)
{
    scores_work *work = calloc(1, sizeof *work);
    POV_REQUIRE(work);
    FILE *memory = open_memstream(&work->text, &work->length);
    POV_REQUIRE(memory);
    write_answers(memory);
    fclose(memory);
    strcpy(work->path, "/tmp/pov-scores-XXXXXX");
    FILE *file = fdopen(mkstemp(work->path), "w");
    POV_REQUIRE(file && fwrite(work->text, 1, work->length, file) == work->length && fclose(file) == 0);
    parse(work);
    return work;
}

static void *prepare_with_peer(void)
{
    scores_work *work = prepare();
    work->peer = test_python_peer_new("scores_numpy.py", work->path);
    if (!work->peer) {
        fprintf(stderr, "pov_bench: scores need python3-numpy and python3-scipy\n");
        exit(1);
    }
    return work;
}

static void finish(void *void_work)
{
    scores_work *work = void_work;
    test_python_peer_destroy(&work->peer);
    pov_comfort_data_destroy(&work->data);
    remove(work->path);
    free(work->text);
    free(work);
}

/* ---- what is timed ---- */

static void fill(scores_work *work, int resamples)
{
    pov_comfort_options options = POV_COMFORT_OPTIONS_DEFAULT;
    options.bootstrap.resamples = resamples;
    pov_comfort_tables_fill(work->tables, work->data, &options);
}

static void run_file(void *void_work)
{
    const pov_comfort_options usual = POV_COMFORT_OPTIONS_DEFAULT;
    scores_work *work = void_work;
    pov_comfort_data_destroy(&work->data);
    parse(work);
    fill(work, usual.bootstrap.resamples);
}

static void run_measures(void *work)
{
    fill(work, 1);
}

static void run_intervals(void *work)
{
    fill(work, INTERVALS_RESAMPLES);
}

static void ask_measures(void *work)
{
    test_python_peer_ask(((scores_work *)work)->peer, "measures");
}

static void ask_intervals(void *work)
{
    char command[40];
    snprintf(command, sizeof command, "intervals %d", INTERVALS_RESAMPLES);
    test_python_peer_ask(((scores_work *)work)->peer, command);
}

const pov_bench BENCH_SCORES[POV_BENCH_SCORES] = {
    {.name = "scores_file",
     .what = "CSV in memory to all tables, intervals of 2000 resamples",
     .unit = "57 600 cases",
     .units_per_run = 1,
     .prepare = prepare,
     .run = run_file,
     .finish = finish},
    {.name = "scores_measures",
     .what = "curves to all measures",
     .unit = "57 600 cases",
     .units_per_run = 1,
     .prepare = prepare_with_peer,
     .run = run_measures,
     .peer_name = "numpy and scipy",
     .run_peer = ask_measures,
     .finish = finish},
    {.name = "scores_intervals",
     .what = "curves to all measures, intervals of 1000 resamples",
     .unit = "57 600 cases",
     .units_per_run = 1,
     .prepare = prepare_with_peer,
     .run = run_intervals,
     .peer_name = "numpy and scipy",
     .run_peer = ask_intervals,
     .finish = finish},
};
