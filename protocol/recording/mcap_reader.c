#include "protocol/recording/mcap_reader.h"

#include "config/files/grow.h"

#include <lz4frame.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

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
    ZSTD_DCtx *zstd;
    LZ4F_dctx *lz4;
    /* the walk over messages */
    int next_chunk;
    bool in_chunk;
    const uint8_t *at, *end;
    int64_t from_ns;
};

/* ---- bytes ---- */

/* A walk over bytes; `bad` once something did not fit. */
typedef struct {
    const uint8_t *at, *end;
    bool bad;
} cursor;

static const uint8_t *take_bytes(cursor *from, uint64_t len)
{
    if (from->bad || len > (uint64_t)(from->end - from->at)) {
        from->bad = true;
        return NULL;
    }
    const uint8_t *start = from->at;
    from->at += len;
    return start;
}

static uint64_t take_number(cursor *from, int len)
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

static slice take_slice(cursor *from, int length_bytes)
{
    const uint64_t len = take_number(from, length_bytes);
    const uint8_t *bytes = take_bytes(from, len);
    return bytes ? (slice){bytes, (size_t)len} : (slice){NULL, 0};
}

static bool is_text(slice text, const char *word)
{
    return text.len == strlen(word) && (text.len == 0 || memcmp(text.bytes, word, text.len) == 0);
}

static pov_status make_room(buffer *to, size_t len)
{
    if (len <= to->capacity)
        return pov_ok();
    uint8_t *grown = realloc(to->data, len);
    if (!grown)
        return pov_error("recording: no memory for %zu bytes", len);
    to->data = grown;
    to->capacity = len;
    return pov_ok();
}

static pov_status read_bytes(pov_mcap_reader *reader, buffer *to, uint64_t at, uint64_t len)
{
    if (len > POV_MCAP_RECORD_BYTES_MAX)
        return pov_error("%s: a record at byte %llu wants %llu bytes; at most %d are read",
                         reader->input.name, (unsigned long long)at, (unsigned long long)len,
                         POV_MCAP_RECORD_BYTES_MAX);
    POV_TRY(make_room(to, (size_t)len + 1));
    return reader->input.read(reader->input.context, to->data, at, (size_t)len);
}

/* ---- the contents ---- */

/* A copy that lives as long as the reader, with a NUL after it. NULL: no memory. */
static char *keep_slice(pov_mcap_reader *reader, slice text)
{
    char *copy = malloc(text.len + 1);
    if (!copy || !pov_grow(&reader->texts, &reader->text_capacity, reader->text_len, sizeof *reader->texts)) {
        free(copy);
        return NULL;
    }
    if (text.len)
        memcpy(copy, text.bytes, text.len);
    copy[text.len] = '\0';
    reader->texts[reader->text_len++] = copy;
    return copy;
}

static pov_status no_memory(const pov_mcap_reader *reader)
{
    return pov_error("%s: out of memory", reader->input.name);
}

static pov_status bad_record(const pov_mcap_reader *reader, const char *kind)
{
    return pov_error("%s: a %s of it is damaged", reader->input.name, kind);
}

static pov_status add_schema(pov_mcap_reader *reader, cursor record)
{
    pov_mcap_contents *all = &reader->contents;
    pov_mcap_schema schema = {.id = (uint16_t)take_number(&record, 2)};
    const slice name = take_slice(&record, 4), encoding = take_slice(&record, 4),
                data = take_slice(&record, 4);
    if (record.bad || schema.id == 0)
        return bad_record(reader, "schema");
    if (pov_mcap_reader_schema(reader, schema.id))
        return pov_ok(); /* a copy */
    schema.name = keep_slice(reader, name);
    schema.encoding = keep_slice(reader, encoding);
    schema.data = (const uint8_t *)keep_slice(reader, data);
    schema.len = data.len;
    if (!schema.name || !schema.encoding || !schema.data ||
        !pov_grow(&all->schemas, &reader->schema_capacity, all->schema_len, sizeof schema))
        return no_memory(reader);
    all->schemas[all->schema_len++] = schema;
    return pov_ok();
}

