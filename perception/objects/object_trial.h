/** How well an enrolled object's place and turn will be told, tried on images of its turn that no portrait was made from. */
#ifndef POV_PERCEPTION_OBJECTS_OBJECT_TRIAL_H
#define POV_PERCEPTION_OBJECTS_OBJECT_TRIAL_H

#include "perception/appearance/portrait.h"
#include "perception/objects/turn_shot.h"
#include "perception/status.h"

/** Where the object stood: T_table_object(angle) is that at angle 0 turned about the axis. */
typedef struct {
    pov_vec3 axis_m;
    pov_transform T_table_object;
} pov_object_stand;

/** Tries every second shot, the second included, and fits what is said to what was found: sets scatter, widenings and errors.
 *  Errors of the stand itself, the same in all shots, are not seen. */
POV_MUST_USE pov_status pov_portraits_try(pov_portraits *portraits, const pov_turn_shots *turn,
                                          const pov_object_stand *stand);

#endif
