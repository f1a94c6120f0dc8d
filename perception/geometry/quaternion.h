/** Rotations as others write them. */
#pragma once

#include "perception/geometry/geom.h"

/** Unit quaternion (x, y, z, w) of R. */
void pov_rot_quaternion(double q[4], pov_rot R);
/** The rotation of a quaternion (x, y, z, w) that is not zero; its length does not count. */
pov_rot pov_rot_of_quaternion(const double q[4]);
