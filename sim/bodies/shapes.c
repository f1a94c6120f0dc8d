#include "sim/bodies/shapes.h"

#include <math.h>
#include <stdlib.h>

static const double CREASE_COS = 0.766; /* 40 degrees */

static pov_brush brush_with(pov_model *model, int texture, uint32_t rgb, double gloss)
{
    pov_material material = {
        .gloss = (float)gloss, .gloss_exponent = (float)(15 + 150 * gloss), .texture = texture};
    pov_albedo_from_srgb(material.albedo, rgb);
    return (pov_brush){model, pov_transform_identity(), pov_model_add_material(model, &material),
                       POV_BRUSH_SIDES};
}

pov_brush pov_brush_new(pov_model *model, uint32_t rgb, double gloss)
{
    return brush_with(model, POV_TEXTURE_NONE, rgb, gloss);
}

pov_brush pov_brush_textured(pov_model *model, const pov_texture *texture, uint32_t rgb, double gloss)
{
    return brush_with(model, pov_model_add_texture(model, texture), rgb, gloss);
}

pov_brush pov_brush_at(pov_brush brush, pov_vec3 pos_m)
{
    brush.T_model_part.t_m = pov_transform_apply(brush.T_model_part, pos_m);
    return brush;
}

pov_brush pov_brush_turned(pov_brush brush, pov_vec3 rotation_rad)
{
    brush.T_model_part.R = pov_rot_mul(brush.T_model_part.R, pov_rot_exp(rotation_rad));
    return brush;
}

static uint32_t add_vertex(pov_brush brush, pov_vec3 pos_m, pov_vec3 normal, pov_vec2 uv)
{
    const pov_vec3 p = pov_transform_apply(brush.T_model_part, pos_m);
    const pov_vec3 n = pov_rot_apply(brush.T_model_part.R, pov_vec3_unit(normal));
    const float position_m[3] = {(float)p.x, (float)p.y, (float)p.z};
    const float direction[3] = {(float)n.x, (float)n.y, (float)n.z};
    const float texture_uv[2] = {(float)uv.x, (float)uv.y};
    return (uint32_t)pov_model_add_vertex(brush.model, position_m, direction, texture_uv);
}

