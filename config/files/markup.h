/** Text made safe for HTML, XML and CSV. */
#pragma once

#include <stdio.h>

/** Writes &, <, >, " and ' as entities, white space as ' ', other control characters as '?',
 *  bytes that are not UTF-8 as U+FFFD. */
void pov_markup_text(FILE *stream, const char *text);
/** Writes a field of a line of CSV (RFC 4180): in quotes where it must be. */
void pov_markup_csv(FILE *stream, const char *text);
