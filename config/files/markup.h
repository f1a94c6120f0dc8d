/** Text made safe for HTML and XML. */
#pragma once

#include <stdio.h>

/** Writes &, <, >, " and ' as entities, white space as ' ', other control characters as '?',
 *  bytes that are not UTF-8 as U+FFFD. */
void pov_markup_text(FILE *stream, const char *text);
