/** What the generators share. */
#ifndef POV_SIM_WORLDS_WORLD_INTERNAL_H
#define POV_SIM_WORLDS_WORLD_INTERNAL_H

#include "sim/worlds/world.h"

/* Appends a plain thing of a class, named after it: "mug", "mug 2". */
pov_world_thing *pov_world_add(pov_world *world, const char *class_name);
void pov_world_name(pov_world *world, pov_world_thing *thing);

void pov_world_generate_vpt(pov_world *world, int index);
void pov_world_generate_tabletop(pov_world *world, int index);

#endif
