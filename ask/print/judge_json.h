/** What the JSON of judgments is made with. */
#ifndef POV_ASK_PRINT_JUDGE_JSON_H
#define POV_ASK_PRINT_JUDGE_JSON_H

#include <stdbool.h>
#include <stdio.h>

struct cJSON;

/** text NULL: null. */
void pov_judge_json_text(struct cJSON *object, const char *name, const char *text);
/** Not finite: null. */
void pov_judge_json_number(struct cJSON *object, const char *name, double value);

/** Prints and deletes an element of a list: a comma before it unless it is the first, which `first` then says no more. */
void pov_judge_json_element(FILE *stream, struct cJSON *object, bool *first);

#endif
