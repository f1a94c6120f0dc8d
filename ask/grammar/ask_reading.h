/** A question being read by a form: words, slots, and what may be left out. Used by ask_*.c only.
 *
 *  A pattern is a list of tokens: small letters stand for themselves, "|" between alternatives, "_" between words of
 *  one, brackets about what may be left out. Capitals are a slot or short for alternatives (ask_slot.c). */
#ifndef POV_ASK_GRAMMAR_ASK_READING_H
#define POV_ASK_GRAMMAR_ASK_READING_H

#include "ask/grammar/ask.h"
#include "ask/grammar/ask_words.h"

typedef struct {
    pov_request *question;
    const pov_scene *scene;
    const pov_words *words;
    int at;
    bool quiet; /* nobody reads what is wrong: messages stay empty */
    int near_miss; /* how like the word that is not understood is one that would be: 0 not, 1, 2: but for a letter */
    pov_id me, you;    /* POV_ID_NONE: the only addressee; the camera */
    pov_id somebody;   /* who was named last of those who can look: "he", "her" */
    pov_id view;       /* from whom it is asked, said before or after; POV_ID_NONE */
    bool is_view_weak; /* said by "for anna" or "from anna" alone */
} pov_reading;

/** Near misses: 0 if nearest is NULL. */
int pov_reading_likeness(const char *word, const char *nearest);
/** Reads on by a pattern. POV_ERROR: says what is not understood; `at` tells where. */
POV_MUST_USE pov_status pov_reading_take(pov_reading *reading, const char *pattern);
/** One of the alternatives "a|b_c"; moves on and returns true if one is here: the longest. */
bool pov_reading_takes(pov_reading *reading, const char *choices);

/** What a token in capitals takes: a slot; or NULL and what it is short for; both NULL: there is no such name. */
typedef struct {
    const char *name;
    pov_status (*take)(pov_reading *reading);
    const char *choices;
    const char *example; /* NULL: an entity of the scene */
} pov_slot;
const pov_slot *pov_slot_of(const char *name);

/** Somebody or something: an entity, I, you, he. `role` is for the message. */
POV_MUST_USE pov_status pov_slot_take_somebody(pov_reading *reading, pov_id *id, const char *role);

/** Takes what is lifted out of a sentence before the forms are tried, "from anna's perspective", "if I were anna", into the
 *  reading; the words are cut out. POV_ERROR: two viewpoints that contradict each other. */
POV_MUST_USE pov_status pov_viewpoint_lift(pov_reading *reading, pov_words *words);
/** The same with clauses that may be something else: "for anna" at the beginning or at the end. False: none. */
bool pov_viewpoint_lift_weak(pov_reading *reading, pov_words *words, bool at_end);
/** The slots FROM and VIEWPOINT: clauses from `at` on; VIEWPOINT must reach the end. */
POV_MUST_USE pov_status pov_viewpoint_take_some(pov_reading *reading);
POV_MUST_USE pov_status pov_viewpoint_take_all(pov_reading *reading);
/** Joins what was lifted and the form's own; POV_ERROR where they contradict each other. */
POV_MUST_USE pov_status pov_viewpoint_settle(pov_reading *reading);

/** The only addressee of a scene; POV_ERROR if there is none or more than one. */
POV_MUST_USE pov_status pov_viewpoint_addressee(pov_id *viewer, const pov_scene *scene);

/** A sentence by a pattern with the scene's own names: "where is the ball for anna". */
void pov_form_example(char *text, size_t capacity, const pov_scene *scene, const char *pattern);

#endif
