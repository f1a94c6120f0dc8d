/** The station file: one YAML file that says what a station is. docs/STATION.md describes every key. */
#pragma once

#include "calib/camera/intrinsics_file.h"
#include "config/yaml/yaml_file.h"
#include "firmware/finders/finders.h"
#include "firmware/gstreamer/gstreamer_source.h"
#include "firmware/http/http_site.h"
#include "firmware/libcamera/libcamera_shim.h"
#include "firmware/recording/recorder.h"
#include "firmware/ros2/ros2_source.h"
#include "firmware/sources/remote_source.h"
#include "firmware/sources/simulator_source.h"
#include "firmware/station/station_compare.h"
#include "perception/cast/cast.h"
#include "perception/cast/disc.h"
#include "perception/geometry/camera.h"
#include "perception/relations/relation.h"
#include "perception/relations/relation_panel.h"
#include "perception/tags/camera_prior.h"
#include "protocol/turntable/turntable.h"

#include <stddef.h>

/** The bodies of a station's cast: `shape` and `body`. docs/STATION.md. */

enum { POV_BODY_PATH_CAPACITY = 1024 };

/** The body file of each member; "": none. */
typedef struct {
    char files[POV_CAST_MAX][POV_BODY_PATH_CAPACITY];
} pov_station_body_files;

/** Reads `shape` and `body` of a member that is not a ball and whose size has been read. Complaints stick to the file; a body's own file is read
 *  once to complain in time. */
void pov_station_read_body(pov_cast_member *member, char file[POV_BODY_PATH_CAPACITY], pov_yaml_node node);

/** Triangles of the cast's bodies; owns them. */
typedef struct pov_station_bodies pov_station_bodies;

/** Gives the members their bodies, until they are destroyed. Returns: POV_ERROR naming file and line. */
POV_MUST_USE pov_status pov_station_bodies_new(pov_station_bodies **bodies, pov_cast *cast,
                                               const pov_station_body_files *files);

void pov_station_bodies_destroy(pov_station_bodies **bodies);

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
    POV_SOURCE_GSTREAMER, /* from here to the film through GStreamer, in the order of pov_gstreamer_kind */
    POV_SOURCE_V4L2,
    POV_SOURCE_RTSP,
    POV_SOURCE_VIDEO,
    POV_SOURCE_ROS2,
    POV_SOURCE_STATION, /* a camera in another process: no images, but what that station knows by it */
    POV_SOURCE_KIND_COUNT
} pov_source_kind;

const char *pov_source_kind_name(pov_source_kind kind);

/** Whether it is a camera, whose images come by themselves. */
bool pov_source_is_camera(pov_source_kind kind);

/** The source of images; `kind` selects the fields in use. */
typedef struct {
    pov_source_kind kind;
    char folder[POV_STATION_PATH_CAPACITY]; /* "": none named; the command line must */
    double rate_hz;                         /* 0: as fast as possible */
    bool loop, live;        /* live: images that come while another is judged give way to newer ones */
    bool is_recorded_video; /* a film, or `folder` is a recording of images that came at a rate */
    char libcamera_id[POV_LIBCAMERA_ID_CAPACITY];
    int width_px, height_px; /* 0: the camera's own choice */
    char pixel_format[16];
    double exposure_s, gain; /* 0: automatic */
    pov_simulator_source_config simulator;
    pov_ros2_source_config ros2;
    pov_remote_config remote;
    pov_gstreamer_source_config gstreamer; /* its kind and size are set when it is opened */
} pov_station_source;

/** True if entities keep their ids, and have velocities, from image to image. */
typedef enum {
    POV_TRACK_IN_VIDEO, /* if images come at a rate: not from a folder read as fast as possible */
    POV_TRACK_ALWAYS,
    POV_TRACK_NEVER
} pov_tracking;

/** The camera's lens. */
typedef struct {
    char path[POV_STATION_PATH_CAPACITY]; /* the calibration file; "": the camera is guessed */
    pov_intrinsics_trust trust;           /* the calibration's own uncertainty */
    double field_of_view_rad;             /* of a guess */
    bool size_from_images;                /* a guess for images of any size: see pov_station_guess_camera */
} pov_station_calibration;

/** The camera's pose. */
typedef struct {
    bool is_given; /* in the file; else it comes from tags, or is unknown */
    pov_pose T_table_camera;
    pov_camera_prior prior; /* weighs poses that come from tags */
    pov_ros2_camera_tf tf;  /* the robot tells it */
    bool is_not_swappable;  /* its images are no other camera's */
    bool needs_witness;     /* given; holds once a tag confirms it, or another camera's: station_swaps.h */
} pov_station_place;

/** One of the cameras of a station. */
typedef struct {
    char id[POV_NAME_CAPACITY]; /* "": the only one, which needs none */
    pov_station_source source;
    pov_camera camera;
    pov_station_calibration calibration;
    pov_station_place place;
    int mask_len; /* of finders.balls */
    pov_rectangle masks[POV_MASK_MAX];
} pov_station_camera;

