/** Every relation that can be judged, by name: its meaning, its behaviour, and its graded predicate.
 *
 *      const pov_relation_info *near = pov_relation_lookup("close to");   // a stable name or an English phrase
 *      pov_predicate_params params = POV_PREDICATE_PARAMS_DEFAULT;
 *      double truth = pov_relation_truth(near, &situation, &params);      // boxes known exactly: [0, 1] or NaN
 *
 *  pov_relation_evaluate (perception/relations/relation.h) judges a relation in an uncertain scene. */
#pragma once

#include "perception/relations/predicates/predicate.h"
#include "perception/scene/scene.h"

/** The relations with an exact direction about an axis. */
typedef enum {
    POV_LEFT_OF,
    POV_RIGHT_OF,
    POV_IN_FRONT_OF,
    POV_BEHIND,
    POV_NORTH_OF,
    POV_EAST_OF,
    POV_SOUTH_OF,
    POV_WEST_OF,
    POV_RELATION_COUNT
} pov_relation;

/** The groups of Marchi Fagundes et al. 2021, as VSR's Table 1 prints them; the last two are not in that table. */
typedef enum {
    POV_ADJACENCY,
    POV_DIRECTIONAL,
    POV_ORIENTATION,
    POV_PROJECTIVE,
    POV_PROXIMITY,
    POV_TOPOLOGICAL,
    POV_UNALLOCATED,
    POV_CARDINAL,
    POV_COMPARATIVE,
    POV_CATEGORY_COUNT
} pov_category;

/** The needs of a relation besides the boxes. */
typedef enum {
    POV_FRAME_NONE,   /* the same in every frame of reference */
    POV_FRAME_AXES,   /* front and left at the relatum: egocentric, addressee or intrinsic */
    POV_FRAME_NORTH,  /* the absolute perspective */
    POV_FRAME_VIEWER, /* where the camera or an addressee stands, but not how axes are laid */
    POV_FRAME_COUNT
} pov_frame_need;

typedef enum {
    POV_VSR_NO,
    POV_VSR_UNUSED, /* in Table 1 with an asterisk: no caption uses it */
    POV_VSR_USED    /* captions use it; "congruent" too, which Table 1 leaves out */
} pov_vsr_use;

enum { POV_PHRASES_MAX = 6, POV_REGISTRY_MAX = 128 };

typedef struct {
    const char *name;       /* stable: "at_the_edge_of" */
    const char *definition; /* one line, with the parameters' names */
    const char *source;
    pov_category category;
    pov_vsr_use vsr;
    int relata_min; /* 1; 2 for "between" and "nearer to"; 3 for "among" */
    pov_frame_need frame;
    pov_aim aim;              /* the referent's direction that it is about */
    const char *inverse;      /* r(a, b) = inverse(b, a) with the same axes; NULL: English has none */
    const char *negation;     /* truths add up to 1; NULL: English has none */
    bool vsr_unallocated_too; /* "among" stands in two rows of Table 1 */
    bool symmetric;           /* r(a, b) = r(b, a) */
    bool
        transitive; /* r(a, b) and r(b, c), each above 0.5, give r(a, c); directions: unless a and c rest on one another */
    bool metric; /* scaling the whole world changes it: it has a threshold in metres */
    bool moving; /* uses velocities where they are known */
    const char *phrases[POV_PHRASES_MAX]; /* English, lower case, as after "is"; the first is the usual one */
    pov_relation projective; /* the direction that it names, also as a synonym; else POV_RELATION_COUNT */
    pov_predicate
        evaluate; /* never NULL; of projective ones, the cosine on the axes, whatever rests on what */
} pov_relation_info;

/* The table itself, in relation_table.c. */
extern const pov_relation_info pov_relation_table[];
extern const int pov_relation_table_len;

/** The number of entries, at most POV_REGISTRY_MAX. They are static, in the table's order. */
int pov_relation_registry_len(void);
const pov_relation_info *pov_relation_registry_at(int index);
/** The index of an entry. */
int pov_relation_registry_index(const pov_relation_info *relation);

/** The truth in a situation known exactly: in [0, 1], or NaN. */
double pov_relation_truth(const pov_relation_info *relation, const pov_situation *situation,
                          const pov_predicate_params *params);

/** By stable name or by phrase; case, and "_", "-" and " ", are the same, and so are a leading "is" and a trailing
 *  "the". NULL if there is none. */
const pov_relation_info *pov_relation_lookup(const char *name_or_phrase);
/** The entry one of whose names and phrases, with or without its "of", "to", "from" or "than", is most like a misspelt one:
 *  fewest edits (Levenshtein 1966) for its length. */
const pov_relation_info *pov_relation_most_like(const char *misspelt);
/** The entry of a direction. */
const pov_relation_info *pov_relation_info_of(pov_relation relation);

/** True if it is a direction under its own name, not a synonym ("ahead of"). */
bool pov_relation_is_direction(const pov_relation_info *relation);

/** Stable names: "left_of"; "adjacency", ...; "none", "axes", "north", "viewer". */
const char *pov_relation_name(pov_relation value);
const char *pov_category_name(pov_category value);
const char *pov_frame_need_name(pov_frame_need value);
