#include "protocol/observation/fields_wire.h"

#include <math.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -------- descriptors -------- */

enum { RECORDS_MAX = 32, FIELDS_MAX = 48 };

struct pov_schema {
    int len[RECORDS_MAX];
    pov_wire_field fields[RECORDS_MAX][FIELDS_MAX];
};

static void describe_record(pov_schema *schema, const pov_record *record)
{
    for (int i = 0; i < record->len; i++) {
        const pov_field *field = &record->fields[i];
        if (field->wire == NULL)
            continue;
        const ProtobufCFieldDescriptor *wire =
            protobuf_c_message_descriptor_get_field_by_name(record->descriptor, field->wire);
        POV_REQUIRE(wire != NULL);
        schema->fields[record->number][schema->len[record->number]++] =
            (pov_wire_field){field, wire, wire->label == PROTOBUF_C_LABEL_REPEATED,
                             (wire->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) != 0};
    }
}

pov_status pov_schema_new(pov_schema **schema)
{
    *schema = calloc(1, sizeof **schema);
    if (*schema == NULL)
        return pov_error("out of memory for the message's schema");
    for (int i = 0; pov_records[i] != NULL; i++) {
        POV_REQUIRE(i < RECORDS_MAX && pov_records[i]->number == i && pov_records[i]->len <= FIELDS_MAX);
        describe_record(*schema, pov_records[i]);
    }
    return pov_ok();
}

void pov_schema_destroy(pov_schema **schema)
{
    free(*schema);
    *schema = NULL;
}

const pov_wire_field *pov_schema_fields(const pov_schema *schema, int *len, const pov_record *record)
{
    *len = schema->len[record->number];
    return schema->fields[record->number];
}

/* -------- values in memory -------- */

bool pov_field_is_known(const pov_field *field, const void *record)
{
    if (field->known_at != 0)
        return *(const bool *)((const char *)record + field->known_at);
    if (field->is_known != NULL)
        return field->is_known(record);
    if (field->kind == POV_KIND_ENTITY)
        return *(const pov_id *)pov_field_at(field, record) != POV_ID_NONE;
    return field->kind != POV_KIND_NUMBER || field->compute != NULL ||
           !isnan(*(const double *)pov_field_at(field, record));
}

/* -------- the place of a walk -------- */

void pov_field_enter(pov_field_walk *walk, const char *name, int index)
{
    POV_REQUIRE(walk->depth < (int)(sizeof walk->step / sizeof *walk->step));
    walk->step[walk->depth++] = (pov_field_step){name, index};
}

void pov_field_leave(pov_field_walk *walk)
{
    walk->depth--;
}

bool pov_field_fail(pov_field_walk *walk, const char *field, const char *format, ...)
{
    char path[160], what[200];
    int len = 0;
    path[0] = '\0';
    for (int i = 0; i < walk->depth; i++) {
        const pov_field_step *step = &walk->step[i];
        len += snprintf(path + len, sizeof path - (size_t)len, "%s%.30s", i > 0 ? "." : "", step->name);
        if (step->index >= 0)
            len += snprintf(path + len, sizeof path - (size_t)len, "[%d]", step->index);
        POV_REQUIRE(len < (int)sizeof path);
    }
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    walk->status = pov_error("%s%s%s: %s", path, len > 0 && field ? "." : "", field ? field : "", what);
    return false;
}

/* -------- memory -------- */

void *pov_arena_allocate(pov_arena *arena, size_t size)
{
    const size_t room = arena->capacity - arena->used, align = alignof(max_align_t);
    if (size > room || (size + align - 1) / align * align > room)
        return NULL;
    void *start = arena->bytes + arena->used;
    arena->used += (size + align - 1) / align * align;
    return start;
}
