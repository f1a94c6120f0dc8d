/** Answers to questions and instructions, as text and as JSON. */
#ifndef POV_ASK_ANSWERING_ANSWERING_H
#define POV_ASK_ANSWERING_ANSWERING_H

#include "ask/meaning/request.h"

#include <stdio.h>

/** What answers are made from, and where they go. */
typedef struct {
    FILE *stream;
    const pov_scene *scene;
    const pov_judging *judging;
    pov_moment *moment;
    bool json; /* one object on one line */
    pov_judgment
        shown; /* out: a judgment that the answer rests on; theta_rad NaN: there is none with a direction */
} pov_answering;

/** Answers a question of any kind: what it comes to, then what it rests on for each frame of reference or viewer.
 *  Probabilities from 0 to 1; angles in degrees about the viewer's heading, counter-clockwise from above; metres. */
void pov_answering_tell(pov_answering *answering, const pov_request *question);

#endif
