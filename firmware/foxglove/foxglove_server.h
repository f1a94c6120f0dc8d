/** A running station in Foxglove, live: the topics of a recording over WebSockets (docs/FOXGLOVE.md).
 *
 *  The pipeline copies what someone has subscribed to, and nothing else; threads of the server code and send it. A client that takes
 *  less than there is loses the oldest of what waits for it, and no other client waits for it. */
#pragma once

#include "firmware/http/http_site.h"
#include "perception/geometry/camera.h"
#include "perception/image/image.h"
#include "protocol/recording/recording.h"

#include <stdint.h>

enum { POV_FOXGLOVE_CLIENT_MAX = 16 };

typedef struct pov_foxglove_server pov_foxglove_server;

typedef struct {
    int clients;
    uint64_t sent,
        lost; /* messages, over all clients so far; lost: left out because a client, or this machine, was too slow */
} pov_foxglove_statistics;

/** Serves from now on. station: its name for people. cameras: of several (len > 1), each with topics of its own; their ids are borrowed. */
POV_MUST_USE pov_status pov_foxglove_server_new(pov_foxglove_server **server, const pov_http_place *place,
                                                const char *station, const pov_recorded_camera *cameras,
                                                int len);
void pov_foxglove_server_destroy(pov_foxglove_server **server);
/** Prints to stderr where it is. */
void pov_foxglove_server_print_place(const pov_foxglove_server *server);
int pov_foxglove_server_port(const pov_foxglove_server *server);
pov_foxglove_statistics pov_foxglove_server_statistics(pov_foxglove_server *server);

/** Whether a message of the wire is worth encoding: someone listens to it, or to what is made of it. */
bool pov_foxglove_server_wants(const pov_foxglove_server *server, pov_recorded topic);

/** These copy what is wanted, and return at once. From one thread. capture_ns: of the image that it is about. */
void pov_foxglove_server_image(pov_foxglove_server *server, const pov_image *image);
void pov_foxglove_server_message(pov_foxglove_server *server, pov_recorded topic, const uint8_t *bytes,
                                 size_t len, int64_t capture_ns);
/** index: of the station's camera, from 0. */
void pov_foxglove_server_camera(pov_foxglove_server *server, const pov_camera *camera, int index);
/** From any thread. */
void pov_foxglove_server_log(pov_foxglove_server *server, const char *severity, const char *text);
