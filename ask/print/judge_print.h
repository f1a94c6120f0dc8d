/** Judgments of a scene as people, spreadsheets and programs read them. */
#pragma once

#include "perception/relations/relation.h"

#include <stdio.h>

struct cJSON;

/** A block for one pair: a line a frame of reference, a column a relation; at most 100 columns wide. Angles are told
 *  in degrees counter-clockwise from above, distances in metres, in all that follows. */
void pov_judge_print_table(FILE *stream, const pov_scene *scene, const pov_judgment *judgments, int len);

/** Prints the template's file and its regions. */
void pov_judge_print_template(FILE *stream, const char *path, const pov_template *regions);
/** The same as the member "template" of a JSON object, with a comma after it. */
void pov_judge_print_template_json(FILE *stream, const char *path, const pov_template *regions);

/* As comma-separated values and as JSON a judgment is `directed` if it is told with what only directions have: acceptance,
 * angles, distances, containment. Else it has the list of its relata, and of perspective and axis only what its relation needs. */

/** The names of the columns, then a line for each judgment; text quoted as in RFC 4180, several relata joined by "+". */
void pov_judge_print_csv_header(FILE *stream);
void pov_judge_print_csv(FILE *stream, const pov_scene *scene, const pov_judgment *judgment, bool directed);
/** A judgment as an object with the names of docs/JSON.md. */
struct cJSON *pov_judge_object(const pov_scene *scene, const pov_judgment *judgment, bool directed);

/** "camera, reflected, sight line", "car's own front", "in every frame" */
void pov_judge_describe_frame(char *text, size_t capacity, const pov_scene *scene, const pov_query *query);

typedef enum { POV_OUTPUT_TABLE, POV_OUTPUT_JSON, POV_OUTPUT_CSV } pov_output_form;
