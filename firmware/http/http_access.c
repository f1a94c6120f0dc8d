#include "firmware/http/http_access.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

enum { WRONG_MAX = 30 }; /* tokens a minute; chosen: a person mistypes fewer */

bool pov_address_is_loopback(const char *address)
{
    return strcmp(address, "127.0.0.1") == 0 || strcmp(address, "[::1]") == 0;
}

pov_status pov_token_draw(char token[POV_TOKEN_CAPACITY])
{
    unsigned char bits[(POV_TOKEN_CAPACITY - 1) / 2];
    token[0] = '\0';
    if (getrandom(bits, sizeof bits, 0) != sizeof bits)
        return pov_error("the system has no random bits for a token");
    for (size_t i = 0; i < sizeof bits; i++)
        snprintf(token + 2 * i, 3, "%02x", bits[i]);
    return pov_ok();
}

/* As many steps whatever the first difference is. */
static bool same_token(const char *token, const char *given, size_t given_len)
{
    unsigned difference = given_len != POV_TOKEN_CAPACITY - 1;
    for (size_t i = 0; i < POV_TOKEN_CAPACITY - 1; i++)
        difference |= (unsigned)token[i] ^ (unsigned)(i < given_len ? given[i] : 0);
    return difference == 0;
}

/* Any "name=value" of a list like "a=1&b=2" or "a=1; b=2" that has the token. */
static bool holds_token(const char *list, const char *name, const char *separators, const char *token)
{
    const size_t name_len = strlen(name);
    for (const char *item = list; *item; item += strspn(item, separators)) {
        const size_t len = strcspn(item, separators);
        if (len > name_len && strncmp(item, name, name_len) == 0 && item[name_len] == '=' &&
            same_token(token, item + name_len + 1, len - name_len - 1))
            return true;
        item += len;
    }
    return false;
}

static bool host_is_here(const char *host)
{
    static const char *const here[] = {"localhost", "127.0.0.1", "[::1]"};
    for (size_t i = 0; i < sizeof here / sizeof *here; i++) {
        const size_t len = strlen(here[i]);
        if (strncmp(host, here[i], len) == 0 && (host[len] == '\0' || host[len] == ':'))
            return true;
    }
    return false;
}

static bool shows_token(const pov_http_access *access, const pov_http_request *request, const char *token)
{
    char cookie[32];
    snprintf(cookie, sizeof cookie, "pov_token_%d", access->port);
    return holds_token(request->query, "token", "&", token) ||
           holds_token(request->cookie, cookie, "; ", token);
}

pov_http_role pov_http_role_of(const pov_http_access *access, const pov_http_request *request)
{
    if (!*access->operate)
        return host_is_here(request->host) ? POV_MAY_OPERATE : POV_MAY_NOTHING;
    return shows_token(access, request, access->operate) ? POV_MAY_OPERATE
           : shows_token(access, request, access->see)   ? POV_MAY_SEE
                                                         : POV_MAY_NOTHING;
}

bool pov_http_has_token(const pov_http_request *request)
{
    return strncmp(request->query, "token=", 6) == 0 || strstr(request->query, "&token=");
}

bool pov_http_count_wrong(pov_http_access *access, int64_t now_ns)
{
    const long long minute = now_ns / 60000000000;
    if (atomic_exchange(&access->wrong_minute, minute) != minute)
        atomic_store(&access->wrong, 0);
    return atomic_fetch_add(&access->wrong, 1) >= WRONG_MAX;
}
