/** The papers' own released data files as questions of a log, and their files of answers. Pure.
 *
 *  VSR: JSON lines {image, caption, label, relation, ...}. SPHERE: a list of {question_id, question, option, answer, metadata}, with
 *  `raw_prediction` where models have answered. FoREST: {"data": [{id, context, label, question, candidate_answer, ...}]}, and CSV with
 *  context, label, GPT_predict. ViewSpatial-Bench, 3DSRBench and MindCube: JSON, JSON lines or tables (docs/BENCHMARKS.md).
 *  docs/ENGINES.md tells the fields. */
#pragma once

#include "compare/answers/choice_benchmark.h"
#include "compare/log/answer_log.h"

#include <stdint.h>

typedef enum {
    POV_RELEASED_VSR,
    POV_RELEASED_FOREST,
    POV_RELEASED_SPHERE,
    POV_RELEASED_CHOICES, /* from here on those of compare/answers/choice_benchmark.h */
    POV_RELEASED_COUNT = POV_RELEASED_CHOICES + POV_CHOICE_BENCHMARKS
} pov_released_form;
/** "vsr", "forest", "sphere", "viewspatial", ..., as the papers are named. */
const char *pov_released_form_name(pov_released_form form);

typedef struct {
    const char *image;         /* the file's name; "": its text is complete, there is no image */
    const char *scene;         /* what it is about: the image, or the item */
    int stop;                  /* items of one image have the same */
    pov_log_question question; /* but for id and image */
} pov_released_question;

/** An answer that a released file holds. */
typedef struct {
    const char *model; /* NULL: the file names none */
    const char *text;
    const char *key;     /* of its question; NULL: it is told by context and label */
    const char *context; /* FoREST's */
    unsigned relations;  /* of its label: bits of pov_relation */
    int line;
} pov_released_answer;

/** A picture within the file, in base64; questions name it as if it were a file. */
typedef struct {
    const char *name; /* "17.png" of row 17, or of the row whose `index` that is */
    const uint8_t *bytes;
    size_t length;
} pov_released_picture;

typedef struct pov_released_set pov_released_set;

/** True if a text looks like a released file: by the keys of its first item, or its head. */
bool pov_released_is_one(const char *text, size_t length);
/** `name` is the path in messages, and its last part without an ending names the set.
 *  Returns: POV_ERROR that names file and item: a field is missing or is not what it should be, or an item comes twice. */
POV_MUST_USE pov_status pov_released_set_parse(pov_released_set **set, const char *name, const char *text,
                                               size_t length);
void pov_released_set_destroy(pov_released_set **set);

pov_released_form pov_released_set_form(const pov_released_set *set);
/** "test" of "splits/random/test.jsonl". */
const char *pov_released_set_name(const pov_released_set *set);
/** None: the file holds answers alone. */
int pov_released_set_len(const pov_released_set *set);
const pov_released_question *pov_released_set_at(const pov_released_set *set, int i);
/** How many items came again with the same image, words and answer: they are asked once. */
int pov_released_set_repeated(const pov_released_set *set);
/** NULL: there is no picture of that name in the file. */
const pov_released_picture *pov_released_set_picture(const pov_released_set *set, const char *name);
int pov_released_set_pictures(const pov_released_set *set);
int pov_released_set_answers(const pov_released_set *set);
const pov_released_answer *pov_released_set_answer(const pov_released_set *set, int i);

/** The relations in the text of a Python list, "['left', 'right']", as bits of pov_relation; 0: another word is in it. */
unsigned pov_released_relations(const char *list);
