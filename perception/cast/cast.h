/** The cast: what a station expects to be there, how each is found, and how findings become a scene. Pure. */
#ifndef POV_PERCEPTION_CAST_CAST_H
#define POV_PERCEPTION_CAST_CAST_H

#include "perception/balls/ball_detector.h"
#include "perception/cast/disc.h"
#include "perception/models/model_look.h"
#include "perception/objects/object_finder.h"
#include "perception/people/person_look.h"
#include "perception/scene/scene.h"
#include "perception/tags/tag_pose.h"
#include "perception/tags/tag_watch.h"

enum { POV_CAST_MAX = 32 };

typedef enum {
    POV_FOUND_BY_SURVEY, /* someone measured where it is; nothing is looked for */
    POV_FOUND_BY_BALL,   /* by the ball detector */
    POV_FOUND_BY_TAG,    /* by a tag that it carries */
    POV_FOUND_BY_MODEL,  /* by a detector, as the best of its class */
    POV_FOUND_ENROLLED,  /* by how it looks from all around */
    POV_FOUND_BY_PERSON, /* by the person detector: those seen best */
    POV_FOUND_BY_COUNT
} pov_found_by;

typedef struct {
    pov_entity entity; /* what is known beforehand: name, class, size, heading; placed if surveyed */
    pov_found_by found_by;
    int ball_kind; /* index into the ball detector's kinds; that kind's max_count says how many there are */
    int ball_count; /* above 1: so many at most; entities NAME_1, NAME_2, ... are those found, from left to right */
    pov_tag_family tag_family;
    int tag_id;
    double tag_edge_m;
    pov_model_build model;
    int model_count;  /* likewise, of a model's class */
    int object_kind;  /* index into the object finder's kinds, of the first */
    int object_count; /* likewise, of one make */
    pov_person_build person;
    int person_count;      /* likewise */
    pov_pose T_tag_entity; /* the entity's box in the tag frame; x is its front's axis */
} pov_cast_member;

typedef struct {
    int len;
    pov_cast_member members[POV_CAST_MAX];
} pov_cast;

/** How many entities it may become. */
int pov_cast_member_count(const pov_cast_member *member);
/** Which its entity `index`, from 0, is called: its own name, or NAME_1 and so on where there may be several. */
void pov_cast_member_name(char name[POV_NAME_CAPACITY], const pov_cast_member *member, int index);

/** What was found in one image, before it has a place in a scene. */
typedef struct {
    pov_tags tags;
    bool has_camera_pose;
    pov_camera_pose camera_pose; /* valid if has_camera_pose and it came from tags */
    bool has_turntable;
    pov_disc_reading turntable; /* valid if has_turntable */
    bool has_moved_tag;
    pov_moved_tag moved_tag; /* valid if has_moved_tag: first named by this image */
    bool prior_is_refuted; /* no pose that fits the tags is within reach of what was known of the camera's */
    pov_balls balls;
    pov_model_looks looks;
    pov_object_findings objects;
    pov_person_look people;
    pov_id
        ball_entity[POV_BALL_MAX]; /* which entity each ball became; POV_ID_NONE: more than were expected */
} pov_findings;

/** Builds a scene: the camera (if its pose is known), then the cast in order. Without a camera pose, what was
 * found is seen but not placed. Out: scene; findings->ball_entity. In: T_table_camera, or NULL when unknown.
 *  Returns POV_ERROR only if the scene cannot hold the cast. */
POV_MUST_USE pov_status pov_cast_build_scene(const pov_cast *cast, pov_scene *scene, pov_findings *findings,
                                             const pov_camera *camera, const pov_pose *T_table_camera);

#endif
