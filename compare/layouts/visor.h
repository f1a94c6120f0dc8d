/** Checks whether generated pictures show what their captions say (FoREST, section 5.1: Premsri & Kordjamshidi 2025; VISOR: Gokhale et
 *  al. 2023), from detections with depth. docs/SCORES.md has the rules. */
#pragma once

#include "compare/layouts/caption.h"
#include "compare/statistics/bootstrap.h"
#include "compare/statistics/curve.h"

enum { POV_PICTURES_EACH = 4 }; /* of a caption */

/** One detection in a picture. */
typedef struct {
    double left_px, top_px, right_px, bottom_px;
    double nearness; /* inverse depth, larger for nearer things; NaN: not known */
} pov_found_thing;

/** The parts of its caption that a picture shows. */
typedef struct {
    bool has_locatum, has_relatum;
    bool relative,
        intrinsic; /* whether the reading holds for some pair; false if the caption does not allow the reading */
} pov_picture_shows;

typedef struct {
    int model, caption, number; /* number: 0 to 3 */
    int row;                    /* the first of the table */
    pov_picture_shows shows;
} pov_picture;

/** Captions of one kind. */
typedef enum {
    POV_CAPTIONS_A,
    POV_CAPTIONS_A_FRONT,    /* the relatum has a front: (I) */
    POV_CAPTIONS_A_NO_FRONT, /* (R) */
    POV_CAPTIONS_A_COW,      /* by what the relatum allows */
    POV_CAPTIONS_A_CAR,
    POV_CAPTIONS_A_BOX,
    POV_CAPTIONS_A_PEN,
    POV_CAPTIONS_C,
    POV_CAPTIONS_C_INTRINSIC, /* EI */
    POV_CAPTIONS_C_RELATIVE,  /* ER */
    POV_CAPTION_KINDS
} pov_caption_kind;
/** "all", "front", "no front", "cow", ... "all", "external intrinsic", "external relative". */
const char *pov_caption_kind_name(pov_caption_kind value);
pov_split pov_caption_kind_split(pov_caption_kind kind);

typedef enum {
    POV_VISOR_COND,    /* of the pictures with both things, the share that is right */
    POV_VISOR_UNCOND,  /* of all pictures; a missing thing is an error */
    POV_VISOR_OBJECTS, /* of all pictures, the share with both things */
    POV_VISOR_1,       /* of the captions with all four pictures, the share with at least one right, ... */
    POV_VISOR_2,
    POV_VISOR_3,
    POV_VISOR_4,
    POV_VISOR_MEASURES
} pov_visor_measure;
/** "VISOR_cond", ... */
const char *pov_visor_measure_name(pov_visor_measure value);

/** Scores of one model and kind of captions. Intervals are over captions: the pictures of one stay together. */
typedef struct {
    int captions, incomplete; /* with pictures; with fewer than four of them */
    int pictures, both, right, no_locatum, no_relatum;
    int may_be_relative, relative, may_be_intrinsic,
        intrinsic; /* pictures with both things: allowed so, holding so */
    pov_estimate measures[POV_VISOR_MEASURES];
} pov_visor_score;

/** Scores of one model. */
typedef struct {
    pov_visor_score of[POV_CAPTION_KINDS];
} pov_visor_scores;

typedef struct pov_visor pov_visor;

/** Reads detections from a table, one a row (docs/SCORES.md lists the columns); a picture without detections has a row
 *  without label. `captions` NULL: the table has their columns. Borrows both. Errors name file, line and column. */
POV_MUST_USE pov_status pov_visor_new(pov_visor **visor, const pov_table *table, const pov_captions *captions,
                                      pov_formulas formulas);
void pov_visor_destroy(pov_visor **visor);

const pov_captions *pov_visor_captions(const pov_visor *visor);
int pov_visor_models(const pov_visor *visor);
const char *pov_visor_model(const pov_visor *visor, int model);
int pov_visor_pictures(const pov_visor *visor);
const pov_picture *pov_visor_picture(const pov_visor *visor, int picture);
/** A picture is right if any reading that its caption allows holds. The released script counts one without either thing as
 *  right, too: -1 is true. */
bool pov_visor_is_right(const pov_visor *visor, const pov_picture *picture);
/** A thing of the captions: in how many of a model's pictures it should be (`asked`), and in how many it is missing. False:
 *  there is no such thing. */
bool pov_visor_missing(const pov_visor *visor, const char **name, int *asked, int *missing, int model,
                       int thing);

/** With released formulas, missing pictures are wrong: the script counts four for each caption. */
void pov_visor_score_all(pov_visor_scores *scores, const pov_visor *visor, int model,
                         const pov_bootstrap_options *options);
