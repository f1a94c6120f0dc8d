/** Files that are built into the program, which then needs none beside it (tools/embed.cmake). */
#pragma once

#include <stddef.h>

/** A table of these ends with one whose name is NULL. */
typedef struct {
    const char *name;
    const unsigned char *bytes; /* a zero follows, which `len` does not count */
    size_t len;
} pov_embedded_file;

/** The file of that name, or NULL. */
const pov_embedded_file *pov_embedded_find(const pov_embedded_file *table, const char *name);
