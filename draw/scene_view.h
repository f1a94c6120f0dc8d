/** A scene as pictures for a model's eyes: as one of its people sees it, and from above. Drawn from what is known of the scene, its bodies and
 *  places, not from an image: each thing has one colour, the one that its name says if it says one. */
#pragma once

#include "perception/image/image.h"
#include "perception/scene/scene.h"
#include "perception/status.h"

/** The size of the pictures. */
enum { POV_SCENE_VIEW_WIDTH_PX = 512, POV_SCENE_VIEW_HEIGHT_PX = 384 };

/** The half-angle of a view: things that are seen from the corner of the eye are in it. Chosen: wide enough for COMFORT's scenes. */
#define POV_SCENE_VIEW_HALF_RAD (50 * POV_DEG)

/** What is to be seen from a viewer's eye, along the gaze (pov_entity_aim), tilted to where the middle of the things ahead is: bodies that hide each
 *  other as they do for the viewer, their outlines and names, and the ground. An arrow shows where a thing's front is.
 *  In:      pixels: room for 3 * width * height bytes, which the image then borrows.
 *  Returns: POV_UNDEFINED if the viewer has no place or no direction; POV_ERROR if Embree fails. */
POV_MUST_USE pov_status pov_scene_view_draw(pov_image *image, uint8_t *pixels, const pov_scene *scene,
                                            pov_id viewer);

/** The same of an abstract scene (APC, Lee et al. 2025): in each thing's place a sphere of its volume in one colour, without names and
 *  fronts. Things beyond the last colour are left out. */
POV_MUST_USE pov_status pov_scene_spheres_draw(pov_image *image, uint8_t *pixels, const pov_scene *scene,
                                               pov_id viewer);
/** The colour's name of a thing's sphere: "red"; NULL: it has none. */
const char *pov_scene_sphere_colour(const pov_scene *scene, pov_id viewer, pov_id id);

/** The ground from above: each thing's outline, its name, an arrow where its front is. The camera is at the foot and looks up the picture, so that its left is the
 *  picture's left; without a camera +y is up. */
void pov_scene_map_draw(pov_image *image, uint8_t *pixels, const pov_scene *scene);
