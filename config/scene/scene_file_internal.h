/** Shared by the sources of the scene file. */
#pragma once

#include "config/yaml/yaml_file.h"
#include "perception/scene/scene.h"

/* Bounds of a file's numbers; beyond them, a unit is wrong; chosen. */
#define POV_SCENE_POSITION_MAX_M 1e4
#define POV_SCENE_SIZE_MAX_M     1e4

/** Names of fields of view in files. */
extern const char *const pov_field_shape_names[];

static inline double pov_scene_rad(double angle_deg)
{
    return angle_deg * POV_DEG;
}

/* One entity of a scene as typed. */
void pov_scene_read_entity(pov_entity *entity, pov_yaml_node node);
/* A side of the box, or all three. */
/* Three rows; complains unless symmetric and without a negative variance. */
void pov_scene_read_covariance(double cov_m2[3][3], pov_yaml_node node);
/* Makes the weights of a heading's modes sum to 1; complains if there is no weight. */
void pov_scene_share_weights(pov_heading *heading, pov_yaml_node node);
/* `id`, or `class`: one printable line that fits. */
void pov_scene_read_name(char name[POV_NAME_CAPACITY], pov_yaml_node node);
/* Appends, or complains at the node. */
void pov_scene_append(pov_scene *scene, const pov_entity *entity, pov_yaml_node node);
/* The length of a list of entities, 0 after a complaint of none or too many. */
int pov_scene_count_entities(pov_yaml_node entities);

/* A line of `pov run --json`. */
void pov_scene_read_observation(pov_scene *scene, pov_yaml_node root);
