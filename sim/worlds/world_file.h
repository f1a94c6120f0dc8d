/** Worlds as small YAML files; docs/SIMULATOR.md lists the keys. */
#pragma once

#include "sim/worlds/world.h"

#include <stddef.h>

/** Reads a world in one of its variants: NULL or "" the plain one, "a" the one of that name, "a+b" both, b over a.
 *  Returns: POV_ERROR naming file, line, key and how to mend it: also for mistakes in other variants than the one asked
 *           for, and naming the nearest one for a variant that is not there. The world is then not to be used. */
POV_MUST_USE pov_status pov_world_file_read(pov_world *world, const char *path, const char *variant);
/** The same from memory; `name` stands for the path in messages and for the paths that the file names. */
POV_MUST_USE pov_status pov_world_file_parse(pov_world *world, const char *name, const char *text,
                                             size_t length, const char *variant);
