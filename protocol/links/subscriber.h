/** Receives what a publisher sends: a ZeroMQ SUB socket. */
#pragma once

#include "perception/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct pov_subscriber pov_subscriber;

typedef struct {
    const char *endpoint, *topic; /* subscribes to every topic that begins with this one */
    const char *keys;             /* folder of keys (keys.h); NULL: a publisher without */
    const char *server;           /* with keys: the publisher's name among the peers; NULL: the only one */
} pov_subscriber_config;

/** Connects; the publisher may come later. Errors: the endpoint is malformed, the keys are missing. */
POV_MUST_USE pov_status pov_subscriber_new(pov_subscriber **subscriber, const pov_subscriber_config *config);
void pov_subscriber_destroy(pov_subscriber **subscriber);

/** From here to the publisher and back, by TCP; 0: ipc, or nothing came yet. */
double pov_subscriber_round_trip_s(const pov_subscriber *subscriber);

/** The next message's envelope bytes, borrowed until the next call. POV_TIMEOUT if none came; POV_SKIPPED: the publisher
 *  sent one larger than any may be, and is connected to again. POV_ERROR, too, when the publisher wants a key that is missing
 *  or not allowed. */
POV_MUST_USE pov_status pov_subscriber_next(pov_subscriber *subscriber, const uint8_t **bytes, size_t *length,
                                            int timeout_ms);
