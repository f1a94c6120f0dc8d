#include "config/files/json_value.h"

#include "perception/status.h"

#include <cJSON.h>
#include <math.h>

cJSON *pov_json_number(double value)
{
    return isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull();
}

void pov_json_add_number(cJSON *object, const char *name, double value)
{
    cJSON_AddItemToObject(object, name, pov_json_number(value));
}

void pov_json_add_text(cJSON *object, const char *name, const char *text)
{
    cJSON_AddItemToObject(object, name, text ? cJSON_CreateString(text) : cJSON_CreateNull());
}

void pov_json_print_element(FILE *stream, cJSON *object, bool *first)
{
    char *text = cJSON_PrintUnformatted(object);
    POV_REQUIRE(text);
    fprintf(stream, "%s%s", *first ? "" : ",", text);
    *first = false;
    cJSON_free(text);
    cJSON_Delete(object);
}
