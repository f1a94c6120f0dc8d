/** libpov_python: scenes, judgments, questions, recordings and stations behind plain functions over handles, numbers and text, for
 *  languages that call C without its headers. The Python package (docs/PYTHON.md) reads the declarations between the two dashed
 *  lines, which therefore need no preprocessor.
 *
 *  Positions are metres in the table frame (right-handed, z up), angles radians, counter-clockwise from above, times
 *  nanoseconds of the UNIX epoch. A function that returns int returns a pov_code (perception/status.h), and writes why not
 *  POV_OK to `message`, which has room for POV_MESSAGE_CAPACITY bytes. Indices are checked: no argument ends the process but
 *  a handle that is none. A handle is used by one thread at a time. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* ---------------------------------------------------------------- */

typedef struct pov_native_scene pov_native_scene;
typedef struct pov_native_talk pov_native_talk;
typedef struct pov_native_source pov_native_source;
typedef struct pov_native_decoder pov_native_decoder;
typedef struct pov_native_asker pov_native_asker;

/** The version of pov that this library is of. */
const char *pov_native_version(void);

/** The name of a value, by kind: 0 relation (by index in the registry), 1 perspective, 2 convention, 3 axis, 4 acceptance,
 *  5 containment, 6 doubt, 7 verdict, 8 cause, 9 motion; NULL: it has none, or there is no such value. */
const char *pov_native_name(int kind, int value);

/** An entry of the registry of relations; texts are constants. */
typedef struct {
    const char *name, *definition, *category, *frame;
    int relata_min;
    int direction; /* 1: left_of, ..., with an angle */
} pov_native_relation;
/** 0: there is no entry of this index. */
int pov_native_relation_at(pov_native_relation *relation, int index);
/** The index of a relation by its name or an English phrase; less than 0: -1 - the index of the one most like it. */
int pov_native_relation_find(const char *name);

/* -------- scenes -------- */

/** One entity. Unknown numbers are NaN. */
typedef struct {
    double position_m[3];      /* centre of its box */
    double position_cov_m2[9]; /* row by row, the camera pose's share included */
    double size_m[3];          /* along the box's own axes, x being the front's; 0: not known */
    double yaw_rad, kappa;     /* of the front's heaviest mode: von Mises */
    double rotation[9];        /* R_table_box, row by row: its columns are the box's axes */
    int8_t placed, seen, addressee, can_see;
} pov_native_entity;

/** Reads a scene (docs/SCENE.md) from text, YAML or JSON; text NULL: from the file `name`. POV_ERROR: nothing is made. */
int pov_native_scene_new(pov_native_scene **scene, const char *name, const char *text, size_t length,
                         char *message);
void pov_native_scene_destroy(pov_native_scene *self);
int pov_native_scene_len(const pov_native_scene *self);
/** Out: entities: as many as pov_native_scene_len says. */
void pov_native_scene_entities(const pov_native_scene *self, pov_native_entity *entities);
/** "" behind the last. */
const char *pov_native_scene_id(const pov_native_scene *self, int index);
const char *pov_native_scene_class(const pov_native_scene *self, int index);
/** NaN: there is none. */
double pov_native_scene_north_rad(const pov_native_scene *self);
/** Moves entities, `ids` by index: to positions_m[len][3], fronts to yaws_rad[len]; NULL: they stay. Boxes turn with their
 *  fronts; covariances stay. POV_ERROR: an index is none or the camera's, a number is not finite, an entity that is turned
 *  has not one front; nothing has moved then. */
int pov_native_scene_move(pov_native_scene *self, const int16_t *ids, int len, const double *positions_m,
                          const double *yaws_rad, char *message);

/* -------- judgments -------- */

/** As pov_judgment (perception/relations/relation.h). Entities by index, -1: none; names by pov_native_name. */
typedef struct {
    double p, p_std, theta_rad, theta_std_rad, flip_distance_m, p_internal;
    int16_t relation, referent, viewer;
    int16_t relata[8];
    int8_t relatum_len, perspective, convention, axis, acceptance, containment, doubt, verdict;
} pov_native_judgment;

/** The thing or things that locate a referent. */
typedef struct {
    int16_t referent, relatum_len;
    int16_t relata[8];
} pov_native_pair;

/** The judgments wanted; flags by the values of the enums. */
typedef struct {
    double abstain_margin; /* abstain where |P - 0.5| is no more; in [0, 0.5) */
    int8_t relation[128];  /* by index in the registry */
    int8_t perspective[4], convention[3], axis[2], acceptance[3];
} pov_native_choice;

/** All directions and what needs no frame and one relatum, in every perspective and convention, about sight lines, by
 *  hemispheres: as `pov judge`. */
void pov_native_choice_usual(pov_native_choice *choice);

/** Judges one: `judgment` holds the query, and gets the answer. POV_OK; POV_UNDEFINED: it has none, numbers are NaN. */
int pov_native_evaluate(pov_native_scene *self, pov_native_judgment *judgment, double abstain_margin);

/** Judges pairs as chosen, those with a direction first, pair by pair. Out: judgments: borrowed until the next call. */
int pov_native_judge(pov_native_scene *self, const pov_native_judgment **judgments, int *len,
                     const pov_native_pair *pairs, int pair_len, const pov_native_choice *choice,
                     char *message);

