/** Whether further questions are worth asking, from the outcomes of those before. Pure. */
#pragma once

#include "compare/vlm/vlm_result.h"

enum { POV_VLM_ALIKE_MAX = 8 }; /* failures alike, one after the other, that end the asking; chosen */

/** Start from {0}. */
typedef struct {
    bool has_answered; /* any server, ever */
    int alike;         /* last failures of one outcome and HTTP status, with no answer between them */
    pov_vlm_outcome outcome;
    int http_status;
} pov_vlm_outlook;

/** Takes in a question's outcome. Returns: true if another question would fare no better: a failure that may pass has used up all attempts
 *  and no server has ever answered; or eight questions failed alike, where any failure counts before the first answer, and
 *  afterwards those that may pass: others may be a question's own. */
bool pov_vlm_outlook_is_hopeless(pov_vlm_outlook *outlook, const pov_vlm_result *result);
