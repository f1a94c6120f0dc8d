/** The search for one enrolled object in an image: again, or from where it was in the last image. Private to object_*.c. */
#pragma once

#include "perception/objects/object_memory.h"
#include "perception/objects/object_scan.h"
#include "perception/objects/object_verdict.h"

enum { OBJECT_FITS = 12 };

typedef struct {
    object_model *model;
    int make; /* the first kind that looks the same */
    double z_m, z_std_m;
    pov_expected *expected; /* of this kind, in this image; of a still, a blank one */
    object_memory *memory;  /* its note */
    /* of this image: */
    bool searched_all;  /* of the table */
    bool tried_home;    /* while it was searched for elsewhere: */
    object_fit at_home; /* the best fit there */
    int fit_len;
    object_fit fits[OBJECT_FITS]; /* best first, apart from one another */
    bool has_fit;
    object_fit fit; /* the chosen one */
    object_short_list list;
    pov_expected blank;
    object_memory blank_note;
} object_kind;

/* Work space, and which image this is. */
typedef struct {
    object_fitter *fitter;
    object_votes *votes;
    object_area area;
    pov_memory *images;        /* NULL: the image stands alone */
    int64_t now_ns;            /* of this image */
    const object_kind *glance; /* in video: the kind for which a part of the rest of the table is looked at */
} object_hunter;

POV_MUST_USE pov_status pov_object_hunter_new(object_hunter *hunter);
void pov_object_hunter_free(object_hunter *hunter);

/* Shows each kind its memory; a still's is blank. In video, one kind an image may search, in rotation, or more if images come
 * slowly. */
void pov_object_hunt_begin(object_hunter *hunter, object_kind *kinds, int len);

/* Sets the kind's fits. In video, it is looked for where it is expected. */
void pov_object_hunt(object_hunter *hunter, object_kind *kind, const object_view *view);

/* In video, when nobody waits for the image any more: searches a part of it for a better place of kind `own`, to be tried in the
 * next image. kinds: all, as they were found. */
void pov_object_hunt_further(object_hunter *hunter, object_kind *kinds, int len, int own,
                             const object_view *view);

/* Gives each kind the fits of all kinds of its make: the same image explains any of them. */
void pov_object_hunt_share(object_kind *kinds, int len);

/* Judges the fits again after others claimed a part of the image, and puts the best first. */
void pov_object_hunt_reconsider(object_hunter *hunter, object_kind *kind, const object_view *view);

/* Fits a place and a turn from nearby, and judges them. */
void pov_object_hunt_fit(object_hunter *hunter, object_fit *fit, const object_view *view,
                         const object_model *model, const object_place *from);
/* Quickly and coarsely. */
void pov_object_hunt_fit_roughly(object_hunter *hunter, object_fit *fit, const object_view *view,
                                 const object_model *model, const object_place *from);
bool pov_object_fit_same_turn(const object_fit *a, const object_fit *b);
