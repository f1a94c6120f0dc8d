/** The worlds that the program brings along, from the folder share/worlds/. */
#pragma once

#include "config/files/embedded.h"

/** "station", ..., sorted by name; YAML. */
extern const pov_embedded_file POV_SHIPPED_WORLDS[];
