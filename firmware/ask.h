/** Questions in plain English: "ball left-of car from addressee". */
#ifndef POV_FIRMWARE_ASK_H
#define POV_FIRMWARE_ASK_H

#include "perception/relation.h"
#include "perception/status.h"

#include <stddef.h>

enum { POV_ANSWER_MAX = POV_ENTITY_MAX + 2, POV_QUESTION_CAPACITY = 400 };

/** What was asked. Where the question names no perspective, every one that the scene has is asked. */
typedef struct {
    char text[POV_QUESTION_CAPACITY];
    pov_id referent, relatum;
    pov_relation relation;
    bool any_perspective;
    pov_perspective perspective;
    pov_id viewer;
    pov_convention convention; /* reflected, as in English, unless the question says */
    pov_axis axis;             /* sight line unless the question says */
} pov_question;

/** Reads "[is] [the] REFERENT RELATION [the] RELATUM [from VIEWER] [translated|rotated|reflected] [by heading]".
 *  Upper and lower case, "-" and "_" do not matter; an entity is named by its id, or its class if that is unique.
 *  Errors name the word that is not known, and the nearest that is. */
POV_MUST_USE pov_status pov_question_parse(pov_question *question, const pov_scene *scene, const char *text);

typedef enum {
    POV_ANSWER_YES,
    POV_ANSWER_NO,
    POV_ANSWER_ABSTAIN,
    POV_ANSWER_UNDEFINED,
    POV_ANSWER_DEPENDS
} pov_answer_kind;

/** The answer, and the judgment in each frame of reference it rests on. */
typedef struct {
    pov_question question;
    pov_answer_kind kind; /* POV_ANSWER_DEPENDS: yes in one frame, no in another */
    int len;
    pov_judgment judgments[POV_ANSWER_MAX];
} pov_answer;

/** Judges what was asked; frames in which it is undefined count only if there is no other. */
void pov_question_answer(pov_answer *answer, const pov_scene *scene, const pov_question *question,
                         const pov_judging *judging);

/** "yes", "no", "abstain", "undefined", "depends". */
const char *pov_answer_name(pov_answer_kind kind);

/** Why a query is undefined: "car has no front", "" if it is not. Borrowed names make it at most
 *  POV_MESSAGE_CAPACITY long. */
void pov_query_explain(char *reason, size_t capacity, const pov_scene *scene, const pov_query *query);

#endif
