/** Shared by the sources of SPHERE's questions. */
#pragma once

#include "compare/questions/question_internal.h"
#include "perception/papers/sphere_tasks.h"

/** A question and its subjects. */
typedef struct {
    const char *task; /* "distance" */
    const char *part; /* one of several parts: "left_right"; "" */
    pov_id referent, relatum, viewer;
    const char *text;                         /* "Which object is bigger?" */
    const char *const *words;                 /* of the options, p's in order */
    const char *before;                       /* told first; "" */
    const pov_choice *by_camera, *by_relatum; /* of the same words, by these axes; NULL: not known */
} pov_sphere_ask;

/** A measure's words: "bigger" and "smaller", ... */
typedef struct {
    const char *name, *more[2], *most[2];
    const char *alike, *same, *different; /* "similar in size", "the same size", "different sizes" */
} pov_sphere_measure;
extern const pov_sphere_measure POV_SPHERE_MEASURES[POV_EXTENT_COUNT];

/** "Left or Right". */
const char *pov_sphere_join_options(pov_questions *q, const char *const *options, int len);
/** Asks in as many orders as runs are wanted, with "Answer the question directly." at the end. */
void pov_sphere_ask_choice(pov_questions *q, const pov_sphere_ask *ask, const pov_choice *choice);
/** "the two cups": all there are of a class. */
bool pov_sphere_are_the_two(const pov_questions *q, pov_id a, pov_id b);
/** One of `len`, by the seed; the same for the same question about two. */
int pov_sphere_pick(pov_questions *q, const char *about, pov_id a, pov_id b, int len);
/** Asks occlusion and manipulation, the two reasoning tasks, for a viewer; with POV_GUIDED_STEP after their intermediate
 *  questions. */
void pov_sphere_ask_reasoning(pov_questions *q, pov_id viewer);
