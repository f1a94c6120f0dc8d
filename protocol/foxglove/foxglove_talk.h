/** The text messages of Foxglove's WebSocket protocol, version 1: a server of the topics of a recording (docs/RECORDING.md). */
#pragma once

#include "perception/status.h"
#include "protocol/recording/recording.h"

/** The protocol's first name, and that of Foxglove's SDK, which is the same for all that is sent here. */
#define POV_FOXGLOVE_SUBPROTOCOLS "foxglove.websocket.v1", "foxglove.sdk.v1"

enum {
    POV_FOXGLOVE_HEAD_BYTES = 13,           /* of a binary message, before its payload */
    POV_FOXGLOVE_TEXT_BYTES_MAX = 64 << 10, /* of a client's text; chosen: a thousand subscriptions fit */
    POV_FOXGLOVE_DEPTH_MAX = 8              /* of brackets in it; its own messages have three */
};

/** The subscriptions of one client: at most one subscription of a channel, under an id of its own choice. By the channel's number,
 *  less 1 (pov_recorded_channel). */
typedef struct {
    int camera_len; /* of the station; there are no channels of more */
    bool on[POV_RECORDED_CHANNEL_MAX];
    uint32_t id[POV_RECORDED_CHANNEL_MAX];
} pov_foxglove_subscriptions;

/** Texts of the server; to be freed; NULL without memory. level: 0 info, 1 warning, 2 error. */
char *pov_foxglove_server_info(const char *name, const char *session);
char *pov_foxglove_advertisement(const pov_recorded_camera *cameras, int camera_len);
char *pov_foxglove_status(int level, const char *text);

/** Takes a client's text, of any bytes. Returns: POV_OK; POV_SKIPPED: some of it cannot be done, which the message tells; POV_ERROR: it
 *  is not a message of the protocol, and does nothing. */
POV_MUST_USE pov_status pov_foxglove_hear(pov_foxglove_subscriptions *subscriptions, const char *text,
                                          size_t len);

/** The heads of binary messages: of a topic's message, and of the clock. */
void pov_foxglove_write_message_head(uint8_t head[POV_FOXGLOVE_HEAD_BYTES], uint32_t subscription,
                                     int64_t log_ns);
enum { POV_FOXGLOVE_TIME_BYTES = 9 };
void pov_foxglove_write_time(uint8_t bytes[POV_FOXGLOVE_TIME_BYTES], int64_t now_ns);
