#include "protocol/recording/mcap_writer.h"

#include "protocol/recording/mcap_reader.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum {
    ZSTD_LEVEL = 1, /* messages shrink at any level; chosen */
    CODED_SHARE_PERCENT =
        75, /* a chunk with so much of images is not compressed: it takes more time than all else; chosen */
    CHANNELS_MAX = 1 << 16
};

/* Bytes that grow, and are kept. */
typedef struct {
    uint8_t *data;
    size_t len, capacity;
} buffer;

/* The messages of one channel in the chunk: pairs of log time and offset, little endian. */
typedef struct {
    bool is_known;
    buffer index;
    uint64_t messages; /* in the file */
} channel_state;

struct pov_mcap_writer {
    pov_mcap_sink sink;
    pov_mcap_writer_config config;
    ZSTD_CCtx *zstd;
    uint64_t offset;
    buffer chunk, out;
    size_t coded_bytes;                                                            /* of the chunk: images */
    buffer schemas, channels, chunk_indexes, attachment_indexes, metadata_indexes; /* the summary's groups */
    channel_state *channel;
    int channel_capacity; /* ids below */
    uint64_t messages, lost;
    int64_t first_ns, last_ns, logged_ns;
    uint32_t schema_count, channel_count, attachment_count, metadata_count, chunk_count;
    bool failed; /* out of memory while building */
};

/* ---- building ---- */

static uint8_t *make_room(pov_mcap_writer *writer, buffer *to, size_t len)
{
    if (to->capacity - to->len < len) {
        const size_t capacity = 2 * to->len + len + 256;
        uint8_t *data = realloc(to->data, capacity);
        if (!data) {
            writer->failed = true;
            return NULL;
        }
        to->data = data;
        to->capacity = capacity;
    }
    uint8_t *start = to->data + to->len;
    to->len += len;
    return start;
}

static void set_number(uint8_t *bytes, uint64_t value, int len)
{
    for (int i = 0; i < len; i++)
        bytes[i] = (uint8_t)(value >> 8 * i);
}

static void put_number(pov_mcap_writer *writer, buffer *to, uint64_t value, int len)
{
    uint8_t *start = make_room(writer, to, (size_t)len);
    if (start)
        set_number(start, value, len);
}

static void put_bytes(pov_mcap_writer *writer, buffer *to, const void *bytes, size_t len)
{
    uint8_t *start = make_room(writer, to, len);
    if (start && len)
        memcpy(start, bytes, len);
}

static void put_text(pov_mcap_writer *writer, buffer *to, const char *text)
{
    put_number(writer, to, strlen(text), 4);
    put_bytes(writer, to, text, strlen(text));
}

/* Opcode and a length that end_record fills in. Returns where it starts. */
static size_t begin_record(pov_mcap_writer *writer, buffer *to, pov_mcap_opcode opcode)
{
    const size_t start = to->len;
    put_number(writer, to, opcode, 1);
    put_number(writer, to, 0, 8);
    return start;
}

static void end_record(pov_mcap_writer *writer, buffer *to, size_t start)
{
    if (!writer->failed)
        set_number(to->data + start + 1, to->len - start - POV_MCAP_RECORD_BYTES, 8);
}

/* Writes `out`. Nothing of it is in the file if that fails. */
static pov_status send_out(pov_mcap_writer *writer)
{
    const size_t len = writer->out.len;
    const bool failed = writer->failed;
    writer->out.len = 0;
    writer->failed = false;
    if (failed)
        return pov_error("recording: out of memory");
    POV_TRY(writer->sink.write(writer->sink.context, writer->out.data, len));
    writer->offset += len;
    return pov_ok();
}

/* ---- the file ---- */

static pov_status write_header(pov_mcap_writer *writer)
{
    put_bytes(writer, &writer->out, POV_MCAP_MAGIC, POV_MCAP_MAGIC_BYTES);
    const size_t start = begin_record(writer, &writer->out, POV_MCAP_HEADER);
    put_text(writer, &writer->out, writer->config.profile);
    put_text(writer, &writer->out, writer->config.library);
    end_record(writer, &writer->out, start);
    return send_out(writer);
}

