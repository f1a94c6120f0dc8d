/** Endpoints as users write them, and what is wrong with them in users' words. */
#ifndef POV_PROTOCOL_ENDPOINT_H
#define POV_PROTOCOL_ENDPOINT_H

#include "perception/status.h"

/** POV_ERROR unless it begins with tcp:// or ipc:// and goes on. */
POV_MUST_USE pov_status pov_endpoint_check(const char *endpoint);
/** Binds or connects a ZeroMQ socket. POV_ERROR says why that is impossible and what to choose instead. */
POV_MUST_USE pov_status pov_endpoint_bind(void *socket, const char *endpoint);
POV_MUST_USE pov_status pov_endpoint_connect(void *socket, const char *endpoint);
/** The path of the socket file, where the user named it: NULL for tcp, abstract (@) and wildcard ipc. */
const char *pov_endpoint_path(const char *endpoint);

#endif
