/** Reads MCAP files, also those of others, those whose end is missing, and damaged ones: memory is bounded whatever the file
 *  says (mcap.h has the limits), and every checksum that is given is compared. */
#pragma once

#include "perception/status.h"
#include "protocol/recording/mcap.h"

#include <stdbool.h>

/** Bytes to read from. `read` fills all of `bytes`, or fails. */
typedef struct {
    const char *name; /* stands for the path in messages */
    void *context;
    uint64_t size;
    pov_status (*read)(void *context, void *bytes, uint64_t at, size_t len);
} pov_mcap_input;

/** A chunk, or a message outside chunks. */
typedef struct {
    uint64_t offset, length; /* of the record */
    uint64_t size;           /* of its records, uncompressed, as promised */
    int64_t first_ns, last_ns;
    bool is_loose, is_damaged;
    uint64_t index_length; /* of the message indexes after it; scanned files only, as the next two */
    int mark_first, mark_len;
} pov_mcap_chunk;

/** The message index of a channel in a chunk. */
typedef struct {
    uint16_t channel;
    uint64_t offset;
} pov_mcap_mark;

/** An attachment or metadata. */
typedef struct {
    uint64_t offset, length, size; /* size: of an attachment's data */
    int64_t log_ns, create_ns;
    const char *name, *media_type;
} pov_mcap_extra;

/** The contents of a file. */
typedef struct {
    const char *profile, *library;
    int schema_len, channel_len, chunk_len, mark_len, attachment_len, metadata_len;
    pov_mcap_schema *schemas;
    pov_mcap_channel *channels;
    uint64_t *channel_messages; /* by channel's place in `channels` */
    pov_mcap_chunk *chunks;
    pov_mcap_mark *marks;
    pov_mcap_extra *attachments, *metadata;
    uint64_t messages;
    int64_t first_ns, last_ns; /* of all messages; 0: there are none */
    bool is_indexed;           /* false: its index is missing or damaged, and all records were looked at */
    uint64_t good_bytes;       /* not indexed: up to the end of the last whole record */
    bool is_cut;               /* not indexed: what follows good_bytes is not a whole record */
    uint64_t unpacked_bytes;   /* of all chunks, as promised */
    int damaged_chunks;
    char trouble[POV_MESSAGE_CAPACITY]; /* why the index was not used, or the first damage; "": none */
} pov_mcap_contents;

typedef struct pov_mcap_reader pov_mcap_reader;

/** Reads the index; without one, all records.
 *  Returns: POV_OK, also of a file that ends in the middle; POV_ERROR if it is no MCAP file, cannot be read, or wants more memory or
 *  work than the limits. The input is borrowed. */
POV_MUST_USE pov_status pov_mcap_reader_new(pov_mcap_reader **reader, const pov_mcap_input *input);
void pov_mcap_reader_destroy(pov_mcap_reader **reader);

const pov_mcap_contents *pov_mcap_reader_contents(const pov_mcap_reader *reader);
const pov_mcap_input *pov_mcap_reader_input(const pov_mcap_reader *reader);
/** NULL: there is none of this id. */
const pov_mcap_channel *pov_mcap_reader_channel(const pov_mcap_reader *reader, uint16_t id);
const pov_mcap_schema *pov_mcap_reader_schema(const pov_mcap_reader *reader, uint16_t id);

/** The next message, in the order of the file; its bytes are borrowed until the next call.
 *  Returns: POV_OK; POV_END; POV_SKIPPED: a chunk is damaged, or the file ends within a record: the message names the place, and the
 *  next call goes on after it; POV_ERROR: the file cannot be read. */
POV_MUST_USE pov_status pov_mcap_reader_next(pov_mcap_reader *reader, pov_mcap_message *message);
/** Goes to the first message at or after this time; later ones of an unordered file may come before it. */
void pov_mcap_reader_seek(pov_mcap_reader *reader, int64_t log_ns);

/** The i-th attachment; borrowed until the next call of any of these. */
POV_MUST_USE pov_status pov_mcap_reader_attachment(pov_mcap_reader *reader, pov_mcap_attachment *attachment,
                                                   int i);
/** The value of a key of the metadata of this name: the last, if several; "" if there is none. Borrowed as above. */
POV_MUST_USE pov_status pov_mcap_reader_metadata(pov_mcap_reader *reader, const char **value,
                                                 const char *name, const char *key);

/** A chunk's records, checked and uncompressed; borrowed until the next call. */
POV_MUST_USE pov_status pov_mcap_reader_records(pov_mcap_reader *reader, const uint8_t **records, size_t *len,
                                                const pov_mcap_chunk *chunk);