static pov_status make_writer(pov_mcap_writer **writer, const pov_mcap_sink *sink,
                              const pov_mcap_writer_config *config)
{
    pov_mcap_writer *made = *writer = calloc(1, sizeof *made);
    if (made) {
        made->sink = *sink;
        made->config = *config;
        made->zstd = ZSTD_createCCtx();
    }
    if (made && made->zstd)
        return pov_ok();
    pov_mcap_writer_destroy(writer);
    return pov_error("recording: out of memory");
}

pov_status pov_mcap_writer_new(pov_mcap_writer **writer, const pov_mcap_sink *sink,
                               const pov_mcap_writer_config *config)
{
    POV_TRY(make_writer(writer, sink, config));
    const pov_status status = write_header(*writer);
    if (status.code != POV_OK)
        pov_mcap_writer_destroy(writer);
    return status;
}

void pov_mcap_writer_destroy(pov_mcap_writer **writer)
{
    pov_mcap_writer *self = *writer;
    if (!self)
        return;
    ZSTD_freeCCtx(self->zstd);
    buffer *const all[] = {&self->chunk,           &self->out,           &self->schemas,
                           &self->channels,        &self->chunk_indexes, &self->attachment_indexes,
                           &self->metadata_indexes};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]->data);
    for (int i = 0; i < self->channel_capacity; i++)
        free(self->channel[i].index.data);
    free(self->channel);
    free(self);
    *writer = NULL;
}

/* ---- schemas and channels ---- */

static void put_schema(pov_mcap_writer *writer, buffer *to, const pov_mcap_schema *schema)
{
    const size_t start = begin_record(writer, to, POV_MCAP_SCHEMA);
    put_number(writer, to, schema->id, 2);
    put_text(writer, to, schema->name);
    put_text(writer, to, schema->encoding);
    put_number(writer, to, schema->len, 4);
    put_bytes(writer, to, schema->data, schema->len);
    end_record(writer, to, start);
}

static void put_channel(pov_mcap_writer *writer, buffer *to, const pov_mcap_channel *channel)
{
    const size_t start = begin_record(writer, to, POV_MCAP_CHANNEL);
    put_number(writer, to, channel->id, 2);
    put_number(writer, to, channel->schema, 2);
    put_text(writer, to, channel->topic);
    put_text(writer, to, channel->encoding);
    put_number(writer, to, channel->key ? 8 + strlen(channel->key) + strlen(channel->value) : 0, 4);
    if (channel->key) {
        put_text(writer, to, channel->key);
        put_text(writer, to, channel->value);
    }
    end_record(writer, to, start);
}

static pov_status know_channel(pov_mcap_writer *writer, uint16_t id)
{
    if (id >= writer->channel_capacity) {
        const int capacity = id < CHANNELS_MAX / 2 ? 2 * id + 16 : CHANNELS_MAX;
        channel_state *grown = realloc(writer->channel, (size_t)capacity * sizeof *grown);
        if (!grown)
            return pov_error("recording: out of memory");
        memset(grown + writer->channel_capacity, 0,
               (size_t)(capacity - writer->channel_capacity) * sizeof *grown);
        writer->channel = grown;
        writer->channel_capacity = capacity;
    }
    writer->channel_count += !writer->channel[id].is_known;
    writer->channel[id].is_known = true;
    return pov_ok();
}

pov_status pov_mcap_writer_schema(pov_mcap_writer *writer, const pov_mcap_schema *schema)
{
    POV_REQUIRE(schema->id != 0);
    put_schema(writer, &writer->out, schema);
    POV_TRY(send_out(writer));
    put_schema(writer, &writer->schemas, schema);
    writer->schema_count++;
    return pov_ok();
}

pov_status pov_mcap_writer_channel(pov_mcap_writer *writer, const pov_mcap_channel *channel)
{
    put_channel(writer, &writer->out, channel);
    POV_TRY(send_out(writer));
    put_channel(writer, &writer->channels, channel);
    return know_channel(writer, channel->id);
}

/* ---- chunks ---- */

