#include "perception/balls/ball_size_map.h"

#include <math.h>
#include <stdlib.h>

enum {
    SPACING_PX = 16,
    MARGIN = 3
}; /* nodes go on beyond the border: a ball that is cut has its centre there */

typedef struct {
    pov_vec3 direction;
    double px_per_rad; /* 0 where the lens has no inverse */
} node;

struct pov_ball_size_map {
    int columns, rows;
    node *nodes;
    float *radius_px; /* at the nodes; UNKNOWN: not asked for since the map was set; 0: no ball */
    pov_transform T_table_camera;
    double height_m, radius_m;
};

#define UNKNOWN (-1.0F)

/* Square root of how much the lens magnifies solid angle. */
static double magnification(const pov_camera *camera, pov_vec3 direction)
{
    pov_vec2 pixel;
    double J[2][3];
    if (pov_camera_project(camera, &pixel, J, direction) != POV_OK)
        return 0;
    pov_vec3 row_x = {J[0][0], J[0][1], J[0][2]}, row_y = {J[1][0], J[1][1], J[1][2]};
    return sqrt(pov_vec3_norm(pov_vec3_cross(row_x, row_y)));
}

static void nodes_fill(pov_ball_size_map *map, const pov_camera *camera)
{
    for (int i = 0; i < map->columns * map->rows; i++) {
        int column = i % map->columns, row = i / map->columns;
        pov_vec2 pixel = {(column - MARGIN) * SPACING_PX, (row - MARGIN) * SPACING_PX};
        node *n = &map->nodes[i];
        n->px_per_rad = 0;
        if (pov_camera_unproject(camera, &n->direction, NULL, pixel) == POV_OK)
            n->px_per_rad = magnification(camera, n->direction);
    }
}

pov_status pov_ball_size_map_new(pov_ball_size_map **map, const pov_camera *camera)
{
    pov_ball_size_map *m = calloc(1, sizeof *m);
    *map = m;
    if (m) {
        m->columns = camera->width_px / SPACING_PX + 2 + 2 * MARGIN;
        m->rows = camera->height_px / SPACING_PX + 2 + 2 * MARGIN;
        m->nodes = calloc((size_t)m->columns * m->rows, sizeof *m->nodes);
        m->radius_px = calloc((size_t)m->columns * m->rows, sizeof *m->radius_px);
    }
    if (!m || !m->nodes || !m->radius_px) {
        pov_ball_size_map_destroy(map);
        return pov_error("ball detector: out of memory for images of %d x %d", camera->width_px,
                         camera->height_px);
    }
    nodes_fill(m, camera);
    return pov_ok();
}

void pov_ball_size_map_destroy(pov_ball_size_map **map)
{
    if (!*map)
        return;
    free((*map)->nodes);
    free((*map)->radius_px);
    free(*map);
    *map = NULL;
}

bool pov_ball_center_at_height(pov_vec3 *center_camera_m, const pov_transform *T_table_camera,
                               pov_vec3 direction, double height_m)
{
    double sinking = pov_rot_apply(T_table_camera->R, direction).z;
    double way = (height_m - T_table_camera->t_m.z) / sinking;
    *center_camera_m = pov_vec3_scale(direction, way);
    return isfinite(way) && way > 0;
}

void pov_ball_size_map_set(pov_ball_size_map *map, const pov_transform *T_table_camera, double height_m,
                           double radius_m)
{
    map->T_table_camera = *T_table_camera;
    map->height_m = height_m;
    map->radius_m = radius_m;
    for (int i = 0; i < map->columns * map->rows; i++)
        map->radius_px[i] = UNKNOWN;
}

static float radius_at_node(const pov_ball_size_map *map, const node *n)
{
    pov_vec3 center;
    if (!(n->px_per_rad > 0) ||
        !pov_ball_center_at_height(&center, &map->T_table_camera, n->direction, map->height_m))
        return 0;
    const double sine = map->radius_m / pov_vec3_norm(center);
    return sine < 1 ? (float)(n->px_per_rad * asin(sine)) : 0;
}

double pov_ball_size_map_radius_px(pov_ball_size_map *map, double x_px, double y_px)
{
    double x = x_px / SPACING_PX + MARGIN, y = y_px / SPACING_PX + MARGIN;
    if (!(x >= 0 && y >= 0 && x < map->columns - 1 && y < map->rows - 1))
        return 0;
    int column = (int)x, row = (int)y;
    float *r = map->radius_px + (size_t)row * map->columns + column;
    const int corners[4] = {0, 1, map->columns, map->columns + 1};
    for (int i = 0; i < 4; i++)
        if (r[corners[i]] < 0)
            r[corners[i]] = radius_at_node(map, &map->nodes[row * map->columns + column + corners[i]]);
    if (r[0] <= 0 || r[1] <= 0 || r[map->columns] <= 0 || r[map->columns + 1] <= 0)
        return 0;
    double u = x - column, v = y - row;
    return (1 - v) * ((1 - u) * r[0] + u * r[1]) + v * ((1 - u) * r[map->columns] + u * r[map->columns + 1]);
}
