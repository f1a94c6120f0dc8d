#include "config/files/utf8.h"
#include "protocol/observation/fields_wire.h"

#include <string.h>

typedef struct {
    const pov_schema *schema;
    pov_arena *arena;
    const pov_scene *scene;
    /* Names of relations go out once each, in the order of their first use. */
    const char **names;
    size_t *name_len;
    int name_of_relation[POV_REGISTRY_MAX]; /* by index in the registry: index in names, counted from 1 */
} packer;

static ProtobufCMessage *pack_record(packer *self, const pov_record *record, const void *memory);

static void *allocate(packer *self, size_t size)
{
    void *room = pov_arena_allocate(self->arena, size);
    POV_REQUIRE(room != NULL); /* the largest message fits: test_message.c */
    return room;
}

static uint32_t pack_relation(packer *self, const pov_relation_info *relation)
{
    int *name = &self->name_of_relation[pov_relation_registry_index(relation)];
    if (*name == 0) {
        self->names[*self->name_len] = relation->name;
        *name = (int)++*self->name_len;
    }
    return (uint32_t)(*name - 1);
}

/* Generated structs have no const; packing only reads. */
static double *pack_numbers(packer *self, const pov_field *field, const void *memory)
{
    if (field->compute == NULL)
        return (double *)pov_field_at(field, memory);
    double *numbers = allocate(self, (size_t)field->count * sizeof *numbers);
    field->compute(numbers, memory, self->scene);
    return numbers;
}

static char *pack_text(packer *self, const pov_field *field, const void *memory)
{
    if (!field->is_repaired)
        return (char *)pov_field_at(field, memory);
    char *text = allocate(self, field->size);
    pov_utf8_copy(text, field->size, pov_field_at(field, memory));
    return text;
}

static uint32_t *pack_entities(packer *self, const pov_field *field, const void *memory, size_t len)
{
    const pov_id *ids = pov_field_at(field, memory);
    uint32_t *indices = allocate(self, len * sizeof *indices);
    for (size_t i = 0; i < len; i++)
        indices[i] = (uint32_t)ids[i];
    return indices;
}

static ProtobufCMessage **pack_list(packer *self, const pov_field *field, const void *memory, size_t len)
{
    const char *item = pov_field_at(field, memory);
    ProtobufCMessage **list = allocate(self, len * sizeof *list);
    for (size_t i = 0; i < len; i++, item += field->size)
        list[i] = pack_record(self, field->record, item);
    return list;
}

static size_t pack_length(const pov_field *field, const void *memory)
{
    const int len = pov_field_len(field, memory);
    POV_REQUIRE(len >= 0 && len <= field->count);
    return (size_t)len;
}

static void pack_whole(const ProtobufCFieldDescriptor *wire, void *to, const pov_field *field,
                       const void *memory)
{
    const void *from = pov_field_at(field, memory);
    if (wire->type == PROTOBUF_C_TYPE_UINT32)
        memcpy(to, from, sizeof(uint32_t));
    else
        memcpy(to, from, sizeof(uint64_t));
}

/* Writes the field at `to`, and at `count` its number, if there may be several. */
static void pack_value(packer *self, const ProtobufCFieldDescriptor *wire, void *to, size_t *count,
                       const pov_field *field, const void *memory)
{
    const void *from = pov_field_at(field, memory);
    switch (field->kind) {
    case POV_KIND_NUMBER:
        if (count == NULL) {
            *(double *)to = *pack_numbers(self, field, memory);
        } else {
            *(double **)to = pack_numbers(self, field, memory);
            *count = (size_t)field->count;
        }
        return;
    case POV_KIND_FLAG:
        *(protobuf_c_boolean *)to = *(const bool *)from;
        return;
    case POV_KIND_WHOLE:
    case POV_KIND_COUNT:
    case POV_KIND_HASH:
        pack_whole(wire, to, field, memory);
        return;
    case POV_KIND_TEXT:
        *(char **)to = pack_text(self, field, memory);
        return;
    case POV_KIND_WORDS:
        *(char **)to = *(char *const *)from;
        return;
    case POV_KIND_CHOICE:
        *(int *)to = field->wire_first + (*(const int *)from + field->wire_turn) % field->choices;
        return;
    case POV_KIND_ENTITY:
        *(uint32_t *)to = (uint32_t) * (const pov_id *)from;
        return;
    case POV_KIND_ENTITIES:
        *count = pack_length(field, memory);
        *(uint32_t **)to = pack_entities(self, field, memory, *count);
        return;
    case POV_KIND_RELATION:
        *(uint32_t *)to = pack_relation(self, *(const pov_relation_info *const *)from);
        return;
    case POV_KIND_NAMES:
        self->names = *(const char ***)to = allocate(self, (size_t)field->count * sizeof *self->names);
        self->name_len = count;
        return;
    case POV_KIND_RECORD:
        *(ProtobufCMessage **)to = pack_record(self, field->record, from);
        return;
    case POV_KIND_LIST:
        *count = pack_length(field, memory);
        *(ProtobufCMessage ***)to = pack_list(self, field, memory, *count);
        return;
    }
}

static void pack_field(packer *self, const pov_wire_field *of, char *message, const void *memory)
{
    const pov_field *field = of->field;
    void *quantifier = message + of->wire->quantifier_offset;
    if (field->applies != NULL && !field->applies(memory))
        return;
    if ((of->is_optional || field->known_at != 0 || field->kind == POV_KIND_RECORD) &&
        !pov_field_is_known(field, memory))
        return;
    if (of->is_optional)
        *(uint32_t *)quantifier = of->wire->id;
    pack_value(self, of->wire, message + of->wire->offset, of->is_repeated ? quantifier : NULL, field,
               memory);
}

static ProtobufCMessage *pack_record(packer *self, const pov_record *record, const void *memory)
{
    int len;
    const pov_wire_field *fields = pov_schema_fields(self->schema, &len, record);
    ProtobufCMessage *message = allocate(self, record->descriptor->sizeof_message);
    protobuf_c_message_init(record->descriptor, message);
    for (int i = 0; i < len; i++)
        pack_field(self, &fields[i], (char *)message, memory);
    return message;
}

ProtobufCMessage *pov_field_pack(const pov_schema *schema, pov_arena *arena, const pov_record *record,
                                 const void *memory, const pov_scene *scene)
{
    packer self = {.schema = schema, .arena = arena, .scene = scene};
    return pack_record(&self, record, memory);
}
