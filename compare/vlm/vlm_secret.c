#include "compare/vlm/vlm_secret.h"

#include "config/files/base64.h"

#include <stdlib.h>
#include <string.h>

/* Shorter keys are no secrets, and stand in words; in base64 any four letters may stand. */
enum { KEY_MIN = 4, BASE64_KEY_MIN = 8, ROUNDS = 3 };

/* ---- one round of decoding ---- */

static int digit_of(char c)
{
    const char *digits = "0123456789abcdef", *at = c ? strchr(digits, c | 0x20) : NULL;
    return c >= '0' && c <= '9' ? c - '0' : c > '9' && at ? (int)(at - digits) : -1;
}

/* `digits` hexadecimal digits at `text`, of which `len` bytes follow; -1: they are none. */
static int hexadecimal(const char *text, size_t len, size_t digits)
{
    int value = 0;
    if (len < digits)
        return -1;
    for (size_t i = 0; i < digits; i++) {
        const int digit = digit_of(text[i]);
        if (digit < 0)
            return -1;
        value = 16 * value + digit;
    }
    return value;
}

/* "&#65;" or "&#x41;": its length, 0 if there is none. */
static size_t read_reference(char *c, const char *text, size_t len)
{
    if (len < 4 || text[0] != '&' || text[1] != '#')
        return 0;
    const bool is_hexadecimal = (text[2] | 0x20) == 'x';
    unsigned value = 0;
    for (size_t i = is_hexadecimal ? 3 : 2; i < len && i < 12; i++) {
        if (text[i] == ';') {
            *c = (char)value;
            return value > 0 && value < 0x80 ? i + 1 : 0;
        }
        const int digit = digit_of(text[i]);
        if (digit < 0 || (digit > 9 && !is_hexadecimal))
            return 0;
        value = value * (is_hexadecimal ? 16 : 10) + (unsigned)digit;
    }
    return 0;
}

/* The character that stands encoded at `text` and the bytes it takes; 1 byte if it stands as it is. Keys are ASCII. */
static size_t read_character(char *c, const char *text, size_t len)
{
    int value = -1;
    size_t taken = 0;
    *c = *text;
    if (*text == '\\' && len > 1) {
        taken = text[1] == 'u' ? 6 : text[1] == 'x' ? 4 : 2;
        value = taken == 2 ? text[1] : hexadecimal(text + 2, len - 2, taken - 2);
    } else if (*text == '%') {
        taken = 3;
        value = hexadecimal(text + 1, len - 1, 2);
    } else {
        taken = read_reference(c, text, len);
        return taken ? taken : 1;
    }
    if (value <= 0 || value >= 0x80)
        return 1;
    *c = (char)value;
    return taken;
}

static size_t decode(char *text, size_t len)
{
    size_t written = 0;
    for (size_t at = 0; at < len;)
        at += read_character(&text[written++], text + at, len - at);
    return written;
}

/* ---- looking ---- */

/* Base64 writes three bytes as four digits, so the key looks different at each of three offsets; the digits that depend on its
 * neighbours are left out. */
static bool shows_base64(const char *bytes, size_t len, const char *key, size_t key_len)
{
    char *padded = calloc(1, key_len + 3), *digits = malloc(pov_base64_len(key_len + 2) + 1);
    bool found = false;
    for (size_t offset = 0; padded && digits && offset < 3 && !found; offset++) {
        static const size_t spoilt[3] = {0, 2, 3};
        memcpy(padded + offset, key, key_len);
        pov_base64_write(digits, (const unsigned char *)padded, offset + key_len);
        const size_t first = spoilt[offset], whole = (offset + key_len) / 3 * 4 - first;
        found = memmem(bytes, len, digits + first, whole) != NULL;
    }
    free(padded);
    free(digits);
    return found;
}

bool pov_vlm_shows_secret(const char *bytes, size_t len, const char *key)
{
    const size_t key_len = strlen(key);
    if (key_len < KEY_MIN || len == 0)
        return false;
    char *text = malloc(len);
    bool found = !text; /* what cannot be looked at is not trusted */
    if (text)
        memcpy(text, bytes, len);
    for (int round = 0; !found && round <= ROUNDS; round++) {
        found = memmem(text, len, key, key_len) != NULL ||
                (key_len >= BASE64_KEY_MIN && shows_base64(text, len, key, key_len));
        len = decode(text, len);
    }
    free(text);
    return found;
}

void pov_vlm_blank_secret(char *bytes, size_t len, const char *key)
{
    const size_t key_len = strlen(key);
    char *end = bytes + len;
    for (char *at = bytes; key_len >= KEY_MIN && (at = memmem(at, (size_t)(end - at), key, key_len));
         at += key_len)
        memset(at, '*', key_len);
}
