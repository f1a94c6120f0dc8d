/** The papers' tables of scores, put on a sheet. */
#pragma once

#include "compare/layouts/visor.h"
#include "compare/scores/comfort_data.h"
#include "compare/scores/paper_scores.h"
#include "compare/tables/score_sheet.h"

/** COMFORT's Tables 2, 3, 5 and 10, by relation, and calibration. In: tables[group]. */
void pov_sheet_add_comfort(pov_sheet *sheet, const pov_comfort_data *data, const pov_comfort_tables *tables);
/** The tables of FoREST, VSR, Isle-Brick, SPHERE. `formulas` matters for FoREST only. */
void pov_sheet_add_paper(pov_sheet *sheet, pov_paper paper, const pov_paper_scores *scores,
                         pov_formulas formulas);

/** FoREST's Tables 4 and 16, by split and captions, and what is missing. In: scores[model]. */
void pov_sheet_add_visor(pov_sheet *sheet, const pov_visor *visor, const pov_visor_scores *scores,
                         pov_formulas formulas);
