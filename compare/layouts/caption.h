/** Captions of pictures to be drawn (FoREST's image splits: Premsri & Kordjamshidi 2025, sections 3.3 and 4.2): their relation,
 *  and the frames of reference that it may mean. */
#pragma once

#include "compare/tables/table.h"
#include "perception/papers/forest.h"

typedef enum {
    POV_SPLIT_A, /* ambiguous: no frame is given */
    POV_SPLIT_C, /* clear: one frame */
    POV_SPLIT_COUNT
} pov_split;
/** "A", "C". */
const char *pov_split_name(pov_split split);

/** The locatum (obj1) is `relation` of the relatum (obj2). */
typedef struct {
    const char *id, *text, *locatum, *relatum;
    pov_relation relation; /* as said: POV_LEFT_OF ... POV_BEHIND */
    unsigned frames;       /* 1 << pov_forest_frame, of each that it may mean */
    bool faces;            /* whether the relatum's facing is known */
    pov_facing facing;
    pov_split split;
} pov_caption;

/** The relations, as bits, that make a caption true for the camera: by its relative reading (as said), by its intrinsic one
 *  (converted by the relatum's facing); 0 where its frames do not allow the reading. */
typedef struct {
    unsigned relative, intrinsic;
} pov_caption_readings;
pov_caption_readings pov_caption_read(const pov_caption *caption);

/** True if two names are the same: upper and lower case, " ", "_" and "-" are alike. */
bool pov_caption_is_name(const char *a, const char *b);

typedef struct pov_captions pov_captions;

/** Reads a file in the authors' form ({"data": [...]}), JSON lines, or CSV; docs/SCORES.md lists the keys. Errors name file,
 *  line (of a JSON document: item) and key. On error *captions is NULL. */
POV_MUST_USE pov_status pov_captions_read(pov_captions **captions, const char *path);
/** The same from memory; `name` stands for the path. */
POV_MUST_USE pov_status pov_captions_parse(pov_captions **captions, const char *name, const char *text,
                                           size_t length);
/** Reads a table's rows, which may have other columns, too. A caption may repeat, but not differ. Rows without obj1
 *  and obj2 have none.
 *  A caption without a `split` is of the A-split if any without one has several frames, else of the C-split. */
POV_MUST_USE pov_status pov_captions_of_table(pov_captions **captions, const pov_table *table);
/** True if a table has a caption's columns. */
bool pov_captions_are_in(const pov_table *table);
void pov_captions_destroy(pov_captions **captions);

int pov_captions_len(const pov_captions *captions);
/** Texts live as long as the captions. */
const pov_caption *pov_captions_at(const pov_captions *captions, int number);
/** -1: there is none of that id. */
int pov_captions_find(const pov_captions *captions, const char *id);
