/** The worlds that the program brings along, from the folder share/worlds/. */
#ifndef POV_SIM_WORLDS_SHIPPED_WORLDS_H
#define POV_SIM_WORLDS_SHIPPED_WORLDS_H

#include <stddef.h>

typedef struct {
    const char *name; /* "station" */
    const char *yaml;
    size_t length;
} pov_shipped_world;

/** By name. */
const pov_shipped_world *pov_shipped_worlds(int *len);
/** The world of that name, or NULL. */
const pov_shipped_world *pov_shipped_world_find(const char *name);

#endif
