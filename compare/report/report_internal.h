/** Parts of a report, shared by its writers. */
#pragma once

#include "compare/languages/language.h"
#include "compare/report/report.h"
#include "compare/report/report_cases.h"
#include "config/files/embedded.h"
#include "config/files/text.h"

enum {
    POV_REPORT_WORST_MAX = 24,  /* disagreements shown */
    POV_REPORT_IMAGES_MAX = 24, /* images on the contact sheet */
    POV_REPORT_CURVES_MAX = 12, /* figures of curves */
    POV_REPORT_ROWS_MAX = 240,  /* of a table on the page */
    POV_REPORT_FINDINGS_MAX = 60
};

typedef struct {
    const pov_answers *answers;
    pov_report_cases cases;
    pov_sheet *pivots;   /* a row for each model, as the papers print them */
    pov_sheet *forms;    /* COMFORT's Tables 2 to 5 as it prints them; for paper */
    pov_sheet *compared; /* models and languages against each other; of the first file of a paper */
    char *sentence;      /* what was found, in one; "": nothing was scored */
    char *coverage;      /* how many questions have an answer, by model */
} pov_report_part;

struct pov_report {
    pov_report_source source;
    char *title; /* as asked for, or the models and what they were asked */
    pov_report_part *parts;
    int len;
    pov_report_fact *facts; /* their texts are the report's */
    int facts_len, facts_capacity;
    char *findings[POV_REPORT_FINDINGS_MAX];
    int findings_len, findings_left_out;
    pov_text about;     /* begins the findings that are being added: what they are of */
    pov_text simulated; /* what is simulated; "": nothing is known to be */
    pov_languages *languages;
};

/** "COMFORT" ... */
const char *pov_report_paper_title(const pov_answers *answers);
/** Adds a sentence to the findings, with `about` before it; beyond the room it is counted, and the last finding says how many are not listed. */
__attribute__((format(printf, 2, 3))) void pov_report_add_finding(pov_report *report, const char *format,
                                                                  ...);
/** Composes each part's sentence and coverage, and the title. */
void pov_report_summarise(pov_report *report);
/** Fills the one figure that shows what a part is about: accuracy by viewpoint, or by the paper's own division, of each model.
 *  Returns: its name; NULL: nothing was scored. */
const char *pov_report_summary_figure(pov_figure *figure, const pov_report *report, int number);
/** Fills a figure with a row for each column of a table of scores, and a series for each model. */
void pov_report_fill_pivot(pov_figure *figure, const pov_answers *answers, const pov_sheet_table *pivot);
/** The share of curves' answers that are yes; NaN: there is none. */
double pov_report_share_of_yes(const pov_comfort_curve *curves, int len);
/** The models that have answered; the caller destroys it. */
pov_name_set *pov_report_models(const pov_report *report);
/** Finds of answers out of several files how many scenes, variants, facings and sweeps they are of, and in what they differ. */
void pov_report_find_pool(pov_report *report, const pov_answers *answers);
/** True if another file has answers of the same paper, too. */
bool pov_report_has_others(const pov_report *report, int number);
/** A file's name; its path, if another one of the same paper has the same name. */
const char *pov_report_part_name(const pov_report *report, int number);
/** "mine, English, CAR, the camera's viewpoint"; the caller frees it. */
char *pov_report_group_name(const pov_comfort_group *group);
/** "57 of 144 answered: 87 refused"; "144 of 144 answered". The caller frees it. */
char *pov_report_coverage(const int answers[POV_ANSWER_KINDS]);
/** The frames that a preference among all readings names: "the camera's, rotated"; of several that are the same in all scenes each, with
 *  " or " between. The caller frees it. */
char *pov_report_best_reading(const pov_preference *reading);
/** "the camera's, rotated"; a comparison's reading by its number in pov_prefer's POV_PREFER_READING. */
const char *pov_report_reading_words(int reading);
/** "camera's viewpoint". */
const char *pov_report_prompt_words(pov_prompt prompt);
/** The column's name in print. */
const char *pov_report_column_words(const char *key);
/** The same in two parts, for heads that several columns have in common: "back", "same"; group "": none. */
typedef struct {
    char group[POV_SHEET_KEY];
    const char *name; /* static, or the key */
} pov_report_head;
pov_report_head pov_report_head_of(const char *key);
/** A cell as people read it, prompts spelt out; the interval is in `words`. */
const char *pov_report_text_of(pov_sheet_words *words, const pov_sheet_table *table, int row, int column);
/** True if anything stands in a column that people read. */
bool pov_report_column_shows(const pov_sheet_table *table, int column);
/** Whether it tells what mirrored images, rotated options and prompt conditions change: it has no other form, and is not folded. */
bool pov_report_is_of_conditions(const pov_sheet_table *table);

