/* MCAP files of our own: written, read, cut anywhere, damaged anywhere, mended. tests/program/test_recording.py has other
 * programs read them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "protocol/recording/mcap_reader.h"
#include "protocol/recording/mcap_writer.h"
#include "tests/support/random.h"

#include <lz4frame.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { MESSAGES = 200, CHUNK_BYTES = 2000, FILE_MAX = 1 << 18 };

/* ---- files in memory ---- */

typedef struct {
    uint8_t bytes[FILE_MAX];
    size_t len;
    size_t room; /* a write beyond fails */
    bool dead;
} memory_file;

static memory_file file, other;

static pov_status write_memory(void *context, const void *bytes, size_t len)
{
    memory_file *to = context;
    if (to->len + len > to->room)
        return pov_error("the disk is full");
    memcpy(to->bytes + to->len, bytes, len);
    to->len += len;
    return pov_ok();
}

static pov_status read_memory(void *context, void *bytes, uint64_t at, size_t len)
{
    const memory_file *from = context;
    if (at > from->len || len > from->len - at)
        return pov_error("beyond the end");
    memcpy(bytes, from->bytes + at, len);
    return pov_ok();
}

static pov_mcap_input input_of(memory_file *from)
{
    return (pov_mcap_input){.name = "file.mcap", .context = from, .size = from->len, .read = read_memory};
}

/* ---- a file that a test knows ---- */

static uint8_t payload[500];

static pov_mcap_message message_of(int i)
{
    test_random random = {(uint64_t)i};
    const size_t len = test_random_u64(&random) % sizeof payload;
    for (size_t k = 0; k < len; k++)
        payload[k] = (uint8_t)(i + (int)k / 8);
    return (pov_mcap_message){.channel = (uint16_t)(1 + i % 3),
                              .sequence = (uint32_t)i,
                              .log_ns = 1000000 + 1000 * i,
                              .publish_ns = 7 * i,
                              .bytes = payload,
                              .len = len};
}

static void begin_file(pov_mcap_writer **writer, memory_file *to, pov_mcap_compression compression)
{
    pov_mcap_writer_config config = POV_MCAP_WRITER_DEFAULT;
    config.chunk_bytes = CHUNK_BYTES;
    config.compression = compression;
    to->len = 0;
    to->room = FILE_MAX;
    const pov_mcap_sink sink = {to, write_memory};
    assert_int_equal(pov_mcap_writer_new(writer, &sink, &config).code, POV_OK);
    const pov_mcap_schema schema = {1, "pov.Thing", "protobuf", (const uint8_t *)"\1\2\3", 3};
    assert_int_equal(pov_mcap_writer_schema(*writer, &schema).code, POV_OK);
    static const char *const topics[] = {"a", "b", "a/c"};
    for (int i = 0; i < 3; i++) {
        const pov_mcap_channel channel = {
            .id = (uint16_t)(i + 1), .schema = 1, .topic = topics[i], .encoding = "protobuf"};
        assert_int_equal(pov_mcap_writer_channel(*writer, &channel).code, POV_OK);
    }
    const pov_mcap_pair pairs[] = {{"version", "1.2"}, {"empty", ""}};
    assert_int_equal(pov_mcap_writer_metadata(*writer, "session", pairs, 2).code, POV_OK);
    const pov_mcap_attachment attachment = {5, 6, "station.yaml", "text/yaml", (const uint8_t *)"about: x\n",
                                            9};
    assert_int_equal(pov_mcap_writer_attachment(*writer, &attachment).code, POV_OK);
}

static void write_file(memory_file *to, pov_mcap_compression compression)
{
    pov_mcap_writer *writer;
    begin_file(&writer, to, compression);
    for (int i = 0; i < MESSAGES; i++) {
        const pov_mcap_message message = message_of(i);
        assert_int_equal(pov_mcap_writer_message(writer, &message).code, POV_OK);
    }
    assert_int_equal(pov_mcap_writer_end(writer).code, POV_OK);
    pov_mcap_writer_destroy(&writer);
}

