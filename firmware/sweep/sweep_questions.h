/** The questions that a sweep asks about an image, as its log keeps them: from what the station judged, with the truth
 *  beside it where that is known. */
#pragma once

#include "compare/log/answer_log.h"
#include "compare/questions/question.h"
#include "firmware/options.h"
#include "firmware/run/log_folder.h"
#include "firmware/station/station.h"

enum { POV_SWEEP_PAIR_MAX = 16, POV_SWEEP_LANGUAGE_MAX = 16, POV_SWEEP_NAME_CAPACITY = 64 };

typedef struct {
    bool benchmark[POV_BENCHMARK_COUNT];
    bool guidance[POV_GUIDANCE_COUNT];
    int language_len;
    char languages[POV_SWEEP_LANGUAGE_MAX][POV_LANGUAGE_CODE_CAPACITY]; /* of COMFORT's */
    int pair_len;                                         /* of COMFORT's; 0: of each scene the usual one */
    char pairs[POV_SWEEP_PAIR_MAX][2][POV_NAME_CAPACITY]; /* referent, relatum */
    char variant[POV_SWEEP_NAME_CAPACITY];                /* a name for how things look this time */
    uint64_t seed;
} pov_sweep_asking;

/** Those pairs that were named; else those that the station names; or else, as in COMFORT, the first thing that has a front
 *  is the relatum, and the first other one the referent. Nobody's eyes are either.
 *  Returns: POV_ERROR if it has fewer, or not what was named. */
POV_MUST_USE pov_status pov_sweep_settle_pairs(pov_sweep_asking *asking, const pov_station *station);
/** Take a pov_sweep_asking: "comfort,vsr", "facts", "en,de", "ball:car,ball:duck". */
pov_option_take pov_sweep_take_benchmarks, pov_sweep_take_guidance, pov_sweep_take_languages,
    pov_sweep_take_pairs;
const char *pov_sweep_benchmark_names(int i);
const char *pov_sweep_guidance_names(int i);
POV_MUST_USE pov_status pov_sweep_add_pair(pov_sweep_asking *asking, const char *referent,
                                           const char *relatum);

/** Whether each guidance, and the pairs and languages, are of some of the questions that are asked.
 *  Returns: POV_ERROR naming the option that would do nothing, and one that it goes with. sweep_config.c */
POV_MUST_USE pov_status pov_sweep_asking_check(const pov_sweep_asking *asking);

typedef struct pov_sweep_questions pov_sweep_questions;

POV_MUST_USE pov_status pov_sweep_questions_new(pov_sweep_questions **questions,
                                                const pov_sweep_asking *asking, const pov_judging *judging);
void pov_sweep_questions_destroy(pov_sweep_questions **questions);

/** The scenes of an image. */
typedef struct {
    const pov_scene *scene; /* as judged */
    const pov_scene *truth; /* NULL: unknown */
    uint64_t hash;          /* pov_vlm_truth_hash of the stored file; looked at only with a truth */
} pov_sweep_world;

typedef struct {
    int len;
    const pov_log_question *questions;
    const char
        *truth_lines; /* what a simulated VLM answers from (compare/vlm/vlm_truth.h); "" without a truth */
} pov_sweep_asked;

/** Out: asked: borrowed until the next call. A benchmark that has no question about the scene adds none. */
POV_MUST_USE pov_status pov_sweep_questions_make(pov_sweep_questions *questions, pov_sweep_asked *asked,
                                                 const pov_sweep_world *world);

/** Adds questions to the log's images, which were judged before; an image keeps the questions that it has. */
POV_MUST_USE pov_status pov_sweep_add_questions(int *added, const pov_log_folder *folder, pov_answer_log *log,
                                                const pov_sweep_asking *asking);

/** The referent's azimuth about the relatum of the first pair, counter-clockwise from above, 0 toward the camera, in
 *  [0, 2 pi); NaN if one of the three is not placed. */
double pov_sweep_phi_rad(const pov_scene *scene, const pov_sweep_asking *asking);