pov_status pov_mcap_writer_message(pov_mcap_writer *writer, const pov_mcap_message *message)
{
    POV_REQUIRE(message->channel < writer->channel_capacity && writer->channel[message->channel].is_known);
    buffer *chunk = &writer->chunk;
    const size_t before = chunk->len;
    if (message->log_ns > writer->logged_ns)
        writer->logged_ns = message->log_ns;
    uint8_t *start = make_room(writer, chunk, POV_MCAP_RECORD_BYTES + POV_MCAP_MESSAGE_BYTES + message->len);
    if (!start) {
        chunk->len = before;
        writer->failed = false;
        writer->lost++;
        return pov_error("recording: out of memory for a message of %zu bytes", message->len);
    }
    *start = POV_MCAP_MESSAGE;
    set_number(start + 1, POV_MCAP_MESSAGE_BYTES + message->len, 8);
    set_number(start + 9, message->channel, 2);
    set_number(start + 11, message->sequence, 4);
    set_number(start + 15, (uint64_t)writer->logged_ns, 8);
    set_number(start + 23, (uint64_t)message->publish_ns, 8);
    if (message->len)
        memcpy(start + 31, message->bytes, message->len);
    writer->coded_bytes += message->is_coded ? message->len : 0;
    return chunk->len < writer->config.chunk_bytes ? pov_ok() : pov_mcap_writer_flush(writer);
}

static uint64_t number_at(const uint8_t *bytes, int len)
{
    uint64_t value = 0;
    for (int i = 0; i < len; i++)
        value |= (uint64_t)bytes[i] << 8 * i;
    return value;
}

typedef struct {
    int64_t first_ns, last_ns;
    uint64_t messages;
} chunk_facts;

/* Fills each channel's index from sound records. */
static chunk_facts index_messages(pov_mcap_writer *writer, const uint8_t *records, size_t len)
{
    chunk_facts facts = {0, 0, 0};
    for (int i = 0; i < writer->channel_capacity; i++)
        writer->channel[i].index.len = 0;
    for (size_t at = 0; at < len; at += POV_MCAP_RECORD_BYTES + number_at(records + at + 1, 8)) {
        if (records[at] != POV_MCAP_MESSAGE)
            continue;
        const int64_t log_ns = (int64_t)number_at(records + at + 15, 8);
        buffer *index = &writer->channel[number_at(records + at + 9, 2)].index;
        put_number(writer, index, (uint64_t)log_ns, 8);
        put_number(writer, index, at, 8);
        facts.first_ns = facts.messages == 0 || log_ns < facts.first_ns ? log_ns : facts.first_ns;
        facts.last_ns = facts.messages == 0 || log_ns > facts.last_ns ? log_ns : facts.last_ns;
        facts.messages++;
    }
    return facts;
}

/* Appends the message indexes to `out`. */
static void put_message_indexes(pov_mcap_writer *writer)
{
    for (int i = 0; i < writer->channel_capacity; i++) {
        const buffer *index = &writer->channel[i].index;
        if (index->len == 0)
            continue;
        const size_t start = begin_record(writer, &writer->out, POV_MCAP_MESSAGE_INDEX);
        put_number(writer, &writer->out, (uint64_t)i, 2);
        put_number(writer, &writer->out, index->len, 4);
        put_bytes(writer, &writer->out, index->data, index->len);
        end_record(writer, &writer->out, start);
    }
}

/* A chunk's entry in the summary. */
typedef struct {
    uint64_t offset, length, indexes_offset, compressed, uncompressed;
    chunk_facts facts;
    const char *compression;
    const pov_mcap_mark
        *marks; /* where its message indexes are; NULL: one after the other, by the channels' ids */
    int mark_len;
} chunk_place;

static uint64_t find_mark(const chunk_place *place, int channel, uint64_t otherwise)
{
    for (int i = 0; i < place->mark_len; i++)
        if (place->marks[i].channel == channel)
            return place->marks[i].offset;
    return otherwise;
}

static void put_chunk_index(pov_mcap_writer *writer, const chunk_place *place)
{
    buffer *to = &writer->chunk_indexes;
    uint64_t at = place->indexes_offset, channels = 0;
    for (int i = 0; i < writer->channel_capacity; i++)
        channels += writer->channel[i].index.len > 0;
    const size_t start = begin_record(writer, to, POV_MCAP_CHUNK_INDEX);
    put_number(writer, to, (uint64_t)place->facts.first_ns, 8);
    put_number(writer, to, (uint64_t)place->facts.last_ns, 8);
    put_number(writer, to, place->offset, 8);
    put_number(writer, to, place->length, 8);
    put_number(writer, to, 10 * channels, 4);
    for (int i = 0; i < writer->channel_capacity; i++) {
        const size_t len = writer->channel[i].index.len;
        if (len == 0)
            continue;
        put_number(writer, to, (uint64_t)i, 2);
        put_number(writer, to, find_mark(place, i, at), 8);
        at += POV_MCAP_RECORD_BYTES + 2 + 4 + len;
    }
    put_number(writer, to, at - place->indexes_offset, 8);
    put_text(writer, to, place->compression);
    put_number(writer, to, place->compressed, 8);
    put_number(writer, to, place->uncompressed, 8);
    end_record(writer, to, start);
}

