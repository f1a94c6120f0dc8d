/** All results of one image: the pipeline publishes, records and prints them. Plain data. */
#pragma once

#include "perception/geometry/tag.h"
#include "perception/image/image.h"
#include "perception/relations/relation.h"
#include "perception/scene/scene.h"
#include "perception/visibility/layout.h"
#include "perception/visibility/visibility.h"

enum {
    POV_DIRECTED_MAX = 10240, /* every ordered pair of fifty things, in the four frames of one relation */
    POV_JUDGMENT_MAX = 2 * POV_DIRECTED_MAX,
    POV_SIGHT_MAX = 512,
    POV_DIRECTION_MAX = 512,
    POV_VIEW_MAX = 8
};

/** The origin of the camera's pose of this image. */
typedef enum {
    POV_POSE_UNKNOWN,
    POV_POSE_GIVEN, /* from the station file */
    POV_POSE_FROM_TAGS,
    POV_POSE_AMBIGUOUS, /* from tags that two poses fit: judgments hold for both, or abstain */
    POV_POSE_TOLD,      /* by the robot's transforms, without tags */
    POV_POSE_SOURCE_COUNT
} pov_pose_source;

/** A camera's pose that fits the tags, and the probability that it is the true one. */
typedef struct {
    double probability;
    pov_pose T_table_camera;
} pov_pose_candidate;

enum { POV_POSE_CANDIDATE_MAX = 2 };

typedef struct {
    char name[POV_IMAGE_NAME_CAPACITY];
    char camera[POV_NAME_CAPACITY]; /* id of the one that took it; "": the station has one, without an id */
    uint32_t sequence;
    int64_t capture_ns; /* middle of the exposure, UNIX epoch */
    int width_px, height_px;
    uint64_t calibration_hash; /* pov_camera_hash of the intrinsics used */
    pov_pose_source pose_source;
    pov_pose
        T_table_camera; /* NaN if unknown; ambiguous: the likelier, its covariance reaching to the other */
    int candidate_len;  /* 0, or 2 where another pose fits the tags, too; likelier first */
    pov_pose_candidate candidates[POV_POSE_CANDIDATE_MAX];
} pov_image_header;

/** A tag in the image and what became of it. */
typedef struct {
    pov_tag tag;
    pov_tag_outcome outcome;
    double
        residual_px; /* RMS of its corners against the map and the camera's pose; NaN: not mapped, or no pose */
    bool is_mapped;
    pov_vec3 map_corner_m[4]; /* where the map has its corners, in the table frame; valid if is_mapped */
} pov_observed_tag;

/** The check of the camera's calibration: perception/lens/lens_watch.h. */
typedef struct {
    bool known; /* there are enough images, and their tags tell */
    double zoom,
        zoom_std;  /* the focal length that the tags ask for, as a share of the calibration's; 1: it holds */
    double misfit; /* mean square of the tags' residuals over what was expected of them */
    bool stale;    /* the focal length is off beyond doubt, or the tags are */
} pov_lens_health;

/** The angle of the station's turntable. */
typedef struct {
    bool known;                /* the station has a measured turntable, and its tags tell */
    double angle_rad, std_rad; /* counter-clockwise from its zero, in [0, 2 pi); NaN if not known */
    int tag_len;               /* that it rests on */
} pov_observed_turntable;

/** On which side of a viewer's heading a target is. */
typedef struct {
    pov_id viewer, target;
    pov_side_judgment side;
} pov_observed_direction;

/** The layout of all things ahead of a viewer, seen from there. */
typedef struct {
    pov_id viewer;
    pov_order left_to_right, near_to_far;
} pov_observed_view;

typedef struct {
    pov_image_header image;
    int tag_len;
    bool tags_truncated;
    pov_observed_tag tags[POV_TAG_MAX];
    pov_observed_turntable turntable;
    pov_lens_health lens; /* not known: the camera's pose is not by mapped tags, or too few images yet */
    pov_scene scene;
    int judgment_len,
        directed_len; /* the first directed_len judgments are of directions, the others are not */
    bool directed_truncated, others_truncated;
    pov_judgment judgments[POV_JUDGMENT_MAX]; /* at most POV_DIRECTED_MAX of either kind */
    int sight_len;
    bool sights_truncated;
    pov_visibility sights[POV_SIGHT_MAX]; /* by viewer, then target */
    int direction_len;
    bool directions_truncated;
    pov_observed_direction directions[POV_DIRECTION_MAX]; /* by viewer, then target */
    int view_len;
    bool views_truncated;
    pov_observed_view views[POV_VIEW_MAX];
} pov_observation;

enum { POV_MOVED_TAG_MAX = 16, POV_STAGE_TIME_MAX = 16, POV_STAGE_NAME_CAPACITY = 24 };

