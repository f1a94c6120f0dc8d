/** Scenes of a stream: entities that keep their ids, with velocities, also while they are hidden. Pure.
 *
 *  Works on scenes as pov_cast_build_scene makes them, whatever found the entities. Several alike, NAME_1, NAME_2, ...,
 *  are numbered from left to right in the image that shows them first, and keep their numbers from then on. */
#pragma once

#include "perception/cast/cast.h"
#include "perception/tracking/tracker.h"

typedef struct pov_scene_tracker pov_scene_tracker;

/** Keeps a copy of the cast. */
POV_MUST_USE pov_status pov_scene_tracker_new(pov_scene_tracker **tracker, const pov_cast *cast);
void pov_scene_tracker_destroy(pov_scene_tracker **tracker);

/** Other data of an image. */
typedef struct {
    int64_t now_ns;
    bool camera_still;            /* its pose's error is the same in all images */
    const pov_table_angle *table; /* NULL: not known */
} pov_scene_moment;

/** Turns the scene of one image into the scene at that moment.
 *  Out: scene; renamed[i]: what entity i has become, POV_ID_NONE if there were enough of its kind.
 *  A place keeps the camera's error apart while the camera is still. While it moves, the place is the image's own. */
void pov_scene_tracker_run(pov_scene_tracker *tracker, pov_scene *scene, pov_id renamed[POV_ENTITY_MAX],
                           const pov_scene_moment *moment);
