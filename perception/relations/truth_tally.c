#include "perception/relations/truth_tally.h"

#include <math.h>

void pov_truth_tally_count(pov_truth_tally *tally, double truth)
{
    tally->points++;
    if (isnan(truth))
        return;
    tally->defined++;
    tally->holding += truth > 0.5;
    tally->truth += truth;
    tally->truth_squared += truth * truth;
}

pov_verdict pov_verdict_of_share(double share_holding, double abstain_margin)
{
    if (fabs(share_holding - 0.5) <= abstain_margin)
        return POV_ABSTAIN;
    return share_holding > 0.5 ? POV_TRUE : POV_FALSE;
}

pov_belief pov_truth_tally_belief(const pov_truth_tally *tally, double abstain_margin)
{
    if (2 * tally->defined <= tally->points)
        return (pov_belief){NAN, NAN, POV_VERDICT_UNDEFINED};
    const double mean = tally->truth / tally->defined;
    return (pov_belief){mean, sqrt(fmax(0, tally->truth_squared / tally->defined - mean * mean)),
                        pov_verdict_of_share((double)tally->holding / tally->defined, abstain_margin)};
}

bool pov_truth_tally_is_unanimous(const pov_truth_tally *tally)
{
    return tally->defined == 0 ||
           (tally->defined == tally->points && (tally->truth == 0 || tally->truth == (double)tally->points));
}
