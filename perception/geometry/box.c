#include "perception/geometry/box.h"

#include <math.h>

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

/* b as a sees it: its axes (columns) and centre in a's frame; the halves of both. Plain numbers, not vectors: gaps are
 * asked for a million times. */
typedef struct {
    double R[3][3], t[3], a[3], b[3];
} relative;

static double dot(const double u[3], const double v[3])
{
    return u[0] * v[0] + u[1] * v[1] + u[2] * v[2];
}

static relative relative_of(const pov_box *a, const pov_box *b)
{
    const double d[3] = {b->centre_m.x - a->centre_m.x, b->centre_m.y - a->centre_m.y,
                         b->centre_m.z - a->centre_m.z};
    const double(*Ra)[3] = a->R_table_box.m, (*Rb)[3] = b->R_table_box.m;
    relative r = {.a = {a->half_m.x, a->half_m.y, a->half_m.z}, .b = {b->half_m.x, b->half_m.y, b->half_m.z}};
    for (int i = 0; i < 3; i++) {
        r.t[i] = Ra[0][i] * d[0] + Ra[1][i] * d[1] + Ra[2][i] * d[2];
        for (int j = 0; j < 3; j++)
            r.R[i][j] = Ra[0][i] * Rb[0][j] + Ra[1][i] * Rb[1][j] + Ra[2][i] * Rb[2][j];
    }
    return r;
}

/* Between the shadows on the normal of a's edges i and b's edges j; negative where they overlap, and without bound if
 * the edges are parallel. */
static double separation_by_edges(const relative *r, int i, int j)
{
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    double squared = r->R[i1][j] * r->R[i1][j] + r->R[i2][j] * r->R[i2][j];
    if (squared < 1e-18)
        return -INFINITY;
    double centres = fabs(r->t[i2] * r->R[i1][j] - r->t[i1] * r->R[i2][j]);
    double reach_a = r->a[i1] * fabs(r->R[i2][j]) + r->a[i2] * fabs(r->R[i1][j]);
    double reach_b = r->b[j1] * fabs(r->R[i][j2]) + r->b[j2] * fabs(r->R[i][j1]);
    return (centres - reach_a - reach_b) / sqrt(squared);
}

static double separation_by_faces(const relative *r)
{
    double greatest = -INFINITY;
    for (int k = 0; k < 3; k++) {
        double b_along = 0, a_along = 0, centres = 0;
        for (int l = 0; l < 3; l++) {
            b_along += fabs(r->R[k][l]) * r->b[l];
            a_along += fabs(r->R[l][k]) * r->a[l];
            centres += r->R[l][k] * r->t[l];
        }
        greatest = fmax(greatest, fmax(fabs(r->t[k]) - r->a[k] - b_along, fabs(centres) - r->b[k] - a_along));
    }
    return greatest;
}

static double greatest_separation(const relative *r)
{
    double greatest = separation_by_faces(r);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            greatest = fmax(greatest, separation_by_edges(r, i, j));
    return greatest;
}

static double squared_distance_to_box(const double point[3], const double half[3])
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        double out = fmax(0, fabs(point[k]) - half[k]);
        sum += out * out;
    }
    return sum;
}

/* From the corners of each to the other. */
static double corner_distance(const relative *r)
{
    double least = INFINITY;
    for (int corner = 0; corner < 8; corner++) {
        const double sign[3] = {corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1};
        double of_b[3], from_b[3], of_a[3];
        for (int i = 0; i < 3; i++) {
            of_b[i] = r->t[i] + sign[0] * r->R[i][0] * r->b[0] + sign[1] * r->R[i][1] * r->b[1] +
                      sign[2] * r->R[i][2] * r->b[2];
            from_b[i] = sign[i] * r->a[i] - r->t[i];
        }
        for (int j = 0; j < 3; j++)
            of_a[j] = r->R[0][j] * from_b[0] + r->R[1][j] * from_b[1] + r->R[2][j] * from_b[2];
        least = fmin(least, fmin(squared_distance_to_box(of_b, r->a), squared_distance_to_box(of_a, r->b)));
    }
    return sqrt(least);
}

static double clamped(double value)
{
    return fmax(-1, fmin(1, value));
}

/* Between the segments s u and d + t v, s and t in [-1, 1], u and v not parallel: Ericson 2005, section 5.1.9. */
static double segments_distance(const double d[3], const double u[3], const double v[3])
{
    double uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), du = dot(d, u), dv = dot(d, v);
    double denominator = uu * vv - uv * uv;
    double s = denominator > 0 ? clamped((du * vv - dv * uv) / denominator) : 0;
    double t = vv > 0 ? clamped((s * uv - dv) / vv) : 0;
    s = uu > 0 ? clamped((du + t * uv) / uu) : 0;
    const double gap[3] = {d[0] + t * v[0] - s * u[0], d[1] + t * v[1] - s * u[1],
                           d[2] + t * v[2] - s * u[2]};
    return sqrt(dot(gap, gap));
}

/* Between a's edge along its axis i and b's along j that face each other. */
static double edge_distance(const relative *r, int i, int j)
{
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    double normal[3] = {0}, d[3], u[3] = {0}, v[3];
    normal[i1] = -r->R[i2][j];
    normal[i2] = r->R[i1][j];
    double toward_b = dot(normal, r->t) < 0 ? -1 : 1;
    u[i] = r->a[i];
    for (int k = 0; k < 3; k++) {
        d[k] = r->t[k] - (k == i ? 0 : copysign(r->a[k], toward_b * normal[k]));
        v[k] = r->b[j] * r->R[k][j];
    }
    for (int l = 0; l < 3; l++) {
        const double axis[3] = {r->R[0][l], r->R[1][l], r->R[2][l]};
        double toward_a = copysign(r->b[l], -toward_b * dot(axis, normal));
        for (int k = 0; k < 3 && l != j; k++)
            d[k] += toward_a * axis[k];
    }
    return segments_distance(d, u, v);
}

/* The nearest points of two convex bodies that are apart are a corner and a body, or lie on two edges whose common
 * normal joins them: then that normal parts the two, and each edge is the farthest of its direction along it. */
static double distance_apart(const relative *r, double separation)
{
    double least = corner_distance(r);
    for (int i = 0; i < 3 && least > separation + 1e-12; i++)
        for (int j = 0; j < 3; j++)
            if (separation_by_edges(r, i, j) > 0)
                least = fmin(least, edge_distance(r, i, j));
    return least;
}

double pov_box_gap_m(const pov_box *a, const pov_box *b)
{
    relative r = relative_of(a, b);
    double separation = greatest_separation(&r);
    return separation <= 0 ? separation : distance_apart(&r, separation);
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

/* The point where the plane cuts the edge between two corners that lie `u` and `v` beyond it. */
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
    if (pov_box_gap_m(a, b) >= 0)
        return 0;
    for (int i = 0; i < 5; i++) {
        tetrahedron part;
        for (int k = 0; k < 4; k++)
            part.corner[k] = pov_box_local(b, pov_box_corner(a, corners[i][k]));
        inside_m3 += volume_within(&part, b, 0);
    }
    return fmin(1, inside_m3 / volume_m3);
}
