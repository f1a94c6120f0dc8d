#include "perception/relations/expectation/bearing.h"

#include "perception/geometry/linalg.h"

#include <math.h>
#include <string.h>

enum { DIRECTION_NODES = 240, HEADING_NODES = 80 };
/* Half-width of a grid in standard deviations: beyond lies less than 1e-8. */
static const double grid_deviations = 6;
/* A von Mises this sure is a point on any grid. */
static const double kappa_point = 1e10;

/* Angles about a centre with their probabilities, each spread evenly over its cell. */
typedef struct {
    int len;
    double cell_rad;
    double angle_rad[DIRECTION_NODES], p[DIRECTION_NODES];
} angle_grid;

static void set_point(angle_grid *grid, double angle_rad)
{
    grid->len = 1;
    grid->cell_rad = 0;
    grid->angle_rad[0] = angle_rad;
    grid->p[0] = 1;
}

static void set_cells(angle_grid *grid, int len, double centre_rad, double half_range_rad)
{
    grid->len = len;
    grid->cell_rad = 2 * half_range_rad / len;
    for (int i = 0; i < len; i++)
        grid->angle_rad[i] = centre_rad - half_range_rad + (i + 0.5) * grid->cell_rad;
}

static void normalise_weights(angle_grid *grid)
{
    double sum = 0;
    for (int i = 0; i < grid->len; i++)
        sum += grid->p[i];
    for (int i = 0; i < grid->len; i++)
        grid->p[i] /= sum;
}

/* Up to a factor, the density of the direction of a Gaussian vector. The book's c - D^2, two numbers that may be huge, is
 * the determinant times (u x m)^2 / (u^T P u) for the direction u: Lagrange's identity. */
static double projected_normal(const double precision[2][2], pov_vec2 m, double angle_rad)
{
    double x = cos(angle_rad), y = sin(angle_rad), cross = x * m.y - y * m.x;
    double px = precision[0][0] * x + precision[0][1] * y, py = precision[1][0] * x + precision[1][1] * y;
    double a = x * px + y * py, b = m.x * px + m.y * py;
    double c = m.x * (precision[0][0] * m.x + precision[0][1] * m.y) +
               m.y * (precision[1][0] * m.x + precision[1][1] * m.y);
    double determinant = precision[0][0] * precision[1][1] - precision[0][1] * precision[1][0];
    double D = b / sqrt(a), tail = 0.5 * erfc(-D / sqrt(2));
    double off = determinant * cross * cross / a;
    return fmax(0, exp(-c / 2) + D * sqrt(2 * POV_PI) * tail * exp(-off / 2)) / a;
}

static void direction_grid(angle_grid *grid, const pov_bearing *bearing)
{
    pov_vec2 m = bearing->v_m;
    double xx = bearing->cov_m2[0][0], xy = bearing->cov_m2[0][1], yy = bearing->cov_m2[1][1];
    double length2 = m.x * m.x + m.y * m.y, mean_rad = atan2(m.y, m.x), trace = xx + yy;
    if (trace <= 1e-18 * length2) {
        set_point(grid, mean_rad);
        return;
    }
    xx += 1e-4 * trace; /* a covariance of rank one has no density */
    yy += 1e-4 * trace;
    double across = (m.y * m.y * xx - 2 * m.x * m.y * xy + m.x * m.x * yy) / (length2 * length2);
    bool near = length2 < 64 * trace; /* the direction may turn round: no first-order width */
    set_cells(grid, DIRECTION_NODES, mean_rad,
              near ? POV_PI : fmin(POV_PI, 1.2 * grid_deviations * sqrt(across)));
    double determinant = xx * yy - xy * xy;
    const double precision[2][2] = {{yy / determinant, -xy / determinant},
                                    {-xy / determinant, xx / determinant}};
    for (int i = 0; i < grid->len; i++)
        grid->p[i] = projected_normal(precision, m, grid->angle_rad[i]);
    normalise_weights(grid);
}

static void heading_grid(angle_grid *grid, const pov_heading_mode *mode)
{
    if (mode->kappa >= kappa_point) {
        set_point(grid, mode->yaw_rad);
        return;
    }
    double half_rad = mode->kappa > 0 ? fmin(POV_PI, grid_deviations / sqrt(mode->kappa)) : POV_PI;
    set_cells(grid, HEADING_NODES, mode->yaw_rad, half_rad);
    for (int i = 0; i < grid->len; i++)
        grid->p[i] = exp(mode->kappa * (cos(grid->angle_rad[i] - mode->yaw_rad) - 1));
    normalise_weights(grid);
}

/* A grid's distribution function on the unrolled circle: it rises by 1 a turn. */
typedef struct {
    double from_rad, cell_rad;
    int len;
    double below[DIRECTION_NODES + 1];
} cumulative;

static cumulative cumulative_of(const angle_grid *grid)
{
    cumulative sum = {.cell_rad = fmax(grid->cell_rad, 1e-6), .len = grid->len};
    sum.from_rad = grid->angle_rad[0] - sum.cell_rad / 2;
    for (int i = 0; i < grid->len; i++)
        sum.below[i + 1] = sum.below[i] + grid->p[i];
    return sum;
}

