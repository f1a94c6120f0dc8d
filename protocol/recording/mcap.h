/** MCAP, the container of recordings (mcap.dev/spec): what writer and reader share. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Kinds of records: the first byte of each. */
typedef enum {
    POV_MCAP_HEADER = 1,
    POV_MCAP_FOOTER,
    POV_MCAP_SCHEMA,
    POV_MCAP_CHANNEL,
    POV_MCAP_MESSAGE,
    POV_MCAP_CHUNK,
    POV_MCAP_MESSAGE_INDEX,
    POV_MCAP_CHUNK_INDEX,
    POV_MCAP_ATTACHMENT,
    POV_MCAP_ATTACHMENT_INDEX,
    POV_MCAP_STATISTICS,
    POV_MCAP_METADATA,
    POV_MCAP_METADATA_INDEX,
    POV_MCAP_SUMMARY_OFFSET,
    POV_MCAP_DATA_END
} pov_mcap_opcode;

enum {
    POV_MCAP_MAGIC_BYTES = 8,
    POV_MCAP_RECORD_BYTES = 9,   /* before a record's content: opcode, length */
    POV_MCAP_MESSAGE_BYTES = 22, /* before a message's payload */
    POV_MCAP_FOOTER_BYTES = 20,
    /* Limits of files that are read, chosen: a chunk holds at least one coded image, of 256 MiB at most. */
    POV_MCAP_CHUNK_BYTES_MAX = 272 << 20, /* uncompressed: what a chunk promises beyond is refused */
    POV_MCAP_RECORD_BYTES_MAX = 272 << 20,
    POV_MCAP_SUMMARY_BYTES_MAX = 256 << 20,
    /* All chunks together, uncompressed: so many times the file's size, and some more for small files. Recordings of a table on which
     * nothing happens, without images, unpack to twenty times their size (measured); images hardly shrink. */
    POV_MCAP_UNPACKED_TIMES_MAX = 100,
    POV_MCAP_UNPACKED_BYTES_FREE = 64 << 20
};
#define POV_MCAP_MAGIC "\x89MCAP0\r\n"

typedef struct {
    uint16_t id; /* never 0 */
    const char *name, *encoding;
    const uint8_t *data;
    size_t len;
} pov_mcap_schema;

typedef struct {
    uint16_t id, schema; /* schema 0: none */
    const char *topic, *encoding;
    const char *key, *value; /* to be written: its metadata; NULL: none */
} pov_mcap_channel;

typedef struct {
    uint16_t channel;
    uint32_t sequence;
    int64_t log_ns, publish_ns;
    const uint8_t *bytes;
    size_t len;
    bool is_coded; /* to be written: an image, which does not shrink */
} pov_mcap_message;

typedef struct {
    int64_t log_ns, create_ns; /* create_ns 0: not known */
    const char *name, *media_type;
    const uint8_t *bytes;
    size_t len;
} pov_mcap_attachment;

typedef struct {
    const char *key, *value;
} pov_mcap_pair;
