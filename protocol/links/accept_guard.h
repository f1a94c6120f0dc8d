/** Bounds the connections that a listener of libzmq holds, and the bytes that libzmq takes from each. libzmq takes every connection
 *  that comes and reads on without bound, on a thread of its own: a flood took all descriptors of the program between two images, and
 *  a message without a last part all memory. So listen, accept, accept4, recv and close are defined here: in a program that links
 *  this file, libzmq's calls come by the guards. Other sockets pass. */
#pragma once

#include "perception/status.h"

#include <stdint.h>

typedef struct pov_accept_guard pov_accept_guard;

typedef struct {
    int connections_max;
    /* Bytes that libzmq may hold of what one connection has sent, until they are taken (pov_zmtp_frame_cost); it is closed before
       libzmq reads more. */
    uint64_t waiting_max_bytes;
    /* The same of all connections, also those that have ended, until the socket is found empty; one connection may have at most as
       many as are left, or 512 bytes. 0: no such bound. */
    uint64_t waiting_max_bytes_in_all;
    size_t read_max_bytes; /* that libzmq reads at once of a connection; 0: as many as it likes */
} pov_accept_guard_config;

/** When there are connections_max connections, or half as many from the address of a new one, the new one takes the place of one that
 *  has much waiting, the most of all; else of the one that was silent for longest; but of none that stays, that has just come,
 *  or of which one message waits for its turn or its answer. If there is no other, the new one is closed at once. Local sockets have no address: all of them may be one user's. */
POV_MUST_USE pov_status pov_accept_guard_new(pov_accept_guard **guard, const pov_accept_guard_config *config);
/** Guards the listeners that this thread opens until it calls this with NULL. */
void pov_accept_guard_start(pov_accept_guard *guard);
/** Guards no longer: new connections pass. */
void pov_accept_guard_stop(pov_accept_guard *guard);
/** Once the threads of the listener's context have ended. */
void pov_accept_guard_destroy(pov_accept_guard **guard);
/** Connections that it has closed. Any thread. */
uint64_t pov_accept_guard_refused(const pov_accept_guard *guard);

/* -------- by the owner of the socket, as it receives -------- */

/** A frame of so many bytes came from this connection, and is libzmq's no more. */
void pov_accept_guard_take(pov_accept_guard *guard, int descriptor, size_t bytes);
/** This connection has become one that no other replaces. */
void pov_accept_guard_keep(pov_accept_guard *guard, int descriptor);
/** A round: the owner has found the socket empty, or has taken a message and answered the one before. Until the next such call as many
 *  connections are taken as there may be, and none gets the descriptor of one that has ended. */
void pov_accept_guard_drained(pov_accept_guard *guard);
