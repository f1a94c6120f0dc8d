/** A lab's answers to COMFORT's questions, gathered into curves: from a table, or from the authors' layout. */
#pragma once

#include "compare/answers/answer_parse.h"
#include "compare/scores/comfort_score.h"
#include "compare/statistics/curve.h"
#include "compare/tables/table.h"

/** Curves of one model and language, asked with one prompt about relata with a front (CAR) or without (BALL). */
typedef struct {
    const char *model, *language;
    bool has_front;
    pov_prompt prompt;
    pov_convention convention; /* of the language's golds, by which the answers are judged */
    int first, len;            /* of the curves */
    int answers[POV_ANSWER_KINDS];
} pov_comfort_group;

/** The frame of reference that a group's prompt asks for. */
pov_reading pov_comfort_group_reading(const pov_comfort_group *group);

/** Object presence, by model, language and set. */
typedef struct {
    const char *model, *language;
    bool has_front;
    pov_presence presence;
    int answers[POV_ANSWER_KINDS];
} pov_presence_group;

typedef struct pov_comfort_data pov_comfort_data;

/** From a table: docs/SCORES.md lists its columns. Errors name file, line and column, and complain of a second answer to a
 *  question. `words` are for answers in words; the others have P(yes). */
POV_MUST_USE pov_status pov_comfort_data_new(pov_comfort_data **data, const pov_table *table,
                                             const pov_yes_no_words *words);
/** From the layout of the authors' scripts: {"p_yes": {relation: {variant: [36 or 37 numbers, theta from -180 degrees]}}},
 *  or a list of such under "cases"; with "hallucination_inputs", object presence. A case may tell its "model", "language" (en), "prompt"
 *  (cam), and by variant "relatum_facing_deg" and "addressee_facing_deg". */
POV_MUST_USE pov_status pov_comfort_data_parse(pov_comfort_data **data, const char *name, const char *text,
                                               size_t length);
/** True if a text is, or begins as, that layout. */
bool pov_comfort_data_is_layout(const char *text, size_t length);
void pov_comfort_data_destroy(pov_comfort_data **data);
/** The facing that a party was put to, of one that was measured: to 15 degrees. A scene's repetitions differ by less. */
double pov_comfort_facing_deg(double facing_deg);
/** What a file in the authors' layout says to be simulated; "": nothing. */
const char *pov_comfort_data_simulated(const pov_comfort_data *data);
/** Judges all groups by one convention, whatever their languages' are. */
void pov_comfort_data_judge_by(pov_comfort_data *data, pov_convention convention);

int pov_comfort_data_groups(const pov_comfort_data *data);
const pov_comfort_group *pov_comfort_data_group(const pov_comfort_data *data, int group);
int pov_comfort_data_presences(const pov_comfort_data *data);
const pov_presence_group *pov_comfort_data_presence(const pov_comfort_data *data, int group);
/** Object presence of the model, language and set that a group of curves is of; NULL: none was asked. */
const pov_presence_group *pov_comfort_data_presence_for(const pov_comfort_data *data, int group);
/** The curves of all groups, each group's together. */
const pov_comfort_curve *pov_comfort_data_curves(const pov_comfort_data *data);
int pov_comfort_data_len(const pov_comfort_data *data);
/** The row of the table that a curve's sample came from; -1: none. */
int pov_comfort_data_row(const pov_comfort_data *data, int curve, int sample);

/* ---- All of COMFORT's tables for each group of a lab's answers. Pure. ---- */

/** Comparisons of readings: Table 2's, Tables 3, 8 and 9's, Table 10's. */
typedef enum {
    POV_PREFER_CONVENTION,  /* egocentric translated, rotated, reflected */
    POV_PREFER_PERSPECTIVE, /* egocentric, intrinsic, addressee, by one convention */
    POV_PREFER_READING,     /* intrinsic, egocentric x 3, addressee x 3 */
    POV_PREFER_COUNT
} pov_prefer;

/** The names of a comparison's readings, in order: "translated", ... */
const char *pov_prefer_key(pov_prefer comparison, int reading);
/** True if it tells anything about a group: conventions, where the camera's frame is asked for or none; the others, where
 *  relata have a front. */
bool pov_prefer_applies(pov_prefer comparison, const pov_comfort_group *group);

typedef struct {
    pov_comfort_score score; /* in the frame that the prompt asks for */
    pov_preference preference[POV_PREFER_COUNT];
} pov_comfort_tables;

/** The perspective that a group's answers follow among all readings: "egocentric", "addressee?" (not tested), "-"; in another convention
 *  than the language's "egocentric (rotated)". The caller frees it. */
char *pov_comfort_preferred_frame(const pov_comfort_group *group, const pov_preference *reading);

/** Out: tables[group], as many as the data has groups. */
void pov_comfort_tables_fill(pov_comfort_tables *tables, const pov_comfort_data *data,
                             const pov_comfort_options *options);
