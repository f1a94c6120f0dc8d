/** What the log's own sources share. */
#ifndef POV_COMPARE_LOG_ANSWER_LOG_INTERNAL_H
#define POV_COMPARE_LOG_ANSWER_LOG_INTERNAL_H

#include "compare/log/answer_log.h"

#include <sqlite3.h>

/* Statements that are kept prepared. */
typedef enum {
    LOG_ADD_RUN,
    LOG_LAST_RUN,
    LOG_ADD_IMAGE,
    LOG_ADD_QUESTION,
    LOG_ADD_MODEL,
    LOG_FIND_MODEL,
    LOG_PENDING,
    LOG_IS_ANSWERED,
    LOG_ADD_RESULT,
    LOG_REOPEN,
    LOG_COUNT,
    LOG_COUNT_IMAGES,
    LOG_CAUSES,
    LOG_UNSCORED,
    LOG_IMAGE,
    LOG_STATEMENTS
} log_statement;

struct pov_answer_log {
    sqlite3 *db;
    char *path;
    sqlite3_stmt *statements[LOG_STATEMENTS];
};

/* What SQLite has to complain of, with the path and what to do. */
pov_status pov_log_complaint(const pov_answer_log *log, const char *what);

/* A text column, NULL if it is; borrowed from the statement. */
const char *pov_log_text(sqlite3_stmt *statement, int column);
/* A number, NaN if it is NULL. */
double pov_log_number(sqlite3_stmt *statement, int column);

/* Of questions `q`: what pov_log_read_question reads from column `first` on, borrowed from the statement. */
#define LOG_QUESTION_COLUMNS                                                                                 \
    "q.id, q.image, q.key, q.paper, q.prompt, q.system, q.language, q.form, q.gold, q.gold_p, q.truth,"      \
    " q.golds, q.columns, q.token_max"
void pov_log_read_question(pov_log_question *question, sqlite3_stmt *statement, int first);

/* Opens the file and sees to its being a log of this version. compare/log/answer_log_schema.c */
POV_MUST_USE pov_status pov_log_open(pov_answer_log *log, pov_log_opening opening);

#endif
