#include "perception/visibility/ray_body.h"

#include <math.h>

/* Instead of a zero that would be divided by: a ray along a face, or along a capsule's axis. */
static const float across_min = 1e-10F;

pov_mesh_bounds pov_mesh_bounds_of(const pov_mesh *mesh)
{
    pov_mesh_bounds bounds = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0};
    for (int i = 0; i < mesh->vertex_len; i++) {
        const float *v = mesh->vertices_m[i];
        for (int k = 0; k < 3; k++) {
            bounds.low_m[k] = fmin(bounds.low_m[k], v[k]);
            bounds.high_m[k] = fmax(bounds.high_m[k], v[k]);
        }
        bounds.reach_m = fmax(bounds.reach_m, pov_vec3_norm((pov_vec3){v[0], v[1], v[2]}));
    }
    return bounds;
}

pov_ray_body pov_ray_body_of(const pov_entity *entity, pov_vec3 centre_m)
{
    const pov_vec3 size = entity->size_m;
    POV_REQUIRE(entity->shape != POV_SHAPE_MESH);
    pov_ray_body body = {.shape = entity->shape,
                         .centre_m = centre_m,
                         .half_m = {(float)size.x / 2, (float)size.y / 2, (float)size.z / 2},
                         .radius_m = (float)size.x / 2};
    if (entity->shape == POV_SHAPE_CAPSULE)
        body.tube_m = (float)fmax(0, (size.z - size.x) / 2);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            body.R_body_table[i][j] = (float)entity->R_table_box.m[j][i];
    return body;
}

pov_vec3 pov_ray_body_reach(const pov_ray_body *body)
{
    const float(*R)[3] = body->R_body_table;
    double reach[3];
    for (int j = 0; j < 3; j++) {
        if (body->shape == POV_SHAPE_BOX)
            reach[j] = fabsf(R[0][j]) * body->half_m[0] + fabsf(R[1][j]) * body->half_m[1] +
                       fabsf(R[2][j]) * body->half_m[2];
        else
            reach[j] = body->radius_m + fabsf(R[2][j]) * body->tube_m;
    }
    return (pov_vec3){reach[0], reach[1], reach[2]};
}

/* The part of a ray that is inside: from enter to leave; nothing if not enter < leave. */
typedef struct {
    float enter, leave;
} stretch;

static inline float larger(float a, float b)
{
    return a > b ? a : b;
}

static inline float smaller(float a, float b)
{
    return a < b ? a : b;
}

static inline stretch both(stretch a, stretch b)
{
    return (stretch){larger(a.enter, b.enter), smaller(a.leave, b.leave)};
}

/* True if two intervals overlap: neither is empty. */
static inline stretch either(stretch a, stretch b)
{
    return (stretch){smaller(a.enter, b.enter), larger(a.leave, b.leave)};
}

/* Between two planes half_m on either side of the centre (Kay & Kajiya 1986): about where the ray passes it. */
static inline stretch between_planes(float eye_m, float across, float half_m)
{
    across = fabsf(across) < across_min ? across_min : across;
    const float per_m = 1 / across, middle = -eye_m * per_m, half = half_m * fabsf(per_m);
    return (stretch){middle - half, middle + half};
}

/* About where the ray is nearest to the centre, c from the eye. */
static inline stretch in_ball(float cx, float cy, float cz, float x, float y, float z, float radius_m)
{
    const float along = cx * x + cy * y + cz * z;
    const float ox = cx - along * x, oy = cy - along * y, oz = cz - along * z;
    const float square = radius_m * radius_m - (ox * ox + oy * oy + oz * oz), half = sqrtf(larger(0, square));
    return (stretch){square > 0 ? along - half : INFINITY, square > 0 ? along + half : -INFINITY};
}

