#include "protocol/observation/fields_document.h"

#include "perception/geometry/geom.h"
#include "protocol/observation/fields_wire.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* -------- the values of a field -------- */

static void put_numbers(FILE *stream, const pov_field *field)
{
    if (field->row_len > 0)
        fprintf(stream, "[%d][%d]", field->count / field->row_len, field->row_len);
    else if (field->count > 1)
        fprintf(stream, "[%d]", field->count);
    else
        fputs("number", stream);
}

static void put_range(FILE *stream, const pov_field *field, bool in_degrees)
{
    const double unit = in_degrees ? 180 / POV_PI : 1;
    if (field->low == 0 && field->high == 0)
        return;
    if (field->high >= DBL_MAX)
        fprintf(stream, ", %s %g", field->is_above ? "above" : "at least", field->low);
    else
        fprintf(stream, ", %s%g to %g", field->is_above ? "above " : "", unit * field->low,
                unit * field->high);
}

static void put_names(FILE *stream, const pov_field *field)
{
    const char *between = "";
    for (int i = 0; i < field->choices; i++) {
        if (field->name(i) == NULL)
            continue;
        fprintf(stream, "%s`\"%s\"`", between, field->name(i));
        between = ", ";
    }
}

static bool may_be_null(const pov_field *field)
{
    if (field->kind == POV_KIND_CHOICE)
        for (int i = 0; i < field->choices; i++)
            if (field->name(i) == NULL)
                return true;
    return field->is_optional || field->known_at != 0 || field->may_be_nan != NULL || field->is_told != NULL;
}

static void put_value(FILE *stream, const pov_field *field, pov_fields_form form)
{
    const bool in_json = form == POV_FIELDS_JSON;
    switch (field->kind) {
    case POV_KIND_NUMBER:
        put_numbers(stream, field);
        if (in_json && field->is_angle)
            fputs(", degrees", stream);
        put_range(stream, field, in_json && field->is_angle);
        break;
    case POV_KIND_FLAG:
        fputs("true or false", stream);
        break;
    case POV_KIND_WHOLE:
    case POV_KIND_COUNT:
        fputs(field->size == sizeof(uint64_t) ? "integer, 64 bits" : "integer", stream);
        if (field->high < 2147483647.)
            put_range(stream, field, false);
        break;
    case POV_KIND_HASH:
        fputs(in_json ? "16 hexadecimal digits" : "64 bits", stream);
        break;
    case POV_KIND_TEXT:
        fprintf(stream, "text, at most %u bytes", field->size - 1);
        break;
    case POV_KIND_WORDS:
        fprintf(stream, "text, at most %d bytes", field->count);
        break;
    case POV_KIND_CHOICE:
        put_names(stream, field);
        break;
    case POV_KIND_ENTITY:
        fputs(in_json ? "id" : "index into `Scene.entities`", stream);
        break;
    case POV_KIND_ENTITIES:
        fprintf(stream, "%s, at most %d", in_json ? "ids" : "indices into `Scene.entities`", field->count);
        break;
    case POV_KIND_RELATION:
        fputs(in_json ? "name" : "index into `relation_names`", stream);
        break;
    case POV_KIND_NAMES:
        fprintf(stream, "names, at most %d", field->count);
        break;
    case POV_KIND_RECORD:
        if (in_json)
            fputs("object", stream);
        else
            fprintf(stream, "`%s`", field->record->descriptor->short_name);
        break;
    case POV_KIND_LIST:
        fputs("list", stream);
        if (!in_json)
            fprintf(stream, " of `%s`", field->record->descriptor->short_name);
        fprintf(stream, ", at most %d", field->count);
        break;
    }
}

/* -------- tables -------- */

static void put_row(FILE *stream, const char *object, const char *name, const pov_field *field,
                    pov_fields_form form, bool may_be_unknown)
{
    fprintf(stream, "| `%s%s%s` | ", object, *object ? "." : "", name);
    put_value(stream, field, form);
    if (form == POV_FIELDS_JSON && (may_be_unknown || may_be_null(field)))
        fputs(", or null", stream);
    if (form == POV_FIELDS_JSON && field->is_left_out_if_empty)
        fputs(", left out if empty", stream);
    fprintf(stream, " | %s |\n", field->meaning ? field->meaning : "");
}

static void put_json_rows(FILE *stream, const char *object, const pov_record *record, const void *sample,
                          bool may_be_unknown)
{
    for (int i = 0; i < record->len; i++) {
        const pov_field *field = &record->fields[i];
        if (field->json == NULL || (sample != NULL && field->applies != NULL && !field->applies(sample)))
            continue;
        if (field->is_inline)
            put_json_rows(stream, field->json, field->record, NULL,
                          field->known_at != 0 || field->is_known != NULL);
        else
            put_row(stream, object, field->json, field, POV_FIELDS_JSON, may_be_unknown);
    }
}

static void put_heading(FILE *stream, const char *path, const char *name, const char *suffix)
{
    fprintf(stream, "\n### `%s%s%s%s`\n| field | value | |\n|---|---|---|\n", path, *path ? "." : "", name,
            suffix);
}

/* The sections of one list of judgments differ by the kind of their relation. */
static const void *sample_of(const pov_field *field)
{
    static pov_judgment direction, other;
    if (field->is_listed == NULL)
        return NULL;
    direction.query.relation = pov_relation_info_of(POV_LEFT_OF);
    other.query.relation = pov_relation_lookup("next_to");
    return field->is_listed(&direction) ? &direction : &other;
}

static void put_json_objects(FILE *stream, const char *path, const pov_record *record)
{
    for (int i = 0; i < record->len; i++) {
        const pov_field *field = &record->fields[i];
        char deeper[96];
        if (field->json == NULL || field->record == NULL)
            continue;
        if (field->is_inline) {
            put_json_objects(stream, path, field->record);
            continue;
        }
        const char *suffix = field->kind == POV_KIND_LIST ? "[]" : "";
        put_heading(stream, path, field->json, suffix);
        put_json_rows(stream, "", field->record, sample_of(field), false);
        snprintf(deeper, sizeof deeper, "%.40s%s%.40s%s", path, *path ? "." : "", field->json, suffix);
        put_json_objects(stream, deeper, field->record);
    }
}

static void put_message(FILE *stream, const pov_record *record)
{
    put_heading(stream, "", record->descriptor->short_name, "");
    for (int i = 0; i < record->len; i++)
        if (record->fields[i].wire != NULL)
            put_row(stream, "", record->fields[i].wire, &record->fields[i], POV_FIELDS_WIRE, false);
}

void pov_fields_document(FILE *stream, pov_fields_form form)
{
    if (form == POV_FIELDS_WIRE) {
        for (int i = 0; pov_records[i] != NULL; i++)
            put_message(stream, pov_records[i]);
        return;
    }
    static const struct {
        const char *name;
        const pov_record *record;
    } roots[] = {{"observation", &pov_observation_record},
                 {"health", &pov_health_record},
                 {"comparison", &pov_comparison_record}};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        put_heading(stream, "", roots[i].name, "");
        put_json_rows(stream, "", roots[i].record, NULL, false);
        put_json_objects(stream, roots[i].record == &pov_observation_record ? "" : roots[i].name,
                         roots[i].record);
    }
}
