/** A summary of a pair: in which relations the frames of reference disagree. Pure. */
#pragma once

#include "perception/relations/relation.h"

enum { POV_SUMMARY_FRAMES_MAX = 256 };

/** The verdicts of all frames on one relation: indices of the judgments with each verdict. */
typedef struct {
    int len[POV_VERDICT_COUNT];
    int judgment[POV_VERDICT_COUNT][POV_SUMMARY_FRAMES_MAX];
    bool frame_independent; /* all frames that have an answer give the same one, and none abstains */
    bool truncated; /* more frames with one verdict than POV_SUMMARY_FRAMES_MAX; the rest is left out */
} pov_relation_summary;

typedef struct {
    pov_relation_summary relation[POV_RELATION_COUNT];
} pov_frame_summary;

/** Sums up the judgments of one pair, as from pov_relation_evaluate_pair; of several acceptances only the first is
 *  looked at, for the verdict is the same. A viewer's judgment of its own place does not count. */
void pov_frame_summarise(pov_frame_summary *summary, const pov_judgment *judgments, int len);
