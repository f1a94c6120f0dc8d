/** Finders: all detection in images, behind one interface. POV_FINDER_TABLE lists them. CONTRIBUTING.md says how to add one. */
#pragma once

#include "config/yaml/yaml_file.h"
#include "firmware/ros2/ros2_hearer.h"
#include "perception/cast/cast.h"
#include "perception/tags/tag_detector.h"
#include "perception/tasks.h"
#include "perception/tracking/memory.h"

#include <stddef.h>

enum { POV_FINDER_PATH_CAPACITY = 1024 };

/* ---- what the station file says of each ---- */

/** True if the tags of the last image predict where they are in the next. */
typedef enum {
    POV_FOLLOW_TAGS_IN_VIDEO, /* if images come at a rate: not from a folder read as fast as possible */
    POV_FOLLOW_TAGS,
    POV_SEARCH_TAGS
} pov_tag_following;

typedef struct {
    bool is_wanted; /* families are named, or there is a map or a tag-borne entity */
    pov_tag_detector_config detector;
    pov_tag_following following;
    pov_tag_map map; /* of tags fixed to the table */
} pov_tag_settings;

typedef struct {
    int len;
    struct {
        char detector[POV_FINDER_PATH_CAPACITY]; /* its contract */
        char heading
            [POV_FINDER_PATH_CAPACITY]; /* of a network that estimates the headings of its detections; "": none */
        char points
            [POV_FINDER_PATH_CAPACITY]; /* of one that estimates the points of people among them; "": none */
    } networks[POV_MODEL_MAX];
    pov_engine engine;  /* instead of what the contracts say, where it is not the default */
    bool in_background; /* images do not wait for networks, nor for the person detector */
    bool wants_people;
    pov_person_detector_config people;
} pov_network_settings;

/** Enrolled objects: their files, and the height of the plane that each stands on. */
typedef struct {
    int len;
    struct {
        char model[POV_FINDER_PATH_CAPACITY];
        double stands_on_m, stands_on_std_m;
        bool is_another; /* of the same make as the one before it */
    } objects[POV_OBJECT_MAX];
    bool has_area; /* else all of the table that is in view is searched */
    pov_object_area area;
} pov_enrolled_settings;

/** Room for the settings of a finder that keeps their type to itself; it checks by static_assert that they fit. */
typedef union {
    max_align_t alignment;
    unsigned char bytes[4096];
} pov_finder_room;

/** Every finder: its name, the type of its settings (or pov_finder_room), their member in pov_finder_settings. Finders of one turn
 *  run, and sections are read, in this order. */
#define POV_FINDER_TABLE(FINDER)                                                                             \
    FINDER(ball, pov_ball_detector_config, balls)                                                            \
    FINDER(tag, pov_tag_settings, tags)                                                                      \
    FINDER(network, pov_network_settings, networks)                                                          \
    FINDER(enrolled, pov_enrolled_settings, enrolled)                                                        \
    FINDER(heard, pov_ros2_things, heard)

#define POV_FINDER_SETTINGS(NAME, TYPE, MEMBER) TYPE MEMBER;
typedef struct {
    POV_FINDER_TABLE(POV_FINDER_SETTINGS)
} pov_finder_settings;
#undef POV_FINDER_SETTINGS

/* ---- the interface ---- */

/** When a finder runs. If two camera poses fit an image, only finders of POV_FINDS_BY_POSE run twice. */
typedef enum {
    POV_FINDS_FIRST,  /* the camera's pose follows from its findings */
    POV_FINDS_ONCE,   /* view->T_table_camera is NULL where two poses fit */
    POV_FINDS_BY_POSE /* once for each pose that fits */
} pov_finder_turn;

/** The parts of the station that a finder uses; they must outlive it. */
typedef struct {
    const pov_finder_settings *settings;
    const pov_camera *camera;
    bool is_video;              /* images come at a rate */
    const pov_workers *workers; /* NULL: the caller is alone */
} pov_finder_place;

