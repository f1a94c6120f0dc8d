#include "config/files/utf8.h"

#include <stdint.h>
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

/* U+FDD0 to U+FDEF, and the last two of each plane. */
bool pov_utf8_is_noncharacter(const char *character, size_t length)
{
    const unsigned char *byte = (const unsigned char *)character;
    if (length == 3)
        return byte[0] == 0xef &&
               ((byte[1] == 0xb7 && is_between(byte[2], 0x90, 0xaf)) || (byte[1] == 0xbf && byte[2] >= 0xbe));
    return length == 4 && (byte[1] & 0xf) == 0xf && byte[2] == 0xbf && byte[3] >= 0xbe;
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

/* U+202A to U+202E and U+2066 to U+2069 write what follows in another direction: names and messages then read as others. */
static bool turns_line(const unsigned char *byte)
{
    return byte[0] == 0xe2 && ((byte[1] == 0x80 && is_between(byte[2], 0xaa, 0xae)) ||
                               (byte[1] == 0x81 && is_between(byte[2], 0xa6, 0xa9)));
}

/* `length` as pov_utf8_character_length gives it, not 0. */
static bool is_control(const char *character, size_t length)
{
    const unsigned char *byte = (const unsigned char *)character;
    return length == 1   ? byte[0] < 0x20 || byte[0] == 0x7f
           : length == 2 ? byte[0] == 0xc2 && byte[1] < 0xa0
                         : length == 3 && turns_line(byte);
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

size_t pov_utf8_count(const char *text, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

/* Code points in blocks whose capitals precede their small letters by a constant, all of them or every second (Unicode 15, UnicodeData.txt). */
static const struct {
    uint16_t first, last, step, to_small;
} capitals[] = {{'A', 'Z', 1, 32},      {0xc0, 0xd6, 1, 32},   {0xd8, 0xde, 1, 32},   {0x100, 0x12e, 2, 1},
                {0x132, 0x136, 2, 1},   {0x139, 0x147, 2, 1},  {0x14a, 0x176, 2, 1},  {0x179, 0x17d, 2, 1},
                {0x1a0, 0x1a4, 2, 1},   {0x1af, 0x1af, 1, 1},  {0x218, 0x21e, 2, 1},  {0x386, 0x386, 1, 38},
                {0x388, 0x38a, 1, 37},  {0x38c, 0x38c, 1, 64}, {0x38e, 0x38f, 1, 63}, {0x391, 0x3a1, 1, 32},
                {0x3a3, 0x3ab, 1, 32},  {0x400, 0x40f, 1, 80}, {0x410, 0x42f, 1, 32}, {0x48a, 0x4be, 2, 1},
                {0x1e00, 0x1e94, 2, 1}, {0x1ea0, 0x1efe, 2, 1}};

/* Writes a code point as one, two or three bytes. */
static size_t write_code_point(char out[4], unsigned code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    const bool two = code < 0x800;
    out[0] = (char)(two ? 0xc0 | code >> 6 : 0xe0 | code >> 12);
    out[1] = (char)(0x80 | (two ? code & 0x3f : code >> 6 & 0x3f));
    out[2] = (char)(0x80 | (code & 0x3f));
    return two ? 2 : 3;
}

static size_t change_case(char out[4], const char *text, bool to_small)
{
    const size_t length = pov_utf8_character_length(text);
    const unsigned char *byte = (const unsigned char *)text;
    unsigned code = length == 1   ? byte[0]
                    : length == 2 ? (byte[0] & 0x1fu) << 6 | (byte[1] & 0x3fu)
                                  : (byte[0] & 0xfu) << 12 | (byte[1] & 0x3fu) << 6 | (byte[2] & 0x3fu);
    memcpy(out, text, length);
    if (length == 0 || length > 3)
        return length;
    if (to_small && code == 0x130) /* the Turkish capital of i */
        return write_code_point(out, 'i');
    for (size_t i = 0; i < sizeof capitals / sizeof *capitals; i++) {
        const unsigned capital = to_small ? code : code - capitals[i].to_small;
        if (capital >= capitals[i].first && capital <= capitals[i].last &&
            (capital - capitals[i].first) % capitals[i].step == 0)
            return write_code_point(out, to_small ? code + capitals[i].to_small : capital);
    }
    return length;
}

size_t pov_utf8_small(char out[4], const char *text)
{
    return change_case(out, text, true);
}

size_t pov_utf8_capital(char out[4], const char *text)
{
    return change_case(out, text, false);
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

void pov_utf8_shorten(char *out, size_t capacity, const char *text)
{
    static const char gap[] = " … ";
    const size_t length = strlen(text), tail = capacity > 4 * sizeof gap ? capacity / 2 - sizeof gap : 0;
    pov_utf8_copy(out, length < capacity || tail == 0 ? capacity : capacity - tail - (sizeof gap - 1), text);
    if (length < capacity || tail == 0)
        return;
    const char *rest = text + length - tail;
    while (((unsigned char)*rest & 0xc0) == 0x80) /* within a character */
        rest++;
    strcat(out, gap);
    pov_utf8_copy(out + strlen(out), tail + 1, rest);
}
