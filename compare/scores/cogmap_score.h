/** MindCube's score of a cognitive map (mll-lab-nu/MindCube): a map that a model drew on a grid, x to the right and y down, compared
 *  with the right one, whichever of four ways it is turned. Pure. */
#pragma once

#include "perception/status.h"

#include <stdbool.h>

typedef struct {
    bool parsable, valid; /* there is JSON; it is a map */
    double coverage;      /* share of the right map's things that it has */
    double directional,
        facing;     /* shares of the pairs' directions, and of the things' facings, that are right */
    double overall; /* 0.7 directional + 0.3 facing, in the best turn; 0 if there is no map */
    int turned_deg; /* clockwise, of the drawn map: 0, 90, 180, 270 */
} pov_cogmap_grade;

/** `drawn`: a map, or a reply that has one: between <cogmap> and </cogmap>, or its outermost braces. Of a reply's JSON trailing commas,
 *  comments, single quotes and bare keys are mended.
 *  Maps: {"objects": [{"name", "position": [x, y], "facing"}], "views": [...]}, or {"mug": {"position": [x, y], "facing": "left"}}. A map
 *  without views is compared by objects only.
 *  Method: relations are right, left, up, down by the larger difference (of things nearer than 0.5: inner, outer by their facings);
 *          only things that both maps have count; without facings in the right map that part is 1.
 *  Returns: POV_ERROR if the right map is not one. */
POV_MUST_USE pov_status pov_cogmap_compare(pov_cogmap_grade *grade, const char *drawn, const char *right);
