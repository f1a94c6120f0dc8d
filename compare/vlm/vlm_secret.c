#include "compare/vlm/vlm_secret.h"

#include "config/files/base64.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Shorter keys are not secrets, and stand in words; in base64 any four letters may stand. PART_MIN: more than the kind of a key
 * ("sk-proj-") and a few characters that a server's error message shows. Chosen. */
enum { KEY_MIN = 4, ENCODED_KEY_MIN = 8, PART_MIN = 12, ROUNDS = 3 };

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

/* As much of the key as shows it: half of it, at least twelve characters; all of a shorter key. */
static size_t least_part(size_t key_len)
{
    const size_t half = (key_len + 1) / 2;
    return half > PART_MIN ? half : key_len < PART_MIN ? key_len : PART_MIN;
}

/* Letters of either case are the same, and so are the two alphabets of base64 (RFC 4648). */
static char fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c == '-' ? '+' : c == '_' ? '/' : c;
}

static void fold_all(char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        text[i] = fold(text[i]);
}

/* The next `least` or more characters in succession that `text` and `key` share, both folded; 0: none. Such a part holds a whole one of the
 * key's blocks of half its length. */
static size_t find_part(size_t *at, const char *text, size_t len, const char *key, size_t least)
{
    const size_t key_len = strlen(key), block = (least + 1) / 2;
    for (size_t in_key = 0; in_key + block <= key_len; in_key += block) {
        const char *found = text, *end = text + len;
        while ((found = memmem(found, (size_t)(end - found), key + in_key, block)) != NULL) {
            size_t before = 0, after = block;
            while (before < in_key && found - before > text &&
                   found[-1 - (ptrdiff_t)before] == key[in_key - 1 - before])
                before++;
            while (in_key + after < key_len && found + after < end && found[after] == key[in_key + after])
                after++;
            *at = (size_t)(found - text) - before;
            if (before + after >= least)
                return before + after;
            found++;
        }
    }
    return 0;
}

static bool shows_part(const char *text, size_t len, const char *key, size_t least)
{
    size_t at;
    return find_part(&at, text, len, key, least) > 0;
}

/* Base64 writes three bytes as four digits, so the key looks different at each of three offsets; the digits that depend on its
 * neighbours are left out. */
static bool shows_base64(const char *text, size_t len, const char *key, char *padded, char *digits)
{
    const size_t key_len = strlen(key);
    for (size_t offset = 0; offset < 3; offset++) {
        static const size_t spoilt[3] = {0, 2, 3};
        memset(padded, 0, key_len + 3);
        memcpy(padded + offset, key, key_len);
        pov_base64_write(digits, (const unsigned char *)padded, offset + key_len);
        digits[(offset + key_len) / 3 * 4] = '\0';
        fold_all(digits, strlen(digits));
        if (shows_part(text, len, digits + spoilt[offset], least_part(key_len) * 4 / 3 - 2))
            return true;
    }
    return false;
}

static bool shows_hexadecimal(const char *text, size_t len, const char *key, char *digits)
{
    const size_t key_len = strlen(key);
    for (size_t i = 0; i < key_len; i++)
        sprintf(digits + 2 * i, "%02x", (unsigned char)key[i]);
    return shows_part(text, len, digits, 2 * least_part(key_len));
}

static bool shows_reversed(const char *text, size_t len, const char *folded, char *reversed)
{
    const size_t key_len = strlen(folded);
    for (size_t i = 0; i < key_len; i++)
        reversed[i] = folded[key_len - 1 - i];
    reversed[key_len] = '\0';
    return shows_part(text, len, reversed, least_part(key_len));
}

/* text: folded. folded, scratch, digits: room for the key's own, padded, and in digits. */
static bool shows_key(const char *text, size_t len, const char *key, char *folded, char *scratch,
                      char *digits)
{
    const size_t key_len = strlen(key);
    memcpy(folded, key, key_len + 1);
    fold_all(folded, key_len);
    if (shows_part(text, len, folded, least_part(key_len)))
        return true;
    return key_len >= ENCODED_KEY_MIN &&
           (shows_base64(text, len, key, scratch, digits) || shows_hexadecimal(text, len, key, digits) ||
            shows_reversed(text, len, folded, scratch));
}

bool pov_vlm_shows_secret(const char *bytes, size_t len, const char *key)
{
    const size_t key_len = strlen(key);
    if (key_len < KEY_MIN || len == 0)
        return false;
    char *text = malloc(2 * len), *plain = text ? text + len : NULL;
    char *folded = malloc(key_len + 1), *scratch = malloc(key_len + 3), *digits = malloc(2 * key_len + 8);
    const bool has_memory = text && folded && scratch && digits;
    bool found = !has_memory; /* what cannot be looked at is not trusted */
    if (has_memory)
        memcpy(plain, bytes, len);
    for (int round = 0; !found && round <= ROUNDS; round++) {
        memcpy(text, plain, len);
        fold_all(text, len);
        found = shows_key(text, len, key, folded, scratch, digits);
        len = decode(plain, len);
    }
    free(digits);
    free(scratch);
    free(folded);
    free(text);
    return found;
}

void pov_vlm_blank_secret(char *bytes, size_t len, const char *key)
{
    const size_t key_len = strlen(key);
    char *text = malloc(len + 1), *folded = malloc(key_len + 1);
    if (text && folded && key_len >= KEY_MIN) {
        memcpy(text, bytes, len);
        memcpy(folded, key, key_len + 1);
        fold_all(text, len);
        fold_all(folded, key_len);
        size_t at, part;
        while ((part = find_part(&at, text, len, folded, least_part(key_len))) > 0) {
            memset(bytes + at, '*', part);
            memset(text + at, '\0', part);
        }
    }
    free(text);
    free(folded);
}
