/** The first, coarse search for an object: its colours at each place of a grid on the table, in each turn. Private to
 *  object_*.c. */
#pragma once

#include "perception/objects/object_view.h"

enum { OBJECT_TINT_LEVELS = 3, OBJECT_TINT_FIRST = 2, OBJECT_SHORT_LIST = 512 };

/* A pixel's colour as direction and length, and how sure the direction is. */
typedef struct {
    float direction[3], log_length, sharpness;
} object_tint;

/* The small levels of the pyramid in these terms. */
typedef struct object_tints {
    object_tint *tints[OBJECT_TINT_LEVELS];
    int width_px[OBJECT_TINT_LEVELS], height_px[OBJECT_TINT_LEVELS];
} object_tints;

POV_MUST_USE pov_status pov_object_tints_new(object_tints *tints, const pov_image_pyramid *pyramid);
void pov_object_tints_free(object_tints *tints);
/* One part of their rows, of several. */
void pov_object_tints_set(object_tints *tints, const pov_image_pyramid *pyramid, int part, int of);

/* The best turn at a place; looks at every `portrait_step`-th portrait and a `share` of its patches. */
void pov_object_scan_place(const object_view *view, const object_model *model, object_place *place,
                           int portrait_step, double share);
/* The score of one turn. */
double pov_object_scan_score(const object_view *view, const object_model *model, const object_place *place);

/* The best turns at a place, apart from one another, best first. */
int pov_object_scan_turns(const object_view *view, const object_model *model, object_place *turns, int max,
                          const object_place *at);

/* A rectangle of the table. */
typedef struct {
    pov_vec2 low_m, high_m;
} object_area;

/* A part of all places in an area: every `of`-th row, from row `first` on; and how many of them are scanned in all turns. */
typedef struct {
    int first, of, most;
    object_area area;
} object_part;

/* The best places, best first, each with its best turn. */
typedef struct {
    int len;
    object_place places[OBJECT_SHORT_LIST];
} object_short_list;

/* Adds the best places of a part. */
void pov_object_search_places(object_short_list *list, const object_view *view, const object_model *model,
                              double z_m, const object_part *part);
/* Adds those of another list. */
void pov_object_short_list_add(object_short_list *list, const object_short_list *more);
/* Drops those that are beside better ones. */
void pov_object_short_list_thin(object_short_list *list, const object_model *model);
