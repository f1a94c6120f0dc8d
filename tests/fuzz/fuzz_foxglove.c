/* Any bytes of a client of the Foxglove server: as frames, which pass the gate however they are cut; and as texts, parted by zero
 * bytes, after which each subscription still has an id of its own. */
#include "firmware/http/http_gate.h"
#include "protocol/foxglove/foxglove_talk.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void hear(pov_foxglove_subscriptions *subscriptions, const uint8_t *text, size_t len)
{
    const pov_foxglove_subscriptions before = *subscriptions;
    char *exact = malloc(len ? len : 1);
    memcpy(exact, text, len);
    const pov_status status = pov_foxglove_hear(subscriptions, exact, len);
    free(exact);
    if (status.code == POV_ERROR && memcmp(&before, subscriptions, sizeof before) != 0)
        abort();
    if (status.code != POV_OK) {
        char *told = pov_foxglove_status(1, status.message);
        if (!*status.message || !told)
            abort();
        free(told);
    }
    for (int a = 0; a < POV_RECORDED_CHANNEL_MAX; a++)
        for (int b = 0; b < a; b++)
            if (subscriptions->on[a] && subscriptions->on[b] && subscriptions->id[a] == subscriptions->id[b])
                abort();
}

/* How many of the bytes may pass, frame by frame, by the RFC's picture of one. */
static size_t good_bytes(const uint8_t *bytes, size_t length, size_t max_bytes)
{
    for (size_t at = 0;;) {
        if (length - at < 2)
            return length;
        const int code = bytes[at + 1] & 127, more = code == 126 ? 2 : code == 127 ? 8 : 0;
        if (bytes[at + 1] < 128)
            return at + 1;
        uint64_t payload = more ? 0 : (uint64_t)code;
        if (length - at < (size_t)(2 + more + 4))
            return length;
        for (int i = 0; i < more; i++)
            payload = payload * 256 + bytes[at + 2 + (size_t)i];
        if (payload > max_bytes)
            return at + 2 + (size_t)more + 4 - 1;
        at += 2 + (size_t)more + 4;
        if (payload > length - at)
            return length;
        at += (size_t)payload;
    }
}

static void check_guard(const uint8_t *bytes, size_t length)
{
    enum { MAX = 300 };
    const size_t good = good_bytes(bytes, length, MAX), step = length > 0 ? 1 + bytes[0] % 7 : 1;
    pov_frame_guard whole = {0}, parts = {0};
    if (pov_frame_guard_pass(&whole, bytes, length, MAX) != (good == length))
        abort();
    for (size_t at = 0; at < length; at += step) {
        const size_t len = length - at < step ? length - at : step;
        const bool passes = pov_frame_guard_pass(&parts, bytes + at, len, MAX);
        if (passes != (at + len <= good))
            abort();
        if (!passes)
            return;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    pov_foxglove_subscriptions subscriptions = {.camera_len = length > 0 ? bytes[0] % 4 : 0};
    check_guard(bytes, length);
    for (size_t at = 0; at < length;) {
        const uint8_t *end = memchr(bytes + at, 0, length - at);
        const size_t len = end ? (size_t)(end - bytes) - at : length - at;
        hear(&subscriptions, bytes + at, len);
        at += len + 1;
    }
    return 0;
}
