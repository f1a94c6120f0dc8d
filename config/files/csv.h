/** Comma-separated values (RFC 4180), as labs and spreadsheets write them: comma, semicolon or tab; quoted fields may hold
 *  separators, line breaks and doubled quotes. Blanks around fields, empty lines and a byte order mark are passed over, and the
 *  apostrophe of pov_csv_write. */
#pragma once

#include "perception/status.h"

#include <stddef.h>
#include <stdio.h>

enum { POV_CSV_FIELDS_MAX = 1024 };

typedef struct {
    const char *name, *at, *end; /* name: the path in messages */
    char separator;
    int line;       /* of `at`, from 1 */
    bool commented; /* lines that start with '#' are comments everywhere, not only before the first row */
    char *text;     /* the fields of the row */
    int row_line;   /* where the row starts */
    int len;
    char *fields[POV_CSV_FIELDS_MAX]; /* of the row; valid until the next */
} pov_csv;

/** An error if a text has a zero byte, as UTF-16 has. */
POV_MUST_USE pov_status pov_csv_check_text(const char *name, const char *text, size_t length);

/** Starts reading; name and text are borrowed. End with pov_csv_end, also after an error. */
POV_MUST_USE pov_status pov_csv_begin(pov_csv *csv, const char *name, const char *text, size_t length,
                                      bool commented);
/** The next row. Returns: POV_END after the last; POV_ERROR naming file, line and how to mend it. */
POV_MUST_USE pov_status pov_csv_next(pov_csv *csv);
void pov_csv_end(pov_csv *csv);

/** Writes a field of a line: in quotes where it must be. Text that a spreadsheet would run as a formula (it begins with =, +, -,
 *  @, a tab or a carriage return, and is not a number) gets an apostrophe in front, which pov_csv_next takes away again. */
void pov_csv_write(FILE *stream, const char *text);
