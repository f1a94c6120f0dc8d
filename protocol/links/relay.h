/** Stands between a socket of libzmq that connects and its peer. libzmq reads the parts of a message that does not end without bound,
 *  on a thread of its own. So the socket connects to the relay, and the relay to the peer: it hands on so many bytes, and reads more
 *  when messages have been taken. What does not fit stays with the peer. Inside protocol/ only. */
#pragma once

#include "perception/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct pov_relay pov_relay;

/** For an endpoint tcp://HOST:PORT or ipc://PATH. The peer may come later, go and come back. waiting_max_bytes: that libzmq may hold of
 *  what has not been taken, as pov_zmtp_frame_cost counts; at least that of two messages.
 *  False: errno says why; EINVAL: the endpoint is malformed. */
POV_MUST_USE bool pov_relay_new(pov_relay **relay, const char *endpoint, uint64_t waiting_max_bytes);
/** Ends the connection. */
void pov_relay_destroy(pov_relay **relay);
/** Where the socket connects to. */
const char *pov_relay_endpoint(const pov_relay *relay);

/** A frame of so many bytes came from the socket. */
void pov_relay_take(pov_relay *relay, size_t bytes);
/** From here to the peer and back, the shortest that TCP has seen of late; 0: the peer is on this machine (ipc), or has sent nothing yet. */
double pov_relay_round_trip_s(const pov_relay *relay);
/** The socket has no message: if much waits all the same, it is of one that is larger than any may be, and the connection
 *  ends. Returns: whether one was ended for that since the last call. */
bool pov_relay_drained(pov_relay *relay);
