/** A lab's answers to COMFORT's questions, gathered into curves: from a table, or from the authors' layout. */
#ifndef POV_COMPARE_SCORES_COMFORT_DATA_H
#define POV_COMPARE_SCORES_COMFORT_DATA_H

#include "compare/answers/answer_parse.h"
#include "compare/languages/prompt.h"
#include "compare/scores/comfort_score.h"
#include "compare/tables/table.h"

/** Curves of one model and language, asked with one prompt about relata with a front (CAR) or without (BALL). */
typedef struct {
    const char *model, *language;
    bool has_front;
    pov_prompt prompt;
    int first, len; /* of the curves */
    int answers[POV_ANSWER_KINDS];
} pov_comfort_group;

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
 *  or a list of such under "cases"; with "hallucination_inputs", object presence. */
POV_MUST_USE pov_status pov_comfort_data_parse(pov_comfort_data **data, const char *name, const char *text,
                                               size_t length);
/** Whether a text is, or begins as, that layout. */
bool pov_comfort_data_is_layout(const char *text, size_t length);
void pov_comfort_data_destroy(pov_comfort_data **data);

int pov_comfort_data_groups(const pov_comfort_data *data);
const pov_comfort_group *pov_comfort_data_group(const pov_comfort_data *data, int group);
int pov_comfort_data_presences(const pov_comfort_data *data);
const pov_presence_group *pov_comfort_data_presence(const pov_comfort_data *data, int group);
/** Object presence of the model, language and set that a group of curves is of; NULL: none was asked. */
const pov_presence_group *pov_comfort_data_presence_for(const pov_comfort_data *data, int group);
/** Of all groups, each group's together. */
const pov_comfort_curve *pov_comfort_data_curves(const pov_comfort_data *data);
int pov_comfort_data_len(const pov_comfort_data *data);
/** The row of the table that a curve's sample came from; -1: none. */
int pov_comfort_data_row(const pov_comfort_data *data, int curve, int sample);

#endif