/** One image. */
typedef struct {
    const pov_image *image;
    const pov_pose *T_table_camera; /* NULL: not known */
    pov_memory *memory;             /* of the images before; NULL: this one stands alone */
    bool is_late;                   /* images wait for the station: what may wait longer does */
} pov_finder_view;

/** Reads an entry of the cast: `found_by: NAME`. */
typedef struct {
    const pov_found_by *found_by; /* NULL: none */
    const char *key;              /* of the entry's mapping that is read; NULL: the entry itself */
    const char *needed_for;       /* a complaint if that key is missing; NULL: it may be */
    void (*read)(pov_cast_member *member, pov_finder_settings *settings, pov_yaml_node node);
} pov_member_reader;

typedef struct {
    pov_finder_turn turn;
    pov_member_reader readers[2];
    const char *section; /* key at the top of the station file; NULL: none */
    void (*read_section)(pov_finder_settings *settings, pov_yaml_node node);
    /** Once the cast is read; complaints are of `cast`. NULL: nothing to check. */
    void (*check)(pov_finder_settings *settings, const pov_cast *cast, pov_yaml_node node);

    bool (*is_wanted)(const pov_finder_settings *settings);
    const pov_memory_shape *memory;                   /* NULL: it needs none */
    bool (*remembers)(const pov_finder_place *place); /* NULL: in video */
    pov_status (*create)(void **finder, const pov_finder_place *place);
    /** Fills its part of the findings, or adds to findings->things, which holds none of its things then. */
    pov_status (*run)(void *finder, pov_findings *findings, const pov_finder_view *view);
    /** For finders with a memory, after run, when nobody waits for the image any more: searches it further, and notes what the
     *  next one is expected to show. NULL: run does. */
    pov_status (*remember)(void *finder, const pov_finder_view *view);
    void (*destroy)(void *finder);
} pov_finder;

#define POV_FINDER_DECLARED(NAME, TYPE, MEMBER) extern const pov_finder pov_##NAME##_finder;
POV_FINDER_TABLE(POV_FINDER_DECLARED)
#undef POV_FINDER_DECLARED

/* ---- all of them ---- */

/** Reads the finders' sections of a station file. Complaints stick to the file. */
void pov_finders_read(pov_finder_settings *settings, pov_yaml_node root);
/** "survey, ball, tag, ...": reads `found_by` of an entry of the cast, and what that finder wants to know of it. Returns
 *  whether the entry is surveyed: nothing looks for it. */
bool pov_finders_read_member(pov_cast_member *member, pov_finder_settings *settings, pov_yaml_node node);
/** Checks the cast against the sections. */
void pov_finders_check(pov_finder_settings *settings, const pov_cast *cast, pov_yaml_node node);

typedef struct pov_finders pov_finders;

/** Those that the settings want. */
POV_MUST_USE pov_status pov_finders_new(pov_finders **finders, const pov_finder_place *place);
void pov_finders_destroy(pov_finders **finders);

/** Runs those of one turn. T_table_camera: NULL if it is not known. */
POV_MUST_USE pov_status pov_finders_run(pov_finders *finders, pov_findings *findings, pov_finder_turn turn,
                                        const pov_image *image, const pov_pose *T_table_camera);
/** After that, when nobody waits for the image any more: searches further, and notes what the next image is expected to show. */
POV_MUST_USE pov_status pov_finders_remember(pov_finders *finders, pov_finder_turn turn,
                                             const pov_image *image, const pov_pose *T_table_camera,
                                             bool is_late);
/** Finders of POV_FINDS_BY_POSE expect nothing in the next image: the places they remember rest on another pose. */
void pov_finders_forget_places(pov_finders *finders);

/** Tags of an image that are where the map has them, with the white about them: they are no enrolled objects.
 *  T_table_camera NULL: none. enrolled_finder.c */
void pov_finder_others(pov_object_others *others, const pov_tags *tags, const pov_finder_place *place,
                       const pov_pose *T_table_camera);

/** Advice where HOG is slow. */
#define POV_PEOPLE_ADVICE                                                                                    \
    "A network whose classes hold 'person' is faster and finds more: models: {detectors: [{contract: "       \
    "FILE}]}; docs/MODELS.md says which"
