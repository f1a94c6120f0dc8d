/** The station file: one YAML file that says what a station is. docs/STATION.md describes every key. */
#ifndef POV_FIRMWARE_STATION_STATION_H
#define POV_FIRMWARE_STATION_STATION_H

#include "calib/camera/intrinsics_file.h"
#include "compare/vlm/vlm_config.h"
#include "firmware/sources/libcamera_shim.h"
#include "firmware/sources/simulator_source.h"
#include "firmware/station/station_cast.h"
#include "firmware/station/station_models.h"
#include "firmware/station/station_turntable.h"
#include "perception/cast/cast.h"
#include "perception/geometry/camera.h"
#include "perception/relations/relation.h"
#include "perception/relations/relation_panel.h"
#include "perception/tags/camera_prior.h"
#include "perception/tags/tag_detector.h"

#include <stddef.h>

enum {
    POV_STATION_PATH_CAPACITY = 1024,
    POV_STATION_PAIR_MAX = 512,
    POV_STATION_VIEWER_MAX = 32,
    POV_ENDPOINT_CAPACITY = 256
};

typedef enum {
    POV_SOURCE_FOLDER,
    POV_SOURCE_LIBCAMERA,
    POV_SOURCE_SIMULATOR,
    POV_SOURCE_KIND_COUNT
} pov_source_kind;

/** Where images come from; `kind` says which of them counts. */
typedef struct {
    pov_source_kind kind;
    char folder[POV_STATION_PATH_CAPACITY]; /* "": none named; the command line must */
    double rate_hz;                         /* 0: as fast as possible */
    bool loop;
    char libcamera_id[POV_LIBCAMERA_ID_CAPACITY];
    int width_px, height_px; /* 0: the camera's own choice */
    char pixel_format[16];
    double exposure_s, gain; /* 0: automatic */
    pov_simulator_source_config simulator;
} pov_station_source;

/** Whether the tags of one image are looked for where those of the last one lead. */
typedef enum {
    POV_FOLLOW_TAGS_IN_VIDEO, /* if images come at a rate: not from a folder read as fast as possible */
    POV_FOLLOW_TAGS,
    POV_SEARCH_TAGS
} pov_tag_following;

/** Whether entities keep their ids, and have velocities, from image to image. */
typedef enum {
    POV_TRACK_IN_VIDEO, /* if images come at a rate: not from a folder read as fast as possible */
    POV_TRACK_ALWAYS,
    POV_TRACK_NEVER
} pov_tracking;

/** For whom something is judged: all who can be asked, or those named. */
typedef struct {
    bool all;
    int len;
    char names[POV_STATION_VIEWER_MAX][POV_NAME_CAPACITY];
} pov_station_viewers;

typedef struct {
    pov_station_source source;
    pov_camera camera;
    pov_intrinsics_trust trust;                  /* what its calibration says of itself */
    double field_of_view_rad;                    /* what the guess rests on */
    char calibration[POV_STATION_PATH_CAPACITY]; /* that file */
    bool calibrated;       /* from a calibration file, not guessed from a field of view */
    bool size_from_images; /* a guess for images of any size: see pov_station_guess_camera */
    bool pose_given;       /* the camera's pose is in the file; else it comes from tags, or is unknown */
    pov_pose T_table_camera;
    pov_camera_prior prior; /* weighs poses that come from tags */
    pov_ball_detector_config balls;
    bool uses_people; /* someone is found_by: person */
    pov_person_detector_config people;
    bool uses_tags;  /* families are named, or there is a map or a tag-borne entity */
    bool uses_panel; /* any relation of the panel is judged */
    pov_tag_detector_config tags;
    pov_tag_following follow_tags;
    pov_tag_map tag_map;
    pov_cast cast;
    pov_station_body_files bodies;
    pov_station_models models;   /* that the cast is found by */
    pov_station_objects objects; /* that the cast is found by */
    pov_tracking track;
    pov_station_turntable turntable;
    pov_vlm_config vlm; /* no endpoints: no VLM is asked */
    bool has_north;
    double north_yaw_rad;
    pov_judging judging;
    pov_panel_config panel; /* the registry's other relations */
    pov_station_viewers visibility, directions;
    int pair_len;                                           /* 0: every ordered pair of the cast */
    char pairs[POV_STATION_PAIR_MAX][2][POV_NAME_CAPACITY]; /* referent, relatum */
    char endpoint[POV_ENDPOINT_CAPACITY];
    int queue_capacity;
} pov_station;

/** What to do about how slow HOG is. */
#define POV_PEOPLE_ADVICE                                                                                    \
    "A network whose classes hold 'person' is faster and finds more: models: {detectors: [{contract: "       \
    "FILE}]}; docs/MODELS.md says which"

/** Reads a station file and the calibration and tag map it names (paths relative to it).
 *  Errors name file, line, key and how to mend it; on error the station is not to be used. */
POV_MUST_USE pov_status pov_station_read(pov_station *station, const char *path);
/** The same from memory; `name` stands for the path in messages and for relative paths. */
POV_MUST_USE pov_status pov_station_parse(pov_station *station, const char *name, const char *text,
                                          size_t length);

/** A pinhole of square pixels with the station's horizontal field of view, for images of this size: what stands for
 * the calibration of a station that has none. */
pov_camera pov_station_guess_camera(const pov_station *station, int width_px, int height_px);

#endif
