/** Stands before an HTTP server at an address that others can reach. It hands a connection on once its request is whole, so that
 *  idle and slow peers hold no thread of the server; it bounds connections in all and from one address; and it speaks TLS. */
#pragma once

#include "perception/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *address;     /* "127.0.0.1", "0.0.0.0", "[::]" */
    int port;                /* 0: any free one */
    int server_port;         /* of the server, at 127.0.0.1 */
    const char *certificate; /* a PEM file with a certificate and its key; NULL: no TLS */
    int connections_max;     /* at most half of them from one address */
    size_t
        frame_max_bytes; /* what follows a head is frames of a WebSocket, of at most so many bytes; 0: it may be anything */
} pov_http_gate_config;

typedef struct pov_http_gate pov_http_gate;

/** The frames of a WebSocket's client (RFC 6455, section 5.2) as they pass; starts as {0}. */
typedef struct {
    uint64_t left; /* bytes of the frame that is passing */
    int head_len;
    unsigned char head[14];
} pov_frame_guard;

/** False: a frame is larger than so many bytes, or none of a client's. */
POV_MUST_USE bool pov_frame_guard_pass(pov_frame_guard *guard, const unsigned char *bytes, size_t len,
                                       size_t max_bytes);

/** Listens, in a thread of its own. When there is no room, the connection that has waited longest without a whole request goes;
 *  if there is none, the new one. Errors: the port cannot be had; the certificate is missing or unusable. */
POV_MUST_USE pov_status pov_http_gate_new(pov_http_gate **gate, const pov_http_gate_config *config);
void pov_http_gate_destroy(pov_http_gate **gate);
int pov_http_gate_port(const pov_http_gate *gate);
