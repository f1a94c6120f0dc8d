/** A comparison as a document: what was asked, what was found, the papers' tables with their own rows beside ours, plots,
 *  and the cases where model and geometry disagree. The same bytes for the same answers. Pure but for the thumbnails. */
#pragma once

#include "compare/report/figure.h"
#include "compare/scoring/answers.h"
#include "compare/statistics/name_set.h"

/** Makes a small picture of an image that the answers of a file name: a data URI, valid until the next call; NULL: there is none, or its
 *  bytes are not those asked about. sha256: of these; "": not known. marks: where the things of a question are, as its column has it. */
typedef const char *(*pov_report_thumbnail)(void *context, const char *answers_path, const char *image,
                                            const char *sha256, const char *marks);

/** A line of the head. */
typedef struct {
    const char *name, *text; /* borrowed */
} pov_report_fact;

typedef struct {
    const char *title, *version;  /* of the document (NULL: models and data), of the program */
    const pov_report_fact *facts; /* known from elsewhere; columns do not add to facts of the same name */
    int facts_len;
    const char *simulated;          /* what is known to be; NULL: what columns tell */
    const char *command;            /* that makes the report again; NULL: not known */
    const pov_name_set *remarks;    /* begin the findings; NULL: none */
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

/** A figure's place: its section, and its number among the figures of a group of answers. */
typedef struct {
    const char *section, *group; /* group: "": none */
    int number;                  /* of the group, from 0 */
    bool is_wide;                /* on the page: as wide as it */
    bool is_summary;             /* the one that the part begins with */
} pov_report_place;
/** The figure and its words are borrowed until the call returns. */
typedef void (*pov_report_visit)(void *context, const pov_figure *figure, const pov_report_place *place);
/** Makes the figures of a file's answers, one after the other. */
void pov_report_figures(const pov_report *report, int file, pov_report_visit visit, void *context);

/** A PDF of A4 pages: findings, methods, numbered tables and figures, what to cite. */
POV_MUST_USE pov_status pov_report_write_paper(const pov_report *report, FILE *stream);
/** The command that makes the report again; "": not known. */
const char *pov_report_command(const pov_report *report);
/** How the numbers were made, in words; what to cite for them, as BibTeX. */
void pov_report_write_methods(const pov_report *report, FILE *stream);
void pov_report_write_bibtex(const pov_report *report, FILE *stream);

/** Files of answers, and the paper of one: "comfort". */
int pov_report_file_len(const pov_report *report);
const char *pov_report_file_paper(const pov_report *report, int file);

/** Tables of a file's answers: those in the papers' form, comparisons, the scores', in their order; the last is "disagreements". */
int pov_report_table_len(const pov_report *report, int file);
/** Its name, e.g. "performance". */
const char *pov_report_table_name(const pov_report *report, int file, int table);
/** The tables of all files together; NULL: none. */
const pov_sheet *pov_report_extra(const pov_report *report);
/** With all digits. */
void pov_report_write_csv(const pov_report *report, int file, int table, FILE *stream);
/** As LaTeX. The disagreements and empty tables have none. */
bool pov_report_has_tex(const pov_report *report, int file, int table);
void pov_report_write_tex(const pov_report *report, int file, int table, FILE *stream);
/** A table alone, without published rows. */
void pov_report_write_csv_table(FILE *stream, const pov_sheet_table *table);
void pov_report_write_tex_table(FILE *stream, const pov_answers *answers, const pov_sheet_table *table,
                                const char *label);