static pov_status add_channel(pov_mcap_reader *reader, cursor record)
{
    pov_mcap_contents *all = &reader->contents;
    pov_mcap_channel channel = {.id = (uint16_t)take_number(&record, 2)};
    channel.schema = (uint16_t)take_number(&record, 2);
    const slice topic = take_slice(&record, 4), encoding = take_slice(&record, 4);
    if (record.bad)
        return bad_record(reader, "channel");
    if (reader->channel_place[channel.id])
        return pov_ok();
    channel.topic = keep_slice(reader, topic);
    channel.encoding = keep_slice(reader, encoding);
    if (!channel.topic || !channel.encoding ||
        !pov_grow(&all->channels, &reader->channel_capacity, all->channel_len, sizeof channel) ||
        !pov_grow(&all->channel_messages, &reader->count_capacity, all->channel_len, sizeof(uint64_t)))
        return no_memory(reader);
    all->channel_messages[all->channel_len] = 0;
    all->channels[all->channel_len++] = channel;
    reader->channel_place[channel.id] = all->channel_len;
    return pov_ok();
}

static pov_status add_chunk(pov_mcap_reader *reader, const pov_mcap_chunk *chunk)
{
    pov_mcap_contents *all = &reader->contents;
    if (!pov_grow(&all->chunks, &reader->chunk_capacity, all->chunk_len, sizeof *chunk))
        return no_memory(reader);
    all->chunks[all->chunk_len++] = *chunk;
    return pov_ok();
}

/* From an index record, or from the attachment itself at `offset`. */
static pov_status add_attachment(pov_mcap_reader *reader, cursor record, uint64_t offset, uint64_t length)
{
    pov_mcap_contents *all = &reader->contents;
    const bool is_index = length == 0;
    pov_mcap_extra extra = {.offset = offset, .length = length};
    if (is_index) {
        extra.offset = take_number(&record, 8);
        extra.length = take_number(&record, 8);
    }
    extra.log_ns = (int64_t)take_number(&record, 8);
    extra.create_ns = (int64_t)take_number(&record, 8);
    if (is_index)
        extra.size = take_number(&record, 8);
    const slice name = take_slice(&record, 4), media_type = take_slice(&record, 4);
    if (!is_index)
        extra.size = take_number(&record, 8);
    if (record.bad)
        return bad_record(reader, "attachment");
    extra.name = keep_slice(reader, name);
    extra.media_type = keep_slice(reader, media_type);
    if (!extra.name || !extra.media_type ||
        !pov_grow(&all->attachments, &reader->attachment_capacity, all->attachment_len, sizeof extra))
        return no_memory(reader);
    all->attachments[all->attachment_len++] = extra;
    return pov_ok();
}

static pov_status add_metadata(pov_mcap_reader *reader, cursor record, uint64_t offset, uint64_t length)
{
    pov_mcap_contents *all = &reader->contents;
    pov_mcap_extra extra = {.offset = offset, .length = length};
    if (length == 0) { /* an index record */
        extra.offset = take_number(&record, 8);
        extra.length = take_number(&record, 8);
    }
    const slice name = take_slice(&record, 4);
    if (record.bad)
        return bad_record(reader, "metadata");
    extra.name = keep_slice(reader, name);
    if (!extra.name || !pov_grow(&all->metadata, &reader->metadata_capacity, all->metadata_len, sizeof extra))
        return no_memory(reader);
    all->metadata[all->metadata_len++] = extra;
    return pov_ok();
}

static void span_times(pov_mcap_contents *all, int64_t first_ns, int64_t last_ns, bool is_first)
{
    if (is_first || first_ns < all->first_ns)
        all->first_ns = first_ns;
    if (is_first || last_ns > all->last_ns)
        all->last_ns = last_ns;
}

static void keep_trouble(pov_mcap_reader *reader, const char *text)
{
    if (!*reader->contents.trouble)
        snprintf(reader->contents.trouble, sizeof reader->contents.trouble, "%s", text);
}

/* ---- chunks ---- */

