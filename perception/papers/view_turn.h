/** Two views of the same things: how far the camera went round them, or they were turned before it. Pure. */
#pragma once

#include "perception/scene/scene.h"

/** turn_rad: counter-clockwise from above, of the camera's place about the things from the first view to the second, in (-pi, pi].
 *  Method: the plane rotation that maps the things' places, as each camera sees them on the ground, in the least-squares sense (Horn 1987,
 *          in two dimensions). Things are the same by name; people and things that move on their own are seen by what is left over.
 *  Returns: POV_UNDEFINED: fewer than two things are placed in both views, a camera has no heading, or the rest is larger than a twentieth of
 *           the things' spread: they did not stay as they were. */
pov_code pov_view_turn(double *turn_rad, const pov_scene *first, const pov_scene *second);
