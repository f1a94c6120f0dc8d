/* The contents of an MCAP file: by its index, or by a scan of all its records. */
#include "protocol/recording/mcap_reader_internal.h"

#include "config/files/grow.h"

#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

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

static pov_status add_schema(pov_mcap_reader *reader, cursor record)
{
    pov_mcap_contents *all = &reader->contents;
    pov_mcap_schema schema = {.id = (uint16_t)take_number(&record, 2)};
    const slice name = take_slice(&record, 4), encoding = take_slice(&record, 4),
                data = take_slice(&record, 4);
    if (record.bad || schema.id == 0)
        return pov_mcap_bad_record(reader, "schema");
    if (pov_mcap_reader_schema(reader, schema.id))
        return pov_ok(); /* a copy */
    schema.name = keep_slice(reader, name);
    schema.encoding = keep_slice(reader, encoding);
    schema.data = (const uint8_t *)keep_slice(reader, data);
    schema.len = data.len;
    if (!schema.name || !schema.encoding || !schema.data ||
        !pov_grow(&all->schemas, &reader->schema_capacity, all->schema_len, sizeof schema))
        return pov_mcap_no_memory(reader);
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
        return pov_mcap_bad_record(reader, "channel");
    if (reader->channel_place[channel.id])
        return pov_ok();
    channel.topic = keep_slice(reader, topic);
    channel.encoding = keep_slice(reader, encoding);
    if (!channel.topic || !channel.encoding ||
        !pov_grow(&all->channels, &reader->channel_capacity, all->channel_len, sizeof channel) ||
        !pov_grow(&all->channel_messages, &reader->count_capacity, all->channel_len, sizeof(uint64_t)))
        return pov_mcap_no_memory(reader);
    all->channel_messages[all->channel_len] = 0;
    all->channels[all->channel_len++] = channel;
    reader->channel_place[channel.id] = all->channel_len;
    return pov_ok();
}

static pov_status add_chunk(pov_mcap_reader *reader, const pov_mcap_chunk *chunk)
{
    pov_mcap_contents *all = &reader->contents;
    if (!pov_grow(&all->chunks, &reader->chunk_capacity, all->chunk_len, sizeof *chunk))
        return pov_mcap_no_memory(reader);
    all->chunks[all->chunk_len++] = *chunk;
    return pov_ok();
}

/* A small file that unpacks to very much costs minutes: it is refused before any of it is unpacked. */
static uint64_t unpacked_max(const pov_mcap_reader *reader)
{
    return POV_MCAP_UNPACKED_BYTES_FREE + POV_MCAP_UNPACKED_TIMES_MAX * reader->input.size;
}

