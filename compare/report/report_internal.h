/** Parts of a report, shared by its writers. */
#ifndef POV_COMPARE_REPORT_REPORT_INTERNAL_H
#define POV_COMPARE_REPORT_REPORT_INTERNAL_H

#include "compare/report/report.h"
#include "compare/report/report_cases.h"

enum {
    POV_REPORT_WORST_MAX = 24,  /* disagreements shown */
    POV_REPORT_IMAGES_MAX = 24, /* images on the contact sheet */
    POV_REPORT_CURVES_MAX = 12, /* figures of curves */
    POV_REPORT_BARS_MAX = 40,   /* rows of a figure of intervals */
    POV_REPORT_ROWS_MAX = 240,  /* of a table on the page */
    POV_REPORT_FACTS_MAX = 24,
    POV_REPORT_FINDINGS_MAX = 60,
    POV_REPORT_LINE = 700
};

typedef struct {
    const pov_answers *answers;
    pov_report_cases cases;
    pov_sheet *pivots; /* a row for each model, as the papers print them */
} pov_report_part;

struct pov_report {
    pov_report_source source;
    pov_report_part *parts;
    int len;
    pov_report_fact facts[POV_REPORT_FACTS_MAX];
    int facts_len;
    char findings[POV_REPORT_FINDINGS_MAX][POV_REPORT_LINE];
    int findings_len, findings_left_out;
    char simulated[POV_REPORT_LINE]; /* what is simulated; "": nothing is known to be */
};

/** "COMFORT" ... */
const char *pov_report_paper_title(const pov_answers *answers);
/** True if another file has answers of the same paper, too. */
bool pov_report_has_others(const pov_report *report, int number);
/** A file's name; its path, if another one of the same paper has the same name. */
const char *pov_report_part_name(const pov_report *report, int number);
/** "mine, English, CAR, the camera's viewpoint". */
void pov_report_group_name(char name[160], const pov_comfort_group *group);
/** The column's name in print. */
const char *pov_report_column_words(const char *key);
/** True if anything stands in a column that people read. */
bool pov_report_column_shows(const pov_sheet_table *table, int column);

/** A table; the columns in which nothing stands are left out. */
void pov_report_write_table(FILE *stream, const pov_sheet_table *table);

enum { POV_REPORT_SERIES_MAX = 7 };

typedef struct {
    char name[160];                         /* cut where it does not fit */
    pov_estimate at[POV_REPORT_SERIES_MAX]; /* of each series; mean NaN: none */
    double chance;                          /* NaN: none */
} pov_report_interval_row;

/** Means with the intervals that they have, in percent, a row each; then `axis` says so. `series`: their names; one alone
 *  is not named. */
void pov_report_plot_intervals(FILE *stream, const char *title, const pov_report_interval_row *rows, int len,
                               const char *const *series, int series_len, const char *axis);

/* ---- tables that the papers published, beside ours ---- */

typedef struct {
    const char *paper, *table; /* ours: "comfort", "performance" */
    const char *source;        /* "Zhang et al. 2025, Table 5" */
    const char *columns;       /* keys of that table, tabs between; "|" between names that one may have */
    const char *const *rows;   /* values in print, tabs between; ended by NULL */
} pov_published;

/** Ended by one whose paper is NULL. */
extern const pov_published POV_PUBLISHED[];

/** The cell of a published row under a column of ours; false: it has none. */
bool pov_report_published_cell(char text[80], const pov_published *published, const char *row,
                               const char *column);
/** True if a published row is about what our table is about: the same set, prompt and language. */
bool pov_report_published_fits(const pov_published *published, const char *row, const pov_sheet_table *table);
/** True if a published table stands beside ours and has numbers for it. */
bool pov_report_published_is_for(const pov_published *published, const pov_answers *answers,
                                 const pov_sheet_table *table);

void pov_report_html_figures(FILE *stream, const pov_report_part *part);

#endif
