/** Figures of a report: numbers first, then one drawing of them for page and paper, and the same numbers as CSV. */
#pragma once

#include "compare/scores/paper_measures.h"
#include "compare/statistics/bootstrap.h"
#include "compare/statistics/curve.h"
#include "config/files/text.h"

#include <stdio.h>

enum {
    POV_FIGURE_POINTS_MAX = POV_CURVE_SAMPLES + 1, /* the circle closes */
    POV_FIGURE_PANELS_MAX = 12,
    POV_FIGURE_SERIES_MAX = 5, /* of a panel */
    POV_FIGURE_ROWS_MAX = 120,
    POV_FIGURE_COLUMNS_MAX = 7,
    POV_FIGURE_NAME = 160
};

typedef enum {
    POV_FIGURE_ANGLES, /* panels of lines by an angle */
    POV_FIGURE_POLAR,  /* panels of lines about a centre, 0 degrees down */
    POV_FIGURE_RELIABILITY,
    POV_FIGURE_INTERVALS, /* rows of means with their intervals */
    POV_FIGURE_MATRIX
} pov_figure_kind;

typedef struct {
    const char *name, *look; /* look: classes of the line, draw/page.h; "" a band alone */
    int len;
    double x[POV_FIGURE_POINTS_MAX], y[POV_FIGURE_POINTS_MAX];      /* NaN: a gap */
    double low[POV_FIGURE_POINTS_MAX], high[POV_FIGURE_POINTS_MAX]; /* a band; NaN: none */
} pov_figure_series;

typedef struct {
    char name[60];
    const char *heading; /* above the panels from this one on; NULL: none */
    const char *empty;   /* words in a panel without lines */
    pov_figure_series series[POV_FIGURE_SERIES_MAX];
    int len;
} pov_figure_panel;

/** A row of intervals. */
typedef struct {
    char *name;                              /* owned */
    pov_estimate at[POV_FIGURE_COLUMNS_MAX]; /* of each series; mean NaN: none */
    double chance;                           /* NaN: none */
} pov_figure_row;

typedef struct {
    pov_figure_kind kind;
    char name[POV_FIGURE_NAME]; /* of its files: letters, digits, "_" */
    pov_text title;             /* for those who cannot see it */
    pov_text caption;
    const char *axis;         /* name of the axis of angles or of intervals */
    pov_figure_panel *panels; /* [POV_FIGURE_PANELS_MAX] */
    pov_figure_row rows[POV_FIGURE_ROWS_MAX];
    double span; /* of bars from zero to both sides, in %; 0: points with intervals from 0 to 100 */
    int across;  /* panels by an angle in a row on the page; 0: 2, as on paper */
    int len;     /* panels, rows */
    const char *columns[POV_FIGURE_COLUMNS_MAX]; /* series of intervals; the answers of a matrix */
    int columns_len;
    pov_calibration calibration;
    int count[4][4]; /* [gold][answered] */
} pov_figure;

pov_figure *pov_figure_new(void);
void pov_figure_destroy(pov_figure **figure);
/** As new. */
void pov_figure_clear(pov_figure *figure);

typedef enum {
    POV_FIGURE_ON_PAGE,  /* within a page of HTML, as wide as it */
    POV_FIGURE_ON_PAPER, /* a drawing of its own, for a column */
} pov_figure_place;

/** Draws as SVG. */
void pov_figure_draw(const pov_figure *figure, FILE *stream, pov_figure_place place);
/** The numbers drawn, with all digits. */
void pov_figure_write_csv(const pov_figure *figure, FILE *stream);
