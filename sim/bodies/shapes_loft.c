#include "sim/bodies/shapes_internal.h"

#include <math.h>

enum { STEPS_MAX = 8, SIDES_MAX = 48, ROWS_MAX = (POV_RING_LEN_MAX - 1) * STEPS_MAX + 1 };

/** Catmull & Rom 1974. */
static double between(double before, double from, double to, double after, double t)
{
    const double a = (to - before) / 2, b = (after - from) / 2;
    return from + t * (a + t * (3 * (to - from) - 2 * a - b + t * (2 * (from - to) + a + b)));
}

static pov_ring ring_between(const pov_ring rings[], int len, int i, double t)
{
    const pov_ring *p = &rings[i > 0 ? i - 1 : 0], *q = &rings[i], *r = &rings[i + 1],
                   *s = &rings[i + 2 < len ? i + 2 : len - 1];
    return (pov_ring){
        {between(p->centre_m.x, q->centre_m.x, r->centre_m.x, s->centre_m.x, t),
         between(p->centre_m.y, q->centre_m.y, r->centre_m.y, s->centre_m.y, t),
         between(p->centre_m.z, q->centre_m.z, r->centre_m.z, s->centre_m.z, t)},
        {fmax(0, between(p->half_m.x, q->half_m.x, r->half_m.x, s->half_m.x, t)),
         fmax(0, between(p->half_m.y, q->half_m.y, r->half_m.y, s->half_m.y, t))},
    };
}

static int refine(pov_ring rows[ROWS_MAX], const pov_ring rings[], int ring_len, int steps)
{
    int len = 0;
    for (int i = 0; i + 1 < ring_len; i++) {
        for (int k = 0; k < steps; k++)
            rows[len++] = k == 0 ? rings[i] : ring_between(rings, ring_len, i, (double)k / steps);
    }
    rows[len++] = rings[ring_len - 1];
    return len;
}

static pov_vec3 tangent_at(const pov_ring rows[], int len, int i)
{
    const pov_vec3 before = rows[i > 0 ? i - 1 : 0].centre_m, after = rows[i + 1 < len ? i + 1 : i].centre_m;
    return pov_vec3_unit(pov_vec3_sub(after, before));
}

static pov_vec3 square_to(pov_vec3 direction, pov_vec3 axis)
{
    return pov_vec3_unit(pov_vec3_sub(direction, pov_vec3_scale(axis, pov_vec3_dot(direction, axis))));
}

static double towards_square(double value, double squareness)
{
    return copysign(pow(fabs(value), 2 / squareness), value);
}

/** Across and up of a row: carried from the row before, so that the skin does not twist. */
typedef struct {
    pov_vec3 across, up, along;
} row_axes;

static row_axes level_axes(bool rising)
{
    const double up = rising ? 1 : -1;
    return (row_axes){.across = {0, 1, 0}, .up = {-up, 0, 0}, .along = {0, 0, up}};
}

static row_axes axes_at(pov_vec3 along, pov_vec3 across_before)
{
    const pov_vec3 across = square_to(across_before, along);
    return (row_axes){across, pov_vec3_cross(along, across), along};
}

static pov_vec3 first_across(pov_vec3 along)
{
    return fabs(along.y) < 0.95 ? (pov_vec3){0, 1, 0} : (pov_vec3){1, 0, 0};
}

static pov_vec3 row_point(const pov_ring *ring, const row_axes *axes, int j, const pov_loft *loft)
{
    const double angle = 2 * POV_PI * (j % loft->sides) / loft->sides;
    const double a = ring->half_m.x * towards_square(cos(angle), loft->squareness);
    const double b = ring->half_m.y * towards_square(sin(angle), loft->squareness);
    return pov_vec3_add(ring->centre_m,
                        pov_vec3_add(pov_vec3_scale(axes->across, a), pov_vec3_scale(axes->up, b)));
}

/** Points of one row: its own, and by their neighbours the directions of the skin. */
typedef struct {
    pov_vec3 point[SIDES_MAX];
} loft_row;

static pov_vec3 normal_at(const loft_row *before, const loft_row *here, const loft_row *after, int j,
                          int sides)
{
    /* Where the row is a point, the neighbours' rows still go round. */
    const int next = (j + 1) % sides, last = (j + sides - 1) % sides;
    pov_vec3 round = {0, 0, 0};
    const loft_row *rows[3] = {before, here, after};
    for (int k = 0; k < 3; k++)
        round = pov_vec3_add(round, pov_vec3_sub(rows[k]->point[next], rows[k]->point[last]));
    return pov_vec3_cross(round, pov_vec3_sub(after->point[j], before->point[j]));
}

static void loft_cap(pov_brush brush, const loft_row *row, pov_vec3 centre_m, pov_vec3 out, int sides)
{
    const uint32_t centre = pov_brush_vertex(brush, centre_m, out, (pov_vec2){0, 0});
    uint32_t first = centre + 1;
    for (int j = 0; j < sides; j++)
        pov_brush_vertex(brush, row->point[j], out, (pov_vec2){0, 0});
    for (int j = 0; j < sides; j++)
        pov_brush_triangle(brush, centre, first + (uint32_t)j, first + (uint32_t)((j + 1) % sides));
}

