/** Records a running station to MCAP files, on a thread of its own: what a slow or full disk costs is counted, and is never a
 *  judgment on the wire. docs/RECORDING.md describes the files. */
#pragma once

#include "perception/geometry/camera.h"
#include "perception/image/image.h"
#include "perception/status.h"
#include "protocol/recording/recording.h"

typedef enum {
    POV_RECORD_ALL,
    POV_RECORD_CHANGED,
    POV_RECORD_NEVER,
    POV_RECORD_IMAGES_COUNT
} pov_record_images;
/** "all", "changed", "never". */
const char *pov_record_images_name(int images);

/** Causes to keep the last seconds. */
typedef enum {
    POV_RECORD_DISAGREEMENT, /* tags contradict the calibration or the tag map; a model's answer the geometry */
    POV_RECORD_MOVED_TAG,
    POV_RECORD_LOST, /* the camera's pose, or something that was tracked */
    POV_RECORD_KEY,  /* R in the terminal, or SIGUSR1 */
    POV_RECORD_CAUSE_COUNT
} pov_record_cause;
/** "disagreement", "moved_tag", "lost", "key". */
const char *pov_record_cause_name(int cause);

enum { POV_RECORD_PATH_CAPACITY = 1024 };

typedef struct {
    char path
        [POV_RECORD_PATH_CAPACITY]; /* a .mcap file that is not there yet, or a folder; "": nothing is recorded */
    pov_record_images images;
    int jpeg_quality;  /* of images that did not come as a file; 0: PNG */
    int split_mb;      /* a new file after so many; 0: one file */
    double keep_hours; /* older recordings of the folder are removed; 0: never */
    bool when
        [POV_RECORD_CAUSE_COUNT]; /* none: all is recorded; else a black box: the seconds around a cause */
    double before_s, after_s;     /* of a black box */
    int memory_mb;                /* of a black box: its ring; what does not fit is left out, oldest first */
} pov_record_config;
#define POV_RECORD_DEFAULT                                                                                   \
    {                                                                                                        \
        .images = POV_RECORD_ALL, .jpeg_quality = 90, .before_s = 10, .after_s = 5, .memory_mb = 64          \
    }

/** The facts that are known from the start; the strings are borrowed until the end. */
typedef struct {
    const char *station; /* its file's path; it and the files that it names are attached */
    const char *source;  /* "folder", "libcamera", "simulator" */
    int camera_len;      /* of several cameras; 0: there is one */
    pov_recorded_camera cameras[POV_CAMERA_MAX];
    bool is_video; /* images come at a rate, and judgments depend on the ones before */
    bool
        is_patient; /* nobody is late if the caller waits: for a slow disk up to 10 s, then images are lost */
} pov_record_session;

typedef struct {
    uint64_t images, messages;           /* in the files */
    uint64_t images_lost, messages_lost; /* the disk was too slow, or full */
    uint64_t bytes;
    int files;
} pov_record_statistics;

typedef struct pov_recorder pov_recorder;

/** Makes the first file with its attachments, a black box at its first cause. Errors: the path is taken, or cannot be written. */
POV_MUST_USE pov_status pov_recorder_new(pov_recorder **recorder, const pov_record_config *config,
                                         const pov_record_session *session);
/** Writes what is queued, and ends the file; one in which nothing was recorded is removed. Out: statistics, unless NULL.
 *  Returns: POV_ERROR if the file has no index, or anything was lost. */
POV_MUST_USE pov_status pov_recorder_end(pov_recorder **recorder, pov_record_statistics *statistics);

/** These copy and return at once, unless the session is patient. From one thread. */
void pov_recorder_image(pov_recorder *recorder, const pov_image *image);
void pov_recorder_message(pov_recorder *recorder, pov_recorded topic, const uint8_t *bytes, size_t len);
/** The intrinsics in use of a camera, by its place in the station; repeated in the file each second. */
void pov_recorder_camera(pov_recorder *recorder, const pov_camera *camera, int index);
/** From any thread; the first 1023 bytes count. */
void pov_recorder_log(pov_recorder *recorder, const char *severity, const char *text);
/** From any thread: what happened around the station, such as a study's trial. Recorder: may be NULL. */
void pov_recorder_mark(pov_recorder *recorder, const char *format, ...) __attribute__((format(printf, 2, 3)));

/** Whether the black box waits for this cause. */
bool pov_recorder_waits_for(const pov_recorder *recorder, pov_record_cause cause);
/** A black box writes the seconds before and after now to a file, and `why` as a log line; as the functions above. While it
 *  does so, another cause makes the file longer. */
void pov_recorder_keep(pov_recorder *recorder, const char *why);

/** News of the disk for people: true once for each. */
bool pov_recorder_news(pov_recorder *recorder, char text[POV_MESSAGE_CAPACITY]);
