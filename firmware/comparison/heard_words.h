/** The words of answers that are under way, as models stream them: from the threads that ask to the one that shows the page. Of each model
 *  one question is followed at a time, from its first word until its answer is there. Any thread may call any function. */
#pragma once

#include "compare/vlm/vlm_stream.h"

#include <stdint.h>

struct cJSON;

typedef struct pov_heard_words pov_heard_words;

pov_heard_words *pov_heard_words_new(void);
void pov_heard_words_destroy(pov_heard_words **heard);

/** model: by its name on the page. prompt: the question. words: all of its answer so far. Copied. */
void pov_heard_words_note(pov_heard_words *heard, const char *model, int64_t question, const char *prompt,
                          const pov_vlm_words *words);
/** The question has its answer, or is asked no longer. */
void pov_heard_words_end(pov_heard_words *heard, const char *model, int64_t question);

/** Grows with each change. */
uint64_t pov_heard_words_version(pov_heard_words *heard);
/** A model's words for the page, for the caller to delete; null: nothing is under way. */
struct cJSON *pov_heard_words_write(pov_heard_words *heard, const char *model);
