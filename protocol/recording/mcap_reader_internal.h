/** The state that the two parts of the reader share: mcap_contents.c finds the contents, mcap_reader.c reads them. */
#pragma once

#include "protocol/recording/mcap_reader.h"

#include <string.h>

/* Bytes kept for the next use. */
typedef struct {
    uint8_t *data;
    size_t capacity;
} buffer;

struct pov_mcap_reader {
    pov_mcap_input input;
    pov_mcap_contents contents;
    int schema_capacity, channel_capacity, count_capacity, chunk_capacity, mark_capacity, attachment_capacity,
        metadata_capacity;
    int *channel_place; /* by id: place in contents.channels, from 1; 0: none. 65536 of them */
    char **texts;       /* all strings and schemas of the contents */
    int text_len, text_capacity;
    buffer coded, records, extra;
    struct ZSTD_DCtx_s *zstd;
    struct LZ4F_dctx_s *lz4;
    /* the walk over messages */
    int next_chunk;
    bool in_chunk, told_cut;
    const uint8_t *at, *end;
    int64_t from_ns;
};

/* A walk over bytes; `bad` once something did not fit. */
typedef struct {
    const uint8_t *at, *end;
    bool bad;
} cursor;

static inline const uint8_t *take_bytes(cursor *from, uint64_t len)
{
    if (from->bad || len > (uint64_t)(from->end - from->at)) {
        from->bad = true;
        return NULL;
    }
    const uint8_t *start = from->at;
    from->at += len;
    return start;
}

static inline uint64_t take_number(cursor *from, int len)
{
    const uint8_t *bytes = take_bytes(from, (uint64_t)len);
    uint64_t value = 0;
    for (int i = 0; bytes && i < len; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

typedef struct {
    const uint8_t *bytes;
    size_t len;
} slice;

static inline slice take_slice(cursor *from, int length_bytes)
{
    const uint64_t len = take_number(from, length_bytes);
    const uint8_t *bytes = take_bytes(from, len);
    return bytes ? (slice){bytes, (size_t)len} : (slice){NULL, 0};
}

static inline bool is_text(slice text, const char *word)
{
    return text.len == strlen(word) && (text.len == 0 || memcmp(text.bytes, word, text.len) == 0);
}

/* The next record within a chunk. False: there is no whole one. */
static inline bool take_record(cursor *from, pov_mcap_opcode *opcode, cursor *record)
{
    *opcode = (pov_mcap_opcode)take_number(from, 1);
    const slice content = take_slice(from, 8);
    if (from->bad)
        return false;
    *record = (cursor){content.bytes, content.bytes + content.len, false};
    return true;
}

static inline bool take_message(pov_mcap_message *message, cursor record)
{
    message->channel = (uint16_t)take_number(&record, 2);
    message->sequence = (uint32_t)take_number(&record, 4);
    message->log_ns = (int64_t)take_number(&record, 8);
    message->publish_ns = (int64_t)take_number(&record, 8);
    message->bytes = record.at;
    message->len = (size_t)(record.end - record.at);
    return !record.bad;
}

/** Reads the index, or without one all records. */
POV_MUST_USE pov_status pov_mcap_find_contents(pov_mcap_reader *reader);

/** Into a buffer that grows to what a record may have. */
POV_MUST_USE pov_status pov_mcap_read_bytes(pov_mcap_reader *reader, buffer *to, uint64_t at, uint64_t len);
pov_status pov_mcap_damaged_chunk(const pov_mcap_reader *reader, const pov_mcap_chunk *chunk,
                                  const pov_status *why);
pov_status pov_mcap_no_memory(const pov_mcap_reader *reader);
pov_status pov_mcap_bad_record(const pov_mcap_reader *reader, const char *kind);
