/** One server, asked the probes' questions: is it there, does it give probabilities, does it look, what does it cost? */
#ifndef POV_FIRMWARE_VLM_VLM_CHECKUP_H
#define POV_FIRMWARE_VLM_VLM_CHECKUP_H

#include "compare/vlm/vlm_config.h"
#include "compare/vlm/yes_no.h"
#include "firmware/vlm/vlm_probes.h"

typedef struct {
    int asked, answered, right;        /* right: of the scored, where truth is known */
    char cause[POV_MESSAGE_CAPACITY];  /* of the first question not answered or not scored */
    char model[POV_VLM_NAME_CAPACITY]; /* as the server calls itself */
    int kinds[POV_YES_NO_KINDS];
    double mass_mean, mass_min; /* of yes and no; NaN without probabilities */
    double latency_median_s, latency_max_s;
    pov_vlm_totals totals;
    pov_canary_result canary;
} pov_vlm_checkup;

/** Asks the endpoint alone. Returns POV_ERROR only where nothing could be asked at all; a server that does not answer is a
 *  finding. `stop`: asked between questions, true ends it. */
POV_MUST_USE pov_status pov_vlm_checkup_run(pov_vlm_checkup *checkup, const pov_vlm_config *config,
                                            int endpoint, const pov_vlm_probes *probes, bool (*stop)(void));

/** Fit for use: it answers, yes and no are scored, and it looks at images. */
bool pov_vlm_checkup_is_well(const pov_vlm_checkup *checkup);

#endif