static void count_messages(pov_mcap_writer *writer, const chunk_facts *facts)
{
    for (int i = 0; i < writer->channel_capacity; i++)
        writer->channel[i].messages += writer->channel[i].index.len / 16;
    if (facts->messages > 0 && (writer->messages == 0 || facts->first_ns < writer->first_ns))
        writer->first_ns = facts->first_ns;
    if (facts->messages > 0 && (writer->messages == 0 || facts->last_ns > writer->last_ns))
        writer->last_ns = facts->last_ns;
    writer->messages += facts->messages;
    writer->chunk_count++;
}

/* Puts the chunk to the end of `out`. Returns the length; 0: it does not work. */
static size_t put_compressed(pov_mcap_writer *writer, bool is_compressed)
{
    const buffer *chunk = &writer->chunk;
    if (!is_compressed) {
        put_bytes(writer, &writer->out, chunk->data, chunk->len);
        return chunk->len;
    }
    const size_t room = ZSTD_compressBound(chunk->len), start = writer->out.len;
    if (!make_room(writer, &writer->out, room))
        return 0;
    const size_t len =
        ZSTD_compressCCtx(writer->zstd, writer->out.data + start, room, chunk->data, chunk->len, ZSTD_LEVEL);
    writer->failed |= ZSTD_isError(len);
    writer->out.len = start + (ZSTD_isError(len) ? 0 : len);
    return ZSTD_isError(len) ? 0 : len;
}

pov_status pov_mcap_writer_flush(pov_mcap_writer *writer)
{
    buffer *chunk = &writer->chunk, *out = &writer->out;
    if (chunk->len == 0)
        return pov_ok();
    const bool is_compressed = writer->config.compression == POV_MCAP_ZSTD &&
                               100 * writer->coded_bytes < CODED_SHARE_PERCENT * chunk->len;
    writer->coded_bytes = 0;
    chunk_place place = {.offset = writer->offset,
                         .uncompressed = chunk->len,
                         .facts = index_messages(writer, chunk->data, chunk->len),
                         .compression = is_compressed ? "zstd" : ""};
    const size_t start = begin_record(writer, out, POV_MCAP_CHUNK);
    put_number(writer, out, (uint64_t)place.facts.first_ns, 8);
    put_number(writer, out, (uint64_t)place.facts.last_ns, 8);
    put_number(writer, out, chunk->len, 8);
    put_number(writer, out, crc32_z(0, chunk->data, chunk->len), 4);
    put_text(writer, out, place.compression);
    const size_t length_at = out->len;
    put_number(writer, out, 0, 8);
    place.compressed = put_compressed(writer, is_compressed);
    if (!writer->failed)
        set_number(out->data + length_at, place.compressed, 8);
    end_record(writer, out, start);
    place.length = out->len;
    place.indexes_offset = writer->offset + out->len;
    put_message_indexes(writer);
    chunk->len = 0;
    const pov_status status = send_out(writer);
    if (status.code != POV_OK) {
        writer->lost += place.facts.messages;
        return status;
    }
    put_chunk_index(writer, &place);
    count_messages(writer, &place.facts);
    return pov_ok();
}

/* ---- attachments and metadata ---- */

static void put_attachment_index(pov_mcap_writer *writer, uint64_t offset, uint64_t length,
                                 const pov_mcap_attachment *attachment)
{
    buffer *to = &writer->attachment_indexes;
    const size_t start = begin_record(writer, to, POV_MCAP_ATTACHMENT_INDEX);
    put_number(writer, to, offset, 8);
    put_number(writer, to, length, 8);
    put_number(writer, to, (uint64_t)attachment->log_ns, 8);
    put_number(writer, to, (uint64_t)attachment->create_ns, 8);
    put_number(writer, to, attachment->len, 8);
    put_text(writer, to, attachment->name);
    put_text(writer, to, attachment->media_type);
    end_record(writer, to, start);
    writer->attachment_count++;
}

