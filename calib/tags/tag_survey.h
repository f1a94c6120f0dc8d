/** A map of tags from images in which they are seen together: bundle adjustment over tags and cameras, with the covariance
 *  of each tag, and what is wrong or missing in words. */
#pragma once

#include "perception/geometry/camera.h"
#include "perception/geometry/tag.h"
#include "perception/image/image.h"
#include "perception/lens/lens_spread.h"

enum {
    POV_SURVEY_VIEW_MAX = 1000,
    POV_SURVEY_SIGHTING_MAX = 20000,
    POV_SURVEY_EDGE_MAX = 32,
    POV_SURVEY_CAMERA_MAX = 8,
    POV_SURVEY_WHY_CAPACITY = 240
};

/** The size of tags `first` to `last`. */
typedef struct {
    int first_id, last_id;
    double edge_m;
} pov_survey_edge;

typedef struct {
    int camera_len; /* 0: one camera, which goes around: each image is from another place. Else so many that stay: one view each */
    pov_camera cameras[POV_SURVEY_CAMERA_MAX];
    pov_lens_covariance lenses[POV_SURVEY_CAMERA_MAX]; /* how well each is known; len 0: exactly */
    pov_tag_family family;                             /* of fixed_id, and of tags whose size `edges` say */
    bool has_fixed;
    int fixed_id;  /* held at the origin of the table frame, or where `known` has it */
    double edge_m; /* of tags that neither `edges` nor `known` name; NaN: not given */
    int edge_len;
    pov_survey_edge edges[POV_SURVEY_EDGE_MAX];
    pov_tag_map known; /* where some tags are: held if without covariance, else drawn there */
    pov_tag_map
        board; /* carried through the views of cameras that stay: its tags in a frame of its own; len 0: none */
} pov_survey_config;

typedef enum {
    POV_SURVEY_MAPPED,
    POV_SURVEY_HELD,       /* where it is given to be */
    POV_SURVEY_NOT_LINKED, /* no chain of images leads to it */
    POV_SURVEY_AMBIGUOUS,  /* its mirrored pose fits nearly as well */
    POV_SURVEY_MOVED,      /* it was in more than one place, or not where it is known to be */
    POV_SURVEY_OUTCOME_COUNT
} pov_survey_outcome;

typedef struct {
    pov_tag_map_entry entry; /* T_table_tag holds if mapped or held; of a carried board, the board's frame */
    int instant;             /* at which it was carried there, from 1: then it is in no map; 0: it stays */
    pov_survey_outcome outcome;
    bool is_known;
    pov_pose known_T_table_tag;
    int seen_len, used_len;            /* images */
    double rms_px;                     /* of its corners where it is used; NaN: nowhere */
    char why[POV_SURVEY_WHY_CAPACITY]; /* it is not in the map: what to do; "" if it is */
    double
        measured_edge_m; /* of one that fits nowhere, by two or more images' rays to its corners; NaN: not known */
} pov_survey_tag;

typedef struct {
    char name[POV_IMAGE_NAME_CAPACITY];
    int camera;                             /* whose image it is */
    int first_sighting, seen_len, used_len; /* tags */
    bool located;
    pov_pose
        T_table_camera; /* holds if located; of a camera that stays, its covariance is that of the whole adjustment */
    bool is_ambiguous; /* its mirrored pose fits nearly as well */
    double rms_px;     /* NaN: not used */
    bool is_left_out;  /* the user does not want it */
    char why[80];      /* it is not used; "" if it is */
} pov_survey_view;

/** A tag in an image. */
typedef struct {
    int view, tag;
    pov_tag seen;
    double edge_m;
    pov_transform T_body_tag; /* where it is on what is carried; identity of all others */
    bool used, is_twice;      /* there are two of its kind in the image: neither is used */
    double rms_px; /* from where the map and the image's pose have it; NaN: one of them is not known */
} pov_survey_sighting;

typedef struct {
    bool is_mapped;
    char why[POV_MESSAGE_CAPACITY];         /* there is no map; "" if there is */
    int tag_len, view_len, sighting_len;    /* sightings: by view */
    int mapped_len;                         /* tags in the map, held ones included */
    int used_view_len, used_len, stray_len; /* stray: a mapped tag in a located image that does not fit */
    double rms_px;                          /* sqrt of the mean squared distance of used corners */
    double noise_px;                        /* standard deviation of one coordinate, from the residuals */
    const pov_survey_tag *tags;
    const pov_survey_view *views;
    const pov_survey_sighting *sightings;
} pov_survey_report;

/** "mapped", "held", "not_linked", "ambiguous", "moved". */
const char *pov_survey_outcome_name(pov_survey_outcome value);

typedef struct pov_tag_survey pov_tag_survey;

pov_tag_survey *pov_tag_survey_new(const pov_survey_config *config);
void pov_tag_survey_destroy(pov_tag_survey **survey);

/** Adds the tags of one image. POV_ERROR, naming the image, if there are too many, or a tag's size is not known. */
POV_MUST_USE pov_status pov_tag_survey_add(pov_tag_survey *survey, const char *name, const pov_tags *tags);

/** A tag that a camera that stays has seen, in one image or in the mean of several. */
typedef struct {
    pov_tag tag;
    int instant; /* at which it was carried there, from 1; 0: it stays */
} pov_survey_seen;

/** Finds a tag's edge in the configuration; a carried tag's is looked for in the board first. NaN: not given. */
double pov_survey_edge_of(const pov_survey_config *config, const pov_tag *tag, bool is_carried);

/** Adds all that a still camera has seen, POV_TAG_MAX tags at most, as pov_tag_survey_add does. At each instant a carried thing is in one
 *  place for all cameras: the board of the config, or a tag by itself. In: name: the camera's. */
POV_MUST_USE pov_status pov_tag_survey_add_camera(pov_tag_survey *survey, int camera, const char *name,
                                                  const pov_survey_seen *seen, int len);

/** Names an image that is not to be used. */
POV_MUST_USE pov_status pov_tag_survey_leave_out(pov_tag_survey *survey, const char *name);

/** Finds where all tags are.
 *  Returns: POV_OK if at least one tag could be placed; POV_UNDEFINED, saying what is missing, if none. The report's tags
 *           say why the others are not in the map.
 *  Method:  grows from the held and known tags over images: each candidate pose of a tag by one image (both ways that a
 *           square may be tilted) is judged by all images that see it, and taken once it is 100 times as likely as any other.
 *           In between and at last, Levenberg-Marquardt with Huber's loss over all tags and cameras, cameras eliminated
 *           (pose_block.h). Noise is estimated from the residuals; sightings beyond chi-square 8's 1 - 1e-4 point are
 *           strays. Dropped tags in images, images and tags that seemed to move are taken back where they fit the final map
 *           (readmission.h). Tags in one plane are proposed as a panel, whose error they share. Covariances hold what the given tags' and the lens's do; what the lens does to all tags alike
 *           counts for each as its own. No allocation. */
POV_MUST_USE pov_status pov_tag_survey_run(pov_tag_survey *survey);

/** For the report, if images are refused before any run. */
void pov_tag_survey_refuse(pov_tag_survey *survey, const char *why);

const pov_survey_report *pov_tag_survey_report(const pov_tag_survey *survey);
/** The tags that stay and have a place. */
void pov_tag_survey_map(const pov_tag_survey *survey, pov_tag_map *map);
/** The map's entry of what was seen: of what is carried, where it was at that instant. */
pov_tag_map_entry pov_survey_entry_of(const pov_survey_report *report, const pov_survey_sighting *seen);
