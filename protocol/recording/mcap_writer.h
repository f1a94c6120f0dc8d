/** Writes MCAP files: chunks with indexes and checksums, attachments, metadata, a summary. Never seeks back. */
#pragma once

#include "perception/status.h"
#include "protocol/recording/mcap.h"

typedef enum { POV_MCAP_PLAIN, POV_MCAP_ZSTD } pov_mcap_compression;

/** The destination of bytes. `write` writes all of them, or none and says why: the file then is as it was before. */
typedef struct {
    void *context;
    pov_status (*write)(void *context, const void *bytes, size_t len);
} pov_mcap_sink;

typedef struct {
    const char *profile, *library;
    size_t chunk_bytes; /* a chunk that has so many is ended */
    pov_mcap_compression compression;
} pov_mcap_writer_config;
#define POV_MCAP_WRITER_DEFAULT                                                                              \
    {                                                                                                        \
        .profile = "", .library = "pov", .chunk_bytes = 1 << 20, .compression = POV_MCAP_ZSTD                \
    }

typedef struct pov_mcap_writer pov_mcap_writer;

/** Starts a file. Each function below that writes may fail as the sink does: what it was to write is then lost, the file is
 *  still sound, and later calls may succeed. */
POV_MUST_USE pov_status pov_mcap_writer_new(pov_mcap_writer **writer, const pov_mcap_sink *sink,
                                            const pov_mcap_writer_config *config);
/** Without pov_mcap_writer_end the file stays without an index. */
void pov_mcap_writer_destroy(pov_mcap_writer **writer);

/** Schemas and channels are written at once, before the chunk that is being filled. Ids must be new. */
POV_MUST_USE pov_status pov_mcap_writer_schema(pov_mcap_writer *writer, const pov_mcap_schema *schema);
POV_MUST_USE pov_status pov_mcap_writer_channel(pov_mcap_writer *writer, const pov_mcap_channel *channel);

/** Adds to the chunk. The channel must have been written; a log_ns before the last one's becomes the last one's. */
POV_MUST_USE pov_status pov_mcap_writer_message(pov_mcap_writer *writer, const pov_mcap_message *message);
/** Writes the chunk, if it holds anything. */
POV_MUST_USE pov_status pov_mcap_writer_flush(pov_mcap_writer *writer);

POV_MUST_USE pov_status pov_mcap_writer_attachment(pov_mcap_writer *writer,
                                                   const pov_mcap_attachment *attachment);
POV_MUST_USE pov_status pov_mcap_writer_metadata(pov_mcap_writer *writer, const char *name,
                                                 const pov_mcap_pair *pairs, int pair_len);

/** Writes chunk, summary and footer. */
POV_MUST_USE pov_status pov_mcap_writer_end(pov_mcap_writer *writer);

/** Bytes that are written, and messages in them; messages of chunks that could not be written. */
uint64_t pov_mcap_writer_bytes(const pov_mcap_writer *writer);
uint64_t pov_mcap_writer_messages(const pov_mcap_writer *writer);
uint64_t pov_mcap_writer_lost(const pov_mcap_writer *writer);

struct pov_mcap_reader;
/** Mends a file that ends in the middle: cut it after *keep bytes and append what `sink` gets, which is its index. Messages that
 *  the reader delivers are those of the mended file.
 *  Returns: POV_OK; POV_END if its index is there; POV_ERROR. `keep` is set before the first call of the sink. */
POV_MUST_USE pov_status pov_mcap_repair(uint64_t *keep, struct pov_mcap_reader *reader,
                                        const pov_mcap_sink *sink);