/* In the endless tube about the z axis: the square under the root by Lagrange's identity, without cancellation. */
static inline stretch in_tube(float cx, float cy, float x, float y, float radius_m)
{
    x = x * x + y * y < across_min * across_min ? across_min : x;
    const float a = x * x + y * y, past = cx * y - cy * x, square = a * radius_m * radius_m - past * past;
    const float per_a = 1 / a, along = (cx * x + cy * y) * per_a, half = sqrtf(larger(0, square)) * per_a;
    return (stretch){square > 0 ? along - half : INFINITY, square > 0 ? along + half : -INFINITY};
}

/* The body from the eye, in its own axes. */
typedef struct {
    const float (*R)[3];
    float centre[3], half[3], radius, tube;
} seen_body;

static seen_body seen_from(const pov_ray_body *body, pov_vec3 eye_m)
{
    const pov_vec3 c = pov_vec3_sub(body->centre_m, eye_m);
    const float x = (float)c.x, y = (float)c.y, z = (float)c.z;
    const float margin = 1e-6F + 1e-6F * (fabsf(x) + fabsf(y) + fabsf(z));
    seen_body seen = {.R = body->R_body_table, .radius = body->radius_m, .tube = body->tube_m};
    for (int i = 0; i < 3; i++) {
        seen.centre[i] = seen.R[i][0] * x + seen.R[i][1] * y + seen.R[i][2] * z;
        seen.half[i] = body->half_m[i] + margin;
    }
    return seen;
}

static inline stretch inside(const seen_body *body, pov_shape shape, float x, float y, float z)
{
    const float *c = body->centre, *X = body->R[0], *Y = body->R[1], *Z = body->R[2];
    const float u = X[0] * x + X[1] * y + X[2] * z, v = Y[0] * x + Y[1] * y + Y[2] * z,
                w = Z[0] * x + Z[1] * y + Z[2] * z;
    if (shape == POV_SHAPE_SPHERE)
        return in_ball(c[0], c[1], c[2], u, v, w, body->radius);
    if (shape == POV_SHAPE_BOX)
        return both(between_planes(-c[0], u, body->half[0]),
                    both(between_planes(-c[1], v, body->half[1]), between_planes(-c[2], w, body->half[2])));
    const stretch tube = both(in_tube(c[0], c[1], u, v, body->radius), between_planes(-c[2], w, body->tube));
    const stretch low = in_ball(c[0], c[1], c[2] - body->tube, u, v, w, body->radius);
    const stretch high = in_ball(c[0], c[1], c[2] + body->tube, u, v, w, body->radius);
    const stretch nothing = {INFINITY, -INFINITY};
    return either(tube.enter < tube.leave ? tube : nothing, either(low, high));
}

/* A loop that becomes vector instructions where shape and len are known. */
static inline void find_hits(float *restrict distances_m, const seen_body *body, pov_shape shape,
                             const float *restrict x, int len, float near_m)
{
    const float *restrict y = x + len, *restrict z = y + len;
    for (int i = 0; i < len; i++) {
        const stretch in = inside(body, shape, x[i], y[i], z[i]);
        const float first = in.enter > near_m ? in.enter : in.leave;
        distances_m[i] = larger(in.enter, near_m) < in.leave ? first : INFINITY;
    }
}

static inline void meet_shape(float *distances_m, const seen_body *body, pov_shape shape,
                              const float *directions, int len, float near_m)
{
    if (len == 16)
        find_hits(distances_m, body, shape, directions, 16, near_m);
    else
        find_hits(distances_m, body, shape, directions, len, near_m);
}

void pov_ray_body_meet(float *distances_m, const pov_ray_body *body, pov_vec3 eye_m, const float *directions,
                       int len, float near_m)
{
    const seen_body seen = seen_from(body, eye_m);
    if (body->shape == POV_SHAPE_SPHERE)
        meet_shape(distances_m, &seen, POV_SHAPE_SPHERE, directions, len, near_m);
    else if (body->shape == POV_SHAPE_CAPSULE)
        meet_shape(distances_m, &seen, POV_SHAPE_CAPSULE, directions, len, near_m);
    else
        meet_shape(distances_m, &seen, POV_SHAPE_BOX, directions, len, near_m);
}
