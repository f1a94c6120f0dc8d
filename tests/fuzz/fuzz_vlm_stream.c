#include "compare/vlm/vlm_stream.h"

#include <cJSON.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* Whether and where a stream speaks must not depend on how its bytes are cut; the first byte says how. */
static void check_cuts(const char *body, size_t len, size_t step)
{
    size_t whole = 0, scanned = 0;
    const bool speaks = pov_vlm_stream_speaks(&whole, body, len);
    bool found = false;
    for (size_t end = 0; end < len && !found;) {
        end = len - end > step ? end + step : len;
        found = pov_vlm_stream_speaks(&scanned, body, end);
    }
    if (found != speaks || scanned != whole || scanned > len)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    if (length == 0)
        return 0;
    const size_t len = length - 1;
    char *body = malloc(len + 1);
    if (!body)
        abort();
    memcpy(body, bytes + 1, len);
    body[len] = '\0';
    check_cuts(body, len, (size_t)bytes[0] % 16 + 1);
    if (pov_vlm_stream_is(body, len))
        cJSON_Delete(pov_vlm_stream_join(body, len));
    free(body);
    return 0;
}
