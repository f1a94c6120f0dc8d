/* Any URL or station file: no password is shown, and nothing but stars is left before a host. */
#include "firmware/gstreamer/gstreamer_source.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pov_stream_url url;
    char *text = calloc(1, size + 1);
    POV_REQUIRE(text);
    memcpy(text, data, size);
    if (pov_stream_url_read(&url, text).code == POV_OK) {
        const char *host = strstr(url.shown, "://");
        POV_REQUIRE(host && strlen(url.shown) < sizeof url.shown && strlen(url.location) <= strlen(text));
        for (const char *c = host + 3; *c && *c != '/' && *c != '"' && *c != '\'' && *c > ' '; c++)
            POV_REQUIRE(*c != '@');
    }
    const size_t len = pov_credentials_hide(text, size);
    POV_REQUIRE(len <= size);
    for (size_t i = 0; i + 3 < len; i++) {
        if (memcmp(text + i, "://", 3) != 0)
            continue;
        const size_t authority = strcspn(text + i + 3, "/?#\"' \t\r\n\v\f");
        const char *begin = text + i + 3, *at = memrchr(begin, '@', authority);
        /* The quotes of a property that was hidden ended the address before: user-pw="a"@ is user-pw=***@ now. */
        POV_REQUIRE(!at || strspn(begin, "*") == (size_t)(at - begin) ||
                    memmem(begin, (size_t)(at - begin), "=*", 2));
    }
    free(text);
    return 0;
}
