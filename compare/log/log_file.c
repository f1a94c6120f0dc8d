#include "compare/log/log_file.h"

#include <errno.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { BUSY_MS = 20000 }; /* chosen: a sweep's other writers commit within milliseconds */

const char *pov_log_text_at(sqlite3_stmt *statement, int column)
{
    return (const char *)sqlite3_column_text(statement, column);
}

double pov_log_number_at(sqlite3_stmt *statement, int column)
{
    return sqlite3_column_type(statement, column) == SQLITE_NULL ? NAN
                                                                 : sqlite3_column_double(statement, column);
}

pov_status pov_log_complain(const pov_log_file *file, const char *what)
{
    switch (sqlite3_errcode(file->db)) {
    case SQLITE_FULL:
    case SQLITE_IOERR: /* how SQLite says it when a file may not grow */
        return pov_error("%s: %s: %s (%s); all that had been written is kept: make room, then resume",
                         file->path, what, sqlite3_errmsg(file->db), strerror(errno));
    case SQLITE_NOTADB:
        return pov_error("%s: is not a log of pov, but another kind of file; name another folder",
                         file->path);
    case SQLITE_CORRUPT:
        return pov_error("%s: is damaged (%s). Nothing was changed. Take a copy, and save what is left with: "
                         "sqlite3 %s .recover",
                         file->path, sqlite3_errmsg(file->db), file->path);
    case SQLITE_BUSY:
        return pov_error("%s: %s: another program holds it; end that one first", file->path, what);
    default:
        return pov_error("%s: %s: %s", file->path, what, sqlite3_errmsg(file->db));
    }
}

static pov_status execute_sql(const pov_log_file *file, const char *sql, const char *what)
{
    return sqlite3_exec(file->db, sql, NULL, NULL, NULL) == SQLITE_OK ? pov_ok()
                                                                      : pov_log_complain(file, what);
}

