/** How answers are read (docs/SCORES.md, "How words are read"): the words of each class, and the grammar, whatever is asked: what
 *  was said, which part is marked as the answer, what concludes it, what names nothing. A kind of question brings its vocabulary.
 *  Pure; shared by the sources of compare/answers/answer_parse.h only. */
#pragma once

#include "compare/answers/answer_parse.h"
#include "compare/answers/answer_text.h"

#include <assert.h>

/* ---- words, as compare/answers/answer_text.h folds them: answer_words.c ---- */

/** The marks around a model's thoughts. The list ends with an entry without an end. */
typedef struct {
    const char *begin, *end; /* begin NULL: whatever precedes the end */
} pov_thought_marks;
extern const pov_thought_marks POV_THOUGHT_MARKS[];

typedef enum {
    /* the marked answer */
    POV_WORD_NOUN,        /* "answer", in any language */
    POV_WORD_CHOICE,      /* "option": a mark before a verb only if called correct */
    POV_WORD_TOTAL,       /* "total": a mark where numbers are asked */
    POV_WORD_VERB,        /* "is" */
    POV_WORD_EXPLANATION, /* "reason:" ends the answer's sentence */
    POV_WORD_CALLED,      /* "correct", before "option is" */
    POV_WORD_OPEN,        /* "depends", after "the answer" */
    POV_WORD_ASIDE,       /* "to", after "the answer" */
    POV_WORD_BOXED,
    POV_WORD_END, /* of a tag */
    /* that it cannot be told */
    POV_WORD_REFUSAL,       /* by itself: "not sure" */
    POV_WORD_EVASION,       /* "depends": the clause names nothing, but does not refuse */
    POV_WORD_INABILITY,     /* "cannot", with ... */
    POV_WORD_TELLING,       /* ... "tell" */
    POV_WORD_OWN_INABILITY, /* "I cannot", unless followed by ... */
    POV_WORD_SEEING,        /* ... "see any", but for ... */
    POV_WORD_SEEING_IMAGES, /* ... "see images" */
    POV_WORD_APOLOGY,       /* "sorry": a refusal if nothing else is said */
    /* clauses and sentences */
    POV_WORD_CONTRAST,      /* "but": what follows may be told after all */
    POV_WORD_SUBORDINATION, /* "although": up to the comma */
    POV_WORD_CLAUSE,        /* "because": ends a set of directions */
    POV_WORD_THEREFORE,     /* begins a conclusion */
    POV_WORD_CORRECTION,    /* "wait": what follows replaces what stands before */
    POV_WORD_LINK,          /* "or", "and" */
    POV_WORD_NEGATION,      /* "not", "rather than" */
    POV_WORD_SMALL,         /* articles, prepositions */
    POV_WORD_FILLER,        /* may surround an answer that is nothing else */
    POV_WORD_SO,            /* concludes at the beginning of a clause, unless ... */
    POV_WORD_NOT_SO,        /* ... "so that" */
    POV_WORD_WHETHER,       /* "whether", "neither": names nothing, up to the clause's end */
    POV_WORD_IF,            /* two in a sentence tell what would follow from each */
    POV_WORD_COMPARED,      /* "than": names nothing, up to a comma or a verb */
    POV_WORD_REJECTED,      /* "is ruled out": names nothing before it */
    POV_WORD_NONE_FITS,     /* "none of the options" */
    POV_WORD_EQUAL,         /* "identical": its clause names nothing, if it names two */
    POV_WORD_FAILURE,       /* an engine's, instead of an answer */
    /* of a kind of question */
    POV_WORD_CERTAIN,  /* "certainly", alone, is yes */
    POV_WORD_NO_IDIOM, /* "no doubt" is not no */
    POV_WORD_ANY,      /* after "not" is 0 */
    POV_WORD_ONE,
    POV_WORD_ONE_OF,        /* is not a number */
    POV_WORD_BEFORE_LETTER, /* "option", before its letter */
    POV_WORD_LETTER_NOUN,   /* the same, but "is" */
    POV_WORD_AFTER_LABEL,   /* "A appears", not "a chair" */
    POV_WORD_MAKING,        /* "making B the closer one" */
    POV_WORD_AFTER_LETTER,  /* "B because" */
    POV_WORD_TOP,
    POV_WORD_TOP_SUBJECT,    /* "the top of the image is north" */
    POV_WORD_NUMBERED,       /* "step", before a number that counts nothing */
    POV_WORD_NO_COUNT,       /* "no doubt" is not none */
    POV_WORD_BEFORE_ANY,     /* between "not" and "any" */
    POV_WORD_BEFORE_PRONOUN, /* "the one" is not a number */
    POV_WORD_AFTER_ADVERB,   /* "right in front": "right" is not a side */
    POV_WORD_RIGHT_IDIOM,    /* "you are right": correct */
    POV_WORD_REMAINING,      /* "only one is left" */
    POV_WORD_REMAINDER,      /* before "left": "the option left" */
    POV_WORD_FACING,         /* before a direction in which something looks */
    POV_WORD_IMAGE,          /* after a side: "the left image" */
    POV_WORD_IMAGE_OF,       /* before one: "l'image de gauche" */
    POV_WORD_PREMISE,        /* "assuming the top of the image is north" */
    POV_WORD_IS_LEFT,        /* in any language */
    POV_WORD_IS_RIGHT,
    POV_WORD_IS_FRONT,
    POV_WORD_IS_BEHIND,
    POV_WORD_CLASSES
} pov_word_class;
static_assert(POV_WORD_CLASSES <= 64, "classes are the bits of a uint64_t");
/** "|" between words. */
extern const char *const POV_WORDS[POV_WORD_CLASSES];

