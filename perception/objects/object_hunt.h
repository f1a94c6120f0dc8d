/** One kind of object in an image after another: found anew, or followed. Private to object_*.c. */
#ifndef POV_PERCEPTION_OBJECTS_OBJECT_HUNT_H
#define POV_PERCEPTION_OBJECTS_OBJECT_HUNT_H

#include "perception/objects/object_fit.h"
#include "perception/objects/object_hold.h"
#include "perception/objects/object_search.h"
#include "perception/objects/object_verdict.h"

enum { OBJECT_FITS = 12 };

/* Evidence below which nothing is said to be there. */
extern const double object_hunt_least_evidence;

typedef struct {
    object_model *model;
    int make; /* the first kind that looks the same */
    double z_m, z_std_m;
    bool has_seed, missed; /* where it was, or that it was not there, in the last image */
    object_fit seed;
    object_hold hold;
    bool is_held; /* it was searched for elsewhere, too, and this is what shows where it was: */
    object_fit held;
    object_fit checked; /* when all turns about it were tried last */
    unsigned checked_image;
    int checks_due;        /* since it was moved: the hand that did it may still have hidden a part */
    bool searched_all;     /* of the table, in this image */
    double odds_elsewhere; /* of the best places but its own, when last all was searched or since */
    int fit_len;
    object_fit fits[OBJECT_FITS]; /* best first, apart from one another */
    bool has_fit;
    object_fit fit; /* the one that it is */
    object_short_list list;
} object_kind;

/* Work space, and which image this is. */
typedef struct {
    object_fitter *fitter;
    object_jury *jury;
    pov_object_area area;
    unsigned image;
    int64_t now_ns;
    bool has_looked_about; /* for one of the kinds in this image */
} object_hunter;

POV_MUST_USE pov_status object_hunter_new(object_hunter *hunter);
void object_hunter_free(object_hunter *hunter);

/* Sets the kind's fits. */
void object_hunt(object_hunter *hunter, object_kind *kind, const object_view *view);

/* What its having been there is worth, as evidence: against its being elsewhere, and against its being hidden or gone. */
double object_hunt_worth(const object_hunter *hunter, const object_kind *kind, const object_fit *fit);
double object_hunt_stay(const object_hunter *hunter, const object_kind *kind, const object_fit *fit);

/* What was found for one may as well be another of its make: each gets the fits of all of them. */
void object_hunt_share(object_kind *kinds, int len);

/* Judges the fits anew where others were found, and puts the best first. */
void object_hunt_reconsider(object_hunter *hunter, object_kind *kind, const object_view *view);

/* Fits a place and a turn from nearby, and judges them. */
void object_hunt_fit(object_hunter *hunter, object_fit *fit, const object_view *view,
                     const object_model *model, const object_place *from);
/* Quickly and coarsely. */
void object_hunt_fit_roughly(object_hunter *hunter, object_fit *fit, const object_view *view,
                             const object_model *model, const object_place *from);
bool object_fit_same_turn(const object_fit *a, const object_fit *b);

#endif
