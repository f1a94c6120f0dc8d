/** Questions about a scene, once their words are understood, and the judgments that answer them. */
#pragma once

#include "ask/meaning/area.h"

#include <stddef.h>

enum { POV_REPLY_MAX = POV_ENTITY_MAX + 2, POV_REQUEST_CAPACITY = 400 };

typedef enum {
    POV_REQUEST_RELATION, /* is the ball left of the car? */
    POV_REQUEST_SEES,     /* does anna see the ball? is it hidden from her? do both see it? */
    POV_REQUEST_HIDES,    /* what hides the ball from anna? why can she not see it? */
    POV_REQUEST_WHERE,    /* where is the ball for anna? */
    POV_REQUEST_ORDER,    /* what does anna see, from left to right? */
    POV_REQUEST_WHICH,    /* which cup is left of the car? hand me the cup to the left of the car */
    POV_REQUEST_COUNT, /* how many cups are left of the car? is there anything behind it? how many cups are there? */
    POV_REQUEST_PLACE,    /* where is the ball relative to the car? is it in front of or behind it? */
    POV_REQUEST_EXTREME,  /* which cup is nearest to anna? which is leftmost? the biggest? */
    POV_REQUEST_SEEN,     /* which cups does anna see? what is hidden from her? who sees the ball? */
    POV_REQUEST_DISTANCE, /* how far is the ball from the car? */
    POV_REQUEST_FACING,   /* which way does the car face? what does anna face? */
    POV_REQUEST_KIND_COUNT
} pov_request_kind;

/** Variants of a kind. */
typedef enum {
    POV_WAY_PLAIN,
    POV_WAY_ANY,        /* of COUNT: is there any? */
    POV_WAY_BOTH,       /* of SEES: do viewer and other both see it? */
    POV_WAY_EACH_OTHER, /* of SEES, FACING: viewer and other one another */
    POV_WAY_SIDE,       /* of SEES: the face of the thing, or another of its sides */
    POV_WAY_BY,         /* of SEES: is it hidden by the other? */
    POV_WAY_WHO,        /* of SEEN: who sees the referent? */
    POV_WAY_COUNTED,    /* of SEEN: how many? */
    POV_WAY_WHO_COUNTED,
    POV_WAY_SAME,   /* of SEEN: does the viewer see what the other sees? */
    POV_WAY_EXCEPT, /* of SEEN: what does the viewer see that the other does not? */
    POV_WAY_WHAT,   /* of FACING: what does it face? */
    POV_WAY_CLOCK,  /* of WHERE: at what o'clock? */
} pov_way;

typedef enum {
    POV_NEAREST,
    POV_FARTHEST,
    POV_LEFTMOST,
    POV_RIGHTMOST,
    POV_BIGGEST,
    POV_SMALLEST,
    POV_TALLEST,
    POV_SHORTEST,
    POV_HIGHEST,
    POV_LOWEST,
    POV_FRONTMOST, /* by depth along the viewer's heading */
    POV_BACKMOST,
    POV_EXTREME_COUNT
} pov_extreme;

/** A question. If it names no perspective, it is asked in every one that the scene has. */
typedef struct {
    pov_request_kind kind;
    pov_way way;
    pov_id referent; /* what is located, seen or hidden; POV_ID_NONE where it is what is asked for */
    pov_id viewer;   /* who looks; POV_ID_NONE: nobody is named */
    pov_id other;    /* the second viewer, or what hides; POV_ID_NONE */

    /* about seeing */
    bool negated;      /* "is it hidden from": yes if it is not seen */
    bool by_distance;  /* the order from near to far */
    pov_relation side; /* of POV_WAY_SIDE: of the thing's own */
    bool tight;        /* "right in front of it": straight, and the nearest first */
    bool looks;        /* "looking at", not only "facing": what is hidden is not looked at */
    pov_aim aim;       /* what faces: the body, the head that looks, or a hand that points */

    /* about relations */
    const pov_relation_info *relation; /* of the registry; NULL where there is none */
    pov_area area;                     /* "on the left half of": beside the relation */
    int relatum_len;                   /* several: "between the car and the box" */
    pov_id relatum[POV_RELATA_MAX];
    bool directions[POV_RELATION_COUNT]; /* of POV_REQUEST_PLACE: those that are asked about */
    bool any_perspective;
    pov_perspective perspective;
    pov_convention convention; /* reflected, as in English, unless the question says */
    pov_axis axis;             /* POV_AXIS_USUAL unless the question says */
    bool says_axis;

    pov_extreme extreme;
    int rank; /* 0: the first; 1: "the second from the left" */

    bool candidate[POV_ENTITY_MAX]; /* what the noun may mean, where one of several is asked for */
} pov_request;

/** "relation", "sees", "hides", "where", "order", "which", "count", "place", "extreme", "seen", "distance", "facing". */
const char *pov_request_kind_name(pov_request_kind value);

/** Judges a question about a relation in one frame of reference. */
void pov_request_judge(pov_judgment *judgment, pov_moment *moment, const pov_request *question,
                       const pov_query *frame);
/** "facing", or what stands for it where a head or a hand is meant. */
const pov_relation_info *pov_request_facing(pov_aim aim);

/** POV_OK if somebody's arms are seen: of the one who is named, or of any; else POV_NO_HANDS. */
POV_MUST_USE pov_status pov_request_check_hands(const pov_scene *scene, pov_id who);

/** The reply where somebody's pointing is asked about, and nobody's arms are seen. */
#define POV_NO_HANDS "I do not see hands; I know which way people face"

/** Turns "it faces the target" into "it looks at the target": a viewer that can see must also see it. */
pov_belief pov_request_looking(pov_belief facing, pov_moment *moment, pov_id viewer, pov_id target);

/** The frames of reference that a relation is asked in. Only the frame of frames[i] is set, not the relation.
 *  Returns their number. */
int pov_request_frames(pov_query frames[POV_REPLY_MAX], const pov_scene *scene, const pov_request *question);

/** The candidates that fit in one frame of reference; the first is picked. */
typedef struct {
    int len; /* of those for which the relation holds, or may; the first is picked */
    int undefined_len, candidate_len;
    pov_judgment
        judgments[POV_ENTITY_MAX]; /* likeliest first; of equal ones the better example: less |theta| */
} pov_pick;

/** Judges every candidate in one of the question's frames. A candidate that is the viewer or a relatum is left out. */
void pov_request_pick(pov_pick *pick, pov_moment *moment, const pov_request *question,
                      const pov_query *frame);

/** 1 if a begins where b ends or higher, -1 if b does so over a, 0 if they overlap in height. Two that coincide seen from above are
 *  then right above one another, or at one place. */
int pov_higher_of(const pov_scene *scene, pov_id a, pov_id b);

/** Says why a judgment is undefined: "car has no front"; "" if it is defined. */
void pov_judgment_explain(char *reason, size_t capacity, const pov_scene *scene,
                          const pov_judgment *judgment);
/** Says likewise why a thing, another than the viewer, is on no side of it. */
void pov_side_explain(char *reason, size_t capacity, const pov_scene *scene, pov_id viewer, pov_id thing);
