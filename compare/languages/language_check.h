/** Whether a language's sentences can be asked and its answers told apart: what the built-in languages are tested for, for a file that
 *  somebody fills in. Pure. */
#pragma once

#include "compare/languages/language.h"

/** A template's blank, for a speaker to fill in. */
#define POV_LANGUAGE_BLANK "___"

/** Every sentence about every two of its nouns is whole and names them; the 16 sentences about a pair differ; each word for yes and no is
 *  read as such, and neither nouns nor relations say yes or no; no place of a template was left blank.
 *  Returns: POV_ERROR naming the language, the sentence or word, and what is wrong. */
POV_MUST_USE pov_status pov_language_check(const pov_language *language);
