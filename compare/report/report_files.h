/** A report's files for print, in a folder: figures, tables, methods, references. */
#pragma once

#include "compare/report/report.h"

/** Tables as CSV: "comfort_performance.csv"; of several files with their number before it: "2_comfort_performance.csv". */
POV_MUST_USE pov_status pov_report_files_csv(const pov_report *report, const char *folder);
/** Each figure as SVG, PDF, CSV and its caption as text; each table as LaTeX and CSV; methods.txt, references.bib. */
POV_MUST_USE pov_status pov_report_files_figures(const pov_report *report, const char *folder);
/** A single figure's four files, or a single table's LaTeX. command: that makes them again; NULL: not known. */
POV_MUST_USE pov_status pov_report_files_figure(const pov_figure *figure, const char *folder,
                                                const char *name, const char *command);
POV_MUST_USE pov_status pov_report_files_table(const pov_sheet_table *table, const char *folder,
                                               const char *name);
