/** What the world file's own sources share. */
#ifndef POV_SIM_WORLDS_WORLD_READER_H
#define POV_SIM_WORLDS_WORLD_READER_H

#include "config/yaml/yaml_file.h"
#include "sim/worlds/world.h"

/* Beyond these a unit was mistaken. */
#define POV_WORLD_LENGTH_MAX_M 1e4
#define POV_WORLD_DEG          (POV_PI / 180)

/* A world while parts of its file are laid over it. */
typedef struct {
    pov_world *world;
    pov_yaml_node thing_nodes[POV_WORLD_THING_MAX]; /* that spoke last of each thing */
    pov_yaml_node motion_node;
} pov_world_reader;

/* "#rrggbb" or a name that balls know. */
void pov_world_read_colour(uint32_t *colour, pov_yaml_node node);
/* [x, y] or [x, y, z]; says whether there was a z. */
bool pov_world_read_place(pov_vec3 *place_m, pov_yaml_node node);

/* What light is told to be; the rest stays as it was. */
void pov_world_read_light(pov_lighting *lighting, pov_yaml_node node);
/* Waypoints of a thing whose place is read; lights over time. */
void pov_world_read_path(pov_world *world, pov_world_thing *thing, pov_yaml_node thing_node);
void pov_world_read_lights(pov_world *world, pov_yaml_node node);

void pov_world_read_things(pov_world_reader *reader, pov_yaml_node things);
void pov_world_read_removed(pov_world_reader *reader, pov_yaml_node ids);
void pov_world_read_camera(pov_world_camera *camera, pov_yaml_node node);
void pov_world_read_tags(pov_world *world, pov_yaml_node node);

#endif
