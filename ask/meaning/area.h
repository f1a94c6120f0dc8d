/** A part of the top of a thing, as somebody sees it: "the left half of the table", "the far right corner of the box". Pure. */
#pragma once

#include "ask/meaning/moment.h"

typedef enum { POV_PART_NONE, POV_PART_HALF, POV_PART_EDGE, POV_PART_CORNER } pov_part;

/** Beside a relation ("left of") to the thing whose top it is. */
typedef struct {
    pov_part part;  /* POV_PART_NONE: the relation means no area */
    bool is_side;   /* "the left side of": of a thing that carries nothing, what is beside it */
    bool by_viewer; /* near and far: as somebody looks, never by the thing's own front */
    const pov_relation_info *across; /* of a corner: the second direction */
} pov_area;

/** Once it is known whose part it is: "the left side of the table" is an area, that of a box is beside it. */
void pov_area_settle(pov_area *area, const pov_relation_info **relation, const pov_scene *scene,
                     pov_id relatum);

/** pov_moment_relation, and for an area: whether the referent stands on the relatum, in that part of its top. People stand beside it. */
pov_code pov_area_relation(pov_judgment *judgment, pov_moment *moment, const pov_query *query,
                           const pov_area *area);
/** The same of a referent that is imagined to stand on the relatum. Out: goodness: how good a place it is in the area, to 1. */
pov_code pov_area_place(pov_judgment *judgment, double *goodness, const pov_scene *scene,
                        const pov_query *query, const pov_judging *judging, const pov_area *area);

/** "on the left side of", "in the far right corner of"; the relation's own words where it means no area. Returns text. */
const char *pov_area_phrase(char text[64], const pov_area *area, const pov_relation_info *relation);

/** What "the table" means where no thing of the scene is called so: the surface on which most things stand; POV_ID_NONE: there is none. */
pov_id pov_area_table(const pov_scene *scene);
/** Adds to a scene without such a surface a table under the things that stand on nothing, a hand wider than they reach.
 *  POV_ERROR: nothing stands there, or the scene is full. */
POV_MUST_USE pov_status pov_area_imagine_table(pov_scene *scene);
