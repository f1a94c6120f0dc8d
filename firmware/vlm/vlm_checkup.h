/** `pov vlm check`: the probes (images and questions for compare/questions/canary.h, our own pictures or a user's), and one server
 *  asked about them: is it there, does it give probabilities, does it look, what does it cost? */
#pragma once

#include "compare/questions/canary.h"
#include "compare/vlm/vlm_config.h"
#include "compare/vlm/yes_no.h"
#include "config/files/read_file.h"

/* ---- the probes ---- */

enum { POV_PROBE_QUESTION_MAX = 8, POV_PROBE_PROMPT_CAPACITY = 1024 };

/** Start from {0}. */
typedef struct {
    int question_len;
    char prompts[POV_PROBE_QUESTION_MAX][POV_PROBE_PROMPT_CAPACITY];
    bool has_truth, has_other;
    bool truth[POV_PROBE_QUESTION_MAX][POV_CANARY_PROBE_COUNT];
    pov_bytes files[POV_CANARY_PROBE_COUNT]; /* the file of "again" is empty: it is the image's */
} pov_vlm_probes;

/** Draws a red circle to the left of a blue square, and a green triangle as the other image, as PNGs in `folder`. */
POV_MUST_USE pov_status pov_vlm_probes_draw(pov_vlm_probes *probes, const char *folder);
/** Takes an image file, and another (NULL: none); writes the blank and the mirrored one in `folder`. */
POV_MUST_USE pov_status pov_vlm_probes_take(pov_vlm_probes *probes, const char *folder, const char *path,
                                            const char *other_path);
void pov_vlm_probes_free(pov_vlm_probes *probes);

/** Adds vlm_truth.jsonl to `folder`, for pov vlm-sim. The probes have truth. */
POV_MUST_USE pov_status pov_vlm_probes_write_truth(const pov_vlm_probes *probes, const char *folder);

/* ---- the server ---- */

enum { POV_CHECKUP_REPLY_CAPACITY = 200 };

typedef struct {
    int asked, answered, right;             /* right: of the scored, where truth is known */
    char cause[POV_MESSAGE_CAPACITY];       /* of the first question not answered or not scored */
    char words_cause[POV_MESSAGE_CAPACITY]; /* why words were scored though probabilities came; else "" */
    char reply[POV_CHECKUP_REPLY_CAPACITY]; /* to the first question, as far as it fits */
    char model[POV_VLM_NAME_CAPACITY];      /* as the server calls itself */
    int kinds[POV_YES_NO_KINDS];
    double mass_mean, mass_min; /* of yes and no; NaN without probabilities */
    double latency_median_s, latency_max_s;
    pov_vlm_totals totals;
    pov_canary_result canary;
} pov_vlm_checkup;

/** Asks the endpoint alone: one question first, and the others once that is answered. Returns POV_ERROR only where nothing could be asked at all; a server that does not answer is a
 *  finding. `stop`: asked between questions, true ends it. */
POV_MUST_USE pov_status pov_vlm_checkup_run(pov_vlm_checkup *checkup, const pov_vlm_config *config,
                                            int endpoint, const pov_vlm_probes *probes, bool (*stop)(void));

/** Fit for use: it answers, yes and no are scored, and it looks at images. */
bool pov_vlm_checkup_is_well(const pov_vlm_checkup *checkup);
