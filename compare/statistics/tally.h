/** Cases counted by group: how many were answered, refused, unclear or missing, and the mean score with its bootstrap
 *  interval. Runs of one question (options shuffled, seeds) count once: first their mean, then the mean over questions.
 *  Questions about one scene are no independent samples: the interval is over scenes, each drawn with all its questions.
 *
 *  A refused or unclear answer is an answer, and scores 0; an absent one is counted and left out. */
#pragma once

#include "compare/answers/answer_parse.h"
#include "compare/statistics/bootstrap.h"

#include <stdbool.h>

typedef struct {
    pov_answer_kind kind;
    double score;  /* in [0, 1]; looked at only if given */
    double chance; /* of an answer drawn at random; NaN: open */
} pov_grade;

typedef struct {
    const char *label;
    int answers[POV_ANSWER_KINDS];
    int questions;      /* that have a score, runs together */
    pov_estimate score; /* n: scenes */
    double chance;      /* mean over the cases that have one; NaN: none */
    pov_estimate
        adjusted; /* chance-adjusted accuracy of the questions that have a chance: (sum of scores - sum of chances) / (their
                              number - sum of chances); 0: as good as drawing, 1: all right; NaN: none has one */
} pov_tally_row;

/** How many of the questions that were to be asked have an answer that can be scored. */
typedef struct {
    int answered, asked;
} pov_coverage;
pov_coverage pov_coverage_of(const int answers[POV_ANSWER_KINDS]);
/** True if at least 90 % are answered: with fewer, what is left out may be what is hard. */
bool pov_coverage_suffices(pov_coverage coverage);

typedef struct pov_tally pov_tally;

/** `units_max`: the largest number of additions. */
pov_tally *pov_tally_new(int units_max, const pov_bootstrap_options *options);
void pov_tally_destroy(pov_tally **tally);

/** Adds a case to a group. Cases of one non-empty `question` about a scene are runs of it. `scene` "": nothing else is asked about
 *  what it shows. */
void pov_tally_add(pov_tally *tally, const char *label, const char *question, const char *scene,
                   const pov_grade *grade);

/** The same of many questions at once: how they were answered, and the scores of those of a scene. */
void pov_tally_add_counts(pov_tally *tally, const char *label, const int answers[POV_ANSWER_KINDS]);
void pov_tally_add_scored(pov_tally *tally, const char *label, const char *scene, int questions,
                          double score_sum);

/** Groups, in the order in which they came. */
int pov_tally_len(const pov_tally *tally);
const char *pov_tally_label(const pov_tally *tally, int group);
void pov_tally_at(pov_tally *tally, pov_tally_row *row, int group);

/* ---- Calibration of probabilities: of the cases called p, a share p should be true. Pure. ---- */

enum { POV_CALIBRATION_BINS = 10 };

/** Start from {0}. */
typedef struct {
    int n, unscored;
    double square_sum; /* of p - truth */
    struct {
        int n, yes;
        double p_sum;
    } bin[POV_CALIBRATION_BINS]; /* of equal width; a p on an edge belongs to the upper one, 1 to the last */
} pov_calibration;

/** Counts one case. A NaN is counted as unscored. */
void pov_calibration_add(pov_calibration *calibration, double p, bool truth);

/** Mean of (p - truth)^2 (Brier 1950); NaN without cases. */
double pov_calibration_brier(const pov_calibration *calibration);
/** Expected calibration error (Naeini et al. 2015): the mean over cases of |share true - mean p| of their bin. */
double pov_calibration_error(const pov_calibration *calibration);
