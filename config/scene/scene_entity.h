/** Keys of an entity that scene files and station files share. An absent key changes nothing. Errors are kept
 *  by the file (pov_yaml_finish). docs/SCENE.md explains each key. */
#pragma once

#include "config/yaml/yaml_file.h"
#include "perception/scene/scene.h"

/** `size_m`: three sides, or one for all. */
void pov_scene_read_size(pov_vec3 *size_m, pov_yaml_node node);

/** `position_std_m` or `position_cov_m2`. */
void pov_scene_read_position_noise(double cov_m2[3][3], pov_yaml_node entity);

/** Reads the front's heading and the box's orientation: `front_deg` or `front`, `front_std_deg`; else `yaw_deg` or
 *  `rotation`. */
void pov_scene_read_attitude(pov_entity *entity, pov_yaml_node node);

/** `shape` of the body in the box: as written; else by the class, which has been read as the size has; else unknown: then
 *  the entity has a shape_doubt. */
void pov_scene_read_shape(pov_entity *entity, pov_yaml_node node);

/** Reads the keys `words` (other names for it) and `about` (further facts), each a text or a list of texts. */
void pov_scene_read_about(pov_entity *entity, pov_yaml_node node);

/** Reads a viewer's field of view, the node of `sees`: {shape, horizontal_deg, vertical_deg, range_m, eye_m}. */
void pov_scene_read_sees(pov_entity *entity, pov_yaml_node node);
