/** On paper: a drawing as a file of its own, and documents of A4 pages. By librsvg and cairo; letters are embedded. */
#pragma once

#include "perception/status.h"

#include <stdbool.h>
#include <stdio.h>

typedef enum {
    POV_PRINT_PDF,
    POV_PRINT_SVG /* its letters are outlines: it looks the same everywhere */
} pov_print_form;

/** Prints a drawing (draw/svg.h, pov_svg_begin_file) as wide as asked. */
POV_MUST_USE pov_status pov_print_drawing(FILE *stream, const char *svg, double width_mm,
                                          pov_print_form form);

#define POV_PRINT_COLUMN_MM 85.0 /* a column of two */

/** A document as PDF. Its parts follow one another down the pages; texts are UTF-8. */
typedef struct pov_print pov_print;

POV_MUST_USE pov_status pov_print_new(pov_print **print, FILE *stream, const char *title);
/** Ends the document. Returns: what went wrong in any part. */
POV_MUST_USE pov_status pov_print_finish(pov_print **print);

typedef enum {
    POV_PRINT_TITLE,
    POV_PRINT_LEAD, /* the sentence that a document begins with */
    POV_PRINT_SECTION,
    POV_PRINT_BODY,
    POV_PRINT_POINT,   /* of a list */
    POV_PRINT_WARNING, /* in a frame */
    POV_PRINT_CODE,    /* lines as they are */
    POV_PRINT_LOOKS
} pov_print_look;
/** A title, lead or section stays on the page of what follows it. */
void pov_print_text(pov_print *paper, pov_print_look look, const char *text);

typedef struct {
    const char *svg, *caption;
} pov_print_figure;
/** A figure with its caption below, in the shorter one of two columns. It is a column wide; a little less where it fills a page. */
void pov_print_add_figure(pov_print *paper, const pov_print_figure *figure);

enum { POV_PRINT_COLUMNS_MAX = 24 };
typedef enum {
    POV_PRINT_GROUPS, /* heads over several columns: "" goes on from the left, NULL is none */
    POV_PRINT_HEAD,
    POV_PRINT_OURS,  /* stands out beside */
    POV_PRINT_PLAIN, /* where all are alike */
    POV_PRINT_THEIRS,
    POV_PRINT_SPAN
} pov_print_row_look;

/** A row of a table. A span has one cell, as wide as the table. */
typedef struct {
    pov_print_row_look look;
    const char *cell[POV_PRINT_COLUMNS_MAX],
        *note[POV_PRINT_COLUMNS_MAX]; /* a note stands below; NULL: none */
} pov_print_row;

typedef struct {
    const char *caption;
    int columns, len;
    bool is_number[POV_PRINT_COLUMNS_MAX]; /* to the right */
    const pov_print_row *rows;             /* heads first: they come again on each page */
} pov_print_table;
void pov_print_add_table(pov_print *paper, const pov_print_table *table);
