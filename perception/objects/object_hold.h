/** Where a thing was when it was found last: it is there still, hidden or hard to make out, unless it looks surely to be
 *  elsewhere or its place is seen empty. Private to object_*.c. */
#ifndef POV_PERCEPTION_OBJECTS_OBJECT_HOLD_H
#define POV_PERCEPTION_OBJECTS_OBJECT_HOLD_H

#include "perception/objects/object_fit.h"

typedef struct {
    bool is_known;
    object_place place;
    double evidence; /* the most that there was for it since it was found there first */
    int64_t seen_ns; /* when it was found there last */
} object_hold;

/* Whether a fit is where the thing was. */
bool object_hold_is_at(const object_hold *hold, const object_model *model, const object_place *place);

/* It was found. */
void object_hold_set(object_hold *hold, const object_model *model, const object_fit *fit, int64_t now_ns);

/* It was not found; the best fit at its place may show that it is gone. */
void object_hold_miss(object_hold *hold, const object_fit *there);

/* What having been there is worth, as evidence, against being elsewhere: 0 if the fit is not where it was. */
double object_hold_worth(const object_hold *hold, const object_model *model, const object_fit *fit,
                         int64_t now_ns);

#endif