static double below(const cumulative *sum, double angle_rad)
{
    double turns = floor((angle_rad - sum->from_rad) / (2 * POV_PI));
    double at = (angle_rad - sum->from_rad - turns * 2 * POV_PI) / sum->cell_rad;
    if (at >= sum->len)
        return turns + 1;
    int cell = (int)at;
    return turns + sum->below[cell] + (at - cell) * (sum->below[cell + 1] - sum->below[cell]);
}

/* One of the two is spread over its cells; the other, whose cells are finer, may stand as points. The bearing rises
 * with the direction and falls with the heading. */
static void add_mode(double *p, const angle_grid *directions, const angle_grid *headings, double weight,
                     const double *edges_rad, int count)
{
    bool spread_directions = directions->cell_rad > headings->cell_rad;
    const angle_grid *points = spread_directions ? headings : directions;
    const cumulative sum = cumulative_of(spread_directions ? directions : headings);
    for (int i = 0; i < points->len; i++) {
        double sign = spread_directions ? 1 : -1, angle_rad = points->angle_rad[i];
        double first = sign * below(&sum, angle_rad + sign * edges_rad[0]), low = first;
        for (int k = 0; k < count; k++) {
            double high = k + 1 < count ? sign * below(&sum, angle_rad + sign * edges_rad[k + 1]) : first + 1;
            p[k] += weight * points->p[i] * (high - low);
            low = high;
        }
    }
}

void pov_bearing_sectors(double *p, const pov_bearing *bearing, const double *edges_rad, int count)
{
    angle_grid directions, headings;
    direction_grid(&directions, bearing);
    memset(p, 0, (size_t)count * sizeof *p);
    for (int mode = 0; mode < bearing->heading.len; mode++) {
        heading_grid(&headings, &bearing->heading.mode[mode]);
        add_mode(p, &directions, &headings, bearing->heading.mode[mode].weight, edges_rad, count);
    }
}

double pov_bearing_mean_rad(const pov_bearing *bearing)
{
    const double heading_rad = pov_heading_heaviest(&bearing->heading)->yaw_rad;
    return pov_angle_wrap(atan2(bearing->v_m.y, bearing->v_m.x) - heading_rad);
}

pov_bearing pov_bearing_to_direction(double yaw_rad, double std_rad, const pov_heading *heading)
{
    double x = cos(yaw_rad), y = sin(yaw_rad), variance = std_rad * std_rad;
    return (pov_bearing){
        .v_m = {x, y},
        .cov_m2 = {{variance * y * y, -variance * x * y}, {-variance * x * y, variance * x * x}},
        .heading = *heading};
}

/* yaw_per_pose: d(yaw) / d(camera pose error) of the frame in which v is told. */
static pov_code find_vector(pov_bearing *bearing, const pov_scene *scene, pov_id from, pov_id to,
                            const double yaw_per_pose[6])
{
    const pov_position *a = &scene->entities[from].position, *b = &scene->entities[to].position;
    double relative[2][6], shared[2][2], values[2], first[2];
    *bearing = (pov_bearing){.v_m = {NAN, NAN}};
    if (!scene->entities[from].placed || !scene->entities[to].placed)
        return POV_UNDEFINED;
    const pov_vec2 v = {b->mean_m.x - a->mean_m.x, b->mean_m.y - a->mean_m.y};
    for (int k = 0; k < 6; k++) {
        relative[0][k] = b->per_camera_pose[0][k] - a->per_camera_pose[0][k] + v.y * yaw_per_pose[k];
        relative[1][k] = b->per_camera_pose[1][k] - a->per_camera_pose[1][k] - v.x * yaw_per_pose[k];
    }
    pov_sandwich(&shared[0][0], &relative[0][0], &scene->camera_pose_cov[0][0], 2, 6);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            bearing->cov_m2[i][j] = shared[i][j] + a->own_cov_m2[i][j] + b->own_cov_m2[i][j];
    bearing->v_m = v;
    pov_symmetric2_eigen(values, first, bearing->cov_m2[0][0], bearing->cov_m2[0][1], bearing->cov_m2[1][1]);
    bool coincide = hypot(v.x, v.y) <= fmax(1e-9, sqrt(fmax(0, values[0])));
    return coincide ? POV_UNDEFINED : POV_OK;
}

pov_code pov_bearing_between(pov_bearing *bearing, const pov_scene *scene, pov_id from, pov_id to)
{
    return find_vector(bearing, scene, from, to, (const double[6]){0});
}

pov_code pov_bearing_about_heading(pov_bearing *bearing, const pov_scene *scene, pov_id from, pov_id to,
                                   pov_id whose)
{
    const pov_entity *entity = &scene->entities[whose];
    if (entity->heading.len == 0)
        return POV_UNDEFINED;
    const pov_code code = find_vector(bearing, scene, from, to, entity->heading_ties.per_camera_pose);
    bearing->heading = pov_heading_apart_from_camera(scene, whose);
    return code;
}

pov_code pov_bearing_about_front(pov_bearing *bearing, const pov_scene *scene, pov_id from, pov_id to)
{
    return pov_bearing_about_heading(bearing, scene, from, to, from);
}
