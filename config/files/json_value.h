/** Values of JSON as cJSON items. */
#ifndef POV_CONFIG_FILES_JSON_VALUE_H
#define POV_CONFIG_FILES_JSON_VALUE_H

#include <stdbool.h>
#include <stdio.h>

struct cJSON;

/** A number that is not finite becomes null. */
struct cJSON *pov_json_number(double value);
void pov_json_add_number(struct cJSON *object, const char *name, double value);
/** text NULL becomes null. */
void pov_json_add_text(struct cJSON *object, const char *name, const char *text);

/** Prints and deletes an element of a list: after a comma unless it is the first; clears `first`. */
void pov_json_print_element(FILE *stream, struct cJSON *object, bool *first);

#endif
