#include "tests/fuzz/formats/parts.h"

#include <stdlib.h>
#include <string.h>

enum { PARTS_MAX = 512, DEPTH_MAX = 8 };

size_t fuzz_choose(fuzz_random *random, size_t count)
{
    random->state ^= random->state >> 12;
    random->state ^= random->state << 25;
    random->state ^= random->state >> 27;
    return (size_t)((random->state * 0x2545F4914F6CDD1Du >> 32) % count);
}

bool fuzz_append(fuzz_text *text, const void *bytes, size_t length)
{
    if (length > text->capacity - text->length)
        return false;
    if (length > 0)
        memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    return true;
}

uint64_t fuzz_get_little(const uint8_t *bytes, int count)
{
    uint64_t value = 0;
    for (int i = count - 1; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

void fuzz_put_little(uint8_t *bytes, uint64_t value, int count)
{
    for (int i = 0; i < count; i++)
        bytes[i] = (uint8_t)(value >> (8 * i));
}

uint64_t fuzz_get_big(const uint8_t *bytes, int count)
{
    uint64_t value = 0;
    for (int i = 0; i < count; i++)
        value = value << 8 | bytes[i];
    return value;
}

void fuzz_put_big(uint8_t *bytes, uint64_t value, int count)
{
    for (int i = 0; i < count; i++)
        bytes[i] = (uint8_t)(value >> (8 * (count - 1 - i)));
}

/* Bytes that do not parse to the end are kept as they are: a `rest`. */
typedef struct {
    fuzz_part part[PARTS_MAX];
    size_t len;
    const uint8_t *rest;
    size_t rest_len;
} part_list;

static void read_parts(part_list *list, const fuzz_format *format, const uint8_t *bytes, size_t length)
{
    size_t at = format->prefix;
    for (list->len = 0; list->len < PARTS_MAX - 1; list->len++) {
        const size_t taken = format->take(&list->part[list->len], bytes + at, length - at);
        if (taken == 0)
            break;
        at += taken;
    }
    list->rest = bytes + at;
    list->rest_len = length - at;
}

static void remove_part(part_list *list, size_t at)
{
    memmove(list->part + at, list->part + at + 1, (--list->len - at) * sizeof *list->part);
}

static void insert_part(part_list *list, size_t at, fuzz_part part)
{
    memmove(list->part + at + 1, list->part + at, (list->len++ - at) * sizeof *list->part);
    list->part[at] = part;
}

/* `room` becomes the changed body's memory. */
static void change_body(fuzz_part *part, const fuzz_format *format, fuzz_text *room, fuzz_random *random)
{
    if (!fuzz_append(room, part->body, part->length))
        return;
    format->change(room, part->tag, random);
    part->body = room->bytes;
    part->length = room->length;
}

static void change_list(part_list *list, const fuzz_format *format, fuzz_text *room, fuzz_random *random)
{
    const size_t one = fuzz_choose(random, list->len), other = fuzz_choose(random, list->len);
    switch (fuzz_choose(random, 16)) {
    case 0:
        remove_part(list, one);
        break;
    case 1:
        insert_part(list, other, list->part[one]);
        break;
    case 2: {
        const fuzz_part moved = list->part[one];
        list->part[one] = list->part[other];
        list->part[other] = moved;
        break;
    }
    case 3:
        list->part[one].body = list->part[other].body;
        list->part[one].length = list->part[other].length;
        break;
    case 4:
        list->part[one].tag = list->part[other].tag;
        break;
    case 5:
        list->part[one].tag ^= 1u << fuzz_choose(random, 20);
        break;
    default:
        change_body(&list->part[one], format, room, random);
    }
}

static bool write_parts(fuzz_text *to, const fuzz_format *format, const part_list *list)
{
    for (size_t i = 0; i < list->len; i++)
        if (!format->put(to, &list->part[i]))
            return false;
    if (!fuzz_append(to, list->rest, list->rest_len))
        return false;
    if (format->mend)
        format->mend(to);
    return true;
}

size_t fuzz_mutate_parts(const fuzz_format *format, fuzz_text text, fuzz_random *random)
{
    static int depth;
    if (text.length <= format->prefix || depth == DEPTH_MAX)
        return 0;
    part_list *list = malloc(sizeof *list);
    fuzz_text room = {malloc(text.capacity), 0, text.capacity};
    fuzz_text written = {malloc(text.capacity), 0, text.capacity};
    if (!list || !room.bytes || !written.bytes)
        abort();
    depth++;
    read_parts(list, format, text.bytes, text.length);
    size_t length = 0;
    if (list->len > 0) {
        change_list(list, format, &room, random);
        if (fuzz_append(&written, text.bytes, format->prefix) && write_parts(&written, format, list) &&
            written.length > 0) {
            memcpy(text.bytes, written.bytes, written.length);
            length = written.length;
        }
    }
    depth--;
    free(written.bytes);
    free(room.bytes);
    free(list);
    return length;
}
