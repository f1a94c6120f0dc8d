/** One kind's search over the table. Private to object_*.c. */
#ifndef POV_PERCEPTION_OBJECTS_OBJECT_SEARCH_H
#define POV_PERCEPTION_OBJECTS_OBJECT_SEARCH_H

#include "perception/objects/object_finder.h"
#include "perception/objects/object_fit.h"

enum { OBJECT_SHORT_LIST = 512, OBJECT_SHARES = 12 };

/* A part of all places in an area: every `of`-th row, from `first` on; and how many of them are looked at from all sides. */
typedef struct {
    int first, of, most;
    pov_object_area area;
} object_part;

/* The best places, apart from one another, best first, each with its best turn. */
typedef struct {
    int len;
    object_place places[OBJECT_SHORT_LIST];
} object_short_list;

void object_search_places(object_short_list *list, const object_view *view, const object_model *model,
                          double z_m, const object_part *part);

#endif
