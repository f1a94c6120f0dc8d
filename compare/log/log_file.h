/** The parts that all logs share: an SQLite file in WAL mode with synchronous=FULL, of a known schema, each row with a checksum.
 *  A call that returned POV_OK has reached the disk. One thread owns a log; other processes may have it open, too. */
#pragma once

#include "compare/log/log_checks.h"

#include <stddef.h>
#include <stdint.h>

struct sqlite3;
struct sqlite3_stmt;

typedef enum {
    POV_LOG_MUST_EXIST,
    POV_LOG_MAY_CREATE,
    POV_LOG_READ /* the log does not change, and may lie on a read-only disk */
} pov_log_opening;

/** A kind of log. */
typedef struct {
    int application_id, version; /* in the file's header: SQLite files of others have another number there */
    const char *maker;           /* "'pov sweep'" */
    const char *schema, *settings; /* settings: further pragmas, or "" */
    const char *const *sql;        /* of the statements */
    int statement_len;
} pov_log_kind;

enum { POV_LOG_STATEMENTS_MAX = 32 };

typedef struct {
    struct sqlite3 *db;
    char *path;
    const pov_log_kind *kind;
    struct sqlite3_stmt *statements[POV_LOG_STATEMENTS_MAX]; /* prepared when first used */
    pov_log_damage damage;                                   /* found by POV_LOG_READ, and left out */
} pov_log_file;

/** Before the first log is opened, by a program that is going to read logs on several threads: they then wait less for one another. Without
 *  effect if a log is open. */
void pov_log_file_prepare(void);
/** Every row is compared with its checksum. POV_LOG_READ leaves damaged rows out and tells them in `damage`.
 *  Returns: POV_ERROR, and leaves the file as it is, if it is of another kind, from a later version, or damaged (by POV_LOG_READ: so
 *  that it cannot be read), or holds what no log of this kind does (a trigger, a view). */
POV_MUST_USE pov_status pov_log_file_open(pov_log_file *file, const char *path, pov_log_opening opening,
                                          const pov_log_kind *kind);
void pov_log_file_close(pov_log_file *file);
/** True if a file's header says that it is a log of this kind. */
bool pov_log_file_is(const char *path, int application_id);

/** SQLite's complaint, with the path and what to do. */
pov_status pov_log_complain(const pov_log_file *file, const char *what);

/** Runs SQL that returns nothing; reads the first number that it returns, 0 if there is none. */
POV_MUST_USE pov_status pov_log_execute(const pov_log_file *file, const char *sql);
POV_MUST_USE pov_status pov_log_read_number(const pov_log_file *file, int64_t *number, const char *sql);

/** Borrowed from the statement; NULL if the column is. */
const char *pov_log_text_at(struct sqlite3_stmt *statement, int column);
/** NaN if the column is NULL. */
double pov_log_number_at(struct sqlite3_stmt *statement, int column);

/** A statement's parameter; text and blobs are borrowed until the statement has run. NULL is NULL, NaN becomes NULL. */
typedef struct {
    enum { POV_LOG_INTEGER, POV_LOG_NUMBER, POV_LOG_TEXT, POV_LOG_BLOB } kind;
    int64_t integer;
    double number;
    const void *bytes;
    size_t len; /* of a blob */
} pov_log_value;

static inline pov_log_value pov_log_integer(int64_t integer)
{
    return (pov_log_value){.kind = POV_LOG_INTEGER, .integer = integer};
}
static inline pov_log_value pov_log_number(double number)
{
    return (pov_log_value){.kind = POV_LOG_NUMBER, .number = number};
}
static inline pov_log_value pov_log_text(const char *text)
{
    return (pov_log_value){.kind = POV_LOG_TEXT, .bytes = text};
}
#define POV_LOG_VALUE(X)                                                                                     \
    _Generic((X), double: pov_log_number, char *: pov_log_text, const char *: pov_log_text, default: pov_log_integer)(X)

/** One of the kind's statements. NULL if it cannot be prepared: SQLite complains of that at each call. */
struct sqlite3_stmt *pov_log_statement(pov_log_file *file, int which);
/** Lets all statements go: one that still holds a row holds the log as it was then, and nothing could be written. */
void pov_log_let_go(pov_log_file *file);

/** Runs a statement that returns nothing, after letting all statements go. */
POV_MUST_USE pov_status pov_log_write(pov_log_file *file, int which, const pov_log_value *values, int len);
/** The first row that a statement returns, after letting all statements go; or POV_END. */
POV_MUST_USE pov_status pov_log_fetch(pov_log_file *file, struct sqlite3_stmt **row, int which,
                                      const pov_log_value *values, int len);
/** The next row, or POV_END; it lasts until the statement is started again. */
POV_MUST_USE pov_status pov_log_next(const pov_log_file *file, struct sqlite3_stmt *row);

/* Parameters follow: POV_LOG_WRITE(file, which, POV_LOG_VALUE(3), ...). */
#define POV_LOG_VALUES(...)                                                                                  \
    (const pov_log_value[]){__VA_ARGS__},                                                                    \
        (int)(sizeof((const pov_log_value[]){__VA_ARGS__}) / sizeof(pov_log_value))
#define POV_LOG_WRITE(FILE, WHICH, ...)      pov_log_write(FILE, WHICH, POV_LOG_VALUES(__VA_ARGS__))
#define POV_LOG_FETCH(FILE, ROW, WHICH, ...) pov_log_fetch(FILE, ROW, WHICH, POV_LOG_VALUES(__VA_ARGS__))

POV_MUST_USE pov_status pov_log_begin(pov_log_file *file);
/** Commits if `status` is POV_OK, else undoes all. Returns: `status`, or what went wrong. */
POV_MUST_USE pov_status pov_log_finish(const pov_log_file *file, pov_status status);

/** After rows were deleted: the write-ahead log's frames go into the file, and it is emptied, before and after the file is written again:
 *  nothing of those rows is left. POV_ERROR if another program reads it. */
POV_MUST_USE pov_status pov_log_shrink(pov_log_file *file);