static void put_metadata_index(pov_mcap_writer *writer, uint64_t offset, uint64_t length, const char *name)
{
    buffer *to = &writer->metadata_indexes;
    const size_t start = begin_record(writer, to, POV_MCAP_METADATA_INDEX);
    put_number(writer, to, offset, 8);
    put_number(writer, to, length, 8);
    put_text(writer, to, name);
    end_record(writer, to, start);
    writer->metadata_count++;
}

pov_status pov_mcap_writer_attachment(pov_mcap_writer *writer, const pov_mcap_attachment *attachment)
{
    POV_TRY(pov_mcap_writer_flush(writer));
    buffer *out = &writer->out;
    const uint64_t offset = writer->offset;
    const size_t start = begin_record(writer, out, POV_MCAP_ATTACHMENT), content = out->len;
    put_number(writer, out, (uint64_t)attachment->log_ns, 8);
    put_number(writer, out, (uint64_t)attachment->create_ns, 8);
    put_text(writer, out, attachment->name);
    put_text(writer, out, attachment->media_type);
    put_number(writer, out, attachment->len, 8);
    put_bytes(writer, out, attachment->bytes, attachment->len);
    put_number(writer, out, writer->failed ? 0 : crc32_z(0, out->data + content, out->len - content), 4);
    end_record(writer, out, start);
    const size_t length = out->len;
    POV_TRY(send_out(writer));
    put_attachment_index(writer, offset, length, attachment);
    return pov_ok();
}

pov_status pov_mcap_writer_metadata(pov_mcap_writer *writer, const char *name, const pov_mcap_pair *pairs,
                                    int pair_len)
{
    POV_TRY(pov_mcap_writer_flush(writer));
    buffer *out = &writer->out;
    const uint64_t offset = writer->offset;
    size_t map_len = 0;
    for (int i = 0; i < pair_len; i++)
        map_len += 8 + strlen(pairs[i].key) + strlen(pairs[i].value);
    const size_t start = begin_record(writer, out, POV_MCAP_METADATA);
    put_text(writer, out, name);
    put_number(writer, out, map_len, 4);
    for (int i = 0; i < pair_len; i++) {
        put_text(writer, out, pairs[i].key);
        put_text(writer, out, pairs[i].value);
    }
    end_record(writer, out, start);
    const size_t length = out->len;
    POV_TRY(send_out(writer));
    put_metadata_index(writer, offset, length, name);
    return pov_ok();
}

/* ---- the end ---- */

static void put_statistics(pov_mcap_writer *writer, buffer *to)
{
    size_t counted = 0;
    for (int i = 0; i < writer->channel_capacity; i++)
        counted += writer->channel[i].messages > 0;
    const size_t start = begin_record(writer, to, POV_MCAP_STATISTICS);
    put_number(writer, to, writer->messages, 8);
    put_number(writer, to, writer->schema_count, 2);
    put_number(writer, to, writer->channel_count, 4);
    put_number(writer, to, writer->attachment_count, 4);
    put_number(writer, to, writer->metadata_count, 4);
    put_number(writer, to, writer->chunk_count, 4);
    put_number(writer, to, (uint64_t)writer->first_ns, 8);
    put_number(writer, to, (uint64_t)writer->last_ns, 8);
    put_number(writer, to, 10 * counted, 4);
    for (int i = 0; i < writer->channel_capacity; i++)
        if (writer->channel[i].messages > 0) {
            put_number(writer, to, (uint64_t)i, 2);
            put_number(writer, to, writer->channel[i].messages, 8);
        }
    end_record(writer, to, start);
}

static void put_summary_offset(pov_mcap_writer *writer, pov_mcap_opcode opcode, uint64_t start,
                               uint64_t length)
{
    const size_t record = begin_record(writer, &writer->out, POV_MCAP_SUMMARY_OFFSET);
    put_number(writer, &writer->out, opcode, 1);
    put_number(writer, &writer->out, start, 8);
    put_number(writer, &writer->out, length, 8);
    end_record(writer, &writer->out, record);
}

