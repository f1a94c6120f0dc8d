/** Scenes as they may really be: samples of the positions' and headings' joint distribution, the same every time. Pure. */
#pragma once

#include "perception/geometry/box.h"
#include "perception/scene/scene.h"

/** Enough that a probability is within 0.03 (2.7 of its standard deviations at 0.5). */
enum { POV_WORLDS = 2048 };
/** If so many worlds agree, the others are skipped: P is then above 0.99, except once in 170 times. */
enum { POV_WORLDS_THAT_SETTLE = 512 };

/** Some of a scene's entities, known exactly in this world. An entity without a size is a point. */
typedef struct {
    int len;
    pov_id id[POV_ENTITY_MAX];
    pov_box box[POV_ENTITY_MAX];
    double yaw_rad[POV_ENTITY_MAX]; /* of the front; NaN: none */
} pov_world;

/** The number of worlds: one if nothing about these entities is uncertain. */
int pov_world_count(const pov_scene *scene, const pov_id *ids, int len);

/** World `index` of pov_world_count's. Entities must be placed. Shared errors move positions together; boxes turn
 *  with their fronts. Consecutive worlds are mirror images about the means (antithetic: Hammersley & Morton 1956). */
void pov_world_sample(pov_world *world, const pov_scene *scene, const pov_id *ids, int len, int index);
