/** A local HTTP server that does exactly what a test tells it to, well-behaved or not: raw sockets, no HTTP library. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef enum {
    TEST_HTTP_REPLY,         /* status, headers and body */
    TEST_HTTP_HANG,          /* reads, then says nothing more */
    TEST_HTTP_CLOSE,         /* closes without a word */
    TEST_HTTP_CLOSE_EARLY,   /* promises twice the body, sends it, closes */
    TEST_HTTP_FLOOD,         /* a body of 1 GB */
    TEST_HTTP_FLOOD_HEADERS, /* header lines, 1 GB of them */
    TEST_HTTP_TOGETHER       /* replies when `together` requests are under way at a time */
} test_http_act;

typedef struct {
    test_http_act act;
    int status;          /* 0: 200 */
    const char *headers; /* NULL: "Content-Type: application/json\r\n" */
    const char *body;    /* NULL: "" */
    int together;
} test_http_step;

typedef struct test_http_server test_http_server;

/** Listens on a free port of 127.0.0.1. The n-th request meets the n-th step; those after the last meet the last. */
test_http_server *test_http_server_new(const test_http_step *steps, int len);
void test_http_server_destroy(test_http_server **server);

int test_http_server_port(const test_http_server *server);
int test_http_server_requests(test_http_server *server);
int test_http_server_most_together(test_http_server *server);
size_t test_http_server_bytes_sent(test_http_server *server);
/** Does any request received so far, head or body, hold this text? */
bool test_http_server_received(test_http_server *server, const char *text);
