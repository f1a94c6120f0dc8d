
#include "compare/log/answer_log.h"
#include "config/files/utf8.h"

#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* Columns of questions `q`, as read_question takes them. */
#define LOG_QUESTION_COLUMNS                                                                                 \
    "q.id, q.image, q.key, q.paper, q.prompt, q.system, q.language, q.form, q.gold, q.gold_p, q.truth,"      \
    " q.golds, q.columns, q.token_max"

/* Borrowed from the statement; NULL if the column is. */
static const char *text_at(sqlite3_stmt *statement, int column)
{
    return (const char *)sqlite3_column_text(statement, column);
}

/* NaN if the column is NULL. */
static double number_at(sqlite3_stmt *statement, int column)
{
    return sqlite3_column_type(statement, column) == SQLITE_NULL ? NAN
                                                                 : sqlite3_column_double(statement, column);
}

/* ---- schema ---- */

/* "povA", in the file's header: SQLite files of others have another number there. */
enum { APPLICATION_ID = 0x706f7641, VERSION = 1, BUSY_MS = 20000 };

/* docs/LOG.md explains each column. */
static const char schema[] =
    "CREATE TABLE runs (id INTEGER PRIMARY KEY, started_ns INTEGER NOT NULL, version TEXT NOT NULL,"
    "  config TEXT NOT NULL, config_hash TEXT NOT NULL, seed INTEGER NOT NULL, simulated INTEGER NOT NULL);"
    "CREATE TABLE images (id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES runs(id),"
    "  stop INTEGER NOT NULL, turn_deg REAL, phi_deg REAL, curve_deg REAL, sha256 TEXT NOT NULL, name TEXT "
    "NOT NULL,"
    "  path TEXT NOT NULL, capture_ns INTEGER NOT NULL, calibration_hash TEXT, evidence TEXT, truth TEXT,"
    "  UNIQUE (run, stop));"
    "CREATE TABLE questions (id INTEGER PRIMARY KEY, image INTEGER NOT NULL REFERENCES images(id),"
    "  key TEXT NOT NULL, paper TEXT NOT NULL, prompt TEXT NOT NULL, system TEXT, language TEXT NOT NULL,"
    "  form TEXT NOT NULL, gold TEXT, gold_p REAL, truth TEXT, golds TEXT, columns TEXT,"
    "  token_max INTEGER NOT NULL, UNIQUE (image, key));"
    "CREATE TABLE models (id INTEGER PRIMARY KEY, name TEXT NOT NULL, settings TEXT NOT NULL,"
    "  UNIQUE (name, settings));"
    "CREATE TABLE results (id INTEGER PRIMARY KEY, question INTEGER NOT NULL REFERENCES questions(id),"
    "  model INTEGER NOT NULL REFERENCES models(id), counted INTEGER NOT NULL, answered_ns INTEGER NOT NULL,"
    "  outcome TEXT NOT NULL, kind TEXT NOT NULL, cause TEXT NOT NULL, p REAL, mass REAL, text TEXT,"
    "  body BLOB, endpoint TEXT, attempts INTEGER NOT NULL, http_status INTEGER NOT NULL,"
    "  latency_ns INTEGER NOT NULL, prompt_tokens INTEGER NOT NULL, answer_tokens INTEGER NOT NULL,"
    "  cost REAL NOT NULL);"
    "CREATE UNIQUE INDEX counted_results ON results (question, model) WHERE counted;"
    "CREATE VIEW answers AS SELECT models.name AS model, images.name AS image, images.turn_deg,"
    "  images.phi_deg, questions.key, questions.prompt, questions.gold, questions.truth, results.outcome,"
    "  results.kind, results.p, results.text, results.cause FROM results"
    "  JOIN questions ON questions.id = results.question JOIN images ON images.id = questions.image"
    "  JOIN models ON models.id = results.model WHERE counted;";

/* SQLite's complaint, with the path and what to do. */
static pov_status complain_of_sqlite(const pov_answer_log *log, const char *what)
{
    switch (sqlite3_errcode(log->db)) {
    case SQLITE_FULL:
    case SQLITE_IOERR: /* how SQLite says it when a file may not grow */
        return pov_error("%s: %s: %s (%s); all that had been written is kept: make room, then resume",
                         log->path, what, sqlite3_errmsg(log->db), strerror(errno));
    case SQLITE_NOTADB:
        return pov_error("%s: is no log of pov, but another kind of file; name another folder", log->path);
    case SQLITE_CORRUPT:
        return pov_error("%s: is damaged (%s). Nothing was changed. Take a copy, and save what is left with: "
                         "sqlite3 %s .recover",
                         log->path, sqlite3_errmsg(log->db), log->path);
    case SQLITE_BUSY:
        return pov_error("%s: %s: another program holds it; end that one first", log->path, what);
    default:
        return pov_error("%s: %s: %s", log->path, what, sqlite3_errmsg(log->db));
    }
}

