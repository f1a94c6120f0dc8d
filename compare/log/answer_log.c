#include "compare/log/answer_log_internal.h"

#include "config/files/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OUTSIDE_TEXT_MAX = 8192 };

/* One counted result at most for a question and model: the index counted_results sees to it. */
static const char *const sql[LOG_STATEMENTS] = {
    [LOG_ADD_RUN] = "INSERT INTO runs (started_ns, version, config, config_hash, seed, simulated)"
                    " VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    [LOG_LAST_RUN] = "SELECT id, started_ns, version, config, config_hash, seed, simulated FROM runs"
                     " ORDER BY id DESC LIMIT 1",
    [LOG_ADD_IMAGE] = "INSERT INTO images (run, stop, turn_deg, phi_deg, curve_deg, sha256, name, path,"
                      " capture_ns, calibration_hash, evidence, truth)"
                      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
    [LOG_ADD_QUESTION] = "INSERT INTO questions (image, key, paper, prompt, system, language, form, gold, "
                         "gold_p, truth, golds,"
                         " columns, token_max) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, "
                         "?13) ON CONFLICT (image, key) DO NOTHING",
    [LOG_ADD_MODEL] = "INSERT INTO models (name, settings) VALUES (?1, ?2)"
                      " ON CONFLICT (name, settings) DO NOTHING",
    [LOG_FIND_MODEL] = "SELECT id FROM models WHERE name = ?1 AND settings = ?2",
    [LOG_PENDING] = "SELECT " LOG_QUESTION_COLUMNS ", i.path FROM questions q JOIN "
                    "images i ON i.id = q.image"
                    " WHERE q.id > ?2 AND NOT EXISTS (SELECT 1 FROM results r WHERE r.question = q.id AND"
                    " r.model = ?1 AND r.counted) ORDER BY q.id LIMIT 1",
    [LOG_IS_ANSWERED] = "SELECT 1 FROM results WHERE question = ?1 AND model = ?2 AND counted",
    [LOG_ADD_RESULT] =
        "INSERT INTO results (question, model, counted, answered_ns, outcome, kind, cause, p, mass, text, "
        "body,"
        " endpoint, attempts, http_status, latency_ns, prompt_tokens, answer_tokens, cost)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)",
    [LOG_REOPEN] = "UPDATE results SET counted = 0 WHERE counted AND outcome != 'answered' AND model = ?1",
    [LOG_COUNT] = "SELECT (SELECT count(*) FROM questions), count(*),"
                  " coalesce(sum(outcome != 'answered'), 0),"
                  " coalesce(sum(outcome = 'answered' AND kind IN ('low_mass', 'unclear', 'missing')), 0),"
                  " (SELECT coalesce(sum(cost), 0) FROM results WHERE model = ?1)"
                  " FROM results WHERE counted AND model = ?1",
    [LOG_COUNT_IMAGES] = "SELECT count(*) FROM images",
    [LOG_CAUSES] = "SELECT count(*), outcome, cause FROM results WHERE counted AND outcome != 'answered'"
                   " AND model = ?1 GROUP BY outcome, cause ORDER BY 1 DESC, 2, 3",
    [LOG_UNSCORED] =
        "SELECT count(*), kind, min(cause) FROM results WHERE counted AND outcome = 'answered'"
        " AND kind IN ('low_mass', 'unclear', 'missing') AND model = ?1 GROUP BY kind ORDER BY 1 DESC, 2",
    [LOG_IMAGE] = "SELECT id, run, stop, turn_deg, phi_deg, curve_deg, sha256, name, path, capture_ns,"
                  " calibration_hash, evidence, truth FROM images WHERE id > ?1 ORDER BY id LIMIT 1",
};

/* ---- statements ---- */

const char *pov_log_text(sqlite3_stmt *statement, int column)
{
    return (const char *)sqlite3_column_text(statement, column);
}

double pov_log_number(sqlite3_stmt *statement, int column)
{
    return sqlite3_column_type(statement, column) == SQLITE_NULL ? NAN
                                                                 : sqlite3_column_double(statement, column);
}

/* A statement that still holds a row holds the log as it was then, too, and nothing could be written. */
static void let_go(pov_answer_log *log)
{
    for (int i = 0; i < LOG_STATEMENTS; i++)
        sqlite3_reset(log->statements[i]);
}