typedef struct {
    const char *word;
    int value;
} pov_number_word;
/** Each ends without a word. */
extern const pov_number_word POV_NUMBER_WORDS[] /* up to ninety */, POV_ORDINALS[] /* to the tenth */;

typedef struct {
    const char *word;
    unsigned parts; /* bits, clockwise from north or front */
} pov_direction_word;
/** Each ends without a word. */
extern const pov_direction_word POV_CARDINAL_WORDS[], POV_SIDE_WORDS[];

/* ---- grammar: answer_grammar.c ---- */

/** One place that names an answer. */
typedef struct {
    int place, length;
    double value; /* yes: 1, no: 0; the number; the option's; a set's bits */
} pov_mention;

typedef struct pov_vocabulary pov_vocabulary;

typedef struct {
    pov_answer_text text;
    int end;           /* behind the last that is neither a blank nor a line break */
    uint64_t *classes; /* [place]: bits of pov_word_class: of the words that begin here */
    bool *
        off; /* [place]: within text that names nothing: a clause that says that it cannot be told, what is compared with */
    bool *
        open; /* [place]: and marks nothing: a list of what may be answered, what follows from one of two premises */
    const pov_vocabulary *of;
} pov_answer_reading;

struct pov_vocabulary {
    /** Reads an answer at `place`. Tried strictly everywhere first, then loosely. */
    bool (*find)(pov_mention *found, const pov_answer_reading *reading, int place, bool loose);
    /** Tried last, on a whole span; or NULL. */
    bool (*guess)(pov_mention *found, const pov_answer_reading *reading, pov_answer_span span);
    const void *words;
    enum { POV_FIRST_COUNTS, POV_TWO_ARE_NONE, POV_TWO_ARE_A_SET } several;
    bool counts; /* "total: 5" is marked as well */
    bool things; /* answers are names, of which a sentence may compare two */
};

/** In: plain: also what is neither marked nor at the beginning. */
pov_answer_kind pov_reading_answer(pov_mention *found, const char *answer, const pov_vocabulary *of,
                                   bool plain);
/** True if a text says that it cannot be told, or is sorry. */
bool pov_reading_refuses(const char *text);

/** The code point at a place; 0 beyond the text. */
static inline uint32_t pov_reading_at(const pov_answer_reading *reading, int place)
{
    return place >= 0 && place < reading->text.len ? reading->text.c[place] : 0;
}

int pov_reading_skip_blanks(const pov_answer_reading *reading,
                            int place); /* spaces, quotes, signs of Markdown */
int pov_reading_skip_word(const pov_answer_reading *reading, int place); /* "don't" is one */
/** True if a word of a class begins at `place`. */
static inline bool pov_reading_has(const pov_answer_reading *reading, int place, pov_word_class words)
{
    return place >= 0 && place < reading->text.len && (reading->classes[place] >> words & 1);
}
/** The length of the longest word of a class at `place`; 0: there is none. */
int pov_reading_length(const pov_answer_reading *reading, int place, pov_word_class words);
/** True if a word of a class is among the `words_max` + 1 before `place`, all after it being of the class `passed`. */
bool pov_reading_follows(const pov_answer_reading *reading, int place, pov_word_class words,
                         pov_word_class passed, int words_max);
/** True if the word before `place` is of a class. */
bool pov_reading_is_after(const pov_answer_reading *reading, int place, pov_word_class words);
/** "not left", "rather than on its left" */
bool pov_reading_is_negated(const pov_answer_reading *reading, int place);
/** Without a letter beside it, but for what spaces keep apart: "No.", "... behind: no", not "no cup". */
bool pov_reading_stands_alone(const pov_answer_reading *reading, int place, int length);
/** True if one of `words`, ended by NULL, is in the span, neither negated nor in a clause that says nothing. */
bool pov_reading_names(const pov_answer_reading *reading, pov_answer_span span, const char *const words[]);
