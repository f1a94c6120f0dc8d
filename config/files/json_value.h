/** Values of JSON as cJSON items, and the one way to print them: what pov writes as JSON goes through cJSON. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct cJSON;

/** A number that is not finite becomes null. */
struct cJSON *pov_json_number(double value);
/** Rounded to so many digits after the point, at most 6: short text. */
struct cJSON *pov_json_rounded(double value, int digits);
void pov_json_add_number(struct cJSON *object, const char *name, double value);
/** text NULL becomes null. */
void pov_json_add_text(struct cJSON *object, const char *name, const char *text);

/** A member of an object: its text, "" if it has none; its number, NaN if it has none. `object` may be NULL. */
const char *pov_json_text_of(const struct cJSON *object, const char *name);
double pov_json_number_of(const struct cJSON *object, const char *name);

/** These print an item without spaces, and delete it. Aborts if memory runs out. */
void pov_json_print(FILE *stream, struct cJSON *item);
/** Ends the line. */
void pov_json_print_line(FILE *stream, struct cJSON *item);
/** An element of a list: after a comma unless it is the first; clears `first`. */
void pov_json_print_element(FILE *stream, struct cJSON *item, bool *first);
