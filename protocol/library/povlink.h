/** libpovlink: scenes from files, questions in words, recordings, and running stations.
 *
 *      cc robot.c $(pkg-config --cflags --libs povlink) -o robot      docs/LIBRARY.md has whole programs
 *
 *  It makes and takes scenes of libpov, whose header says what units, frames, statuses and the words Does, In, Out, Owns, Fails and
 *  Thread mean. Times are nanoseconds of the UNIX epoch. It needs libpov, ZeroMQ, protobuf-c, zstd, lz4, zlib, libyaml and
 *  libcjson. ZeroMQ has a thread of its own while a station is connected; the library prints nothing, and reads the files that it is
 *  given the names of. Bytes, files and messages of others may hold anything: they are checked. */
#pragma once

#include <pov.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- */

/* -------- scenes from files -------- */

/** Does:   reads a scene file (docs/SCENE.md), or a line that `pov run --json` printed.
 *  In:     path; text NULL: the file is read; else text[length] is parsed, and messages name it `path`.
 *  Out:    scene.
 *  Owns:   the caller; pov_scene_destroy frees it.
 *  Fails:  POV_ERROR naming file, line and key, or memory; *scene is NULL.
 *  Thread: any. */
POV_MUST_USE pov_status povlink_scene_read(pov_scene **scene, const char *path, const char *text,
                                           size_t length);

/* -------- questions in words -------- */

/** A dialogue: remembers what was said, what "it" is, and what it asked back. */
typedef struct povlink_talk povlink_talk;

/** Does:   begins a dialogue.
 *  Out:    talk.
 *  Owns:   the caller; povlink_talk_destroy frees it.
 *  Fails:  POV_ERROR: out of memory; *talk is NULL.
 *  Thread: a dialogue is used by one thread at a time, together with the scene it is asked about. */
POV_MUST_USE pov_status povlink_talk_new(povlink_talk **talk);

/** Does:   ends a dialogue, and sets *talk to NULL, which it may be already.
 *  Owns:   nothing is left.
 *  Fails:  never.
 *  Thread: as povlink_talk_new. */
void povlink_talk_destroy(povlink_talk **talk);

/** Does:   answers a question or instruction about a scene: "what is left of the car?", "give me the cup".
 *  In:     scene; speaker: the id of who speaks, or NULL: the only addressee; utterance: UTF-8, in any language of docs/LANGUAGES.md.
 *  Out:    reply: JSON as `pov ask --json` prints it (docs/SCENE.md); "say" is a sentence. What is not understood has a reply, too.
 *  Owns:   the dialogue; valid until its next call.
 *  Fails:  POV_ERROR, *reply "": nobody called `speaker` is in the scene, out of memory.
 *  Thread: as povlink_talk_new. */
POV_MUST_USE pov_status povlink_talk_ask(povlink_talk *talk, const char **reply, pov_scene *scene,
                                         const char *speaker, const char *utterance);

/* -------- running stations -------- */

/** Where a station is. */
typedef struct {
    const char *
        endpoint; /* "tcp://robot:5570": what it publishes; "tcp://robot:5571": its key `ask` (docs/STATION.md) */
    const char *keys;   /* folder of this machine's keys (docs/SECURITY.md), or NULL: without encryption */
    const char *server; /* with keys: the station's name among the peers, or NULL: the only peer */
} povlink_address;

/** A connection to a station that answers questions. */
typedef struct povlink_asker povlink_asker;

/** Does:   connects to a station's endpoint for questions; it may start later.
 *  In:     address: copied.
 *  Out:    asker.
 *  Owns:   the caller; povlink_asker_destroy frees it.
 *  Fails:  POV_ERROR: the endpoint is malformed, keys are missing, out of memory; *asker is NULL.
 *  Thread: a connection is used by one thread at a time. */
POV_MUST_USE pov_status povlink_asker_new(povlink_asker **asker, const povlink_address *address);

/** Does:   disconnects, and sets *asker to NULL, which it may be already.
 *  Owns:   nothing is left.
 *  Fails:  never.
 *  Thread: as povlink_asker_new. */
void povlink_asker_destroy(povlink_asker **asker);

