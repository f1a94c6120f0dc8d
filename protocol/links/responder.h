/** Answers requests of ZeroMQ REQ and DEALER sockets: a ROUTER socket. */
#pragma once

#include "perception/status.h"

#include <stddef.h>
#include <stdint.h>

enum { POV_RESPONDER_BYTES_MAX = 64 << 10, POV_PEER_BYTES_MAX = 255 };

typedef struct pov_responder pov_responder;

/** A request, and to whom the reply goes. Plain data. */
typedef struct {
    size_t peer_len; /* the identity that the peer has chosen, or that ZeroMQ gave to its connection */
    uint8_t peer[POV_PEER_BYTES_MAX];
    bool delimited; /* an empty frame stands before the request, as REQ writes it */
    size_t number_len; /* of the request's number before that, as REQ with ZMQ_REQ_CORRELATE writes it; 0: none */
    uint8_t number[8];
    size_t length;
    char text[POV_RESPONDER_BYTES_MAX +
              1]; /* ends in a zero byte; one within it ends the text for who reads it so */
} pov_asked;

/** Binds. Connections that send more than POV_RESPONDER_BYTES_MAX, in one part or several, are closed. One owning thread.
 *  In: keys: a folder of keys (keys.h): only peers with an allowed key; NULL: anyone who can connect. connections_max: half of
 *  them from one address; further ones are closed.
 *  POV_ERROR: the endpoint is malformed, in use, not permitted; the keys are missing or unreadable. */
POV_MUST_USE pov_status pov_responder_new(pov_responder **responder, const char *endpoint, const char *keys,
                                          int connections_max);
void pov_responder_destroy(pov_responder **responder);
/** The endpoint as bound (with the port chosen for "*"). */
const char *pov_responder_endpoint(const pov_responder *responder);

/** The next request, of the peers in turn; those of peers that have gone are passed over. POV_TIMEOUT: none came. With keys, handshakes wait for this call. */
POV_MUST_USE pov_status pov_responder_next(pov_responder *responder, pov_asked *asked, int timeout_ms);
/** What has become wrong with the peers' keys since the last call: a text that names files; NULL: nothing new. */
const char *pov_responder_news(pov_responder *responder);
/** Sends a reply, unless the peer has gone or takes none. Never waits. */
void pov_responder_reply(pov_responder *responder, const pov_asked *asked, const char *text, size_t length);