/* The output grows as it comes: a chunk that promises much and holds little takes little memory. */
static pov_status uncompress_chunk(pov_mcap_reader *reader, slice coded, size_t size, bool is_zstd)
{
    enum { STEP_BYTES = 4 << 20 }; /* chosen: most chunks have less */
    buffer *to = &reader->records;
    size_t done = 0, used = 0, room = 1, left = 1;
    if (is_zstd)
        ZSTD_DCtx_reset(reader->zstd, ZSTD_reset_session_only);
    else
        LZ4F_resetDecompressionContext(reader->lz4);
    while ((used < coded.len || done < size) && (room > 0 || left > 0)) {
        if (done == to->capacity)
            POV_TRY(make_room(to, done + STEP_BYTES < size + 1 ? 2 * done + STEP_BYTES : size + 1));
        room = to->capacity - done;
        left = coded.len - used;
        size_t result;
        if (is_zstd) {
            ZSTD_outBuffer out = {to->data + done, room, 0};
            ZSTD_inBuffer in = {coded.bytes + used, left, 0};
            result = ZSTD_decompressStream(reader->zstd, &out, &in);
            room = out.pos;
            left = in.pos;
        } else {
            result = LZ4F_decompress(reader->lz4, to->data + done, &room, coded.bytes + used, &left, NULL);
        }
        if (is_zstd ? ZSTD_isError(result) : LZ4F_isError(result))
            return pov_error("%s", is_zstd ? ZSTD_getErrorName(result) : LZ4F_getErrorName(result));
        done += room;
        used += left;
        if (done > size)
            return pov_error("it holds more than the %zu bytes that it promises", size);
    }
    return done == size && used == coded.len ? pov_ok()
                                             : pov_error("it holds %zu bytes instead of %zu", done, size);
}

/* The content of a chunk record to its records. */
static pov_status open_chunk(pov_mcap_reader *reader, const uint8_t **records, size_t *len, cursor record)
{
    take_bytes(&record, 16);
    const uint64_t size = take_number(&record, 8);
    const uint32_t crc = (uint32_t)take_number(&record, 4);
    const slice compression = take_slice(&record, 4), coded = take_slice(&record, 8);
    if (record.bad)
        return pov_error("its head is damaged");
    if (size > POV_MCAP_CHUNK_BYTES_MAX)
        return pov_error("it promises %llu bytes; at most %d are read", (unsigned long long)size,
                         POV_MCAP_CHUNK_BYTES_MAX);
    const bool is_zstd = is_text(compression, "zstd");
    if (!is_zstd && !is_text(compression, "lz4") && compression.len != 0)
        return pov_error("its compression '%.*s' is not known",
                         (int)(compression.len < 32 ? compression.len : 32), (const char *)compression.bytes);
    *records = coded.bytes;
    *len = coded.len;
    if (compression.len) {
        POV_TRY(uncompress_chunk(reader, coded, (size_t)size, is_zstd));
        *records = reader->records.data;
        *len = (size_t)size;
    } else if (coded.len != size) {
        return pov_error("it holds %zu bytes instead of %llu", coded.len, (unsigned long long)size);
    }
    if (crc != 0 && crc32_z(0, *records, *len) != crc)
        return pov_error("its checksum is wrong");
    return pov_ok();
}

static pov_status damaged_chunk(const pov_mcap_reader *reader, const pov_mcap_chunk *chunk,
                                const pov_status *why)
{
    return pov_status_with(POV_SKIPPED, "%s: the chunk at byte %llu is damaged: %.200s", reader->input.name,
                           (unsigned long long)chunk->offset, why->message);
}

pov_status pov_mcap_reader_records(pov_mcap_reader *reader, const uint8_t **records, size_t *len,
                                   const pov_mcap_chunk *chunk)
{
    *len = 0;
    POV_TRY(read_bytes(reader, &reader->coded, chunk->offset, chunk->length));
    *records = reader->coded.data;
    if (chunk->is_loose) {
        *len = (size_t)chunk->length;
        return pov_ok();
    }
    cursor record = {reader->coded.data, reader->coded.data + chunk->length, false};
    const uint64_t opcode = take_number(&record, 1), length = take_number(&record, 8);
    pov_status status = pov_error("there is none");
    if (!record.bad && opcode == POV_MCAP_CHUNK && length == chunk->length - POV_MCAP_RECORD_BYTES)
        status = open_chunk(reader, records, len, record);
    return status.code == POV_OK ? status : damaged_chunk(reader, chunk, &status);
}

/* The next record within a chunk. False: there is no whole one. */
static bool take_record(cursor *from, pov_mcap_opcode *opcode, cursor *record)
{
    *opcode = (pov_mcap_opcode)take_number(from, 1);
    const slice content = take_slice(from, 8);
    if (from->bad)
        return false;
    *record = (cursor){content.bytes, content.bytes + content.len, false};
    return true;
}

/* ---- without an index ---- */

static bool take_message(pov_mcap_message *message, cursor record)
{
    message->channel = (uint16_t)take_number(&record, 2);
    message->sequence = (uint32_t)take_number(&record, 4);
    message->log_ns = (int64_t)take_number(&record, 8);
    message->publish_ns = (int64_t)take_number(&record, 8);
    message->bytes = record.at;
    message->len = (size_t)(record.end - record.at);
    return !record.bad;
}

