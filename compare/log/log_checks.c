#include "compare/log/log_checks.h"

#include "config/files/digest.h"
#include "config/files/text.h"

#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char pov_log_checks_schema[] =
    "CREATE TABLE row_checks (of TEXT NOT NULL, row INTEGER NOT NULL, checksum TEXT NOT NULL,"
    "  PRIMARY KEY (of, row)) WITHOUT ROWID;";

/* ---- the checksum of a row ---- */

enum { CHECKSUM_DIGITS = 16 };

/* A row as it is hashed. */
typedef struct {
    pov_text bytes;
    pov_digest_maker *digest;
} hashed_row;

static void add_type(hashed_row *row, int type)
{
    const char byte = (char)type;
    pov_text_add_bytes(&row->bytes, &byte, 1);
}

/* Numbers are in the machine's byte order: little-endian on all that pov runs on. */
static void add_integer(hashed_row *row, int64_t integer)
{
    pov_text_add_bytes(&row->bytes, (const char *)&integer, sizeof integer);
}

static void add_number(hashed_row *row, double number)
{
    pov_text_add_bytes(&row->bytes, (const char *)&number, sizeof number);
}

static void add_bytes(hashed_row *row, const void *bytes, int len)
{
    add_integer(row, len);
    if (len > 0)
        pov_text_add_bytes(&row->bytes, bytes, (size_t)len);
}

static void add_value(hashed_row *row, sqlite3_value *value)
{
    const int type = sqlite3_value_type(value);
    add_type(row, type);
    if (type == SQLITE_INTEGER) {
        add_integer(row, sqlite3_value_int64(value));
    } else if (type == SQLITE_FLOAT) {
        add_number(row, sqlite3_value_double(value));
    } else if (type != SQLITE_NULL) {
        const void *bytes = sqlite3_value_blob(value);
        add_bytes(row, bytes, sqlite3_value_bytes(value));
    }
}

/* The same of a statement's column. A text's bytes are taken as they lie in the file, which is UTF-8: as text SQLite would copy each. */
static void add_column(hashed_row *row, sqlite3_stmt *statement, int column)
{
    const int type = sqlite3_column_type(statement, column);
    add_type(row, type);
    if (type == SQLITE_INTEGER) {
        add_integer(row, sqlite3_column_int64(statement, column));
    } else if (type == SQLITE_FLOAT) {
        add_number(row, sqlite3_column_double(statement, column));
    } else if (type != SQLITE_NULL) {
        const void *bytes = sqlite3_column_blob(statement, column);
        add_bytes(row, bytes, sqlite3_column_bytes(statement, column));
    }
}

/* The first digits of the SHA-256 of all columns with their types. */
static void finish_row(hashed_row *row, char digits[POV_DIGEST_CAPACITY])
{
    pov_digest_make(row->digest, digits, pov_text_of(&row->bytes), row->bytes.len);
    digits[CHECKSUM_DIGITS] = '\0';
}

static void checksum_row(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    char digits[POV_DIGEST_CAPACITY];
    hashed_row *row = sqlite3_user_data(context);
    row->bytes.len = 0;
    for (int i = 0; i < argc; i++)
        add_value(row, argv[i]);
    finish_row(row, digits);
    sqlite3_result_text(context, digits, CHECKSUM_DIGITS, SQLITE_TRANSIENT);
}

static void free_row(void *user)
{
    hashed_row *row = user;
    pov_text_free(&row->bytes);
    pov_digest_maker_destroy(&row->digest);
    free(row);
}

bool pov_log_checks_define(sqlite3 *db)
{
    hashed_row *row = pov_allocate(1, sizeof *row); /* the connection's, freed with it */
    row->digest = pov_digest_maker_new();
    return sqlite3_create_function_v2(db, "pov_row_checksum", -1,
                                      SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, row,
                                      checksum_row, NULL, NULL, free_row) == SQLITE_OK;
}

/* ---- SQL about every table ---- */

