/** One image's way to its judgments: finders, camera pose, scene, tracks, relations, visibility. */
#pragma once

#include "firmware/station/station.h"
#include "perception/cast/scene_fusion.h"
#include "perception/observation/observation.h"
#include "perception/tags/pose_doubt.h"
#include "perception/tags/tag_reconcile.h"

typedef struct pov_pipeline pov_pipeline;

/** Allocates all that the station's stages need. The station is borrowed. */
POV_MUST_USE pov_status pov_pipeline_new(pov_pipeline **pipeline, const pov_station *station);
/** Its scenes are those of several cameras from now on: it is the one of that number. The fusion is borrowed, and used only by
 *  pov_pipeline_run. */
void pov_pipeline_join(pov_pipeline *pipeline, pov_scene_fusion *fusion, int camera);
/** Keeps what this camera alone knows of the images from now on, as other stations want it; one in another process keeps nothing. */
void pov_pipeline_keep_view(pov_pipeline *pipeline, bool keeps);
/** That of the last image, with the map's corners of its tags; NULL: it is not kept. */
const pov_observation *pov_pipeline_view(const pov_pipeline *pipeline);
/** Puts a surveyed member of the cast elsewhere, in the images from now on; NULL: its place, or its front, stays. False: no member
 *  of that name is surveyed. pov_pipeline_unseat: all are where the station file says. */
bool pov_pipeline_seat(pov_pipeline *pipeline, const char *name, const pov_vec3 *at_m, bool has_height,
                       const double *front_rad);
void pov_pipeline_unseat(pov_pipeline *pipeline);
void pov_pipeline_destroy(pov_pipeline **pipeline);

/** The part of an image's work that can run while the image before it is judged: its tags. */
typedef struct {
    bool is_done;              /* false: the image is of a wrong size */
    int64_t begun_ns, took_ns; /* by the monotonic clock */
    int64_t searched_ns;       /* pov_pipeline_search_ahead of the image before */
    pov_tags tags;
    uint8_t grey[]; /* of all pixels */
} pov_prepared;

size_t pov_prepared_bytes(const pov_station *station);

/** Looks for tags in the next image, on a thread of its own beside pov_pipeline_run. From then on every image must be
 *  prepared, in their order, and come to pov_pipeline_run with `prepared`, or not at all. `pipeline`: pov_pipeline;
 *  `prepared`: pov_prepared. */
POV_MUST_USE pov_status pov_pipeline_prepare(void *pipeline, void *prepared, pov_image *image);
/** On that thread, once the prepared image is on its way, and where time allows once it is judged: searches it for other tags,
 *  which the next image has the use of. */
POV_MUST_USE pov_status pov_pipeline_search_ahead(void *pipeline, const pov_image *image);

/** Judges one image.
 *  Returns: POV_OK; POV_SKIPPED if the image is not of the calibration's size; POV_ERROR if a stage failed.
 */
POV_MUST_USE pov_status pov_pipeline_run(pov_pipeline *pipeline, pov_observation *observation,
                                         const pov_image *image);

/** After pov_pipeline_run of the same image, once its judgments are sent: searches it further for what is missing, and notes
 *  what the next image is expected to show. Without this call nothing of the image is remembered. */
/** Before: images wait for the station, so that searches that may wait do. */
void pov_pipeline_tell_late(pov_pipeline *pipeline, bool is_late);
POV_MUST_USE pov_status pov_pipeline_remember(pov_pipeline *pipeline, const pov_image *image);

/** Whether images come at a rate, each after the one before. */
bool pov_pipeline_video_source(const pov_station_source *source);
bool pov_pipeline_is_video(const pov_pipeline *pipeline);

/** What other programs tell of the time of the next image; without it, of the one before. */
void pov_pipeline_tell(pov_pipeline *pipeline, const pov_heard *heard);
/** The distance of the camera's pose by the tags from what was told, over the images with both. */
pov_pose_offset pov_pipeline_told_offset(const pov_pipeline *pipeline);
/** The same of a pose from the station file; its camera has no pose while the tags contradict it. */
pov_pose_offset pov_pipeline_given_offset(const pov_pipeline *pipeline);
/** Tags show that a camera's given pose is its own, so that its cable is not swapped: told to all cameras' pipelines. */
void pov_pipeline_confirm(pov_pipeline *pipeline);
bool pov_pipeline_waits_for_witness(const pov_pipeline *pipeline);

/** The parts of a run, in their order. */
typedef enum {
    POV_STAGE_TAGS, /* and the camera's pose, the turntable's angle */
    POV_STAGE_FINDING,
    POV_STAGE_TRACKING,  /* and the scene */
    POV_STAGE_RELATIONS, /* and directions */
    POV_STAGE_SIGHT,
    POV_STAGE_SEARCH, /* for what is missing, after the judgments are sent */
    POV_STAGE_COUNT
} pov_pipeline_stage;
/** "tags", "finding", "tracking", "relations", "who sees what", "searching on". */
const char *pov_pipeline_stage_name(pov_pipeline_stage value);
/** The duration of each stage in the last run. */
const int64_t *pov_pipeline_stage_ns(const pov_pipeline *pipeline);

/** The findings of the last run. */
const pov_findings *pov_pipeline_findings(const pov_pipeline *pipeline);

/** Lists the tags that images see elsewhere than the map has them, at most `capacity`; returns how many. */
int pov_pipeline_moved_tags(const pov_pipeline *pipeline, pov_moved_tag *list, int capacity);

/** The error of the tag map that the first misfitting images show. */
const pov_map_doubt *pov_pipeline_map_doubt(const pov_pipeline *pipeline);
