/** What a report and a card read: logs of sweeps, files of answers, and folders of those; scored, the files of one paper together. */
#pragma once

#include "firmware/report/answers_options.h"
#include "firmware/report/report_log.h"
#include "firmware/thread_pool.h"

enum { POV_REPORT_LOGS_AT_ONCE = 8 /* at most; their rows are in memory; chosen */ };

typedef struct {
    pov_answers *answers; /* of each section */
    int len, capacity;
    char **paths; /* of all files */
    int paths_len, paths_capacity;
    const char **waiting;                    /* logs to be read */
    int waiting_len, waiting_capacity, logs; /* logs: that were read */
    pov_report_sums *sums;
    pov_thread_pool *pool;
    bool apart;
    pov_report_log told; /* by the logs, if there are any */
} pov_report_reading;

/** apart: a section for each file of a paper. */
POV_MUST_USE pov_status pov_report_reading_new(pov_report_reading **reading, bool apart);
void pov_report_reading_destroy(pov_report_reading **reading);
/** Reads and scores all that is named; `told` is filled if there are logs. */
POV_MUST_USE pov_status pov_report_reading_read(pov_report_reading *f, char **arguments, int len,
                                                const pov_answers_options *scoring);