/* Counts messages, and takes in schemas and channels. POV_SKIPPED: damaged. */
static pov_status scan_records(pov_mcap_reader *reader, pov_mcap_chunk *chunk, const uint8_t *records,
                               size_t len)
{
    pov_mcap_contents *all = &reader->contents;
    cursor walk = {records, records + len, false};
    uint64_t messages = 0;
    while (walk.at < walk.end) {
        pov_mcap_opcode opcode;
        cursor record;
        pov_mcap_message message;
        if (!take_record(&walk, &opcode, &record))
            return pov_status_with(POV_SKIPPED, "a record in it is cut");
        if (opcode == POV_MCAP_SCHEMA)
            POV_TRY(add_schema(reader, record));
        if (opcode == POV_MCAP_CHANNEL)
            POV_TRY(add_channel(reader, record));
        if (opcode != POV_MCAP_MESSAGE)
            continue;
        if (!take_message(&message, record) || !reader->channel_place[message.channel])
            return pov_status_with(POV_SKIPPED, "a message in it has no channel");
        if (messages == 0 || message.log_ns < chunk->first_ns)
            chunk->first_ns = message.log_ns;
        if (messages++ == 0 || message.log_ns > chunk->last_ns)
            chunk->last_ns = message.log_ns;
        all->channel_messages[reader->channel_place[message.channel] - 1]++;
    }
    if (messages > 0)
        span_times(all, chunk->first_ns, chunk->last_ns, all->messages == 0);
    all->messages += messages;
    return pov_ok();
}

/* A chunk, or a message outside of chunks. */
static pov_status scan_chunk(pov_mcap_reader *reader, uint64_t at, uint64_t length, bool is_loose)
{
    pov_mcap_chunk chunk = {
        .offset = at, .length = length, .is_loose = is_loose, .mark_first = reader->contents.mark_len};
    const uint8_t *records;
    size_t len;
    pov_status status = pov_mcap_reader_records(reader, &records, &len, &chunk);
    if (status.code == POV_OK) {
        status = scan_records(reader, &chunk, records, len);
        if (status.code != POV_OK && status.code != POV_SKIPPED)
            status.code = POV_SKIPPED;
        if (status.code == POV_SKIPPED)
            status = damaged_chunk(reader, &chunk, &status);
    }
    if (status.code == POV_SKIPPED) {
        chunk.is_damaged = true;
        reader->contents.damaged_chunks++;
        keep_trouble(reader, status.message);
    } else if (status.code != POV_OK) {
        return status;
    }
    return add_chunk(reader, &chunk);
}

static pov_status scan_index(pov_mcap_reader *reader, cursor record, uint64_t at, uint64_t length)
{
    pov_mcap_contents *all = &reader->contents;
    if (all->chunk_len == 0)
        return pov_ok();
    pov_mcap_chunk *chunk = &all->chunks[all->chunk_len - 1];
    const pov_mcap_mark mark = {.channel = (uint16_t)take_number(&record, 2), .offset = at};
    if (record.bad || chunk->offset + chunk->length + chunk->index_length != at)
        return pov_ok();
    if (!pov_grow(&all->marks, &reader->mark_capacity, all->mark_len, sizeof mark))
        return no_memory(reader);
    all->marks[all->mark_len++] = mark;
    chunk->mark_len++;
    chunk->index_length += length;
    return pov_ok();
}

static pov_status scan_record(pov_mcap_reader *reader, uint64_t at, uint64_t length, pov_mcap_opcode opcode)
{
    enum {
        HEAD_BYTES_MAX = 64 << 10
    }; /* of an attachment: its names; of all else that is read here: the whole */
    if (opcode == POV_MCAP_CHUNK || opcode == POV_MCAP_MESSAGE)
        return scan_chunk(reader, at, length, opcode == POV_MCAP_MESSAGE);
    const uint64_t wanted =
        opcode == POV_MCAP_ATTACHMENT && length > HEAD_BYTES_MAX ? HEAD_BYTES_MAX : length;
    if (opcode != POV_MCAP_SCHEMA && opcode != POV_MCAP_CHANNEL && opcode != POV_MCAP_MESSAGE_INDEX &&
        opcode != POV_MCAP_ATTACHMENT && opcode != POV_MCAP_METADATA)
        return pov_ok();
    POV_TRY(read_bytes(reader, &reader->coded, at, wanted));
    const cursor record = {reader->coded.data + POV_MCAP_RECORD_BYTES, reader->coded.data + wanted, false};
    switch (opcode) {
    case POV_MCAP_SCHEMA:
        return add_schema(reader, record);
    case POV_MCAP_CHANNEL:
        return add_channel(reader, record);
    case POV_MCAP_MESSAGE_INDEX:
        return scan_index(reader, record, at, length);
    case POV_MCAP_ATTACHMENT:
        return add_attachment(reader, record, at, length);
    default:
        return add_metadata(reader, record, at, length);
    }
}

