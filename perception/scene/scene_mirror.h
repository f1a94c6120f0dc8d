/** The scene that a mirrored picture shows: left and right exchanged, all else as it was. */
#pragma once

#include "perception/scene/scene.h"

typedef struct {
    pov_scene scene;
    pov_mesh *meshes; /* owned, [entity]; its bodies are mirrored, too; NULL: none has one */
} pov_mirrored_scene;

/** The world reflected in the upright plane through the camera's centre that holds its line of sight: the camera of the reflected world
 *  takes the same picture with its columns in reverse order, if its principal point is in the middle. Without a camera the plane is
 *  y = 0. Up stays up; north is reflected with the rest, as an arrow that is drawn into the picture would be.
 *  Boxes of things in the image go: they need its width. Covariances, and what errors share, are reflected.
 *  Out: mirrored: free with pov_mirrored_scene_free. */
void pov_scene_mirror(pov_mirrored_scene *mirrored, const pov_scene *scene);
void pov_mirrored_scene_free(pov_mirrored_scene *mirrored);
