#include "compare/log/answer_log_internal.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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

pov_status pov_log_complaint(const pov_answer_log *log, const char *what)
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

static pov_status execute(const pov_answer_log *log, const char *sql, const char *what)
{
    return sqlite3_exec(log->db, sql, NULL, NULL, NULL) == SQLITE_OK ? pov_ok()
                                                                     : pov_log_complaint(log, what);
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
        code == SQLITE_ROW || code == SQLITE_DONE ? pov_ok() : pov_log_complaint(log, "cannot be read");
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
        status = pov_log_complaint(log, "cannot be checked");
    else if (strcmp(pov_log_text(statement, 0), "ok") != 0)
        status = pov_error("%s: is damaged (%.150s). Nothing was changed. Take a copy, and save what is left "
                           "with: sqlite3 %s .recover",
                           log->path, pov_log_text(statement, 0), log->path);
    sqlite3_finalize(statement);
    return status;
}

/* A new file becomes a log whole or not at all. */
static pov_status create(const pov_answer_log *log)
{
    char sql[160];
    snprintf(sql, sizeof sql, "PRAGMA application_id = %d; PRAGMA user_version = %d;", APPLICATION_ID,
             VERSION);
    POV_TRY(execute(log, "BEGIN IMMEDIATE", "cannot be written"));
    int64_t version; /* another process may have been faster */
    pov_status status = read_number(log, &version, "PRAGMA user_version");
    if (status.code == POV_OK && version == 0)
        status = execute(log, schema, "cannot be written");
    if (status.code == POV_OK && version == 0)
        status = execute(log, sql, "cannot be written");
    if (status.code == POV_OK)
        status = execute(log, "COMMIT", "cannot be written");
    if (status.code != POV_OK)
        sqlite3_exec(log->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

static pov_status check(const pov_answer_log *log, int64_t tables)
{
    int64_t id, version;
    POV_TRY(read_number(log, &id, "PRAGMA application_id"));
    POV_TRY(read_number(log, &version, "PRAGMA user_version"));
    if (tables == 0 && id == 0 && version == 0)
        return create(log);
    if (id != APPLICATION_ID)
        return pov_error("%s: is a database, but no log of pov; name another folder", log->path);
    if (version > VERSION)
        return pov_error("%s: was written by a later pov (schema %lld; this one knows %d): use that pov",
                         log->path, (long long)version, VERSION);
    return check_integrity(log);
}

pov_status pov_log_open(pov_answer_log *log, pov_log_opening opening)
{
    struct stat info;
    const bool is_there = stat(log->path, &info) == 0;
    if (is_there && !S_ISREG(info.st_mode))
        return pov_error("%s: is no file, so no log", log->path);
    if (!is_there && opening == POV_LOG_MUST_EXIST)
        return pov_error("%s: %s; 'pov sweep' makes logs", log->path, strerror(errno));
    const int flags = SQLITE_OPEN_READWRITE | (opening == POV_LOG_MAY_CREATE ? SQLITE_OPEN_CREATE : 0);
    if (sqlite3_open_v2(log->path, &log->db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        return pov_log_complaint(log, "cannot be opened");
    sqlite3_extended_result_codes(log->db, 0);
    sqlite3_busy_timeout(log->db, BUSY_MS);
    int64_t tables;
    POV_TRY(read_number(log, &tables, "SELECT count(*) FROM sqlite_schema"));
    POV_TRY(check(log, tables));
    return execute(log, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;",
                   "cannot be written");
}
