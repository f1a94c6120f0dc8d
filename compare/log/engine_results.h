/** The result files of evaluation engines: VLMEvalKit's tables, lmms-eval's sample logs, and plain JSON lines. Pure. */
#pragma once

#include "perception/status.h"

#include <stddef.h>

typedef enum { POV_ENGINE_VLMEVALKIT, POV_ENGINE_LMMS_EVAL, POV_ENGINE_PLAIN } pov_engine;
/** "vlmevalkit", "lmms-eval", "jsonl". */
const char *pov_engine_name(pov_engine engine);

typedef struct {
    const char *id;   /* as pov_dataset_id makes it */
    const char *text; /* the answer, whole; NULL: none, but a probability */
    double p;         /* of yes, or true; NaN: none */
    bool failed;      /* the engine got no answer: text says so */
    int line;
} pov_engine_answer;

typedef struct pov_engine_answers pov_engine_answers;

/** The content tells whose file it is. `name` stands for the path in messages, and is borrowed.
 *  Returns: POV_ERROR that names file and line: it is none of them, or no answer of it belongs to a question of pov's. */
POV_MUST_USE pov_status pov_engine_answers_parse(pov_engine_answers **answers, const char *name,
                                                 const char *text, size_t length);
void pov_engine_answers_destroy(pov_engine_answers **answers);

pov_engine pov_engine_answers_of(const pov_engine_answers *answers);
int pov_engine_answers_len(const pov_engine_answers *answers);
const pov_engine_answer *pov_engine_answers_at(const pov_engine_answers *answers, int i);

/** The model that a path as engines name them tells: "llava" of "llava_pov_16d3606915_yn.tsv", "a__llava" of
 *  "results/a__llava/20260101_120000_samples_pov_16d3606915_words.jsonl". False: it tells none. */
bool pov_engine_model_of(char *model, size_t capacity, const char *path, pov_engine engine);