/* Reads messages from `first` on; returns how many follow one another as they were written. */
static int read_messages(pov_mcap_reader *reader, int first)
{
    int i = first;
    pov_mcap_message message;
    pov_status status;
    while ((status = pov_mcap_reader_next(reader, &message)).code == POV_OK) {
        const pov_mcap_message wanted = message_of(i++);
        assert_int_equal(message.channel, wanted.channel);
        assert_int_equal(message.sequence, wanted.sequence);
        assert_int_equal(message.log_ns, wanted.log_ns);
        assert_int_equal(message.publish_ns, wanted.publish_ns);
        assert_int_equal(message.len, wanted.len);
        assert_memory_equal(message.bytes, wanted.bytes, wanted.len);
    }
    if (pov_mcap_reader_contents(reader)->is_cut) { /* told once */
        assert_int_equal(status.code, POV_SKIPPED);
        assert_non_null(strstr(status.message, "ends within a record"));
        status = pov_mcap_reader_next(reader, &message);
    }
    assert_int_equal(status.code, POV_END);
    return i - first;
}

static void check_extras(pov_mcap_reader *reader)
{
    pov_mcap_attachment attachment;
    const char *value;
    const pov_mcap_contents *contents = pov_mcap_reader_contents(reader);
    assert_int_equal(contents->attachment_len, 1);
    assert_int_equal(pov_mcap_reader_attachment(reader, &attachment, 0).code, POV_OK);
    assert_string_equal(attachment.name, "station.yaml");
    assert_int_equal(attachment.len, 9);
    assert_memory_equal(attachment.bytes, "about: x\n", 9);
    assert_int_equal(pov_mcap_reader_metadata(reader, &value, "session", "version").code, POV_OK);
    assert_string_equal(value, "1.2");
    assert_int_equal(pov_mcap_reader_metadata(reader, &value, "session", "none").code, POV_OK);
    assert_string_equal(value, "");
    assert_string_equal(pov_mcap_reader_schema(reader, 1)->name, "pov.Thing");
    assert_string_equal(pov_mcap_reader_channel(reader, 3)->topic, "a/c");
}

static pov_mcap_reader *open_file(memory_file *from)
{
    pov_mcap_reader *reader;
    const pov_mcap_input input = input_of(from);
    const pov_status status = pov_mcap_reader_new(&reader, &input);
    if (status.code != POV_OK)
        print_error("%s\n", status.message);
    assert_int_equal(status.code, POV_OK);
    return reader;
}

/* ---- tests ---- */

static void what_is_written_is_read(void **state)
{
    (void)state;
    for (int compression = POV_MCAP_PLAIN; compression <= POV_MCAP_ZSTD; compression++) {
        write_file(&file, (pov_mcap_compression)compression);
        pov_mcap_reader *reader = open_file(&file);
        const pov_mcap_contents *contents = pov_mcap_reader_contents(reader);
        assert_true(contents->is_indexed);
        assert_string_equal(contents->trouble, "");
        assert_int_equal(contents->messages, MESSAGES);
        assert_int_equal(contents->first_ns, 1000000);
        assert_int_equal(contents->last_ns, 1000000 + 1000 * (MESSAGES - 1));
        assert_int_equal(contents->channel_messages[0], 67);
        assert_true(contents->chunk_len > 10);
        assert_int_equal(read_messages(reader, 0), MESSAGES);
        check_extras(reader);
        for (int from = 0; from < MESSAGES; from += 7) {
            pov_mcap_reader_seek(reader, 1000000 + 1000 * from - 1);
            assert_int_equal(read_messages(reader, from), MESSAGES - from);
        }
        pov_mcap_reader_destroy(&reader);
    }
}

