/** Which things of a world have bodies of sweethome3d-furniture. */
#ifndef POV_SIM_WORLDS_WORLD_BODIES_H
#define POV_SIM_WORLDS_WORLD_BODIES_H

#include "sim/worlds/world.h"

/** Gives the package's bodies to the things that may have them: those of plain looks, where the package is in `folder`, has
 *  such a body, and its proportions are much the thing's own. Balls keep ours: they are found by outline and colour. Sizes
 *  and places stay; eyes move to the body's. Call it again when the world's things are made anew. */
void pov_world_take_package(pov_world *world, const char *folder);

#endif
