/** The facts that a report takes from logs besides answers. */
#ifndef POV_FIRMWARE_REPORT_REPORT_LOG_H
#define POV_FIRMWARE_REPORT_REPORT_LOG_H

#include "compare/log/answer_log.h"
#include "compare/report/report.h"

enum { POV_REPORT_LOG_FACTS = 8 };

typedef struct {
    pov_report_fact facts[POV_REPORT_LOG_FACTS];
    int facts_len;
    char simulated[400];  /* the station, models; "": nothing */
    pov_sheet *agreement; /* with the station and the truth */
} pov_report_log;

/** Over all logs: dates, calibrations, versions, pending and failed questions with causes, cost. On error nothing is
 *  left to free. */
POV_MUST_USE pov_status pov_report_log_read(pov_report_log *told, pov_answer_log *const *logs, int len);
void pov_report_log_free(pov_report_log *told);

#endif