/* All messages of the chunks that are whole before `len`, by the index of the whole file. */
static int messages_before(const pov_mcap_contents *contents, size_t len)
{
    int64_t last_ns = 0;
    for (int i = 0; i < contents->chunk_len; i++)
        if (contents->chunks[i].offset + contents->chunks[i].length <= len)
            last_ns = contents->chunks[i].last_ns;
    return last_ns ? (int)(last_ns - 1000000) / 1000 + 1 : 0;
}

static void a_file_cut_anywhere_gives_every_whole_chunk_and_is_mended(void **state)
{
    (void)state;
    write_file(&file, POV_MCAP_ZSTD);
    pov_mcap_reader *whole = open_file(&file);
    const size_t size = file.len;
    int cut = 0;
    for (size_t len = 30; len < size; len += len < 700 || len + 900 > size ? 1 : 11) {
        memcpy(other.bytes, file.bytes, len);
        other.len = len;
        other.room = FILE_MAX;
        pov_mcap_reader *reader = open_file(&other);
        const int wanted = messages_before(pov_mcap_reader_contents(whole), len);
        assert_false(pov_mcap_reader_contents(reader)->is_indexed);
        assert_int_equal(pov_mcap_reader_contents(reader)->messages, wanted);
        if (pov_mcap_reader_contents(reader)->good_bytes < len)
            cut += pov_mcap_reader_contents(reader)->is_cut;
        else
            assert_false(pov_mcap_reader_contents(reader)->is_cut);
        assert_int_equal(read_messages(reader, 0), wanted);
        /* mend */
        static memory_file end;
        end.len = 0;
        end.room = FILE_MAX;
        uint64_t keep = 0;
        const pov_mcap_sink sink = {&end, write_memory};
        assert_int_equal(pov_mcap_repair(&keep, reader, &sink).code, POV_OK);
        pov_mcap_reader_destroy(&reader);
        assert_true(keep <= len);
        memcpy(other.bytes + keep, end.bytes, end.len);
        other.len = (size_t)keep + end.len;
        reader = open_file(&other);
        assert_true(pov_mcap_reader_contents(reader)->is_indexed);
        assert_int_equal(pov_mcap_reader_contents(reader)->messages, wanted);
        assert_int_equal(read_messages(reader, 0), wanted);
        if (wanted > 0)
            check_extras(reader);
        assert_int_equal(pov_mcap_repair(&keep, reader, &sink).code, POV_END);
        pov_mcap_reader_destroy(&reader);
    }
    assert_true(cut > 100);
    pov_mcap_reader_destroy(&whole);
}

/* A file that was cut after its last chunk and mended has the bytes that the writer gave it. */
static void a_mended_file_has_the_index_that_the_writer_makes(void **state)
{
    (void)state;
    write_file(&file, POV_MCAP_ZSTD);
    pov_mcap_reader *whole = open_file(&file);
    const pov_mcap_contents *contents = pov_mcap_reader_contents(whole);
    const pov_mcap_chunk *last = &contents->chunks[contents->chunk_len - 1];
    memcpy(other.bytes, file.bytes, (size_t)(last->offset + last->length) + 5);
    other.len = (size_t)(last->offset + last->length) + 5;
    other.room = FILE_MAX;
    pov_mcap_reader_destroy(&whole);
    pov_mcap_reader *reader = open_file(&other);
    uint64_t keep;
    static memory_file end;
    end.len = 0;
    end.room = FILE_MAX;
    const pov_mcap_sink sink = {&end, write_memory};
    assert_int_equal(pov_mcap_repair(&keep, reader, &sink).code, POV_OK);
    pov_mcap_reader_destroy(&reader);
    assert_int_equal(keep + end.len, file.len);
    assert_memory_equal(end.bytes, file.bytes + keep, end.len);
}

