/** All of COMFORT's tables for each group of a lab's answers. Pure. */
#ifndef POV_COMPARE_SCORES_COMFORT_TABLES_H
#define POV_COMPARE_SCORES_COMFORT_TABLES_H

#include "compare/scores/comfort_data.h"

/** Comparisons of readings: Table 2's, Tables 3, 8 and 9's, Table 10's. */
typedef enum {
    POV_PREFER_CONVENTION,  /* egocentric translated, rotated, reflected */
    POV_PREFER_PERSPECTIVE, /* egocentric, intrinsic, addressee, by one convention */
    POV_PREFER_READING,     /* intrinsic, egocentric x 3, addressee x 3 */
    POV_PREFER_COUNT
} pov_prefer;

/** The names of a comparison's readings, in order: "translated", ... */
const char *pov_prefer_key(pov_prefer comparison, int reading);
/** Whether it tells anything about a group: conventions, where the camera's frame is asked for or none; the others, where
 *  relata have a front. */
bool pov_prefer_applies(pov_prefer comparison, const pov_comfort_group *group);

typedef struct {
    pov_comfort_score score; /* in the frame that the prompt asks for */
    pov_preference preference[POV_PREFER_COUNT];
} pov_comfort_tables;

/** Out: tables[group], as many as the data has groups. In: convention: by which viewers' answers are judged. */
POV_MUST_USE pov_status pov_comfort_tables_fill(pov_comfort_tables *tables, const pov_comfort_data *data,
                                                const pov_comfort_options *options,
                                                pov_convention convention);

#endif
