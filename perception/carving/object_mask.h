/** What differs from the empty table. Private to calib/object_*.c. */
#ifndef POV_PERCEPTION_CARVING_OBJECT_MASK_H
#define POV_PERCEPTION_CARVING_OBJECT_MASK_H

#include "perception/carving/object_carve.h"

/* One byte a pixel of the shot: 1 where something stands (or its shadow falls), specks in it filled. `work`: as large, 5 bytes a
 * pixel. */
void object_mask_find(uint8_t *mask, void *work, const pov_turn_shot *shot, const pov_turn_shot *empty,
                      const pov_turn_stage *stage);

#endif
