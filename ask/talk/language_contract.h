/** A language's rules must have the parts that the code relies on. Only ask/talk and the tests of grammars use this. */
#pragma once

#include "ask/grammar/grammar.h"

/** POV_ERROR: names the file, line and rule of an alternative that lacks a part or a meaning. In: name: of the grammar's file. */
POV_MUST_USE pov_status pov_language_rules_check(const pov_grammar *grammar, const char *name);
