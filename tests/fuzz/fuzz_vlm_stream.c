#include "compare/vlm/vlm_stream.h"

#include <cJSON.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* What a stream says must not depend on how its bytes are cut; the first byte says how. */
static void check_cuts(const char *body, size_t len, size_t step)
{
    pov_vlm_words whole = {.answer = {0}}, pieces = {.answer = {0}};
    const bool speaks = pov_vlm_words_take(&whole, body, len);
    bool found = false;
    for (size_t end = 0; end < len;) {
        end = len - end > step ? end + step : len;
        found |= pov_vlm_words_take(&pieces, body, end);
    }
    if (found != speaks || pieces.place.at != whole.place.at || pieces.place.at > len ||
        strcmp(pov_text_of(&pieces.answer), pov_text_of(&whole.answer)) != 0 ||
        strcmp(pov_text_of(&pieces.thoughts), pov_text_of(&whole.thoughts)) != 0)
        abort();
    pov_vlm_words_free(&whole);
    pov_vlm_words_free(&pieces);
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