/* Reads forward to the last whole record. */
static pov_status scan_file(pov_mcap_reader *reader, uint64_t at)
{
    pov_mcap_contents *all = &reader->contents;
    all->good_bytes = at;
    while (reader->input.size - at >= POV_MCAP_RECORD_BYTES) {
        uint8_t head[POV_MCAP_RECORD_BYTES];
        POV_TRY(reader->input.read(reader->input.context, head, at, sizeof head));
        cursor walk = {head, head + sizeof head, false};
        const pov_mcap_opcode opcode = (pov_mcap_opcode)take_number(&walk, 1);
        const uint64_t length = take_number(&walk, 8);
        if (opcode == POV_MCAP_DATA_END || opcode == POV_MCAP_FOOTER || opcode == 0 ||
            length > reader->input.size - at - POV_MCAP_RECORD_BYTES)
            break;
        const pov_status status = scan_record(reader, at, POV_MCAP_RECORD_BYTES + length, opcode);
        if (status.code != POV_OK) {
            keep_trouble(reader, status.message);
            break;
        }
        at += POV_MCAP_RECORD_BYTES + length;
        all->good_bytes = at;
    }
    return pov_ok();
}

/* ---- the index ---- */

static pov_status add_chunk_index(pov_mcap_reader *reader, cursor record)
{
    pov_mcap_chunk chunk = {.first_ns = (int64_t)take_number(&record, 8)};
    chunk.last_ns = (int64_t)take_number(&record, 8);
    chunk.offset = take_number(&record, 8);
    chunk.length = take_number(&record, 8);
    if (record.bad || chunk.length < POV_MCAP_RECORD_BYTES || chunk.offset > reader->input.size ||
        chunk.length > reader->input.size - chunk.offset)
        return bad_record(reader, "chunk index");
    return add_chunk(reader, &chunk);
}

static pov_status take_statistics(pov_mcap_reader *reader, cursor record)
{
    pov_mcap_contents *all = &reader->contents;
    all->messages = take_number(&record, 8);
    take_bytes(&record, 2 + 4 + 4 + 4 + 4);
    all->first_ns = (int64_t)take_number(&record, 8);
    all->last_ns = (int64_t)take_number(&record, 8);
    const slice counts = take_slice(&record, 4);
    if (record.bad)
        return bad_record(reader, "statistics record");
    cursor walk = {counts.bytes, counts.bytes + counts.len, false};
    while (walk.at < walk.end && !walk.bad) {
        const uint16_t id = (uint16_t)take_number(&walk, 2);
        const uint64_t messages = take_number(&walk, 8);
        if (reader->channel_place[id])
            all->channel_messages[reader->channel_place[id] - 1] = messages;
    }
    return walk.bad ? bad_record(reader, "statistics record") : pov_ok();
}

static pov_status take_summary_record(pov_mcap_reader *reader, pov_mcap_opcode opcode, cursor record)
{
    switch (opcode) {
    case POV_MCAP_SCHEMA:
        return add_schema(reader, record);
    case POV_MCAP_CHANNEL:
        return add_channel(reader, record);
    case POV_MCAP_CHUNK_INDEX:
        return add_chunk_index(reader, record);
    case POV_MCAP_ATTACHMENT_INDEX:
        return add_attachment(reader, record, 0, 0);
    case POV_MCAP_METADATA_INDEX:
        return add_metadata(reader, record, 0, 0);
    default:
        return pov_ok();
    }
}

