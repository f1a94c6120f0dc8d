#include "protocol/recording/mcap_reader_internal.h"

#include <lz4frame.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

/* ---- bytes ---- */

pov_status pov_mcap_no_memory(const pov_mcap_reader *reader)
{
    return pov_error("%s: out of memory", reader->input.name);
}

pov_status pov_mcap_bad_record(const pov_mcap_reader *reader, const char *kind)
{
    return pov_error("%s: a %s of it is damaged", reader->input.name, kind);
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

pov_status pov_mcap_read_bytes(pov_mcap_reader *reader, buffer *to, uint64_t at, uint64_t len)
{
    if (len > POV_MCAP_RECORD_BYTES_MAX)
        return pov_error("%s: a record at byte %llu wants %llu bytes; at most %d are read",
                         reader->input.name, (unsigned long long)at, (unsigned long long)len,
                         POV_MCAP_RECORD_BYTES_MAX);
    POV_TRY(make_room(to, (size_t)len + 1));
    return reader->input.read(reader->input.context, to->data, at, (size_t)len);
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
        room = (to->capacity < size + 1 ? to->capacity : size + 1) - done; /* one more tells of a lie */
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

/* The content of a chunk record to its records. promised: by the index. */
static pov_status open_chunk(pov_mcap_reader *reader, const uint8_t **records, size_t *len, cursor record,
                             uint64_t promised)
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
    if (size != promised)
        return pov_error("it promises %llu bytes, and its index %llu", (unsigned long long)size,
                         (unsigned long long)promised);
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

pov_status pov_mcap_damaged_chunk(const pov_mcap_reader *reader, const pov_mcap_chunk *chunk,
                                  const pov_status *why)
{
    return pov_status_with(POV_SKIPPED, "%s: the chunk at byte %llu is damaged: %.200s", reader->input.name,
                           (unsigned long long)chunk->offset, why->message);
}

pov_status pov_mcap_reader_records(pov_mcap_reader *reader, const uint8_t **records, size_t *len,
                                   const pov_mcap_chunk *chunk)
{
    *len = 0;
    POV_TRY(pov_mcap_read_bytes(reader, &reader->coded, chunk->offset, chunk->length));
    *records = reader->coded.data;
    if (chunk->is_loose) {
        *len = (size_t)chunk->length;
        return pov_ok();
    }
    cursor record = {reader->coded.data, reader->coded.data + chunk->length, false};
    const uint64_t opcode = take_number(&record, 1), length = take_number(&record, 8);
    pov_status status = pov_error("there is none");
    if (!record.bad && opcode == POV_MCAP_CHUNK && length == chunk->length - POV_MCAP_RECORD_BYTES)
        status = open_chunk(reader, records, len, record, chunk->size);
    return status.code == POV_OK ? status : pov_mcap_damaged_chunk(reader, chunk, &status);
}

/* ---- beginning and end ---- */

static pov_status open_file(pov_mcap_reader *reader)
{
    reader->channel_place = calloc(1 << 16, sizeof *reader->channel_place);
    reader->zstd = ZSTD_createDCtx();
    if (!reader->channel_place || !reader->zstd ||
        LZ4F_isError(LZ4F_createDecompressionContext(&reader->lz4, LZ4F_VERSION)))
        return pov_mcap_no_memory(reader);
    return pov_mcap_find_contents(reader);
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

/* Once, after the last message. */
static pov_status tell_cut(pov_mcap_reader *reader)
{
    const pov_mcap_contents *all = &reader->contents;
    if (!all->is_cut || reader->told_cut)
        return pov_status_of(POV_END);
    reader->told_cut = true;
    return pov_status_with(
        POV_SKIPPED,
        "%s: ends within a record at byte %llu: the %llu bytes from there on cannot be read "
        "('pov replay --repair' gives it an index without them)",
        reader->input.name, (unsigned long long)all->good_bytes,
        (unsigned long long)(reader->input.size - all->good_bytes));
}

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
        return tell_cut(reader);
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
                return pov_mcap_damaged_chunk(reader, chunk, &why);
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
    reader->in_chunk = reader->told_cut = false;
    reader->from_ns = log_ns;
}

/* ---- attachments and metadata ---- */

static pov_status read_extra(pov_mcap_reader *reader, cursor *record, const pov_mcap_extra *extra,
                             pov_mcap_opcode wanted)
{
    if (extra->offset > reader->input.size || extra->length > reader->input.size - extra->offset)
        return pov_mcap_bad_record(reader, "attachment or metadata");
    POV_TRY(pov_mcap_read_bytes(reader, &reader->extra, extra->offset, extra->length));
    *record = (cursor){reader->extra.data, reader->extra.data + extra->length, false};
    const uint64_t opcode = take_number(record, 1), length = take_number(record, 8);
    if (record->bad || opcode != (uint64_t)wanted || length != extra->length - POV_MCAP_RECORD_BYTES)
        return pov_error("%s: at byte %llu is not an attachment or metadata, as its index says",
                         reader->input.name, (unsigned long long)extra->offset);
    return pov_ok();
}

pov_status pov_mcap_reader_attachment(pov_mcap_reader *reader, pov_mcap_attachment *attachment, int i)
{
    POV_REQUIRE(i >= 0 && i < reader->contents.attachment_len);
    const pov_mcap_extra *extra = &reader->contents.attachments[i];
    cursor record = {NULL, NULL, true};
    *attachment = (pov_mcap_attachment){0};
    POV_TRY(read_extra(reader, &record, extra, POV_MCAP_ATTACHMENT));
    const uint8_t *start = record.at;
    attachment->log_ns = (int64_t)take_number(&record, 8);
    attachment->create_ns = (int64_t)take_number(&record, 8);
    const slice name = take_slice(&record, 4);
    take_slice(&record, 4);
    const slice data = take_slice(&record, 8);
    const size_t covered = (size_t)(record.at - start);
    const uint32_t crc = (uint32_t)take_number(&record, 4);
    if (record.bad || !is_text(name, extra->name) || (crc != 0 && crc32_z(0, start, covered) != crc)) {
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
        cursor record = {NULL, NULL, true};
        if (strcmp(extra->name, name) != 0)
            continue;
        POV_TRY(read_extra(reader, &record, extra, POV_MCAP_METADATA));
        take_slice(&record, 4);
        const slice map = take_slice(&record, 4);
        if (record.bad)
            return pov_mcap_bad_record(reader, "metadata");
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
            return pov_mcap_bad_record(reader, "metadata");
    }
    return pov_ok();
}