/** Does:   asks a station about the image that it judged last; the station remembers the dialogue.
 *  In:     request: JSON with "utterance", and if wanted "speaker" and "forget" (docs/WIRE.md); timeout_ms: 0 or more.
 *  Out:    reply: JSON, as povlink_talk_ask.
 *  Owns:   the connection; valid until its next call.
 *  Fails:  POV_TIMEOUT: no answer came; a late one is dropped. POV_ERROR: the key is refused, the timeout is less than 0.
 *  Thread: as povlink_asker_new. */
POV_MUST_USE pov_status povlink_asker_ask(povlink_asker *asker, const char **reply, const char *request,
                                          int timeout_ms);

/* -------- messages of recordings and stations -------- */

/** What a message is about. Those with a ~ are pov.Envelope, as on the wire (docs/WIRE.md). */
typedef enum {
    POVLINK_OBSERVATION, /* ~ one image's scene and judgments */
    POVLINK_SCENE,       /* ~ the scene only */
    POVLINK_HEALTH,      /* ~ */
    POVLINK_ASK,         /* ~ what was said to the station, and its reply */
    POVLINK_IMAGE = 5,   /* coded as JPEG or PNG */
    POVLINK_LOG = 10,    /* a line of the station's log */
    POVLINK_MARKER = 11, /* a trial, a stop, a question; as a line */
    POVLINK_VLM = 12,    /* ~ a question to a vision-language model, and its answer */
    POVLINK_OTHER = 31   /* of another program; 4 and 6 to 9 are for viewers (docs/RECORDING.md) */
} povlink_topic;

/** A message. */
typedef struct {
    int topic;
    int64_t log_ns;       /* when it was recorded; 0: it is a station's */
    const uint8_t *bytes; /* of an image its JPEG or PNG file, else the message */
    size_t len;
    const char *name; /* of an image; else "" */
    int64_t capture_ns;
    const char *text, *severity; /* of a log line or marker; else NULL */
} povlink_event;

/** The contents of a recording. */
typedef struct {
    uint64_t messages, observations, images;
    int64_t first_ns, last_ns; /* 0: it is empty */
    int is_indexed;            /* 0: its end is missing or damaged, and it was read through */
    const char *trouble;       /* the first damage; "": none. Valid until the source is destroyed */
} povlink_contents;

/** A recording or a station. */
typedef struct povlink_source povlink_source;

/** Does:   opens a recording (docs/RECORDING.md), also one whose end is missing.
 *  In:     path: of an MCAP file.
 *  Out:    source.
 *  Owns:   the caller; povlink_source_destroy frees it.
 *  Fails:  POV_ERROR: it cannot be read, is not MCAP, is beyond the limits, or memory is out; *source is NULL.
 *  Thread: a source is used by one thread at a time. */
POV_MUST_USE pov_status povlink_recording_open(povlink_source **source, const char *path);

/** Does:   subscribes to a station; it may start later.
 *  In:     address: copied; topic: "observation", "scene", "health", "ask", "vlm"; "": all.
 *  Out:    source.
 *  Owns:   the caller; povlink_source_destroy frees it.
 *  Fails:  POV_ERROR: the endpoint is malformed, keys are missing, out of memory; *source is NULL.
 *  Thread: as povlink_recording_open. */
POV_MUST_USE pov_status povlink_station_open(povlink_source **source, const povlink_address *address,
                                             const char *topic);

/** Does:   closes or disconnects, and sets *source to NULL, which it may be already.
 *  Owns:   nothing is left.
 *  Fails:  never.
 *  Thread: as povlink_recording_open. */
void povlink_source_destroy(povlink_source **source);

/** Does:   tells what a recording holds.
 *  Out:    contents.
 *  Owns:   the caller; its text the source.
 *  Fails:  POV_ERROR: the source is a station.
 *  Thread: as povlink_recording_open. */
POV_MUST_USE pov_status povlink_recording_contents(povlink_source *source, povlink_contents *contents);

/** Does:   goes to the first message that was recorded at this time or later; in an unordered file earlier ones may follow.
 *  In:     log_ns.
 *  Owns:   nothing.
 *  Fails:  POV_ERROR: the source is a station.
 *  Thread: as povlink_recording_open. */
POV_MUST_USE pov_status povlink_recording_seek(povlink_source *source, int64_t log_ns);