static bool same_place(const float a[3], const float b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

/* Drops triangles without area, which closed ends make. */
static void add_triangle(pov_brush brush, uint32_t a, uint32_t b, uint32_t c)
{
    const pov_model_parts parts = pov_model_read(brush.model);
    const float *p = parts.positions_m[a], *q = parts.positions_m[b], *r = parts.positions_m[c];
    if (same_place(p, q) || same_place(q, r) || same_place(r, p))
        return;
    const uint32_t vertices[3] = {a, b, c};
    pov_model_add_triangle(brush.model, vertices, brush.material);
}

/* A grid of vertices, row by row, `row_len` each: outside is where (next in row) x (next row) points. */
static void add_grid(pov_brush brush, uint32_t first, int row_len, int rows)
{
    for (int i = 0; i + 1 < rows; i++) {
        for (int j = 0; j + 1 < row_len; j++) {
            const uint32_t here = first + (uint32_t)(i * row_len + j), above = here + (uint32_t)row_len;
            add_triangle(brush, here, here + 1, above + 1);
            add_triangle(brush, here, above + 1, above);
        }
    }
}

/* A rounded box is a sphere drawn on a cube's faces, cut through the middle and pulled apart. Each face has the lines
 * -45, .., -0, +0, .., +45 degrees: the two in the middle bound its flat part. */
typedef struct {
    pov_vec3 inner_m; /* half sizes without the rounding */
    double round_m;
    int lines; /* of a face */
} round_box;

static double tan_of_line(int line, int lines)
{
    static const double fine[6] = {-1, -0.41421356237309503, 0, 0, 0.41421356237309503, 1};
    static const double coarse[4] = {-1, 0, 0, 1};
    return lines == 6 ? fine[line] : coarse[line];
}

static uint32_t box_vertex(pov_brush brush, const round_box *box, const double n[3], const int sign[3])
{
    const double norm = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    const pov_vec3 p = {sign[0] * box->inner_m.x + box->round_m * n[0] / norm,
                        sign[1] * box->inner_m.y + box->round_m * n[1] / norm,
                        sign[2] * box->inner_m.z + box->round_m * n[2] / norm};
    return add_vertex(brush, p, (pov_vec3){n[0], n[1], n[2]}, (pov_vec2){0, 0});
}

static void round_box_face(pov_brush brush, const round_box *box, int axis, int side)
{
    const int lines = box->lines, across = (axis + 1) % 3, up = (axis + 2) % 3;
    uint32_t first = 0;
    for (int i = 0; i < lines; i++) {
        for (int j = 0; j < lines; j++) {
            const int column = side > 0 ? j : lines - 1 - j;
            double n[3];
            int sign[3];
            n[axis] = sign[axis] = side;
            n[across] = tan_of_line(column, lines);
            n[up] = tan_of_line(i, lines);
            sign[across] = column < lines / 2 ? -1 : 1;
            sign[up] = i < lines / 2 ? -1 : 1;
            const uint32_t vertex = box_vertex(brush, box, n, sign);
            first = i == 0 && j == 0 ? vertex : first;
        }
    }
    add_grid(brush, first, lines, lines);
}

static void sharp_box_face(pov_brush brush, pov_vec3 half_m, int axis, double side)
{
    /* Right and up as one sees the face upright; the top and bottom with x up. */
    const pov_vec3 out = {axis == 0 ? side : 0, axis == 1 ? side : 0, axis == 2 ? side : 0};
    const pov_vec3 up = axis == 2 ? (pov_vec3){1, 0, 0} : (pov_vec3){0, 0, 1};
    const pov_vec3 right = pov_vec3_cross(up, out);
    uint32_t corner[4];
    for (int i = 0; i < 4; i++) {
        const pov_vec2 uv = {i == 1 || i == 2, i < 2};
        const pov_vec3 p = pov_vec3_add(
            out, pov_vec3_add(pov_vec3_scale(right, 2 * uv.x - 1), pov_vec3_scale(up, 1 - 2 * uv.y)));
        corner[i] = add_vertex(brush, (pov_vec3){p.x * half_m.x, p.y * half_m.y, p.z * half_m.z}, out, uv);
    }
    add_triangle(brush, corner[0], corner[1], corner[2]);
    add_triangle(brush, corner[0], corner[2], corner[3]);
}

void pov_shape_box(pov_brush brush, pov_vec3 size_m, double round_m)
{
    const pov_vec3 half_m = pov_vec3_scale(size_m, 0.5);
    const double thinnest_m = fmin(half_m.x, fmin(half_m.y, half_m.z)), round = fmin(round_m, thinnest_m);
    const round_box box = {pov_vec3_sub(half_m, (pov_vec3){round, round, round}), round,
                           round > 0.5 * thinnest_m ? 6 : 4};
    for (int axis = 0; axis < 3; axis++) {
        for (int side = -1; side <= 1; side += 2) {
            if (round > 0)
                round_box_face(brush, &box, axis, side);
            else
                sharp_box_face(brush, half_m, axis, side);
        }
    }
}

static pov_vec2 round_point(int i, int len)
{
    const int j = i % len; /* the seam's two sides are the same point, to the bit */
    return (pov_vec2){cos(2 * POV_PI * j / len), sin(2 * POV_PI * j / len)};
}

void pov_shape_ellipsoid(pov_brush brush, pov_vec3 half_m)
{
    const int sides = brush.sides, rows = sides / 2 + 1;
    uint32_t first = 0;
    for (int i = 0; i < rows; i++) {
        const double latitude = POV_PI * (i / (rows - 1.0) - 0.5);
        const double ring = i == 0 || i == rows - 1 ? 0 : cos(latitude);
        for (int j = 0; j <= sides; j++) {
            const pov_vec2 round = round_point(j, sides);
            const pov_vec3 n = {ring * round.x, ring * round.y, sin(latitude)};
            const uint32_t vertex =
                add_vertex(brush, (pov_vec3){n.x * half_m.x, n.y * half_m.y, n.z * half_m.z},
                           (pov_vec3){n.x / half_m.x, n.y / half_m.y, n.z / half_m.z},
                           (pov_vec2){(double)j / sides, 1 - i / (rows - 1.0)});
            first = i == 0 && j == 0 ? vertex : first;
        }
    }
    add_grid(brush, first, sides + 1, rows);
}

static bool same_point(pov_vec2 a, pov_vec2 b)
{
    return a.x == b.x && a.y == b.y;
}

static pov_vec2 segment_normal(const pov_vec2 line[], int i)
{
    const double dx = line[i + 1].x - line[i].x, dy = line[i + 1].y - line[i].y, length = hypot(dx, dy);
    return length > 0 ? (pov_vec2){dy / length, -dx / length} : (pov_vec2){0, 0};
}

/* The normal, on the right of the way, at an end (0 or 1) of segment `i` of a line: that of the segment, or where it bends
 * little the mean with its neighbour's. A line whose end is its beginning has neighbours there. */
static pov_vec2 line_normal(const pov_vec2 line[], int line_len, int i, int end)
{
    const int segments = line_len - 1;
    const pov_vec2 own = segment_normal(line, i);
    int beside = end ? i + 1 : i - 1;
    if (same_point(line[0], line[segments]))
        beside = (beside + segments) % segments;
    if (beside < 0 || beside >= segments)
        return own;
    const pov_vec2 other = segment_normal(line, beside);
    if (own.x * other.x + own.y * other.y < CREASE_COS)
        return own;
    return (pov_vec2){(own.x + other.x) / 2, (own.y + other.y) / 2};
}

void pov_shape_lathe(pov_brush brush, const pov_vec2 profile_m[], int profile_len, int sides)
{
    for (int i = 0; i + 1 < profile_len; i++) {
        uint32_t first = 0;
        for (int end = 0; end < 2; end++) {
            const pov_vec2 p = profile_m[i + end], n = line_normal(profile_m, profile_len, i, end);
            for (int j = 0; j <= sides; j++) {
                const pov_vec2 round = round_point(j, sides);
                const uint32_t vertex =
                    add_vertex(brush, (pov_vec3){p.x * round.x, p.x * round.y, p.y},
                               (pov_vec3){n.x * round.x, n.x * round.y, n.y},
                               (pov_vec2){(double)j / sides, 1 - (i + end) / (profile_len - 1.0)});
                first = end == 0 && j == 0 ? vertex : first;
            }
        }
        add_grid(brush, first, sides + 1, 2);
    }
}

/* ---- plates ---- */

static double turn(pov_vec2 a, pov_vec2 b, pov_vec2 c)
{
    return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

static double signed_area(const pov_vec2 outline[], int len)
{
    double sum = 0;
    for (int i = 0; i < len; i++) {
        const pov_vec2 a = outline[i], b = outline[(i + 1) % len];
        sum += a.x * b.y - b.x * a.y;
    }
    return sum / 2;
}

/** The corner at `i` of those left can be cut off: it is convex and no other corner lies in it. */
static bool is_ear(const pov_vec2 outline[], const int left[], int left_len, int i)
{
    const int before = (i + left_len - 1) % left_len, after = (i + 1) % left_len;
    const pov_vec2 a = outline[left[before]], b = outline[left[i]], c = outline[left[after]];
    if (turn(a, b, c) <= 0)
        return false;
    for (int k = 0; k < left_len; k++) {
        const pov_vec2 p = outline[left[k]];
        if (k != before && k != i && k != after && turn(a, b, p) >= 0 && turn(b, c, p) >= 0 &&
            turn(c, a, p) >= 0)
            return false;
    }
    return true;
}

/** Both faces: triangles by ear clipping (Meisters 1975) of a counter-clockwise outline. */
static void plate_faces(pov_brush brush, const pov_vec2 outline[], int len, const uint32_t first[2])
{
    int left[POV_PROFILE_LEN_MAX], left_len = len;
    for (int i = 0; i < len; i++)
        left[i] = i;
    while (left_len >= 3) {
        int ear = 0;
        while (ear < left_len && !is_ear(outline, left, left_len, ear))
            ear++;
        POV_REQUIRE(ear < left_len); /* the outline crosses itself */
        const uint32_t a = (uint32_t)left[(ear + left_len - 1) % left_len], b = (uint32_t)left[ear],
                       c = (uint32_t)left[(ear + 1) % left_len];
        add_triangle(brush, first[0] + a, first[0] + b, first[0] + c);
        add_triangle(brush, first[1] + a, first[1] + c, first[1] + b);
        left_len--;
        for (int i = ear; i < left_len; i++)
            left[i] = left[i + 1];
    }
}

static void plate_rim(pov_brush brush, const pov_vec2 line[], int line_len, double half_m)
{
    for (int i = 0; i + 1 < line_len; i++) {
        uint32_t corner[4];
        for (int k = 0; k < 4; k++) {
            const int end = k & 1;
            const pov_vec2 p = line[i + end], n = line_normal(line, line_len, i, end);
            corner[k] = add_vertex(brush, (pov_vec3){p.x, k & 2 ? half_m : -half_m, p.y},
                                   (pov_vec3){n.x, 0, n.y}, (pov_vec2){0, 0});
        }
        add_triangle(brush, corner[0], corner[2], corner[3]);
        add_triangle(brush, corner[0], corner[3], corner[1]);
    }
}

void pov_shape_plate(pov_brush brush, const pov_vec2 outline_m[], int outline_len, double thickness_m)
{
    POV_REQUIRE(outline_len >= 3 && outline_len <= POV_PROFILE_LEN_MAX);
    const bool reversed = signed_area(outline_m, outline_len) < 0;
    pov_vec2 line[POV_PROFILE_LEN_MAX + 1];
    for (int i = 0; i <= outline_len; i++)
        line[i] = outline_m[(reversed ? 2 * outline_len - i : i) % outline_len];
    uint32_t first[2];
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < outline_len; i++) {
            const double y = (side ? 1 : -1) * thickness_m / 2;
            const uint32_t vertex =
                add_vertex(brush, (pov_vec3){line[i].x, y, line[i].y}, (pov_vec3){0, y, 0}, (pov_vec2){0, 0});
            first[side] = i == 0 ? vertex : first[side];
        }
    }
    plate_faces(brush, line, outline_len, first);
    plate_rim(brush, line, outline_len + 1, thickness_m / 2);
}

