#include "compare/vlm/vlm_outlook.h"

bool pov_vlm_outlook_is_hopeless(pov_vlm_outlook *outlook, const pov_vlm_result *result)
{
    if (result->outcome == POV_VLM_ANSWERED) {
        *outlook = (pov_vlm_outlook){.has_answered = true};
        return false;
    }
    const bool is_alike = outlook->alike > 0 && result->outcome == outlook->outcome &&
                          result->http_status == outlook->http_status;
    outlook->alike = is_alike ? outlook->alike + 1 : 1;
    outlook->outcome = result->outcome;
    outlook->http_status = result->http_status;
    const bool may_pass = pov_vlm_result_may_pass(result);
    return (may_pass && !outlook->has_answered) ||
           (outlook->alike >= POV_VLM_ALIKE_MAX && (may_pass || !outlook->has_answered));
}