/* To `out`: all from DataEnd on. */
static void put_ending(pov_mcap_writer *writer)
{
    buffer *out = &writer->out, statistics = {0};
    put_statistics(writer, &statistics);
    const struct {
        pov_mcap_opcode opcode;
        const buffer *bytes;
    } groups[] = {{POV_MCAP_SCHEMA, &writer->schemas},
                  {POV_MCAP_CHANNEL, &writer->channels},
                  {POV_MCAP_STATISTICS, &statistics},
                  {POV_MCAP_CHUNK_INDEX, &writer->chunk_indexes},
                  {POV_MCAP_ATTACHMENT_INDEX, &writer->attachment_indexes},
                  {POV_MCAP_METADATA_INDEX, &writer->metadata_indexes}};
    enum { GROUPS = sizeof groups / sizeof *groups };
    size_t record = begin_record(writer, out, POV_MCAP_DATA_END);
    put_number(writer, out, 0, 4); /* no checksum of all: chunks have theirs */
    end_record(writer, out, record);
    const size_t summary = out->len;
    uint64_t starts[GROUPS + 1];
    for (int i = 0; i < GROUPS; i++) {
        starts[i] = writer->offset + out->len;
        put_bytes(writer, out, groups[i].bytes->data, groups[i].bytes->len);
    }
    const uint64_t offsets = starts[GROUPS] = writer->offset + out->len;
    for (int i = 0; i < GROUPS; i++)
        if (starts[i + 1] > starts[i])
            put_summary_offset(writer, groups[i].opcode, starts[i], starts[i + 1] - starts[i]);
    record = begin_record(writer, out, POV_MCAP_FOOTER);
    put_number(writer, out, writer->offset + summary, 8);
    put_number(writer, out, offsets, 8);
    if (!writer->failed) /* the checksum covers the footer's own head */
        set_number(out->data + record + 1, POV_MCAP_FOOTER_BYTES, 8);
    put_number(writer, out, writer->failed ? 0 : crc32_z(0, out->data + summary, out->len - summary), 4);
    end_record(writer, out, record);
    put_bytes(writer, out, POV_MCAP_MAGIC, POV_MCAP_MAGIC_BYTES);
    free(statistics.data);
}

pov_status pov_mcap_writer_end(pov_mcap_writer *writer)
{
    const pov_status flushed = pov_mcap_writer_flush(writer);
    put_ending(writer);
    POV_TRY(send_out(writer));
    return flushed;
}

uint64_t pov_mcap_writer_bytes(const pov_mcap_writer *writer)
{
    return writer->offset;
}

uint64_t pov_mcap_writer_messages(const pov_mcap_writer *writer)
{
    return writer->messages;
}

uint64_t pov_mcap_writer_lost(const pov_mcap_writer *writer)
{
    return writer->lost;
}

/* ---- mending ---- */

static pov_status adopt_channels(pov_mcap_writer *writer, const pov_mcap_contents *contents)
{
    for (int i = 0; i < contents->schema_len; i++)
        put_schema(writer, &writer->schemas, &contents->schemas[i]);
    writer->schema_count = (uint32_t)contents->schema_len;
    for (int i = 0; i < contents->channel_len; i++) {
        put_channel(writer, &writer->channels, &contents->channels[i]);
        POV_TRY(know_channel(writer, contents->channels[i].id));
    }
    return pov_ok();
}

static void adopt_extras(pov_mcap_writer *writer, const pov_mcap_contents *contents)
{
    for (int i = 0; i < contents->attachment_len; i++) {
        const pov_mcap_extra *extra = &contents->attachments[i];
        put_attachment_index(writer, extra->offset, extra->length,
                             &(pov_mcap_attachment){.log_ns = extra->log_ns,
                                                    .create_ns = extra->create_ns,
                                                    .name = extra->name,
                                                    .media_type = extra->media_type,
                                                    .len = (size_t)extra->size});
    }
    for (int i = 0; i < contents->metadata_len; i++)
        put_metadata_index(writer, contents->metadata[i].offset, contents->metadata[i].length,
                           contents->metadata[i].name);
}

/* A chunk record's own head: sizes and the compression's name. */
typedef struct {
    uint64_t uncompressed, compressed;
    char compression[8];
} chunk_head;

