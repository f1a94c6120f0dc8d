/** `pov score`: the papers' tables on a sheet. */
#ifndef POV_FIRMWARE_SCORE_PRINT_H
#define POV_FIRMWARE_SCORE_PRINT_H

#include "compare/comfort_tables.h"
#include "compare/paper_scores.h"
#include "compare/sheet.h"

/** COMFORT's Tables 2, 3, 5 and 10, by relation, and calibration. In: tables[group]. */
void pov_score_print_comfort(pov_sheet *sheet, const pov_comfort_data *data,
                             const pov_comfort_tables *tables);
/** Those of FoREST, VSR, Isle-Brick, SPHERE. */
void pov_score_print_paper(pov_sheet *sheet, pov_paper paper, const pov_paper_scores *scores);

#endif
