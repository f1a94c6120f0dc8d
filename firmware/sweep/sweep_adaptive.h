/** Chooses the next angle and questions of an adaptive sweep: those that tell most about where a model's answers flip. Pure. */
#pragma once

#include "firmware/comparison/answer_curves.h"

enum {
    POV_ADAPTIVE_ANGLES = 72,
    POV_ADAPTIVE_ANSWERS_MAX = 36
}; /* of a curve: as many as a whole grid asks */

typedef struct {
    double phi_deg;
    int len;
    const pov_answer_curve *
        *curves; /* that are asked about there; the caller frees the list, not the curves */
} pov_adaptive_choice;

/** How far an adaptive sweep is. */
typedef struct {
    int curves, known; /* curves of the model; those that are known precisely enough */
    int without; /* have no flips after as many answers as a grid asks: always yes, always no, by chance */
} pov_adaptive_state;

/** False: no answer would make it more precise; len is then 0.
 *  In: model: as its curves name it; std_deg: a standard deviation that is precise enough. */
bool pov_adaptive_next(pov_adaptive_choice *choice, pov_adaptive_state *state, pov_answer_curves *curves,
                       const char *model, double std_deg);
