/** Many relations of the registry at once, for streams: what pov_relation_judge (perception/relations/relation_judge.h) answers for
 *  each, at a fraction of its cost.
 *
 *  The draws of a pair are made once and looked at by every relation; what several relations measure of a draw is
 *  measured once; and a relation that is the same in all that is possible (pov_situation_posterior_spread) needs none. */
#ifndef POV_PERCEPTION_RELATIONS_RELATION_PANEL_H
#define POV_PERCEPTION_RELATIONS_RELATION_PANEL_H

#include "perception/relations/relation_judge.h"
#include "perception/status.h"

enum { POV_PANEL_RELATION_MAX = 128 };

typedef struct pov_relation_panel pov_relation_panel;

/** Which relations, and how they are judged. */
typedef struct {
    bool relation
        [POV_PANEL_RELATION_MAX]; /* by index in the registry; relation.h's eight must not be chosen */
    pov_relation_judging judging;
} pov_panel_config;
#define POV_PANEL_DEFAULT                                                                                    \
    {                                                                                                        \
        .judging = POV_RELATION_JUDGING_DEFAULT                                                              \
    }

/** Where answers go: at the end of a list of the caller's, while there is room. */
typedef struct {
    pov_relation_answer *answers;
    int capacity, len;
    bool truncated; /* there would have been more; sticks */
} pov_answer_list;

POV_MUST_USE pov_status pov_relation_panel_new(pov_relation_panel **panel, const pov_panel_config *config);
void pov_relation_panel_destroy(pov_relation_panel **panel);

/** Judges a pair by the relations that take one relatum, in every frame the scene offers (as pov_relation_judge_all
 *  does), and by those that take two with each further entity but the camera as the second; "between", which is the same
 *  either way round, only with those after the relatum.
 *  In:      ids in the scene, different.
 *  Method:  as pov_relation_judge: 1024 points of the lattice, or 2048 if p still moves by 0.003; p within 0.015 of
 *           the true expectation. No allocation. */
void pov_relation_panel_pair(pov_relation_panel *panel, pov_answer_list *list, const pov_scene *scene,
                             pov_id referent, pov_id relatum);

/** "among": the referent among all other placed entities but the camera, if they are three to POV_RELATA_MAX. */
void pov_relation_panel_among(pov_relation_panel *panel, pov_answer_list *list, const pov_scene *scene,
                              pov_id referent);

#endif
