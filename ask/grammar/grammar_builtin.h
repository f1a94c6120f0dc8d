/** The grammars of share/languages/ask, which are built into the program; English is the first. */
#pragma once

#include <stddef.h>

typedef struct {
    const char *name;
    const unsigned char *text;
    size_t length;
    const unsigned char *words; /* of share/languages/words; NULL: there are none */
    size_t words_length;
} pov_builtin_grammar;

extern const pov_builtin_grammar pov_builtin_grammars[];
extern const int pov_builtin_grammar_len;
/** Rules that languages have in common. */
extern const pov_builtin_grammar pov_builtin_common;
