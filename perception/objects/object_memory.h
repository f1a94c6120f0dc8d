/** Notes on one enrolled object from image to image; perception/tracking/memory.h keeps them. Private to object_*.c. */
#pragma once

#include "perception/objects/object_fit.h"
#include "perception/tracking/memory.h"

/** Evidence (log-odds) below which nothing is reported. Measured: bench finder --absent. */
#define OBJECT_EVIDENCE_LEAST 9.0

enum { OBJECT_RIVALS = 5 };

typedef struct {
    bool was_found; /* in the last image */
    int rival_len;  /* other turns at its place that the last image allowed, against its own: */
    double rivals_rad[OBJECT_RIVALS];
    object_fit last; /* if was_found */
    bool has_home;
    object_place
        home; /* where it was found last; it is still there unless seen elsewhere or its place seen empty */
    double home_evidence; /* the highest since it was first found there */
    int64_t home_ns;      /* when it was found there last */
    object_fit checked;   /* by the last search of all turns about it */
    unsigned checked_image;
    int64_t checked_ns;
    bool was_astray; /* since that search it was not where it was expected, or was missed */
    int checks_due;  /* more such searches: the hand that moved it may have hidden a part of it */
    double
        odds_elsewhere; /* of the best other place, by the last search of the whole table and the parts since */
    /* A search, a bounded part of it an image: */
    bool is_looked_about,
        may_turn;  /* may_turn: any better turn replaces the followed one, not only a surely better one */
    int looked;    /* places about it that are done */
    bool is_swept; /* the table, by a list of its best places: */
    int listed;    /* parts of the table that were looked at for the list */
    int swept;     /* places of the list that are done */
    bool
        has_candidate; /* the best place of the sweep, not good enough to be reported before the others are tried */
    object_fit candidate;
    double rival_evidence; /* of the best other place of the sweep */
    bool has_tip;
    object_place tip; /* that a search of the last image led to: to be tried in this one */
    bool
        is_tip_turn; /* it is another turn, or nearly the place, of the followed one: where it was, relative to that */
} object_memory;

bool pov_object_memory_is_home(const object_memory *memory, const object_model *model,
                               const object_place *place);

/* Prior log-odds for a fit at home, against one elsewhere: 0 or more; 0 for a fit that is not at home. */
double pov_object_memory_prior(const object_memory *memory, const object_model *model, const object_fit *fit,
                               int64_t now_ns);
/* The part of the prior that counts against its being hidden or gone. */
double pov_object_memory_stay(const object_memory *memory, const object_model *model, const object_fit *fit,
                              int64_t now_ns);

/* Ends an image in which it was found at `fit`. */
void pov_object_memory_found(object_memory *memory, const object_model *model, const object_fit *fit,
                             int64_t now_ns);
/* Ends an image in which it was not found. `at_home`: the best fit there, which may show home to be empty; NULL: not tried. */
void pov_object_memory_missed(object_memory *memory, const object_fit *at_home);
