#include "perception/relations/relation.h"

#include <assert.h>
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

static const char *const perspective_names[] = {"egocentric", "addressee", "intrinsic", "absolute"};
static const char *const convention_names[] = {"translated", "rotated", "reflected", NULL};
static const char *const axis_names[] = {"sight_line", "heading"};
static const char *const acceptance_names[] = {"hemisphere", "cosine", "template"};
static const char *const doubt_names[] = {NULL, "poses", "calibration"};
static_assert(COUNT(doubt_names) == POV_DOUBT_COUNT, "one name a doubt");
static const char *const containment_names[] = {"external", "internal"};
static const char *const verdict_names[] = {"false", "true", "abstain", "undefined"};
static_assert(COUNT(perspective_names) == POV_PERSPECTIVE_COUNT, "one name a perspective");
static_assert(COUNT(convention_names) == POV_CONVENTION_COUNT + 1, "one name a convention, and none");
static_assert(COUNT(axis_names) == POV_AXIS_COUNT, "one name an axis");
static_assert(COUNT(acceptance_names) == POV_ACCEPTANCE_COUNT, "one name an acceptance");
static_assert(COUNT(containment_names) == POV_CONTAINMENT_COUNT, "one name a containment");
static_assert(COUNT(verdict_names) == POV_VERDICT_COUNT, "one name a verdict");

const char *pov_perspective_name(pov_perspective perspective)
{
    POV_REQUIRE(perspective < POV_PERSPECTIVE_COUNT);
    return perspective_names[perspective];
}

const char *pov_convention_name(pov_convention convention)
{
    POV_REQUIRE(convention <= POV_NO_CONVENTION);
    return convention_names[convention];
}

const char *pov_axis_name(pov_axis axis)
{
    POV_REQUIRE(axis < POV_AXIS_COUNT);
    return axis_names[axis];
}

const char *pov_acceptance_name(pov_acceptance acceptance)
{
    POV_REQUIRE(acceptance < POV_ACCEPTANCE_COUNT);
    return acceptance_names[acceptance];
}

const char *pov_containment_name(pov_containment containment)
{
    POV_REQUIRE(containment < POV_CONTAINMENT_COUNT);
    return containment_names[containment];
}

const char *pov_verdict_name(pov_verdict verdict)
{
    POV_REQUIRE(verdict < POV_VERDICT_COUNT);
    return verdict_names[verdict];
}

const char *pov_doubt_name(pov_doubt doubt)
{
    POV_REQUIRE(doubt < POV_DOUBT_COUNT);
    return doubt_names[doubt];
}
