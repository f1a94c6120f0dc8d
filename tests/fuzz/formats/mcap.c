/* MCAP (https://mcap.dev/spec): a magic, records (opcode, length of 8 bytes, body), the magic again. The body of a chunk is: 2 times,
 * unpacked length, CRC of the unpacked records, name of the packing, packed records. */
#include "tests/fuzz/formats/parts.h"

#include <lz4frame.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum {
    MAGIC = 8,
    HEAD = 9,
    FOOTER = 0x02,
    MESSAGE = 0x05,
    CHUNK = 0x06,
    CHUNK_INDEX = 0x08,
    SUMMARY_OFFSET = 0x0E,
    DATA_END = 0x0F,
    MESSAGE_HEAD = 22,
    CHUNK_HEAD = 32, /* up to the name of the packing */
    RECORDS_MAX = 1 << 17,
};

static size_t take_record(fuzz_part *part, const uint8_t *bytes, size_t length)
{
    const uint64_t body = length >= HEAD ? fuzz_get_little(bytes + 1, 8) : 0;
    if (length < HEAD || body > length - HEAD)
        return 0;
    *part = (fuzz_part){bytes[0], bytes + HEAD, (size_t)body};
    return HEAD + part->length;
}

static bool put_record(fuzz_text *text, const fuzz_part *part)
{
    uint8_t head[HEAD] = {(uint8_t)part->tag};
    fuzz_put_little(head + 1, part->length, 8);
    return fuzz_append(text, head, HEAD) && fuzz_append(text, part->body, part->length);
}

static void change_record(fuzz_text *body, uint64_t tag, fuzz_random *random);
static void mend_file(fuzz_text *text);
static const fuzz_format file_records = {MAGIC, take_record, put_record, change_record, mend_file};
static const fuzz_format records = {0, take_record, put_record, change_record, NULL};

typedef enum { PLAIN, ZSTD, LZ4, PACKINGS } packing;
static const char *const packing_names[] = {"", "zstd", "lz4"};

static size_t unpack(uint8_t *to, packing how, const uint8_t *bytes, size_t length)
{
    if (how == PLAIN) {
        memcpy(to, bytes, length < RECORDS_MAX ? length : 0);
        return length < RECORDS_MAX ? length : 0;
    }
    if (how == ZSTD) {
        const size_t unpacked = ZSTD_decompress(to, RECORDS_MAX, bytes, length);
        return ZSTD_isError(unpacked) ? 0 : unpacked;
    }
    LZ4F_dctx *context;
    size_t unpacked = RECORDS_MAX;
    if (LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)))
        return 0;
    if (LZ4F_isError(LZ4F_decompress(context, to, &unpacked, bytes, &length, NULL)))
        unpacked = 0;
    LZ4F_freeDecompressionContext(context);
    return unpacked;
}

static size_t pack(uint8_t *to, size_t capacity, packing how, const fuzz_text *from)
{
    if (how == PLAIN) {
        memcpy(to, from->bytes, from->length <= capacity ? from->length : 0);
        return from->length <= capacity ? from->length : 0;
    }
    const size_t packed = how == ZSTD ? ZSTD_compress(to, capacity, from->bytes, from->length, 1)
                          : capacity < LZ4F_compressFrameBound(from->length, NULL)
                              ? 0
                              : LZ4F_compressFrame(to, capacity, from->bytes, from->length, NULL);
    return (how == ZSTD ? ZSTD_isError(packed) : LZ4F_isError(packed)) ? 0 : packed;
}

