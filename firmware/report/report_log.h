/** The facts that a report takes from logs besides answers. */
#pragma once

#include "compare/log/answer_log.h"
#include "compare/report/report.h"
#include "config/files/text.h"
#include "perception/tasks.h"

struct cJSON;

enum { POV_REPORT_MODELS_MAX = 16, POV_REPORT_LOG_FACTS = 12 + POV_REPORT_MODELS_MAX };

typedef struct {
    pov_report_fact facts[POV_REPORT_LOG_FACTS];
    int facts_len;
    pov_text simulated; /* the station, models; "": nothing */
    bool adaptive;      /* some of the logs: questions were chosen by the answers */
    pov_sheet *sheet;   /* of all logs: where answers flip, agreement with the station and the truth */
} pov_report_log;

/** Of one log, or of several: dates, calibrations, versions, pending and failed questions with causes, cost, flips, agreement. */
typedef struct pov_report_sums pov_report_sums;

pov_report_sums *pov_report_sums_new(void);
void pov_report_sums_destroy(pov_report_sums **sums);
/** The log's last run, once. */
POV_MUST_USE pov_status pov_report_sums_add_run(pov_report_sums *sums, pov_answer_log *log);
/** A row of it; scene: as pov_agreement_add; columns: the question's, parsed. */
void pov_report_sums_add(pov_report_sums *sums, const pov_answer_row *row, const char *scene,
                         const struct cJSON *columns);
/** True if a released set's validators, or people, have voted on its captions: there is something to report without a model. */
bool pov_report_sums_has_votes(const pov_report_sums *sums);
/** Adds what another has, as if its log had come next. */
void pov_report_sums_join(pov_report_sums *to, const pov_report_sums *from);
/** In words. POV_ERROR: a log is a copy of another; nothing is left to free then. */
POV_MUST_USE pov_status pov_report_sums_tell(const pov_report_sums *sums, pov_report_log *told,
                                             const pov_workers *workers);
void pov_report_log_free(pov_report_log *told);
