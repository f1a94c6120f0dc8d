/** The grammar by which answers are read, whatever is asked (docs/SCORES.md, "How words are read"): what was said, what of it is
 *  marked as the answer, what concludes it, what names nothing. A kind of question brings its vocabulary. Pure; shared by the
 *  readers of compare/answers/answer_parse.h only. */
#ifndef POV_COMPARE_ANSWERS_ANSWER_GRAMMAR_H
#define POV_COMPARE_ANSWERS_ANSWER_GRAMMAR_H

#include "compare/answers/answer_parse.h"
#include "compare/answers/answer_text.h"
#include "compare/answers/answer_words.h"

/** One place that names an answer. */
typedef struct {
    int place, length;
    double value; /* yes: 1, no: 0; the number; the option's; a set's bits */
} pov_mention;

typedef struct pov_vocabulary pov_vocabulary;

typedef struct {
    pov_answer_text text;
    uint64_t classes[POV_ANSWER_TEXT_MAX]; /* bits of pov_word_class: of the words that begin here */
    bool off[POV_ANSWER_TEXT_MAX];         /* within a clause that says that it cannot be told */
    const pov_vocabulary *of;
} pov_answer_reading;

struct pov_vocabulary {
    /** What stands at `place`. Tried strictly everywhere first, then loosely. */
    bool (*find)(pov_mention *found, const pov_answer_reading *reading, int place, bool loose);
    /** Tried last, on a whole span; or NULL. */
    bool (*guess)(pov_mention *found, const pov_answer_reading *reading, pov_answer_span span);
    const void *words;
    enum { POV_FIRST_COUNTS, POV_TWO_ARE_NONE, POV_TWO_ARE_A_SET } several;
    bool counts; /* "total: 5" is marked as well */
};

/** In: plain: also what is neither marked nor at the beginning. */
pov_answer_kind pov_reading_answer(pov_mention *found, const char *answer, const pov_vocabulary *of,
                                   bool plain);
/** Whether a text says that it cannot be told, or is sorry. */
bool pov_reading_refuses(const char *text);

/** The code point at a place; 0 beyond the text. */
static inline uint32_t pov_reading_at(const pov_answer_reading *reading, int place)
{
    return place >= 0 && place < reading->text.len ? reading->text.c[place] : 0;
}

int pov_reading_skip_blanks(const pov_answer_reading *reading,
                            int place); /* spaces, quotes, signs of Markdown */
int pov_reading_skip_word(const pov_answer_reading *reading, int place); /* "don't" is one */
/** Whether a word of a class begins at `place`. */
static inline bool pov_reading_has(const pov_answer_reading *reading, int place, pov_word_class words)
{
    return place >= 0 && place < reading->text.len && (reading->classes[place] >> words & 1);
}
/** The length of the longest word of a class at `place`; 0: there is none. */
int pov_reading_length(const pov_answer_reading *reading, int place, pov_word_class words);
/** Whether a word of a class is among the `words_max` + 1 before `place`, all after it being of the class `passed`. */
bool pov_reading_follows(const pov_answer_reading *reading, int place, pov_word_class words,
                         pov_word_class passed, int words_max);
/** Whether the word before `place` is of a class. */
bool pov_reading_is_after(const pov_answer_reading *reading, int place, pov_word_class words);
/** "not left", "rather than on its left" */
bool pov_reading_is_negated(const pov_answer_reading *reading, int place);
/** Without a letter beside it, but for what spaces keep apart: "No.", "... behind: no", not "no cup". */
bool pov_reading_stands_alone(const pov_answer_reading *reading, int place, int length);
/** Whether one of `words`, ended by NULL, is in the span, neither negated nor in a clause that says nothing. */
bool pov_reading_names(const pov_answer_reading *reading, pov_answer_span span, const char *const words[]);

#endif