/** The scenes of a batch: all like one, but that entities are moved. */
typedef struct {
    int len; /* scenes */
    const int16_t *ids;
    int id_len;
    const double *positions_m; /* [len][id_len][3], or NULL */
    const double *yaws_rad;    /* [len][id_len], or NULL */
} pov_native_batch;
/** The same of many scenes; each has as many judgments as the scene before it is moved, `per_scene`. Out: judgments
 *  [batch->len][per_scene]. Afterwards the scene is as it was before. */
int pov_native_judge_batch(pov_native_scene *self, pov_native_judgment *judgments, int per_scene,
                           const pov_native_pair *pairs, int pair_len, const pov_native_choice *choice,
                           const pov_native_batch *batch, char *message);

/** As pov_visibility (perception/visibility/visibility.h): shares of the target's solid angle. */
typedef struct {
    double p, p_std, fraction_visible, fraction_expected, fraction_hidden, fraction_out_of_view,
        fraction_out_of_range, size_rad;
    double occluder_share[8];
    int16_t occluder[8]; /* -1: no more */
    int16_t viewer, target;
    int8_t verdict, cause;
} pov_native_sight;
/** Sights between viewers and targets. viewer, target: -1: everybody who can see, everything but the camera. Out: sights: borrowed until the next
 *  call. */
int pov_native_look(pov_native_scene *self, const pov_native_sight **sights, int *len, int viewer, int target,
                    char *message);

/* -------- questions -------- */

/** A dialogue: remembers what was said. */
int pov_native_talk_new(pov_native_talk **talk, char *message);
void pov_native_talk_destroy(pov_native_talk *self);
/** Out: reply: JSON, as `pov ask --json` prints it (docs/SCENE.md); borrowed until the next call. speaker "": the only
 *  addressee. */
int pov_native_talk_ask(pov_native_talk *self, const char **reply, pov_native_scene *scene,
                        const char *speaker, const char *utterance, char *message);

/** Asks a running station's endpoint for questions. keys NULL: without; server NULL: the only peer. */
int pov_native_asker_new(pov_native_asker **asker, const char *endpoint, const char *keys, const char *server,
                         char *message);
void pov_native_asker_destroy(pov_native_asker *self);
/** request: JSON with "utterance", "speaker" and "forget". Out: reply: borrowed until the next call. */
int pov_native_asker_ask(pov_native_asker *self, const char **reply, const char *request, int timeout_ms,
                         char *message);

/* -------- recordings and stations -------- */

/** A message, borrowed until the next call. */
typedef struct {
    int topic; /* 0 observation, 1 scene, 2 health, 3 ask, 5 image, 10 log, 11 marker, 12: of others, ... */
    int64_t log_ns;
    const uint8_t *bytes; /* of an image its JPEG or PNG file, else the message */
    size_t len;
    const char *name; /* of an image */
    int64_t capture_ns;
    const char *text, *severity; /* of a log line or marker; else NULL */
} pov_native_event;

/** The contents of a recording. */
typedef struct {
    uint64_t messages, observations, images;
    int64_t first_ns, last_ns; /* 0: it is empty */
    int indexed;               /* 0: its end is missing or damaged: it was read through */
    const char *trouble;       /* what is damaged; "": nothing */
} pov_native_contents;

int pov_native_recording_open(pov_native_source **source, const char *path, char *message);
/** topic: "observation", "scene", "health", "ask"; "": all. keys, server: as above. */
int pov_native_station_open(pov_native_source **source, const char *endpoint, const char *topic,
                            const char *keys, const char *server, char *message);
void pov_native_source_close(pov_native_source *self);
/** The source must be a recording. */
void pov_native_recording_contents(pov_native_source *self, pov_native_contents *contents);
void pov_native_recording_seek(pov_native_source *self, int64_t log_ns);
/** The next message. topics: bits of the topics wanted; timeout_ms: of a station. POV_TIMEOUT, POV_END; POV_SKIPPED: a part is
 *  damaged, the next call goes on behind it. */
int pov_native_source_next(pov_native_source *self, pov_native_event *event, unsigned topics, int timeout_ms,
                           char *message);

/** Unpacks messages of the topics 0 to 3; holds the last. */
int pov_native_decoder_new(pov_native_decoder **decoder, char *message);
void pov_native_decoder_destroy(pov_native_decoder *self);

/** An unpacked message. */
typedef struct {
    int kind;      /* 0 an observation, 1 health, 2 an exchange */
    uint64_t lost; /* messages that this subscriber lost before it */
    const char *image;
    uint32_t sequence;
    int64_t capture_ns; /* middle of the exposure */
    int width_px, height_px;
    int judgments, sights;
} pov_native_decoded;
int pov_native_decode(pov_native_decoder *self, pov_native_decoded *decoded, const uint8_t *bytes, size_t len,
                      char *message);
/** Out: line: all of it as docs/JSON.md says; borrowed until the next call. */
int pov_native_decoded_json(pov_native_decoder *self, const char **line, char *message);
/** A copy of the observation's scene. */
int pov_native_decoded_scene(pov_native_decoder *self, pov_native_scene **scene, char *message);
/** Out: as many as pov_native_decoded says. */
void pov_native_decoded_judgments(const pov_native_decoder *self, pov_native_judgment *judgments);
void pov_native_decoded_sights(const pov_native_decoder *self, pov_native_sight *sights);

/* ---------------------------------------------------------------- */
