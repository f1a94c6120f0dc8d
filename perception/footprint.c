#include "perception/box.h"

#include <math.h>

static pov_vec2 minus(pov_vec2 a, pov_vec2 b)
{
    return (pov_vec2){a.x - b.x, a.y - b.y};
}

static double cross(pov_vec2 a, pov_vec2 b)
{
    return a.x * b.y - a.y * b.x;
}

static double dot(pov_vec2 a, pov_vec2 b)
{
    return a.x * b.x + a.y * b.y;
}

static void swap(pov_vec2 *a, pov_vec2 *b)
{
    pov_vec2 kept = *a;
    *a = *b;
    *b = kept;
}

/* The shadow of a box is the sum of its three half edges' shadows: a polygon whose sides are these in the order of
 * their directions, forth and back (a zonogon). */
pov_footprint pov_box_footprint(const pov_box *box)
{
    const double half[3] = {box->half_m.x, box->half_m.y, box->half_m.z};
    pov_vec2 side[3], at = {box->centre_m.x, box->centre_m.y};
    for (int k = 0; k < 3; k++) {
        side[k] = (pov_vec2){box->R_table_box.m[0][k] * half[k], box->R_table_box.m[1][k] * half[k]};
        if (side[k].y < 0 || (side[k].y == 0 && side[k].x < 0))
            side[k] = (pov_vec2){-side[k].x, -side[k].y};
        at = minus(at, side[k]);
    }
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++)
            if (cross(side[k], side[k + 1]) < 0)
                swap(&side[k], &side[k + 1]);
    pov_footprint footprint = {.len = 0};
    for (int i = 0; i < 6; i++) {
        double forth = i < 3 ? 2 : -2;
        footprint.corner_m[footprint.len] = at;
        footprint.len += dot(side[i % 3], side[i % 3]) > 1e-24;
        at = (pov_vec2){at.x + forth * side[i % 3].x, at.y + forth * side[i % 3].y};
    }
    footprint.len += footprint.len == 0;
    return footprint;
}

double pov_footprint_area_m2(const pov_footprint *footprint)
{
    double twice = 0;
    for (int i = 1; i + 1 < footprint->len; i++)
        twice += cross(minus(footprint->corner_m[i], footprint->corner_m[0]),
                       minus(footprint->corner_m[i + 1], footprint->corner_m[0]));
    return twice / 2;
}

/* What of a polygon lies to the left of the line from a point. */
static pov_footprint left_of_line(const pov_footprint *polygon, pov_vec2 from, pov_vec2 direction)
{
    pov_footprint kept = {.len = 0};
    for (int i = 0; i < polygon->len; i++) {
        pov_vec2 p = polygon->corner_m[i], q = polygon->corner_m[(i + 1) % polygon->len];
        double u = cross(direction, minus(p, from)), v = cross(direction, minus(q, from));
        if (u >= 0)
            kept.corner_m[kept.len++] = p;
        if ((u > 0 && v < 0) || (u < 0 && v > 0)) {
            double share = u / (u - v);
            kept.corner_m[kept.len++] = (pov_vec2){p.x + share * (q.x - p.x), p.y + share * (q.y - p.y)};
        }
    }
    return kept;
}

double pov_footprint_share_inside(const pov_footprint *a, const pov_footprint *b)
{
    double area_m2 = pov_footprint_area_m2(a);
    if (!(area_m2 > 0) || b->len < 3)
        return 0;
    pov_footprint common = *a;
    for (int i = 0; i < b->len; i++) {
        pov_vec2 p = b->corner_m[i], q = b->corner_m[(i + 1) % b->len];
        common = left_of_line(&common, p, minus(q, p));
    }
    return fmax(0, fmin(1, pov_footprint_area_m2(&common) / area_m2));
}

/* Whether the shadows of the two on a direction are apart. */
static bool apart_along(const pov_footprint *a, const pov_footprint *b, pov_vec2 direction)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int side = 0; side < 2; side++) {
        const pov_footprint *polygon = side ? b : a;
        for (int i = 0; i < polygon->len; i++) {
            double at = dot(direction, polygon->corner_m[i]);
            low[side] = fmin(low[side], at);
            high[side] = fmax(high[side], at);
        }
    }
    return low[0] > high[1] || low[1] > high[0];
}

static double squared_to_segment(pov_vec2 point, pov_vec2 p, pov_vec2 q)
{
    pov_vec2 along = minus(q, p), from = minus(point, p);
    double squared = dot(along, along);
    double share = squared > 0 ? dot(from, along) / squared : 0;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    pov_vec2 across = {from.x - share * along.x, from.y - share * along.y};
    return dot(across, across);
}

double pov_footprint_gap_m(const pov_footprint *a, const pov_footprint *b)
{
    double least = INFINITY;
    bool apart = false;
    for (int order = 0; order < 2; order++) {
        const pov_footprint *sides = order ? b : a, *corners = order ? a : b;
        for (int i = 0; i < sides->len; i++) {
            pov_vec2 p = sides->corner_m[i], q = sides->corner_m[(i + 1) % sides->len], along = minus(q, p);
            /* Along the sides too: needed where both are but lines. */
            apart = apart || apart_along(a, b, (pov_vec2){-along.y, along.x}) || apart_along(a, b, along);
            for (int k = 0; k < corners->len; k++)
                least = fmin(least, squared_to_segment(corners->corner_m[k], p, q));
        }
    }
    bool points = a->len == 1 && b->len == 1;
    return apart || points ? sqrt(least) : 0;
}
