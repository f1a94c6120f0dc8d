#include "perception/geometry/box.h"

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

static void swap_points(pov_vec2 *a, pov_vec2 *b)
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
                swap_points(&side[k], &side[k + 1]);
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

/* The part of a polygon to the left of the line from a point. */
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

/* True if the shadows of the two on a direction are apart. */
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

/* To a point from the nearest one of a segment. */
static pov_vec2 from_segment(pov_vec2 point, pov_vec2 p, pov_vec2 q)
{
    pov_vec2 along = minus(q, p), from = minus(point, p);
    double squared = dot(along, along);
    double share = squared > 0 ? dot(from, along) / squared : 0;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    return (pov_vec2){from.x - share * along.x, from.y - share * along.y};
}

/* Outlines without area are also cut along their sides: both may be lines. */
static bool are_apart(const pov_footprint *a, const pov_footprint *b)
{
    for (int order = 0; order < 2; order++) {
        const pov_footprint *sides = order ? b : a;
        for (int i = 0; i < sides->len; i++) {
            pov_vec2 along = minus(sides->corner_m[(i + 1) % sides->len], sides->corner_m[i]);
            if (apart_along(a, b, (pov_vec2){-along.y, along.x}) || apart_along(a, b, along))
                return true;
        }
    }
    return a->len == 1 && b->len == 1;
}

/* Finds the sides that have a corner of the other polygon before them. Returns: one side has all of them, so that it parts the two. */
static bool find_facing(bool facing[16], const pov_footprint *sides, const pov_footprint *corners)
{
    bool parts = false;
    for (int i = 0; i < sides->len; i++) {
        const pov_vec2 p = sides->corner_m[i],
                       along = minus(sides->corner_m[i + 1 < sides->len ? i + 1 : 0], p);
        double low = INFINITY, high = -INFINITY;
        for (int k = 0; k < corners->len; k++) {
            double inward = cross(along, minus(corners->corner_m[k], p));
            low = inward < low ? inward : low;
            high = inward > high ? inward : high;
        }
        facing[i] = low < 0;
        parts = parts || high < 0;
    }
    return parts;
}

pov_vec2 pov_footprint_gap_vector_m(const pov_footprint *a, const pov_footprint *b)
{
    const bool have_area = a->len > 2 && b->len > 2;
    bool facing[2][16];
    double least = INFINITY;
    pov_vec2 gap_m = {0, 0};
    const bool parts[2] = {find_facing(facing[0], a, b), find_facing(facing[1], b, a)};
    if (have_area ? !parts[0] && !parts[1] : !are_apart(a, b))
        return gap_m;
    for (int order = 0; order < 2; order++) {
        const pov_footprint *sides = order ? b : a, *corners = order ? a : b;
        for (int i = 0; i < sides->len; i++)
            for (int k = 0; k < corners->len && (facing[order][i] || !have_area); k++) {
                pov_vec2 from_m = from_segment(corners->corner_m[k], sides->corner_m[i],
                                               sides->corner_m[(i + 1) % sides->len]);
                double squared = dot(from_m, from_m);
                if (squared < least) {
                    least = squared;
                    gap_m = order ? from_m : (pov_vec2){-from_m.x, -from_m.y};
                }
            }
    }
    return gap_m;
}

double pov_footprint_gap_m(const pov_footprint *a, const pov_footprint *b)
{
    pov_vec2 gap_m = pov_footprint_gap_vector_m(a, b);
    return hypot(gap_m.x, gap_m.y);
}

pov_subtended pov_footprint_subtended(const pov_footprint *footprint, pov_vec2 eye_m)
{
    const int len = footprint->len;
    pov_vec2 first = minus(footprint->corner_m[0], eye_m), last = first,
             previous = minus(footprint->corner_m[len - 1], eye_m);
    bool is_within = len > 2;
    double least = INFINITY;
    for (int i = 0; i < len; i++) {
        const pov_vec2 at = minus(footprint->corner_m[i], eye_m);
        const pov_vec2 nearest_m = from_segment((pov_vec2){0, 0}, previous, at);
        /* Corners of a convex polygon are less than half a turn apart, seen from outside. */
        first = cross(first, at) < 0 ? at : first;
        last = cross(last, at) > 0 ? at : last;
        is_within = is_within && cross(previous, at) >= 0;
        least = fmin(least, dot(nearest_m, nearest_m));
        previous = at;
    }
    const double whole_rad = atan2(cross(first, last), dot(first, last));
    return (pov_subtended){.distance_m = is_within ? 0 : sqrt(least),
                           .middle_rad = atan2(first.y, first.x) + whole_rad / 2,
                           .half_rad = whole_rad / 2};
}
