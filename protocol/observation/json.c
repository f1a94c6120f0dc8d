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

/* A line on its way to a stream: most of its pieces are a few bytes. What cannot be written is the stream's error, which is looked at once,
 * after the line. */
typedef struct {
    FILE *stream;
    size_t len;
    char bytes[4096]; /* that wait; chosen: a page */
} writer;

static void write_waiting(writer *line)
{
    (void)fwrite_unlocked(line->bytes, 1, line->len, line->stream);
    line->len = 0;
}

static void add_bytes(writer *line, const char *bytes, size_t len)
{
    if (len > sizeof line->bytes - line->len)
        write_waiting(line);
    if (len > sizeof line->bytes) {
        (void)fwrite_unlocked(bytes, 1, len, line->stream);
        return;
    }
    memcpy(line->bytes + line->len, bytes, len);
    line->len += len;
}

static void add(writer *line, const char *text)
{
    add_bytes(line, text, strlen(text));
}

/* Every number comes back as it was. */
static void add_number(writer *line, double value)
{
    char text[POV_NUMBER_CAPACITY] = "null";
    if (isfinite(value))
        pov_number_text(text, value);
    add(line, text);
}

static void add_hash(writer *line, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "\"%016" PRIx64 "\"", value);
    add(line, text);
}

/* One byte, or one character of several. */
static void add_character(writer *line, const char *character, size_t length)
{
    static const char short_forms[] =
        "\"\"\\\\\bb\ff\nn\rr\tt"; /* each character, then its letter after the backslash */
    char text[8];
    for (const char *form = short_forms; *form && length == 1; form += 2)
        if (*character == *form) {
            add_bytes(line, (const char[]){'\\', form[1]}, 2);
            return;
        }
    if (length == 1 && (unsigned char)*character < ' ') {
        snprintf(text, sizeof text, "\\u%04x", (unsigned)*character);
        add(line, text);
    } else
        add_bytes(line, character, length);
}

static bool is_plain(char c)
{
    return c >= ' ' && c < 127 && c != '"' && c != '\\';
}

/* In quotes. Bytes that are not UTF-8 become '?'. */
static void add_text(writer *line, const char *text)
{
    add_bytes(line, "\"", 1);
    while (*text) {
        size_t length = 0;
        while (is_plain(text[length]))
            length++;
        add_bytes(line, text, length);
        text += length;
        if (!*text)
            break;
        length = pov_utf8_character_length(text);
        add_character(line, length ? text : "?", length ? length : 1);
        text += length ? length : 1;
    }
    add_bytes(line, "\"", 1);
}

static void add_text_or_null(writer *line, const char *text)
{
    if (text)
        add_text(line, text);
    else
        add(line, "null");
}

static void begin_item(writer *line, bool is_first)
{
    if (!is_first)
        add_bytes(line, ",", 1);
}

static void add_numbers(writer *line, const double *values, int len)
{
    add(line, "[");
    for (int i = 0; i < len; i++) {
        begin_item(line, i == 0);
        add_number(line, values[i]);
    }
    add(line, "]");
}

/* -------- records -------- */

static void add_record(writer *line, const pov_record *record, const void *memory, const pov_scene *scene);

static void add_id(writer *line, const pov_scene *scene, pov_id id)
{
    add_text_or_null(line, id == POV_ID_NONE ? NULL : scene->entities[id].name);
}

static void add_ids(writer *line, const pov_field *field, const void *memory, const pov_scene *scene)
{
    const pov_id *ids = pov_field_at(field, memory);
    add(line, "[");
    for (int i = 0; i < pov_field_len(field, memory); i++) {
        begin_item(line, i == 0);
        add_id(line, scene, ids[i]);
    }
    add(line, "]");
}

static void add_records(writer *line, const pov_field *field, const void *memory, const pov_scene *scene)
{
    const char *item = pov_field_at(field, memory);
    bool is_first = true;
    add(line, "[");
    for (int i = 0; i < pov_field_len(field, memory); i++, item += field->size) {
        if (field->is_listed && !field->is_listed(item))
            continue;
        begin_item(line, is_first);
        add_record(line, field->record, item, scene);
        is_first = false;
    }
    add(line, "]");
}

static void add_numbers_of(writer *line, const pov_field *field, const void *memory, const pov_scene *scene)
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
    if (field->row_len == 0 && field->count == 1)
        add_number(line, *values);
    else if (field->row_len == 0)
        add_numbers(line, values, field->count);
    else {
        add(line, "[");
        for (int i = 0; i < field->count; i += field->row_len) {
            begin_item(line, i == 0);
            add_numbers(line, values + i, field->row_len);
        }
        add(line, "]");
    }
}

static void add_whole(writer *line, const pov_field *field, const void *at)
{
    char text[24];
    if (field->kind == POV_KIND_WHOLE)
        snprintf(text, sizeof text, "%" PRId64,
                 field->size == sizeof(int) ? *(const int *)at : *(const int64_t *)at);
    else
        snprintf(text, sizeof text, "%" PRIu64,
                 field->size == sizeof(int) ? *(const uint32_t *)at : *(const uint64_t *)at);
    add(line, text);
}

