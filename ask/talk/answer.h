/** Answers to requests: as JSON, as lines of text that tell what they rest on, and as data for a sentence. */
#pragma once

#include "ask/meaning/request.h"
#include "perception/visibility/layout.h"

#include <stdio.h>

struct cJSON;

enum {
    POV_SAYS_CAPACITY = POV_ENTITY_MAX * (POV_NAME_CAPACITY + 2),
    POV_SIDES_MAX = POV_ENTITY_MAX
}; /* every thing, named */

/** The answer in one frame of reference. */
typedef struct {
    pov_query frame;
    char says[80];
    pov_judgment first; /* the likeliest that holds or may; theta_rad NaN: there is none */
    double p;           /* of `first`; NaN */
} pov_frame_answer;

typedef struct {
    pov_moment *moment;
    const pov_scene *scene;
    const pov_request *question;
    char says[POV_SAYS_CAPACITY]; /* "answer" in docs/SCENE.md */
    double p;                     /* NaN: none */
    bool is_tie;                  /* of a superlative: several are exactly equal */
    pov_judgment shown;           /* a judgment with a direction; theta_rad NaN: there is none */
    int frame_len, side_len, look_len, held_len;
    pov_frame_answer frame[POV_REPLY_MAX];
    struct {
        pov_id viewer;
        pov_side_judgment side;
    } side[POV_SIDES_MAX];
    pov_visibility look[2 * POV_ENTITY_MAX];
    pov_id held
        [POV_ENTITY_MAX]; /* things of which it holds, in the first frame where there are several; in order */
    pov_pick pick;        /* of the frame that is judged */
    struct cJSON
        *json; /* "kind", "answer", "p", and what the answer rests on: docs/SCENE.md. The caller deletes it */
    FILE *lines; /* the same as text; NULL: not wanted */
} pov_answer;

/** Probabilities from 0 to 1; angles in degrees about the viewer's heading, counter-clockwise from above; metres. */
void pov_answer_make(pov_answer *answer, pov_moment *moment, const pov_request *question, FILE *lines);

/* -------- used by answer*.c only -------- */

void pov_answer_sees(pov_answer *a);
void pov_answer_hides(pov_answer *a);
void pov_answer_seen(pov_answer *a);
void pov_answer_where(pov_answer *a);
void pov_answer_order(pov_answer *a);
void pov_answer_extreme(pov_answer *a);
void pov_answer_distance(pov_answer *a);
void pov_answer_facing(pov_answer *a);

const char *pov_answer_name(const pov_answer *a, pov_id id);
/** Sets what is said. */
void pov_answer_say(pov_answer *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
/** One more of several answers: "depends" if they differ; undefined ones do not count. */
void pov_answer_agree(pov_answer *a, const char *more);
/** "yes", "no", "abstain", "undefined". */
const char *pov_answer_word(pov_verdict verdict);
/** False if one is, else undefined, else too close to say. */
pov_verdict pov_verdict_and(pov_verdict a, pov_verdict b);
pov_verdict pov_verdict_not(pov_verdict verdict);
/** "yes" or "no" if all that are known agree, "depends", "abstain", "undefined". */
const char *pov_answer_sum(const int count[POV_VERDICT_COUNT]);
/** Prints a line, unless none are wanted: "  ball: ...". */
void pov_answer_line(pov_answer *a, const char *head, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/** "9 deg to the right" */
const char *pov_answer_bearing(char text[40], double bearing_rad);
/** Adds {"id", "p"}. */
struct cJSON *pov_answer_add(const pov_answer *a, struct cJSON *list, pov_id id, double p);
/** Adds what a frame, or viewer, says to "frames". */
void pov_answer_note_frame(pov_answer *a, const pov_query *frame, const char *key, const char *says,
                           double p);
/** Looks, and keeps it. */
const pov_visibility *pov_answer_look(pov_answer *a, pov_id viewer, pov_id target);
/** Adds all looks as "visibility". */
void pov_answer_tell_looks(pov_answer *a);
