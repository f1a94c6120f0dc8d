/** One model on a page: the frames it uses, where its answers flip, its accuracy plain, robust and chance-adjusted, what scaffolds change, how its
 *  probabilities are calibrated, what it costs; with what two laboratories need to compare such pages. Pure. */
#pragma once

#include "compare/report/report.h"

typedef struct {
    const char *model, *version;  /* of the program */
    const char *simulated;        /* what is known to be; NULL: nothing */
    const pov_report_fact *facts; /* of the logs */
    int facts_len;
    const pov_answers *answers; /* scored; each of a paper */
    int len;
    const pov_sheet *extra; /* of all logs: where answers flip, in which frames they are; NULL: none */
    uint64_t seed;          /* of the bootstrap */
} pov_model_card;

/** The card's tables, the first of which identifies it. The card must outlive the sheet.
 *  Returns: POV_ERROR, which names the models that there are: none of the answers is of this one. */
POV_MUST_USE pov_status pov_model_card_fill(pov_sheet *sheet, const pov_model_card *card);
/** A page without network or script. */
void pov_model_card_write_html(const pov_model_card *card, const pov_sheet *sheet, FILE *stream);
