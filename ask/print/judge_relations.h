/** The registry's relations that are no directions of their own name, judged in a scene and printed. */
#pragma once

#include "perception/relations/relation.h"

#include <stdio.h>

/** The relations, by index in the registry, and the frames. Directions are skipped here, but not their synonyms. */
typedef struct {
    bool relation[POV_REGISTRY_MAX];
    bool is_explicit; /* named by a person, who wants to hear of those that do not hold, too */
    bool perspective[POV_PERSPECTIVE_COUNT], convention[POV_CONVENTION_COUNT], axis[POV_AXIS_COUNT];
    pov_acceptance acceptance; /* of synonyms of directions */
    pov_judging judging;
} pov_relation_choice;

/** A referent, and the relata that locate it. */
typedef struct {
    pov_id referent;
    int relatum_len;
    pov_id relatum[POV_RELATA_MAX];
} pov_located;

typedef void (*pov_relation_visit)(void *context, const pov_judgment *answer);

/** Judges every chosen relation that is said of so many relata: those that need no frame once, the others for each viewer
 *  in each chosen convention and axis, by the relatum's front, or for each viewer's place; one frame after the other.
 *  Calls `visit` for each, undefined ones too. */
void pov_relation_choice_judge(const pov_relation_choice *choice, const pov_scene *scene,
                               const pov_located *located, pov_relation_visit visit, void *context);

/** Does a chosen relation need exactly (more: at least) `relatum_len` relata? */
bool pov_relation_choice_needs(const pov_relation_choice *choice, int relatum_len, bool more);

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
