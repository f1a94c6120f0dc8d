/** How the tables of fields are written: a line a field. Used by the files *_fields.c only. */
#pragma once

#include "protocol/observation/fields_wire.h"
#include "protocol/observation/message.h"

#include "pov.pb-c.h"

#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

/* -------- rows -------- */

#define AT(type, member)     .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)
#define LENGTH(type, member) ((int)(sizeof(((type *)0)->member) / sizeof *((type *)0)->member))
#define NUMBERS(type, member)                                                                                \
    .kind = POV_KIND_NUMBER, AT(type, member), .count = sizeof(((type *)0)->member) / (sizeof(double))
#define NUMBER(type, member) NUMBERS(type, member)
#define FLAG(type, member)   .kind = POV_KIND_FLAG, AT(type, member)
#define WHOLE(type, member)  .kind = POV_KIND_WHOLE, AT(type, member)
#define COUNT(type, member)  .kind = POV_KIND_COUNT, AT(type, member)
#define TEXT(type, member)   .kind = POV_KIND_TEXT, AT(type, member)
#define ENTITY(type, member) .kind = POV_KIND_ENTITY, AT(type, member)
/* On the wire 0 means "unspecified", so that a missing enum is never taken for a value: everything moves up by one. */
#define CHOICE(type, member, names) CHOICE_FROM(1, type, member, names)
#define CHOICE_FROM(first, type, member, names)                                                              \
    .kind = POV_KIND_CHOICE, AT(type, member), .name = name_of_##names, .choices = choices_of_##names,       \
    .wire_first = (first)
#define RECORD(type, member, of) .kind = POV_KIND_RECORD, AT(type, member), .record = &(of)
#define LIST(type, member, length, of)                                                                       \
    .kind = POV_KIND_LIST, .offset = offsetof(type, member), .size = sizeof(((type *)0)->member[0]),         \
    .count = LENGTH(type, member), .len_at = offsetof(type, length), .record = &(of)
#define COMPUTED(function, numbers) .kind = POV_KIND_NUMBER, .count = (numbers), .compute = (function)

#define WITHIN(lowest, highest) .low = (lowest), .high = (highest)
#define NOT_NEGATIVE            WITHIN(0, DBL_MAX)
#define POSITIVE                WITHIN(0, DBL_MAX), .is_above = true

#define MESSAGE(message) .descriptor = &pov__##message##__descriptor
#define FIELDS(list)     .fields = (list), .len = sizeof(list) / sizeof *(list)

enum {
    NUMBER_OF_OBSERVATION,
    NUMBER_OF_IMAGE,
    NUMBER_OF_POSE,
    NUMBER_OF_CANDIDATE,
    NUMBER_OF_TAG,
    NUMBER_OF_TURNTABLE,
    NUMBER_OF_LENS,
    NUMBER_OF_SCENE,
    NUMBER_OF_ENTITY,
    NUMBER_OF_POSITION,
    NUMBER_OF_MODE,
    NUMBER_OF_VELOCITY,
    NUMBER_OF_TRACK,
    NUMBER_OF_FIELD,
    NUMBER_OF_JUDGMENT,
    NUMBER_OF_SIGHT,
    NUMBER_OF_OCCLUDER,
    NUMBER_OF_DIRECTION,
    NUMBER_OF_VIEW,
    NUMBER_OF_PLACE,
    NUMBER_OF_HEALTH,
    NUMBER_OF_COMPARISON,
    NUMBER_OF_GOLD,
    NUMBER_OF_MOVED_TAG,
    NUMBER_OF_STAGE,
    NUMBER_OF_ASKED_MODEL,
    NUMBER_OF_AGREEMENT,
    NUMBER_OF_CAMERA_HEALTH,
    RECORDS
};

/* An enum's names in JSON. */
#define NAMES(of, type, count, function)                                                                     \
    enum { choices_of_##of = (count) };                                                                      \
    static const char *name_of_##of(int value)                                                               \
    {                                                                                                        \
        return function((type)value);                                                                        \
    }

#define FULL "the list is full, and there would have been more"

/* Records of health and comparisons, for the table of all. */
extern const pov_record pov_moved_tag_record;
extern const pov_record pov_stage_record;
extern const pov_record pov_asked_model_record;
extern const pov_record pov_agreement_record;
extern const pov_record pov_camera_health_record;
extern const pov_record pov_gold_record;
