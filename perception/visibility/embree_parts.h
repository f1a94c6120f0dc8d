/** Helpers for Embree 3 and 4 that do not depend on scenes. */
#pragma once

#include "perception/scene/scene.h"

#include <rtcore.h>

/** The error of the last calls on a device, if any: "WHOSE: Embree cannot WHAT ...". */
POV_MUST_USE pov_status pov_embree_check(RTCDevice device, const char *whose, const char *what);

/** Embree wants denormals flushed to zero, only while it works. Returns what to restore. */
unsigned pov_embree_flush_denormals(void);
void pov_embree_restore_denormals(unsigned before);

/** A mesh's triangles in its own axes, not committed. If Embree is out of memory, its device says so. */
RTCGeometry pov_embree_triangles(RTCDevice device, const pov_mesh *mesh);

/** The context that callbacks get; a struct of one's own may begin with it. */
#if RTC_VERSION_MAJOR >= 4
typedef struct RTCRayQueryContext pov_embree_context;
#else
typedef struct RTCIntersectContext pov_embree_context;
#endif

pov_embree_context pov_embree_context_new(void);

/** Finds the first hit of each of sixteen rays.
 *  In:  coherent: rays from one eye, or near one another, go faster; never for scenes with instances: Debian 12's
 *       Embree 3.13.5 does not return from them where the processor has AVX-512 (its compiler wrote two bytes of the
 *       octants that are left, and reads eight). */
void pov_embree_intersect16(const int *valid, RTCScene scene, pov_embree_context *context,
                            struct RTCRayHit16 *rays, bool coherent);

/** Tests whether each of sixteen rays meets anything: its tfar is negative then. */
void pov_embree_occluded16(const int *valid, RTCScene scene, pov_embree_context *context,
                           struct RTCRay16 *rays, bool coherent);
