/** A study as a page: which frames people meant, the robot's part, agreement of raters. Pure. */
#pragma once

#include "compare/report/report.h"
#include "compare/study/study_results.h"

typedef struct {
    const char *title, *version, *about, *consent; /* of the document, of the program, of the protocol */
    bool simulated;
    pov_study_counts counts;
    const pov_study_results *results;
    const pov_sheet *scores; /* pov_study_scores */
} pov_study_report;

/** One page without network or script; readable in print, in light and dark. */
void pov_study_report_write_html(const pov_study_report *report, FILE *stream);
/** The frames meant in each condition. False: there is no condition. */
bool pov_study_report_figure(pov_figure *figure, const pov_study_results *results);
