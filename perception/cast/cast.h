/** The cast: what a station expects to be there, how each is found, and how findings become a scene. Pure. */
#pragma once

#include "perception/balls/ball_detector.h"
#include "perception/cast/disc.h"
#include "perception/models/model_place.h"
#include "perception/objects/object_finder.h"
#include "perception/people/person_place.h"
#include "perception/scene/scene.h"
#include "perception/tags/tag_pose.h"
#include "perception/tags/tag_watch.h"

enum { POV_CAST_MAX = 64, POV_FOUND_MAX = 32, POV_HEARD_MAX = 32 };

typedef struct pov_found_by pov_found_by;

typedef struct {
    pov_entity entity; /* what is known beforehand: name, class, size, heading; placed if surveyed */
    const pov_found_by *found_by; /* NULL: surveyed; nothing looks for it */
    int count; /* above 1: so many at most; entities NAME_1, NAME_2, ... are those found, from left to right */
    int kind; /* index into the finder's configuration: of the ball's kind, or of the first enrolled object */
    pov_tag_family tag_family;
    int tag_id;
    double tag_edge_m;
    pov_pose T_tag_entity; /* the entity's box in the tag frame; x is its front's axis */
    pov_model_build model;
    pov_person_build person;
} pov_cast_member;

typedef struct {
    int len;
    pov_cast_member members[POV_CAST_MAX];
} pov_cast;

/** The largest number of entities it may become. */
int pov_cast_member_count(const pov_cast_member *member);
/** The name of its entity `index`, from 0: its own name, or NAME_1 and so on if there may be several. */
void pov_cast_member_name(char name[POV_NAME_CAPACITY], const pov_cast_member *member, int index);

/** Is there an entity of that name, numbered ones ("ball_2") included? */
bool pov_cast_has(const pov_cast *cast, const char *name);

/** Adds 1 for each member of which an entity was seen in this image. */
void pov_cast_count_seen(uint64_t found[POV_CAST_MAX], const pov_cast *cast, const pov_scene *scene);

/** A thing that a finder found and placed by itself: the findings of finders that have no type of their own below. */
typedef struct {
    const pov_found_by *found_by;
    int kind; /* of the members that it may be */
    bool placed;
    pov_position position; /* valid if placed; so is the heading's frame */
    pov_heading heading;   /* len 0: none */
    double middle_px;      /* its column in the image */
} pov_found_thing;

/** A thing that another program tells of. */
typedef struct {
    int kind; /* of the member that it is */
    pov_pose T_table_thing;
} pov_heard_thing;

/** What other programs tell of the time of an image. */
typedef struct {
    bool has_camera;
    pov_pose T_table_camera;               /* valid if has_camera */
    char camera_why[POV_MESSAGE_CAPACITY]; /* why the camera's pose is not told */
    int len;
    pov_heard_thing things[POV_HEARD_MAX];
} pov_heard;

/** The detections of one image, before they have a place in a scene. */
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
    int thing_len;
    pov_found_thing things[POV_FOUND_MAX];
    pov_heard heard;
    double people_s; /* how long finding people took last, networks aside; 0: nobody was looked for */
    pov_id
        ball_entity[POV_BALL_MAX]; /* which entity each ball became; POV_ID_NONE: more than were expected */
} pov_findings;

typedef struct {
    const pov_camera *camera;
    const pov_pose *T_table_camera; /* NULL: unknown */
    pov_id first;                   /* the id of the first entity that is made */
} pov_cast_view;

/** Makes entities of one kind of findings: a constant of each finder. */
struct pov_found_by {
    const char *name;        /* `found_by` in the station file */
    bool is_identified;      /* each finding says which entity it is: no data association */
    bool is_placed_on_plane; /* on the plane that it stands on: lifted, it seems farther away */
    /** Entities made of the member's, seen, and placed if the view's pose is known, from left to right in the image.
     *  Returns how many: pov_cast_member_count at most. NULL: its findings are pov_found_things. */
    int (*gather)(pov_entity entities[POV_FOUND_MAX], pov_findings *findings, const pov_cast_member *member,
                  const pov_cast_view *view);
};

extern const pov_found_by pov_found_by_ball, pov_found_by_tag, pov_found_by_model, pov_found_by_enrolled,
    pov_found_by_person, pov_found_by_tf, pov_found_by_topic;

/** What another station's cast has otherwise than this one's. */
typedef struct {
    char name[POV_NAME_CAPACITY]; /* of the thing; "": nothing differs */
    bool is_unknown;              /* this cast has no thing of that name that is looked for */
    pov_vec3 own_size_m, their_size_m;
    char own_class[POV_NAME_CAPACITY], their_class[POV_NAME_CAPACITY];
} pov_cast_difference;

/** Builds a scene of this cast from that of another station's camera, by names: what that saw, as bodies of this cast. A thing that the two
 *  describe otherwise is not taken over. T_table_camera: NULL: not known; what it saw is then seen, and nowhere.
 *  Out: scene; difference: the first. Returns POV_ERROR only if the scene cannot hold the cast. */
POV_MUST_USE pov_status pov_cast_adopt(const pov_cast *cast, pov_scene *scene,
                                       pov_cast_difference *difference, const pov_scene *theirs,
                                       const pov_pose *T_table_camera);

/** Builds a scene: the camera (if its pose is known), then the cast in order. Without a camera pose, what was
 * found is seen but not placed. Out: scene; findings->ball_entity. In: T_table_camera, or NULL when unknown.
 *  Returns POV_ERROR only if the scene cannot hold the cast. */
POV_MUST_USE pov_status pov_cast_build_scene(const pov_cast *cast, pov_scene *scene, pov_findings *findings,
                                             const pov_camera *camera, const pov_pose *T_table_camera);
