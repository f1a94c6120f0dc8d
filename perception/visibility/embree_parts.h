/** What occlusion.c needs of Embree that knows nothing of scenes. */
#ifndef POV_PERCEPTION_VISIBILITY_EMBREE_PARTS_H
#define POV_PERCEPTION_VISIBILITY_EMBREE_PARTS_H

#include "perception/scene/scene.h"

#include <embree3/rtcore.h>

/** Embree wants denormals flushed to zero, only while it works. Returns what to restore. */
unsigned pov_embree_flush_denormals(void);
void pov_embree_restore_denormals(unsigned before);

/** A mesh's triangles in its own axes, not committed. If Embree is out of memory, its device says so. */
RTCGeometry pov_embree_triangles(RTCDevice device, const pov_mesh *mesh);

#endif