/* Statistics may stand before the channels that they count. */
static pov_status take_summary(pov_mcap_reader *reader, const uint8_t *bytes, size_t len)
{
    bool has_statistics = false;
    for (int pass = 0; pass < 2; pass++) {
        cursor walk = {bytes, bytes + len, false};
        while (walk.at < walk.end) {
            pov_mcap_opcode opcode;
            cursor record;
            if (!take_record(&walk, &opcode, &record))
                return bad_record(reader, "record of the index");
            has_statistics |= opcode == POV_MCAP_STATISTICS;
            if (pass == 0)
                POV_TRY(take_summary_record(reader, opcode, record));
            else if (opcode == POV_MCAP_STATISTICS)
                POV_TRY(take_statistics(reader, record));
        }
    }
    const pov_mcap_contents *all = &reader->contents;
    if (all->chunk_len == 0 && (!has_statistics || all->messages > 0))
        return pov_error("%s: its index names no chunks", reader->input.name);
    return has_statistics || all->chunk_len == 0
               ? pov_ok()
               : pov_error("%s: its index has no statistics", reader->input.name);
}

/* POV_UNDEFINED: there is none. */
static pov_status read_index(pov_mcap_reader *reader, uint64_t data_start)
{
    enum { TAIL_BYTES = POV_MCAP_RECORD_BYTES + POV_MCAP_FOOTER_BYTES + POV_MCAP_MAGIC_BYTES };
    uint8_t tail[TAIL_BYTES];
    const pov_mcap_input *input = &reader->input;
    if (input->size < data_start + TAIL_BYTES)
        return pov_status_of(POV_UNDEFINED);
    const uint64_t footer_at = input->size - TAIL_BYTES;
    POV_TRY(input->read(input->context, tail, footer_at, TAIL_BYTES));
    cursor walk = {tail, tail + TAIL_BYTES, false};
    const uint64_t opcode = take_number(&walk, 1), length = take_number(&walk, 8);
    const uint64_t start = take_number(&walk, 8), offsets = take_number(&walk, 8);
    const uint32_t crc = (uint32_t)take_number(&walk, 4);
    if (memcmp(walk.at, POV_MCAP_MAGIC, POV_MCAP_MAGIC_BYTES) != 0 || opcode != POV_MCAP_FOOTER ||
        length != POV_MCAP_FOOTER_BYTES)
        return pov_status_of(POV_UNDEFINED);
    if (start == 0)
        return pov_error("%s: has no index", input->name);
    if (start < data_start || start > footer_at || (offsets != 0 && (offsets < start || offsets > footer_at)))
        return pov_error("%s: its footer is damaged", input->name);
    if (footer_at - start > POV_MCAP_SUMMARY_BYTES_MAX)
        return pov_error("%s: its index of %llu bytes is larger than the %d that are read", input->name,
                         (unsigned long long)(footer_at - start), POV_MCAP_SUMMARY_BYTES_MAX);
    const size_t covered = (size_t)(footer_at - start) + POV_MCAP_RECORD_BYTES + 16;
    POV_TRY(read_bytes(reader, &reader->coded, start, covered));
    if (crc != 0 && crc32_z(0, reader->coded.data, covered) != crc)
        return pov_error("%s: the checksum of its index at byte %llu is wrong", input->name,
                         (unsigned long long)start);
    return take_summary(reader, reader->coded.data, (size_t)((offsets ? offsets : footer_at) - start));
}

static void forget_contents(pov_mcap_reader *reader)
{
    pov_mcap_contents *all = &reader->contents;
    for (int i = 0; i < all->channel_len; i++)
        reader->channel_place[all->channels[i].id] = 0;
    all->schema_len = all->channel_len = all->chunk_len = all->mark_len = all->attachment_len = 0;
    all->metadata_len = 0;
    all->messages = 0;
    all->first_ns = all->last_ns = 0;
}

static pov_status read_header(pov_mcap_reader *reader, uint64_t *data_start)
{
    enum { HEADER_BYTES_MAX = 64 << 10 };
    const pov_mcap_input *input = &reader->input;
    uint8_t start[POV_MCAP_MAGIC_BYTES + POV_MCAP_RECORD_BYTES];
    if (input->size < sizeof start)
        return pov_error("%s: is no recording: it has %llu bytes", input->name,
                         (unsigned long long)input->size);
    POV_TRY(input->read(input->context, start, 0, sizeof start));
    if (memcmp(start, POV_MCAP_MAGIC, POV_MCAP_MAGIC_BYTES) != 0)
        return pov_error("%s: is no recording: it does not begin as MCAP files do", input->name);
    cursor walk = {start + POV_MCAP_MAGIC_BYTES, start + sizeof start, false};
    const uint64_t opcode = take_number(&walk, 1), length = take_number(&walk, 8);
    if (opcode != POV_MCAP_HEADER || length > HEADER_BYTES_MAX || length > input->size - sizeof start)
        return pov_error("%s: is no recording: it has no MCAP header", input->name);
    POV_TRY(read_bytes(reader, &reader->coded, sizeof start, length));
    walk = (cursor){reader->coded.data, reader->coded.data + length, false};
    const slice profile = take_slice(&walk, 4), library = take_slice(&walk, 4);
    if (walk.bad)
        return bad_record(reader, "header");
    reader->contents.profile = keep_slice(reader, profile);
    reader->contents.library = keep_slice(reader, library);
    *data_start = sizeof start + length;
    return reader->contents.profile && reader->contents.library ? pov_ok() : no_memory(reader);
}

