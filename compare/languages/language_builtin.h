/** The languages of share/languages/, which are built into the program. */
#ifndef POV_COMPARE_LANGUAGES_LANGUAGE_BUILTIN_H
#define POV_COMPARE_LANGUAGES_LANGUAGE_BUILTIN_H

#include "config/files/embedded.h"

extern const pov_embedded_file POV_BUILTIN_LANGUAGES[];

#endif
