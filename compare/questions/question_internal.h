/** Shared by the sources that make questions. */
#pragma once

#include "compare/questions/question.h"

struct pov_questions {
    int len, capacity;
    pov_question *items; /* one more than capacity: where what does not fit goes */
    int gold_len, gold_capacity;
    pov_gold *golds; /* likewise */
    size_t text_len, text_capacity;
    char *text;
    pov_status problem; /* the first */
    char nothing[1];
    pov_noun nouns[POV_ENTITY_MAX];    /* of the scene's entities; id NULL: there is none in this language */
    pov_occlusion *occlusion;          /* has the scene if the benchmark looks */
    double p_in_image[POV_ENTITY_MAX]; /* of each entity, where a benchmark counts */
    pov_id support[POV_ENTITY_MAX];    /* what each rests on, for SPHERE; POV_ID_NONE: the ground */
    double p_told[POV_ENTITY_MAX];     /* that enough of it shows for its size to be told from the image */
    const pov_scene *scene;            /* while asking */
    const pov_asking *asking;
};

/* From here on an answer is sure, as seeing is. */
#define POV_QUESTIONS_SURE 0.95

/* A new question, empty, in English unless changed. Never fails: what does not fit becomes the problem. */
pov_question *pov_questions_add(pov_questions *q);
/* A gold for the question added last; undefined, in no frame. */
pov_gold *pov_questions_gold(pov_questions *q);
/* A text that lives as long as the questions. */
char *pov_questions_text(pov_questions *q, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Only the first stays. */
void pov_questions_complain(pov_questions *q, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Placed, and not the camera. */
bool pov_questions_is_thing(const pov_questions *q, pov_id id);
/* True if two entities have the same class. */
bool pov_questions_is_alike(const pov_questions *q, pov_id a, pov_id b);
/* The language's nouns that nothing in the scene may be called by; their number. */
int pov_questions_absent(const pov_questions *q, const pov_noun *absent[POV_LANGUAGE_NOUNS_MAX]);
/* True if a pair is one that is asked about: two things, or those chosen; none after a problem. */
bool pov_questions_wants(const pov_questions *q, pov_id referent, pov_id relatum);
/* Finds the entities' nouns in the language asked in, or in English if it is NULL. In English a thing that is not listed is
 * called by its class if no other thing has that, else by its name. */
void pov_questions_find_nouns(pov_questions *q, const pov_language *language);
/* Its noun; complains if there is none. */
const pov_noun *pov_questions_noun(pov_questions *q, pov_id id);
/* In English: "the ball", "the ball's", "ball", "A ball". */
const char *pov_questions_the(const pov_questions *q, pov_id id);
const char *pov_questions_whose(const pov_questions *q, pov_id id);
const char *pov_questions_bare(const pov_questions *q, pov_id id);
const char *pov_questions_a(pov_questions *q, pov_id id);
/* "ball" of a class, and its plural. */
const char *pov_questions_class(pov_questions *q, pov_id id);
const char *pov_questions_plural(pov_questions *q, const char *noun);
/* "The ball". */
const char *pov_questions_capital(pov_questions *q, const char *text);
const char *pov_questions_name(const pov_questions *q, pov_id id);

/* "" or facts about the two, with a space behind, for what is asked with POV_GUIDED_FACTS. */
const char *pov_questions_facts(pov_questions *q, pov_id referent, pov_id relatum);
/* Says why the guidance that is wanted cannot be. */
void pov_questions_complain_of_guidance(pov_questions *q);
/* Whether the guidance that is wanted goes with a question. */
bool pov_questions_can_guide(const pov_questions *q, const pov_question *question);
/* Adds to its words what tells of a second image, or wants a map. */
void pov_questions_guide(pov_questions *q, pov_question *question);
/* "" , "+facts" or "+step": the end of an id. */
const char *pov_questions_guided(const pov_questions *q);

/* A question about two things, or one (the other POV_ID_NONE), with its id: "vpt/Q4/REFERENT:RELATUM". `text` without
 * facts. */
pov_question *pov_questions_about(pov_questions *q, const char *task, pov_id referent, pov_id relatum,
                                  pov_question_kind kind, const char *text);
/* A gold in no frame: answers with probability p (NaN: undefined), sure from 0.95 on, as seeing is. */
pov_gold *pov_questions_answer(pov_questions *q, unsigned answers, double p);
/* The index of the largest p; 0 if none is known. */
int pov_questions_likeliest(const double p[], int len);
/* The same number for the same text on every machine. */
uint64_t pov_questions_hash(const char *text);

/* Begins a list, and ends it: nothing is kept after a problem. */
void pov_questions_start(pov_questions *q, const pov_scene *scene, const pov_asking *asking);
pov_status pov_questions_end(pov_questions *q);

void pov_questions_ask_comfort(pov_questions *q);
void pov_questions_ask_forest(pov_questions *q);
void pov_questions_ask_vsr(pov_questions *q);
void pov_questions_ask_vpt(pov_questions *q);
void pov_questions_ask_sphere(pov_questions *q);
void pov_questions_ask_viewspatial(pov_questions *q);
void pov_questions_ask_3dsrbench(pov_questions *q);
void pov_questions_ask_mindcube(pov_questions *q);
/** The benchmarks of questions_spatial.c: whichever is asked. */
void pov_questions_ask_spatial(pov_questions *q);