/* "NEW.id, NEW.run, ..." to be freed by sqlite3_free; NULL without memory. */
static char *list_columns(sqlite3 *db, const char *table, const char *of)
{
    sqlite3_stmt *statement = NULL;
    char *list = NULL;
    if (sqlite3_prepare_v2(
            db, "SELECT group_concat(?2 || '.\"' || name || '\"', ', ') FROM pragma_table_info(?1)", -1,
            &statement, NULL) == SQLITE_OK) {
        sqlite3_bind_text(statement, 1, table, -1, SQLITE_STATIC);
        sqlite3_bind_text(statement, 2, of, -1, SQLITE_STATIC);
        if (sqlite3_step(statement) == SQLITE_ROW)
            list = sqlite3_mprintf("%s", sqlite3_column_text(statement, 0));
    }
    sqlite3_finalize(statement);
    return list;
}

typedef bool table_work(sqlite3 *db, const char *table, void *user);

static bool for_each_table(sqlite3 *db, table_work *work, void *user)
{
    sqlite3_stmt *tables = NULL;
    bool worked =
        sqlite3_prepare_v2(db,
                           "SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name <> 'row_checks'"
                           " AND name NOT LIKE 'sqlite!_%' ESCAPE '!'",
                           -1, &tables, NULL) == SQLITE_OK;
    while (worked) {
        const int code = sqlite3_step(tables);
        if (code != SQLITE_ROW) {
            worked = code == SQLITE_DONE;
            break;
        }
        char *table = sqlite3_mprintf("%s", sqlite3_column_text(tables, 0));
        worked = table && work(db, table, user);
        sqlite3_free(table);
    }
    sqlite3_finalize(tables);
    return worked;
}

/* Takes the SQL over. */
static bool execute(sqlite3 *db, char *sql)
{
    const bool worked = sql && sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK;
    sqlite3_free(sql);
    return worked;
}

static bool keep_table(sqlite3 *db, const char *table, void *user)
{
    (void)user;
    char *columns = list_columns(db, table, "NEW");
    const bool worked =
        columns &&
        execute(db,
                sqlite3_mprintf(
                    "CREATE TEMP TRIGGER \"check_added_%w\" AFTER INSERT ON main.\"%w\" BEGIN"
                    " INSERT OR REPLACE INTO row_checks VALUES (%Q, NEW.rowid, pov_row_checksum(%s)); END;"
                    "CREATE TEMP TRIGGER \"check_changed_%w\" AFTER UPDATE ON main.\"%w\" BEGIN"
                    " INSERT OR REPLACE INTO row_checks VALUES (%Q, NEW.rowid, pov_row_checksum(%s)); END;"
                    "CREATE TEMP TRIGGER \"check_gone_%w\" AFTER DELETE ON main.\"%w\" BEGIN"
                    " DELETE FROM row_checks WHERE of = %Q AND row = OLD.rowid; END;",
                    table, table, table, columns, table, table, table, columns, table, table, table));
    sqlite3_free(columns);
    return worked;
}

bool pov_log_checks_keep(sqlite3 *db)
{
    return for_each_table(db, keep_table, NULL);
}

static bool fill_table(sqlite3 *db, const char *table, void *user)
{
    (void)user;
    char *columns = list_columns(db, table, "t");
    const bool worked =
        columns && execute(db, sqlite3_mprintf(
                                   "INSERT OR IGNORE INTO row_checks SELECT %Q, t.rowid, pov_row_checksum(%s)"
                                   " FROM main.\"%w\" AS t",
                                   table, columns, table));
    sqlite3_free(columns);
    return worked;
}

bool pov_log_checks_fill(sqlite3 *db)
{
    return for_each_table(db, fill_table, NULL);
}

/* ---- comparing ---- */

typedef struct {
    pov_log_damage *damage;
    bool remove;
    hashed_row row;
} comparing;

/* Rows as "results 17, 18; images 3". */
static void name_row(pov_log_damage *damage, const char *table, int64_t row, bool is_first)
{
    const size_t used = strlen(damage->which);
    damage->rows++;
    if (used > POV_LOG_DAMAGE_CAPACITY - 40)
        return;
    if (is_first)
        snprintf(damage->which + used, POV_LOG_DAMAGE_CAPACITY - used, "%s%.20s %lld", used ? "; " : "",
                 table, (long long)row);
    else
        snprintf(damage->which + used, POV_LOG_DAMAGE_CAPACITY - used, ", %lld", (long long)row);
}

