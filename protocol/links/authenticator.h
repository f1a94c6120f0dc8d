/** Admits only peers whose public keys are allowed (keys.h) to the sockets of one ZeroMQ context: CURVE, with the answers of a ZAP
 *  handler (RFC 27, https://rfc.zeromq.org/spec/27). Without a thread: handshakes wait for the next poll. Inside protocol/ only. */
#pragma once

#include "perception/status.h"

#include <stdint.h>

typedef struct pov_authenticator pov_authenticator;

/** Errors: no keys in the folder, unreadable keys. */
POV_MUST_USE pov_status pov_authenticator_new(pov_authenticator **authenticator, void *context,
                                              const char *folder);
/** After the sockets that it guards, before their context. */
void pov_authenticator_destroy(pov_authenticator **authenticator);

/** Makes a socket a CURVE server with this machine's key. Before it is bound. */
POV_MUST_USE pov_status pov_authenticator_guard(pov_authenticator *authenticator, void *socket);
/** Answers the handshakes that wait, a bounded number. Reads the peers' keys again when their folder has changed.
 *  Returns: whether they were read again. */
bool pov_authenticator_poll(pov_authenticator *authenticator);
/** Is the peer with this name, which messages carry as "User-Id", still allowed? */
bool pov_authenticator_allows(const pov_authenticator *authenticator, const char *name);
/** What has become wrong with the peers' keys since the last call: a text that names files; NULL: nothing new. */
const char *pov_authenticator_news(pov_authenticator *authenticator);
/** Handshakes turned away since the start. */
uint64_t pov_authenticator_refused(const pov_authenticator *authenticator);

/** Makes a socket a CURVE client with this machine's key, for the server with that key. Before it connects. */
POV_MUST_USE pov_status pov_authenticate_to(void *socket, const char *folder, const char *server);
