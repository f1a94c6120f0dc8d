#include "sim/worlds/world_generate.h"

#include "sim/worlds/world_internal.h"

#include <stdio.h>
#include <string.h>

pov_world_thing *pov_world_add(pov_world *world, const char *class_name)
{
    POV_REQUIRE(world->thing_len < POV_WORLD_THING_MAX);
    pov_world_thing *thing = &world->things[world->thing_len++];
    *thing = (pov_world_thing){.entity = pov_entity_named("", class_name)};
    POV_REQUIRE(pov_world_thing_become(thing, class_name).code == POV_OK);
    pov_world_name(world, thing);
    return thing;
}

static bool is_named(const pov_world *world, const char *name)
{
    for (int i = 0; i < world->thing_len; i++)
        if (strcmp(world->things[i].entity.name, name) == 0)
            return true;
    return false;
}

void pov_world_name(pov_world *world, pov_world_thing *thing)
{
    char name[POV_NAME_CAPACITY];
    snprintf(name, sizeof name, "%s", thing->entity.class_name);
    for (int k = 2; is_named(world, name); k++)
        snprintf(name, sizeof name, "%.20s %d", thing->entity.class_name, k);
    memcpy(thing->entity.name, name, sizeof name);
}

pov_status pov_world_generate(pov_world *world, int index)
{
    int culprit;
    world->thing_len = 0;
    POV_REQUIRE(world->generator.kind != POV_GENERATOR_NONE);
    if (world->generator.kind == POV_GENERATOR_VPT)
        pov_world_generate_vpt(world, index);
    else
        pov_world_generate_tabletop(world, index);
    return pov_world_settle(world, &culprit);
}