/* Every flipped byte of a chunk is found by its checksum, and named; the others are read. */
static void damage_costs_one_chunk_and_is_named(void **state)
{
    (void)state;
    write_file(&file, POV_MCAP_ZSTD);
    pov_mcap_reader *reader = open_file(&file);
    const pov_mcap_chunk chunk = pov_mcap_reader_contents(reader)->chunks[3];
    char place[40];
    snprintf(place, sizeof place, "byte %d", (int)chunk.offset);
    for (size_t i = 9 + 16; i < chunk.length; i += 3) {
        file.bytes[chunk.offset + i] ^= 0x41;
        pov_mcap_reader_seek(reader, INT64_MIN);
        pov_mcap_message message;
        int read = 0, skipped = 0;
        for (pov_status status; (status = pov_mcap_reader_next(reader, &message)).code != POV_END;) {
            read += status.code == POV_OK;
            skipped += status.code == POV_SKIPPED;
            assert_true(status.code == POV_OK || strstr(status.message, place));
        }
        assert_int_equal(skipped, 1);
        assert_true(read < MESSAGES && read > MESSAGES - 30);
        file.bytes[chunk.offset + i] ^= 0x41;
    }
    pov_mcap_reader_destroy(&reader);
}

static void a_damaged_index_is_named_and_not_needed(void **state)
{
    (void)state;
    write_file(&file, POV_MCAP_ZSTD);
    pov_mcap_reader *reader = open_file(&file);
    const pov_mcap_contents *contents = pov_mcap_reader_contents(reader);
    const pov_mcap_chunk *last = &contents->chunks[contents->chunk_len - 1];
    const size_t after = (size_t)(last->offset + last->length) + 3000;
    pov_mcap_reader_destroy(&reader);
    (void)after;
    for (size_t at = file.len - 400; at < file.len - 8; at++) {
        file.bytes[at] ^= 0x10;
        reader = open_file(&file);
        contents = pov_mcap_reader_contents(reader);
        assert_false(contents->is_indexed);
        assert_int_equal(read_messages(reader, 0), MESSAGES);
        pov_mcap_reader_destroy(&reader);
        file.bytes[at] ^= 0x10;
    }
    file.bytes[file.len - 200] ^= 1;
    reader = open_file(&file);
    assert_non_null(strstr(pov_mcap_reader_contents(reader)->trouble, "checksum of its index at byte"));
    pov_mcap_reader_destroy(&reader);
}

static void a_damaged_attachment_is_named(void **state)
{
    (void)state;
    write_file(&file, POV_MCAP_ZSTD);
    pov_mcap_reader *reader = open_file(&file);
    pov_mcap_attachment attachment;
    const pov_mcap_extra *extra = pov_mcap_reader_contents(reader)->attachments;
    file.bytes[extra->offset + extra->length - 6] ^= 1;
    const pov_status status = pov_mcap_reader_attachment(reader, &attachment, 0);
    assert_int_equal(status.code, POV_ERROR);
    assert_non_null(strstr(status.message, "station.yaml"));
    assert_null(attachment.bytes);
    pov_mcap_reader_destroy(&reader);
}

/* A disk that is full for a while costs the chunks of that time; the file is sound at every moment. */
static void a_full_disk_costs_chunks_and_nothing_else(void **state)
{
    (void)state;
    pov_mcap_writer *writer;
    begin_file(&writer, &file, POV_MCAP_ZSTD);
    uint64_t failed = 0;
    for (int i = 0; i < MESSAGES; i++) {
        const pov_mcap_message message = message_of(i);
        file.room = i < 80 || i > 120 ? FILE_MAX : file.len + 10;
        failed += pov_mcap_writer_message(writer, &message).code != POV_OK;
    }
    assert_true(failed > 2);
    assert_int_equal(pov_mcap_writer_end(writer).code, POV_OK);
    const uint64_t lost = pov_mcap_writer_lost(writer);
    assert_int_equal(pov_mcap_writer_messages(writer), MESSAGES - lost);
    assert_in_range(lost, 20, 80);
    pov_mcap_writer_destroy(&writer);
    pov_mcap_reader *reader = open_file(&file);
    pov_mcap_message message;
    uint64_t read = 0;
    while (pov_mcap_reader_next(reader, &message).code == POV_OK)
        read++;
    assert_int_equal(read, MESSAGES - lost);
    pov_mcap_reader_destroy(&reader);
}