static void reverse(loft_row *row, int sides)
{
    for (int j = 1; j < (sides + 1) / 2; j++) {
        const pov_vec3 kept = row->point[j];
        row->point[j] = row->point[sides - j];
        row->point[sides - j] = kept;
    }
}

static bool has_size(pov_ring ring)
{
    return ring.half_m.x > 0 && ring.half_m.y > 0;
}

void pov_shape_loft(pov_brush brush, const pov_ring rings[], int ring_len, pov_loft loft)
{
    POV_REQUIRE(ring_len >= 2 && ring_len <= POV_RING_LEN_MAX);
    POV_REQUIRE(loft.sides >= 3 && loft.sides <= SIDES_MAX && loft.steps >= 1 && loft.steps <= STEPS_MAX);
    pov_ring rings_fine[ROWS_MAX];
    loft_row rows[ROWS_MAX];
    const int len = refine(rings_fine, rings, ring_len, loft.steps);
    const row_axes level = level_axes(rings[ring_len - 1].centre_m.z > rings[0].centre_m.z);
    const pov_vec3 start = loft.level ? level.along : tangent_at(rings_fine, len, 0);
    row_axes axes = {.across = first_across(start)};
    for (int i = 0; i < len; i++) {
        axes = loft.level ? level : axes_at(tangent_at(rings_fine, len, i), axes.across);
        for (int j = 0; j < loft.sides; j++)
            rows[i].point[j] = row_point(&rings_fine[i], &axes, j, &loft);
    }
    uint32_t first = 0;
    for (int i = 0; i < len; i++) {
        for (int j = 0; j <= loft.sides; j++) {
            const int k = j % loft.sides;
            const pov_vec3 normal =
                normal_at(&rows[i > 0 ? i - 1 : 0], &rows[i], &rows[i + 1 < len ? i + 1 : i], k, loft.sides);
            const uint32_t vertex = pov_brush_vertex(brush, rows[i].point[k], normal,
                                                     (pov_vec2){(double)j / loft.sides, 1 - i / (len - 1.0)});
            first = i == 0 && j == 0 ? vertex : first;
        }
    }
    pov_brush_grid(brush, first, loft.sides + 1, len);
    if (has_size(rings[ring_len - 1]))
        loft_cap(brush, &rows[len - 1], rings[ring_len - 1].centre_m, axes.along, loft.sides);
    if (has_size(rings[0])) {
        reverse(&rows[0], loft.sides);
        loft_cap(brush, &rows[0], rings[0].centre_m, pov_vec3_scale(start, -1), loft.sides);
    }
}

enum { END_RINGS = 2 };

/** Adds a half sphere's rings before or after an end. */
static int round_end(pov_ring rings[], int len, pov_vec3 end_m, pov_vec3 out, double radius_m)
{
    static const double sines[END_RINGS] = {0.70710678, 1};
    for (int k = 0; k < END_RINGS; k++) {
        const double radius = radius_m * sqrt(1 - sines[k] * sines[k]);
        rings[len++] =
            (pov_ring){pov_vec3_add(end_m, pov_vec3_scale(out, radius_m * sines[k])), {radius, radius}};
    }
    return len;
}

static void round_path(pov_brush brush, const pov_ring path[], int len, pov_loft loft)
{
    pov_ring rings[POV_RING_LEN_MAX];
    const double radius_m = path[0].half_m.x;
    const pov_vec3 start = pov_vec3_unit(pov_vec3_sub(path[0].centre_m, path[1].centre_m));
    const pov_vec3 end = pov_vec3_unit(pov_vec3_sub(path[len - 1].centre_m, path[len - 2].centre_m));
    pov_ring start_rings[END_RINGS];
    int total = round_end(start_rings, 0, path[0].centre_m, start, radius_m);
    for (int k = 0; k < END_RINGS; k++)
        rings[k] = start_rings[END_RINGS - 1 - k];
    for (int i = 0; i < len; i++)
        rings[total++] = path[i];
    total = round_end(rings, total, path[len - 1].centre_m, end, radius_m);
    pov_shape_loft(brush, rings, total, loft);
}

void pov_shape_rod(pov_brush brush, pov_vec3 from_m, pov_vec3 to_m, double radius_m)
{
    const pov_ring ends[2] = {{from_m, {radius_m, radius_m}}, {to_m, {radius_m, radius_m}}};
    round_path(brush, ends, 2, (pov_loft){.sides = 8, .steps = 1, .squareness = 2});
}

void pov_shape_tube(pov_brush brush, const pov_vec3 path_m[], int path_len, double radius_m)
{
    enum { CURVE_MAX = POV_RING_LEN_MAX - 2 * END_RINGS, PER_SPAN = 2 };
    POV_REQUIRE(path_len >= 2 && (path_len - 1) * PER_SPAN + 1 <= CURVE_MAX);
    pov_ring rings[POV_RING_LEN_MAX], curve[CURVE_MAX];
    int len = 0;
    for (int i = 0; i < path_len; i++)
        rings[i] = (pov_ring){path_m[i], {radius_m, radius_m}};
    for (int i = 0; i + 1 < path_len; i++) {
        for (int k = 0; k < PER_SPAN; k++)
            curve[len++] = ring_between(rings, path_len, i, (double)k / PER_SPAN);
    }
    curve[len++] = rings[path_len - 1];
    round_path(brush, curve, len, (pov_loft){.sides = 8, .steps = 1, .squareness = 2});
}
