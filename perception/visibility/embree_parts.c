#include "perception/visibility/embree_parts.h"

#include <string.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

pov_status pov_embree_check(RTCDevice device, const char *whose, const char *what)
{
    const enum RTCError error = rtcGetDeviceError(device);
    if (error == RTC_ERROR_NONE)
        return pov_ok();
    return pov_error("%s: Embree cannot %s (error %d%s)", whose, what, (int)error,
                     error == RTC_ERROR_OUT_OF_MEMORY ? ": out of memory; use smaller bodies" : "");
}

unsigned pov_embree_flush_denormals(void)
{
#if defined(__SSE2__)
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040);
    return before;
#else
    return 0;
#endif
}

void pov_embree_restore_denormals(unsigned before)
{
#if defined(__SSE2__)
    _mm_setcsr(before);
#else
    (void)before;
#endif
}

RTCGeometry pov_embree_triangles(RTCDevice device, const pov_mesh *mesh)
{
    for (int i = 0; i < mesh->triangle_len; i++)
        for (int k = 0; k < 3; k++)
            POV_REQUIRE((int)mesh->triangles[i][k] < mesh->vertex_len);
    RTCGeometry geometry = rtcNewGeometry(device, RTC_GEOMETRY_TYPE_TRIANGLE);
    void *vertices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                             3 * sizeof(float), (size_t)mesh->vertex_len);
    void *indices = rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3,
                                            sizeof *mesh->triangles, (size_t)mesh->triangle_len);
    if (vertices && indices) { /* else Embree is out of memory; the caller asks it */
        memcpy(vertices, mesh->vertices_m, (size_t)mesh->vertex_len * sizeof *mesh->vertices_m);
        memcpy(indices, mesh->triangles, (size_t)mesh->triangle_len * sizeof *mesh->triangles);
    }
    return geometry;
}

#if RTC_VERSION_MAJOR >= 4

pov_embree_context pov_embree_context_new(void)
{
    pov_embree_context context;
    rtcInitRayQueryContext(&context);
    return context;
}

void pov_embree_intersect16(const int *valid, RTCScene scene, pov_embree_context *context,
                            struct RTCRayHit16 *rays, bool coherent)
{
    struct RTCIntersectArguments query;
    rtcInitIntersectArguments(&query);
    query.flags = coherent ? RTC_RAY_QUERY_FLAG_COHERENT : RTC_RAY_QUERY_FLAG_INCOHERENT;
    query.context = context;
    rtcIntersect16(valid, scene, rays, &query);
}

void pov_embree_occluded16(const int *valid, RTCScene scene, pov_embree_context *context,
                           struct RTCRay16 *rays, bool coherent)
{
    struct RTCOccludedArguments query;
    rtcInitOccludedArguments(&query);
    query.flags = coherent ? RTC_RAY_QUERY_FLAG_COHERENT : RTC_RAY_QUERY_FLAG_INCOHERENT;
    query.context = context;
    rtcOccluded16(valid, scene, rays, &query);
}

#else

pov_embree_context pov_embree_context_new(void)
{
    pov_embree_context context;
    rtcInitIntersectContext(&context);
    return context;
}

void pov_embree_intersect16(const int *valid, RTCScene scene, pov_embree_context *context,
                            struct RTCRayHit16 *rays, bool coherent)
{
    context->flags = coherent ? RTC_INTERSECT_CONTEXT_FLAG_COHERENT : RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
    rtcIntersect16(valid, scene, context, rays);
}

void pov_embree_occluded16(const int *valid, RTCScene scene, pov_embree_context *context,
                           struct RTCRay16 *rays, bool coherent)
{
    context->flags = coherent ? RTC_INTERSECT_CONTEXT_FLAG_COHERENT : RTC_INTERSECT_CONTEXT_FLAG_INCOHERENT;
    rtcOccluded16(valid, scene, context, rays);
}

#endif
