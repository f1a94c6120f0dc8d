/* How big and how tall: sizes are the same from everywhere, and known. */
#include "perception/relations/predicates/predicate_list.h"

#include "perception/relations/predicates/predicate_grade.h"

#include <math.h>

/* NaN where neither has any. */
static pov_range grade_more(double a, double b, const pov_predicate_params *params)
{
    return pov_grade_above(pov_range_exactly(2 * (a - b) / (a + b)), 0, params->size_softness);
}

POV_PREDICATE(bigger)
{
    return grade_more(pov_box_volume_m3(&situation->referent.box),
                      pov_box_volume_m3(&situation->relatum[0].box), params);
}

POV_PREDICATE(smaller)
{
    return pov_grade_not(pov_predicate_bigger(situation, params));
}

static double height_m(const pov_body *body)
{
    return 2 * pov_box_half_extent_m(&body->box, (pov_vec3){0, 0, 1});
}

POV_PREDICATE(taller)
{
    return grade_more(height_m(&situation->referent), height_m(&situation->relatum[0]), params);
}

POV_PREDICATE(shorter)
{
    return pov_grade_not(pov_predicate_taller(situation, params));
}

/* Its edges, the longest first. */
static void sort_edges(double edge_m[3], const pov_body *body)
{
    pov_vec3 h = body->box.half_m;
    double least = fmin(h.x, fmin(h.y, h.z)), most = fmax(h.x, fmax(h.y, h.z));
    edge_m[0] = 2 * most;
    edge_m[1] = 2 * (h.x + h.y + h.z - least - most);
    edge_m[2] = 2 * least;
}

/* The edges that differ most decide. */
POV_PREDICATE(congruent)
{
    double a[3], b[3], difference = 0;
    sort_edges(a, &situation->referent);
    sort_edges(b, &situation->relatum[0]);
    if (!(a[2] > 0 && b[2] > 0))
        return pov_range_exactly(NAN);
    for (int i = 0; i < 3; i++)
        difference = fmax(difference, 2 * fabs(a[i] - b[i]) / (a[i] + b[i]));
    return pov_grade_below(pov_range_exactly(difference), POV_SIMILAR_LENGTH, params->size_softness);
}
