#include "protocol/links/zmtp_watch.h"

#include <string.h>

enum { GREETING_LEN = 64, REVISION_AT = 10, MECHANISM_AT = 12, MECHANISM_LEN = 20 };
enum { FLAG_LARGE = 2, FLAG_COMMAND = 4 };

/* -------- the greeting -------- */

static bool pass_greeting_byte(pov_zmtp_watch *watch, uint8_t byte)
{
    static const char curve[MECHANISM_LEN] = "CURVE";
    const int at = watch->greeting_len++;
    if (at == 0)
        watch->has_curve = true; /* until a byte of the mechanism's name differs */
    if (at >= MECHANISM_AT && at < MECHANISM_AT + MECHANISM_LEN)
        watch->has_curve &= byte == (uint8_t)curve[at - MECHANISM_AT];
    return (at != 0 || byte == 0xff) && (at != REVISION_AT - 1 || (byte & 1) != 0) &&
           (at != REVISION_AT || byte >= 3);
}

/* -------- frames -------- */

static int head_len(const pov_zmtp_watch *watch)
{
    return watch->head[0] & FLAG_LARGE ? 9 : 2;
}

static uint64_t read_size(const pov_zmtp_watch *watch)
{
    uint64_t size = 0;
    for (int i = 1; i < head_len(watch); i++)
        size = size << 8 | watch->head[i];
    return size;
}

/* A size may be any number of 64 bits. */
static uint64_t add(uint64_t a, uint64_t b)
{
    return a + b < a ? UINT64_MAX : a + b;
}

uint64_t pov_zmtp_frame_cost(size_t len, bool has_curve)
{
    return len + POV_ZMTP_FRAME_COST + (has_curve ? POV_ZMTP_CURVE_BYTES : 0);
}

/* A command's name: its length, then its letters. */
static bool is_command_of(const pov_zmtp_watch *watch, const char *const *names)
{
    for (; *names; names++) {
        const size_t len = strlen(*names);
        if ((size_t)watch->name_len > len && watch->name[0] == (char)len &&
            memcmp(watch->name + 1, *names, len) == 0)
            return true;
    }
    return false;
}

/* Of plain commands the socket's reader gets subscriptions. With CURVE it gets whatever is not a handshake. */
static bool is_for_reader(const pov_zmtp_watch *watch)
{
    static const char *const handshakes[] = {"HELLO", "WELCOME", "INITIATE", "READY", "ERROR", NULL};
    static const char *const subscriptions[] = {"SUBSCRIBE", "CANCEL", NULL};
    return watch->has_curve ? !is_command_of(watch, handshakes) : is_command_of(watch, subscriptions);
}

static uint64_t pass_head_byte(pov_zmtp_watch *watch, uint8_t byte)
{
    watch->head[watch->head_len++] = byte;
    if (watch->head_len < head_len(watch))
        return 0;
    watch->head_len = 0;
    watch->size = watch->left = read_size(watch);
    watch->is_command = watch->head[0] & FLAG_COMMAND;
    watch->name_len = 0;
    return watch->is_command ? 0 : add(watch->size, POV_ZMTP_FRAME_COST);
}

/* As many bytes of a body as have come. */
static uint64_t pass_body(pov_zmtp_watch *watch, const uint8_t *bytes, size_t len)
{
    watch->left -= len;
    if (!watch->is_command)
        return 0;
    const size_t room = sizeof watch->name - (size_t)watch->name_len, more = len < room ? len : room;
    memcpy(watch->name + watch->name_len, bytes, more);
    watch->name_len += (int)more;
    if (watch->left > 0 && watch->name_len < (int)sizeof watch->name)
        return 0;
    watch->is_command = false;
    return is_for_reader(watch) ? add(watch->size, POV_ZMTP_FRAME_COST) : 0;
}

bool pov_zmtp_watch_pass(pov_zmtp_watch *watch, uint64_t *cost, const uint8_t *bytes, size_t len)
{
    const uint8_t *end = bytes + len;
    while (bytes < end && watch->greeting_len < GREETING_LEN)
        if (!pass_greeting_byte(watch, *bytes++))
            return false;
    while (bytes < end) {
        const size_t there = (size_t)(end - bytes),
                     passing = watch->left < there ? (size_t)watch->left : there;
        *cost = add(*cost, passing > 0 ? pass_body(watch, bytes, passing) : pass_head_byte(watch, *bytes));
        bytes += passing > 0 ? passing : 1;
    }
    return true;
}
