/** The files of a recording, one open at a time: their names, their beginnings and ends, and the count of what a full or
 *  failing disk lost. Used by one thread. */
#pragma once

#include "firmware/recording/recorder.h"
#include "protocol/recording/mcap_writer.h"

typedef struct pov_record_file pov_record_file;

typedef struct {
    uint64_t messages, bytes;                /* in ended files */
    uint64_t failed_images, failed_messages; /* in chunks that could not be written */
    int files;
    bool lacks_index; /* of any of them */
} pov_record_file_counts;

/** Makes the folder that config names, and reads the station's files, which each file gets as they are now; opens no file. The session's
 *  strings are borrowed. */
POV_MUST_USE pov_status pov_record_file_new(pov_record_file **file, const pov_record_config *config,
                                            const pov_record_session *session);
/** Closes a file that was not ended as it is: without an index. */
void pov_record_file_destroy(pov_record_file **file);

/** Makes the next file, with the session and the station's files, and removes old ones of the folder.
 *  In:      why: the cause of a black box; "": all is recorded.
 *  Returns: POV_ERROR if the path is taken or cannot be written; no file is open. */
POV_MUST_USE pov_status pov_record_file_begin(pov_record_file *file, const char *why);
bool pov_record_file_is_open(const pov_record_file *file);
/** The next three need an open file. */
void pov_record_file_add(pov_record_file *file, const pov_mcap_message *message);
/** Writes and syncs all that was added: it is then safe from kill -9 and a power cut. */
void pov_record_file_flush(pov_record_file *file);
/** Writes the index, syncs and closes. */
void pov_record_file_end(pov_record_file *file);

/** Whether it is as large as the configuration's split_mb. */
bool pov_record_file_is_large(const pov_record_file *file);
/** Whether a write failed a moment ago: the little that fits is then for messages. */
bool pov_record_file_is_starved(const pov_record_file *file);
void pov_record_file_remove_last(const pov_record_file *file);

/** The path of the file that was begun last; "": none. */
const char *pov_record_file_path(const pov_record_file *file);
pov_record_file_counts pov_record_file_count(const pov_record_file *file);
/** News of the disk for people: true once for each. */
bool pov_record_file_news(pov_record_file *file, char text[POV_MESSAGE_CAPACITY]);
