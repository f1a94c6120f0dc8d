/** The facts that a report takes from logs besides answers. */
#pragma once

#include "compare/log/answer_log.h"
#include "compare/report/report.h"
#include "config/files/text.h"

enum { POV_REPORT_MODELS_MAX = 16, POV_REPORT_LOG_FACTS = 12 + POV_REPORT_MODELS_MAX };

typedef struct {
    pov_report_fact facts[POV_REPORT_LOG_FACTS];
    int facts_len;
    pov_text simulated; /* the station, models; "": nothing */
    bool adaptive;      /* some of the logs: questions were chosen by the answers */
    pov_sheet *sheet;   /* of all logs: where answers flip, agreement with the station and the truth */
} pov_report_log;

/** Over all logs: dates, calibrations, versions, pending and failed questions with causes, cost. On error nothing is
 *  left to free. */
POV_MUST_USE pov_status pov_report_log_read(pov_report_log *told, pov_answer_log *const *logs, int len);
void pov_report_log_free(pov_report_log *told);
