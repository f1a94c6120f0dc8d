/** The fields of pov.proto's messages, each described once. Packing, unpacking, the check, JSON and the tables of docs/JSON.md
 *  walk these descriptions (fields_pack.c, fields_unpack.c, fields_check.c, fields_json.c): a new field is one line in
 *  observation_fields.c, and its number in pov.proto. Inside protocol/ only. */
#pragma once

#include "perception/observation/observation.h"

#include <protobuf-c/protobuf-c.h>

typedef enum {
    POV_KIND_NUMBER,   /* double, or `count` of them in a row */
    POV_KIND_FLAG,     /* bool */
    POV_KIND_WHOLE,    /* signed integer of `size` bytes */
    POV_KIND_COUNT,    /* unsigned integer of `size` bytes */
    POV_KIND_HASH,     /* uint64_t; hexadecimal in JSON */
    POV_KIND_TEXT,     /* char[size], UTF-8 */
    POV_KIND_WORDS,    /* const char *, UTF-8, at most `count` bytes; borrowed from the message */
    POV_KIND_CHOICE,   /* enum */
    POV_KIND_ENTITY,   /* pov_id; an index on the wire, the entity's id in JSON */
    POV_KIND_ENTITIES, /* pov_id[count] of the length at `len_at` */
    POV_KIND_RELATION, /* const pov_relation_info *; on the wire an index into the names of POV_KIND_NAMES, in JSON its name */
    POV_KIND_NAMES, /* wire only: the names of all relations of the message; listed before the records that use it */
    POV_KIND_RECORD, /* a message of its own */
    POV_KIND_LIST    /* up to `count` of them, `size` bytes each, of the length at `len_at` */
} pov_field_kind;

/** What numbers in a row must be, beside finite. */
typedef enum { POV_ANY_NUMBERS, POV_COVARIANCE, POV_ROTATION } pov_number_form;

typedef struct pov_field pov_field;
typedef struct pov_record pov_record;

struct pov_field {
    const char *wire; /* name in pov.proto; NULL: JSON only, and then computed or listed by another field */
    const char *
        json; /* name in JSON, with the name of an object around it ("pose.source") where there is one; NULL: wire only */
    pov_field_kind kind;
    uint32_t offset, size; /* in memory */
    int count;
    uint32_t len_at; /* offset of a list's int length */

    /* -------- presence: a field with none of these is always there -------- */
    uint32_t known_at; /* offset of a bool that tells whether the value is known; 0: none */
    bool (*is_known)(const void *record); /* RECORD: the same, by its content */
    bool is_optional;                     /* in memory NaN, or POV_ID_NONE, stands for an unknown value */
    bool (*applies)(const void *record);  /* neither on the wire nor in JSON where it does not */
    bool (*is_told)(const void *record);  /* null in JSON where it is not */
    bool (*is_listed)(const void *item);  /* LIST in JSON: only those items */
    bool is_left_out_if_empty;            /* in JSON: a number 0, a text "", a list of nothing */

    /* -------- values -------- */
    double low, high; /* both 0: any finite value; high 0, low not: at least low */
    bool is_above;    /* low itself is refused */
    bool (*may_be_nan)(const void *record);
    pov_number_form form;
    void (*compute)(double *numbers, const void *record,
                    const pov_scene *scene); /* follows from others; not read back */
    bool is_angle;                           /* radians; degrees in JSON */
    int row_len;                             /* NUMBER: arrays of so many in JSON; 0: one array */
    bool is_repaired;                   /* TEXT: bytes that are not UTF-8 become '?' instead of an error */
    const char *(*name)(int value);     /* CHOICE: name, or NULL for JSON's null */
    int choices, wire_first, wire_turn; /* CHOICE: on the wire wire_first + (value + wire_turn) % choices */
    const pov_record *record;           /* RECORD, LIST */
    bool
        is_inline; /* RECORD in JSON: its fields are members of the object around it, null where it is absent */

    const char *meaning; /* in Markdown */
};

struct pov_record {
    const ProtobufCMessageDescriptor *descriptor;
    int number; /* its place in pov_records */
    const pov_field *fields;
    int len;
    const void *blank; /* its memory before it is read, `blank_size` bytes; NULL: zeros */
    size_t blank_size; /* 0: the memory stays as it is */
    const char *(*fault)(const void *record); /* a fault beyond single fields, or NULL */
    void (*complete)(void *record);           /* after reading: what follows from its fields; NULL: nothing */
};

extern const pov_record pov_observation_record, pov_health_record, pov_comparison_record;

/** All records, each once; ends with NULL. */
extern const pov_record *const pov_records[];

/** The place of a walk in a message, for error messages: "scene.entities[2].size_m". */
typedef struct {
    const char *name;
    int index; /* in a list, else -1 */
} pov_field_step;

typedef struct {
    int depth;
    pov_field_step step[8];
    const pov_scene *scene; /* of the message; entities are named by it */
    pov_status status;      /* of the first fault */
} pov_field_walk;

/** A field that is on the wire, and its generated description. */
typedef struct {
    const pov_field *field;
    const ProtobufCFieldDescriptor *wire;
    bool is_repeated, is_optional; /* on the wire */
} pov_wire_field;

/** The fields of all records that are on the wire, looked up once by their names. */
typedef struct pov_schema pov_schema;
POV_MUST_USE pov_status pov_schema_new(pov_schema **schema);
void pov_schema_destroy(pov_schema **schema);
const pov_wire_field *pov_schema_fields(const pov_schema *schema, int *len, const pov_record *record);

/** Sets walk->status and returns false: "PATH.FIELD: MESSAGE". `field` may be NULL. */
bool pov_field_fail(pov_field_walk *walk, const char *field, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/** One level down, and up again. */
void pov_field_enter(pov_field_walk *walk, const char *name, int index);
void pov_field_leave(pov_field_walk *walk);

/** Memory that is handed out in a row and taken back all at once. Pages that nobody touches cost nothing. */
typedef struct {
    uint8_t *bytes;
    size_t used, capacity;
} pov_arena;
/** Aligned for any type; NULL: it is full. */
void *pov_arena_allocate(pov_arena *arena, size_t size);

/** A record, which pov_field_check has passed, as a generated struct that points into `arena` and the record. */
ProtobufCMessage *pov_field_pack(const pov_schema *schema, pov_arena *arena, const pov_record *record,
                                 const void *memory, const pov_scene *scene);
/** Fills `memory` from a generated struct. POV_ERROR names a length, index, enum or text that does not fit; the numbers are yet to be
 *  checked. `scene` is the one that the message itself fills, or NULL. */
POV_MUST_USE pov_status pov_field_unpack(const pov_schema *schema, const pov_record *record, void *memory,
                                         const ProtobufCMessage *wire, const pov_scene *scene);
/** POV_ERROR names the first field that is not well-formed. Lists and enums must be within their bounds. */
POV_MUST_USE pov_status pov_field_check(const pov_record *record, const void *memory, const pov_scene *scene);

/* -------- for those that walk -------- */
static inline const void *pov_field_at(const pov_field *field, const void *record)
{
    return (const char *)record + field->offset;
}
static inline int pov_field_len(const pov_field *field, const void *record)
{
    return *(const int *)((const char *)record + field->len_at);
}
/** Is the value known? False for NaN, POV_ID_NONE, and where known_at says so. Of fields that may be absent. */
bool pov_field_is_known(const pov_field *field, const void *record);
