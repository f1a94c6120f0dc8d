/** The figures of a report, as inline SVG. */
#ifndef POV_COMPARE_REPORT_PLOT_FIGURES_H
#define POV_COMPARE_REPORT_PLOT_FIGURES_H

#include "compare/scores/comfort_score.h"
#include "compare/scores/vpt_score.h"

#include <stdio.h>

/** COMFORT's Figure 5, a panel for each relation: P(yes) and the stretched P(yes), their means over curves with the
 *  standard deviation, by the angle from where the relation holds best in a reading; and both references. */
void pov_plot_curves(FILE *stream, const char *title, const pov_comfort_curve *curves, int len,
                     pov_reading reading);

/** P(yes) of the four relations by the referent's place, as seen from above. */
void pov_plot_polar(FILE *stream, const char *title, const pov_comfort_curve *curves, int len);

/** Of the cases called p, the share that is true, with Wilson's 95 % interval; and how many there are. */
void pov_plot_reliability(FILE *stream, const char *title, const pov_calibration *calibration);

enum { POV_SERIES_MAX = 7 };

typedef struct {
    char name[160];                  /* as much as fits is shown */
    pov_estimate at[POV_SERIES_MAX]; /* of each series; mean NaN: none */
    double chance;                   /* NaN: none */
} pov_interval_row;

/** Means with the intervals that they have, in percent, a row each; then `axis` says so. `series`: their names; one alone
 *  is not named. */
void pov_plot_intervals(FILE *stream, const char *title, const pov_interval_row *rows, int len,
                        const char *const *series, int series_len, const char *axis);

/** How often each answer came to each gold answer; shades are shares of the row. */
void pov_plot_matrix(FILE *stream, const char *title, const pov_vpt_cooccurrence *matrix,
                     const char *const names[4]);

#endif
