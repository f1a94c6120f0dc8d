/** The key `sees` of an entity, in scene files and station files alike. */
#ifndef POV_CONFIG_SCENE_SEES_H
#define POV_CONFIG_SCENE_SEES_H

#include "config/yaml_file.h"
#include "perception/scene/scene.h"

/** What a viewer can see: {shape, horizontal_deg, vertical_deg, range_m, eye_m}. Nothing changes where there is no
 *  such node; complaints stick to the file. */
void pov_scene_read_sees(pov_entity *entity, pov_yaml_node node);

#endif
