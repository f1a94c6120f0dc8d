/** The registry's relations that are not directions of their own name, judged in a scene. Pure. */
#pragma once

#include "perception/relations/relation.h"

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
