/** A dialogue about scenes: utterances in, replies out. It remembers what "it", "she" and "the other one" are, what was asked back,
 *  and in which frame of reference the speaker turned out to speak. */
#pragma once

#include "ask/meaning/request.h"
#include "config/files/text.h"

#include <stdint.h>
#include <stdio.h>

typedef struct pov_talk pov_talk;
struct cJSON;

struct pov_talk_about;
/** The images of a recording, in order, for "when": `first` begins again. POV_END: behind the last. The caller borrows the result until
 *  the next call. */
typedef struct {
    void *context;
    pov_status (*next)(void *context, struct pov_talk_about *about, bool first);
} pov_talk_images;

/** A thing in a camera's image. */
typedef struct {
    char thing[POV_NAME_CAPACITY];
    double share;    /* of it that is visible */
    double size_rad; /* as pov_visibility has it */
    double size_px;  /* the longer side of its box in the image; NaN: it has none */
} pov_camera_look;

/** A camera's newest image, as a question about cameras needs it. */
typedef struct {
    char id[POV_NAME_CAPACITY];
    int64_t capture_ns;
    int look_len;
    pov_camera_look looks[POV_ENTITY_MAX];
} pov_camera_looks;

typedef struct {
    int len;
    pov_camera_looks cameras[POV_CAMERA_MAX];
} pov_cameras_look;

/** Keeps what a camera saw in an image, by that image's scene and sights. id "": it has none, and nothing is kept. */
void pov_cameras_look_note(pov_cameras_look *looks, const char *id, int64_t capture_ns,
                           const pov_scene *scene, const pov_visibility *sights, int sight_len);

/** The scene and image behind a reply. Borrowed during the call. */
typedef struct pov_talk_about {
    const pov_scene *scene;
    const pov_judging *judging;
    const pov_visibility *sights; /* as a station judged them; others are found by rays */
    int sight_len;
    const pov_cameras_look *cameras; /* NULL: the scene is of no station */
    const char *speaker;             /* id of who speaks; NULL: the only addressee */
    const char *image;               /* NULL: the scene is of no image */
    uint32_t sequence;
    int64_t capture_ns;
    uint64_t calibration_hash;
    double age_s;                  /* of the image, since it was judged; 0: it is of now, or of no time */
    double stale_after_s;          /* an older image is not acted on; 0: never stale */
    const pov_talk_images *images; /* NULL: there is one moment only */
} pov_talk_about;

typedef enum {
    POV_ANSWERED,
    POV_PICKED,
    POV_ASKED_BACK,
    POV_GOAL,
    POV_REFUSED,
    POV_OUTCOME_COUNT
} pov_outcome;

enum { POV_GOAL_CORNERS_MAX = 24 };

typedef struct {
    pov_outcome outcome;
    pov_text say;       /* one plain sentence */
    struct cJSON *json; /* docs/JSON.md; the caller deletes it */
    char *details;      /* lines of text that the answer rests on, or NULL; the caller frees it */
    pov_judgment shown; /* a judgment with a direction; theta_rad NaN: there is none */
    bool has_goal;      /* of a question back: in the likeliest frame */
    pov_id goal_object;
    pov_vec3 goal_m;
    int goal_corner_len;
    double goal_corners_m[2 * POV_GOAL_CORNERS_MAX]; /* x, y, x, y, ... of the region */
} pov_talk_reply;

/** POV_ERROR: out of memory, or a language's table is wrong. */
POV_MUST_USE pov_status pov_talk_new(pov_talk **talk);
void pov_talk_destroy(pov_talk **talk);

/** Forgets what was said: a new dialogue, with another speaker. */
void pov_talk_forget(pov_talk *talk);

/** Whether frames of reference that the speaker turned out to mean are expected again; at first they are. */
void pov_talk_set_learning(pov_talk *talk, bool learns);

/** Takes an utterance and replies. POV_ERROR: Embree fails, out of memory; an utterance that is not understood has a reply, too. */
POV_MUST_USE pov_status pov_talk_hear(pov_talk *talk, pov_talk_reply *reply, const pov_talk_about *about,
                                      const char *utterance);
void pov_talk_reply_clear(pov_talk_reply *reply);

/** The JSON of a refusal without a scene: every member that a reply has. The caller deletes it. */
struct cJSON *pov_talk_refusal(const char *utterance, const char *say);
/** "answered", "picked", "ask_back", "goal", "refused". */
const char *pov_outcome_name(pov_outcome value);
/** The lines of help of the English grammar, one for each kind of utterance; NULL behind the last. */
const char *pov_talk_help(int index);
