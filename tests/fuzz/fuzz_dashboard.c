/* Any request to a dashboard: each has a reply of a known kind, only who knows a token gets anything, and only who may operate posts a
 * line. The input is a byte of flags and six lines: method, path, query, host, cookie, body. Its file is included: the handler has no
 * other door than a socket, behind which civetweb would be tried and not pov. */
#include "firmware/dashboard/dashboard_pages.c"

#include "config/files/utf8.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

enum { FIELDS = 6, LINE = POV_DASHBOARD_LINE_CAPACITY };
#define OPERATE "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define SEE     "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define NONCE   "cccccccccccccccccccccccccccccccc"

static void require(bool holds)
{
    if (!holds)
        abort();
}

static pov_dashboard *begin_dashboard(void)
{
    pov_dashboard *made;
    require(pov_dashboard_new(&made, &(pov_dashboard_place){.at = {.address = "127.0.0.1"}}).code == POV_OK);
    snprintf(made->nonce, sizeof made->nonce, "%s", NONCE);
    pov_dashboard_show_study(made, "{}", "{}");
    pov_dashboard_show_sweep(made, "{\"a\":1}");
    return made;
}

/* Six texts, each NUL-terminated; the last takes the rest. */
static char *split(const char *field[FIELDS], const uint8_t *bytes, size_t length)
{
    char *text = malloc(length + 1);
    require(text != NULL);
    memcpy(text, bytes, length);
    text[length] = '\0';
    char *at = text;
    for (int i = 0; i < FIELDS; i++) {
        field[i] = at;
        char *end = i + 1 < FIELDS ? strchr(at, '\n') : NULL;
        if (end)
            *end++ = '\0';
        at = end ? end : at + strlen(at);
    }
    return text;
}

static void check_reply(pov_dashboard *d, const pov_http_reply *reply, const pov_http_request *request)
{
    static const int known[] = {200, 303, 403, 404, 405, 429, 503};
    const bool tokens = *d->site.access.operate != '\0';
    const bool operates = strstr(request->query, OPERATE) || strstr(request->cookie, OPERATE);
    const bool sees = strstr(request->query, SEE) || strstr(request->cookie, SEE);
    const bool refused = reply->status == 403 || reply->status == 429;
    bool is_known = false;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        is_known |= reply->status == known[i];
    require(is_known);
    if (tokens && !operates && !sees)
        require(refused);
    if (tokens && !operates && strcmp(request->method, "POST") == 0)
        require(refused || reply->status == 303);
    if (!tokens && strncmp(request->host, "localhost", 9) != 0 &&
        strncmp(request->host, "127.0.0.1", 9) != 0 && strncmp(request->host, "[::1]", 5) != 0)
        require(refused);
    if (reply->own_headers) { /* nothing of the request is in it */
        const char *second = strstr(reply->own_headers, "\r\n");
        require(reply->status == 303 && strncmp(reply->own_headers, "Location: /", 11) == 0 && second &&
                strncmp(second + 2, "Set-Cookie: pov_token_", 22) == 0 &&
                strlen(strstr(second + 2, "\r\n")) == 2);
    }
    char line[LINE];
    const bool has_line = pov_dashboard_take_line(d, line, sizeof line);
    require(!has_line || (reply->status == 200 && strncmp(request->body, NONCE " ", 33) == 0 &&
                          (!tokens || operates) && strlen(line) < LINE));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static pov_dashboard *d;
    const char *field[FIELDS];
    if (!d)
        d = begin_dashboard();
    if (length < 1)
        return 0;
    char *text = split(field, bytes + 1, length - 1), path[4200];
    snprintf(path, sizeof path, "/%s", field[1]);
    snprintf(d->site.access.operate, POV_TOKEN_CAPACITY, "%s", bytes[0] & 1 ? OPERATE : "");
    snprintf(d->site.access.see, POV_TOKEN_CAPACITY, "%s", bytes[0] & 1 ? SEE : "");
    const pov_http_request request = {.method = field[0],
                                      .path = path,
                                      .query = field[2],
                                      .host = field[3],
                                      .cookie = field[4],
                                      .origin = "",
                                      .body = field[5],
                                      .body_len = strlen(field[5])};
    pov_http_reply reply = {.status = 500};
    handle_request(d, &reply, &request);
    check_reply(d, &reply, &request);
    if (reply.stream)
        pov_latest_leave(d->updates);
    free(reply.body);
    free(reply.own_headers);
    free(text);
    return 0;
}
