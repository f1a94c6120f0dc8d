/** Reads a model's answer: yes or no, a number, one of several options, directions. Answers are UTF-8 of any kind; an answer
 *  that is not understood is POV_ANSWER_UNCLEAR, never guessed. English, except where words are passed in. Pure.
 *
 *  docs/SCORES.md has the grammar, "How words are read"; tests/compare/answers/answers.tsv has answers with their readings. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/** Of the longest answer that a log keeps: 1 MiB. What reads answers has no limit. */
enum { POV_ANSWER_BYTES_MAX = 1 << 20 };

typedef enum {
    POV_ANSWER_GIVEN,
    POV_ANSWER_REFUSED,   /* "I'm sorry, I cannot tell" */
    POV_ANSWER_UNCLEAR,   /* words, but not of the kind asked for */
    POV_ANSWER_MISSING,   /* nothing came */
    POV_ANSWER_LOW_MASS,  /* probabilities, but hardly any on yes and no */
    POV_ANSWER_NOT_ASKED, /* the sweep stopped before it */
    POV_ANSWER_KINDS
} pov_answer_kind;
/** "given", "refused", "unclear", "missing", "low_mass", "not_asked". */
const char *pov_answer_kind_name(pov_answer_kind value);
/** The kind of that name; POV_ANSWER_MISSING for all other words. */
pov_answer_kind pov_answer_kind_said(const char *name);
/** True for what no rule can call right or wrong. */
static inline bool pov_answer_is_absent(pov_answer_kind kind)
{
    return kind >= POV_ANSWER_MISSING;
}

/** A language's words for yes and no, each list ended by NULL. */
typedef struct {
    const char *const *yes, *const *no;
} pov_yes_no_words;
extern const pov_yes_no_words POV_YES_NO_ENGLISH;        /* yes, true, correct ...; no, false, not ... */
extern const pov_yes_no_words POV_YES_NO_ENGLISH_TOKENS; /* yes; no */

/** Upper and lower case are alike in Latin, Greek and Cyrillic letters. English words count beside those of another language
 *  only at the beginning of an answer or marked ("Answer: yes"). */
pov_answer_kind pov_answer_yes_no(bool *yes, const char *answer, const pov_yes_no_words *words);
/** True if an answer begins with yes or no ("No, ...") or marks it; words elsewhere do not count. */
bool pov_answer_begins_yes_no(bool *yes, const char *answer, const pov_yes_no_words *words);

/** The first number: digits, or words up to "nine hundred ninety-nine thousand"; "no" and "none" are 0. */
pov_answer_kind pov_answer_number(double *number, const char *answer);

enum { POV_ANSWER_OPTIONS_MAX = 26 }; /* each has a letter */

/** The part of a text that is the answer: after its thoughts, and before others that are cut off. */
void pov_answer_said(size_t *from, size_t *length, const char *answer);

/** The part of a text that explains and then answers (chain of thought) which is the answer: behind the last "Answer:" of what is said, to its
 *  end; else its last line. marked: there is such an "Answer:". */
void pov_answer_concluded(size_t *from, size_t *length, bool *marked, const char *answer);

/** True if a text is what an evaluation engine writes where it got no answer. */
bool pov_answer_is_failure(const char *text);

/** `option` is -1 unless one is given. In: len: POV_ANSWER_OPTIONS_MAX at most. */
pov_answer_kind pov_answer_option(int *option, const char *answer, const char *const options[], int len);

/** Directions, clockwise, as perception/papers/vpt.h orders them. */
typedef enum { POV_ANSWER_CARDINALS, POV_ANSWER_SIDES } pov_answer_circle;
/** north east south west, or front right back left. None is true unless the answer is given. */
pov_answer_kind pov_answer_directions(bool directions[4], const char *answer, pov_answer_circle circle);
