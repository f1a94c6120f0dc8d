#include "perception/relations/frame_summary.h"

#include <string.h>

static void add_index(pov_relation_summary *summary, pov_verdict verdict, int index)
{
    if (summary->len[verdict] < POV_SUMMARY_FRAMES_MAX)
        summary->judgment[verdict][summary->len[verdict]++] = index;
    else
        summary->truncated = true;
}

void pov_frame_summarise(pov_frame_summary *summary, const pov_judgment *judgments, int len)
{
    memset(summary, 0, sizeof *summary);
    for (int i = 0; i < len; i++)
        if (judgments[i].query.acceptance == judgments[0].query.acceptance &&
            judgments[i].query.viewer != judgments[i].query.referent)
            add_index(&summary->relation[judgments[i].query.relation->projective],
                      judgments[i].belief.verdict, i);
    for (int r = 0; r < POV_RELATION_COUNT; r++) {
        pov_relation_summary *s = &summary->relation[r];
        s->frame_independent = s->len[POV_ABSTAIN] == 0 && (s->len[POV_TRUE] > 0) != (s->len[POV_FALSE] > 0);
    }
}
