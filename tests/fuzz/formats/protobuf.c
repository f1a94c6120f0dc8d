/* Protocol buffers' wire format (https://protobuf.dev/programming-guides/encoding): a field is a varint (number << 3 | type) and a varint,
 * 8 bytes, a length and so many bytes, or 4 bytes. Only the schema knows which bytes are a message: those that parse are taken for one. */
#include "tests/fuzz/formats/parts.h"

#include <math.h>
#include <string.h>

enum { VARINT = 0, FIXED64 = 1, BYTES = 2, FIXED32 = 5, NUMBER_BYTES = 8 };

/* Returns how many bytes it takes; 0: it does not end. */
static size_t take_varint(uint64_t *value, const uint8_t *bytes, size_t length)
{
    *value = 0;
    for (size_t i = 0; i < length && i < 10; i++) {
        *value |= (uint64_t)(bytes[i] & 127) << (7 * i);
        if (bytes[i] < 128)
            return i + 1;
    }
    return 0;
}

static bool put_varint(fuzz_text *text, uint64_t value)
{
    uint8_t bytes[10];
    size_t length = 0;
    for (; value > 127; value >>= 7)
        bytes[length++] = (uint8_t)(value | 128);
    bytes[length++] = (uint8_t)value;
    return fuzz_append(text, bytes, length);
}

static size_t take_field(fuzz_part *part, const uint8_t *bytes, size_t length)
{
    uint64_t value = 0;
    const size_t head = take_varint(&part->tag, bytes, length);
    const int type = (int)(part->tag & 7);
    if (head == 0 || part->tag < 8)
        return 0;
    part->body = bytes + head;
    if (type == VARINT) {
        part->length = take_varint(&value, bytes + head, length - head);
        return part->length ? head + part->length : 0;
    }
    if (type == FIXED64 || type == FIXED32) {
        part->length = type == FIXED64 ? 8 : 4;
        return part->length <= length - head ? head + part->length : 0;
    }
    const size_t lead = type == BYTES ? take_varint(&value, bytes + head, length - head) : 0;
    if (lead == 0 || value > length - head - lead)
        return 0;
    part->body += lead;
    part->length = (size_t)value;
    return head + lead + part->length;
}

/* A body may come from a field of another type: then its first bytes are taken. */
static bool put_field(fuzz_text *text, const fuzz_part *part)
{
    const int type = (int)(part->tag & 7);
    uint64_t value = 0;
    if (!put_varint(text, part->tag))
        return false;
    if (type == VARINT)
        return take_varint(&value, part->body, part->length) ? put_varint(text, value)
                                                             : put_varint(text, part->length);
    if (type == BYTES)
        return put_varint(text, part->length) && fuzz_append(text, part->body, part->length);
    uint8_t fixed[NUMBER_BYTES] = {0};
    const size_t size = type == FIXED64 ? 8 : type == FIXED32 ? 4 : 0; /* the other types have no body */
    if (size > 0 && part->length > 0)
        memcpy(fixed, part->body, part->length < size ? part->length : size);
    return fuzz_append(text, fixed, size);
}

static void change_number(fuzz_text *body, int type, fuzz_random *random)
{
    static const double numbers[] = {0, -0.0, 1, -1, 0.5, 1e-308, 1e308, 3.5, NAN, INFINITY, -INFINITY};
    static const uint64_t integers[] = {0,     1,         2,          127,       128,       255,
                                        65535, INT32_MAX, UINT32_MAX, INT64_MAX, UINT64_MAX};
    const size_t chosen = fuzz_choose(random, 2 * sizeof numbers / sizeof *numbers);
    uint64_t value = 0;
    if (type == VARINT)
        (void)take_varint(&value, body->bytes, body->length);
    else
        value = fuzz_get_little(body->bytes, body->length < 8 ? (int)body->length : 8);
    if (chosen < sizeof numbers / sizeof *numbers) {
        const float single = (float)numbers[chosen];
        if (type == VARINT)
            value = integers[chosen];
        else
            memcpy(&value, type == FIXED64 ? (const void *)&numbers[chosen] : &single,
                   type == FIXED64 ? 8 : 4);
    } else {
        uint8_t bytes[NUMBER_BYTES];
        fuzz_put_little(bytes, value, NUMBER_BYTES);
        const size_t length = LLVMFuzzerMutate(bytes, NUMBER_BYTES, NUMBER_BYTES);
        value = fuzz_get_little(bytes, (int)length);
    }
    body->length = 0;
    if (type == VARINT && put_varint(body, value))
        return;
    uint8_t bytes[NUMBER_BYTES];
    fuzz_put_little(bytes, value, NUMBER_BYTES);
    body->length = 0;
    (void)fuzz_append(body, bytes, type == FIXED32 ? 4 : 8);
}

static void change_field(fuzz_text *body, uint64_t tag, fuzz_random *random)
{
    if ((tag & 7) != BYTES) {
        change_number(body, (int)(tag & 7), random);
        return;
    }
    fuzz_part part;
    if (fuzz_choose(random, 8) > 0 && take_field(&part, body->bytes, body->length) > 0)
        fuzz_change_protobuf(body, random);
    else
        body->length = LLVMFuzzerMutate(body->bytes, body->length, body->capacity);
}

static const fuzz_format fields = {.take = take_field, .put = put_field, .change = change_field};

void fuzz_change_protobuf(fuzz_text *body, fuzz_random *random)
{
    const size_t length = fuzz_mutate_parts(&fields, *body, random);
    body->length = length > 0 ? length : LLVMFuzzerMutate(body->bytes, body->length, body->capacity);
}

size_t fuzz_mutate_protobuf(uint8_t *bytes, size_t length, size_t capacity, unsigned seed)
{
    fuzz_text text = {bytes, length, capacity};
    fuzz_random random = {(uint64_t)seed << 8 | 1};
    if (fuzz_choose(&random, 16) == 0)
        return LLVMFuzzerMutate(bytes, length, capacity);
    fuzz_change_protobuf(&text, &random);
    return text.length;
}
