#include "config/files/utf8.h"
#include "protocol/observation/fields_wire.h"

#include <limits.h>
#include <math.h>
#include <string.h>

typedef struct {
    const pov_schema *schema;
    pov_field_walk walk;
    int relation_len; /* the relations named, by their index on the wire */
    const pov_relation_info *relation[POV_REGISTRY_MAX];
} unpacker;

static bool unpack_record(unpacker *self, const pov_record *record, void *memory,
                          const ProtobufCMessage *message);

static bool unpack_numbers(unpacker *self, const pov_field *field, void *to, const double *numbers,
                           size_t count)
{
    if (count == 0 && field->applies != NULL)
        return true; /* it does not apply: as it was */
    if (count != (size_t)field->count)
        return pov_field_fail(&self->walk, field->wire, "has %zu numbers instead of %d", count, field->count);
    if (field->compute == NULL) {
        memcpy(to, numbers, count * sizeof *numbers);
        return true;
    }
    for (size_t i = 0; i < count; i++) /* follows from others: checked, then dropped */
        if (!isfinite(numbers[i]))
            return pov_field_fail(&self->walk, field->wire, "is not finite");
    return true;
}

static bool unpack_text(unpacker *self, const pov_field *field, char *to, const char *text)
{
    const size_t length = strlen(text);
    if (length >= field->size)
        return pov_field_fail(&self->walk, field->wire, "has %zu bytes; at most %u fit", length,
                              field->size - 1);
    memcpy(to, text, length + 1);
    return pov_utf8_is_valid(text) || pov_field_fail(&self->walk, field->wire, "is not valid UTF-8");
}

/* More values may come with newer publishers. */
static bool unpack_choice(unpacker *self, const pov_field *field, void *to, int wire)
{
    if (wire < field->wire_first || wire >= field->wire_first + field->choices)
        return pov_field_fail(&self->walk, field->wire, "is %d, which this version does not know", wire);
    const int value = (wire - field->wire_first + field->choices - field->wire_turn) % field->choices;
    *(int *)to = value;
    return true;
}

static bool unpack_entity(unpacker *self, const pov_field *field, pov_id *to, uint32_t index)
{
    if (index >= (uint32_t)self->walk.scene->len)
        return pov_field_fail(&self->walk, field->wire, "is entity %u, but there are %d", index,
                              self->walk.scene->len);
    *to = (pov_id)index;
    return true;
}

static bool unpack_len(unpacker *self, const pov_field *field, void *memory, size_t count)
{
    if (count > (size_t)field->count)
        return pov_field_fail(&self->walk, field->wire, "has %zu entries; at most %d fit", count,
                              field->count);
    if (field->kind != POV_KIND_NAMES)
        *(int *)(void *)((char *)memory + field->len_at) = (int)count;
    return true;
}

static bool unpack_entities(unpacker *self, const pov_field *field, void *memory, const uint32_t *indices,
                            size_t count)
{
    pov_id *to = (pov_id *)(void *)((char *)memory + field->offset);
    if (!unpack_len(self, field, memory, count))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!unpack_entity(self, field, &to[i], indices[i]))
            return false;
    return true;
}

static bool unpack_names(unpacker *self, const pov_field *field, char *const *names, size_t count)
{
    if (!unpack_len(self, field, NULL, count))
        return false;
    for (size_t i = 0; i < count; i++) {
        const pov_relation_info *relation = pov_relation_lookup(names[i]);
        if (relation == NULL || strcmp(relation->name, names[i]) != 0)
            return pov_field_fail(&self->walk, field->wire,
                                  "'%.40s' is not a relation that this version knows", names[i]);
        self->relation[i] = relation;
    }
    self->relation_len = (int)count;
    return true;
}

static bool unpack_relation(unpacker *self, const pov_field *field, const pov_relation_info **to,
                            uint32_t index)
{
    if (index >= (uint32_t)self->relation_len)
        return pov_field_fail(&self->walk, field->wire, "is number %u of the names, but there are %d", index,
                              self->relation_len);
    *to = self->relation[index];
    return true;
}

static bool unpack_list(unpacker *self, const pov_field *field, void *memory, ProtobufCMessage *const *list,
                        size_t count)
{
    char *item = (char *)memory + field->offset;
    if (!unpack_len(self, field, memory, count))
        return false;
    for (size_t i = 0; i < count; i++, item += field->size) {
        pov_field_enter(&self->walk, field->wire, (int)i);
        if (!unpack_record(self, field->record, item, list[i]))
            return false;
        pov_field_leave(&self->walk);
    }
    return true;
}

/* Memory before it is read, or where there is nothing to read. */
static void make_blank(const pov_record *record, void *memory)
{
    if (record->blank != NULL)
        memcpy(memory, record->blank, record->blank_size);
    else
        memset(memory, 0, record->blank_size);
}

/* Copies an integer; one that does not fit a smaller signed one is refused. */
static bool unpack_whole(unpacker *self, const ProtobufCFieldDescriptor *wire, const pov_field *field,
                         void *to, const void *from)
{
    if (wire->type != PROTOBUF_C_TYPE_UINT32) {
        memcpy(to, from, sizeof(uint64_t));
        return true;
    }
    if (field->kind == POV_KIND_WHOLE && *(const uint32_t *)from > INT_MAX)
        return pov_field_fail(&self->walk, field->wire, "%u is too large", *(const uint32_t *)from);
    memcpy(to, from, sizeof(uint32_t));
    return true;
}