/* Binds columns one after the other; what fails shows when the statement is stepped. */
typedef struct {
    sqlite3_stmt *statement;
    int column;
} binder;

static binder start(pov_answer_log *log, log_statement which)
{
    let_go(log);
    sqlite3_clear_bindings(log->statements[which]);
    return (binder){log->statements[which], 0};
}

static void bind_text(binder *b, const char *text)
{
    sqlite3_bind_text(b->statement, ++b->column, text, -1, SQLITE_STATIC);
}

/* What a server sent may be anything; other programs expect UTF-8. The body is there as it came. */
static void bind_outside_text(binder *b, const char *text)
{
    char clean[OUTSIDE_TEXT_MAX];
    if (!text) {
        bind_text(b, NULL);
        return;
    }
    pov_utf8_copy(clean, sizeof clean, text);
    sqlite3_bind_text(b->statement, ++b->column, clean, -1, SQLITE_TRANSIENT);
}

static void bind_integer(binder *b, int64_t integer)
{
    sqlite3_bind_int64(b->statement, ++b->column, integer);
}

static void bind_number(binder *b, double number) /* NaN becomes NULL */
{
    sqlite3_bind_double(b->statement, ++b->column, number);
}

static pov_status run_statement(const pov_answer_log *log, const binder *b)
{
    const int code = sqlite3_step(b->statement);
    const pov_status status = code == SQLITE_DONE ? pov_ok() : pov_log_complaint(log, "cannot be written");
    sqlite3_reset(b->statement);
    return status;
}

/* A row, or POV_END; it lasts until the statement is started again. */
static pov_status fetch(const pov_answer_log *log, const binder *b)
{
    const int code = sqlite3_step(b->statement);
    if (code == SQLITE_ROW)
        return pov_ok();
    const pov_status status =
        code == SQLITE_DONE ? pov_status_of(POV_END) : pov_log_complaint(log, "cannot be read");
    sqlite3_reset(b->statement);
    return status;
}

