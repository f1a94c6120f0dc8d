#include "config/files/json_value.h"

#include "perception/status.h"

#include <cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The first "\u0000" from `at` on, where a backslash does not stand for itself; `end` if there is none. */
static const char *find_zero(const char *at, const char *end)
{
    static const char zero[] = "\\u0000";
    while ((at = memchr(at, '\\', (size_t)(end - at))) && end - at > 1) {
        if ((size_t)(end - at) >= strlen(zero) && memcmp(at, zero, strlen(zero)) == 0)
            return at;
        at += 2;
    }
    return end;
}

/* cJSON unescapes "\u0000" to the byte that ends a C string. "\ufffd" is as long. */
cJSON *pov_json_parse_begin(const char *text, size_t length, const char **stopped)
{
    const char *zero = find_zero(text, text + length);
    if (memchr(text, '\0', length)) {
        *stopped = text;
        return NULL;
    }
    if (zero == text + length)
        return cJSON_ParseWithLengthOpts(text, length, stopped, false);
    char *copy = malloc(length);
    POV_REQUIRE_MEMORY(copy);
    memcpy(copy, text, length);
    for (; zero < text + length; zero = find_zero(zero + 2, text + length))
        memcpy(copy + (zero - text), "\\ufffd", 6);
    cJSON *item = cJSON_ParseWithLengthOpts(copy, length, stopped, false);
    *stopped = text + (*stopped - copy);
    free(copy);
    return item;
}

cJSON *pov_json_parse(const char *text, size_t length)
{
    const char *stopped;
    return pov_json_parse_begin(text, length, &stopped);
}

cJSON *pov_json_parse_text(const char *text)
{
    return pov_json_parse(text, strlen(text));
}

cJSON *pov_json_number(double value)
{
    return isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull();
}

cJSON *pov_json_rounded(double value, int digits)
{
    static const double per_unit[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
    POV_REQUIRE(digits >= 0 && digits < (int)(sizeof per_unit / sizeof *per_unit));
    return pov_json_number(round(value * per_unit[digits]) / per_unit[digits] + 0.0); /* no -0 */
}

void pov_json_add_number(cJSON *object, const char *name, double value)
{
    cJSON_AddItemToObject(object, name, pov_json_number(value));
}

void pov_json_add_text(cJSON *object, const char *name, const char *text)
{
    cJSON_AddItemToObject(object, name, text ? cJSON_CreateString(text) : cJSON_CreateNull());
}

const char *pov_json_text_of(const cJSON *object, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
    return text ? text : "";
}

double pov_json_number_of(const cJSON *object, const char *name)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsNumber(value) ? value->valuedouble : NAN;
}

void pov_json_print(FILE *stream, cJSON *item)
{
    char *text = cJSON_PrintUnformatted(item);
    POV_REQUIRE_MEMORY(text);
    fputs(text, stream);
    cJSON_free(text);
    cJSON_Delete(item);
}

void pov_json_print_line(FILE *stream, cJSON *item)
{
    pov_json_print(stream, item);
    fputc('\n', stream);
}

void pov_json_print_element(FILE *stream, cJSON *item, bool *first)
{
    fputs(*first ? "" : ",", stream);
    *first = false;
    pov_json_print(stream, item);
}
