/** The folder of a sweep or a study: its log, the images, and a lock, so that two programs do not do the same work. */
#pragma once

#include "compare/log/log_checks.h"
#include "config/files/digest.h"
#include "config/files/read_file.h"
#include "perception/image/image.h"
#include "perception/status.h"

enum { POV_LOG_PATH_CAPACITY = 1200 };
#define POV_LOG_NAME "log.sqlite"

typedef struct {
    char path[POV_LOG_PATH_CAPACITY], log_path[POV_LOG_PATH_CAPACITY + 16];
    int lock;    /* a file descriptor */
    bool is_new; /* it was not there before */
} pov_log_folder;

/** Opens a folder, or the one in which a log lies, and locks it. `make`: it may be new; `maker`: the command that makes it.
 *  Returns: POV_ERROR if it is not there, cannot be written, or another pov is at work in it. */
POV_MUST_USE pov_status pov_log_folder_open(pov_log_folder *folder, const char *path, const char *maker,
                                            bool make);
void pov_log_folder_close(pov_log_folder *folder);
/** After a failure, the log being closed: removes a folder that is new and whose log holds no question, so that nothing is left. */
void pov_log_folder_close_failed(pov_log_folder *folder);

/** The log that a path names: itself, or that of a folder. In: path: at most POV_LOG_PATH_CAPACITY - 1 bytes count. */
void pov_log_folder_path(char log_path[POV_LOG_PATH_CAPACITY + 16], const char *path);
/** POV_ERROR that tells which rows of a log that is only read are damaged. */
POV_MUST_USE pov_status pov_log_folder_damage(const char *log_path, const pov_log_damage *damage);
/** Warns of them. */
void pov_log_folder_warn(const char *log_path, const pov_log_damage *damage);
/** Whether a file is SQLite's, as logs are. */
bool pov_log_folder_is_log(const char *path);

/** An image that has been stored. */
typedef struct {
    char path[128]; /* relative to the folder */
    char sha256[POV_DIGEST_CAPACITY];
    pov_bytes bytes; /* of the file; start from {0}, free with pov_bytes_free */
} pov_stored_image;

/** Writes an image to the disk as images/NAME.png, in place of one that may be there. */
POV_MUST_USE pov_status pov_log_folder_store(const pov_log_folder *folder, pov_stored_image *stored,
                                             const pov_image *image, const char *name);

/** Reads a stored image's file. Logs may come from someone else: the file must lie within the folder, and be what was stored.
 *  Returns: POV_ERROR that says which of the two does not hold, or that the file is not there. */
POV_MUST_USE pov_status pov_log_folder_load(pov_bytes *bytes, const char *folder, const char *path,
                                            const char *sha256);

/** Appends lines that a simulated VLM answers from (compare/vlm/vlm_truth.h). */
POV_MUST_USE pov_status pov_log_folder_append_truth(const pov_log_folder *folder, const char *lines);
