#include "compare/vlm/vlm_remote.h"

#include <stdio.h>
#include <string.h>

pov_task pov_vlm_remote_task(uint64_t ticket, const pov_vlm_question *question)
{
    return (pov_task){.ticket = ticket,
                      .prompt = question->prompt,
                      .system = question->system,
                      .image = question->image.bytes,
                      .image_len = question->image.bytes ? question->image.len : 0,
                      .media_type = question->image.bytes ? question->image.media_type : NULL,
                      .token_max = question->token_max,
                      .likely_wanted = question->likely_wanted};
}

static bool find_outcome(pov_vlm_outcome *outcome, const char *name)
{
    for (int i = 0; i < POV_VLM_OUTCOME_COUNT; i++)
        if (strcmp(name, pov_vlm_outcome_name((pov_vlm_outcome)i)) == 0) {
            *outcome = (pov_vlm_outcome)i;
            return true;
        }
    return false;
}

static void fail(pov_vlm_result *result, const char *cause)
{
    result->outcome = POV_VLM_MALFORMED;
    snprintf(result->cause, sizeof result->cause, "%s", cause);
}

void pov_vlm_remote_result(pov_vlm_result *result, const pov_task_answer *answer)
{
    *result = (pov_vlm_result){.ticket = answer->ticket,
                               .endpoint = -1,
                               .attempts = answer->attempts,
                               .http_status = answer->http_status,
                               .latency_ns = answer->latency_ns,
                               .cost = answer->cost,
                               .body = answer->body,
                               .body_len = answer->body_len};
    if (!find_outcome(&result->outcome, answer->outcome)) {
        fail(result, "the worker tells an outcome that this pov does not know; update the older of the two");
        return;
    }
    snprintf(result->cause, sizeof result->cause, "%s", answer->cause);
    if (result->outcome != POV_VLM_ANSWERED)
        return;
    const pov_status status = pov_vlm_answer_read(&result->answer, answer->body, answer->body_len);
    if (status.code != POV_OK)
        fail(result, status.message);
}
