/** Access to a server: for programs of this machine, or those that know a token. */
#pragma once

#include "firmware/http/http_server.h"

#include <stdatomic.h>
#include <stdint.h>

enum { POV_TOKEN_CAPACITY = 33 };

/** Rights of a visitor: none; to look; to press the buttons of a page, too. */
typedef enum { POV_MAY_NOTHING, POV_MAY_SEE, POV_MAY_OPERATE } pov_http_role;

typedef struct {
    char see[POV_TOKEN_CAPACITY], operate[POV_TOKEN_CAPACITY]; /* "": this machine only, without one */
    int port;
    atomic_int wrong; /* tokens in this minute */
    atomic_llong wrong_minute;
} pov_http_access;

/** 127.0.0.1, [::1]. */
bool pov_address_is_loopback(const char *address);
/** 128 random bits. */
POV_MUST_USE pov_status pov_token_draw(char token[POV_TOKEN_CAPACITY]);
/** By token, in the query or in the cookie that the page sets; without one, by a Host of this machine: a page from
 *  elsewhere whose name was made to lead here (DNS rebinding) is refused. */
pov_http_role pov_http_role_of(const pov_http_access *access, const pov_http_request *request);
/** Does the query hold a token? */
bool pov_http_has_token(const pov_http_request *request);
/** Counts a request without a right token. Returns: whether there were too many in this minute. */
bool pov_http_count_wrong(pov_http_access *access, int64_t now_ns);