static pov_status charge_bytes(pov_mcap_reader *reader, uint64_t size)
{
    const uint64_t allowed = unpacked_max(reader);
    uint64_t *sum = &reader->contents.unpacked_bytes;
    *sum = size > UINT64_MAX - *sum ? UINT64_MAX : *sum + size;
    return *sum <= allowed
               ? pov_ok()
               : pov_error("%s: promises %llu bytes unpacked or more, of %llu; at most %llu are read. If you "
                           "trust it, unpack it first: 'mcap compress --compression none'",
                           reader->input.name, (unsigned long long)*sum,
                           (unsigned long long)reader->input.size, (unsigned long long)allowed);
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
        return pov_mcap_bad_record(reader, "attachment");
    extra.name = keep_slice(reader, name);
    extra.media_type = keep_slice(reader, media_type);
    if (!extra.name || !extra.media_type ||
        !pov_grow(&all->attachments, &reader->attachment_capacity, all->attachment_len, sizeof extra))
        return pov_mcap_no_memory(reader);
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
        return pov_mcap_bad_record(reader, "metadata");
    extra.name = keep_slice(reader, name);
    if (!extra.name || !pov_grow(&all->metadata, &reader->metadata_capacity, all->metadata_len, sizeof extra))
        return pov_mcap_no_memory(reader);
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

/* ---- without an index ---- */

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

/* A promise beyond a chunk's own limit is not kept: it is damaged. */
static pov_status charge_chunk(pov_mcap_reader *reader, pov_mcap_chunk *chunk)
{
    uint8_t head[POV_MCAP_RECORD_BYTES + 8 + 8 + 8] = {0};
    if (chunk->is_loose || chunk->length < sizeof head)
        return pov_ok();
    POV_TRY(reader->input.read(reader->input.context, head, chunk->offset, sizeof head));
    chunk->size = take_number(&(cursor){head + POV_MCAP_RECORD_BYTES + 16, head + sizeof head, false}, 8);
    return chunk->size <= POV_MCAP_CHUNK_BYTES_MAX ? charge_bytes(reader, chunk->size) : pov_ok();
}

/* A chunk, or a message outside of chunks. */
static pov_status scan_chunk(pov_mcap_reader *reader, uint64_t at, uint64_t length, bool is_loose)
{
    pov_mcap_chunk chunk = {
        .offset = at, .length = length, .is_loose = is_loose, .mark_first = reader->contents.mark_len};
    const uint8_t *records;
    size_t len;
    POV_TRY(charge_chunk(reader, &chunk));
    pov_status status = pov_mcap_reader_records(reader, &records, &len, &chunk);
    if (status.code == POV_OK) {
        status = scan_records(reader, &chunk, records, len);
        if (status.code != POV_OK && status.code != POV_SKIPPED)
            status.code = POV_SKIPPED;
        if (status.code == POV_SKIPPED)
            status = pov_mcap_damaged_chunk(reader, &chunk, &status);
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
        return pov_mcap_no_memory(reader);
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
    POV_TRY(pov_mcap_read_bytes(reader, &reader->coded, at, wanted));
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
    bool has_ended = false;
    all->good_bytes = at;
    while (reader->input.size - at >= POV_MCAP_RECORD_BYTES) {
        uint8_t head[POV_MCAP_RECORD_BYTES];
        POV_TRY(reader->input.read(reader->input.context, head, at, sizeof head));
        cursor walk = {head, head + sizeof head, false};
        const pov_mcap_opcode opcode = (pov_mcap_opcode)take_number(&walk, 1);
        const uint64_t length = take_number(&walk, 8);
        has_ended = opcode == POV_MCAP_DATA_END || opcode == POV_MCAP_FOOTER;
        if (has_ended || opcode == 0 || length > reader->input.size - at - POV_MCAP_RECORD_BYTES)
            break;
        const pov_status status = scan_record(reader, at, POV_MCAP_RECORD_BYTES + length, opcode);
        if (all->unpacked_bytes > unpacked_max(reader))
            return status;
        if (status.code != POV_OK) {
            keep_trouble(reader, status.message);
            break;
        }
        at += POV_MCAP_RECORD_BYTES + length;
        all->good_bytes = at;
    }
    all->is_cut = !has_ended && all->good_bytes < reader->input.size;
    return pov_ok();
}

/* ---- the index ---- */

static pov_status add_chunk_index(pov_mcap_reader *reader, cursor record)
{
    pov_mcap_chunk chunk = {.first_ns = (int64_t)take_number(&record, 8)};
    chunk.last_ns = (int64_t)take_number(&record, 8);
    chunk.offset = take_number(&record, 8);
    chunk.length = take_number(&record, 8);
    take_slice(&record, 4);
    take_bytes(&record, 8);
    take_slice(&record, 4);
    take_bytes(&record, 8);
    chunk.size = take_number(&record, 8);
    if (record.bad || chunk.length < POV_MCAP_RECORD_BYTES || chunk.offset > reader->input.size ||
        chunk.length > reader->input.size - chunk.offset)
        return pov_mcap_bad_record(reader, "chunk index");
    POV_TRY(charge_bytes(reader, chunk.size));
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
        return pov_mcap_bad_record(reader, "statistics record");
    cursor walk = {counts.bytes, counts.bytes + counts.len, false};
    while (walk.at < walk.end && !walk.bad) {
        const uint16_t id = (uint16_t)take_number(&walk, 2);
        const uint64_t messages = take_number(&walk, 8);
        if (reader->channel_place[id])
            all->channel_messages[reader->channel_place[id] - 1] = messages;
    }
    return walk.bad ? pov_mcap_bad_record(reader, "statistics record") : pov_ok();
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
                return pov_mcap_bad_record(reader, "record of the index");
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
    POV_TRY(pov_mcap_read_bytes(reader, &reader->coded, start, covered));
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
    all->messages = all->unpacked_bytes = 0;
    all->first_ns = all->last_ns = 0;
}

static pov_status read_header(pov_mcap_reader *reader, uint64_t *data_start)
{
    enum { HEADER_BYTES_MAX = 64 << 10 };
    const pov_mcap_input *input = &reader->input;
    uint8_t start[POV_MCAP_MAGIC_BYTES + POV_MCAP_RECORD_BYTES];
    if (input->size < sizeof start)
        return pov_error(
            "%s: is not a recording: it has %llu bytes; 'pov run STATION.yaml --record FILE.mcap' makes one",
            input->name, (unsigned long long)input->size);
    POV_TRY(input->read(input->context, start, 0, sizeof start));
    if (memcmp(start, POV_MCAP_MAGIC, POV_MCAP_MAGIC_BYTES) != 0)
        return pov_error("%s: is not a recording: it does not begin as MCAP files do; 'pov run STATION.yaml "
                         "--record FILE.mcap' makes one",
                         input->name);
    cursor walk = {start + POV_MCAP_MAGIC_BYTES, start + sizeof start, false};
    const uint64_t opcode = take_number(&walk, 1), length = take_number(&walk, 8);
    if (opcode != POV_MCAP_HEADER || length > HEADER_BYTES_MAX || length > input->size - sizeof start)
        return pov_error("%s: is not a recording: it has no MCAP header", input->name);
    POV_TRY(pov_mcap_read_bytes(reader, &reader->coded, sizeof start, length));
    walk = (cursor){reader->coded.data, reader->coded.data + length, false};
    const slice profile = take_slice(&walk, 4), library = take_slice(&walk, 4);
    if (walk.bad)
        return pov_mcap_bad_record(reader, "header");
    reader->contents.profile = keep_slice(reader, profile);
    reader->contents.library = keep_slice(reader, library);
    *data_start = sizeof start + length;
    return reader->contents.profile && reader->contents.library ? pov_ok() : pov_mcap_no_memory(reader);
}

pov_status pov_mcap_find_contents(pov_mcap_reader *reader)
{
    uint64_t data_start = 0;
    POV_TRY(read_header(reader, &data_start));
    const pov_status status = read_index(reader, data_start);
    reader->contents.is_indexed = status.code == POV_OK;
    if (status.code == POV_OK)
        return status;
    forget_contents(reader);
    keep_trouble(reader, status.code == POV_UNDEFINED ? "" : status.message);
    return scan_file(reader, data_start);
}