static void times_that_run_back_are_held(void **state)
{
    (void)state;
    pov_mcap_writer *writer;
    begin_file(&writer, &file, POV_MCAP_PLAIN);
    for (int i = 0; i < 3; i++) {
        pov_mcap_message message = message_of(i);
        message.log_ns = i == 1 ? 5 : 1000;
        assert_int_equal(pov_mcap_writer_message(writer, &message).code, POV_OK);
    }
    assert_int_equal(pov_mcap_writer_end(writer).code, POV_OK);
    pov_mcap_writer_destroy(&writer);
    pov_mcap_reader *reader = open_file(&file);
    assert_int_equal(pov_mcap_reader_contents(reader)->first_ns, 1000);
    assert_int_equal(pov_mcap_reader_contents(reader)->last_ns, 1000);
    pov_mcap_reader_destroy(&reader);
}

/* ---- files of others ---- */

static void put(memory_file *to, const void *bytes, size_t len)
{
    memcpy(to->bytes + to->len, bytes, len);
    to->len += len;
}

static void put_number(memory_file *to, uint64_t value, int len)
{
    for (int i = 0; i < len; i++)
        to->bytes[to->len++] = (uint8_t)(value >> 8 * i);
}

static void put_text(memory_file *to, const char *text)
{
    put_number(to, strlen(text), 4);
    put(to, text, strlen(text));
}

/* Magic, header, a schema, a channel; then a chunk with one message, of any compression, size and checksum. No end. */
static void write_by_hand(const char *compression, const void *coded, size_t coded_len, uint64_t size,
                          uint32_t crc)
{
    file.len = 0;
    put(&file, "\x89MCAP0\r\n", 8);
    put_number(&file, 1, 1);
    put_number(&file, 8, 8);
    put_text(&file, "");
    put_text(&file, "");
    put_number(&file, 4, 1);
    put_number(&file, 2 + 2 + 4 + 1 + 4 + 4 + 4, 8);
    put_number(&file, 0, 2); /* channel 0, of no schema */
    put_number(&file, 0, 2);
    put_text(&file, "t");
    put_text(&file, "json");
    put_number(&file, 0, 4);
    put_number(&file, 6, 1);
    put_number(&file, 8 + 8 + 8 + 4 + 4 + strlen(compression) + 8 + coded_len, 8);
    put_number(&file, 9, 8);
    put_number(&file, 9, 8);
    put_number(&file, size, 8);
    put_number(&file, crc, 4);
    put_text(&file, compression);
    put_number(&file, coded_len, 8);
    put(&file, coded, coded_len);
}

static const uint8_t one_message[] = {5, 24, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0,   9,  0,
                                      0, 0,  0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, '{', '}'};

static void lz4_is_read(void **state)
{
    (void)state;
    uint8_t coded[200];
    const size_t len = LZ4F_compressFrame(coded, sizeof coded, one_message, sizeof one_message, NULL);
    write_by_hand("lz4", coded, len, sizeof one_message, (uint32_t)crc32(0, one_message, sizeof one_message));
    pov_mcap_reader *reader = open_file(&file);
    pov_mcap_message message;
    assert_int_equal(pov_mcap_reader_next(reader, &message).code, POV_OK);
    assert_int_equal(message.sequence, 3);
    assert_int_equal(message.len, 2);
    assert_memory_equal(message.bytes, "{}", 2);
    assert_int_equal(pov_mcap_reader_next(reader, &message).code, POV_END);
    pov_mcap_reader_destroy(&reader);
}