/** The time that one part of the pipeline took for an image. */
typedef struct {
    char name[POV_STAGE_NAME_CAPACITY];
    double mean_s, max_s;
} pov_stage_time;

enum {
    POV_ASKED_MODEL_MAX = 8,
    POV_RUNNING_AGREEMENT_MAX = 128,
    POV_MODEL_NAME_CAPACITY = 96,
    POV_MODEL_TEXT_CAPACITY = 256,
    POV_CONDITION_CAPACITY = 64
};

/** A model that is asked live; counts are of questions. */
typedef struct {
    char model[POV_MODEL_NAME_CAPACITY], hosts[POV_MODEL_TEXT_CAPACITY];
    bool leaves; /* images leave this machine */
    uint64_t asked, answered, unscored, failed;
    uint32_t under_way, waiting;
    uint64_t unasked, stale; /* not asked: too many waited; they had waited for too long */
    double cost;
    char ended[POV_MODEL_TEXT_CAPACITY]; /* why nothing more is asked of it; "": it goes on */
} pov_asked_model;

/** How often a model agreed with geometry in one frame of reference. */
typedef struct {
    char model[POV_MODEL_NAME_CAPACITY], frame[POV_CONDITION_CAPACITY], condition[POV_CONDITION_CAPACITY];
    uint64_t agreed, compared;
} pov_running_agreement;

enum { POV_TROUBLE_CAPACITY = 256 };

/** One of a station's cameras. */
typedef struct {
    char camera[POV_NAME_CAPACITY];
    uint64_t images, lost;
    bool left_out;                      /* the scene does without it, because of: */
    char trouble[POV_TROUBLE_CAPACITY]; /* "": none */
    double moved_m, turned_rad; /* off where it is said to be, by what the others see; NaN: not in doubt */
    double clock_offset_s,
        clock_std_s; /* of another process's: its clock less this machine's; NaN: not known, or this process's */
} pov_camera_health;

/** The pipeline's counts since its start. */
typedef struct {
    int64_t now_ns; /* UNIX epoch */
    uint64_t images_processed, images_skipped, images_lost;
    uint64_t camera_reconnects;
    double rate_hz;                      /* images processed, over the last second or so */
    double latency_p50_s, latency_p99_s; /* end of reading an image to its judgments handed to the wire */
    uint32_t subscribers;
    uint64_t messages_sent, messages_lost; /* over all subscribers */
    uint64_t refused;                      /* subscriptions and connections, refused or cut off */
    int moved_tag_len;                     /* tags that are not where the map has them */
    pov_moved_tag moved_tags[POV_MOVED_TAG_MAX];
    int stage_len; /* of the images since the last time; none: there were none */
    pov_stage_time stages[POV_STAGE_TIME_MAX];
    uint32_t images_waiting;   /* read, and not judged yet */
    uint32_t messages_waiting; /* of the subscription that is farthest behind */
    int model_len;             /* asked live */
    pov_asked_model models[POV_ASKED_MODEL_MAX];
    int agreement_len;
    bool agreements_truncated;
    pov_running_agreement agreements[POV_RUNNING_AGREEMENT_MAX];
    uint64_t images_unasked; /* not asked about, because the one before was still being stored */
    char tf_missing
        [POV_MODEL_TEXT_CAPACITY]; /* why the robot's transforms do not tell the camera's pose; "": they do, or are not wanted */
    double tf_off_m, tf_off_rad; /* from where they put the camera to where the tags do; NaN: not known */
    bool tf_disagrees;           /* more than is stated of both */
    int64_t monotonic_offset_ns; /* CLOCK_REALTIME less CLOCK_MONOTONIC at now_ns; 0: not told */
    double clock_error_s;        /* of this machine's clock, by the kernel; NaN: nothing synchronises it */
    int camera_len;              /* 0: the only camera has no id */
    pov_camera_health cameras[POV_CAMERA_MAX];
} pov_health;

/** "unknown", "given", "tags", "ambiguous". */
const char *pov_pose_source_name(pov_pose_source value);

/** Marks the viewers of the sights as able to see, in all directions: neither a message nor its JSON tells the field of view. */
void pov_scene_mark_viewers(pov_scene *scene, const pov_visibility *sights, int len);

/** Mixes two observations of an image that two camera poses fit: one for each pose.
 *  In/out:  likelier: its judgments, sights and directions keep their verdict where the other pose gives the same,
 *           else abstain; probabilities are the mixture's. Views are removed: an order holds for one pose only.
 *  In:      other: of the same image, cast and questions. If the two have different entities (a ball found in one only),
 *           everything abstains. p_likelier in [0, 1]. */
void pov_observation_mix(pov_observation *likelier, const pov_observation *other, double p_likelier);

/** A pose whose covariance reaches from the likelier of two candidates to the other: second moment about the likelier. */
pov_pose pov_pose_reaching(const pov_pose_candidate candidates[2]);
