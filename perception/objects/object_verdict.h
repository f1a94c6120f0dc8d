/** Evidence for an object at a place, a part of which may be hidden: tones that agree where few things in the image have such
 *  tones, and outlines at which the image changes. Private to object_*.c. */
#pragma once

#include "perception/objects/object_fit.h"

typedef struct object_votes object_votes; /* work space */

POV_MUST_USE pov_status pov_object_votes_new(object_votes **votes);
void pov_object_votes_destroy(object_votes **votes);

/* Judges fit->place. Out, in `fit`: evidence: log-odds that the object explains the image there rather than anything else;
 * -INFINITY if it is out of view; visible: its share that shows; cover: the rest. */
void pov_object_judge(object_votes *votes, object_fit *fit, const object_view *view,
                      const object_model *model);
