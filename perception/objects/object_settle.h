/** Which kind is where, when several may be at one place. Private to object_*.c. */
#ifndef POV_PERCEPTION_OBJECTS_OBJECT_SETTLE_H
#define POV_PERCEPTION_OBJECTS_OBJECT_SETTLE_H

#include "perception/objects/object_claims.h"
#include "perception/objects/object_hunt.h"

/* Gives each kind the best of its fits, at places apart; what one explains of the image speaks for no other:
 * it goes into `claims`, which `view` looks at. */
void object_settle(object_hunter *hunter, object_claims *claims, object_kind *kinds, int len,
                   const object_view *view);

/* Probabilities that what is at kind `own`'s place is this or that kind, or none. */
void object_settle_odds(pov_object_finding *finding, object_hunter *hunter, object_kind *kinds, int len,
                        int own, const object_view *view);

#endif
