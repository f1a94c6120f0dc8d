/** A checksum of every row of a log, in a table of its own: what a disk or a person changes afterwards is found. Triggers that live
 *  only as long as the connection keep it, in the transaction of the row itself. */
#pragma once

#include "perception/status.h"

struct sqlite3;

/** The table's SQL, part of every log's schema. */
extern const char pov_log_checks_schema[];

enum { POV_LOG_DAMAGE_CAPACITY = 200 };

/** Rows that are not as they were written. */
typedef struct {
    int rows;
    char which[POV_LOG_DAMAGE_CAPACITY]; /* the first of them: "results 17, 18; images 3" */
} pov_log_damage;

/** "3 rows are not what pov wrote (results 17, 18; images 3)". */
void pov_log_damage_describe(char text[POV_LOG_DAMAGE_CAPACITY + 60], const pov_log_damage *damage);

/* Each returns false with SQLite's error set on the connection. */

/** Defines pov_row_checksum(column, ...) in SQL. */
bool pov_log_checks_define(struct sqlite3 *db);
/** From now on rows that are written are given a checksum. */
bool pov_log_checks_keep(struct sqlite3 *db);
/** Gives each row of a log that has none yet a checksum. */
bool pov_log_checks_fill(struct sqlite3 *db);
/** Compares all. `remove` takes damaged rows out of the database, and checksums without a row. */
bool pov_log_checks_compare(struct sqlite3 *db, pov_log_damage *damage, bool remove);
