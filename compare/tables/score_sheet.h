/** Tables of scores, kept as they are filled, so that every form of them shows the same numbers. */
#pragma once

#include "compare/statistics/bootstrap.h"

#include <stdio.h>

typedef enum {
    POV_SHEET_TEXT,
    POV_SHEET_COUNT, /* a whole number; NaN: none */
    POV_SHEET_SHARE, /* times 100 for people, as it is for programs */
    POV_SHEET_ESTIMATE,
    POV_SHEET_NUMBERS /* for programs only */
} pov_sheet_kind;

enum { POV_SHEET_COLUMNS_MAX = 32, POV_SHEET_KEY = 48, POV_SHEET_NUMBERS_MAX = 10 };

typedef struct {
    char *text;            /* NULL: none */
    pov_estimate estimate; /* a count or share is its mean */
    double *numbers;
    int numbers_len;
} pov_sheet_cell;

typedef struct {
    char *key;
    pov_sheet_kind kind;
} pov_sheet_column;

typedef struct {
    const char *key, *title; /* for programs, for people; borrowed */
    pov_sheet_column columns[POV_SHEET_COLUMNS_MAX];
    int columns_len;
    pov_sheet_cell **rows; /* [row][column] */
    int len, capacity;
} pov_sheet_table;

typedef struct pov_sheet pov_sheet;

pov_sheet *pov_sheet_new(void);
void pov_sheet_destroy(pov_sheet **sheet);

/** A line before all tables: in JSON `key`, for people `words` and the text. Key and words are borrowed. */
void pov_sheet_add_note(pov_sheet *sheet, const char *key, const char *words, const char *text);
/** Starts a table; rows and cells follow, the same keys in each row. Key and title are borrowed. */
void pov_sheet_add_table(pov_sheet *sheet, const char *key, const char *title);
void pov_sheet_add_row(pov_sheet *sheet);
void pov_sheet_add_text(pov_sheet *sheet, const char *key, const char *text);
void pov_sheet_add_count(pov_sheet *sheet, const char *key, int count);
/** A whole number as a count; NaN: none. */
void pov_sheet_add_number(pov_sheet *sheet, const char *key, double number);
void pov_sheet_add_share(pov_sheet *sheet, const char *key, double share);
void pov_sheet_add_estimate(pov_sheet *sheet, const char *key, const pov_estimate *estimate);
void pov_sheet_add_numbers(pov_sheet *sheet, const char *key, const double *numbers, int len);

/** Adds the rows of another sheet's tables to those of the same key here. The other is one of several of the same form: numbers are their
 *  means, without intervals; texts are the first one's. */
void pov_sheet_add_mean(pov_sheet *sheet, const pov_sheet *const *trials, int len);

int pov_sheet_len(const pov_sheet *sheet);
/** Valid until the next addition. */
const pov_sheet_table *pov_sheet_at(const pov_sheet *sheet, int table);
/** NULL: there is none of that key. */
const pov_sheet_table *pov_sheet_find(const pov_sheet *sheet, const char *key);
/** -1: there is none. */
int pov_sheet_column_of(const pov_sheet_table *table, const char *key);

/** The end of the title: it names the intervals if a number has one; else "". */
const char *pov_sheet_title_end(const pov_sheet_table *table);

/** As a person reads a cell: its own text, or its number, "-" for none; and its interval, "" for none. */
typedef struct {
    const char *own; /* the cell's; NULL: it has a number */
    char number[24], interval[24];
} pov_sheet_words;
pov_sheet_words pov_sheet_words_of(const pov_sheet_table *table, int row, int column);
/** Valid as long as `words` and the table are. */
const char *pov_sheet_text_of(const pov_sheet_words *words);

/** For a person: aligned columns, intervals below; columns in which nothing stands are left out. For a program: one JSON
 *  object, in which each table is a list of rows. */
void pov_sheet_write(const pov_sheet *sheet, FILE *stream, bool json);
