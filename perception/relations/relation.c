#include "perception/relations/relation.h"

#include <stdio.h>

#include <string.h>

/* -------- queries -------- */

pov_query pov_query_of_pair(const pov_relation_info *relation, pov_id referent, pov_id relatum)
{
    return (pov_query){.relation = relation,
                       .referent = referent,
                       .viewer = POV_ID_NONE,
                       .relatum = {relatum},
                       .relatum_len = 1,
                       .perspective = POV_ABSOLUTE,
                       .convention = POV_NO_CONVENTION,
                       .axis = POV_HEADING};
}

bool pov_query_equal(const pov_query *a, const pov_query *b)
{
    return a->relation == b->relation && a->referent == b->referent && a->relatum_len == b->relatum_len &&
           memcmp(a->relatum, b->relatum, (size_t)a->relatum_len * sizeof *a->relatum) == 0 &&
           a->viewer == b->viewer && a->perspective == b->perspective && a->convention == b->convention &&
           a->axis == b->axis && a->acceptance == b->acceptance;
}

pov_id pov_viewer_next(const pov_scene *scene, pov_id after)
{
    for (pov_id viewer = after + 1; viewer < scene->len; viewer++)
        if (viewer == scene->camera || scene->entities[viewer].addressee)
            return viewer;
    return POV_ID_NONE;
}

pov_perspective pov_viewer_perspective(const pov_scene *scene, pov_id viewer)
{
    return viewer == scene->camera ? POV_EGOCENTRIC : POV_ADDRESSEE;
}

/* -------- names -------- */

#define COUNT(array) (sizeof(array) / sizeof *(array))

POV_ENUM_NAMES(pov_perspective_name, pov_perspective, POV_PERSPECTIVE_COUNT, "egocentric", "addressee",
               "intrinsic", "absolute")

POV_ENUM_NAMES(pov_convention_name, pov_convention, POV_CONVENTION_COUNT + 1, "translated", "rotated",
               "reflected", NULL)

POV_ENUM_NAMES(pov_axis_name, pov_axis, POV_AXIS_COUNT, "sight_line", "heading")

POV_ENUM_NAMES(pov_acceptance_name, pov_acceptance, POV_ACCEPTANCE_COUNT, "hemisphere", "cosine", "template")

POV_ENUM_NAMES(pov_containment_name, pov_containment, POV_CONTAINMENT_COUNT, "external", "internal")

POV_ENUM_NAMES(pov_verdict_name, pov_verdict, POV_VERDICT_COUNT, "false", "true", "abstain", "undefined")

POV_ENUM_NAMES(pov_doubt_name, pov_doubt, POV_DOUBT_COUNT, NULL, "poses", "calibration")

void pov_query_viewpoint(char *text, size_t capacity, const pov_scene *scene, const pov_query *query)
{
    if (query->relation && query->relation->frame == POV_FRAME_NONE)
        snprintf(text, capacity, "in every frame");
    else if (query->relation && query->relation->frame == POV_FRAME_VIEWER)
        snprintf(text, capacity, "from %s", scene->entities[query->viewer].name);
    else if (query->perspective == POV_INTRINSIC)
        snprintf(text, capacity, "%s's own front", scene->entities[query->relatum[0]].name);
    else if (query->perspective == POV_ABSOLUTE)
        snprintf(text, capacity, "compass");
    else
        snprintf(text, capacity, "%s, %s", scene->entities[query->viewer].name,
                 pov_convention_name(query->convention));
}