static pov_status open_file(pov_mcap_reader *reader)
{
    uint64_t data_start = 0;
    reader->channel_place = calloc(1 << 16, sizeof *reader->channel_place);
    reader->zstd = ZSTD_createDCtx();
    if (!reader->channel_place || !reader->zstd ||
        LZ4F_isError(LZ4F_createDecompressionContext(&reader->lz4, LZ4F_VERSION)))
        return no_memory(reader);
    POV_TRY(read_header(reader, &data_start));
    const pov_status status = read_index(reader, data_start);
    reader->contents.is_indexed = status.code == POV_OK;
    if (status.code == POV_OK)
        return status;
    forget_contents(reader);
    keep_trouble(reader, status.code == POV_UNDEFINED ? "" : status.message);
    return scan_file(reader, data_start);
}

pov_status pov_mcap_reader_new(pov_mcap_reader **reader, const pov_mcap_input *input)
{
    pov_mcap_reader *made = *reader = calloc(1, sizeof *made);
    if (!made)
        return pov_error("%s: out of memory", input->name);
    made->input = *input;
    made->from_ns = INT64_MIN;
    const pov_status status = open_file(made);
    if (status.code != POV_OK)
        pov_mcap_reader_destroy(reader);
    return status;
}

void pov_mcap_reader_destroy(pov_mcap_reader **reader)
{
    pov_mcap_reader *self = *reader;
    if (!self)
        return;
    for (int i = 0; i < self->text_len; i++)
        free(self->texts[i]);
    free(self->texts);
    pov_mcap_contents *all = &self->contents;
    free(all->schemas);
    free(all->channels);
    free(all->channel_messages);
    free(all->chunks);
    free(all->marks);
    free(all->attachments);
    free(all->metadata);
    free(self->channel_place);
    free(self->coded.data);
    free(self->records.data);
    free(self->extra.data);
    ZSTD_freeDCtx(self->zstd);
    LZ4F_freeDecompressionContext(self->lz4);
    free(self);
    *reader = NULL;
}

const pov_mcap_contents *pov_mcap_reader_contents(const pov_mcap_reader *reader)
{
    return &reader->contents;
}

const pov_mcap_input *pov_mcap_reader_input(const pov_mcap_reader *reader)
{
    return &reader->input;
}

const pov_mcap_channel *pov_mcap_reader_channel(const pov_mcap_reader *reader, uint16_t id)
{
    const int place = reader->channel_place[id];
    return place ? &reader->contents.channels[place - 1] : NULL;
}

const pov_mcap_schema *pov_mcap_reader_schema(const pov_mcap_reader *reader, uint16_t id)
{
    for (int i = 0; i < reader->contents.schema_len; i++)
        if (reader->contents.schemas[i].id == id)
            return &reader->contents.schemas[i];
    return NULL;
}

/* ---- messages ---- */

static pov_status next_chunk(pov_mcap_reader *reader)
{
    const pov_mcap_contents *all = &reader->contents;
    const uint8_t *records;
    size_t len;
    while (reader->next_chunk < all->chunk_len &&
           (all->chunks[reader->next_chunk].last_ns < reader->from_ns ||
            (all->chunks[reader->next_chunk].is_damaged && reader->from_ns != INT64_MIN)))
        reader->next_chunk++;
    if (reader->next_chunk >= all->chunk_len)
        return pov_status_of(POV_END);
    const pov_mcap_chunk *chunk = &all->chunks[reader->next_chunk++];
    POV_TRY(pov_mcap_reader_records(reader, &records, &len, chunk));
    reader->at = records;
    reader->end = records + len;
    reader->in_chunk = true;
    return pov_ok();
}

