/** Scores what a model answered to a question of a log, whoever asked it: a server or somebody else's engine. Pure. */
#pragma once

#include "compare/languages/language.h"
#include "compare/log/answer_log.h"
#include "compare/questions/prompt_condition.h"
#include "compare/vlm/yes_no.h"

/** The kind of answer that a question wants. */
typedef struct {
    bool is_yes_no, is_true_false;
    bool explains;                /* chain of thought: the answer is at the end, and its words count */
    const pov_language *language; /* borrowed from the languages */
} pov_answer_form;

/** Of a question's columns; zero-shot where they say nothing, as in logs of before. */
pov_prompting pov_prompting_of_columns(const char *columns);

/** A language that is not known counts as English. POV_ERROR: neither is English. */
POV_MUST_USE pov_status pov_answer_form_of(pov_answer_form *form, const pov_languages *languages,
                                           const pov_log_question *question);

typedef enum { POV_MATCH_UNREAD, POV_MATCH_SAME, POV_MATCH_OTHER } pov_answer_match;
/** Whether an answer to a question that is neither yes/no nor true/false says what a gold says, by the reading of its form. UNREAD: it
 *  cannot be read, or the gold is none.
 *  In: form, columns: as in pov_log_question; gold: "left", "north|east", "3"; several options: any of them is right. */
pov_answer_match pov_answer_form_match(const char *form, const char *columns, const char *answer,
                                       const char *gold);

/** What such an answer says, as golds are written: "left", "north|east", "3". The caller frees it; NULL: it cannot be read. */
char *pov_answer_form_reading(const char *form, const char *columns, const char *answer);

/** Sets the result's kind, cause, p and mass. `yes_no`: room for the cause, which the result borrows. words_count: false if an answer
 *  without probabilities is not scored. */
void pov_answer_form_score(pov_log_result *result, pov_yes_no *yes_no, const pov_answer_form *form,
                           const pov_vlm_answer *answer, double mass_min, bool words_count);
