#include "config/files/json_value.h"

#include "perception/status.h"

#include <cJSON.h>
#include <math.h>

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
