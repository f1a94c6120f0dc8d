/** The files of the folder languages, as the build puts them into the program. */
#ifndef POV_COMPARE_LANGUAGES_LANGUAGE_BUILTIN_H
#define POV_COMPARE_LANGUAGES_LANGUAGE_BUILTIN_H

#include <stddef.h>

typedef struct {
    const char *name; /* as in complaints */
    const unsigned char *bytes;
    size_t len;
} pov_builtin_file;

enum { POV_BUILTIN_LANGUAGE_FILES = 2 };
extern const pov_builtin_file POV_BUILTIN_LANGUAGES[POV_BUILTIN_LANGUAGE_FILES];

#endif