static void add_value(writer *line, const pov_field *field, const void *memory, const pov_scene *scene)
{
    const void *at = pov_field_at(field, memory);
    switch (field->kind) {
    case POV_KIND_NUMBER:
        add_numbers_of(line, field, memory, scene);
        return;
    case POV_KIND_FLAG:
        add(line, *(const bool *)at ? "true" : "false");
        return;
    case POV_KIND_WHOLE:
    case POV_KIND_COUNT:
        add_whole(line, field, at);
        return;
    case POV_KIND_HASH:
        add_hash(line, *(const uint64_t *)at);
        return;
    case POV_KIND_TEXT:
        add_text(line, at);
        return;
    case POV_KIND_WORDS:
        add_text_or_null(line, *(char *const *)at);
        return;
    case POV_KIND_CHOICE:
        add_text_or_null(line, field->name(*(const int *)at));
        return;
    case POV_KIND_ENTITY:
        add_id(line, scene, *(const pov_id *)at);
        return;
    case POV_KIND_ENTITIES:
        add_ids(line, field, memory, scene);
        return;
    case POV_KIND_RELATION:
        add_text_or_null(line, (*(const pov_relation_info *const *)at)->name);
        return;
    case POV_KIND_RECORD:
        add_record(line, field->record, at, scene);
        return;
    case POV_KIND_LIST:
        add_records(line, field, memory, scene);
        return;
    case POV_KIND_NAMES:
        break;
    }
    add(line, "null");
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

/* An object whose members are written one after the other. Some are members of an object within it ("pose.source", "pose.candidates"): they
 * stand together in the table. */
typedef struct {
    writer *line;
    bool has_members;   /* the object that is open */
    const char *within; /* its name, where it is within the object; "": it is the object itself */
    size_t within_length;
} members;

static void begin_member(members *m, const char *name, size_t length)
{
    begin_item(m->line, !m->has_members);
    m->has_members = true;
    add_bytes(m->line, "\"", 1);
    add_bytes(m->line, name, length);
    add_bytes(m->line, "\":", 2);
}

static void enter_object(members *m, const char *name, size_t length)
{
    if (m->within_length == length && memcmp(m->within, name, length) == 0)
        return;
    if (m->within_length > 0) {
        add(m->line, "}");
        m->has_members = true;
    }
    if (length > 0) {
        begin_member(m, name, length);
        add(m->line, "{");
        m->has_members = false;
    }
    m->within = name;
    m->within_length = length;
}

/* memory NULL: all is null. within: the object that members belong to whose names have none. */
static void add_members(members *m, const pov_record *record, const void *memory, const pov_scene *scene,
                        const char *within)
{
    for (int i = 0; i < record->len; i++) {
        const pov_field *field = &record->fields[i];
        if (field->json == NULL || (memory && field->applies && !field->applies(memory)) ||
            (memory && field->is_left_out_if_empty && is_empty(field, memory)))
            continue;
        const bool without = memory == NULL || is_null(field, memory);
        if (field->is_inline) {
            add_members(m, field->record, without ? NULL : pov_field_at(field, memory), scene,
                        *field->json ? field->json : within);
            continue;
        }
        const char *dot = strchr(field->json, '.'), *name = dot ? dot + 1 : field->json;
        enter_object(m, dot ? field->json : within, dot ? (size_t)(dot - field->json) : strlen(within));
        begin_member(m, name, strlen(name));
        if (without)
            add(m->line, "null");
        else
            add_value(m->line, field, memory, scene);
    }
}

static void add_record(writer *line, const pov_record *record, const void *memory, const pov_scene *scene)
{
    members m = {.line = line, .within = ""};
    add(line, "{");
    add_members(&m, record, memory, scene, "");
    enter_object(&m, "", 0);
    add(line, "}");
}

/* -------- lines -------- */

static void begin_line(writer *line, FILE *stream)
{
    flockfile(stream); /* lines of other threads come before it or after it */
    errno = 0;
    line->stream = stream;
    line->len = 0;
}

static pov_status end_line(writer *line)
{
    FILE *stream = line->stream;
    add(line, "\n");
    write_waiting(line);
    const bool written = !ferror_unlocked(stream) && fflush_unlocked(stream) == 0;
    const int error = errno;
    funlockfile(stream);
    return written          ? pov_ok()
           : error == EPIPE ? pov_status_of(POV_END)
                            : pov_error("cannot write JSON: %s", strerror(error ? error : EIO));
}

pov_status pov_json_write_observation(FILE *stream, const pov_observation *observation)
{
    writer line;
    begin_line(&line, stream);
    add_record(&line, &pov_observation_record, observation, &observation->scene);
    return end_line(&line);
}

pov_status pov_json_write_health(FILE *stream, const pov_health *health)
{
    writer line;
    begin_line(&line, stream);
    add(&line, "{\"health\":");
    add_record(&line, &pov_health_record, health, NULL);
    add(&line, "}");
    return end_line(&line);
}

pov_status pov_json_write_comparison(FILE *stream, const pov_comparison *comparison)
{
    writer line;
    begin_line(&line, stream);
    add(&line, "{\"comparison\":");
    add_record(&line, &pov_comparison_record, comparison, NULL);
    add(&line, "}");
    return end_line(&line);
}

pov_status pov_json_write_exchange(FILE *stream, const pov_exchange *exchange)
{
    cJSON *reply = pov_json_parse_text(exchange->reply);
    writer line;
    begin_line(&line, stream);
    add(&line, "{\"exchange\":{\"speaker\":");
    add_text_or_null(&line, *exchange->speaker ? exchange->speaker : NULL);
    add(&line, ",\"reply\":");
    if (reply) /* as it came: parsed and printed again, nanoseconds would lose digits */
        add(&line, exchange->reply);
    else
        add_text(&line, exchange->reply);
    add(&line, "}}");
    cJSON_Delete(reply);
    return end_line(&line);
}
