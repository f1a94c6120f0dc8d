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

static void add_value(pov_text *row, sqlite3_value *value)
{
    const char type = (char)sqlite3_value_type(value);
    int64_t integer = 0;
    double number = 0;
    pov_text_add_bytes(row, &type, 1);
    switch (type) {
    case SQLITE_INTEGER:
        integer = sqlite3_value_int64(value);
        pov_text_add_bytes(row, (const char *)&integer, sizeof integer);
        break;
    case SQLITE_FLOAT:
        number = sqlite3_value_double(value);
        pov_text_add_bytes(row, (const char *)&number, sizeof number);
        break;
    case SQLITE_NULL:
        break;
    default: {
        const char *bytes = sqlite3_value_blob(value);
        integer = sqlite3_value_bytes(value);
        pov_text_add_bytes(row, (const char *)&integer, sizeof integer);
        if (integer > 0)
            pov_text_add_bytes(row, bytes, (size_t)integer);
    }
    }
}

/* The first 16 digits of the SHA-256 of all columns with their types. Numbers are in the machine's byte order: little-endian on all
 * that pov runs on. */
static void checksum_row(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    char digits[POV_DIGEST_CAPACITY];
    pov_text *row = sqlite3_user_data(context);
    pov_text_clear(row);
    for (int i = 0; i < argc; i++)
        add_value(row, argv[i]);
    pov_digest(digits, pov_text_of(row), row->len);
    sqlite3_result_text(context, digits, 16, SQLITE_TRANSIENT);
}

static void free_row(void *row)
{
    pov_text_free(row);
    free(row);
}

bool pov_log_checks_define(sqlite3 *db)
{
    pov_text *row = pov_allocate(1, sizeof *row); /* the connection's, freed with it */
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

static const char *checksum_at(sqlite3_stmt *statement)
{
    const char *text = (const char *)sqlite3_column_text(statement, 1);
    return text ? text : "";
}

/* The next row; false behind the last, `code` then says whether that is the end. */
static bool next_row(sqlite3_stmt *rows, int *code)
{
    *code = sqlite3_step(rows);
    return *code == SQLITE_ROW;
}

/* Both in the order of their rows: a row without a checksum, a checksum without a row, and those that differ are named. */
static bool name_rows(sqlite3_stmt *rows, sqlite3_stmt *checks, pov_log_damage *damage, const char *table)
{
    int row_code, check_code;
    bool is_first = true, has_row = next_row(rows, &row_code), has_check = next_row(checks, &check_code);
    while (has_row || has_check) {
        const int64_t row = has_row ? sqlite3_column_int64(rows, 0) : INT64_MAX,
                      check = has_check ? sqlite3_column_int64(checks, 0) : INT64_MAX;
        const bool is_same =
            row == check && has_row && has_check && strcmp(checksum_at(rows), checksum_at(checks)) == 0;
        if (!is_same) {
            name_row(damage, table, row < check ? row : check, is_first);
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
    const comparing *c = user;
    char *columns = list_columns(db, table, "t");
    const int before = c->damage->rows;
    if (!columns)
        return false;
    sqlite3_stmt *rows =
                     prepare(db, sqlite3_mprintf("SELECT t.rowid, pov_row_checksum(%s) FROM main.\"%w\" AS t"
                                                 " ORDER BY t.rowid",
                                                 columns, table)),
                 *checks = prepare(
                     db, sqlite3_mprintf("SELECT row, checksum FROM row_checks WHERE of = %Q ORDER BY row",
                                         table));
    bool worked = rows && checks && name_rows(rows, checks, c->damage, table);
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
    comparing c = {damage, remove};
    *damage = (pov_log_damage){.rows = 0};
    return for_each_table(db, compare_table, &c);
}

void pov_log_damage_describe(char text[POV_LOG_DAMAGE_CAPACITY + 60], const pov_log_damage *damage)
{
    snprintf(text, POV_LOG_DAMAGE_CAPACITY + 60, "%d row%s not what pov wrote (%s)", damage->rows,
             damage->rows == 1 ? " is" : "s are", damage->which);
}