/** A table; the columns in which nothing stands are left out. */
void pov_report_write_table(FILE *stream, const pov_sheet_table *table);

/** Adds COMFORT's Tables 2 to 5 in the paper's form, and which frame each model and language follows. */
void pov_report_add_forms(pov_sheet *sheet, const pov_answers *answers);
/** Adds rows of the baselines on the same questions to tables that `add` makes of answers: numbers at random, the mean of 30 trials, and
 *  always "yes". Means alone; they prefer nothing. */
void pov_report_add_baselines(pov_sheet *sheet, const pov_answers *answers,
                              void (*add)(pov_sheet *sheet, const pov_answers *answers));
/** Adds ranks and paired tests of all contestants of the first part's paper, if there are several. */
void pov_report_add_comparison(pov_sheet *sheet, const pov_report_part *parts, int len);
/** A figure with its caption on the page. */
void pov_report_write_figure(FILE *stream, const pov_figure *figure, bool is_wide);

/* ---- the document: what follows what, the same in every form ---- */

typedef enum {
    POV_REPORT_TABLE,   /* ours, and what compares contestants */
    POV_REPORT_FORM,    /* the same in the papers' own form */
    POV_REPORT_TOGETHER /* of all files together */
} pov_report_table_role;

/** What a form of the document writes; NULL: it leaves such parts out. */
typedef struct {
    /* id: of links to it. A section lasts until the next one, or the next chapter; is_folded: of what is looked up. */
    void (*chapter)(void *context, const char *id, const char *name);
    void (*section)(void *context, const char *id, const char *name, bool is_folded);
    void (*summary)(void *context, int part); /* the sentence, figure and coverage of a part */
    void (*findings)(void *context);
    void (*table)(void *context, const pov_answers *answers, const pov_sheet_table *table,
                  pov_report_table_role role);
    void (*figure)(void *context, const pov_figure *figure, const pov_report_place *place);
    void (*figures_end)(void *context); /* of a part */
    void (*cases)(void *context, int part);
    void (*images)(void *context, int part);
    void (*methods)(void *context);
    void (*reading)(void *context); /* how to read it */
    void (*references)(void *context);
} pov_report_writer;

void pov_report_walk(const pov_report *report, const pov_report_writer *writer, void *context);

/* ---- tables that the papers published, beside ours ---- */

typedef struct {
    const char *paper, *table; /* ours: "comfort", "performance" */
    const char *source;        /* "Zhang et al. 2025, Table 5" */
    const char *columns;       /* keys of that table, tabs between; "|" between names that one may have */
    const char *const *rows;   /* values in print, tabs between; ended by NULL */
} pov_published;

/** Ended by one whose paper is NULL. */
extern const pov_published POV_PUBLISHED[];

/** How languages are weighed by region, for methods; "": too few were asked. The caller frees it. report_regions.c */
char *pov_report_region_words(const pov_comfort_data *data);

/** share/papers/references.bib: one file. */
extern const pov_embedded_file POV_BIBLIOGRAPHY[];

/** The cell of a published row under a column of ours; false: it has none. */
bool pov_report_published_cell(char text[80], const pov_published *published, const char *row,
                               const char *column);
/** True if a published row is about what our table is about: the same set, prompt and language. */
bool pov_report_published_fits(const pov_published *published, const char *row, const pov_sheet_table *table);
/** Why published rows cannot be compared with these answers: " (full rotations; these answers: 12 of 36 stops, so not comparable)";
 *  "": they can. The caller frees it. */
char *pov_report_published_note(const pov_answers *answers);
/** Stops of the curves' rotations: the fewest and the most; the step in degrees, 0 if there is none. */
typedef struct {
    int least, most, step_deg;
} pov_report_stops;
pov_report_stops pov_report_count_stops(const pov_answers *answers);
/** True if a published table stands beside ours and has numbers for it. */
bool pov_report_published_is_for(const pov_published *published, const pov_answers *answers,
                                 const pov_sheet_table *table);
