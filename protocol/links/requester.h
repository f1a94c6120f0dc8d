/** Asks a responder (responder.h): one request after the other. */
#pragma once

#include "protocol/links/subscriber.h"

typedef struct pov_requester pov_requester;

/** Connects; the topic of the configuration is not used. POV_ERROR: the endpoint is malformed, keys are missing. */
POV_MUST_USE pov_status pov_requester_new(pov_requester **requester, const pov_subscriber_config *config);
void pov_requester_destroy(pov_requester **requester);

/** Out: reply: a text, borrowed until the next call. POV_TIMEOUT: none came; a late one is taken for none. */
POV_MUST_USE pov_status pov_requester_ask(pov_requester *requester, const char **reply, const char *request,
                                          int timeout_ms);