/* ---- lofts ---- */

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

static int refine_rings(pov_ring rows[ROWS_MAX], const pov_ring rings[], int ring_len, int steps)
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
    /* If the row is a point, the neighbours' rows still go round. */
    const int next = (j + 1) % sides, last = (j + sides - 1) % sides;
    pov_vec3 round = {0, 0, 0};
    const loft_row *rows[3] = {before, here, after};
    for (int k = 0; k < 3; k++)
        round = pov_vec3_add(round, pov_vec3_sub(rows[k]->point[next], rows[k]->point[last]));
    return pov_vec3_cross(round, pov_vec3_sub(after->point[j], before->point[j]));
}

static void loft_cap(pov_brush brush, const loft_row *row, pov_vec3 centre_m, pov_vec3 out, int sides)
{
    const uint32_t centre = add_vertex(brush, centre_m, out, (pov_vec2){0, 0});
    uint32_t first = centre + 1;
    for (int j = 0; j < sides; j++)
        add_vertex(brush, row->point[j], out, (pov_vec2){0, 0});
    for (int j = 0; j < sides; j++)
        add_triangle(brush, centre, first + (uint32_t)j, first + (uint32_t)((j + 1) % sides));
}

static void reverse_row(loft_row *row, int sides)
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
    const int len = refine_rings(rings_fine, rings, ring_len, loft.steps);
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
            const uint32_t vertex = add_vertex(brush, rows[i].point[k], normal,
                                               (pov_vec2){(double)j / loft.sides, 1 - i / (len - 1.0)});
            first = i == 0 && j == 0 ? vertex : first;
        }
    }
    add_grid(brush, first, loft.sides + 1, len);
    if (has_size(rings[ring_len - 1]))
        loft_cap(brush, &rows[len - 1], rings[ring_len - 1].centre_m, axes.along, loft.sides);
    if (has_size(rings[0])) {
        reverse_row(&rows[0], loft.sides);
        loft_cap(brush, &rows[0], rings[0].centre_m, pov_vec3_scale(start, -1), loft.sides);
    }
}