static pov_status read_chunk_head(chunk_head *head, const pov_mcap_input *input, const pov_mcap_chunk *chunk)
{
    uint8_t bytes[POV_MCAP_RECORD_BYTES + 8 + 8 + 8 + 4 + 4 + 4 + 8]; /* the longest name has four letters */
    const size_t len = chunk->length < sizeof bytes ? (size_t)chunk->length : sizeof bytes;
    memset(bytes, 0, sizeof bytes);
    POV_TRY(input->read(input->context, bytes, chunk->offset, len));
    const uint8_t *at = bytes + POV_MCAP_RECORD_BYTES;
    const size_t name_len = (size_t)number_at(at + 28, 4);
    POV_REQUIRE(name_len <= 4); /* the reader has uncompressed it */
    memcpy(head->compression, at + 32, name_len);
    head->compression[name_len] = '\0';
    head->uncompressed = number_at(at + 16, 8);
    head->compressed = number_at(at + 32 + name_len, 8);
    return pov_ok();
}

/* The indexes of a whole chunk stand in the file as the writer would have put them, or are put again if it is the last. */
static pov_status adopt_chunk(pov_mcap_writer *writer, pov_mcap_reader *reader, const pov_mcap_chunk *chunk,
                              bool is_last)
{
    const pov_mcap_input *input = pov_mcap_reader_input(reader);
    const uint8_t *records;
    size_t len;
    chunk_head head;
    POV_TRY(read_chunk_head(&head, input, chunk));
    POV_TRY(pov_mcap_reader_records(reader, &records, &len, chunk));
    chunk_place place = {.offset = chunk->offset,
                         .length = chunk->length,
                         .indexes_offset = chunk->offset + chunk->length,
                         .compressed = head.compressed,
                         .uncompressed = head.uncompressed,
                         .facts = index_messages(writer, records, len),
                         .compression = head.compression};
    uint64_t wanted = 0;
    for (int i = 0; i < writer->channel_capacity; i++)
        if (writer->channel[i].index.len > 0)
            wanted += POV_MCAP_RECORD_BYTES + 2 + 4 + writer->channel[i].index.len;
    const bool has_all = chunk->index_length == wanted;
    if (has_all && chunk->mark_len > 0) {
        place.marks = pov_mcap_reader_contents(reader)->marks + chunk->mark_first;
        place.mark_len = chunk->mark_len;
    }
    if (!has_all && !is_last)
        return pov_error("%s: the chunk at byte %llu lacks message indexes, but is not the last: another "
                         "program wrote it, and must mend it ('mcap recover')",
                         input->name, (unsigned long long)chunk->offset);
    if (!has_all)
        put_message_indexes(writer);
    put_chunk_index(writer, &place);
    count_messages(writer, &place.facts);
    return pov_ok();
}

static pov_status adopt_all(pov_mcap_writer *writer, uint64_t *keep, pov_mcap_reader *reader)
{
    const pov_mcap_contents *contents = pov_mcap_reader_contents(reader);
    POV_TRY(adopt_channels(writer, contents));
    adopt_extras(writer, contents);
    for (int i = 0; i < contents->chunk_len; i++) {
        const pov_mcap_chunk *chunk = &contents->chunks[i];
        if (!chunk->is_loose && !chunk->is_damaged)
            POV_TRY(adopt_chunk(writer, reader, chunk,
                                chunk->offset + chunk->length + chunk->index_length == contents->good_bytes));
    }
    *keep = contents->good_bytes;
    if (writer->out.len > 0) { /* the last chunk's indexes again */
        const pov_mcap_chunk *last = &contents->chunks[contents->chunk_len - 1];
        *keep = last->offset + last->length;
    }
    writer->offset = *keep;
    put_ending(writer);
    return send_out(writer);
}

pov_status pov_mcap_repair(uint64_t *keep, pov_mcap_reader *reader, const pov_mcap_sink *sink)
{
    const pov_mcap_writer_config config = POV_MCAP_WRITER_DEFAULT;
    pov_mcap_writer *writer;
    if (pov_mcap_reader_contents(reader)->is_indexed)
        return pov_status_of(POV_END);
    POV_TRY(make_writer(&writer, sink, &config));
    const pov_status status = adopt_all(writer, keep, reader);
    pov_mcap_writer_destroy(&writer);
    return status;
}
