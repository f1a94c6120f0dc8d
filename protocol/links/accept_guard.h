/** Bounds the connections that a listener of libzmq holds. libzmq takes every connection that comes, on a thread of its own, and a
 *  flood took all descriptors of the program between two images. So listen, accept and accept4 are defined here: in a
 *  program that links this file, libzmq's calls come by the guards. Other listeners' connections pass. */
#pragma once

#include "perception/status.h"

#include <stdint.h>

typedef struct pov_accept_guard pov_accept_guard;

/** A connection beyond connections_max, or beyond half of that from one address, will be closed in the moment in which it is
 *  taken. Local sockets have no address: all of them may be one user's. */
POV_MUST_USE pov_status pov_accept_guard_new(pov_accept_guard **guard, int connections_max);
/** Guards the listeners that this thread opens until it calls this with NULL. */
void pov_accept_guard_start(pov_accept_guard *guard);
/** Guards no longer. Call it before the listener closes, since its number may then be another's. */
void pov_accept_guard_stop(pov_accept_guard *guard);
/** Once the thread that accepts has ended. */
void pov_accept_guard_destroy(pov_accept_guard **guard);
/** Connections that it has closed. Any thread. */
uint64_t pov_accept_guard_refused(const pov_accept_guard *guard);
