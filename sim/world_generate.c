#include "sim/world_generate.h"

pov_status pov_world_generate(pov_world *world, int index)
{
    (void)index;
    return pov_error("%s: no generator yet", world->name);
}