typedef struct {
    char device[256]; /* "": no motor */
    int baud;
    pov_turntable_config config;
    bool measured; /* by pov calib turntable: its angle comes from its tags */
    pov_disc disc;
} pov_station_turntable;
#define POV_STATION_TURNTABLE_DEFAULT                                                                        \
    {                                                                                                        \
        .device = "", .baud = 115200, .config = POV_TURNTABLE_DEFAULT                                        \
    }

/** The viewers that something is judged for. */
typedef struct {
    bool all; /* every entity that can be one */
    int len;
    char names[POV_STATION_VIEWER_MAX][POV_NAME_CAPACITY];
} pov_station_viewers;

typedef struct {
    pov_judging judging;
    bool uses_panel; /* any relation of the panel is judged */
    pov_station_viewers visibility, directions;
    int pair_len;                                           /* 0: every ordered pair of the cast */
    char pairs[POV_STATION_PAIR_MAX][2][POV_NAME_CAPACITY]; /* referent, relatum */
} pov_station_judging;

enum { POV_PUBLISH_QUEUE_MAX = 4096 }; /* messages for each slow subscriber */

typedef struct {
    char endpoint[POV_ENDPOINT_CAPACITY];
    int queue_capacity;                   /* messages */
    char keys[POV_STATION_PATH_CAPACITY]; /* folder of keys; "": this user's */
    bool insecure;                        /* anyone may connect, from other machines, too */
    bool is_named;                        /* the station file has the section */
} pov_station_publishing;

/** Chosen: a thing that was put elsewhere meanwhile is likelier than not. */
#define POV_STALE_AFTER_S 10.0

/** The ZeroMQ socket at which people and robots ask. */
typedef struct {
    char endpoint[POV_ENDPOINT_CAPACITY]; /* "": nowhere */
    char keys[POV_STATION_PATH_CAPACITY]; /* folder of keys; "": this user's */
    bool insecure;                        /* anyone may ask, from other machines, too */
    double stale_after_s;                 /* an older image is not acted on */
} pov_station_asking;

/** Commands of the shell; "": none. */
typedef struct {
    char listen[POV_STATION_PATH_CAPACITY]; /* prints what it hears, a line each */
    char say[POV_STATION_PATH_CAPACITY];    /* reads what to say, a line each */
} pov_station_speech;

/** A part for each stage; stages borrow theirs. The section `vlm` is checked, and read by its client alone
 *  (pov_vlm_config_open). */
typedef struct {
    int camera_len, camera_index; /* these four and the masks are of this camera: pov_station_look_through */
    pov_station_source source;
    pov_camera camera;
    pov_station_calibration calibration;
    pov_station_place place;
    pov_station_camera cameras[POV_CAMERA_MAX];
    pov_finder_settings finders;
    pov_cast cast;
    pov_station_body_files bodies;
    pov_tracking track;
    pov_record_config record;
    pov_http_place foxglove; /* where Foxglove connects */
    pov_ros2_settings ros2;
    pov_station_turntable turntable;
    bool has_north;
    double north_yaw_rad;
    pov_station_judging judge;
    pov_station_publishing publish;
    pov_station_asking ask;
    pov_station_comparing compare;
    pov_station_speech speech;
} pov_station;

/** Reads a station file and the calibration and tag map it names (paths relative to it).
 *  Errors name file, line, key and how to mend it; on error the station is not to be used. A station of several cameras is an
 *  error: for commands that take one. */
POV_MUST_USE pov_status pov_station_read(pov_station *station, const char *path);
/** The same of any number of cameras, and from memory; `name` stands for the path in messages and for relative paths. text NULL:
 *  the file at that path. */
POV_MUST_USE pov_status pov_station_parse(pov_station *station, const char *name, const char *text,
                                          size_t length);

/** Reads the section `turntable`, once the tags have been read. Complaints stick to the node's file. */
void pov_station_read_turntable(pov_station *station, pov_yaml_node node);

/** Whether a camera's images are drawn: by the simulator, or in a folder that 'pov sim' made: `truth.jsonl` is in the folder above it. */
bool pov_station_is_simulated(const pov_station *station);
/** Which of its cameras has the id; -1: none. */
int pov_station_find_camera(const pov_station *station, const char *id);
/** Makes one of its cameras the one that `source`, `camera`, `calibration`, `place` and the masks are of. */
void pov_station_look_through(pov_station *station, int camera);
/** Keeps what has become of these since. */
void pov_station_keep_camera(pov_station *station);

/** Reads the section `publish`; without it, the defaults. Complaints stick to the node's file. */
/** For a comparison that is not live: each message counts, however late it is. */
void pov_station_keep_messages(pov_station_publishing *publish);
void pov_station_read_publishing(pov_station_publishing *publish, pov_yaml_node node);

/** A pinhole of square pixels with the station's horizontal field of view, for images of this size: in place of a
 *  calibration. */
pov_camera pov_station_guess_camera(const pov_station *station, int width_px, int height_px);
