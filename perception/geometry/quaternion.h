/** Rotations as others write them. */
#pragma once

#include "perception/geometry/geom.h"

/** Unit quaternion (x, y, z, w) of R. */
void pov_rot_quaternion(double q[4], pov_rot R);
