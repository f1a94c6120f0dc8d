/** Images and questions for compare/questions/canary.h: pictures of our own whose truth is known, or a user's. */
#ifndef POV_FIRMWARE_VLM_VLM_PROBES_H
#define POV_FIRMWARE_VLM_VLM_PROBES_H

#include "compare/questions/canary.h"
#include "compare/vlm/vlm_exchange.h"
#include "config/files/read_file.h"

enum { POV_PROBE_QUESTION_MAX = 8, POV_PROBE_PROMPT_CAPACITY = 1024 };

/** Start from {0}. */
typedef struct {
    int question_len;
    char prompts[POV_PROBE_QUESTION_MAX][POV_PROBE_PROMPT_CAPACITY];
    bool has_truth, has_other;
    bool truth[POV_PROBE_QUESTION_MAX][POV_CANARY_PROBE_COUNT];
    pov_bytes files[POV_CANARY_PROBE_COUNT]; /* that of "again" is empty: it is the image's */
} pov_vlm_probes;

/** Draws a red circle to the left of a blue square, and a green triangle as the other image, as PNGs in `folder`. */
POV_MUST_USE pov_status pov_vlm_probes_draw(pov_vlm_probes *probes, const char *folder);
/** Takes an image file, and another (NULL: none); writes the blank and the mirrored one in `folder`. */
POV_MUST_USE pov_status pov_vlm_probes_take(pov_vlm_probes *probes, const char *folder, const char *path,
                                            const char *other_path);
void pov_vlm_probes_free(pov_vlm_probes *probes);

/** Adds vlm_truth.jsonl to `folder`, for pov vlm-sim. The probes have truth. */
POV_MUST_USE pov_status pov_vlm_probes_write_truth(const pov_vlm_probes *probes, const char *folder);

/** The image as it is sent. */
pov_vlm_image pov_vlm_probes_image(const pov_vlm_probes *probes, pov_canary_probe probe);

#endif
