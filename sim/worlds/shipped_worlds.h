/** The worlds that the program brings along, from the folder share/worlds/. */
#ifndef POV_SIM_WORLDS_SHIPPED_WORLDS_H
#define POV_SIM_WORLDS_SHIPPED_WORLDS_H

#include "config/files/embedded.h"

/** "station", ..., sorted by name; YAML. */
extern const pov_embedded_file POV_SHIPPED_WORLDS[];

#endif
