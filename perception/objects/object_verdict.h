/** Whether what shows at a place is the object, whatever may hide a part of it: tones that agree where few things in the image
 *  have such tones, and outlines at which the image changes. Private to object_*.c. */
#ifndef POV_PERCEPTION_OBJECTS_OBJECT_VERDICT_H
#define POV_PERCEPTION_OBJECTS_OBJECT_VERDICT_H

#include "perception/objects/object_fit.h"

typedef struct {
    double evidence; /* log of how much better the object explains the image than anything else would */
    double visible;  /* share of it */
    object_cover cover;
} object_verdict;

typedef struct object_jury object_jury; /* work space */

POV_MUST_USE pov_status object_jury_new(object_jury **jury);
void object_jury_destroy(object_jury **jury);

void object_judge(object_jury *jury, object_verdict *verdict, const object_view *view,
                  const object_model *model, const object_place *place);

#endif