static void bombs_are_refused(void **state)
{
    (void)state;
    static uint8_t zeros[1 << 20], coded[2 << 20];
    const size_t len = LZ4F_compressFrame(coded, sizeof coded, zeros, sizeof zeros, NULL);
    const struct {
        const char *compression;
        size_t coded_len;
        uint64_t size;
        const char *complaint;
    } cases[] = {{"lz4", len, 1000, "more than the 1000 bytes"}, {"lz4", len, UINT64_C(1) << 40, "at most"},
                 {"lz4", len, 60 << 20, "instead of"},           {"zstd", len, 1000, "chunk"},
                 {"rar", len, 1000, "'rar' is not known"},       {"", len, 1000, "instead of"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_by_hand(cases[i].compression, coded, cases[i].coded_len, cases[i].size, 0);
        pov_mcap_reader *reader = open_file(&file);
        const pov_mcap_contents *contents = pov_mcap_reader_contents(reader);
        assert_int_equal(contents->damaged_chunks, 1);
        assert_non_null(strstr(contents->trouble, cases[i].complaint));
        pov_mcap_message message;
        assert_int_equal(pov_mcap_reader_next(reader, &message).code, POV_SKIPPED);
        assert_int_equal(pov_mcap_reader_next(reader, &message).code, POV_END);
        pov_mcap_reader_destroy(&reader);
    }
}

/* The limit is told in docs/RECORDING.md: 64 MiB and a hundred times the file's size. */
static void a_small_file_that_unpacks_to_very_much_is_refused(void **state)
{
    (void)state;
    uint8_t coded[200] = {0};
    write_by_hand("zstd", coded, sizeof coded, 0, 0);
    const uint64_t most = (UINT64_C(64) << 20) + 100 * file.len;
    for (int beyond = 0; beyond < 2; beyond++) {
        pov_mcap_reader *reader;
        write_by_hand("zstd", coded, sizeof coded, most + (uint64_t)beyond, 0);
        const pov_mcap_input input = input_of(&file);
        const pov_status status = pov_mcap_reader_new(&reader, &input);
        assert_int_equal(status.code, beyond ? POV_ERROR : POV_OK);
        if (beyond)
            assert_non_null(strstr(status.message, "file.mcap: promises"));
        pov_mcap_reader_destroy(&reader);
    }
}

static void messages_outside_chunks_are_read(void **state)
{
    (void)state;
    write_by_hand("", one_message, sizeof one_message, sizeof one_message, 0);
    put(&file, one_message, sizeof one_message);
    pov_mcap_reader *reader = open_file(&file);
    pov_mcap_message message;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pov_mcap_reader_next(reader, &message).code, POV_OK);
    assert_int_equal(message.sequence, 3);
    assert_int_equal(pov_mcap_reader_next(reader, &message).code, POV_END);
    pov_mcap_reader_destroy(&reader);
}

static void other_files_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "x", "\x89PNG\r\n\x1a\n............",
                                        "\x89MCAP0\r\n.............."};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        file.len = strlen(texts[i]);
        memcpy(file.bytes, texts[i], file.len);
        pov_mcap_reader *reader;
        const pov_mcap_input input = input_of(&file);
        const pov_status status = pov_mcap_reader_new(&reader, &input);
        assert_int_equal(status.code, POV_ERROR);
        assert_non_null(strstr(status.message, "is not a recording"));
        assert_null(reader);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(a_file_cut_anywhere_gives_every_whole_chunk_and_is_mended),
        cmocka_unit_test(a_mended_file_has_the_index_that_the_writer_makes),
        cmocka_unit_test(damage_costs_one_chunk_and_is_named),
        cmocka_unit_test(a_damaged_index_is_named_and_not_needed),
        cmocka_unit_test(a_damaged_attachment_is_named),
        cmocka_unit_test(a_full_disk_costs_chunks_and_nothing_else),
        cmocka_unit_test(times_that_run_back_are_held),
        cmocka_unit_test(lz4_is_read),
        cmocka_unit_test(bombs_are_refused),
        cmocka_unit_test(a_small_file_that_unpacks_to_very_much_is_refused),
        cmocka_unit_test(messages_outside_chunks_are_read),
        cmocka_unit_test(other_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
