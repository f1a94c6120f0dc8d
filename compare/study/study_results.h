/** The results of a study: each trial with what follows from it, as tidy tables and as scores. docs/STUDY.md lists the columns. */
#pragma once

#include "compare/log/study_log.h"
#include "compare/tables/score_sheet.h"

#include <stdio.h>

typedef enum {
    POV_STUDY_TRIALS,
    POV_STUDY_JUDGMENTS,
    POV_STUDY_EVENTS,
    POV_STUDY_REPLIES,
    POV_STUDY_RATINGS,
    POV_STUDY_TABLES
} pov_study_table;
/** "trials", "judgments", "events", "replies", "ratings". */
const char *pov_study_table_name(pov_study_table table);

/** Writes a table as CSV: a row each trial, judgment, event, reply or rating, in the order of trials. */
POV_MUST_USE pov_status pov_study_write_csv(pov_study_log *log, FILE *stream, pov_study_table table);

/** Frames that the scores tell apart; those that were meant in later trials count as "other". */
enum { POV_STUDY_FRAMES_MAX = 7 };

typedef struct pov_study_results pov_study_results;

/** Reads the trials that are done, and their ratings. */
POV_MUST_USE pov_status pov_study_results_new(pov_study_results **results, pov_study_log *log);
void pov_study_results_destroy(pov_study_results **results);

/** Conditions, in the order in which they came, and the frames that were meant, each with whose it is ("intrinsic:anna"): those that
 *  the robot read, then "several" and "none". */
int pov_study_condition_len(const pov_study_results *results);
const char *pov_study_condition(const pov_study_results *results, int i);
int pov_study_frame_len(const pov_study_results *results);
const char *pov_study_frame(const pov_study_results *results, int i);

/** The share of a condition's trials in which a frame was meant: the mean over participants, with its bootstrap interval. */
pov_estimate pov_study_frame_share(const pov_study_results *results, int condition, int frame);

/** Tables "frames", "robot", "labels", "raters". */
void pov_study_scores(pov_sheet *sheet, const pov_study_results *results);

/** Agreement of two raters beyond chance; mean NaN if it is not defined. counts[a][b]: items that one called a and the other
 *  b, `labels` wide. Interval: 1.96 standard errors.
 *  Method: Cohen, Educ. Psychol. Meas. 20, 1960, eqs. 1 and 7. */
pov_estimate pov_cohen_kappa(const int *counts, int labels);
