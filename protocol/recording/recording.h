/** A recording of a station: which topics an MCAP file of pov has, its messages packed and unpacked. docs/RECORDING.md is for
 *  readers in other languages. */
#pragma once

#include "perception/geometry/camera.h"
#include "perception/image/image.h"
#include "protocol/recording/mcap_reader.h"
#include "protocol/recording/mcap_writer.h"

/** The topics. The first four are messages as on the wire, under the wire's names. */
typedef enum {
    POV_RECORDED_OBSERVATION,
    POV_RECORDED_SCENE,
    POV_RECORDED_HEALTH,
    POV_RECORDED_ASK,
    POV_RECORDED_HEADER, /* of the image that follows: pov.ImageHeader */
    POV_RECORDED_IMAGE,
    POV_RECORDED_CALIBRATION,
    POV_RECORDED_TRANSFORMS, /* these three show an observation in Foxglove's panels: foxglove_views.h */
    POV_RECORDED_THINGS,
    POV_RECORDED_ANNOTATIONS,
    POV_RECORDED_LOG,
    POV_RECORDED_MARKER, /* what happened around the station: a study's trials, a sweep's questions */
    POV_RECORDED_VLM,    /* as on the wire, too: questions to a model, and its answers */
    POV_RECORDED_COUNT
} pov_recorded;

const char *pov_recorded_topic(pov_recorded topic);
/** POV_RECORDED_COUNT: it is none of them. */
pov_recorded pov_recorded_find(const char *topic);

/** Metadata of this name says what made the recording. */
#define POV_RECORDING_SESSION "pov.session"

/** One of several cameras, whose images, headers, calibrations and annotations have topics of their own: /camera/ID/image. */
typedef struct {
    int number;     /* from 1; 0: the only camera, whose topics are /camera/image, ... */
    const char *id; /* valid with a number */
} pov_recorded_camera;
extern const pov_recorded_camera pov_recorded_only_camera;

/** The channel of a topic, of one camera where there are several. */
uint16_t pov_recorded_channel(pov_recorded topic, const pov_recorded_camera *camera);
/** The topic of a channel that pov_recorded_channel numbered. */
pov_recorded pov_recorded_of_channel(uint16_t channel);

/** The topic that one of several cameras' is: "/camera/ID/image" is an image. Out: id; "": it is of none of several cameras. */
pov_recorded pov_recorded_find_camera(char id[POV_IMAGE_NAME_CAPACITY], const char *topic);

enum { POV_RECORDED_CHANNEL_MAX = POV_RECORDED_COUNT * (1 + POV_CAMERA_MAX) };
/** A channel, and the camera whose it is. */
typedef struct {
    pov_recorded topic;
    const pov_recorded_camera *camera;
} pov_recorded_place;
/** All channels; of several cameras (len > 1), those of each. Returns their number. */
int pov_recorded_places(pov_recorded_place places[POV_RECORDED_CHANNEL_MAX],
                        const pov_recorded_camera *cameras, int len);
enum { POV_RECORDED_TOPIC_CAPACITY = POV_IMAGE_NAME_CAPACITY + 64 };
/** How a channel and its schema are told to readers. name: room for the channel's topic; else strings and bytes are constants. */
void pov_recorded_describe(pov_mcap_channel *channel, pov_mcap_schema *schema,
                           char name[POV_RECORDED_TOPIC_CAPACITY], const pov_recorded_place *place);

/** Writes all schemas and channels; of several cameras (len > 1), those of each. */
POV_MUST_USE pov_status pov_recording_begin(pov_mcap_writer *writer, const pov_recorded_camera *cameras,
                                            int len);

/** An image as it came from a camera or file, or as the recorder coded it. */
typedef struct {
    char name[POV_IMAGE_NAME_CAPACITY];
    char camera[POV_IMAGE_NAME_CAPACITY]; /* its id; "": the only one */
    uint32_t sequence;
    int64_t capture_ns;
    int width_px, height_px;
    const uint8_t *bytes; /* of a JPEG or PNG file */
    size_t len;
} pov_recorded_image;

/** Room for a message. */
typedef struct pov_recording_packer pov_recording_packer;
POV_MUST_USE pov_status pov_recording_packer_new(pov_recording_packer **packer);
void pov_recording_packer_destroy(pov_recording_packer **packer);

/** Each packs one message; bytes are borrowed until the next call. POV_ERROR: out of memory. */
POV_MUST_USE pov_status pov_recording_pack_header(pov_recording_packer *packer, pov_mcap_message *message,
                                                  const pov_recorded_image *image,
                                                  const pov_recorded_camera *of);
POV_MUST_USE pov_status pov_recording_pack_image(pov_recording_packer *packer, pov_mcap_message *message,
                                                 const pov_recorded_image *image,
                                                 const pov_recorded_camera *of);
POV_MUST_USE pov_status pov_recording_pack_calibration(pov_recording_packer *packer,
                                                       pov_mcap_message *message, const pov_camera *camera,
                                                       const pov_recorded_camera *of, int64_t now_ns);
/** A line of POV_RECORDED_LOG or POV_RECORDED_MARKER. severity: "info", "warning" or "error". */
POV_MUST_USE pov_status pov_recording_pack_line(pov_recording_packer *packer, pov_mcap_message *message,
                                                pov_recorded topic, const char *severity, const char *text);

/** A recording that is read. */
typedef struct pov_recording pov_recording;

/** Whether a file begins as MCAP files do. */
bool pov_recording_is_one(const char *path);
POV_MUST_USE pov_status pov_recording_open(pov_recording **recording, const char *path);
void pov_recording_close(pov_recording **recording);
pov_mcap_reader *pov_recording_reader(pov_recording *recording);

/** POV_ERROR if it holds images of several cameras, for what takes one: "pov export --csv". */
POV_MUST_USE pov_status pov_recording_check_camera(const pov_recording *recording, const char *what);

/** One message, and the topic it is of; POV_RECORDED_COUNT: of another program. */
typedef struct {
    pov_recorded topic;
    char camera[POV_IMAGE_NAME_CAPACITY]; /* the id of one of several cameras that it is of; "": none */
    pov_mcap_message message;
    pov_recorded_image image; /* of POV_RECORDED_IMAGE; foxglove.CompressedImage of any topic counts as one */
    const char *text, *severity; /* of POV_RECORDED_LOG and POV_RECORDED_MARKER */
} pov_recorded_event;

/** The next message; borrowed until the next call. As pov_mcap_reader_next; also POV_SKIPPED: an image or log line that cannot be
 *  unpacked. */
POV_MUST_USE pov_status pov_recording_next(pov_recording *recording, pov_recorded_event *event);
/** As pov_mcap_reader_seek; damage is counted again. */
void pov_recording_seek(pov_recording *recording, int64_t log_ns);

/** Counts a message that a reader left out, as pov_recording_next counts each POV_SKIPPED. */
void pov_recording_note_damage(pov_recording *recording, const pov_mcap_message *message,
                               const pov_status *why);
/** POV_OK: nothing was left out; else POV_ERROR, in words for people: how much, and the first of it. */
POV_MUST_USE pov_status pov_recording_damage(const pov_recording *recording);
uint64_t pov_recording_damaged_places(const pov_recording *recording);

/** Mends a recording in its place. Returns: POV_OK; POV_END: there was nothing to mend. Out: bytes that were cut off. */
POV_MUST_USE pov_status pov_recording_repair(uint64_t *cut, const char *path);
