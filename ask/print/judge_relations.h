/** The registry's relations that are not directions of their own name (relation_choice.h), printed. */
#pragma once

#include "perception/relations/relation_choice.h"

#include <stdio.h>

/** A line for each frame: "  in every frame: near 0.98, ?touching 0.62"; "?": too close to say. Of relations that a
 *  person named the verdict is told, of others only those that hold. At most 100 columns wide. Returns whether any. */
bool pov_relation_choice_print(FILE *stream, const pov_relation_choice *choice, const pov_scene *scene,
                               const pov_located *located);
/** As elements of a JSON list, with `first` kept for the next. Undefined ones only of relations that a person named. */
void pov_relation_choice_print_json(FILE *stream, const pov_relation_choice *choice, const pov_scene *scene,
                                    const pov_located *located, bool *first);
/** The same as lines under pov_judge_print_csv_header. */
void pov_relation_choice_print_csv(FILE *stream, const pov_relation_choice *choice, const pov_scene *scene,
                                   const pov_located *located);

/** Prints their names, for shells to complete. */
void pov_relations_offer(FILE *stream);