static bool unpack_message(unpacker *self, const pov_field *field, void *memory,
                           const ProtobufCMessage *message)
{
    void *to = (char *)memory + field->offset;
    const bool may_be_absent = field->known_at != 0 || field->is_known != NULL;
    if (message == NULL) {
        if (!may_be_absent)
            return pov_field_fail(&self->walk, field->wire, "is missing");
        make_blank(field->record, to);
        if (field->known_at != 0)
            *(bool *)((char *)memory + field->known_at) = false;
        return true;
    }
    pov_field_enter(&self->walk, field->wire, -1);
    if (!unpack_record(self, field->record, to, message))
        return false;
    pov_field_leave(&self->walk);
    if (field->known_at != 0)
        *(bool *)((char *)memory + field->known_at) = true;
    /* NaN stands for an unknown value in memory; on the wire it would make an absent one look present. */
    return field->is_known == NULL || field->is_known(memory) ||
           pov_field_fail(&self->walk, field->wire, "is not a number");
}

static bool unpack_value(unpacker *self, const ProtobufCFieldDescriptor *wire, const void *from, size_t count,
                         const pov_field *field, void *memory)
{
    void *to = (char *)memory + field->offset;
    switch (field->kind) {
    case POV_KIND_NUMBER:
        if (wire->label == PROTOBUF_C_LABEL_REPEATED)
            return unpack_numbers(self, field, to, *(double *const *)from, count);
        if (field->compute == NULL)
            *(double *)to = *(const double *)from;
        return true;
    case POV_KIND_FLAG:
        *(bool *)to = *(const protobuf_c_boolean *)from != 0;
        return true;
    case POV_KIND_WHOLE:
    case POV_KIND_COUNT:
    case POV_KIND_HASH:
        return unpack_whole(self, wire, field, to, from);
    case POV_KIND_TEXT:
        return unpack_text(self, field, to, *(char *const *)from);
    case POV_KIND_WORDS:
        *(const char **)to = *(char *const *)from;
        return true;
    case POV_KIND_CHOICE:
        return unpack_choice(self, field, to, *(const int *)from);
    case POV_KIND_ENTITY:
        return unpack_entity(self, field, to, *(const uint32_t *)from);
    case POV_KIND_ENTITIES:
        return unpack_entities(self, field, memory, *(uint32_t *const *)from, count);
    case POV_KIND_RELATION:
        return unpack_relation(self, field, to, *(const uint32_t *)from);
    case POV_KIND_NAMES:
        return unpack_names(self, field, *(char **const *)from, count);
    case POV_KIND_RECORD:
        return unpack_message(self, field, memory, *(ProtobufCMessage *const *)from);
    case POV_KIND_LIST:
        return unpack_list(self, field, memory, *(ProtobufCMessage * *const *)from, count);
    }
    return true;
}

/* An optional field that is absent. */
static void unpack_nothing(const pov_field *field, void *memory)
{
    void *to = (char *)memory + field->offset;
    if (field->known_at != 0)
        *(bool *)((char *)memory + field->known_at) = false;
    if (field->kind == POV_KIND_ENTITY)
        *(pov_id *)to = POV_ID_NONE;
    else if (field->is_optional)
        *(double *)to = NAN;
}

/* Returns whether there is a value to read: sets what stands for an unknown one. */
static bool unpack_presence(const pov_wire_field *of, const char *message, void *memory)
{
    const pov_field *field = of->field;
    if (!of->is_optional) /* a number may go with one that is absent */
        return field->kind != POV_KIND_NUMBER || field->known_at == 0 || pov_field_is_known(field, memory);
    const bool is_there =
        *(const uint32_t *)(const void *)(message + of->wire->quantifier_offset) == of->wire->id;
    if (!is_there)
        unpack_nothing(field, memory);
    else if (field->known_at != 0)
        *(bool *)((char *)memory + field->known_at) = true;
    return is_there;
}

static bool unpack_field(unpacker *self, const pov_wire_field *of, const char *message, void *memory)
{
    const pov_field *field = of->field;
    const size_t count =
        of->is_repeated ? *(const size_t *)(const void *)(message + of->wire->quantifier_offset) : 1;
    if (!of->is_repeated && field->applies != NULL && !field->applies(memory))
        return true;
    if (!unpack_presence(of, message, memory))
        return true;
    if (!unpack_value(self, of->wire, message + of->wire->offset, count, field, memory))
        return false;
    return field->kind != POV_KIND_NUMBER || !of->is_optional ||
           isfinite(*(const double *)pov_field_at(field, memory)) ||
           pov_field_fail(&self->walk, field->wire, "is not finite");
}

static bool unpack_record(unpacker *self, const pov_record *record, void *memory,
                          const ProtobufCMessage *message)
{
    int len;
    const pov_wire_field *fields = pov_schema_fields(self->schema, &len, record);
    make_blank(record, memory);
    for (int i = 0; i < len; i++)
        if (!unpack_field(self, &fields[i], (const char *)message, memory))
            return false;
    if (record->complete != NULL)
        record->complete(memory);
    return true;
}

pov_status pov_field_unpack(const pov_schema *schema, const pov_record *record, void *memory,
                            const ProtobufCMessage *message, const pov_scene *scene)
{
    unpacker self = {.schema = schema, .walk = {.scene = scene, .status = pov_ok()}};
    unpack_record(&self, record, memory, message);
    return self.walk.status;
}
