/** The pairs of `pov judge --pairs`: "ball:car", "ball:*", "*:car", "ball:car+box" for several relata. */
#ifndef POV_FIRMWARE_JUDGE_JUDGE_PAIRS_H
#define POV_FIRMWARE_JUDGE_JUDGE_PAIRS_H

#include "ask/print/judge_relations.h"

typedef void (*pov_located_visit)(void *context, const pov_located *located);

/** Calls `visit` for each that `list` names, in its order; "" stands for every pair that has not the camera in it.
 *  "*" stands for everything but the camera, and the other of the pair.
 *  Returns: POV_ERROR naming what is no pair or not in the scene, with the nearest id; those before it were visited. */
POV_MUST_USE pov_status pov_judge_pairs_visit(const char *list, const pov_scene *scene,
                                              pov_located_visit visit, void *context);

/** Every set of `relatum_len` relata, in the scene's order, for every referent; the camera is in none. */
void pov_judge_sets_visit(const pov_scene *scene, int relatum_len, pov_located_visit visit, void *context);

#endif
