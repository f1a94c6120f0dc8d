/* A tag map by bundle adjustment: 24 tags of 6 cm, 100 images from half a metre with 0.2 px of noise. Before it is timed, how far
 * maps of 20 such tables are from the truth, and whether their covariances say so. */
#include "calib/tags/tag_survey.h"
#include "perception/geometry/linalg.h"
#include "tests/bench/bench.h"
#include "tests/support/tag_rig.h"

#include <stdio.h>
#include <stdlib.h>

enum { TAGS = 24, IMAGES = 100, TABLES = 20 };
static const double EDGE_M = 0.06, REACH_M = 0.5, NOISE_PX = 0.2;

typedef struct {
    test_random random;
    pov_tag_map truth;
    pov_tags images[IMAGES];
    pov_survey_config config;
    pov_tag_survey *survey;
} work;

static void draw_table(work *w, int seed)
{
    w->random = (test_random){(uint64_t)seed};
    rig_make_map(&w->truth, TAGS, EDGE_M, &w->random);
    for (int i = 0; i < IMAGES; i++)
        rig_photograph(&w->images[i], &rig_camera, rig_look(REACH_M, &w->random), &w->truth, NOISE_PX,
                       &w->random);
}

static void survey(void *state)
{
    work *w = state;
    pov_tag_survey_destroy(&w->survey);
    pov_status status = pov_ok();
    w->survey = pov_tag_survey_new(&w->config);
    for (int i = 0; i < IMAGES && status.code == POV_OK; i++)
        status = pov_tag_survey_add(w->survey, "image", &w->images[i]);
    if (status.code == POV_OK)
        status = pov_tag_survey_run(w->survey);
    POV_REQUIRE(status.code == POV_OK);
}

typedef struct {
    double position_m2, rotation_rad2, worst_m, worst_rad, nees;
    int len;
} errors;

static void count(errors *e, const pov_tag_map_entry *truth, const pov_pose *found)
{
    double d[6], solved[6], L[36];
    pov_transform_minus(d, truth->T_table_tag.T, found->T);
    const double rotation2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    const double position2 = d[3] * d[3] + d[4] * d[4] + d[5] * d[5];
    e->rotation_rad2 += rotation2;
    e->position_m2 += position2;
    e->worst_rad = fmax(e->worst_rad, sqrt(rotation2));
    e->worst_m = fmax(e->worst_m, sqrt(position2));
    POV_REQUIRE(pov_cholesky(L, &found->cov[0][0], 6));
    pov_cholesky_solve(solved, L, d, 6);
    for (int i = 0; i < 6; i++)
        e->nees += d[i] * solved[i];
    e->len++;
}

static void compare_with_truth(work *w)
{
    errors e = {0};
    for (int seed = 1; seed <= TABLES; seed++) {
        draw_table(w, seed);
        survey(w);
        const pov_survey_report *report = pov_tag_survey_report(w->survey);
        for (int t = 0; t < report->tag_len; t++)
            if (report->tags[t].outcome == POV_SURVEY_MAPPED)
                count(&e, pov_tag_map_find(&w->truth, POV_TAG36H11, report->tags[t].entry.id),
                      &report->tags[t].entry.T_table_tag);
    }
    const double deg = 180 / POV_PI;
    printf("tag maps: %d tags of %d tables: RMS %.3f mm, %.3f deg; worst %.3f mm, %.3f deg; mean NEES %.2f "
           "(6 expected)\n",
           e.len, TABLES, 1e3 * sqrt(e.position_m2 / e.len), deg * sqrt(e.rotation_rad2 / e.len),
           1e3 * e.worst_m, deg * e.worst_rad, e.nees / e.len);
}

static void *prepare(void)
{
    work *w = calloc(1, sizeof *w);
    POV_REQUIRE(w);
    w->config = (pov_survey_config){
        .cameras = {rig_camera}, .family = POV_TAG36H11, .has_fixed = true, .fixed_id = 10, .edge_m = EDGE_M};
    compare_with_truth(w);
    return w;
}

static void finish(void *state)
{
    work *w = state;
    pov_tag_survey_destroy(&w->survey);
    free(w);
}

const pov_bench BENCH_TAG_MAP = {.name = "tag_map",
                                 .what = "a tag map of 24 tags from 100 images",
                                 .unit = "image",
                                 .units_per_run = IMAGES,
                                 .prepare = prepare,
                                 .run = survey,
                                 .finish = finish};
