/** ZeroMQ sockets at endpoints as users write them, and what is wrong with those in users' words. */
#pragma once

#include "perception/status.h"
#include "protocol/links/accept_guard.h"
#include "protocol/links/relay.h"

/** Binds, with a guard of the connections that come, or connects a socket, by a relay that holds so many bytes (relay.h).
 *  POV_ERROR says why that is impossible and what to choose instead. In: doing: what the socket is for, as its messages say it:
 *  "publish on". */
POV_MUST_USE pov_status pov_endpoint_bind(void *socket, pov_accept_guard *guard, const char *endpoint,
                                          const char *doing);
POV_MUST_USE pov_status pov_endpoint_connect(void *socket, pov_relay **relay, const char *endpoint,
                                             uint64_t waiting_max_bytes);
bool pov_socket_set(void *socket, int option, int value);
/** Either may be NULL. */
void pov_socket_close(void *context, void *socket);
/** Can only programs of this machine reach what is bound there? ipc://, loopback. */
bool pov_endpoint_is_local(const char *endpoint);
/** The path of the socket file, where the user named it: NULL for tcp, abstract (@) and wildcard ipc. */
const char *pov_endpoint_path(const char *endpoint);
