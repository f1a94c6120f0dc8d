/** The relations of a pair in which the frames of reference disagree, as text and as JSON. */
#pragma once

#include "perception/relations/relation.h"

#include <stdio.h>

/** One line for a pair's judgments: "  frames disagree: left_of 3 yes, 4 no; behind 5 yes, 1 no, 1 ?", or that they agree;
 *  nothing where no two frames have an answer. */
void pov_judge_print_summary(FILE *stream, const pov_judgment *judgments, int len);
/** For each relation judged, as elements of a JSON list: referent, relatum, relation, frame_independent, and for each
 *  verdict the judgments that have it, by their index in a list where the first of these is number `offset`.
 *  `first` is kept for the next. */
void pov_judge_print_summary_json(FILE *stream, const pov_scene *scene, const pov_judgment *judgments,
                                  int len, int64_t offset, bool *first);
