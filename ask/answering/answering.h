/** Answers to requests: what is said of a scene, and what it rests on. */
#ifndef POV_ASK_ANSWERING_ANSWERING_H
#define POV_ASK_ANSWERING_ANSWERING_H

#include "ask/meaning/request.h"

#include <stdio.h>

struct cJSON;

/** "question", "kind", "answer", "p", and what the answer rests on for each frame of reference, viewer or thing: docs/SCENE.md.
 *  Probabilities from 0 to 1; angles in degrees about the viewer's heading, counter-clockwise from above; metres.
 *  Out: shown: a judgment with a direction that the answer rests on; theta_rad NaN: there is none. The caller deletes it. */
struct cJSON *pov_answer_make(pov_judgment *shown, pov_moment *moment, const pov_request *question);
/** The same as lines of text: the question and its answer, then a line for each part that it rests on. */
void pov_answer_print(FILE *stream, const struct cJSON *answer);

#endif