enum { END_RINGS = 2 }; /* of a half sphere; chosen */

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

/* ---- skins ---- */

typedef struct {
    const pov_bone *bones;
    int bone_len;
    double blend_m;
} bone_set;

static double bone_distance(const pov_bone *bone, pov_vec3 p, double side)
{
    const pov_vec3 at = {p.x, p.y * side, p.z};
    const pov_vec3 along = pov_vec3_sub(bone->to_m, bone->from_m), from = pov_vec3_sub(at, bone->from_m);
    const double length2 = pov_vec3_dot(along, along);
    const double t = length2 > 0 ? fmin(1, fmax(0, pov_vec3_dot(from, along) / length2)) : 0;
    return pov_vec3_norm(pov_vec3_sub(from, pov_vec3_scale(along, t))) -
           ((1 - t) * bone->from_radius_m + t * bone->to_radius_m);
}

/** About the distance to the skin: negative inside. */
static double field_at(const bone_set *skin, pov_vec3 p)
{
    double sum = 0;
    for (int i = 0; i < skin->bone_len; i++) {
        for (int side = 1; side >= (skin->bones[i].paired ? -1 : 1); side -= 2)
            sum += exp(-bone_distance(&skin->bones[i], p, side) / skin->blend_m);
    }
    return -skin->blend_m * log(sum + 1e-300);
}