/** Does:   gives the next message.
 *  In:     topics: of a recording, 1u << topic for each that is wanted; timeout_ms: of a station, 0 or more.
 *  Out:    event.
 *  Owns:   the source; valid until its next call.
 *  Fails:  POV_TIMEOUT: none came. POV_END: the recording is read. POV_SKIPPED: a part is damaged, the next call goes on behind it.
 *          POV_ERROR: it cannot be read, the key is refused, the timeout is less than 0.
 *  Thread: as povlink_recording_open. */
POV_MUST_USE pov_status povlink_source_next(povlink_source *source, povlink_event *event, unsigned topics,
                                            int timeout_ms);

/* -------- messages unpacked -------- */

/** Unpacks messages of pov.Envelope, and holds the last. */
typedef struct povlink_decoder povlink_decoder;

/** What the held message is. */
typedef struct {
    int kind;          /* 0 an observation or scene, 1 health, 2 an exchange of words, 3 a model's answer */
    uint64_t lost;     /* messages that this subscriber lost just before it */
    const char *image; /* of an observation, as all below; valid until the decoder decodes again */
    uint32_t sequence;
    int64_t capture_ns; /* middle of the exposure */
    int width_px, height_px;
    int judgments, visibilities; /* numbers of these */
} povlink_decoded;

/** Does:   makes a decoder.
 *  Out:    decoder.
 *  Owns:   the caller; povlink_decoder_destroy frees it.
 *  Fails:  POV_ERROR: out of memory; *decoder is NULL.
 *  Thread: a decoder is used by one thread at a time. */
POV_MUST_USE pov_status povlink_decoder_new(povlink_decoder **decoder);

/** Does:   frees a decoder, and sets *decoder to NULL, which it may be already.
 *  Owns:   nothing is left.
 *  Fails:  never.
 *  Thread: as povlink_decoder_new. */
void povlink_decoder_destroy(povlink_decoder **decoder);

/** Does:   unpacks a message.
 *  In:     bytes[len]: copied.
 *  Out:    decoded.
 *  Owns:   the decoder holds the message until it decodes again.
 *  Fails:  POV_ERROR: they are not a well-formed message; the decoder then holds none.
 *  Thread: as povlink_decoder_new. */
POV_MUST_USE pov_status povlink_decode(povlink_decoder *decoder, povlink_decoded *decoded,
                                       const uint8_t *bytes, size_t len);

/** Does:   writes the held message as JSON (docs/JSON.md).
 *  Out:    line: UTF-8 that ends in a newline.
 *  Owns:   the decoder; valid until its next call.
 *  Fails:  POV_ERROR, *line "": it holds none, out of memory.
 *  Thread: as povlink_decoder_new. */
POV_MUST_USE pov_status povlink_decoded_json(povlink_decoder *decoder, const char **line);

/** Does:   copies the held observation's scene, which can be judged and asked about.
 *  Out:    scene; what the station saw is kept for questions.
 *  Owns:   the caller; pov_scene_destroy frees it.
 *  Fails:  POV_ERROR, *scene NULL: it holds no observation, out of memory.
 *  Thread: as povlink_decoder_new. */
POV_MUST_USE pov_status povlink_decoded_scene(povlink_decoder *decoder, pov_scene **scene);

/** Does:   reads the held observation's judgments, as the station made them.
 *  Out:    judgments: list, capacity and len as in pov.h.
 *  Owns:   the caller.
 *  Fails:  POV_ERROR, len 0: it holds no observation.
 *  Thread: as povlink_decoder_new. */
POV_MUST_USE pov_status povlink_decoded_judgments(const povlink_decoder *decoder, pov_judgments *judgments);

/** Does:   reads who saw whom, as the station judged.
 *  Out:    visibilities: list, capacity and len as in pov.h.
 *  Owns:   the caller.
 *  Fails:  POV_ERROR, len 0: it holds no observation.
 *  Thread: as povlink_decoder_new. */
POV_MUST_USE pov_status povlink_decoded_visibilities(const povlink_decoder *decoder,
                                                     pov_visibilities *visibilities);

/* ---------------------------------------------------------------- */

#ifdef __cplusplus
}
#endif
