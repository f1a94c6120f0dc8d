/** The way to a VLM's servers: asked by this program itself, or by workers on other machines ('pov vlm'). One owning thread. */
#ifndef POV_FIRMWARE_VLM_VLM_LINK_H
#define POV_FIRMWARE_VLM_VLM_LINK_H

#include "compare/vlm/vlm_client.h"

typedef struct pov_vlm_link pov_vlm_link;

/** `workers`: the endpoint that workers connect to; NULL: `client`'s servers are asked. */
POV_MUST_USE pov_status pov_vlm_link_new(pov_vlm_link **link, const pov_vlm_client_config *client,
                                         const char *workers);
/** Breaks off what is under way. */
void pov_vlm_link_destroy(pov_vlm_link **link);

/** As pov_vlm_client_ask. A queue for workers has no budget: theirs count. */
POV_MUST_USE pov_status pov_vlm_link_ask(pov_vlm_link *link, uint64_t ticket,
                                         const pov_vlm_question *question);
/** As pov_vlm_client_next. Out: *server: the URL that answered or failed last, borrowed until the next call. */
POV_MUST_USE pov_status pov_vlm_link_next(pov_vlm_link *link, pov_vlm_result *result, const char **server,
                                          int wait_ms);

#endif
