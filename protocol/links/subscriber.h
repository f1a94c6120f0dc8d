/** Receives what a publisher sends: a plain ZeroMQ SUB socket. */
#ifndef POV_PROTOCOL_LINKS_SUBSCRIBER_H
#define POV_PROTOCOL_LINKS_SUBSCRIBER_H

#include "perception/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct pov_subscriber pov_subscriber;

/** Connects (the publisher may come later) and subscribes to every topic beginning with `topic`. */
POV_MUST_USE pov_status pov_subscriber_new(pov_subscriber **subscriber, const char *endpoint,
                                           const char *topic);
void pov_subscriber_destroy(pov_subscriber **subscriber);

/** The next message's envelope bytes, borrowed until the next call. POV_TIMEOUT if none came. */
POV_MUST_USE pov_status pov_subscriber_next(pov_subscriber *subscriber, const uint8_t **bytes, size_t *length,
                                            int timeout_ms);

#endif
