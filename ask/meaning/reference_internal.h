/** The parts of a reference. Used by reference.c, description.c and limits.c only. */
#pragma once

#include "ask/meaning/reference.h"

/** Below this P a description does not fit. Chosen: more likely than not. */
#define POV_FITS_P 0.5

/** Of a phrase: an utterance has no more words. */
enum { POV_DESCRIBING_MAX = POV_WORDS_MAX, POV_LIMITS_MAX = POV_WORDS_MAX };

/** A noun phrase, taken apart. */
typedef struct {
    int word_len, unknown_len, said_len, limit_len, extreme_len;
    const char *word[POV_DESCRIBING_MAX], *said[2 * POV_DESCRIBING_MAX]; /* said: the unknown ones, too */
    const pov_node *limit[POV_LIMITS_MAX], *extreme[POV_LIMITS_MAX], *ordinal,
        *target; /* target: "the closest cup to bob" */
    bool one, thing, person, some, all, several, other, single;
    int number; /* "both": 2; 0: none was said */
} pov_description;

void pov_description_read(pov_description *description, const pov_node *node);
/** Do the words alone fit a thing? */
bool pov_description_fits(const pov_context *context, pov_id id, const pov_description *description);
/** The things whose words fit. `by_name`: a thing whose whole id was said comes before others. */
POV_MUST_USE pov_status pov_description_candidates(bool candidate[POV_ENTITY_MAX], const pov_context *context,
                                                   const pov_description *description, bool by_name);
/** Says that none of the candidates fits what limits them. */
POV_MUST_USE pov_status pov_description_refuse(const pov_context *context, const pov_description *description,
                                               const bool *candidate);

/** The fit of each thing in one frame. */
typedef struct {
    double truth[POV_ENTITY_MAX];   /* P */
    double example[POV_ENTITY_MAX]; /* how good an example it is, to 1 */
    bool by_frame, undefined;
    bool is_shared; /* "the leftmost": one of them is it, whichever */
    bool own;       /* "on my left": by somebody's own front, whoever looks */
    pov_id relatum; /* of the relation that depends on the frame; POV_ID_NONE */
} pov_match;

/** Keeps, of a match, what the hand of somebody points at, by the probability that it does. False, nothing changed: no hand points, or at
 *  nothing of it. */
bool pov_limits_by_hand(pov_match *m, pov_context *c, pov_id who);

/** Applies a description's limits to the candidates. */
POV_MUST_USE pov_status pov_limits_apply(pov_match *match, pov_context *context,
                                         const pov_description *description, const bool *candidate,
                                         const pov_hypothesis *frame);
/** "first": 0; -1: the last. */
bool pov_rank_read(int *rank, const pov_node *ordinal);
