/** Tables of scores for a person (aligned, in percent, intervals below the means) or a program (one JSON object). */
#ifndef POV_FIRMWARE_SCORE_SHEET_H
#define POV_FIRMWARE_SCORE_SHEET_H

#include "compare/bootstrap.h"

typedef struct pov_score_sheet pov_score_sheet;

POV_MUST_USE pov_status pov_score_sheet_new(pov_score_sheet **sheet, bool json);
/** Prints what is left. */
void pov_score_sheet_destroy(pov_score_sheet **sheet);

/** Starts a table; rows and cells follow, the same keys in each row. `key` names it in JSON, `title` on paper. */
void pov_score_sheet_table(pov_score_sheet *sheet, const char *key, const char *title);
void pov_score_sheet_row(pov_score_sheet *sheet);
void pov_score_sheet_text(pov_score_sheet *sheet, const char *key, const char *text);
void pov_score_sheet_count(pov_score_sheet *sheet, const char *key, int count);
/** A share: times 100 on paper, as it is in JSON. */
void pov_score_sheet_share(pov_score_sheet *sheet, const char *key, double share);
void pov_score_sheet_estimate(pov_score_sheet *sheet, const char *key, const pov_estimate *estimate);
/** For programs only. */
void pov_score_sheet_numbers(pov_score_sheet *sheet, const char *key, const double *numbers, int len);

#endif
