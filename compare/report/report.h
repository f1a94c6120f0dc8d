/** A comparison as a document: what was asked, what was found, the papers' tables with their own rows beside ours, plots,
 *  and the cases where model and geometry disagree. The same bytes for the same answers. Pure but for the thumbnails. */
#ifndef POV_COMPARE_REPORT_REPORT_H
#define POV_COMPARE_REPORT_REPORT_H

#include "compare/scoring/answers.h"

/** Makes a small picture of an image that the answers of a file name: a data URI, valid until the next call; NULL: there
 *  is none. */
typedef const char *(*pov_report_thumbnail)(void *context, const char *answers_path, const char *image);

/** A line of the head. */
typedef struct {
    char name[40], text[700];
} pov_report_fact;

typedef struct {
    const char *title, *version;  /* of the document, of the program */
    const pov_report_fact *facts; /* known from elsewhere; columns do not add to facts of the same name */
    int facts_len;
    const char *simulated;          /* what is known to be; NULL: what columns tell */
    const pov_sheet *extra;         /* tables of all files together; NULL: none */
    const pov_answers *answers;     /* borrowed */
    int len;                        /* files */
    pov_report_thumbnail thumbnail; /* NULL: no images */
    void *context;
} pov_report_source;

typedef struct pov_report pov_report;

pov_report *pov_report_new(const pov_report_source *source);
void pov_report_destroy(pov_report **report);

/** One page without network or script; readable in print, in light and dark. */
void pov_report_write_html(const pov_report *report, FILE *stream);
/** The same words and tables. */
void pov_report_write_markdown(const pov_report *report, FILE *stream);

/** Tables of a file's answers, as CSV with all digits: the scores', in their order, then "disagreements". */
int pov_report_csv_len(const pov_report *report, int file);
/** Its name, e.g. "performance". */
const char *pov_report_csv_name(const pov_report *report, int file, int table);
void pov_report_write_csv(const pov_report *report, int file, int table, FILE *stream);

#endif
