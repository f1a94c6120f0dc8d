#include "protocol/observation/json.h"

#include "config/files/json_value.h"
#include "config/files/number_shim.h"
#include "config/files/utf8.h"
#include "perception/geometry/geom.h"
#include "protocol/observation/fields_wire.h"

#include <cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -------- values -------- */

/* cJSON prints 15 digits where it finds them good enough; here every number comes back as it was. */
static cJSON *number(double value)
{
    char text[POV_NUMBER_CAPACITY];
    if (!isfinite(value))
        return cJSON_CreateNull();
    pov_number_text(text, value);
    return cJSON_CreateRaw(text);
}

/* A double holds integers only up to 2^53. */
static cJSON *integer(int64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, value);
    return cJSON_CreateRaw(text);
}

static cJSON *count(uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    return cJSON_CreateRaw(text);
}

static cJSON *hash(uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%016" PRIx64, value);
    return cJSON_CreateString(text);
}

/* A name of this program's own, which outlives the line. */
static cJSON *name_or_null(const char *name)
{
    return name ? cJSON_CreateStringReference(name) : cJSON_CreateNull();
}

static cJSON *text_or_null(const char *text)
{
    if (text == NULL)
        return cJSON_CreateNull();
    const size_t capacity = strlen(text) + 1;
    char *valid = pov_allocate(capacity, 1);
    pov_utf8_copy(valid, capacity, text);
    cJSON *string = cJSON_CreateString(valid);
    free(valid);
    return string;
}

static cJSON *numbers(const double *values, int len)
{
    cJSON *array = cJSON_CreateArray();
    for (int i = 0; i < len; i++)
        cJSON_AddItemToArray(array, number(values[i]));
    return array;
}

static void add(cJSON *object, const char *name, cJSON *value)
{
    cJSON_AddItemToObjectCS(object, name, value);
}

/* -------- records -------- */

static cJSON *record_object(const pov_record *record, const void *memory, const pov_scene *scene);

static cJSON *id_or_null(const pov_scene *scene, pov_id id)
{
    return id == POV_ID_NONE ? cJSON_CreateNull() : text_or_null(scene->entities[id].name);
}

static cJSON *ids_array(const pov_field *field, const void *memory, const pov_scene *scene)
{
    cJSON *array = cJSON_CreateArray();
    const pov_id *ids = pov_field_at(field, memory);
    for (int i = 0; i < pov_field_len(field, memory); i++)
        cJSON_AddItemToArray(array, id_or_null(scene, ids[i]));
    return array;
}

static cJSON *records_array(const pov_field *field, const void *memory, const pov_scene *scene)
{
    cJSON *array = cJSON_CreateArray();
    const char *item = pov_field_at(field, memory);
    for (int i = 0; i < pov_field_len(field, memory); i++, item += field->size)
        if (field->is_listed == NULL || field->is_listed(item))
            cJSON_AddItemToArray(array, record_object(field->record, item, scene));
    return array;
}

static cJSON *numbers_value(const pov_field *field, const void *memory, const pov_scene *scene)
{
    enum { NUMBERS_MAX = 36 };
    double values[NUMBERS_MAX];
    POV_REQUIRE(field->count <= NUMBERS_MAX);
    if (field->compute != NULL)
        field->compute(values, memory, scene);
    else
        memcpy(values, pov_field_at(field, memory), (size_t)field->count * sizeof *values);
    for (int i = 0; i < field->count && field->is_angle; i++)
        values[i] = pov_degrees(values[i]);
    if (field->row_len == 0)
        return field->count == 1 ? number(*values) : numbers(values, field->count);
    cJSON *rows = cJSON_CreateArray();
    for (int i = 0; i < field->count; i += field->row_len)
        cJSON_AddItemToArray(rows, numbers(values + i, field->row_len));
    return rows;
}

static cJSON *whole_value(const pov_field *field, const void *at)
{
    if (field->size == sizeof(int))
        return integer(field->kind == POV_KIND_WHOLE ? *(const int *)at : (int64_t) * (const uint32_t *)at);
    return field->kind == POV_KIND_WHOLE ? integer(*(const int64_t *)at) : count(*(const uint64_t *)at);
}

static cJSON *field_value(const pov_field *field, const void *memory, const pov_scene *scene)
{
    const void *at = pov_field_at(field, memory);
    switch (field->kind) {
    case POV_KIND_NUMBER:
        return numbers_value(field, memory, scene);
    case POV_KIND_FLAG:
        return cJSON_CreateBool(*(const bool *)at);
    case POV_KIND_WHOLE:
    case POV_KIND_COUNT:
        return whole_value(field, at);
    case POV_KIND_HASH:
        return hash(*(const uint64_t *)at);
    case POV_KIND_TEXT:
        return text_or_null(at);
    case POV_KIND_WORDS:
        return cJSON_CreateString(*(char *const *)at);
    case POV_KIND_CHOICE:
        return name_or_null(field->name(*(const int *)at));
    case POV_KIND_ENTITY:
        return id_or_null(scene, *(const pov_id *)at);
    case POV_KIND_ENTITIES:
        return ids_array(field, memory, scene);
    case POV_KIND_RELATION:
        return name_or_null((*(const pov_relation_info *const *)at)->name);
    case POV_KIND_RECORD:
        return record_object(field->record, at, scene);
    case POV_KIND_LIST:
        return records_array(field, memory, scene);
    case POV_KIND_NAMES:
        break;
    }
    return cJSON_CreateNull();
}

