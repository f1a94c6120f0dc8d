/** A language file to be filled in (docs/LANGUAGES.md). */
#pragma once

#include "compare/languages/language.h"

#include <stdio.h>

/** Writes it, with English beside each place: `english` is the built-in one. */
void pov_language_template_write(FILE *stream, const char *code, const pov_language *english);
