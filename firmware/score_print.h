/** `pov score`: the papers' tables on a sheet. */
#ifndef POV_FIRMWARE_SCORE_PRINT_H
#define POV_FIRMWARE_SCORE_PRINT_H

#include "compare/comfort_tables.h"
#include "compare/paper_scores.h"
#include "firmware/score_sheet.h"

typedef struct {
    pov_comfort_options comfort;
    pov_convention convention; /* by which egocentric and addressee's answers are judged */
} pov_score_options;

/** COMFORT's Tables 2, 3, 5 and 10, by relation, and calibration. */
POV_MUST_USE pov_status pov_score_print_comfort(pov_score_sheet *sheet, const pov_comfort_data *data,
                                                const pov_score_options *options);
/** Those of FoREST, VSR, Isle-Brick, SPHERE. */
void pov_score_print_paper(pov_score_sheet *sheet, pov_paper paper, const pov_paper_scores *scores);

#endif