/* The packing may change, too. Returns: false if it is not a sound chunk, or has no room. */
static bool change_chunk(fuzz_text *body, fuzz_random *random)
{
    static uint8_t unpacked[RECORDS_MAX];
    const uint64_t name_len = body->length >= CHUNK_HEAD ? fuzz_get_little(body->bytes + 28, 4) : 5;
    const size_t at = CHUNK_HEAD + (size_t)name_len + 8;
    int how = 0;
    if (name_len > 4 || body->length < at || fuzz_get_little(body->bytes + at - 8, 8) != body->length - at)
        return false;
    while (how < PACKINGS && (strlen(packing_names[how]) != name_len ||
                              memcmp(packing_names[how], body->bytes + CHUNK_HEAD, name_len) != 0))
        how++;
    fuzz_text inner = {unpacked, 0, RECORDS_MAX};
    inner.length = how < PACKINGS ? unpack(unpacked, (packing)how, body->bytes + at, body->length - at) : 0;
    inner.length = inner.length > 0 ? fuzz_mutate_parts(&records, inner, random) : 0;
    if (inner.length == 0)
        return false;
    if (fuzz_choose(random, 8) == 0)
        how = (int)fuzz_choose(random, PACKINGS);
    const size_t name = strlen(packing_names[how]), from = CHUNK_HEAD + name + 8;
    if (body->capacity <= from)
        return false;
    const size_t packed = pack(body->bytes + from, body->capacity - from, (packing)how, &inner);
    fuzz_put_little(body->bytes + 16, inner.length, 8);
    fuzz_put_little(body->bytes + 24, crc32(0, inner.bytes, (uInt)inner.length), 4);
    fuzz_put_little(body->bytes + 28, name, 4);
    memcpy(body->bytes + CHUNK_HEAD, packing_names[how], name);
    fuzz_put_little(body->bytes + from - 8, packed, 8);
    body->length = from + packed;
    return true;
}

static void change_record(fuzz_text *body, uint64_t tag, fuzz_random *random)
{
    if (tag == CHUNK && fuzz_choose(random, 8) > 0 && change_chunk(body, random))
        return;
    if (tag == MESSAGE && body->length > MESSAGE_HEAD && fuzz_choose(random, 8) > 0) {
        fuzz_text message = {body->bytes + MESSAGE_HEAD, body->length - MESSAGE_HEAD,
                             body->capacity - MESSAGE_HEAD};
        fuzz_change_protobuf(&message, random);
        body->length = MESSAGE_HEAD + message.length;
        return;
    }
    body->length = LLVMFuzzerMutate(body->bytes, body->length, body->capacity);
}

typedef struct {
    size_t chunk[64], chunk_len, index_len; /* the places of chunks; how many indexes came */
    size_t summary, summary_offsets;
} file_places;

/* A chunk's index points to the chunk, the footer to the summary; checksums are those of the bytes. */
static void mend_record(fuzz_text *text, file_places *places, size_t at)
{
    uint8_t *const body = text->bytes + at + HEAD;
    const size_t length = (size_t)fuzz_get_little(text->bytes + at + 1, 8);
    const int opcode = text->bytes[at];
    if (opcode == CHUNK && places->chunk_len < 64)
        places->chunk[places->chunk_len++] = at;
    else if (opcode == CHUNK_INDEX && length >= 32 && places->index_len < places->chunk_len) {
        const size_t chunk = places->chunk[places->index_len++];
        fuzz_put_little(body + 16, chunk, 8);
        fuzz_put_little(body + 24, HEAD + fuzz_get_little(text->bytes + chunk + 1, 8), 8);
    } else if (opcode == DATA_END && length >= 4 && places->summary == 0) {
        fuzz_put_little(body, crc32(0, text->bytes, (uInt)at), 4);
        places->summary = at + HEAD + length;
    } else if (opcode == SUMMARY_OFFSET && places->summary_offsets == 0)
        places->summary_offsets = at;
    else if (opcode == FOOTER && length >= 20 && places->summary > 0 && places->summary <= at) {
        fuzz_put_little(body, places->summary, 8);
        fuzz_put_little(body + 8, places->summary_offsets, 8);
        const size_t summed = (size_t)(body + 16 - (text->bytes + places->summary));
        fuzz_put_little(body + 16, crc32(0, text->bytes + places->summary, (uInt)summed), 4);
    }
}

static void mend_file(fuzz_text *text)
{
    file_places places = {0};
    fuzz_part part;
    size_t at = MAGIC;
    for (size_t taken; (taken = take_record(&part, text->bytes + at, text->length - at)) > 0; at += taken)
        mend_record(text, &places, at);
}

size_t fuzz_mutate_mcap(uint8_t *bytes, size_t length, size_t capacity, unsigned seed)
{
    const fuzz_text text = {bytes, length, capacity};
    fuzz_random random = {(uint64_t)seed << 8 | 1};
    size_t mutated = fuzz_choose(&random, 16) > 0 ? fuzz_mutate_parts(&file_records, text, &random) : 0;
    return mutated > 0 ? mutated : LLVMFuzzerMutate(bytes, length, capacity);
}
