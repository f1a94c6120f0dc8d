#include "sim/vlm/vlm_chat.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static pov_vlm_chat_request request;
    const pov_status status = pov_vlm_chat_read(&request, (const char *)bytes, length);
    if (strlen(request.prompt) > POV_VLM_TRUTH_PROMPT_MAX || request.likely_wanted < 0 ||
        request.likely_wanted > 20)
        abort();
    if ((status.code == POV_OK) != (status.message[0] == '\0') ||
        (status.code != POV_OK && request.image_len))
        abort();
    return 0;
}
