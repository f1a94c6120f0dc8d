/** What else holds in a scene, besides directions: the registry's relations that need no frame, and who sees whom. */
#ifndef POV_FIRMWARE_JUDGE_MORE_H
#define POV_FIRMWARE_JUDGE_MORE_H

#include "perception/relation_judge.h"
#include "perception/visibility.h"

#include <stdio.h>

enum { POV_GRADED_MAX = 100 };

/** A pair's relations of POV_FRAME_NONE with one relatum that are not undefined. Returns their number. */
int pov_judge_graded(pov_relation_answer graded[POV_GRADED_MAX], const pov_scene *scene, pov_id referent,
                     pov_id relatum, double abstain_margin);

/** "  in every frame: near 0.98, ?touching 0.62": those that hold, or abstain; at most 100 columns wide. */
void pov_judge_print_graded(FILE *stream, const pov_relation_answer *graded, int len);
/** All of them, as elements of a JSON list. */
void pov_judge_print_graded_json(FILE *stream, const pov_scene *scene, const pov_relation_answer *graded,
                                 int len, bool first);

/** A line for each viewer and thing: "woman sees ball   yes 1.000   92 % of it", or why not; nothing without viewers. */
POV_MUST_USE pov_status pov_judge_print_visibility(FILE *stream, const pov_scene *scene);
/** The same as elements of a JSON list. */
POV_MUST_USE pov_status pov_judge_print_visibility_json(FILE *stream, const pov_scene *scene);

#endif
