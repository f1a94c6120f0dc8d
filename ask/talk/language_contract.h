/** What the code takes for granted of a language's rules. Used by ask/talk only, and by the tests of grammars. */
#pragma once

#include "ask/grammar/grammar.h"

/** POV_ERROR: names the file, line and rule of an alternative that lacks a part or a meaning. In: name: of the grammar's file. */
POV_MUST_USE pov_status pov_language_rules_check(const pov_grammar *grammar, const char *name);
