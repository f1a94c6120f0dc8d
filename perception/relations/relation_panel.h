/** Judges a pair by many of the registry's relations at once, for streams: a fraction of the cost of pov_relation_evaluate.
 *
 *  All relations share one set of draws of a pair, and what several relations measure of a draw is measured once. A
 *  relation that has the same truth in the whole spread (pov_situation_posterior_spread) needs no draws. */
#pragma once

#include "perception/relations/relation.h"
#include "perception/status.h"

typedef struct pov_relation_panel pov_relation_panel;

/** Judgments are added at the end of a list of the caller's, while there is room. */
typedef struct {
    pov_judgment *judgments;
    int capacity, len;
    bool truncated; /* there would have been more; never reset here */
} pov_judgment_list;

/** A panel for the relations judging->other, with the margin and the parameters of `judging`. */
POV_MUST_USE pov_status pov_relation_panel_new(pov_relation_panel **panel, const pov_judging *judging);
void pov_relation_panel_destroy(pov_relation_panel **panel);
/** From now on at most 256 points of the lattice: an eighth of the time; p within 0.04. */
void pov_relation_panel_hurry(pov_relation_panel *panel, bool hurried);

/** Judges a pair by the relations that take one relatum, in every frame the scene offers: those of POV_FRAME_NONE once, the
 *  others for each viewer (reflected, by its sight line) and by the relatum's front. Relations that take two relata are
 *  judged with each further entity but the camera as the second; "between", which is the same either way round, only
 *  with those after the relatum.
 *  In:      ids in the scene, different.
 *  Method:  as pov_relation_evaluate: 1024 points of the lattice, or 2048 if p still moves by 0.003; p within 0.015 of
 *           the true expectation. No allocation. */
void pov_relation_panel_pair(pov_relation_panel *panel, pov_judgment_list *list, const pov_scene *scene,
                             pov_id referent, pov_id relatum);

/** "among": the referent among all other placed entities but the camera, if they are three to POV_RELATA_MAX. */
void pov_relation_panel_among(pov_relation_panel *panel, pov_judgment_list *list, const pov_scene *scene,
                              pov_id referent);