static pov_vec3 gradient_at(const bone_set *skin, pov_vec3 p, double step_m)
{
    const pov_vec3 x = {step_m, 0, 0}, y = {0, step_m, 0}, z = {0, 0, step_m};
    return (pov_vec3){
        (field_at(skin, pov_vec3_add(p, x)) - field_at(skin, pov_vec3_sub(p, x))) / (2 * step_m),
        (field_at(skin, pov_vec3_add(p, y)) - field_at(skin, pov_vec3_sub(p, y))) / (2 * step_m),
        (field_at(skin, pov_vec3_add(p, z)) - field_at(skin, pov_vec3_sub(p, z))) / (2 * step_m),
    };
}

/** Values at the corners of cells about the bones, and each cell's vertex. */
typedef struct {
    pov_vec3 low_m;
    double cell_m;
    int len[3]; /* corners along each axis */
    double *value;
    uint32_t *vertex; /* of the cell whose lowest corner this is */
} lattice;

static size_t corner_at(const lattice *grid, int x, int y, int z)
{
    return ((size_t)z * (size_t)grid->len[1] + (size_t)y) * (size_t)grid->len[0] + (size_t)x;
}

static pov_vec3 corner_point(const lattice *grid, int x, int y, int z)
{
    return pov_vec3_add(grid->low_m, pov_vec3_scale((pov_vec3){x, y, z}, grid->cell_m));
}

static void widen_bounds(pov_vec3 *low, pov_vec3 *high, pov_vec3 p, double radius)
{
    *low = (pov_vec3){fmin(low->x, p.x - radius), fmin(low->y, p.y - radius), fmin(low->z, p.z - radius)};
    *high = (pov_vec3){fmax(high->x, p.x + radius), fmax(high->y, p.y + radius), fmax(high->z, p.z + radius)};
}

static void lattice_about(lattice *grid, const bone_set *skin, double cell_m)
{
    pov_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < skin->bone_len; i++) {
        const pov_bone *bone = &skin->bones[i];
        for (int side = 1; side >= (bone->paired ? -1 : 1); side -= 2) {
            widen_bounds(&low, &high, (pov_vec3){bone->from_m.x, side * bone->from_m.y, bone->from_m.z},
                         bone->from_radius_m);
            widen_bounds(&low, &high, (pov_vec3){bone->to_m.x, side * bone->to_m.y, bone->to_m.z},
                         bone->to_radius_m);
        }
    }
    /* Sums of n equal terms swell by blend log n; the corners beyond must be outside. */
    const double margin_m = 2 * cell_m + skin->blend_m * log(2.0 * skin->bone_len);
    const pov_vec3 margin = {margin_m, margin_m, margin_m};
    const pov_vec3 size = pov_vec3_add(pov_vec3_sub(high, low), pov_vec3_scale(margin, 2));
    const double sizes[3] = {size.x, size.y, size.z};
    for (int k = 0; k < 3; k++)
        grid->len[k] = (int)ceil(sizes[k] / cell_m) + 1;
    const pov_vec3 span = pov_vec3_scale((pov_vec3){grid->len[0] - 1, grid->len[1] - 1, grid->len[2] - 1},
                                         cell_m); /* centred */
    grid->low_m = pov_vec3_sub(pov_vec3_scale(pov_vec3_add(low, high), 0.5), pov_vec3_scale(span, 0.5));
    grid->cell_m = cell_m;
}

static void sample_lattice(lattice *grid, const bone_set *skin)
{
    const size_t count = (size_t)grid->len[0] * (size_t)grid->len[1] * (size_t)grid->len[2];
    grid->value = calloc(count, sizeof *grid->value);
    grid->vertex = calloc(count, sizeof *grid->vertex);
    POV_REQUIRE_MEMORY(grid->value && grid->vertex);
    for (int z = 0; z < grid->len[2]; z++) {
        for (int y = 0; y < grid->len[1]; y++) {
            for (int x = 0; x < grid->len[0]; x++)
                grid->value[corner_at(grid, x, y, z)] = field_at(skin, corner_point(grid, x, y, z));
        }
    }
}

