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

/** How a topic's channel and schema are told to readers; strings and bytes are constants. */
void pov_recorded_describe(pov_mcap_channel *channel, pov_mcap_schema *schema, pov_recorded topic);

/** Metadata of this name says what made the recording. */
#define POV_RECORDING_SESSION "pov.session"

/** Writes all schemas and channels; a channel's id is its topic + 1. */
POV_MUST_USE pov_status pov_recording_begin(pov_mcap_writer *writer);

/** An image as it came from a camera or file, or as the recorder coded it. */
typedef struct {
    char name[POV_IMAGE_NAME_CAPACITY];
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
                                                  const pov_recorded_image *image);
POV_MUST_USE pov_status pov_recording_pack_image(pov_recording_packer *packer, pov_mcap_message *message,
                                                 const pov_recorded_image *image);
POV_MUST_USE pov_status pov_recording_pack_calibration(pov_recording_packer *packer,
                                                       pov_mcap_message *message, const pov_camera *camera,
                                                       int64_t now_ns);
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

/** One message, and the topic it is of; POV_RECORDED_COUNT: of another program. */
typedef struct {
    pov_recorded topic;
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
