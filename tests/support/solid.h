/** Properties of a solid body's triangles, found by counting and by rays. */
#pragma once

#include "sim/bodies/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    float from[3], to[3];
    int turns; /* how often it is walked this way, less the other way */
} solid_edge;

static inline int solid_compare_edges(const void *a, const void *b)
{
    return memcmp(a, b, 6 * sizeof(float));
}

static inline solid_edge solid_edge_between(const float a[3], const float b[3])
{
    float ends[2][3];
    for (int k = 0; k < 3; k++) {
        ends[0][k] = a[k] + 0.0F; /* -0 is 0 */
        ends[1][k] = b[k] + 0.0F;
    }
    const bool forward = memcmp(ends[0], ends[1], sizeof *ends) < 0;
    solid_edge edge = {.turns = forward ? 1 : -1};
    memcpy(edge.from, ends[!forward], sizeof edge.from);
    memcpy(edge.to, ends[forward], sizeof edge.to);
    return edge;
}

/** Edges, by the positions they join, that are not walked as often one way as the other: 0 for a closed body. */
static inline int solid_open_edges(const pov_model *model)
{
    const pov_model_parts parts = pov_model_read(model);
    solid_edge *edges = calloc(3 * (size_t)parts.triangle_len, sizeof *edges);
    int len = 0, open = 0;
    for (int t = 0; t < parts.triangle_len; t++) {
        for (int k = 0; k < 3; k++)
            edges[len++] = solid_edge_between(parts.positions_m[parts.triangles[t][k]],
                                              parts.positions_m[parts.triangles[t][(k + 1) % 3]]);
    }
    qsort(edges, (size_t)len, sizeof *edges, solid_compare_edges);
    for (int i = 0; i < len;) {
        int sum = 0, j = i;
        while (j < len && solid_compare_edges(&edges[i], &edges[j]) == 0)
            sum += edges[j++].turns;
        open += sum != 0;
        i = j;
    }
    free(edges);
    return open;
}

static inline pov_vec3 solid_vertex(pov_model_parts parts, int triangle, int corner)
{
    const float *p = parts.positions_m[parts.triangles[triangle][corner]];
    return (pov_vec3){p[0], p[1], p[2]};
}

/** By the divergence theorem; parts that overlap count twice. */
static inline double solid_volume_m3(const pov_model *model)
{
    const pov_model_parts parts = pov_model_read(model);
    double sum = 0;
    for (int t = 0; t < parts.triangle_len; t++)
        sum += pov_vec3_dot(solid_vertex(parts, t, 0),
                            pov_vec3_cross(solid_vertex(parts, t, 1), solid_vertex(parts, t, 2)));
    return sum / 6;
}

static inline pov_vec3 solid_face_normal(pov_model_parts parts, int t)
{
    const pov_vec3 a = solid_vertex(parts, t, 0);
    return pov_vec3_cross(pov_vec3_sub(solid_vertex(parts, t, 1), a),
                          pov_vec3_sub(solid_vertex(parts, t, 2), a));
}

/** Triangles some of whose corners' normals turn away from the side they are wound for. */
static inline int solid_wrong_normals(const pov_model *model)
{
    const pov_model_parts parts = pov_model_read(model);
    int wrong = 0;
    for (int t = 0; t < parts.triangle_len; t++) {
        pov_vec3 mean = {0, 0, 0};
        for (int k = 0; k < 3; k++) {
            const float *n = parts.normals[parts.triangles[t][k]];
            mean = pov_vec3_add(mean, (pov_vec3){n[0], n[1], n[2]});
        }
        wrong += !(pov_vec3_dot(mean, solid_face_normal(parts, t)) > 0);
    }
    return wrong;
}

typedef struct {
    double distance_m; /* INFINITY: meets nothing */
    bool from_outside; /* the first triangle faces where the ray comes from */
} solid_hit;

/** The first triangle along a ray: Moeller & Trumbore 1997. */
static inline solid_hit solid_ray(const pov_model *model, pov_vec3 from_m, pov_vec3 dir)
{
    const pov_model_parts parts = pov_model_read(model);
    solid_hit hit = {.distance_m = INFINITY};
    for (int t = 0; t < parts.triangle_len; t++) {
        const pov_vec3 a = solid_vertex(parts, t, 0), u = pov_vec3_sub(solid_vertex(parts, t, 1), a),
                       v = pov_vec3_sub(solid_vertex(parts, t, 2), a), s = pov_vec3_sub(from_m, a),
                       h = pov_vec3_cross(dir, v), q = pov_vec3_cross(s, u);
        const double det = pov_vec3_dot(u, h), x = pov_vec3_dot(s, h) / det, y = pov_vec3_dot(dir, q) / det,
                     distance = pov_vec3_dot(v, q) / det;
        if (det != 0 && x >= 0 && y >= 0 && x + y <= 1 && distance > 0 && distance < hit.distance_m)
            hit = (solid_hit){distance, pov_vec3_dot(dir, pov_vec3_cross(u, v)) < 0};
    }
    return hit;
}
