#include "perception/relations/relation.h"

#include "perception/relations/relation_internal.h"

#include <math.h>

/* A relation's direction about its axis: the axis is where something with a front points (intrinsic), or north
 * (absolute). */
static pov_quarter own_quarter(pov_relation relation)
{
    static const pov_quarter quarter[POV_RELATION_COUNT] = {
        [POV_LEFT_OF] = POV_TO_LEFT, [POV_RIGHT_OF] = POV_TO_RIGHT, [POV_IN_FRONT_OF] = POV_AHEAD,
        [POV_BEHIND] = POV_BACK,     [POV_NORTH_OF] = POV_AHEAD,    [POV_EAST_OF] = POV_TO_RIGHT,
        [POV_SOUTH_OF] = POV_BACK,   [POV_WEST_OF] = POV_TO_LEFT,
    };
    return quarter[relation];
}

/* How a viewer's axes reach the relatum (Levinson 2003; COMFORT, section 2): moved there as they are; turned
 * to face the viewer; or mirrored, which turns front and back but leaves left and right. */
pov_quarter pov_relation_quarter(pov_relation relation, pov_convention convention)
{
    int own = (int)own_quarter(relation);
    switch (convention) {
    case POV_ROTATED:
        return (pov_quarter)((own + 2) % POV_QUARTER_COUNT);
    case POV_REFLECTED:
        return (pov_quarter)((6 - own) % POV_QUARTER_COUNT);
    case POV_TRANSLATED:
    case POV_NO_CONVENTION:
        break;
    }
    return (pov_quarter)own;
}

static bool is_cardinal(pov_relation relation)
{
    return relation >= POV_NORTH_OF && relation <= POV_WEST_OF;
}

static bool is_well_formed(const pov_scene *scene, const pov_query *query)
{
    bool relative = pov_is_relative(query->perspective);
    return pov_is_id(scene, query->referent) && pov_is_id(scene, query->relatum) &&
           query->referent != query->relatum && (!relative || pov_is_id(scene, query->viewer)) &&
           (relative == (query->convention != POV_NO_CONVENTION)) &&
           ((query->perspective == POV_ABSOLUTE) == is_cardinal(query->relation));
}

pov_code pov_relation_evaluate(pov_judgment *judgment, const pov_scene *scene, const pov_query *query,
                               const pov_judging *judging)
{
    pov_pair pair;
    pov_relatum_axis axis = {.perspective = query->perspective, .viewer = query->viewer, .axis = query->axis};
    pov_heading north;
    pov_axis_beliefs beliefs;
    bool wanted[POV_ACCEPTANCE_COUNT] = {false};
    *judgment = (pov_judgment){.query = *query,
                               .belief = {NAN, NAN, POV_VERDICT_UNDEFINED},
                               .theta_rad = NAN,
                               .theta_std_rad = NAN,
                               .flip_distance_m = NAN,
                               .p_internal = NAN};
    if (!is_well_formed(scene, query))
        return POV_UNDEFINED;
    wanted[query->acceptance] = true;
    pov_pair_find(&pair, scene, query->referent, query->relatum);
    pov_axis_find(&axis, &north, scene, query->relatum);
    pov_axis_judge(&beliefs, &pair, &axis, judging, wanted);
    pov_judgment_fill(judgment, &beliefs, &pair, query->acceptance,
                      pov_relation_quarter(query->relation, query->convention));
    return judgment->belief.verdict == POV_VERDICT_UNDEFINED ? POV_UNDEFINED : POV_OK;
}
