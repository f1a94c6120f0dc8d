#include "sim/bodies/shapes_internal.h"

#include <math.h>
#include <stdlib.h>

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
static double field(const bone_set *skin, pov_vec3 p)
{
    double sum = 0;
    for (int i = 0; i < skin->bone_len; i++) {
        for (int side = 1; side >= (skin->bones[i].paired ? -1 : 1); side -= 2)
            sum += exp(-bone_distance(&skin->bones[i], p, side) / skin->blend_m);
    }
    return -skin->blend_m * log(sum + 1e-300);
}

static pov_vec3 gradient(const bone_set *skin, pov_vec3 p, double step_m)
{
    const pov_vec3 x = {step_m, 0, 0}, y = {0, step_m, 0}, z = {0, 0, step_m};
    return (pov_vec3){
        (field(skin, pov_vec3_add(p, x)) - field(skin, pov_vec3_sub(p, x))) / (2 * step_m),
        (field(skin, pov_vec3_add(p, y)) - field(skin, pov_vec3_sub(p, y))) / (2 * step_m),
        (field(skin, pov_vec3_add(p, z)) - field(skin, pov_vec3_sub(p, z))) / (2 * step_m),
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

static void widen(pov_vec3 *low, pov_vec3 *high, pov_vec3 p, double radius)
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
            widen(&low, &high, (pov_vec3){bone->from_m.x, side * bone->from_m.y, bone->from_m.z},
                  bone->from_radius_m);
            widen(&low, &high, (pov_vec3){bone->to_m.x, side * bone->to_m.y, bone->to_m.z},
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

static void sample(lattice *grid, const bone_set *skin)
{
    const size_t count = (size_t)grid->len[0] * (size_t)grid->len[1] * (size_t)grid->len[2];
    grid->value = calloc(count, sizeof *grid->value);
    grid->vertex = calloc(count, sizeof *grid->vertex);
    POV_REQUIRE(grid->value && grid->vertex);
    for (int z = 0; z < grid->len[2]; z++) {
        for (int y = 0; y < grid->len[1]; y++) {
            for (int x = 0; x < grid->len[0]; x++)
                grid->value[corner_at(grid, x, y, z)] = field(skin, corner_point(grid, x, y, z));
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
                pov_vec3 slope = gradient(skin, p, step_m); /* one Newton step onto the skin */
                const double steep = fmax(0.25, pov_vec3_dot(slope, slope));
                const double move_m = fmin(0.5 * grid->cell_m, fmax(-0.5 * grid->cell_m, field(skin, p)));
                p = pov_vec3_sub(p, pov_vec3_scale(slope, move_m / steep));
                slope = gradient(skin, p, step_m);
                grid->vertex[corner_at(grid, x, y, z)] = pov_brush_vertex(brush, p, slope, uv_at(grid, p));
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
    pov_brush_triangle(brush, quad[0], quad[1], quad[2]);
    pov_brush_triangle(brush, quad[0], quad[2], quad[3]);
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
    sample(&grid, &skin);
    add_vertices(brush, &grid, &skin);
    add_quads(brush, &grid);
    free(grid.vertex);
    free(grid.value);
}
