#include "sim/bodies/shapes_internal.h"

#include <math.h>

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

uint32_t pov_brush_vertex(pov_brush brush, pov_vec3 pos_m, pov_vec3 normal, pov_vec2 uv)
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

void pov_brush_triangle(pov_brush brush, uint32_t a, uint32_t b, uint32_t c)
{
    const pov_model_parts parts = pov_model_read(brush.model);
    const float *p = parts.positions_m[a], *q = parts.positions_m[b], *r = parts.positions_m[c];
    if (same_place(p, q) || same_place(q, r) || same_place(r, p))
        return;
    const uint32_t vertices[3] = {a, b, c};
    pov_model_add_triangle(brush.model, vertices, brush.material);
}

void pov_brush_grid(pov_brush brush, uint32_t first, int row_len, int rows)
{
    for (int i = 0; i + 1 < rows; i++) {
        for (int j = 0; j + 1 < row_len; j++) {
            const uint32_t here = first + (uint32_t)(i * row_len + j), above = here + (uint32_t)row_len;
            pov_brush_triangle(brush, here, here + 1, above + 1);
            pov_brush_triangle(brush, here, above + 1, above);
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
    return pov_brush_vertex(brush, p, (pov_vec3){n[0], n[1], n[2]}, (pov_vec2){0, 0});
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
    pov_brush_grid(brush, first, lines, lines);
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
        corner[i] =
            pov_brush_vertex(brush, (pov_vec3){p.x * half_m.x, p.y * half_m.y, p.z * half_m.z}, out, uv);
    }
    pov_brush_triangle(brush, corner[0], corner[1], corner[2]);
    pov_brush_triangle(brush, corner[0], corner[2], corner[3]);
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
                pov_brush_vertex(brush, (pov_vec3){n.x * half_m.x, n.y * half_m.y, n.z * half_m.z},
                                 (pov_vec3){n.x / half_m.x, n.y / half_m.y, n.z / half_m.z},
                                 (pov_vec2){(double)j / sides, 1 - i / (rows - 1.0)});
            first = i == 0 && j == 0 ? vertex : first;
        }
    }
    pov_brush_grid(brush, first, sides + 1, rows);
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

pov_vec2 pov_line_normal(const pov_vec2 line[], int line_len, int i, int end)
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
            const pov_vec2 p = profile_m[i + end], n = pov_line_normal(profile_m, profile_len, i, end);
            for (int j = 0; j <= sides; j++) {
                const pov_vec2 round = round_point(j, sides);
                const uint32_t vertex =
                    pov_brush_vertex(brush, (pov_vec3){p.x * round.x, p.x * round.y, p.y},
                                     (pov_vec3){n.x * round.x, n.x * round.y, n.y},
                                     (pov_vec2){(double)j / sides, 1 - (i + end) / (profile_len - 1.0)});
                first = end == 0 && j == 0 ? vertex : first;
            }
        }
        pov_brush_grid(brush, first, sides + 1, 2);
    }
}
