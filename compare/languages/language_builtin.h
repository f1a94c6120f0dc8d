/** The languages of share/languages/, which are built into the program. */
#pragma once

#include "config/files/embedded.h"

extern const pov_embedded_file POV_BUILTIN_LANGUAGES[];