static bool is_empty(const pov_field *field, const void *memory)
{
    const void *at = pov_field_at(field, memory);
    if (field->kind == POV_KIND_LIST)
        return *(const int *)(const void *)((const char *)memory + field->len_at) == 0;
    return field->kind == POV_KIND_TEXT ? *(const char *)at == '\0' : !(*(const double *)at > 0);
}

static bool is_null(const pov_field *field, const void *memory)
{
    return (field->is_told != NULL && !field->is_told(memory)) ||
           ((field->known_at != 0 || field->kind == POV_KIND_RECORD) && !pov_field_is_known(field, memory));
}

/* The member `name` of `object`, an object that is made where there is none yet. */
static cJSON *object_within(cJSON *object, const char *name, size_t length)
{
    char text[32];
    POV_REQUIRE(length < sizeof text);
    memcpy(text, name, length);
    text[length] = '\0';
    cJSON *within = cJSON_GetObjectItemCaseSensitive(object, text);
    return within != NULL ? within : cJSON_AddObjectToObject(object, text);
}

/* memory NULL: all is null. */
static void add_fields(cJSON *object, const pov_record *record, const void *memory, const pov_scene *scene)
{
    for (int i = 0; i < record->len; i++) {
        const pov_field *field = &record->fields[i];
        cJSON *into = object;
        if (field->json == NULL || (memory && field->applies && !field->applies(memory)) ||
            (memory && field->is_left_out_if_empty && is_empty(field, memory)))
            continue;
        const bool without = memory == NULL || is_null(field, memory);
        if (field->is_inline) {
            if (*field->json)
                into = object_within(object, field->json, strlen(field->json));
            add_fields(into, field->record, without ? NULL : pov_field_at(field, memory), scene);
            continue;
        }
        const char *dot = strchr(field->json, '.');
        if (dot != NULL)
            into = object_within(object, field->json, (size_t)(dot - field->json));
        add(into, dot ? dot + 1 : field->json,
            without ? cJSON_CreateNull() : field_value(field, memory, scene));
    }
}

static cJSON *record_object(const pov_record *record, const void *memory, const pov_scene *scene)
{
    cJSON *object = cJSON_CreateObject();
    add_fields(object, record, memory, scene);
    return object;
}

/* -------- lines -------- */

static pov_status write_line(FILE *stream, cJSON *object)
{
    char *line = cJSON_PrintUnformatted(object);
    cJSON_Delete(object);
    if (line == NULL)
        return pov_error("out of memory for a line of JSON");
    errno = 0;
    bool written = fputs(line, stream) >= 0 && fputc('\n', stream) != EOF && fflush(stream) == 0;
    int error = errno;
    cJSON_free(line);
    return written          ? pov_ok()
           : error == EPIPE ? pov_status_of(POV_END)
                            : pov_error("cannot write JSON: %s", strerror(error));
}

pov_status pov_json_write_observation(FILE *stream, const pov_observation *observation)
{
    return write_line(stream, record_object(&pov_observation_record, observation, &observation->scene));
}

pov_status pov_json_write_health(FILE *stream, const pov_health *health)
{
    cJSON *object = cJSON_CreateObject();
    add(object, "health", record_object(&pov_health_record, health, NULL));
    return write_line(stream, object);
}

pov_status pov_json_write_comparison(FILE *stream, const pov_comparison *comparison)
{
    cJSON *object = cJSON_CreateObject();
    add(object, "comparison", record_object(&pov_comparison_record, comparison, NULL));
    return write_line(stream, object);
}

pov_status pov_json_write_exchange(FILE *stream, const pov_exchange *exchange)
{
    cJSON *object = cJSON_CreateObject(), *content = cJSON_AddObjectToObject(object, "exchange"),
          *reply = pov_json_parse_text(exchange->reply);
    if (*exchange->speaker)
        cJSON_AddStringToObject(content, "speaker", exchange->speaker);
    else
        cJSON_AddNullToObject(content, "speaker");
    /* as it came: parsed and printed again, nanoseconds would lose digits */
    cJSON_AddItemToObject(content, "reply",
                          reply ? cJSON_CreateRaw(exchange->reply) : cJSON_CreateString(exchange->reply));
    cJSON_Delete(reply);
    return write_line(stream, object);
}
