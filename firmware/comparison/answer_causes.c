#include "firmware/comparison/answer_causes.h"

#include "firmware/cli.h"

#include <string.h>

pov_status pov_answer_causes_warn(pov_answer_log *log, int64_t model)
{
    pov_log_causes causes;
    POV_TRY(pov_answer_log_causes(log, &causes, model));
    for (int i = 0; i < causes.len; i++)
        pov_cli_warn("no answer to %lld question%s: %s: %s", (long long)causes.list[i].count,
                     causes.list[i].count == 1 ? "" : "s", causes.list[i].outcome, causes.list[i].text);
    POV_TRY(pov_answer_log_unscored(log, &causes, model));
    for (int i = 0; i < causes.len; i++)
        if (strcmp(causes.list[i].outcome, "text") == 0)
            pov_cli_warn("%lld answer%s scored from words, not from probabilities: %s (docs/VLM.md, P(yes))",
                         (long long)causes.list[i].count, causes.list[i].count == 1 ? " is" : "s are",
                         causes.list[i].text);
        else
            pov_cli_warn("%lld answer%s cannot be scored: %s, as in: %s (docs/VLM.md, P(yes))",
                         (long long)causes.list[i].count, causes.list[i].count == 1 ? "" : "s",
                         causes.list[i].outcome, causes.list[i].text);
    return pov_ok();
}
