/** Values of JSON as cJSON items: the one way to read them, and the one way to print them. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct cJSON;

/** Parses the value at the beginning of a text; what follows it is ignored. "\u0000" becomes U+FFFD: a C string would end there, and
 *  hide the rest. The caller deletes the item. Aborts if memory runs out.
 *  Returns: NULL: not JSON, or a byte of the text is zero. */
struct cJSON *pov_json_parse(const char *text, size_t length);
struct cJSON *pov_json_parse_text(const char *text); /* up to its end */
/** `stopped`: behind the value, or where the text is not JSON. */
struct cJSON *pov_json_parse_begin(const char *text, size_t length, const char **stopped);

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