pov_status pov_mcap_reader_next(pov_mcap_reader *reader, pov_mcap_message *message)
{
    *message = (pov_mcap_message){0};
    for (;;) {
        if (!reader->in_chunk)
            POV_TRY(next_chunk(reader));
        const pov_mcap_chunk *chunk = &reader->contents.chunks[reader->next_chunk - 1];
        cursor walk = {reader->at, reader->end, false};
        while (walk.at < walk.end) {
            pov_mcap_opcode opcode;
            cursor record;
            if (!take_record(&walk, &opcode, &record) ||
                (opcode == POV_MCAP_MESSAGE &&
                 (!take_message(message, record) || !reader->channel_place[message->channel]))) {
                reader->in_chunk = false;
                *message = (pov_mcap_message){0};
                const pov_status why = pov_error("a record in it is cut, or has no channel");
                return damaged_chunk(reader, chunk, &why);
            }
            reader->at = walk.at;
            if (opcode == POV_MCAP_MESSAGE && message->log_ns >= reader->from_ns)
                return pov_ok();
        }
        reader->in_chunk = false;
    }
}

void pov_mcap_reader_seek(pov_mcap_reader *reader, int64_t log_ns)
{
    reader->next_chunk = 0;
    reader->in_chunk = false;
    reader->from_ns = log_ns;
}

/* ---- attachments and metadata ---- */

static pov_status read_extra(pov_mcap_reader *reader, cursor *record, const pov_mcap_extra *extra,
                             pov_mcap_opcode wanted)
{
    if (extra->offset > reader->input.size || extra->length > reader->input.size - extra->offset)
        return bad_record(reader, "attachment or metadata");
    POV_TRY(read_bytes(reader, &reader->extra, extra->offset, extra->length));
    *record = (cursor){reader->extra.data, reader->extra.data + extra->length, false};
    const uint64_t opcode = take_number(record, 1), length = take_number(record, 8);
    if (record->bad || opcode != (uint64_t)wanted || length != extra->length - POV_MCAP_RECORD_BYTES)
        return pov_error("%s: at byte %llu is no attachment or metadata, as its index says",
                         reader->input.name, (unsigned long long)extra->offset);
    return pov_ok();
}

pov_status pov_mcap_reader_attachment(pov_mcap_reader *reader, pov_mcap_attachment *attachment, int i)
{
    POV_REQUIRE(i >= 0 && i < reader->contents.attachment_len);
    const pov_mcap_extra *extra = &reader->contents.attachments[i];
    cursor record;
    *attachment = (pov_mcap_attachment){0};
    POV_TRY(read_extra(reader, &record, extra, POV_MCAP_ATTACHMENT));
    const uint8_t *start = record.at;
    attachment->log_ns = (int64_t)take_number(&record, 8);
    attachment->create_ns = (int64_t)take_number(&record, 8);
    take_slice(&record, 4);
    take_slice(&record, 4);
    const slice data = take_slice(&record, 8);
    const size_t covered = (size_t)(record.at - start);
    const uint32_t crc = (uint32_t)take_number(&record, 4);
    if (record.bad || (crc != 0 && crc32_z(0, start, covered) != crc)) {
        *attachment = (pov_mcap_attachment){0};
        return pov_error("%s: the attachment %.100s at byte %llu is damaged", reader->input.name, extra->name,
                         (unsigned long long)extra->offset);
    }
    attachment->name = extra->name;
    attachment->media_type = extra->media_type;
    attachment->bytes = data.bytes;
    attachment->len = data.len;
    return pov_ok();
}

pov_status pov_mcap_reader_metadata(pov_mcap_reader *reader, const char **value, const char *name,
                                    const char *key)
{
    *value = "";
    for (int i = reader->contents.metadata_len - 1; i >= 0; i--) {
        const pov_mcap_extra *extra = &reader->contents.metadata[i];
        cursor record;
        if (strcmp(extra->name, name) != 0)
            continue;
        POV_TRY(read_extra(reader, &record, extra, POV_MCAP_METADATA));
        take_slice(&record, 4);
        const slice map = take_slice(&record, 4);
        if (record.bad)
            return bad_record(reader, "metadata");
        cursor walk = {map.bytes, map.bytes + map.len, false};
        while (!walk.bad && walk.at < walk.end) {
            const slice found = take_slice(&walk, 4), text = take_slice(&walk, 4);
            if (walk.bad || !is_text(found, key))
                continue;
            reader->extra.data[text.bytes - reader->extra.data + (ptrdiff_t)text.len] = '\0';
            *value = (const char *)text.bytes;
            return pov_ok();
        }
        if (walk.bad)
            return bad_record(reader, "metadata");
    }
    return pov_ok();
}
