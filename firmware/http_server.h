/** An HTTP server for a handler function, on civetweb. The handler runs in the server's threads, several at a time. */
#ifndef POV_FIRMWARE_HTTP_SERVER_H
#define POV_FIRMWARE_HTTP_SERVER_H

#include "perception/status.h"

#include <stddef.h>

typedef struct {
    const char *method, *path; /* "POST", "/v1/chat/completions" */
    const char *body;          /* NUL-terminated */
    size_t body_len;
} pov_http_request;

/** The handler's to fill in; starts as 500 without a body. */
typedef struct {
    int status;
    char *body;          /* JSON; the server frees it */
    const char *headers; /* further ones, each with \r\n; NULL: none */
    bool hang;           /* say nothing until the server is destroyed */
} pov_http_reply;

typedef void pov_http_handler(void *user, pov_http_reply *reply, const pov_http_request *request);

typedef struct pov_http_server pov_http_server;

/** Listens on `port` of `address` ("127.0.0.1"), 0: any free one.
 *  Returns: POV_ERROR if that cannot be had. */
POV_MUST_USE pov_status pov_http_server_new(pov_http_server **server, pov_http_handler *handler, void *user,
                                            const char *address, int port);
/** Waits for handlers that are at work. */
void pov_http_server_destroy(pov_http_server **server);
int pov_http_server_port(const pov_http_server *server);

#endif
