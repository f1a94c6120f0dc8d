#include "perception/objects/object_hold.h"

#include "perception/objects/object_hunt.h"

#include <math.h>

static const double reach_share = 1;     /* of the radius: so far it moves from image to image */
static const double taken_s = 60;        /* mean time after which a thing is taken elsewhere unseen */
static const double soonest_s = 0.1;     /* in which anything can be */
static const double empty_evidence = -9; /* of a place that is seen and has nothing of it */

bool object_hold_is_at(const object_hold *hold, const object_model *model, const object_place *place)
{
    return hold->is_known &&
           hypot(place->x_m - hold->place.x_m, place->y_m - hold->place.y_m) < reach_share * model->radius_m;
}

void object_hold_set(object_hold *hold, const object_model *model, const object_fit *fit, int64_t now_ns)
{
    const bool is_same = object_hold_is_at(hold, model, &fit->place);
    hold->evidence = is_same ? fmax(hold->evidence, fit->evidence) : fit->evidence;
    hold->is_known = true;
    hold->place = fit->place;
    hold->seen_ns = now_ns;
}

void object_hold_miss(object_hold *hold, const object_fit *there)
{
    if (there->evidence < empty_evidence)
        hold->is_known = false;
}

/* What it looked like there speaks once: at most as much is added as it shows less of it now. */
double object_hold_worth(const object_hold *hold, const object_model *model, const object_fit *fit,
                         int64_t now_ns)
{
    if (!object_hold_is_at(hold, model, &fit->place))
        return 0;
    const double gone_s = fmax(soonest_s, (double)(now_ns - hold->seen_ns) * 1e-9);
    const double most = object_hunt_least_evidence + log(taken_s / gone_s);
    return fmax(0, fmin(most, hold->evidence - fmax(0, fit->evidence)));
}