/** The mean of where the skin crosses the cell's edges; false if it does not. */
static bool cell_crossing(pov_vec3 *mean_m, const lattice *grid, int x, int y, int z)
{
    pov_vec3 sum = {0, 0, 0};
    int crossings = 0;
    for (int edge = 0; edge < 12; edge++) {
        const int axis = edge / 4, u = edge & 1, v = edge >> 1 & 1;
        int a[3] = {x, y, z}, b[3];
        a[(axis + 1) % 3] += u;
        a[(axis + 2) % 3] += v;
        for (int k = 0; k < 3; k++)
            b[k] = a[k] + (k == axis);
        const double from = grid->value[corner_at(grid, a[0], a[1], a[2])];
        const double to = grid->value[corner_at(grid, b[0], b[1], b[2])];
        if ((from < 0) == (to < 0))
            continue;
        const double t = from / (from - to);
        sum = pov_vec3_add(sum, pov_vec3_add(pov_vec3_scale(corner_point(grid, a[0], a[1], a[2]), 1 - t),
                                             pov_vec3_scale(corner_point(grid, b[0], b[1], b[2]), t)));
        crossings++;
    }
    *mean_m = pov_vec3_scale(sum, crossings ? 1.0 / crossings : 0);
    return crossings > 0;
}

/** From the side: u along x, v down. */
static pov_vec2 uv_at(const lattice *grid, pov_vec3 p)
{
    return (pov_vec2){(p.x - grid->low_m.x) / (grid->cell_m * (grid->len[0] - 1)),
                      1 - (p.z - grid->low_m.z) / (grid->cell_m * (grid->len[2] - 1))};
}

static void add_vertices(pov_brush brush, lattice *grid, const bone_set *skin)
{
    for (int z = 0; z + 1 < grid->len[2]; z++) {
        for (int y = 0; y + 1 < grid->len[1]; y++) {
            for (int x = 0; x + 1 < grid->len[0]; x++) {
                pov_vec3 p;
                if (!cell_crossing(&p, grid, x, y, z))
                    continue;
                const double step_m = grid->cell_m / 20;
                pov_vec3 slope = gradient_at(skin, p, step_m); /* one Newton step onto the skin */
                const double steep = fmax(0.25, pov_vec3_dot(slope, slope));
                const double move_m = fmin(0.5 * grid->cell_m, fmax(-0.5 * grid->cell_m, field_at(skin, p)));
                p = pov_vec3_sub(p, pov_vec3_scale(slope, move_m / steep));
                slope = gradient_at(skin, p, step_m);
                grid->vertex[corner_at(grid, x, y, z)] = add_vertex(brush, p, slope, uv_at(grid, p));
            }
        }
    }
}

/** A quad of the four cells about an edge that the skin crosses, facing from inside to outside. */
static void edge_quad(pov_brush brush, const lattice *grid, const int corner[3], int axis)
{
    int next[3] = {corner[0], corner[1], corner[2]};
    next[axis]++;
    const bool inside = grid->value[corner_at(grid, corner[0], corner[1], corner[2])] < 0;
    if (inside == (grid->value[corner_at(grid, next[0], next[1], next[2])] < 0))
        return;
    uint32_t quad[4];
    for (int k = 0; k < 4; k++) {
        int cell[3] = {corner[0], corner[1], corner[2]};
        cell[(axis + 1) % 3] -= k == 0 || k == 3;
        cell[(axis + 2) % 3] -= k < 2;
        quad[inside ? k : 3 - k] = grid->vertex[corner_at(grid, cell[0], cell[1], cell[2])];
    }
    add_triangle(brush, quad[0], quad[1], quad[2]);
    add_triangle(brush, quad[0], quad[2], quad[3]);
}

static void add_quads(pov_brush brush, const lattice *grid)
{
    for (int z = 1; z + 1 < grid->len[2]; z++) {
        for (int y = 1; y + 1 < grid->len[1]; y++) {
            for (int x = 1; x + 1 < grid->len[0]; x++) {
                for (int axis = 0; axis < 3; axis++)
                    edge_quad(brush, grid, (const int[3]){x, y, z}, axis);
            }
        }
    }
}

void pov_shape_skin(pov_brush brush, const pov_bone bones[], int bone_len, double blend_m, double cell_m)
{
    const bone_set skin = {bones, bone_len, blend_m};
    lattice grid;
    lattice_about(&grid, &skin, cell_m);
    sample_lattice(&grid, &skin);
    add_vertices(brush, &grid, &skin);
    add_quads(brush, &grid);
    free(grid.vertex);
    free(grid.value);
}
