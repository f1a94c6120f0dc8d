/* Any bytes as a recording: read, and mended if their end is missing; the mended file is sound. */
#include "protocol/recording/mcap_reader.h"
#include "protocol/recording/mcap_writer.h"
#include "tests/fuzz/formats/parts.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    uint8_t *bytes;
    size_t len;
} memory;

static pov_status read_memory(void *context, void *bytes, uint64_t at, size_t len)
{
    const memory *from = context;
    if (at > from->len || len > from->len - at)
        return pov_error("beyond the end");
    memcpy(bytes, from->bytes + at, len);
    return pov_ok();
}

static pov_status append_memory(void *context, const void *bytes, size_t len)
{
    memory *to = context;
    to->bytes = realloc(to->bytes, to->len + len);
    memcpy(to->bytes + to->len, bytes, len);
    to->len += len;
    return pov_ok();
}

static uint64_t walk(pov_mcap_reader *reader)
{
    volatile uint8_t sum = 0;
    uint64_t messages = 0;
    pov_mcap_message message;
    for (pov_status status;
         (status = pov_mcap_reader_next(reader, &message)).code == POV_OK || status.code == POV_SKIPPED;) {
        messages += status.code == POV_OK;
        for (size_t i = 0; i < message.len; i++)
            sum = (uint8_t)(sum + message.bytes[i]);
    }
    return messages;
}

static void walk_extras(pov_mcap_reader *reader)
{
    const pov_mcap_contents *contents = pov_mcap_reader_contents(reader);
    const char *value;
    pov_mcap_attachment attachment;
    for (int i = 0; i < contents->attachment_len; i++)
        (void)pov_mcap_reader_attachment(reader, &attachment, i).code;
    (void)pov_mcap_reader_metadata(reader, &value, "session", "version").code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t length, size_t capacity, unsigned seed)
{
    return fuzz_mutate_mcap(bytes, length, capacity, seed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    memory file = {malloc(size + 1), size}, end = {NULL, 0};
    memcpy(file.bytes, data, size);
    const pov_mcap_input input = {"file", &file, size, read_memory};
    pov_mcap_reader *reader;
    if (pov_mcap_reader_new(&reader, &input).code == POV_OK) {
        const uint64_t messages = walk(reader);
        walk_extras(reader);
        pov_mcap_reader_seek(reader, 1000);
        walk(reader);
        const pov_mcap_sink sink = {&end, append_memory};
        uint64_t keep = 0;
        const bool mended = pov_mcap_repair(&keep, reader, &sink).code == POV_OK;
        const bool loose = pov_mcap_reader_contents(reader)->damaged_chunks > 0;
        bool any_loose = loose;
        for (int i = 0; i < pov_mcap_reader_contents(reader)->chunk_len; i++)
            any_loose |= pov_mcap_reader_contents(reader)->chunks[i].is_loose;
        pov_mcap_reader_destroy(&reader);
        if (mended && keep <= size) {
            file.len = (size_t)keep;
            (void)append_memory(&file, end.bytes, end.len).code;
            const pov_mcap_input again = {"mended", &file, file.len, read_memory};
            if (pov_mcap_reader_new(&reader, &again).code != POV_OK)
                abort();
            if (!any_loose && (!pov_mcap_reader_contents(reader)->is_indexed || walk(reader) != messages))
                abort();
            pov_mcap_reader_destroy(&reader);
        }
    }
    free(file.bytes);
    free(end.bytes);
    return 0;
}
