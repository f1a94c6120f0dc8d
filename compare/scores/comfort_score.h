/** COMFORT's tables from curves of P(yes) (Zhang et al. 2025): performance, robustness, consistency, the preferred
 *  convention and perspective. Unscored samples are counted and left out. Pure.
 *
 *  The four relations of a rotation are the same images, so no independent samples. A unit is a whole scene: one scene in one variant
 *  and facing, with all its relations. Its repetitions are within it: their mean counts once, and a scene is drawn with all of
 *  them (Davison & Hinkley 1997, section 3.8). */
#pragma once

#include "compare/statistics/bootstrap.h"
#include "compare/statistics/curve.h"
#include "compare/statistics/tally.h"

typedef struct {
    int scene,
        variant; /* the caller's numbers: one scene's variants show the same, in other colours, sizes, ... */
    int repetition; /* of the scene in this variant, from 0 */
    pov_relation relation;
    pov_facings facings;
    pov_curve curve;
} pov_comfort_curve;

enum { POV_SCENES_TESTED_MIN = 6 }; /* of fewer, the smallest p of flipped signs is above 0.05 */

/** The measures of one curve (pov_curve_measure), and of several. */
typedef enum {
    POV_SIGMA = POV_CURVE_MEASURES, /* over a scene's variants */
    POV_C_OPP,                      /* of a relation and its opposite in one variant */
    POV_COMFORT_MEASURES
} pov_comfort_measure;

typedef struct {
    int curves, constant; /* constant: P(yes) is the same all around, so stretching it tells nothing */
    int samples, unscored,
        untold; /* untold: answers to what geometry cannot tell, which are not right or wrong */
    int scenes;
    pov_estimate overall[POV_COMFORT_MEASURES]; /* mean over scenes, then over relations; n: scenes */
    pov_estimate by_relation[POV_COMFORT_RELATIONS][POV_COMFORT_MEASURES];
    double sigma_of_angles; /* sigma by the paper's words, avg over theta of sigma(theta), means as above */
    pov_calibration calibration; /* of P(yes) against the hemisphere, where geometry tells */
} pov_comfort_score;

enum { POV_READINGS_MAX = 7 };

/** The reading that the answers follow: the one with the smallest eps_cos. */
typedef struct {
    int len;
    pov_reading reading[POV_READINGS_MAX];
    pov_estimate eps_cosine[POV_READINGS_MAX]; /* mean NaN: the scenes have no such reading */
    double by_relation[POV_COMFORT_RELATIONS][POV_READINGS_MAX];
    pov_estimate margin[POV_READINGS_MAX]; /* its eps_cosine less the best's, paired by scene */
    bool is_best[POV_READINGS_MAX];        /* the best one, and those that are the same in all these scenes */
    int best;                              /* -1: none */
    int scenes, curves;
    bool
        significant; /* every other's margin is above 0 throughout its interval, of six scenes at least. The paper
                         gives no rule for its "-"; this is ours: a paired bootstrap over scenes */
    double aimless,
        aimless_std; /* the mean eps_cos of the same scenes, each turned by an angle at random; of fewer than
                                    six, each curve turned by its own */
} pov_preference;

typedef enum {
    POV_PREFERS_AIMLESS, /* the best fits no better than the same curves turned at random: P >= 0.02, so that of three
                            readings one seems to fit by chance in 5 % at most */
    POV_PREFERS_NONE,     /* another fits as well, within the margins' intervals */
    POV_PREFERS_UNTESTED, /* of too few scenes for a test; it fits better than each curve turned at random */
    POV_PREFERS
} pov_preferred;

/** The verdict on a preference, the same in tables and findings. */
pov_preferred pov_preference_verdict(const pov_preference *preference);

typedef struct {
    pov_formulas formulas;
    pov_bootstrap_options bootstrap;
} pov_comfort_options;
/** 2000 resamples tell a bound to a thirtieth of the interval's width. */
#define POV_COMFORT_OPTIONS_DEFAULT                                                                          \
    {                                                                                                        \
        .formulas = POV_FORMULAS_PAPER, .bootstrap = {.resamples = 2000, .level = 0.95, .seed = 1 }          \
    }

typedef struct pov_comfort_scorer pov_comfort_scorer;

pov_comfort_scorer *pov_comfort_scorer_new(int curves_max, const pov_comfort_options *options);
void pov_comfort_scorer_destroy(pov_comfort_scorer **scorer);

/** Scores curves of one model and prompt as answers to questions read so. No two may have the same scene, variant, repetition
 *  and relation. */
void pov_comfort_score_curves(pov_comfort_scorer *scorer, pov_comfort_score *score,
                              const pov_comfort_curve *curves, int len, pov_reading reading);

/** Table 2 (three conventions), Table 3 (three perspectives), Table 10 (seven readings). Curves that do not allow all
 *  readings that any of them allows are left out, so that all are compared on the same ones. */
void pov_comfort_prefer(pov_comfort_scorer *scorer, pov_preference *preference,
                        const pov_comfort_curve *curves, int len, const pov_reading *readings, int count);

/** The same among some of the readings of the scorer's last pov_comfort_prefer, by their numbers; without new draws. */
void pov_comfort_prefer_among(pov_comfort_scorer *scorer, pov_preference *narrowed,
                              const pov_preference *preference, const int *which, int count);

/** "Is there any X?" with X present and absent: yes iff P(yes) >= P(no), that is p >= 0.5. Start from {0}. */
typedef struct {
    int true_yes, false_yes, false_no, true_no, unscored;
} pov_presence;

void pov_presence_add(pov_presence *presence, double p, bool present);
/** Harmonic mean of precision and recall; NaN if nothing present was asked and nothing affirmed. */
double pov_presence_f1(const pov_presence *presence);
