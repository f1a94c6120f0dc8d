/** The initial estimate of a turntable's least squares. */
#pragma once

#include "calib/turntable/turntable_solver.h"

/** One tag's poses in one view: T_table_tag, likelier first. */
typedef struct {
    int len;
    pov_transform T[2];
} pov_turn_poses;

/** Work space. */
typedef struct {
    pov_turn_poses *poses; /* POV_TURN_SIGHTING_MAX to a view */
    int component
        [POV_TURN_VIEW_MAX]; /* views that share tags, directly or through others, have the same number */
    bool turns[POV_TURN_TAG_MAX]; /* a tag of the disc that is seen to move */
} pov_turn_start;

pov_turn_start *pov_turn_start_new(void);
void pov_turn_start_destroy(pov_turn_start **start);

/** Finds each tag's poses and which tags turn. In: the problem but for the disc, its angles and its tags' places. */
void pov_turn_start_look(pov_turn_start *start, pov_turn_problem *problem);

/** Finds the disc, the angles of the views of the largest component, and the places of its tags. Sightings of tags that do not
 *  turn must be gone.
 *  Returns: how many views are in that component, whose number is *component; 0 if no axis can be told.
 *  Method:  tags move in planes across the axis: its direction is that in which their centres spread least, its place that from
 *           which each tag keeps its distance. A tag's place on the disc: of its poses in all views the one that fits best in
 *           all. */
int pov_turn_start_find(pov_turn_start *start, pov_turn_problem *problem, int *component);
