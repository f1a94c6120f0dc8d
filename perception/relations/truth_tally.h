/** The expectation of a predicate's truth from situations drawn one after another. */
#ifndef POV_PERCEPTION_RELATIONS_TRUTH_TALLY_H
#define POV_PERCEPTION_RELATIONS_TRUTH_TALLY_H

#include "perception/relations/relation.h"

/** Sums over points; those of truth over the points where it is defined. Starts from {0}. */
typedef struct {
    int points, defined, holding; /* holding: truth above one half */
    double truth, truth_squared;
} pov_truth_tally;

/** Counts one point; truth NaN: undefined there. */
void pov_truth_tally_count(pov_truth_tally *tally, double truth);
/** Mean and deviation of truth, and whether it holds; undefined if it is in half of the points or more. */
pov_belief pov_truth_tally_belief(const pov_truth_tally *tally, double abstain_margin);
/** What a share of possible worlds that hold says: abstains within the margin of one half. */
pov_verdict pov_verdict_of_share(double share_holding, double abstain_margin);
/** All points agree: nothing is left for more of them to find but a tail too thin to matter. */
bool pov_truth_tally_is_unanimous(const pov_truth_tally *tally);

#endif
