/** A scene as people type it, in YAML, or as `pov run --json` prints it. docs/SCENE.md lists the keys. */
#pragma once

#include "perception/scene/scene.h"
#include "perception/status.h"

#include <stddef.h>

/** Reads a scene: metres in the table frame; degrees in the file, radians in the scene.
 *  Returns: POV_OK; POV_ERROR naming file, line and key: a file over POV_YAML_BYTES_MAX, more than
 *           POV_ENTITY_MAX entities, an id that is there twice, a side of no length, a covariance that is none,
 *           a front that points straight up or down, a number that is not finite, a key that does not exist.
 *  Out:     scene: empty on error. An entity without size_m has size 0: not known.
 *  A line of `pov run --json` carries each position's whole covariance but not what positions share. */
POV_MUST_USE pov_status pov_scene_file_read(pov_scene *scene, const char *path);
/** The same from memory; `name` stands for the path in messages. */
POV_MUST_USE pov_status pov_scene_file_parse(pov_scene *scene, const char *name, const char *text,
                                             size_t length);
