/** Withdrawal: removes all that a study holds of a participant, and searches every file for what might be left. */
#ifndef POV_FIRMWARE_STUDY_STUDY_FORGET_H
#define POV_FIRMWARE_STUDY_STUDY_FORGET_H

#include "compare/log/study_log.h"
#include "firmware/run/log_folder.h"

enum { POV_REMAINS_MAX = 16 };

/** What was removed, and the proof: how much was searched for how many words and hashes, and where one was found. */
typedef struct {
    pov_forgotten rows; /* its words are freed */
    bool was_there;     /* in the log */
    int files_removed;
    int words, files;
    int64_t bytes;
    int found_len;
    char found[POV_REMAINS_MAX][POV_LOG_PATH_CAPACITY]; /* files, relative to the folder */
} pov_withdrawal;

/** Removes a participant's rows and images, then searches all files in the folder: for the words and hashes that only the
 *  participant had, for the pseudonym, and for files that are one of the images. May be repeated. */
POV_MUST_USE pov_status pov_study_forget(pov_withdrawal *withdrawal, const pov_log_folder *folder,
                                         const char *participant);

#endif
