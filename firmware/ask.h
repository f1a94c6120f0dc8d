/** Questions in plain English: "ball left-of car from addressee". */
#ifndef POV_FIRMWARE_ASK_H
#define POV_FIRMWARE_ASK_H

#include "perception/relation_judge.h"
#include "perception/status.h"

#include <stddef.h>

enum { POV_ANSWER_MAX = POV_ENTITY_MAX + 2, POV_QUESTION_CAPACITY = 400 };

/** What was asked. Where the question names no perspective, every one that the scene has is asked. */
typedef struct {
    char text[POV_QUESTION_CAPACITY];
    const pov_relation_info *relation; /* of the registry */
    pov_id referent;
    int relatum_len; /* several: "between the car and the box" */
    pov_id relatum[POV_RELATA_MAX];
    bool any_perspective;
    pov_perspective perspective;
    pov_id viewer;
    pov_convention convention; /* reflected, as in English, unless the question says */
    pov_axis axis;             /* sight line unless the question says */
} pov_question;

/** Reads "[is] [the] REFERENT RELATION [the] RELATUM [and RELATUM...] [from VIEWER] [translated|rotated|reflected]
 *  [by heading]". RELATION is any name or English phrase of the registry (perception/relation_registry.h).
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

/** The answer, and the judgment in each frame of reference it rests on. Of relations that have no direction, theta and
 *  what goes with it are NaN and the query's relation stands for nothing: question.relation names it. */
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

/** Why an answer's judgment is undefined: "car has no front"; "" if it is not. */
void pov_answer_explain(char *reason, size_t capacity, const pov_scene *scene, const pov_answer *answer,
                        int index);

#endif
