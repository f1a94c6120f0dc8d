/** Judges any relation of the registry in a scene: expected truth under the uncertainty of positions and headings. */
#ifndef POV_PERCEPTION_RELATIONS_RELATION_JUDGE_H
#define POV_PERCEPTION_RELATIONS_RELATION_JUDGE_H

#include "perception/relations/relation_registry.h"

/** A relation between entities, and the frame of reference it is asked in. */
typedef struct {
    const pov_relation_info *relation;
    pov_id referent;
    int relatum_len;
    pov_id relatum[POV_RELATA_MAX];
    pov_perspective perspective; /* ignored by relations of POV_FRAME_NONE */
    pov_id viewer;               /* egocentric: the camera; addressee: a person; else POV_ID_NONE */
    pov_convention convention;   /* egocentric, addressee; else POV_NO_CONVENTION */
    pov_axis axis;
    pov_acceptance acceptance; /* of relation.h's eight; the others have their own grading */
} pov_relation_question;

typedef struct {
    pov_relation_question question;
    pov_belief
        belief; /* p: expected truth; p_std: its deviation over the posterior; verdict by P(truth > 0.5) */
} pov_relation_answer;

typedef struct {
    pov_predicate_params params;
    double abstain_margin; /* in [0, 0.5): abstain when |P(truth > 0.5) - 0.5| <= margin */
    pov_template regions;  /* of relation.h's eight by POV_TEMPLATE */
} pov_relation_judging;
#define POV_RELATION_JUDGING_DEFAULT                                                                         \
    {                                                                                                        \
        .params = POV_PREDICATE_PARAMS_DEFAULT, .abstain_margin = 0.49865, .regions = POV_TEMPLATE_DEFAULT   \
    }

/** Judges one question.
 *  Returns: POV_OK; POV_UNDEFINED (verdict POV_VERDICT_UNDEFINED, numbers NaN) if an entity is not placed, there are
 *           too few relata, the frame needed is not there, or geometry cannot decide in half of the posterior or more.
 *  In:      ids in the scene, all different. Boxes turn with their headings.
 *  Method:  relation.h's eight: pov_relation_evaluate. Others: a rank-1 lattice (Cools, Kuo & Nuyens 2006) over the
 *           joint Gaussian of relative positions and the heading mixtures, doubled until it settles. Deterministic;
 *           within 0.005 of the true expectation. No allocation. */
pov_code pov_relation_judge(pov_relation_answer *answer, const pov_scene *scene,
                            const pov_relation_question *question, const pov_relation_judging *judging);

/** All relations of the registry that need one relatum, for a pair: those of POV_FRAME_NONE once, the others in every
 *  frame the scene offers (each viewer with the reflected convention by its sight line, the relatum's front, north).
 *  Out: answers[0 .. return value), at most `capacity`; the return value is the number there would be. */
int pov_relation_judge_all(pov_relation_answer *answers, int capacity, const pov_scene *scene,
                           pov_id referent, pov_id relatum, const pov_relation_judging *judging);

#endif
