#include "config/files/utf8.h"

#include <string.h>

static bool is_between(unsigned char byte, unsigned char low, unsigned char high)
{
    return byte >= low && byte <= high;
}

/* Length and allowed range of the second byte by the first: RFC 3629, section 4. */
size_t pov_utf8_character_length(const char *text)
{
    const unsigned char *byte = (const unsigned char *)text;
    if (is_between(byte[0], 0x01, 0x7f))
        return 1;
    if (is_between(byte[0], 0xc2, 0xdf))
        return is_between(byte[1], 0x80, 0xbf) ? 2 : 0;
    if (is_between(byte[0], 0xe0, 0xef)) {
        unsigned char low = byte[0] == 0xe0 ? 0xa0 : 0x80, high = byte[0] == 0xed ? 0x9f : 0xbf;
        return is_between(byte[1], low, high) && is_between(byte[2], 0x80, 0xbf) ? 3 : 0;
    }
    if (is_between(byte[0], 0xf0, 0xf4)) {
        unsigned char low = byte[0] == 0xf0 ? 0x90 : 0x80, high = byte[0] == 0xf4 ? 0x8f : 0xbf;
        return is_between(byte[1], low, high) && is_between(byte[2], 0x80, 0xbf) &&
                       is_between(byte[3], 0x80, 0xbf)
                   ? 4
                   : 0;
    }
    return 0;
}

bool pov_utf8_is_valid(const char *text)
{
    while (*text != '\0') {
        size_t length = pov_utf8_character_length(text);
        if (length == 0)
            return false;
        text += length;
    }
    return true;
}

/* `length` as pov_utf8_character_length gives it, not 0. */
static bool is_control(const char *character, size_t length)
{
    const unsigned char *byte = (const unsigned char *)character;
    return length == 1 ? byte[0] < 0x20 || byte[0] == 0x7f : byte[0] == 0xc2 && byte[1] < 0xa0;
}

bool pov_utf8_is_plain(const char *text)
{
    for (size_t length; *text != '\0'; text += length) {
        length = pov_utf8_character_length(text);
        if (length == 0 || is_control(text, length))
            return false;
    }
    return true;
}

void pov_utf8_print(FILE *stream, const char *text)
{
    for (size_t length; *text != '\0'; text += length > 0 ? length : 1) {
        length = pov_utf8_character_length(text);
        if (length > 0 && (*text == '\n' || *text == '\t' || !is_control(text, length)))
            fwrite(text, 1, length, stream);
        else
            fputc('?', stream);
    }
}

void pov_utf8_copy(char *out, size_t capacity, const char *text)
{
    size_t used = 0;
    while (*text != '\0') {
        size_t length = pov_utf8_character_length(text);
        if (used + (length == 0 ? 1 : length) >= capacity)
            break;
        if (length == 0) {
            out[used++] = '?';
            text++;
            continue;
        }
        memcpy(out + used, text, length);
        used += length;
        text += length;
    }
    out[used] = '\0';
}