static pov_status begin(pov_answer_log *log)
{
    let_go(log);
    return sqlite3_exec(log->db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK
               ? pov_ok()
               : pov_log_complaint(log, "cannot be written");
}

/* Commits if all went well, else undoes all. */
static pov_status finish(const pov_answer_log *log, pov_status status)
{
    if (status.code == POV_OK && sqlite3_exec(log->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        status = pov_log_complaint(log, "cannot be written");
    if (status.code != POV_OK)
        sqlite3_exec(log->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

/* ---- opening ---- */

static pov_status prepare(pov_answer_log *log)
{
    for (int i = 0; i < LOG_STATEMENTS; i++)
        if (sqlite3_prepare_v3(log->db, sql[i], -1, SQLITE_PREPARE_PERSISTENT, &log->statements[i], NULL) !=
            SQLITE_OK)
            return pov_log_complaint(log, "cannot be read");
    return pov_ok();
}

pov_status pov_answer_log_new(pov_answer_log **log, const char *path, pov_log_opening opening)
{
    *log = calloc(1, sizeof **log);
    if (!*log)
        return pov_error("%s: out of memory", path);
    (*log)->path = strdup(path);
    pov_status status = (*log)->path ? pov_log_open(*log, opening) : pov_error("%s: out of memory", path);
    if (status.code == POV_OK)
        status = prepare(*log);
    if (status.code != POV_OK)
        pov_answer_log_destroy(log);
    return status;
}

void pov_answer_log_destroy(pov_answer_log **log)
{
    if (!*log)
        return;
    for (int i = 0; i < LOG_STATEMENTS; i++)
        sqlite3_finalize((*log)->statements[i]);
    sqlite3_close((*log)->db);
    free((*log)->path);
    free(*log);
    *log = NULL;
}

/* ---- runs ---- */

pov_status pov_answer_log_add_run(pov_answer_log *log, pov_log_run *run)
{
    pov_digest(run->config_hash, run->config, strlen(run->config));
    binder b = start(log, LOG_ADD_RUN);
    bind_integer(&b, run->started_ns);
    bind_text(&b, run->version);
    bind_text(&b, run->config);
    bind_text(&b, run->config_hash);
    bind_integer(&b, (int64_t)run->seed);
    bind_integer(&b, run->simulated);
    POV_TRY(run_statement(log, &b));
    run->id = sqlite3_last_insert_rowid(log->db);
    return pov_ok();
}

pov_status pov_answer_log_last_run(pov_answer_log *log, pov_log_run *run)
{
    binder b = start(log, LOG_LAST_RUN);
    pov_status status = fetch(log, &b);
    if (status.code != POV_OK)
        return status.code == POV_END ? pov_status_of(POV_UNDEFINED) : status;
    *run = (pov_log_run){.id = sqlite3_column_int64(b.statement, 0),
                         .started_ns = sqlite3_column_int64(b.statement, 1),
                         .version = pov_log_text(b.statement, 2),
                         .config = pov_log_text(b.statement, 3),
                         .seed = (uint64_t)sqlite3_column_int64(b.statement, 5),
                         .simulated = sqlite3_column_int(b.statement, 6) != 0};
    snprintf(run->config_hash, sizeof run->config_hash, "%s", pov_log_text(b.statement, 4));
    return pov_ok();
}

/* ---- images and questions ---- */

static pov_status insert_image(pov_answer_log *log, pov_log_image *image)
{
    binder b = start(log, LOG_ADD_IMAGE);
    bind_integer(&b, image->run);
    bind_integer(&b, image->stop);
    bind_number(&b, image->turn_deg);
    bind_number(&b, image->phi_deg);
    bind_number(&b, image->curve_deg);
    bind_text(&b, image->sha256);
    bind_text(&b, image->name);
    bind_text(&b, image->path);
    bind_integer(&b, image->capture_ns);
    bind_text(&b, image->calibration_hash);
    bind_text(&b, image->evidence);
    bind_text(&b, image->truth);
    POV_TRY(run_statement(log, &b));
    image->id = sqlite3_last_insert_rowid(log->db);
    return pov_ok();
}

static pov_status insert_question(pov_answer_log *log, const pov_log_question *question, int64_t image)
{
    binder b = start(log, LOG_ADD_QUESTION);
    bind_integer(&b, image);
    bind_text(&b, question->key);
    bind_text(&b, question->paper);
    bind_text(&b, question->prompt);
    bind_text(&b, question->system);
    bind_text(&b, question->language);
    bind_text(&b, question->form);
    bind_text(&b, question->gold);
    bind_number(&b, question->gold_p);
    bind_text(&b, question->truth);
    bind_text(&b, question->golds);
    bind_text(&b, question->columns);
    bind_integer(&b, question->token_max);
    return run_statement(log, &b);
}

pov_status pov_answer_log_add_image(pov_answer_log *log, pov_log_image *image,
                                    const pov_log_question *questions, int len)
{
    POV_TRY(begin(log));
    pov_status status = insert_image(log, image);
    for (int i = 0; i < len && status.code == POV_OK; i++)
        status = insert_question(log, &questions[i], image->id);
    return finish(log, status);
}

pov_status pov_answer_log_add_questions(pov_answer_log *log, int *added, int64_t image,
                                        const pov_log_question *questions, int len)
{
    *added = 0;
    POV_TRY(begin(log));
    pov_status status = pov_ok();
    for (int i = 0; i < len && status.code == POV_OK; i++) {
        status = insert_question(log, &questions[i], image);
        *added += sqlite3_changes(log->db);
    }
    return finish(log, status);
}

/* ---- asking ---- */

pov_status pov_answer_log_model(pov_answer_log *log, int64_t *model, const char *name, const char *settings)
{
    binder b = start(log, LOG_ADD_MODEL);
    bind_text(&b, name);
    bind_text(&b, settings);
    POV_TRY(run_statement(log, &b));
    b = start(log, LOG_FIND_MODEL);
    bind_text(&b, name);
    bind_text(&b, settings);
    POV_TRY(fetch(log, &b));
    *model = sqlite3_column_int64(b.statement, 0);
    sqlite3_reset(b.statement);
    return pov_ok();
}

pov_status pov_answer_log_pending(pov_answer_log *log, pov_log_question *question, const char **image_path,
                                  int64_t model, int64_t after)
{
    binder b = start(log, LOG_PENDING);
    bind_integer(&b, model);
    bind_integer(&b, after);
    POV_TRY(fetch(log, &b));
    pov_log_read_question(question, b.statement, 0);
    *image_path = pov_log_text(b.statement, 14);
    return pov_ok();
}

static pov_status is_answered(pov_answer_log *log, bool *answered, const pov_log_result *result)
{
    binder b = start(log, LOG_IS_ANSWERED);
    bind_integer(&b, result->question);
    bind_integer(&b, result->model);
    const pov_status status = fetch(log, &b);
    *answered = status.code == POV_OK;
    sqlite3_reset(b.statement);
    return status.code == POV_END ? pov_ok() : status;
}

static pov_status insert_result(pov_answer_log *log, const pov_log_result *result, bool counted)
{
    binder b = start(log, LOG_ADD_RESULT);
    bind_integer(&b, result->question);
    bind_integer(&b, result->model);
    bind_integer(&b, counted);
    bind_integer(&b, result->answered_ns);
    bind_text(&b, result->outcome);
    bind_text(&b, result->kind);
    bind_outside_text(&b, result->cause);
    bind_number(&b, result->p);
    bind_number(&b, result->mass);
    bind_outside_text(&b, result->text);
    sqlite3_bind_blob64(b.statement, ++b.column, result->body, result->body_len, SQLITE_STATIC);
    bind_text(&b, result->endpoint);
    bind_integer(&b, result->attempts);
    bind_integer(&b, result->http_status);
    bind_integer(&b, result->latency_ns);
    bind_integer(&b, result->prompt_tokens);
    bind_integer(&b, result->answer_tokens);
    bind_number(&b, result->cost);
    return run_statement(log, &b);
}

pov_status pov_answer_log_add_result(pov_answer_log *log, bool *counted, const pov_log_result *result)
{
    bool answered;
    *counted = false;
    POV_TRY(begin(log));
    pov_status status = is_answered(log, &answered, result);
    if (status.code == POV_OK)
        status = insert_result(log, result, !answered);
    status = finish(log, status);
    *counted = status.code == POV_OK && !answered;
    return status;
}

pov_status pov_answer_log_reopen_failed(pov_answer_log *log, int64_t *reopened, int64_t model)
{
    binder b = start(log, LOG_REOPEN);
    bind_integer(&b, model);
    POV_TRY(run_statement(log, &b));
    *reopened = sqlite3_changes64(log->db);
    return pov_ok();
}

pov_status pov_answer_log_count(pov_answer_log *log, pov_log_counts *counts, int64_t model)
{
    binder b = start(log, LOG_COUNT);
    bind_integer(&b, model);
    POV_TRY(fetch(log, &b));
    *counts = (pov_log_counts){.questions = sqlite3_column_int64(b.statement, 0),
                               .answered = sqlite3_column_int64(b.statement, 1),
                               .failed = sqlite3_column_int64(b.statement, 2),
                               .unscored = sqlite3_column_int64(b.statement, 3),
                               .cost = sqlite3_column_double(b.statement, 4)};
    sqlite3_reset(b.statement);
    b = start(log, LOG_COUNT_IMAGES);
    POV_TRY(fetch(log, &b));
    counts->images = sqlite3_column_int64(b.statement, 0);
    sqlite3_reset(b.statement);
    return pov_ok();
}

static pov_status fetch_causes(pov_answer_log *log, pov_log_causes *causes, log_statement which,
                               int64_t model)
{
    *causes = (pov_log_causes){.len = 0};
    binder b = start(log, which);
    bind_integer(&b, model);
    pov_status status;
    while ((status = fetch(log, &b)).code == POV_OK && causes->len < POV_LOG_CAUSES_MAX) {
        pov_log_cause *cause = &causes->list[causes->len++];
        cause->count = sqlite3_column_int64(b.statement, 0);
        pov_utf8_copy(cause->outcome, sizeof cause->outcome, pov_log_text(b.statement, 1));
        pov_utf8_copy(cause->text, sizeof cause->text, pov_log_text(b.statement, 2));
    }
    sqlite3_reset(b.statement);
    return status.code == POV_ERROR ? status : pov_ok();
}

pov_status pov_answer_log_causes(pov_answer_log *log, pov_log_causes *causes, int64_t model)
{
    return fetch_causes(log, causes, LOG_CAUSES, model);
}

pov_status pov_answer_log_unscored(pov_answer_log *log, pov_log_causes *causes, int64_t model)
{
    return fetch_causes(log, causes, LOG_UNSCORED, model);
}
