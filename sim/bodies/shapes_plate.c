#include "sim/bodies/shapes_internal.h"

#include <math.h>

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
        pov_brush_triangle(brush, first[0] + a, first[0] + b, first[0] + c);
        pov_brush_triangle(brush, first[1] + a, first[1] + c, first[1] + b);
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
            const pov_vec2 p = line[i + end], n = pov_line_normal(line, line_len, i, end);
            corner[k] = pov_brush_vertex(brush, (pov_vec3){p.x, k & 2 ? half_m : -half_m, p.y},
                                         (pov_vec3){n.x, 0, n.y}, (pov_vec2){0, 0});
        }
        pov_brush_triangle(brush, corner[0], corner[2], corner[3]);
        pov_brush_triangle(brush, corner[0], corner[3], corner[1]);
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
            const uint32_t vertex = pov_brush_vertex(brush, (pov_vec3){line[i].x, y, line[i].y},
                                                     (pov_vec3){0, y, 0}, (pov_vec2){0, 0});
            first[side] = i == 0 ? vertex : first[side];
        }
    }
    plate_faces(brush, line, outline_len, first);
    plate_rim(brush, line, outline_len + 1, thickness_m / 2);
}
