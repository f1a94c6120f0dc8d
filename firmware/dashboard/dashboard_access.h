/** Access control of the dashboard. */
#ifndef POV_FIRMWARE_DASHBOARD_DASHBOARD_ACCESS_H
#define POV_FIRMWARE_DASHBOARD_DASHBOARD_ACCESS_H

#include "firmware/http_server.h"

enum { POV_TOKEN_CAPACITY = 33 };

typedef struct {
    char token[POV_TOKEN_CAPACITY]; /* "": this machine only, without one */
    int port;
} pov_dashboard_access;

/** 127.0.0.1, [::1]. */
bool pov_address_is_loopback(const char *address);
/** 128 random bits. */
POV_MUST_USE pov_status pov_token_draw(char token[POV_TOKEN_CAPACITY]);
/** By token, in the query or in the cookie that the page sets; without one, by a Host of this machine: a page from
 *  elsewhere whose name was made to lead here (DNS rebinding) is refused. */
bool pov_dashboard_may(const pov_dashboard_access *access, const pov_http_request *request);

#endif
