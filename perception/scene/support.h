/** The support of each thing: the ground, or the top of another thing. Pure. */
#pragma once

#include "perception/scene/scene.h"

/** The slack between a thing's bottom and what it rests on: boxes are larger than what they hold. */
#define POV_SUPPORT_SLACK_M 0.01

/** P that an entity rests on each other one (p[other]) and on the ground (p[scene->len]); they sum to 1.
 *  Gravity: it rests on something. The ground is level with the lowest bottom of the scene; a top counts if its centre
 *  of the footprint lies over it. Each in proportion to the normal density of the gap, of the positions' errors and
 *  the slack. POV_UNDEFINED (p NaN) if the entity is not placed or has no size. */
pov_code pov_support_of(double p[POV_ENTITY_MAX + 1], const pov_scene *scene, pov_id id);

/** The likeliest: an id, or POV_ID_NONE for the ground or an undefined one. */
pov_id pov_support_likeliest(const pov_scene *scene, pov_id id);

/** P that two rest on one surface. NaN if undefined. */
double pov_support_shared(const pov_scene *scene, pov_id a, pov_id b);
