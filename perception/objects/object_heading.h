/** All turns that an object at a place may have. Private to object_*.c. */
#ifndef POV_PERCEPTION_OBJECTS_OBJECT_HEADING_H
#define POV_PERCEPTION_OBJECTS_OBJECT_HEADING_H

#include "perception/objects/object_hunt.h"

/* Covariance that comes of not knowing the turn. */
typedef struct {
    double xx, xy, yy;
} object_place_spread;

/* Out: heading, len 0 for what looks the same from all sides; spread. The kind's fit becomes the likeliest turn. */
void object_heading_find(object_hunter *hunter, pov_heading *heading, object_place_spread *spread,
                         const object_view *view, object_kind *kind);

#endif
