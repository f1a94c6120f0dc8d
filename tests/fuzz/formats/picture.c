/* PNG (https://www.w3.org/TR/png): length, name, body, CRC of name and body; the bodies of IDAT are one zlib stream. JPEG (ITU-T T.81,
 * annex B): 0xFF, marker, length, body; after a start of scan come coded pixels up to the next marker. */
#include "tests/fuzz/formats/parts.h"

#include <string.h>
#include <zlib.h>

enum {
    NAME_IDAT = 0x49444154,
    CODED = 0x100,
    START_OF_IMAGE = 0xD8,
    END_OF_IMAGE = 0xD9,
    PIXELS_MAX = 1 << 18
};

/* ---- PNG ---- */

static size_t take_chunk(fuzz_part *part, const uint8_t *bytes, size_t length)
{
    const uint64_t body = length >= 12 ? fuzz_get_big(bytes, 4) : 0;
    if (length < 12 || body > length - 12)
        return 0;
    *part = (fuzz_part){fuzz_get_big(bytes + 4, 4), bytes + 8, (size_t)body};
    return 12 + part->length;
}

static bool put_chunk(fuzz_text *text, const fuzz_part *part)
{
    uint8_t head[8], sum[4];
    fuzz_put_big(head, part->length, 4);
    fuzz_put_big(head + 4, part->tag, 4);
    uLong crc = crc32(0, head + 4, 4);
    if (part->length > 0)
        crc = crc32(crc, part->body, (uInt)part->length);
    fuzz_put_big(sum, crc, 4);
    return fuzz_append(text, head, 8) && fuzz_append(text, part->body, part->length) &&
           fuzz_append(text, sum, 4);
}

/* Unpacks, changes, packs again. */
static bool change_packed(fuzz_text *body)
{
    static uint8_t pixels[PIXELS_MAX];
    uLongf length = PIXELS_MAX;
    if (uncompress(pixels, &length, body->bytes, body->length) != Z_OK)
        return false;
    length = LLVMFuzzerMutate(pixels, length, PIXELS_MAX);
    uLongf packed = body->capacity;
    if (compress(body->bytes, &packed, pixels, length) != Z_OK)
        return false;
    body->length = packed;
    return true;
}

static void change_chunk(fuzz_text *body, uint64_t tag, fuzz_random *random)
{
    const fuzz_text before = *body;
    if (tag == NAME_IDAT && fuzz_choose(random, 4) > 0 && change_packed(body))
        return;
    body->length = LLVMFuzzerMutate(body->bytes, before.length, body->capacity);
}

static const fuzz_format png = {.prefix = 8, .take = take_chunk, .put = put_chunk, .change = change_chunk};

/* ---- JPEG ---- */

static bool stands_alone(unsigned marker)
{
    return marker == START_OF_IMAGE || marker == END_OF_IMAGE || marker == 1;
}

static bool is_coded(const uint8_t *bytes)
{
    return bytes[0] != 0xFF || bytes[1] == 0 || (bytes[1] >= 0xD0 && bytes[1] <= 0xD7);
}

static size_t take_segment(fuzz_part *part, const uint8_t *bytes, size_t length)
{
    size_t end = 0;
    if (length < 2)
        return 0;
    while (end + 1 < length && is_coded(bytes + end))
        end += bytes[end] == 0xFF ? 2 : 1;
    if (end > 0) {
        *part = (fuzz_part){CODED, bytes, end};
        return end;
    }
    *part = (fuzz_part){bytes[1], bytes + 2, 0};
    if (stands_alone(bytes[1]))
        return 2;
    const uint64_t body = length >= 4 ? fuzz_get_big(bytes + 2, 2) : 0;
    if (body < 2 || body > length - 2)
        return 0;
    part->body = bytes + 4;
    part->length = (size_t)body - 2;
    return 2 + (size_t)body;
}

static bool put_segment(fuzz_text *text, const fuzz_part *part)
{
    uint8_t head[4] = {0xFF, (uint8_t)part->tag};
    if (part->tag & CODED)
        return fuzz_append(text, part->body, part->length);
    if (stands_alone((unsigned)part->tag))
        return fuzz_append(text, head, 2);
    if (part->length > UINT16_MAX - 2)
        return false;
    fuzz_put_big(head + 2, part->length + 2, 2);
    return fuzz_append(text, head, 4) && fuzz_append(text, part->body, part->length);
}

static void change_segment(fuzz_text *body, uint64_t tag, fuzz_random *random)
{
    (void)tag;
    (void)random;
    body->length = LLVMFuzzerMutate(body->bytes, body->length, body->capacity);
}

static const fuzz_format jpeg = {
    .prefix = 2, .take = take_segment, .put = put_segment, .change = change_segment};

size_t fuzz_mutate_picture(uint8_t *bytes, size_t length, size_t capacity, unsigned seed)
{
    const fuzz_text text = {bytes, length, capacity};
    fuzz_random random = {(uint64_t)seed << 8 | 1};
    const bool is_png = length > 8 && memcmp(bytes, "\x89PNG\r\n\x1a\n", 8) == 0;
    const bool is_jpeg = length > 2 && memcmp(bytes, "\xFF\xD8", 2) == 0;
    size_t mutated = 0;
    if ((is_png || is_jpeg) && fuzz_choose(&random, 16) > 0)
        mutated = fuzz_mutate_parts(is_png ? &png : &jpeg, text, &random);
    return mutated > 0 ? mutated : LLVMFuzzerMutate(bytes, length, capacity);
}