/* Whether a row, whose columns follow its number, has this checksum. */
static bool has_checksum(hashed_row *row, sqlite3_stmt *columns, sqlite3_stmt *check)
{
    char digits[POV_DIGEST_CAPACITY];
    const int len = sqlite3_column_count(columns);
    const char *text = (const char *)sqlite3_column_text(check, 1);
    row->bytes.len = 0;
    for (int i = 1; i < len; i++)
        add_column(row, columns, i);
    finish_row(row, digits);
    return strcmp(digits, text ? text : "") == 0;
}

/* The next row; false behind the last, `code` then says whether that is the end. */
static bool next_row(sqlite3_stmt *rows, int *code)
{
    *code = sqlite3_step(rows);
    return *code == SQLITE_ROW;
}

/* Both in the order of their rows: a row without a checksum, a checksum without a row, and those that differ are named. */
static bool name_rows(comparing *c, sqlite3_stmt *rows, sqlite3_stmt *checks, const char *table)
{
    int row_code, check_code;
    bool is_first = true, has_row = next_row(rows, &row_code), has_check = next_row(checks, &check_code);
    while (has_row || has_check) {
        const int64_t row = has_row ? sqlite3_column_int64(rows, 0) : INT64_MAX,
                      check = has_check ? sqlite3_column_int64(checks, 0) : INT64_MAX;
        const bool is_same = row == check && has_row && has_check && has_checksum(&c->row, rows, checks);
        if (!is_same) {
            name_row(c->damage, table, row < check ? row : check, is_first);
            is_first = false;
        }
        if (has_row && row <= check)
            has_row = next_row(rows, &row_code);
        if (has_check && check <= row)
            has_check = next_row(checks, &check_code);
    }
    return row_code == SQLITE_DONE && check_code == SQLITE_DONE;
}

/* Takes the SQL over. NULL: it cannot be prepared. */
static sqlite3_stmt *prepare(sqlite3 *db, char *sql)
{
    sqlite3_stmt *statement = NULL;
    if (sql && sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
        statement = NULL;
    sqlite3_free(sql);
    return statement;
}

static bool compare_table(sqlite3 *db, const char *table, void *user)
{
    comparing *c = user;
    char *columns = list_columns(db, table, "t");
    const int before = c->damage->rows;
    if (!columns)
        return false;
    sqlite3_stmt *rows =
                     prepare(db, sqlite3_mprintf("SELECT t.rowid, %s FROM main.\"%w\" AS t ORDER BY t.rowid",
                                                 columns, table)),
                 *checks = prepare(
                     db, sqlite3_mprintf("SELECT row, checksum FROM row_checks WHERE of = %Q ORDER BY row",
                                         table));
    bool worked = rows && checks && name_rows(c, rows, checks, table);
    sqlite3_finalize(rows);
    sqlite3_finalize(checks);
    if (worked && c->remove && c->damage->rows > before)
        worked = execute(
            db, sqlite3_mprintf(
                    "DELETE FROM main.\"%w\" AS t WHERE (SELECT c.checksum FROM row_checks c WHERE c.of = %Q"
                    " AND c.row = t.rowid) IS NOT pov_row_checksum(%s)",
                    table, table, columns));
    sqlite3_free(columns);
    return worked;
}

bool pov_log_checks_compare(sqlite3 *db, pov_log_damage *damage, bool remove)
{
    comparing c = {.damage = damage, .remove = remove, .row = {.digest = pov_digest_maker_new()}};
    *damage = (pov_log_damage){.rows = 0};
    const bool worked = for_each_table(db, compare_table, &c);
    pov_text_free(&c.row.bytes);
    pov_digest_maker_destroy(&c.row.digest);
    return worked;
}

void pov_log_damage_describe(char text[POV_LOG_DAMAGE_CAPACITY + 60], const pov_log_damage *damage)
{
    snprintf(text, POV_LOG_DAMAGE_CAPACITY + 60, "%d row%s not what pov wrote (%s)", damage->rows,
             damage->rows == 1 ? " is" : "s are", damage->which);
}
