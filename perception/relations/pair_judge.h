/** Judges the directions of every pair of a scene in every frame; computes once what pairs share. Pure.
 *
 *      pov_pair_judge judge;
 *      pov_pair_judge_prepare(&judge, &scene, &judging);
 *      for each relatum, for each referent:
 *          len = pov_pair_judge_run(&judge, judgments, capacity, referent, relatum); */
#pragma once

#include "perception/relations/relatum_axis.h"

/** One of the judgments wanted about an axis. */
typedef struct {
    const pov_relation_info *relation;
    pov_convention convention : 8;
    pov_acceptance acceptance : 8;
    unsigned quarter : 8; /* the relation's direction: quarter-turns counter-clockwise from the axis */
} pov_wanted_judgment;

typedef struct {
    int len;
    pov_wanted_judgment list[POV_CONVENTION_COUNT * 4 * POV_ACCEPTANCE_COUNT];
} pov_wanted_judgments;

enum { POV_RELATUM_AXES_MAX = POV_AXIS_COUNT * POV_ENTITY_MAX + 2 };

/** Borrows the scene and the judging, which must not change meanwhile; not to be copied. */
typedef struct {
    const pov_scene *scene;
    const pov_judging *judging;
    pov_heading north;
    pov_wanted_judgments relative, intrinsic, absolute;
    pov_id relatum; /* whose axes these are */
    int axis_len;
    pov_relatum_axis axis[POV_RELATUM_AXES_MAX];
} pov_pair_judge;

void pov_pair_judge_prepare(pov_pair_judge *judge, const pov_scene *scene, const pov_judging *judging);

/** Judges a pair as pov_relation_evaluate_pair does. Keeps the axes of the last relatum: fastest when the relatum seldom
 *  changes.
 *  Out:     judgments[0 .. return value), at most `capacity`; the return value is the number there would be. */
int pov_pair_judge_run(pov_pair_judge *judge, pov_judgment *judgments, int capacity, pov_id referent,
                       pov_id relatum);
