/** Multiple choice by letters, as today's benchmarks put it: options "A. left", golds in several frames of reference, distractors.
 *  Shared by the sources of those benchmarks' questions. */
#pragma once

#include "compare/questions/question_internal.h"
#include "perception/papers/class_shares.h"

enum { POV_LETTERED_WORDS_MAX = 32, POV_LETTERED_OFFERED = 4 };

/** A question with all answers that its kind has. */
typedef struct {
    const char *task; /* the benchmark's name of the kind */
    const char *slug; /* the same in ids: "camera_direction" */
    const char *part; /* tells questions of one kind about the same two apart, in the id; "" */
    pov_id referent, relatum, viewer;
    const char *text; /* without options */
    const char *const *words;
    int len;
    bool names; /* words are names: with left and right mistaken they stay as they are */
    bool
        draws; /* the right word and three distractors are offered, by lot; else all words, in an order by lot */
} pov_lettered_ask;

/** The frame of one gold. */
typedef struct {
    pov_perspective perspective;
    pov_convention convention; /* POV_NO_CONVENTION */
} pov_lettered_frame;

/** A question of one form about up to three things (POV_ID_NONE behind the last): the first is the referent, the second the relatum, the
 *  third is told in its id. Words, and who looks, are still to be set. */
pov_lettered_ask pov_lettered_begin(pov_questions *q, const char *task, const char *form,
                                    const pov_id things[3]);
/** Asks it with the gold of the frame that it means, by p[word] (pov_class_shares), and the same with left and right swapped. NULL,
 *  and it is not asked: p is unknown, or no answer is likely. */
pov_question *pov_lettered_ask_one(pov_questions *q, const pov_lettered_ask *ask, pov_lettered_frame frame,
                                   const double p[]);
/** Asks for a number, in the unit of the benchmark's kind, which is right with probability p. NULL, and it is not asked: it is unknown. */
pov_question *pov_lettered_ask_number(pov_questions *q, const pov_lettered_ask *ask, double number, double p);
/** Adds a gold in another frame to the question added last; adds none if p is unknown. */
void pov_lettered_add_frame(pov_questions *q, const pov_lettered_ask *ask, pov_lettered_frame frame,
                            const double p[]);

/** The same of the gold with left and right mistaken, of a question whose words are names. */
void pov_lettered_add_mirrored(pov_questions *q, const pov_lettered_ask *ask, pov_lettered_frame frame,
                               const double p[]);

/** The word with left and right swapped. */
const char *pov_lettered_mirror(pov_questions *q, const char *word);
/** One of several forms of words, by the seed, the same for the same kind of question about the same things, with their names in the
 *  places of "{A}", "{B}" and "{C}" (NULL: none). */
const char *pov_lettered_fill(pov_questions *q, const char *kind, const char *const forms[], int len,
                              const char *const names[3]);

/** The first person who has a front and is neither of three; POV_ID_NONE: there is none. */
pov_id pov_lettered_person(const pov_questions *q, const pov_id others[3]);
/** One stands on the other: nothing is to the left of its table. */
bool pov_lettered_is_carried(const pov_questions *q, pov_id a, pov_id b);
/** P of each of eight sectors (or four sides) from `from` to `to`, about the heading of `whose`. */
pov_code pov_lettered_sectors(double p[], int len, const pov_questions *q, pov_id whose, pov_id from,
                              pov_id to);
