/** The meaning of a noun phrase in a scene: a set of things with probabilities, in each frame of reference that it may be said in. */
#pragma once

#include "ask/grammar/chart.h"
#include "ask/meaning/lexicon.h"
#include "ask/meaning/request.h"

/** The part that a phrase plays; a dialogue may put another in its place. */
typedef enum {
    POV_ROLE_THING,
    POV_ROLE_SEER,
    POV_ROLE_OTHER,
    POV_ROLE_NOUN,
    POV_ROLE_RELATUM,
    POV_ROLE_WANTED,
    POV_ROLE_VIEW,
    POV_ROLE_COUNT
} pov_role;

/** Chosen: more people than sit around a table. Where it matters which of more viewers is meant, the reply asks. */
enum { POV_HYPOTHESES_MAX = 24 };

/** A frame of reference in which something may have been said, and how likely that is before the scene is looked at. */
typedef struct {
    pov_perspective perspective;
    pov_id viewer; /* POV_ID_NONE: intrinsic */
    double prior;
} pov_hypothesis;

/** The scene, what was said before, and what is fixed of the utterance that is understood. Plain data. */
typedef struct {
    const pov_scene *scene;
    const pov_judging *judging;
    pov_moment *moment;
    const pov_lexicon *lexicon;
    const pov_grammar *language; /* of replies */

    /* what was said before */
    pov_id it, person, he, she; /* named last; POV_ID_NONE */
    pov_id both[2];             /* spoken of together last: "are they the same size?"; POV_ID_NONE */
    bool before[POV_ENTITY_MAX], any_before; /* meant last: "the other one" is none of them */
    int offered_len;                         /* asked back, in this order */
    pov_id offered[POV_ENTITY_MAX];
    int rank; /* "the second one" was asked for, and then from where: 1; 0: none waits */
    double said_in[POV_PERSPECTIVE_COUNT]; /* how often the speaker turned out to mean each frame */

    /* put in the place of what the words say */
    bool fixed[POV_ROLE_COUNT];
    bool only[POV_ROLE_COUNT][POV_ENTITY_MAX];
    bool excluded[POV_ENTITY_MAX]; /* of what is wanted: "no, the other one" */
    bool
        has_located; /* "put the red cup next to the cup", "how far is it from the cup": by another cup, where there is one */
    pov_id located;
    pov_id me; /* POV_ID_NONE: the only addressee */

    /* of the utterance */
    pov_id you; /* POV_ID_NONE: the camera */
    bool has_view, is_intrinsic, is_view_weak;
    pov_id view;
    bool has_side; /* the thing that is fixed is the leftmost or rightmost of what was wanted */
    pov_extreme side;
    bool has_chosen; /* the frame of reference in which a fixed thing was meant */
    pov_hypothesis chosen;
    pov_convention convention;
    pov_axis axis;
    bool says_axis;
} pov_context;

/** The frames that an utterance without a viewpoint may be in, or the one that it names. Returns their number. */
int pov_hypotheses_of(pov_hypothesis list[POV_HYPOTHESES_MAX], const pov_context *context);

/** The meaning of a phrase. */
typedef struct {
    double q[POV_ENTITY_MAX]; /* that it is this one: sums to 1 over all */
    double truth
        [POV_ENTITY_MAX]; /* P that the description is true of it, in the frame where that is likeliest */
    bool fits[POV_ENTITY_MAX]; /* in some frame it fits: of "which", "how many", "all" */
    bool some, all, several;   /* "a cup", "every cup", "cups" */
    bool by_frame;             /* it depends on the frame of reference: */
    int frame_len;
    pov_hypothesis frame[POV_HYPOTHESES_MAX];
    double frame_q[POV_HYPOTHESES_MAX][POV_ENTITY_MAX]; /* sums to 1, or all 0: nothing fits in that frame */
    bool frame_fits[POV_HYPOTHESES_MAX][POV_ENTITY_MAX];
    bool own;                   /* "on my left": by the relatum's own front, whoever looks */
    pov_id relatum;             /* of a relation that depends on the frame; POV_ID_NONE */
    int number;                 /* "the two cups": so many are meant; 0: the words do not say */
    int rank;                   /* of `unfit`: "the second cup", counted from where? 1; 0: not counted */
    bool unfit[POV_ENTITY_MAX]; /* where nothing fits: what its nouns alone mean */
    bool pronoun;
} pov_meant;

/** Finds what NP, NPR, NPO or NPX means.
 *  POV_ERROR: nothing fits, a word is not known, nobody was named: the message says so in a sentence.
 *  In/out:  context: who is "she" next. */
POV_MUST_USE pov_status pov_reference_find(pov_meant *meant, pov_context *context, const pov_node *phrase,
                                           pov_role role);
/** Nouns alone, without what limits them: every thing that they may mean. */
POV_MUST_USE pov_status pov_reference_candidates(bool candidate[POV_ENTITY_MAX], pov_context *context,
                                                 const pov_node *phrase, pov_role role);
/** Finds the speaker, and who is spoken to. */
POV_MUST_USE pov_status pov_reference_me(pov_meant *meant, pov_context *context);
POV_MUST_USE pov_status pov_reference_you(pov_meant *meant, pov_context *context);
/** The only person beside the speaker who may be "he" or "she"; POV_ID_NONE: there are several, or none. */
pov_id pov_reference_only_other(const pov_context *c, bool he, bool she);
/** Finds what was spoken of last. */
POV_MUST_USE pov_status pov_reference_it(pov_meant *meant, pov_context *context);
/** By the nouns of a phrase alone, whatever limits them. */
POV_MUST_USE pov_status pov_reference_nouns(bool candidate[POV_ENTITY_MAX], const pov_context *context,
                                            const pov_node *phrase);
/** The most probable; POV_ID_NONE. */
pov_id pov_meant_best(const pov_meant *meant);

/** Reads an EXTREME: "second from the left". `middle`: it is the one in the middle. False: there is none in the node. */
bool pov_extreme_read(pov_extreme *extreme, int *rank, bool *middle, const pov_node *node);
/** The relation that a node's tags name; NULL. */
const pov_relation_info *pov_relation_read(const pov_node *node);
/** Reads the area that a node names in its RELAREA. Part POV_PART_NONE: it names none. */
void pov_area_read(pov_area *area, const pov_node *node);
/** Finds a relation's relatum: a RELATUM, or the table, which need not be an entity. NULL: the node has none. */
const pov_node *pov_relatum_node(const pov_node *node);
/** Do its words for the relation say "looking at" (tag looks), or "pointing at" (points), rather than "facing"? */
bool pov_relation_says(const pov_node *node, const char *tag);
