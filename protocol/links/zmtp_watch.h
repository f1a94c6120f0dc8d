/** Reads along what a peer sends to libzmq, before libzmq does, and counts what libzmq will hold of it: ZMTP 3
 *  (RFC 23, https://rfc.zeromq.org/spec/23), plain or with CURVE (RFC 26). Pure. Inside protocol/ only. */
#pragma once

#include "perception/status.h"

#include <stddef.h>
#include <stdint.h>

enum {
    POV_ZMTP_FRAME_COST = 64, /* bytes of a frame beside its body: libzmq's zmq_msg_t */
    POV_ZMTP_CURVE_BYTES =
        33 /* of an encrypted frame beside its body: "\x07MESSAGE", nonce, authenticator, flags */
};

/** Starts as {0}. */
typedef struct {
    int greeting_len;
    bool has_curve; /* bodies are encrypted: commands and parts of messages look alike */
    int head_len;   /* bytes of a frame's flags and size that have come */
    uint8_t head[9];
    uint64_t size, left; /* of the body that is passing */
    bool is_command;     /* that body's name is not known yet */
    int name_len;
    char name[16];
} pov_zmtp_watch;

/** Out: cost: added to it, for each frame that begins here and that the reader of the socket will get: its size as announced and
 *       POV_ZMTP_FRAME_COST. Commands that libzmq answers or drops cost nothing.
 *  Returns: false: these bytes are not ZMTP 3. */
POV_MUST_USE bool pov_zmtp_watch_pass(pov_zmtp_watch *watch, uint64_t *cost, const uint8_t *bytes,
                                      size_t len);
/** The cost of a frame that has been received, to be taken off again. */
uint64_t pov_zmtp_frame_cost(size_t len, bool has_curve);
