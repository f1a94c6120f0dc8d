/** Curves of P(yes) on a terminal, while they grow. */
#pragma once

#include "firmware/comparison/answer_curves.h"

#include <stdio.h>

/** The room on the terminal. */
typedef struct {
    int curve_max;
    bool beside; /* the station's curves have room beside the model's */
} pov_sweep_room;

/** A line a curve of that model, 36 signs wide, from phi 0 to 350: "▁" to "█" is P(yes) from 0 to 1; "·": asked and pending, "x":
 *  answered and not scored, " ": not asked. Behind it the station's own curve. Returns how many lines it wrote. */
int pov_sweep_curves_draw(FILE *stream, const pov_answer_curves *curves, const char *model,
                          const pov_sweep_room *room);
