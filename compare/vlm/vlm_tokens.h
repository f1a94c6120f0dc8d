/** The tokens of an answer, as servers list them in "logprobs": which of them are the answer, and their probabilities.
 *
 *  A server may list the tokens of hidden thoughts, of roles and of channels before those of the answer. The answer's are found by its text:
 *  they spell it, at the end of the list. Space does not count: servers strip it, and tokenizers write it in several ways. */
#pragma once

#include "compare/vlm/vlm_exchange.h"

struct cJSON;

/** Is given the answer's positions in order. Returns: false if it needs no more. */
typedef bool pov_vlm_visit(void *context, const pov_vlm_position *position);

/** Visits the positions of the answer's text, however many; those that a list is too short for are left out. Otherwise as below. */
POV_MUST_USE pov_status pov_vlm_tokens_visit(pov_vlm_answer *answer, const struct cJSON *list,
                                             const char *where, const char *thoughts, pov_vlm_visit *visit,
                                             void *context);
/** Sets the answer's positions, of the first token of its text on; none, and tokens_cause, if the list is not that of its text. The
 *  answer's text is set.
 *  In: list: items {"token", "logprob", "bytes", "top_logprobs": [...]}, as in OpenAI's logprobs.content; NULL: none; where: its name in
 *      messages; thoughts: those that the server gave apart from the text; "": none.
 *  Returns: POV_ERROR naming the item that is not a token, or whose probability is none. */
POV_MUST_USE pov_status pov_vlm_tokens_read(pov_vlm_answer *answer, const struct cJSON *list,
                                            const char *where, const char *thoughts);
