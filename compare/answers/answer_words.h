/** The words by which answers are read (docs/SCORES.md, "How words are read"), as compare/answers/answer_text.h folds them. */
#ifndef POV_COMPARE_ANSWERS_ANSWER_WORDS_H
#define POV_COMPARE_ANSWERS_ANSWER_WORDS_H

/** What surrounds thoughts. The list ends with an entry without an end. */
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
    POV_WORD_WHETHER,
    /* of a kind of question */
    POV_WORD_CERTAIN,  /* "certainly", alone, is yes */
    POV_WORD_NO_IDIOM, /* "no doubt" is not no */
    POV_WORD_ANY,      /* after "not" is 0 */
    POV_WORD_ONE,
    POV_WORD_ONE_OF,        /* is no number */
    POV_WORD_ALL,           /* "all right" */
    POV_WORD_BEFORE_LETTER, /* "option", before its letter */
    POV_WORD_AFTER_LETTER,  /* "B because" */
    POV_WORD_TOP,
    POV_WORD_TOP_SUBJECT,    /* "the top of the image is north" */
    POV_WORD_NUMBERED,       /* "step", before a number that counts nothing */
    POV_WORD_NO_COUNT,       /* "no doubt" is not none */
    POV_WORD_BEFORE_ANY,     /* between "not" and "any" */
    POV_WORD_BEFORE_PRONOUN, /* "the one" is no number */
    POV_WORD_AFTER_ADVERB,   /* "right in front": "right" is no side */
    POV_WORD_FACING,         /* before a direction in which something looks */
    POV_WORD_PREMISE,        /* "assuming the top of the image is north" */
    POV_WORD_CLASSES
} pov_word_class;
/** "|" between words. */
extern const char *const POV_WORDS[POV_WORD_CLASSES];

typedef struct {
    const char *word;
    int value;
} pov_number_word;
extern const pov_number_word POV_NUMBER_WORDS[]; /* up to ninety; ends without a word */

typedef struct {
    const char *word;
    unsigned parts; /* bits, clockwise from north or front */
} pov_direction_word;
/** Each ends without a word. */
extern const pov_direction_word POV_CARDINAL_WORDS[], POV_SIDE_WORDS[];

#endif
