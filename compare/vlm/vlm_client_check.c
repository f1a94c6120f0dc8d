/* What cannot be asked, told before it is. */
#include "compare/vlm/vlm_client.h"

#include <string.h>
#include <strings.h>

pov_status pov_vlm_url_check(const char *url)
{
    const char *path = strstr(url, "/chat/completions");
    if (strncasecmp(url, "http://", 7) != 0 && strncasecmp(url, "https://", 8) != 0)
        return pov_error("'%.200s' does not begin with http:// or https://", url);
    if (strcspn(strstr(url, "//") + 2, "/:?#") == 0)
        return pov_error("'%.200s' names no server: write one like http://localhost:8000/v1", url);
    if (path)
        return pov_error("'%.200s' goes too far: up to and with /v1, leave out %s", url, path);
    if (strchr(url, '@'))
        return pov_error("a name and password in a URL end up in logs: name a key instead");
    return pov_ok();
}

bool pov_vlm_url_is_own(const char *url)
{
    const char *slashes = strstr(url, "//");
    const char *host = slashes ? slashes + 2 : "";
    const size_t len = strcspn(host, *host == '[' ? "/?#" : "/:?#");
    return (len == 9 && strncasecmp(host, "localhost", 9) == 0) || strncmp(host, "[::1]", 5) == 0 ||
           (strncmp(host, "127.", 4) == 0 && strspn(host, "0123456789.") == len);
}

static pov_status check_endpoint(const pov_vlm_endpoint *endpoint, int index)
{
    POV_TRY(pov_vlm_url_check(endpoint->url));
    if (endpoint->concurrency < 1 || endpoint->concurrency > POV_VLM_CONCURRENCY_MAX)
        return pov_error("endpoint %d: concurrency %d is not in 1..%d", index + 1, endpoint->concurrency,
                         POV_VLM_CONCURRENCY_MAX);
    if (!(endpoint->price_prompt >= 0) || !(endpoint->price_answer >= 0))
        return pov_error("endpoint %d: a price is negative", index + 1);
    for (const char *c = endpoint->key; *c; c++)
        if (*c < '!' || *c > '~')
            return pov_error("endpoint %d: the API key holds a character that no key has (a newline?)",
                             index + 1);
    return pov_vlm_extra_check(endpoint->extra);
}

pov_status pov_vlm_client_config_check(const pov_vlm_client_config *config)
{
    if (config->endpoint_len < 1 || config->endpoint_len > POV_VLM_ENDPOINT_MAX)
        return pov_error("%d VLM endpoints: there must be 1 to %d", config->endpoint_len,
                         POV_VLM_ENDPOINT_MAX);
    POV_REQUIRE(config->attempt_max >= 1 && config->connect_ns > 0 && config->answer_ns > 0);
    POV_REQUIRE(config->pauses.first_ns > 0 && config->pauses.max_ns >= config->pauses.first_ns);
    for (int i = 0; i < config->endpoint_len; i++)
        POV_TRY(check_endpoint(&config->endpoints[i], i));
    return pov_ok();
}