static pov_status execute_sql(const pov_answer_log *log, const char *sql, const char *what)
{
    return sqlite3_exec(log->db, sql, NULL, NULL, NULL) == SQLITE_OK ? pov_ok()
                                                                     : complain_of_sqlite(log, what);
}

static pov_status read_number(const pov_answer_log *log, int64_t *number, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    *number = 0;
    int code = sqlite3_prepare_v2(log->db, sql, -1, &statement, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        *number = sqlite3_column_int64(statement, 0);
    const pov_status status =
        code == SQLITE_ROW || code == SQLITE_DONE ? pov_ok() : complain_of_sqlite(log, "cannot be read");
    sqlite3_finalize(statement);
    return status;
}

static pov_status check_integrity(const pov_answer_log *log)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(log->db, "PRAGMA quick_check(1)", -1, &statement, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    pov_status status = pov_ok();
    if (code != SQLITE_ROW)
        status = complain_of_sqlite(log, "cannot be checked");
    else if (strcmp(text_at(statement, 0), "ok") != 0)
        status = pov_error("%s: is damaged (%.150s). Nothing was changed. Take a copy, and save what is left "
                           "with: sqlite3 %s .recover",
                           log->path, text_at(statement, 0), log->path);
    sqlite3_finalize(statement);
    return status;
}

/* A new file becomes a log whole or not at all. */
static pov_status create_log(const pov_answer_log *log)
{
    char sql[160];
    snprintf(sql, sizeof sql, "PRAGMA application_id = %d; PRAGMA user_version = %d;", APPLICATION_ID,
             VERSION);
    POV_TRY(execute_sql(log, "BEGIN IMMEDIATE", "cannot be written"));
    int64_t version; /* another process may have been faster */
    pov_status status = read_number(log, &version, "PRAGMA user_version");
    if (status.code == POV_OK && version == 0)
        status = execute_sql(log, schema, "cannot be written");
    if (status.code == POV_OK && version == 0)
        status = execute_sql(log, sql, "cannot be written");
    if (status.code == POV_OK)
        status = execute_sql(log, "COMMIT", "cannot be written");
    if (status.code != POV_OK)
        sqlite3_exec(log->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

static pov_status check_log(const pov_answer_log *log, int64_t tables)
{
    int64_t id, version;
    POV_TRY(read_number(log, &id, "PRAGMA application_id"));
    POV_TRY(read_number(log, &version, "PRAGMA user_version"));
    if (tables == 0 && id == 0 && version == 0)
        return create_log(log);
    if (id != APPLICATION_ID)
        return pov_error("%s: is a database, but no log of pov; name another folder", log->path);
    if (version > VERSION)
        return pov_error("%s: was written by a later pov (schema %lld; this one knows %d): use that pov",
                         log->path, (long long)version, VERSION);
    return check_integrity(log);
}

/* Opens the file, and makes sure that it is a log of this version. */
static pov_status open_file(pov_answer_log *log, pov_log_opening opening)
{
    struct stat info;
    const bool is_there = stat(log->path, &info) == 0;
    if (is_there && !S_ISREG(info.st_mode))
        return pov_error("%s: is no file, so no log", log->path);
    if (!is_there && opening == POV_LOG_MUST_EXIST)
        return pov_error("%s: %s; 'pov sweep' makes logs", log->path, strerror(errno));
    const int flags = SQLITE_OPEN_READWRITE | (opening == POV_LOG_MAY_CREATE ? SQLITE_OPEN_CREATE : 0);
    if (sqlite3_open_v2(log->path, &log->db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        return complain_of_sqlite(log, "cannot be opened");
    sqlite3_extended_result_codes(log->db, 0);
    sqlite3_busy_timeout(log->db, BUSY_MS);
    int64_t tables;
    POV_TRY(read_number(log, &tables, "SELECT count(*) FROM sqlite_schema"));
    POV_TRY(check_log(log, tables));
    return execute_sql(log, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;",
                       "cannot be written");
}

/* ---- rows ---- */

struct pov_answer_rows {
    pov_answer_log *log;
    sqlite3_stmt *statement;
};

enum { IMAGE = 0, QUESTION = 11, MODEL = 25, RESULT = 27 }; /* first columns */

static const char rows_sql[] =
    "SELECT i.id, i.run, i.stop, i.turn_deg, i.phi_deg, i.curve_deg, i.sha256, i.name, i.path, i.capture_ns,"
    " i.calibration_hash, " LOG_QUESTION_COLUMNS
    ", m.name, m.settings, r.question, r.model, r.answered_ns, r.outcome, r.kind, r.cause, r.p,"
    " r.mass, r.text, r.body, r.endpoint, r.attempts, r.http_status, r.latency_ns, r.prompt_tokens,"
    " r.answer_tokens, r.cost"
    " FROM questions q JOIN images i ON i.id = q.image LEFT JOIN results r ON r.question = q.id AND r.counted"
    " LEFT JOIN models m ON m.id = r.model ORDER BY q.id, r.model";

pov_status pov_answer_rows_new(pov_answer_rows **rows, pov_answer_log *log)
{
    *rows = calloc(1, sizeof **rows);
    if (!*rows)
        return pov_error("%s: out of memory", log->path);
    (*rows)->log = log;
    if (sqlite3_prepare_v2(log->db, rows_sql, -1, &(*rows)->statement, NULL) == SQLITE_OK)
        return pov_ok();
    pov_answer_rows_destroy(rows);
    return complain_of_sqlite(log, "cannot be read");
}

void pov_answer_rows_destroy(pov_answer_rows **rows)
{
    if (!*rows)
        return;
    sqlite3_finalize((*rows)->statement);
    free(*rows);
    *rows = NULL;
}

static void read_image(pov_log_image *image, sqlite3_stmt *s, int c)
{
    *image = (pov_log_image){.id = sqlite3_column_int64(s, c),
                             .run = sqlite3_column_int64(s, c + 1),
                             .stop = sqlite3_column_int(s, c + 2),
                             .turn_deg = number_at(s, c + 3),
                             .phi_deg = number_at(s, c + 4),
                             .curve_deg = number_at(s, c + 5),
                             .name = text_at(s, c + 7),
                             .path = text_at(s, c + 8),
                             .capture_ns = sqlite3_column_int64(s, c + 9),
                             .calibration_hash = text_at(s, c + 10)};
    snprintf(image->sha256, sizeof image->sha256, "%s", text_at(s, c + 6));
}

static void read_question(pov_log_question *question, sqlite3_stmt *s, int c)
{
    *question = (pov_log_question){.id = sqlite3_column_int64(s, c),
                                   .image = sqlite3_column_int64(s, c + 1),
                                   .key = text_at(s, c + 2),
                                   .paper = text_at(s, c + 3),
                                   .prompt = text_at(s, c + 4),
                                   .system = text_at(s, c + 5),
                                   .language = text_at(s, c + 6),
                                   .form = text_at(s, c + 7),
                                   .gold = text_at(s, c + 8),
                                   .gold_p = number_at(s, c + 9),
                                   .truth = text_at(s, c + 10),
                                   .golds = text_at(s, c + 11),
                                   .columns = text_at(s, c + 12),
                                   .token_max = sqlite3_column_int(s, c + 13)};
}

static void read_result(pov_log_result *result, sqlite3_stmt *s, int c)
{
    *result = (pov_log_result){.question = sqlite3_column_int64(s, c),
                               .model = sqlite3_column_int64(s, c + 1),
                               .answered_ns = sqlite3_column_int64(s, c + 2),
                               .outcome = text_at(s, c + 3),
                               .kind = text_at(s, c + 4),
                               .cause = text_at(s, c + 5),
                               .p = number_at(s, c + 6),
                               .mass = number_at(s, c + 7),
                               .text = text_at(s, c + 8),
                               .body = sqlite3_column_blob(s, c + 9),
                               .body_len = (size_t)sqlite3_column_bytes(s, c + 9),
                               .endpoint = text_at(s, c + 10),
                               .attempts = sqlite3_column_int(s, c + 11),
                               .http_status = sqlite3_column_int(s, c + 12),
                               .latency_ns = sqlite3_column_int64(s, c + 13),
                               .prompt_tokens = sqlite3_column_int64(s, c + 14),
                               .answer_tokens = sqlite3_column_int64(s, c + 15),
                               .cost = sqlite3_column_double(s, c + 16)};
}

pov_status pov_answer_rows_next(pov_answer_rows *rows, pov_answer_row *row)
{
    sqlite3_stmt *s = rows->statement;
    const int code = sqlite3_step(s);
    if (code != SQLITE_ROW)
        return code == SQLITE_DONE ? pov_status_of(POV_END) : complain_of_sqlite(rows->log, "cannot be read");
    read_image(&row->image, s, IMAGE);
    read_question(&row->question, s, QUESTION);
    row->model = text_at(s, MODEL);
    row->settings = text_at(s, MODEL + 1);
    row->has_result = row->model != NULL;
    if (row->has_result)
        read_result(&row->result, s, RESULT);
    return pov_ok();
}

pov_status pov_answer_log_image(pov_answer_log *log, pov_log_image *image, int64_t after)
{
    sqlite3_stmt *s = log->statements[LOG_IMAGE];
    sqlite3_reset(s);
    sqlite3_bind_int64(s, 1, after);
    const int code = sqlite3_step(s);
    if (code != SQLITE_ROW)
        return code == SQLITE_DONE ? pov_status_of(POV_END) : complain_of_sqlite(log, "cannot be read");
    read_image(image, s, 0);
    image->evidence = text_at(s, 11);
    image->truth = text_at(s, 12);
    return pov_ok();
}

/* ---- writing, counting ---- */

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

static binder start_statement(pov_answer_log *log, log_statement which)
{
    let_go(log);
    sqlite3_clear_bindings(log->statements[which]);
    return (binder){log->statements[which], 0};
}

static void bind_text(binder *b, const char *text)
{
    sqlite3_bind_text(b->statement, ++b->column, text, -1, SQLITE_STATIC);
}

/* A server may send any bytes; other programs expect UTF-8. The body is kept as it came. */
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
    const pov_status status = code == SQLITE_DONE ? pov_ok() : complain_of_sqlite(log, "cannot be written");
    sqlite3_reset(b->statement);
    return status;
}

/* A row, or POV_END; it lasts until the statement is started again. */
static pov_status fetch_row(const pov_answer_log *log, const binder *b)
{
    const int code = sqlite3_step(b->statement);
    if (code == SQLITE_ROW)
        return pov_ok();
    const pov_status status =
        code == SQLITE_DONE ? pov_status_of(POV_END) : complain_of_sqlite(log, "cannot be read");
    sqlite3_reset(b->statement);
    return status;
}

static pov_status begin_transaction(pov_answer_log *log)
{
    let_go(log);
    return sqlite3_exec(log->db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK
               ? pov_ok()
               : complain_of_sqlite(log, "cannot be written");
}

/* Commits if all went well, else undoes all. */
static pov_status finish_transaction(const pov_answer_log *log, pov_status status)
{
    if (status.code == POV_OK && sqlite3_exec(log->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        status = complain_of_sqlite(log, "cannot be written");
    if (status.code != POV_OK)
        sqlite3_exec(log->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

/* ---- opening ---- */

static pov_status prepare_statements(pov_answer_log *log)
{
    for (int i = 0; i < LOG_STATEMENTS; i++)
        if (sqlite3_prepare_v3(log->db, sql[i], -1, SQLITE_PREPARE_PERSISTENT, &log->statements[i], NULL) !=
            SQLITE_OK)
            return complain_of_sqlite(log, "cannot be read");
    return pov_ok();
}

pov_status pov_answer_log_new(pov_answer_log **log, const char *path, pov_log_opening opening)
{
    *log = calloc(1, sizeof **log);
    if (!*log)
        return pov_error("%s: out of memory", path);
    (*log)->path = strdup(path);
    pov_status status = (*log)->path ? open_file(*log, opening) : pov_error("%s: out of memory", path);
    if (status.code == POV_OK)
        status = prepare_statements(*log);
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
    binder b = start_statement(log, LOG_ADD_RUN);
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
    binder b = start_statement(log, LOG_LAST_RUN);
    pov_status status = fetch_row(log, &b);
    if (status.code != POV_OK)
        return status.code == POV_END ? pov_status_of(POV_UNDEFINED) : status;
    *run = (pov_log_run){.id = sqlite3_column_int64(b.statement, 0),
                         .started_ns = sqlite3_column_int64(b.statement, 1),
                         .version = text_at(b.statement, 2),
                         .config = text_at(b.statement, 3),
                         .seed = (uint64_t)sqlite3_column_int64(b.statement, 5),
                         .simulated = sqlite3_column_int(b.statement, 6) != 0};
    snprintf(run->config_hash, sizeof run->config_hash, "%s", text_at(b.statement, 4));
    return pov_ok();
}

/* ---- images and questions ---- */

static pov_status insert_image(pov_answer_log *log, pov_log_image *image)
{
    binder b = start_statement(log, LOG_ADD_IMAGE);
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
    binder b = start_statement(log, LOG_ADD_QUESTION);
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
    POV_TRY(begin_transaction(log));
    pov_status status = insert_image(log, image);
    for (int i = 0; i < len && status.code == POV_OK; i++)
        status = insert_question(log, &questions[i], image->id);
    return finish_transaction(log, status);
}

pov_status pov_answer_log_add_questions(pov_answer_log *log, int *added, int64_t image,
                                        const pov_log_question *questions, int len)
{
    *added = 0;
    POV_TRY(begin_transaction(log));
    pov_status status = pov_ok();
    for (int i = 0; i < len && status.code == POV_OK; i++) {
        status = insert_question(log, &questions[i], image);
        *added += sqlite3_changes(log->db);
    }
    return finish_transaction(log, status);
}

/* ---- asking ---- */

pov_status pov_answer_log_model(pov_answer_log *log, int64_t *model, const char *name, const char *settings)
{
    binder b = start_statement(log, LOG_ADD_MODEL);
    bind_text(&b, name);
    bind_text(&b, settings);
    POV_TRY(run_statement(log, &b));
    b = start_statement(log, LOG_FIND_MODEL);
    bind_text(&b, name);
    bind_text(&b, settings);
    POV_TRY(fetch_row(log, &b));
    *model = sqlite3_column_int64(b.statement, 0);
    sqlite3_reset(b.statement);
    return pov_ok();
}

pov_status pov_answer_log_pending(pov_answer_log *log, pov_log_question *question, const char **image_path,
                                  int64_t model, int64_t after)
{
    binder b = start_statement(log, LOG_PENDING);
    bind_integer(&b, model);
    bind_integer(&b, after);
    POV_TRY(fetch_row(log, &b));
    read_question(question, b.statement, 0);
    *image_path = text_at(b.statement, 14);
    return pov_ok();
}

static pov_status is_answered(pov_answer_log *log, bool *answered, const pov_log_result *result)
{
    binder b = start_statement(log, LOG_IS_ANSWERED);
    bind_integer(&b, result->question);
    bind_integer(&b, result->model);
    const pov_status status = fetch_row(log, &b);
    *answered = status.code == POV_OK;
    sqlite3_reset(b.statement);
    return status.code == POV_END ? pov_ok() : status;
}

static pov_status insert_result(pov_answer_log *log, const pov_log_result *result, bool counted)
{
    binder b = start_statement(log, LOG_ADD_RESULT);
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
    POV_TRY(begin_transaction(log));
    pov_status status = is_answered(log, &answered, result);
    if (status.code == POV_OK)
        status = insert_result(log, result, !answered);
    status = finish_transaction(log, status);
    *counted = status.code == POV_OK && !answered;
    return status;
}

pov_status pov_answer_log_reopen_failed(pov_answer_log *log, int64_t *reopened, int64_t model)
{
    binder b = start_statement(log, LOG_REOPEN);
    bind_integer(&b, model);
    POV_TRY(run_statement(log, &b));
    *reopened = sqlite3_changes64(log->db);
    return pov_ok();
}

pov_status pov_answer_log_count(pov_answer_log *log, pov_log_counts *counts, int64_t model)
{
    binder b = start_statement(log, LOG_COUNT);
    bind_integer(&b, model);
    POV_TRY(fetch_row(log, &b));
    *counts = (pov_log_counts){.questions = sqlite3_column_int64(b.statement, 0),
                               .answered = sqlite3_column_int64(b.statement, 1),
                               .failed = sqlite3_column_int64(b.statement, 2),
                               .unscored = sqlite3_column_int64(b.statement, 3),
                               .cost = sqlite3_column_double(b.statement, 4)};
    sqlite3_reset(b.statement);
    b = start_statement(log, LOG_COUNT_IMAGES);
    POV_TRY(fetch_row(log, &b));
    counts->images = sqlite3_column_int64(b.statement, 0);
    sqlite3_reset(b.statement);
    return pov_ok();
}

static pov_status fetch_causes(pov_answer_log *log, pov_log_causes *causes, log_statement which,
                               int64_t model)
{
    *causes = (pov_log_causes){.len = 0};
    binder b = start_statement(log, which);
    bind_integer(&b, model);
    pov_status status;
    while ((status = fetch_row(log, &b)).code == POV_OK && causes->len < POV_LOG_CAUSES_MAX) {
        pov_log_cause *cause = &causes->list[causes->len++];
        cause->count = sqlite3_column_int64(b.statement, 0);
        pov_utf8_copy(cause->outcome, sizeof cause->outcome, text_at(b.statement, 1));
        pov_utf8_copy(cause->text, sizeof cause->text, text_at(b.statement, 2));
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