pov_status pov_log_read_number(const pov_log_file *file, int64_t *number, const char *sql)
{
    sqlite3_stmt *statement = NULL;
    *number = 0;
    int code = sqlite3_prepare_v2(file->db, sql, -1, &statement, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        *number = sqlite3_column_int64(statement, 0);
    const pov_status status =
        code == SQLITE_ROW || code == SQLITE_DONE ? pov_ok() : pov_log_complain(file, "cannot be read");
    sqlite3_finalize(statement);
    return status;
}

pov_status pov_log_execute(const pov_log_file *file, const char *sql)
{
    return execute_sql(file, sql, "cannot be written");
}

static pov_status check_integrity(const pov_log_file *file)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(file->db, "PRAGMA integrity_check(1)", -1, &statement, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    pov_status status = pov_ok();
    if (code != SQLITE_ROW)
        status = pov_log_complain(file, "cannot be checked");
    else if (strcmp(pov_log_text_at(statement, 0), "ok") != 0)
        status = pov_error("%s: is damaged (%.150s). Nothing was changed. Take a copy, and save what is left "
                           "with: sqlite3 %s .recover",
                           file->path, pov_log_text_at(statement, 0), file->path);
    sqlite3_finalize(statement);
    return status;
}

/* A new file becomes a log whole or not at all. */
static pov_status create_log(const pov_log_file *file)
{
    char sql[160];
    snprintf(sql, sizeof sql, "PRAGMA application_id = %d; PRAGMA user_version = %d;",
             file->kind->application_id, file->kind->version);
    POV_TRY(execute_sql(file, "BEGIN IMMEDIATE", "cannot be written"));
    int64_t version; /* another process may have been faster */
    pov_status status = pov_log_read_number(file, &version, "PRAGMA user_version");
    if (status.code == POV_OK && version == 0)
        status = execute_sql(file, file->kind->schema, "cannot be written");
    if (status.code == POV_OK && version == 0)
        status = execute_sql(file, pov_log_checks_schema, "cannot be written");
    if (status.code == POV_OK && version == 0)
        status = execute_sql(file, sql, "cannot be written");
    POV_THEN(status, execute_sql(file, "COMMIT", "cannot be written"));
    if (status.code != POV_OK)
        sqlite3_exec(file->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

/* ---- opening ---- */

static bool has_checks(const pov_log_file *file)
{
    int64_t len;
    return pov_log_read_number(file, &len, "SELECT count(*) FROM sqlite_schema WHERE name = 'row_checks'")
                   .code == POV_OK &&
           len > 0;
}

static const char SCHEMA_SQL[] =
    "SELECT coalesce(group_concat(type || ' ' || name || ' ' || sql, char(10)), '') FROM (SELECT * FROM"
    " sqlite_schema WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!' ORDER BY type, name)";

static char *schema_of(sqlite3 *db)
{
    sqlite3_stmt *statement = NULL;
    char *text = NULL;
    if (sqlite3_prepare_v2(db, SCHEMA_SQL, -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        text = strdup(pov_log_text_at(statement, 0));
    sqlite3_finalize(statement);
    return text;
}

/* A trigger or a view that someone added would run when the log is read. */
static pov_status check_schema(const pov_log_file *file)
{
    sqlite3 *fresh = NULL;
    char *expected = NULL, *found = schema_of(file->db);
    if (sqlite3_open(":memory:", &fresh) == SQLITE_OK &&
        sqlite3_exec(fresh, file->kind->schema, NULL, NULL, NULL) == SQLITE_OK &&
        (!has_checks(file) || sqlite3_exec(fresh, pov_log_checks_schema, NULL, NULL, NULL) == SQLITE_OK))
        expected = schema_of(fresh);
    const bool is_same = expected && found && strcmp(expected, found) == 0;
    sqlite3_close(fresh);
    free(expected);
    free(found);
    return is_same
               ? pov_ok()
               : pov_error("%s: its tables, views or triggers are not those of a log of pov: someone changed "
                           "them, so it is not read. This command shows its tables: sqlite3 %s .schema",
                           file->path, file->path);
}

/* Logs that were made before rows had checksums. */
static pov_status add_checks(const pov_log_file *file)
{
    char version[64];
    snprintf(version, sizeof version, "PRAGMA user_version = %d", file->kind->version);
    POV_TRY(execute_sql(file, "BEGIN IMMEDIATE", "cannot be written"));
    pov_status status = pov_ok();
    if (!has_checks(file)) /* another process may have been faster */
        status = execute_sql(file, pov_log_checks_schema, "cannot be written");
    if (status.code == POV_OK && !pov_log_checks_fill(file->db))
        status = pov_log_complain(file, "cannot be written");
    POV_THEN(status, execute_sql(file, version, "cannot be written"));
    return pov_log_finish(file, status);
}

/* A copy in memory without the damaged rows takes the file's place. */
static pov_status leave_out_damage(pov_log_file *file)
{
    sqlite3 *copy = NULL;
    bool worked = sqlite3_open(":memory:", &copy) == SQLITE_OK && pov_log_checks_define(copy);
    sqlite3_backup *backup = worked ? sqlite3_backup_init(copy, "main", file->db, "main") : NULL;
    worked = backup && sqlite3_backup_step(backup, -1) == SQLITE_DONE;
    sqlite3_backup_finish(backup);
    if (!worked || !pov_log_checks_compare(copy, &file->damage, true)) {
        sqlite3_close(copy);
        return pov_error("%s: its undamaged part cannot be read", file->path);
    }
    sqlite3_close(file->db);
    file->db = copy;
    return pov_ok();
}

static pov_status check_rows(pov_log_file *file, pov_log_opening opening)
{
    if (!has_checks(file))
        return opening == POV_LOG_READ ? pov_ok() : add_checks(file);
    if (!pov_log_checks_compare(file->db, &file->damage, false))
        return pov_log_complain(file, "cannot be checked");
    if (file->damage.rows == 0)
        return pov_ok();
    if (opening == POV_LOG_READ)
        return leave_out_damage(file);
    return pov_error("%s: is damaged: %d row%s not what pov wrote (%s). Nothing was changed. 'pov report' "
                     "and 'pov score' still read the rest; to go on, put a copy in its place",
                     file->path, file->damage.rows, file->damage.rows == 1 ? " is" : "s are",
                     file->damage.which);
}

bool pov_log_file_is(const char *path, int application_id)
{
    enum { HEADER = 72, AT = 68 }; /* https://www.sqlite.org/fileformat.html, section 1.3 */
    unsigned char header[HEADER];
    FILE *file = fopen(path, "rb");
    const bool has_header = file && fread(header, 1, HEADER, file) == HEADER;
    if (file)
        fclose(file);
    return has_header && ((uint32_t)header[AT] << 24 | (uint32_t)header[AT + 1] << 16 |
                          (uint32_t)header[AT + 2] << 8 | header[AT + 3]) == (uint32_t)application_id;
}

static pov_status check_log(pov_log_file *file, int64_t tables, pov_log_opening opening)
{
    int64_t id, version;
    POV_TRY(pov_log_read_number(file, &id, "PRAGMA application_id"));
    POV_TRY(pov_log_read_number(file, &version, "PRAGMA user_version"));
    if (tables == 0 && id == 0 && version == 0 && opening != POV_LOG_READ)
        return create_log(file);
    if (id != file->kind->application_id)
        return pov_error("%s: is a database, but no log of pov; name another folder", file->path);
    if (version > file->kind->version)
        return pov_error("%s: was written by a later pov (schema %lld; this one knows %d): use that pov",
                         file->path, (long long)version, file->kind->version);
    POV_TRY(check_integrity(file));
    POV_TRY(check_schema(file));
    return check_rows(file, opening);
}

/* A file of someone else's must not make SQLite do anything: no function that it names, no trigger, no change of its schema. */
static bool distrust(sqlite3 *db)
{
    return sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL) == SQLITE_OK &&
           sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL) == SQLITE_OK &&
           sqlite3_exec(
               db, "PRAGMA temp_store = MEMORY; PRAGMA recursive_triggers = ON; PRAGMA cell_size_check = ON;",
               NULL, NULL, NULL) == SQLITE_OK &&
           pov_log_checks_define(db);
}

/* "file:a%20b?immutable=1": a log on a read-only disk, where SQLite cannot lock. */
static int open_immutable(sqlite3 **db, const char *path)
{
    char *uri = malloc(3 * strlen(path) + 32), *out = uri;
    if (!uri)
        return SQLITE_NOMEM;
    out += sprintf(out, "file:");
    for (const unsigned char *c = (const unsigned char *)path; *c; c++)
        out += strchr("/-_.", *c) || (*c >= '0' && *c <= '9') || ((*c | 0x20) >= 'a' && (*c | 0x20) <= 'z')
                   ? sprintf(out, "%c", *c)
                   : sprintf(out, "%%%02X", *c);
    sprintf(out, "?immutable=1");
    const int code =
        sqlite3_open_v2(uri, db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, NULL);
    free(uri);
    return code;
}

/* ---- a log in memory ---- */

enum {
    HEADER_BYTES = 100,    /* https://www.sqlite.org/fileformat.html, section 1.3 */
    WRITE_VERSION_AT = 18, /* 2: WAL */
    READ_VERSION_AT = 19,
    PIECE_BYTES = 1 << 16 /* SQLite reads less than 128 KiB at a time */
};
static const int64_t MEMORY_BYTES_MAX = (int64_t)1 << 26; /* chosen: four times a log of 4000 answers */

/* While this connection reads, the file stays as it is if the write-ahead log is empty: nobody may write its pages back. */
static bool is_whole(sqlite3 *db)
{
    struct stat info;
    const char *wal = sqlite3_filename_wal(sqlite3_db_filename(db, "main"));
    return wal && (stat(wal, &info) != 0 || info.st_size == 0);
}

/* All bytes of the file, by SQLite's own descriptor: to close another one would release SQLite's locks. NULL: too many, or not read. */
static unsigned char *read_file(int64_t *len, sqlite3 *db)
{
    sqlite3_file *file = NULL;
    sqlite3_int64 size = 0;
    if (sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || !file->pMethods ||
        file->pMethods->xFileSize(file, &size) != SQLITE_OK || size < HEADER_BYTES || size > MEMORY_BYTES_MAX)
        return NULL;
    unsigned char *bytes = sqlite3_malloc64((sqlite3_uint64)size);
    for (sqlite3_int64 at = 0; bytes && at < size; at += PIECE_BYTES) {
        const int piece = (int)(size - at < PIECE_BYTES ? size - at : PIECE_BYTES);
        if (file->pMethods->xRead(file, bytes + at, piece, at) != SQLITE_OK) {
            sqlite3_free(bytes);
            bytes = NULL;
        }
    }
    *len = size;
    return bytes;
}

/* A database of these bytes, which it takes over. NULL: it cannot be made. */
static sqlite3 *open_bytes(unsigned char *bytes, int64_t len)
{
    sqlite3 *db = NULL;
    char map[60];
    snprintf(map, sizeof map, "PRAGMA mmap_size = %lld",
             (long long)MEMORY_BYTES_MAX); /* pages lie where they are */
    if (bytes[WRITE_VERSION_AT] == 2 &&
        bytes[READ_VERSION_AT] == 2) /* there is no write-ahead log in memory */
        bytes[WRITE_VERSION_AT] = bytes[READ_VERSION_AT] = 1;
    const bool is_open =
        sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK;
    if (!is_open)
        sqlite3_free(bytes);
    /* also where it fails, it takes the bytes over */
    if (is_open &&
        sqlite3_deserialize(db, "main", bytes, len, len,
                            SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY) == SQLITE_OK &&
        sqlite3_exec(db, map, NULL, NULL, NULL) == SQLITE_OK)
        return db;
    sqlite3_close(db);
    return NULL;
}

/* A log is read whole several times: to be checked, and by several statements. From memory that takes a third of the time, because SQLite
 * reads a file page by page, and copies each. A log that is written to just now, or a large one, stays on the disk. */
static void take_into_memory(sqlite3 **db)
{
    int64_t len = 0;
    unsigned char *bytes = NULL;
    if (sqlite3_exec(*db, "BEGIN; SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL) == SQLITE_OK &&
        is_whole(*db))
        bytes = read_file(&len, *db);
    if (!sqlite3_get_autocommit(*db))
        sqlite3_exec(*db, "ROLLBACK", NULL, NULL, NULL);
    sqlite3 *memory = bytes ? open_bytes(bytes, len) : NULL;
    if (!memory)
        return;
    sqlite3_close(*db);
    *db = memory;
}

/* SQLite counts the memory that it holds, under a lock that all threads share; nobody asks. */
void pov_log_file_prepare(void)
{
    (void)sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

static int open_for_reading(sqlite3 **db, const char *path)
{
    int code = sqlite3_open_v2(path, db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_exec(*db, "SELECT count(*) FROM sqlite_schema", NULL, NULL, NULL);
    if (code == SQLITE_CANTOPEN || code == SQLITE_READONLY) {
        sqlite3_close(*db);
        code = open_immutable(db, path);
        if (code != SQLITE_OK)
            return code;
    }
    take_into_memory(db);
    return SQLITE_OK; /* other faults show when it is read */
}

static pov_status open_database(pov_log_file *file, pov_log_opening opening)
{
    const int flags = SQLITE_OPEN_READWRITE | (opening == POV_LOG_MAY_CREATE ? SQLITE_OPEN_CREATE : 0);
    const int code = opening == POV_LOG_READ
                         ? open_for_reading(&file->db, file->path)
                         : sqlite3_open_v2(file->path, &file->db, flags | SQLITE_OPEN_NOMUTEX, NULL);
    if (code != SQLITE_OK)
        return pov_log_complain(file, "cannot be opened");
    if (opening != POV_LOG_READ && sqlite3_db_readonly(file->db, "main") == 1)
        return pov_error(
            "%s: cannot be written: it is read-only. 'pov report' and 'pov score' read it all the same",
            file->path);
    sqlite3_extended_result_codes(file->db, 0);
    sqlite3_busy_timeout(file->db, BUSY_MS);
    return distrust(file->db) ? pov_ok() : pov_log_complain(file, "cannot be opened");
}

/* Opens the file, and makes sure that it is a log of this version. */
static pov_status open_file(pov_log_file *file, pov_log_opening opening)
{
    struct stat info;
    const bool is_there = stat(file->path, &info) == 0;
    if (is_there && !S_ISREG(info.st_mode))
        return pov_error("%s: is not a file, so no log", file->path);
    if (!is_there && opening != POV_LOG_MAY_CREATE)
        return pov_error("%s: %s; %s makes logs", file->path, strerror(errno), file->kind->maker);
    POV_TRY(open_database(file, opening));
    int64_t tables;
    POV_TRY(pov_log_read_number(file, &tables, "SELECT count(*) FROM sqlite_schema"));
    if (opening == POV_LOG_READ) /* it is checked and read several times */
        POV_TRY(execute_sql(file, "PRAGMA cache_size = -16384", "cannot be read"));
    POV_TRY(check_log(file, tables, opening));
    if (opening == POV_LOG_READ)
        return pov_ok();
    if (!pov_log_checks_keep(file->db))
        return pov_log_complain(file, "cannot be written");
    POV_TRY(execute_sql(file, file->kind->settings, "cannot be written"));
    return execute_sql(file,
                       "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;",
                       "cannot be written");
}

pov_status pov_log_file_open(pov_log_file *file, const char *path, pov_log_opening opening,
                             const pov_log_kind *kind)
{
    POV_REQUIRE(kind->statement_len <= POV_LOG_STATEMENTS_MAX);
    *file = (pov_log_file){.kind = kind, .path = strdup(path)};
    const pov_status status = file->path ? open_file(file, opening) : pov_error("%s: out of memory", path);
    if (status.code != POV_OK)
        pov_log_file_close(file);
    return status;
}

void pov_log_file_close(pov_log_file *file)
{
    for (int i = 0; i < POV_LOG_STATEMENTS_MAX; i++)
        sqlite3_finalize(file->statements[i]);
    sqlite3_close(file->db);
    free(file->path);
    *file = (pov_log_file){.db = NULL};
}

/* ---- statements ---- */

void pov_log_let_go(pov_log_file *file)
{
    for (int i = 0; i < file->kind->statement_len; i++)
        sqlite3_reset(file->statements[i]);
}

sqlite3_stmt *pov_log_statement(pov_log_file *file, int which)
{
    if (!file->statements[which])
        sqlite3_prepare_v3(file->db, file->kind->sql[which], -1, SQLITE_PREPARE_PERSISTENT,
                           &file->statements[which], NULL);
    return file->statements[which];
}

static sqlite3_stmt *start_statement(pov_log_file *file, int which, const pov_log_value *values, int len)
{
    pov_log_let_go(file);
    sqlite3_stmt *s = pov_log_statement(file, which);
    sqlite3_clear_bindings(s);
    for (int i = 0; i < len; i++) {
        const pov_log_value *v = &values[i];
        if (v->kind == POV_LOG_INTEGER)
            sqlite3_bind_int64(s, i + 1, v->integer);
        else if (v->kind == POV_LOG_NUMBER)
            sqlite3_bind_double(s, i + 1, v->number);
        else if (v->kind == POV_LOG_TEXT)
            sqlite3_bind_text(s, i + 1, v->bytes, -1, SQLITE_STATIC);
        else
            sqlite3_bind_blob64(s, i + 1, v->bytes, v->len, SQLITE_STATIC);
    }
    return s;
}

pov_status pov_log_write(pov_log_file *file, int which, const pov_log_value *values, int len)
{
    sqlite3_stmt *s = start_statement(file, which, values, len);
    const int code = sqlite3_step(s);
    const pov_status status = code == SQLITE_DONE ? pov_ok() : pov_log_complain(file, "cannot be written");
    sqlite3_reset(s);
    return status;
}

pov_status pov_log_fetch(pov_log_file *file, sqlite3_stmt **row, int which, const pov_log_value *values,
                         int len)
{
    *row = start_statement(file, which, values, len);
    return pov_log_next(file, *row);
}

pov_status pov_log_next(const pov_log_file *file, sqlite3_stmt *row)
{
    const int code = sqlite3_step(row);
    if (code == SQLITE_ROW)
        return pov_ok();
    const pov_status status =
        code == SQLITE_DONE ? pov_status_of(POV_END) : pov_log_complain(file, "cannot be read");
    sqlite3_reset(row);
    return status;
}

pov_status pov_log_begin(pov_log_file *file)
{
    pov_log_let_go(file);
    return sqlite3_exec(file->db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK
               ? pov_ok()
               : pov_log_complain(file, "cannot be written");
}

pov_status pov_log_finish(const pov_log_file *file, pov_status status)
{
    if (status.code == POV_OK && sqlite3_exec(file->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        status = pov_log_complain(file, "cannot be written");
    if (status.code != POV_OK)
        sqlite3_exec(file->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

pov_status pov_log_shrink(pov_log_file *file)
{
    int64_t busy;
    pov_log_let_go(file);
    for (int i = 0; i < 2; i++) {
        POV_TRY(pov_log_read_number(file, &busy, "PRAGMA wal_checkpoint(TRUNCATE)"));
        if (busy)
            return pov_error(
                "%s: another program reads it, so that old pages had to stay; end that one, and do "
                "this again",
                file->path);
        if (i == 0)
            POV_TRY(pov_log_execute(file, "VACUUM"));
    }
    return pov_ok();
}
