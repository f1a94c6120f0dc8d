/** Between the files that make a report's figures. */
#pragma once

#include "compare/languages/language.h"
#include "compare/report/report_internal.h"

typedef struct {
    const pov_report *report;
    const pov_report_part *part;
    const pov_answers *answers;
    pov_report_visit visit;
    void *context;
    pov_figure *figure; /* the one being made */
    pov_report_place place;
    const pov_languages *languages;
    const char *summary; /* name of the figure that the part begins with; NULL: none */
} pov_figure_maker;

/** Names the figure: letters, digits and "_" of the number of the file (if others are of the same paper), a form and a name. */
void pov_figure_maker_name(const pov_figure_maker *m, const char *form, const char *of);
/** Hands the figure over, and begins the next one. */
void pov_figure_maker_hand_over(const pov_figure_maker *m);
/** Rows of intervals in several figures, of at most 400 px: a third of a page. */
void pov_figure_maker_hand_over_rows(const pov_figure_maker *m);

/* report_regions.c */

/** COMFORT's Figure 8 by region, if a model was asked in three languages or more; without the list of speakers none. */
void pov_figure_maker_regions(const pov_figure_maker *m, const char *model, pov_prompt prompt);

/* report_curves.c */

/** COMFORT's Figures 5 to 7 of a group of curves, with those from above and the reliability. */
void pov_figure_maker_group(pov_figure_maker *m, int group);
/** COMFORT's Figures 13 to 17: grids of models and relations. */
void pov_figure_maker_grids(pov_figure_maker *m);
void pov_figure_maker_reliability(const pov_figure_maker *m, const pov_calibration *calibration,
                                  const char *of, const char *name);
