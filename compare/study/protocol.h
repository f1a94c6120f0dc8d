/** The protocol of an instruction study: conditions, scenes, trials, and each participant's order. docs/STUDY.md lists the keys. */
#pragma once

#include "config/yaml/yaml_file.h"
#include "perception/scene/scene.h"
#include "perception/status.h"

#include <stddef.h>
#include <stdint.h>

enum {
    POV_PARTICIPANT_MAX = 1000,
    POV_CONDITION_MAX = 16,
    POV_WANTED_SCENE_MAX = 64,
    POV_WANTED_THING_MAX = 32,
    POV_SEAT_MAX = 8,
    POV_TRIAL_MAX = 128,
    POV_PLAN_MAX = POV_CONDITION_MAX * POV_TRIAL_MAX,
    POV_LABEL_MAX = 12
};

/** A thing of a wanted scene. */
typedef struct {
    const char *id;
    bool has_place, has_height, has_front;
    pov_vec3 at_m;
    double within_m, front_rad, within_rad;
} pov_wanted_thing;

/** Texts are borrowed from the protocol. */
typedef struct {
    const char *id, *about; /* about "": none */
    int len;
    pov_wanted_thing poses[POV_SEAT_MAX]; /* where surveyed people and things are in this condition */
} pov_condition;

typedef struct {
    const char *id, *about;
    bool alone; /* no other thing may be there */
    int len;
    pov_wanted_thing things[POV_WANTED_THING_MAX];
} pov_wanted_scene;

typedef struct {
    const char *id;
    int scene;          /* -1: any */
    const char *say;    /* the instruction; "": the participant speaks freely */
    const char *show;   /* the task; "": none */
    const char *target; /* "": not told */
    bool in[POV_CONDITION_MAX];
} pov_study_trial;

typedef enum {
    POV_ORDER_AS_WRITTEN,
    POV_ORDER_SHUFFLED,
    POV_ORDER_LATIN_SQUARE,
    POV_STUDY_ORDERS
} pov_study_order;

typedef struct {
    const char *about, *consent, *break_show;
    int participant_len, condition_len, scene_len, trial_len, label_len;
    char participants[POV_PARTICIPANT_MAX][POV_NAME_CAPACITY];
    pov_condition conditions[POV_CONDITION_MAX];
    pov_wanted_scene scenes[POV_WANTED_SCENE_MAX];
    pov_study_trial trials[POV_TRIAL_MAX];
    const char *labels[POV_LABEL_MAX];
    bool between; /* each participant has one condition only */
    pov_study_order condition_order, trial_order;
    int seed, break_every; /* 0: no breaks */
    bool raw_faces;
    bool learns_nothing; /* the robot's reading of a trial does not follow the frames meant in it before */
    pov_yaml_file *file; /* holds the texts */
} pov_protocol;

/** Errors name file, line and key. */
POV_MUST_USE pov_status pov_protocol_new(pov_protocol **protocol, const char *path);
/** The same from memory; `name` stands for the path in messages. */
POV_MUST_USE pov_status pov_protocol_parse(pov_protocol **protocol, const char *name, const char *text,
                                           size_t length);
void pov_protocol_destroy(pov_protocol **protocol);

/** The number of a participant, from 0; POV_ERROR naming the nearest if there is none of that name. */
POV_MUST_USE pov_status pov_protocol_find(const pov_protocol *protocol, int *participant, const char *name);

/** All of it but the participants, as JSON: what a log must agree with. The caller's to free(). */
char *pov_protocol_design(const pov_protocol *protocol);

/** One trial of a participant's order. */
typedef struct {
    int condition, trial;
    bool after_break;
} pov_planned_trial;

typedef struct {
    int len;
    pov_planned_trial list[POV_PLAN_MAX];
} pov_plan;

/** A participant's order: the same for the same protocol.
 *  Method: balanced Latin squares of Williams, Aust. J. Sci. Res. A 2, 1949; Fisher-Yates shuffles by the seed. */
void pov_protocol_plan(pov_plan *plan, const pov_protocol *protocol, int participant);

/* ---- Is the scene on the table the wanted one? ---- */

typedef struct {
    char id[POV_NAME_CAPACITY];
    bool right;
    char text
        [160]; /* what to do: "move it 4 cm to the left and 2 cm away, as the camera sees it"; or "right" */
} pov_thing_check;

typedef struct {
    bool right;
    int len;
    pov_thing_check things[POV_ENTITY_MAX];
} pov_scene_check;

/** Reads the list of things that have to be there; complaints stick to the file. */
void pov_wanted_scene_read_things(pov_wanted_scene *scene, pov_yaml_node things);
/** Thing by thing: missing, not found in this image, moved, turned, or one too many. */
void pov_wanted_scene_check(pov_scene_check *check, const pov_wanted_scene *wanted, const pov_scene *scene);
