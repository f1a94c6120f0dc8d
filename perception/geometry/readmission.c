#include "perception/geometry/readmission.h"

#include <math.h>
#include <string.h>

/* Of those that were not tried; -1: there is none. */
static int find_nearest(const bool *is_tried, const pov_readmission *r)
{
    double least = INFINITY;
    int nearest = -1;
    for (int i = 0; i < r->len; i++) {
        const double misfit = is_tried[i] ? INFINITY : r->misfit(r->context, i);
        if (!(misfit < least))
            continue;
        least = misfit;
        nearest = i;
    }
    return nearest;
}

int pov_readmit(bool *is_tried, const pov_readmission *r)
{
    int taken = 0;
    memset(is_tried, 0, (size_t)r->len * sizeof *is_tried);
    for (int i; (i = find_nearest(is_tried, r)) >= 0;) {
        is_tried[i] = true;
        if (!r->take_back(r->context, i))
            continue;
        memset(is_tried, 0, (size_t)r->len * sizeof *is_tried);
        taken++;
    }
    return taken;
}
