/** Rotations as others write them. */
#ifndef POV_PERCEPTION_GEOMETRY_QUATERNION_H
#define POV_PERCEPTION_GEOMETRY_QUATERNION_H

#include "perception/geometry/geom.h"

/** Unit quaternion (x, y, z, w) of R. */
void pov_rot_quaternion(double q[4], pov_rot R);

#endif
