/** The other end of compare/vlm/vlm_exchange.h: chat completion requests as a simulated server reads them, and what it replies.
 *  Whatever it writes says that it is simulated. Pure but for allocating. */
#ifndef POV_SIM_VLM_VLM_CHAT_H
#define POV_SIM_VLM_VLM_CHAT_H

#include "sim/vlm/vlm_answers.h"

typedef struct {
    char prompt[POV_VLM_TRUTH_PROMPT_MAX + 1]; /* the last user message's texts, a line each */
    uint64_t image;                            /* hash of the first image's bytes; 0: none */
    size_t image_len;
    int likely_wanted; /* tokens with probabilities; 0: none */
} pov_vlm_chat_request;

/** Images must be data URIs.
 *  Returns: POV_ERROR naming the key, for an HTTP status 400. */
POV_MUST_USE pov_status pov_vlm_chat_read(pov_vlm_chat_request *request, const char *json, size_t len);

/** A reply's body, the caller's to free(); NULL if out of memory. P(yes) is given by the first token's probabilities, some of
 *  which belong to neither yes nor no. */
char *pov_vlm_chat_write(const pov_vlm_chat_request *request, const pov_vlm_sim_answer *answer);
/** {"error": {"message": ...}} */
char *pov_vlm_chat_write_error(const char *message);
/** The reply to GET /v1/models. */
char *pov_vlm_chat_write_models(void);

#endif
