/** Joins the logs of shards: images, questions and answers of several processes, as if one process had written them. */
#pragma once

#include "compare/log/answer_log.h"

/** Counts of the rows that another log added. */
typedef struct {
    int64_t images, questions, results; /* new in the log */
    int64_t doubled;                    /* images that it had already, the same in all that was judged */
} pov_log_merged;

/** Images by their order of stops; len -1: all. */
typedef struct {
    int64_t first, len;
} pov_log_part;

/** Adds the images, questions, models and results of the log at `path`, all or nothing. An image has its place on a curve only if none before it
 *  has that. If a question has two counted results, the first stays counted. The same logs in the same order make the same rows.
 *  Returns: POV_ERROR if the other is damaged, of another configuration or version of pov, or has another image at the same stop. */
POV_MUST_USE pov_status pov_answer_log_merge(pov_answer_log *log, pov_log_merged *merged, const char *path,
                                             pov_log_part part);

/** The place of a shard among others. */
typedef struct {
    int64_t first_stop, images;       /* -1: no image */
    char digest[POV_DIGEST_CAPACITY]; /* of the checksums of all rows */
    char config_hash[POV_DIGEST_CAPACITY];
} pov_log_survey;
/** Returns: POV_ERROR also if the log is damaged, or holds no run. */
POV_MUST_USE pov_status pov_answer_log_survey(pov_log_survey *survey, const char *path);
