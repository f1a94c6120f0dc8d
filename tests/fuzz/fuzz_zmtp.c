/* Any bytes of a peer, from its greeting on: counted at once they cost what they cost byte by byte, and never less than before. */
#include "protocol/links/zmtp_watch.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    pov_zmtp_watch at_once = {0}, by_bytes = {0};
    uint64_t cost_at_once = 0, cost_by_bytes = 0;
    const bool passes = pov_zmtp_watch_pass(&at_once, &cost_at_once, bytes, length);
    bool passes_by_bytes = true;
    for (size_t i = 0; i < length && passes_by_bytes; i++) {
        const uint64_t before = cost_by_bytes;
        passes_by_bytes = pov_zmtp_watch_pass(&by_bytes, &cost_by_bytes, bytes + i, 1);
        if (cost_by_bytes < before)
            abort();
    }
    if (passes != passes_by_bytes || (passes && cost_at_once != cost_by_bytes))
        abort();
    return 0;
}
