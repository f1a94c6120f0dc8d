/** Where things that follow a path are at a time, and the light. */
#ifndef POV_SIM_WORLDS_WORLD_PATH_H
#define POV_SIM_WORLDS_WORLD_PATH_H

#include "sim/worlds/world.h"

/** How long after the start image `index` is taken. */
double pov_world_time_s(const pov_world *world, int index);
/** Puts what follows a path where it is then, and the light. Settle the world first. */
void pov_world_move(pov_world *world, double time_s);
bool pov_world_has_paths(const pov_world *world);

#endif
