/** Bodies of the classes that things in view have, for the page to draw what a viewer sees. */
#pragma once

#include "perception/scene/scene.h"

#include <stdio.h>

/** A JSON object: class -> [{"colour", "corners"}], each three corners a triangle, counter-clockwise seen from outside, in
 *  thousandths of the box: -500 to 500 along its own axes. Classes that the catalogue does not have are left out. */
void pov_bodies_write(FILE *stream, const pov_scene *scene);
