#include "perception/box.h"

#include <math.h>
#include <stddef.h>

static double component(pov_vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

/* The box's own axis k in the table frame. */
static pov_vec3 axis_of(const pov_box *box, int k)
{
    return (pov_vec3){box->R_table_box.m[0][k], box->R_table_box.m[1][k], box->R_table_box.m[2][k]};
}

pov_vec3 pov_box_local(const pov_box *box, pov_vec3 point_m)
{
    pov_vec3 d = pov_vec3_sub(point_m, box->centre_m);
    return (pov_vec3){pov_vec3_dot(d, axis_of(box, 0)), pov_vec3_dot(d, axis_of(box, 1)),
                      pov_vec3_dot(d, axis_of(box, 2))};
}

pov_vec3 pov_box_corner(const pov_box *box, int index)
{
    pov_vec3 h = box->half_m;
    pov_vec3 local = {index & 1 ? h.x : -h.x, index & 2 ? h.y : -h.y, index & 4 ? h.z : -h.z};
    return pov_vec3_add(box->centre_m, pov_rot_apply(box->R_table_box, local));
}

double pov_box_half_extent_m(const pov_box *box, pov_vec3 direction)
{
    double sum = 0;
    for (int k = 0; k < 3; k++)
        sum += fabs(pov_vec3_dot(axis_of(box, k), direction)) * component(box->half_m, k);
    return sum;
}

double pov_box_volume_m3(const pov_box *box)
{
    return 8 * box->half_m.x * box->half_m.y * box->half_m.z;
}

double pov_box_point_signed_distance_m(const pov_box *box, pov_vec3 point_m)
{
    pov_vec3 p = pov_box_local(box, point_m), h = box->half_m;
    pov_vec3 out = {fabs(p.x) - h.x, fabs(p.y) - h.y, fabs(p.z) - h.z};
    double deepest = fmax(out.x, fmax(out.y, out.z));
    if (deepest <= 0)
        return deepest;
    return pov_vec3_norm((pov_vec3){fmax(0, out.x), fmax(0, out.y), fmax(0, out.z)});
}

double pov_box_standing_out_m(const pov_box *a, const pov_box *b)
{
    pov_vec3 centre = pov_box_local(b, a->centre_m);
    double out = -INFINITY;
    for (int k = 0; k < 3; k++)
        out = fmax(out, fabs(component(centre, k)) + pov_box_half_extent_m(a, axis_of(b, k)) -
                            component(b->half_m, k));
    return out;
}

/* How far apart the two are along a unit direction; negative where their shadows overlap. */
static double separation_along(const pov_box *a, const pov_box *b, pov_vec3 direction)
{
    return fabs(pov_vec3_dot(pov_vec3_sub(b->centre_m, a->centre_m), direction)) -
           pov_box_half_extent_m(a, direction) - pov_box_half_extent_m(b, direction);
}

/* The unit normal of a's edges i and b's edges j, from a toward b; false if they are parallel. */
static bool edges_normal(pov_vec3 *normal, const pov_box *a, const pov_box *b, int i, int j)
{
    pov_vec3 cross = pov_vec3_cross(axis_of(a, i), axis_of(b, j));
    double norm = pov_vec3_norm(cross);
    if (norm < 1e-9)
        return false;
    double toward = pov_vec3_dot(pov_vec3_sub(b->centre_m, a->centre_m), cross);
    *normal = pov_vec3_scale(cross, (toward < 0 ? -1 : 1) / norm);
    return true;
}

static double greatest_separation(const pov_box *a, const pov_box *b)
{
    double greatest = -INFINITY;
    for (int i = 0; i < 3; i++) {
        greatest = fmax(greatest, separation_along(a, b, axis_of(a, i)));
        greatest = fmax(greatest, separation_along(a, b, axis_of(b, i)));
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            pov_vec3 normal;
            if (edges_normal(&normal, a, b, i, j))
                greatest = fmax(greatest, separation_along(a, b, normal));
        }
    return greatest;
}

/* A segment: its middle, and half of it. */
typedef struct {
    pov_vec3 middle, half;
} segment;

/* The edge along axis `i` that is farthest in a direction. */
static segment edge_toward(const pov_box *box, int i, pov_vec3 direction)
{
    segment edge = {box->centre_m, pov_vec3_scale(axis_of(box, i), component(box->half_m, i))};
    for (int k = 0; k < 3; k++) {
        double side = pov_vec3_dot(axis_of(box, k), direction) < 0 ? -1 : 1;
        if (k != i)
            edge.middle =
                pov_vec3_add(edge.middle, pov_vec3_scale(axis_of(box, k), side * component(box->half_m, k)));
    }
    return edge;
}

static double clamped(double value)
{
    return fmax(-1, fmin(1, value));
}

/* Distance between segments p + s u and q + t v, s and t in [-1, 1], u and v not parallel: Ericson 2005, 5.1.9. */
static double segments_distance(segment p, segment q)
{
    pov_vec3 d = pov_vec3_sub(q.middle, p.middle);
    double uu = pov_vec3_dot(p.half, p.half), vv = pov_vec3_dot(q.half, q.half),
           uv = pov_vec3_dot(p.half, q.half), du = pov_vec3_dot(d, p.half), dv = pov_vec3_dot(d, q.half);
    double denominator = uu * vv - uv * uv;
    double s = denominator > 0 ? clamped((du * vv - dv * uv) / denominator) : 0;
    double t = vv > 0 ? clamped((s * uv - dv) / vv) : 0;
    s = uu > 0 ? clamped((du + t * uv) / uu) : 0;
    pov_vec3 gap = pov_vec3_sub(pov_vec3_add(d, pov_vec3_scale(q.half, t)), pov_vec3_scale(p.half, s));
    return pov_vec3_norm(gap);
}

/* The nearest points of two convex bodies that are apart are a corner and a body, or lie on two edges whose common
 * normal joins them: then each edge is the farthest of its direction along that normal. */
static double distance_apart(const pov_box *a, const pov_box *b)
{
    double least = INFINITY;
    for (int corner = 0; corner < 8; corner++) {
        least = fmin(least, pov_box_point_signed_distance_m(b, pov_box_corner(a, corner)));
        least = fmin(least, pov_box_point_signed_distance_m(a, pov_box_corner(b, corner)));
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            pov_vec3 normal;
            if (edges_normal(&normal, a, b, i, j))
                least = fmin(least, segments_distance(edge_toward(a, i, normal),
                                                      edge_toward(b, j, pov_vec3_scale(normal, -1))));
        }
    return least;
}

double pov_box_gap_m(const pov_box *a, const pov_box *b)
{
    double separation = greatest_separation(a, b);
    return separation <= 0 ? separation : distance_apart(a, b);
}

/* The corners of a tetrahedron in b's frame. */
typedef struct {
    pov_vec3 corner[4];
} tetrahedron;

static double volume_of(const tetrahedron *t)
{
    pov_vec3 u = pov_vec3_sub(t->corner[1], t->corner[0]), v = pov_vec3_sub(t->corner[2], t->corner[0]),
             w = pov_vec3_sub(t->corner[3], t->corner[0]);
    return fabs(pov_vec3_dot(u, pov_vec3_cross(v, w))) / 6;
}

static double volume_within(const tetrahedron *whole, const pov_box *b, int face);

/* Three tetrahedra fill a prism with the triangles p and q, p[i] and q[i] joined by an edge. */
static double prism_within(const pov_vec3 p[3], const pov_vec3 q[3], const pov_box *b, int face)
{
    const tetrahedron parts[3] = {
        {{p[0], p[1], p[2], q[0]}}, {{p[1], p[2], q[0], q[1]}}, {{p[2], q[0], q[1], q[2]}}};
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += volume_within(&parts[i], b, face);
    return sum;
}

/* Where the plane cuts the edge between two corners that lie `u` and `v` beyond it. */
static pov_vec3 cut(pov_vec3 a, pov_vec3 b, double u, double v)
{
    return pov_vec3_add(a, pov_vec3_scale(pov_vec3_sub(b, a), u / (u - v)));
}

/* Volume inside b's faces `face`..5, face 2k and 2k + 1 being the sides of axis k. */
static double volume_within(const tetrahedron *whole, const pov_box *b, int face)
{
    if (face == 6)
        return volume_of(whole);
    pov_vec3 in[4], out[4];
    double in_beyond[4], out_beyond[4];
    int in_len = 0, out_len = 0;
    for (int i = 0; i < 4; i++) {
        double at = component(whole->corner[i], face / 2);
        double beyond = (face % 2 ? -at : at) - component(b->half_m, face / 2);
        bool inside = beyond <= 0;
        (inside ? in_beyond : out_beyond)[inside ? in_len : out_len] = beyond;
        (inside ? in : out)[inside ? in_len++ : out_len++] = whole->corner[i];
    }
    if (in_len == 0)
        return 0;
    if (in_len == 4)
        return volume_within(whole, b, face + 1);
    pov_vec3 p[3], q[3];
    if (in_len == 2) {
        for (int i = 0; i < 2; i++) {
            pov_vec3 *triangle = i ? q : p;
            triangle[0] = in[i];
            for (int j = 0; j < 2; j++)
                triangle[1 + j] = cut(in[i], out[j], in_beyond[i], out_beyond[j]);
        }
        return prism_within(p, q, b, face + 1);
    }
    for (int i = 0; i < 3; i++) {
        p[i] = in_len == 3 ? in[i] : in[0];
        q[i] = in_len == 3 ? cut(in[i], out[0], in_beyond[i], out_beyond[0])
                           : cut(in[0], out[i], in_beyond[0], out_beyond[i]);
    }
    if (in_len == 3)
        return prism_within(p, q, b, face + 1);
    const tetrahedron tip = {{in[0], q[0], q[1], q[2]}};
    return volume_within(&tip, b, face + 1);
}

double pov_box_share_inside(const pov_box *a, const pov_box *b)
{
    /* A cube is its inner regular tetrahedron and four corners. */
    static const int corners[5][4] = {{0, 3, 5, 6}, {1, 0, 3, 5}, {2, 0, 3, 6}, {4, 0, 5, 6}, {7, 3, 5, 6}};
    double volume_m3 = pov_box_volume_m3(a), inside_m3 = 0;
    if (!(volume_m3 > 0))
        return pov_box_point_signed_distance_m(b, a->centre_m) <= 0;
    if (pov_box_standing_out_m(a, b) <= 0)
        return 1;
    if (greatest_separation(a, b) >= 0)
        return 0;
    for (int i = 0; i < 5; i++) {
        tetrahedron part;
        for (int k = 0; k < 4; k++)
            part.corner[k] = pov_box_local(b, pov_box_corner(a, corners[i][k]));
        inside_m3 += volume_within(&part, b, 0);
    }
    return fmin(1, inside_m3 / volume_m3);
}
