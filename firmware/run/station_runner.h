/** A running station: source, pipeline, publisher and the other outputs, one image after the other. */
#pragma once

#include "firmware/outputs/outputs.h"
#include "firmware/ros2/ros2_hearer.h"
#include "firmware/run/live_asking.h"
#include "firmware/run/pace.h"
#include "firmware/station/station.h"
#include "perception/image/image_source.h"

typedef struct {
    pov_outputs_config outputs;
    pov_live_asking *live;   /* models are asked about the images; NULL: none; borrowed */
    pov_ros2_hearer *hearer; /* tells the camera's pose and things' places; NULL: none; borrowed */
    bool reads_ahead;        /* on a thread of its own, which looks for tags, too */
    int wait_subscribers;    /* hold the first image until there are this many subscriptions */
    int64_t image_max;       /* stop after this many images; 0: when the source ends */
    bool progress;           /* a bar on stderr if that is a terminal */
} pov_station_run_config;

typedef struct {
    uint64_t processed, skipped, lost;
    uint64_t unannotated;   /* judged, but the annotated image could not be written */
    uint64_t sent, dropped; /* messages, over all subscribers */
    double seconds;
    double took_p50_s,
        took_p99_s; /* from an image in memory to its judgments on the wire; a wait for the image before included */
    bool is_timely; /* the source is live, or played as if it were: only then do the next two mean anything */
    double age_p50_s, age_p99_s; /* from the middle of the exposure to there */
    int first_len; /* images at the start of a video, which are searched whole and not in the four above */
    double first_max_s;  /* the longest latency of these */
    uint64_t first_lost; /* of `lost`, those while these were judged */
    int64_t stage_ns[POV_STATION_STAGE_COUNT];
    uint64_t found[POV_CAST_MAX]; /* images that show each member of the cast */
    uint64_t located; /* images whose mapped tags give the camera's pose, or contradict one another */
} pov_station_summary;

/** Takes the sources, one for each of the station's cameras. Runs until they end, image_max is reached, or a stop is asked for (pov_cli_stop_requested). Images
 * that cannot be used are warned of and skipped, and so are annotated images that cannot be written. POV_ERROR if another
 * output or the source failed; the summary holds anyway. A guessed camera of no size becomes that of the images. */
POV_MUST_USE pov_status pov_station_run(pov_station_summary *summary, pov_station *station,
                                        pov_image_source **sources, const pov_station_run_config *config);

/** Replaces the source by one of the command line: a folder, a file or a recording of images, or a camera; NULL: neither. Then
 *  looks whether it is a recording. */
void pov_station_source_replace(pov_station_source *source, const char *images, const char *camera);
/** Judging a camera late helps nobody: an image that waits gives way to a newer one. A folder's images are all wanted, unless
 *  it is live. */
bool pov_station_source_is_live(const pov_station_source *source);
/** Opens the source that a station names. */
POV_MUST_USE pov_status pov_station_open_source(pov_image_source **source, const pov_station_source *config);

/** Opens those of all its cameras, or none. start: all zero, must outlive them. */
POV_MUST_USE pov_status pov_station_open_sources(pov_image_source **sources, const pov_station *station,
                                                 pov_shared_start *start);

/** The station's cameras as recordings and Foxglove name them; their ids are borrowed. Returns their number, 0 of one camera. */
int pov_station_recorded_cameras(pov_recorded_camera cameras[POV_CAMERA_MAX], const pov_station *station);

/** Begins the recording that the station names; NULL: it names none. Warnings go there, too.
 *  In:  path: of the station file, borrowed until the end. is_video: things are tracked from image to image. */
POV_MUST_USE pov_status pov_station_record(pov_recorder **recorder, const pov_station *station,
                                           const char *path, bool is_video);
/** Ends it, and tells people. Returns the exit code: `code`, unless that is 0 and the recording lacks something. */
int pov_station_record_end(pov_recorder **recorder, int code, bool tells);
